"""Folders that come later, as a running daemon is configured."""

import json
from pathlib import Path

import pytest
from running import Running, running

pytestmark = pytest.mark.process

NOTES = {
    "Archive/Lamp.md": "# Lamp\n\nlamp lamp\n",
    "Templates/Lamp.md": "lamp\n",
    "Desk.md": "the lamp of the desk\n",
}


def configured(home: Path, demote: str) -> None:
    (home / "config.toml").write_text(
        f'[spaces.notes]\npath = "{home / "notes"}"\ndemote = {demote}\n'
        f'[spaces.more]\npath = "{home / "more"}"\n'
    )


def indexes(daemon: Running) -> set[str]:
    return {str(file) for file in daemon.state.glob("spaces/*/index*.db")}


def test_folders_come_later_as_soon_as_they_are_configured(tmp_path: Path) -> None:
    """Behind the notes of other spaces, too; no index is built anew, and what is not there is told."""
    for path, text in (
        {f"notes/{path}": text for path, text in NOTES.items()} | {"more/Far.md": "lamp\n"}
    ).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "notes/.obsidian").mkdir()
    (tmp_path / "notes/.obsidian/templates.json").write_text('{"folder": "Templates"}')
    configured(tmp_path, "[]")
    with running(tmp_path / "notes", NOTESD_CONFIG=str(tmp_path / "config.toml")) as daemon:
        assert daemon.paths("lamp")[:1] != ["Desk.md"]
        (suggested,) = daemon.ask("check")["suggestions"]
        before = indexes(daemon)
        configured(tmp_path, '["Archive/", "templats"]')
        daemon.restart()

        assert daemon.paths("lamp")[-1] == "Archive/Lamp.md"
        assert [daemon.paths("lamp", limit=1, offset=n) for n in range(4)] == [
            [path] for path in daemon.paths("lamp")
        ]
        checked = daemon.ask("check")
        told = daemon.run("query", "--explain", "lamp", "--no-record").stdout
        status = json.loads(daemon.run("status", "--json").stdout)

        assert indexes(daemon) == before
    assert (suggested["space"], suggested["path"]) == ("notes", "Templates")
    assert [(one["path"], one["kind"]) for one in checked["problems"]] == [("templats", "demote")]
    assert "nearest: Templates" in checked["problems"][0]["reason"]
    assert [one["kind"] for space in status["spaces"] for one in space["problems"]] == ["demote"]
    assert "after the others: Archive" in told
