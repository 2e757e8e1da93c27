"""Whose a folder is, and which ones the apps of this person know."""

import json
from pathlib import Path

import pytest

from notesd.setup.vaults import Vault, known_to_apps, look_at, set_apart


@pytest.mark.parametrize(
    ("mark", "app"),
    [
        (".obsidian/app.json", "Obsidian"), (".zk/config.toml", "zk"), ("logseq/config.edn", "Logseq"),
        ("dendron.yml", "Dendron"), ("x.md", None),
    ],
)  # fmt: skip
def test_an_app_is_known_by_what_it_leaves(tmp_path: Path, mark: str, app: str | None) -> None:
    """And notes are counted without what the app keeps for itself."""
    (tmp_path / "in").mkdir()
    for name in ("a.md", "in/b.MD", "in/c.markdown", "in/.d.md", "e.txt"):
        (tmp_path / name).write_text("x")
    (tmp_path / mark).parent.mkdir(exist_ok=True)
    (tmp_path / mark).write_text("")
    (tmp_path / ".trash").mkdir()
    (tmp_path / ".trash" / "f.md").write_text("x")
    assert look_at(str(tmp_path)) == Vault(app, 3 + mark.endswith(".md"))


def test_the_vaults_of_obsidian_are_found(tmp_path: Path) -> None:
    """Those that are there; whatever else stands in its file is no error."""
    (tmp_path / "v").mkdir()
    file = tmp_path / ".config" / "obsidian" / "obsidian.json"
    file.parent.mkdir(parents=True)
    vaults = {"1": {"path": str(tmp_path / "v")}, "2": {"path": "/gone"}, "3": {"path": "relative"}}
    for text, found in (
        (json.dumps({"vaults": vaults}), [str(tmp_path / "v")]),
        (json.dumps({"vaults": []}), []),
        ('{"vaults": {"1": 3}}', []),
        ("[" * 5000, []),
        ("\x00", []),
    ):
        file.write_text(text)
        assert known_to_apps({"HOME": str(tmp_path)}) == found


def test_other_apps_too(tmp_path: Path) -> None:
    """That of zk by its variable, Logseq by its list of graphs."""
    (tmp_path / "zk").mkdir()
    (tmp_path / "graph").mkdir()
    graphs = tmp_path / ".logseq" / "graphs"
    graphs.mkdir(parents=True)
    (graphs / f"logseq_local_{str(tmp_path / 'graph').replace('/', '++')}.transit").write_text("")
    environ = {"HOME": str(tmp_path), "ZK_NOTEBOOK_DIR": str(tmp_path / "zk")}
    assert known_to_apps(environ) == [str(tmp_path / "zk"), str(tmp_path / "graph")]
    assert known_to_apps({}) == []


def test_folders_that_an_app_sets_apart_are_told(tmp_path: Path) -> None:
    """Those that are there."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Templates").mkdir()
    (tmp_path / ".obsidian" / "templates.json").write_text('{"folder": "Templates"}')
    (tmp_path / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["Gone/"]}')
    assert set_apart(str(tmp_path)) == {"Templates": "templates"}
