"""Folders that other apps set apart are suggested to come later, and one that is not there is told."""

import json
from pathlib import Path

import pytest

from notesd.files.ignore import Ignore
from notesd.index.store import Reader
from notesd.ingest.follow import Follower
from notesd.serve.suggestions import idle, suggested
from notesd.settings import Config

PLUGINS = ".obsidian/plugins"
FOLDERS = ["Templates", "Meta/Daily", "Meta/Quick", "Old", "Übrig", "archived", "Empty"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of notes."""
    root = tmp_path_factory.mktemp("suggestions") / "notes"
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
        if name != "Empty":
            (root / name / "note.md").write_text("lamp")
    (root / "tpl.meeting.md").write_text("lamp")
    (root / "Old" / "tpl.day.md").write_text("lamp")
    return root


@pytest.fixture(scope="module")
def reader(folder: Path) -> Reader:
    """Its index."""
    follower = Follower(str(folder), str(folder.parent / "state"), Ignore(()), Config())
    follower.open()
    follower.scan()
    assert follower.store is not None
    return follower.store.peek()


def paths(reader: Reader, folder: Path, *demote: str) -> list[str]:
    return [one["path"] for one in suggested(reader, str(folder), demote)]


@pytest.mark.parametrize(
    ("file", "settings", "named"),
    [
        (".obsidian/templates.json", {"folder": "Templates/"}, ["Templates"]),
        (".obsidian/daily-notes.json", {"template": "Meta/Daily/note"}, ["Meta/Daily"]),
        (".obsidian/app.json", {"userIgnoreFilters": ["Old/", "/^x/", "nowhere/", 3]}, ["Old"]),
        (f"{PLUGINS}/templater-obsidian/data.json", {"templates_folder": "./Templates"}, ["Templates"]),
        (f"{PLUGINS}/quickadd/data.json", {"templateFolderPath": "Meta/Quick"}, ["Meta/Quick"]),
        (f"{PLUGINS}/periodic-notes/data.json", {"weekly": {"template": "Meta/Daily/w.md"}}, ["Meta/Daily"]),
        ("logseq/config.edn", '{:a 1 ; :hidden ["Old"]\n :hidden ["/archived" "/assets"]}', ["archived"]),
        (".zk/config.toml", '[note]\nignore = ["Old/*", "log-*.md", 3]', ["Old"]),
        (
            ".zk/config.toml",
            '[group.x.note]\nexclude = ["archived/**", "Meta/Quick/"]',
            ["archived", "Meta/Quick"],
        ),
        (
            "dendron.yml",
            "commands:\n    templateHierarchy: tpl\nworkspace:\n    vaults:\n        - fsPath: ./Old\n",
            ["tpl.", "Old/tpl."],
        ),
        ("dendron.yml", "commands:\n    templateHierarchy: nowhere\n", []),
        (".zk/config.toml", "group = 1\nnote = [1]", []),
        (".zk/config.toml", "[note", []),
        (".obsidian/templates.json", {"folder": "Empty"}, []),
        (".obsidian/templates.json", {"folder": "../elsewhere"}, []),
        (".obsidian/templates.json", {"folder": ["Templates", {}]}, ["Templates"]),
        (".obsidian/templates.json", "{not json", []),
        (".obsidian/templates.json", "[" * 100_000, []),
        (".obsidian/templates.json", [1], []),
    ],
)
def test_what_an_app_sets_apart_is_suggested(
    reader: Reader, folder: Path, file: str, settings: object, named: list[str]
) -> None:
    """With the file and what to configure, whatever stands in it; no more once it is configured."""
    place = folder / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(settings if isinstance(settings, str) else json.dumps(settings))
    try:
        assert paths(reader, folder) == named
        assert all(
            file in one["reason"] and "demote" in one["reason"] for one in suggested(reader, str(folder), ())
        )
        assert paths(reader, folder, *(name.upper() for name in named)) == []
    finally:
        place.unlink()


def test_no_link_is_followed_to_settings(reader: Reader, folder: Path, tmp_path: Path) -> None:
    """What lies outside of the space is not read."""
    (tmp_path / "templates.json").write_text('{"folder": "Templates"}')
    place = folder / ".obsidian" / "templates.json"
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(tmp_path / "templates.json")
    try:
        assert paths(reader, folder) == []
    finally:
        place.unlink()


def test_a_folder_that_is_not_there_is_told_with_the_nearest(reader: Reader) -> None:
    """A slip in the configuration must not look as if it worked."""
    (told,) = idle(reader, "notes", ("templates", "archivd", "ubrig"), Ignore())

    assert told[0] == "archivd"
    assert told[1].kind == "demote"
    assert "spaces.notes.demote" in told[1].reason
    assert "nearest: archived" in told[1].reason
