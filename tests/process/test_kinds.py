"""Files of other kinds in a running daemon: found, followed, filtered, and set aside with a reason."""

import json
from pathlib import Path

import pytest
import tiny_pdf
from running import running

pytestmark = pytest.mark.process

EXTENSIONS = '[".md", ".org", ".txt", ".canvas", ".base", ".ipynb", ".pdf"]'

BOARD = {
    "nodes": [
        {"id": "g", "type": "group", "x": 0, "y": 0, "width": 100, "height": 100, "label": "Rigging"},
        {"id": "a", "type": "text", "text": "Splice the halyard", "x": 1, "y": 1, "width": 9, "height": 9},
        {"id": "b", "type": "file", "file": "Boats/Gaviota.md", "x": 200, "y": 1, "width": 9, "height": 9},
    ],
    "edges": [{"id": "e", "fromNode": "a", "toNode": "b", "label": "belongs to"}],
}


def configured(home: Path, extensions: str) -> str:
    """Write a configuration of one space."""
    (home / "config.toml").write_text(
        f'[spaces.notes]\npath = "{home / "notes"}"\nextensions = {extensions}\n'
    )
    return str(home / "config.toml")


def write(folder: Path) -> None:
    """Write a folder that holds a file of each kind, and some that cannot be read."""
    (folder / "Boats").mkdir(parents=True)
    (folder / "Boats/Gaviota.md").write_text("A sloop.\n")
    (folder / "Board.canvas").write_text(json.dumps(BOARD))
    (folder / "Boats.base").write_text('filters: file.inFolder("Harbourage")\n')
    (folder / "Log.org").write_text("#+TITLE: Ship log\n* NEXT Caulk the seams :winter:\n")
    (folder / "Plain.txt").write_text("barnacles # no heading\n")
    (folder / "Tides.ipynb").write_text(
        json.dumps(
            {"cells": [{"cell_type": "code", "source": "ebb = 1", "outputs": ["flood"]}], "nbformat": 4}
        )
    )
    (folder / "Manual.pdf").write_bytes(tiny_pdf.pdf(["Cover", "How to reef the mainsail"]))
    (folder / "Secret.pdf").write_bytes(tiny_pdf.encrypted())
    (folder / "Broken.canvas").write_text('{"nodes": [')
    (folder / "Boats/Manual.md").write_text("About the manual.\n")


def test_each_kind_is_found_as_what_it_says(tmp_path: Path) -> None:
    """Words, pages, relations and properties are found; what cannot be read is named; changes count."""
    folder = tmp_path / "notes"
    write(folder)
    with running(folder, NOTESD_CONFIG=configured(tmp_path, EXTENSIONS)) as daemon:
        (page,) = daemon.ask("search", query="reef mainsail", wait=True, record=False)["results"]
        board = daemon.ask("open", notes=["Board.canvas"], record=False)["entities"][0]
        links = daemon.ask("links", note="Gaviota")
        found = {
            query: daemon.paths(query)
            for query in (
                "halyard",
                "harbourage",
                "caulk",
                "todo:NEXT",
                "barnacles",
                "ebb",
                "flood",
                "type:pdf secret",
            )
        }
        named = daemon.ask("open", notes=["Manual", "Manual.pdf"], record=False)["entities"]
        shared = daemon.ask("check")["ambiguous_names"]
        problems = {one["path"]: one["kind"] for one in daemon.ask("check")["problems"]}
        (folder / "Board.canvas").write_text(json.dumps(BOARD).replace("halyard", "topsail"))
        changed = daemon.ask("search", query="topsail", wait=True, record=False)["results"]

    assert (page["path"], page["heading"], page["line"]) == ("Manual.pdf", ["Page 2"], 2)
    assert board["entityType"] == "canvas"
    assert [one["path"] for one in named] == ["Boats/Manual.md", "Manual.pdf"]
    assert shared == []
    assert {"relation": "belongs to", "target": "Boats/Gaviota.md"}.items() <= board["relations"][-1].items()
    assert "Board.canvas" in json.dumps(links)
    assert found == {
        "halyard": ["Board.canvas"],
        "harbourage": ["Boats.base"],
        "caulk": ["Log.org"],
        "todo:NEXT": ["Log.org"],
        "barnacles": ["Plain.txt"],
        "ebb": ["Tides.ipynb"],
        "flood": [],
        "type:pdf secret": ["Secret.pdf"],
    }
    assert problems == {"Secret.pdf": "encrypted", "Broken.canvas": "unparsable"}
    assert [one["path"] for one in changed] == ["Board.canvas"]


def test_other_extensions_are_another_index(tmp_path: Path) -> None:
    """What a space does not name is an attachment; after a change of the configuration all is as if new."""
    folder = tmp_path / "notes"
    write(folder)
    with running(folder, NOTESD_CONFIG=configured(tmp_path, '[".md"]')) as daemon:
        assert daemon.ask("search", query="halyard", wait=True, record=False)["results"] == []
        configured(tmp_path, EXTENSIONS)
        daemon.restart()
        daemon.ask("rescan", wait=True)
        before = daemon.paths("halyard"), daemon.paths("mainsail")
        configured(tmp_path, '[".md", ".org"]')
        daemon.restart()
        daemon.ask("rescan", wait=True)
        after = daemon.paths("halyard"), daemon.paths("caulk")

    assert before == (["Board.canvas"], ["Manual.pdf"])
    assert after == ([], ["Log.org"])
