"""Files of which nothing but the name is read: found so, followed, and named with the pattern."""

from pathlib import Path

import pytest
import tiny_pdf
from running import running

pytestmark = pytest.mark.process


def configured(home: Path, name_only: str) -> str:
    """Write a configuration of one space."""
    (home / "config.toml").write_text(
        f'[spaces.notes]\npath = "{home / "notes"}"\nextensions = [".md", ".pdf"]\nname_only = {name_only}\n'
    )
    return str(home / "config.toml")


def test_files_that_a_pattern_fits_are_found_by_their_names_alone(tmp_path: Path) -> None:
    """Notes and PDFs alike; what comes into such a folder, or out of it, is followed; a new list counts."""
    folder = tmp_path / "notes"
    (folder / "Papers").mkdir(parents=True)
    (folder / "Index.md").write_text("The papers: [[Soundings]] and [[Tides.pdf]].\n")
    (folder / "Papers/Soundings.md").write_text("fathoms #depth [[Index]]\n")
    (folder / "Papers/Tides.pdf").write_bytes(tiny_pdf.pdf(["perigee"]))
    (folder / "Ebb.pdf").write_bytes(tiny_pdf.pdf(["perigee"]))
    with running(folder, NOTESD_CONFIG=configured(tmp_path, '["Papers/", "*.tmp.md"]')) as daemon:
        daemon.ask("rescan", wait=True)
        by_words = daemon.paths("perigee"), daemon.paths("fathoms"), daemon.paths("tag:depth")
        by_name = daemon.paths("papers soundings"), daemon.paths("type:attachment")
        links = daemon.ask("links", note="Index")
        why = daemon.ask("search", query="fathoms", why="Papers/Soundings.md", record=False)["why"]
        check = daemon.ask("check")
        (folder / "Papers/Soundings.md").rename(folder / "Soundings.md")
        (folder / "Ebb.pdf").rename(folder / "Papers/Ebb.pdf")
        daemon.ask("rescan", wait=True)
        moved = daemon.paths("perigee"), daemon.paths("fathoms"), daemon.paths("ebb")
        configured(tmp_path, "[]")
        daemon.restart()
        daemon.ask("rescan", wait=True)
        after = sorted(daemon.paths("perigee")), daemon.paths("type:attachment")
    assert by_words == (["Ebb.pdf"], [], [])
    assert by_name == (["Index.md", "Papers/Soundings.md"], ["Papers/Soundings.md", "Papers/Tides.pdf"])
    assert [(one["raw"], one["target"]) for one in links["outgoing"]] == [
        ("Soundings", "Papers/Soundings.md"), ("Tides.pdf", "Papers/Tides.pdf"),
    ]  # fmt: skip
    assert why["rule"] == {"kind": "name_only", "pattern": "Papers/", "fits": "Papers"}
    assert "because the name_only pattern Papers/ fits Papers" in why["sentence"]
    assert [one["path"] for one in check["left_out"]] == ["Papers/Soundings.md", "Papers/Tides.pdf"]
    assert [(one["path"], one["kind"]) for one in check["problems"]] == [("*.tmp.md", "name_only")]
    assert moved == ([], ["Soundings.md"], ["Papers/Ebb.pdf"])
    assert after == (["Papers/Ebb.pdf", "Papers/Tides.pdf"], [])
