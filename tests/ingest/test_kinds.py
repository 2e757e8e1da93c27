"""An index holds what a space reads as notes, by what can read it now."""

from pathlib import Path

import pytest

from notesd.files import pdf
from notesd.files.ignore import Ignore
from notesd.ingest.follow import Follower
from notesd.settings import Config


def fingerprint(folder: Path, *extensions: str) -> str:
    """Return what an index of a folder is known by."""
    follower = Follower(str(folder), str(folder / "state"), Ignore((), extensions), Config())
    return follower._fingerprint(follower.place.walk())


def test_pdfs_are_read_once_the_extra_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes another index where PDFs are notes, and none elsewhere."""
    with_it = fingerprint(tmp_path, ".md", ".pdf"), fingerprint(tmp_path, ".md")
    monkeypatch.setattr(pdf, "has_reader", lambda: False)
    without = fingerprint(tmp_path, ".md", ".pdf"), fingerprint(tmp_path, ".md")

    assert with_it[0] != without[0]
    assert with_it[1] == without[1]


def test_other_extensions_make_another_index(tmp_path: Path) -> None:
    """What was an attachment has to be read."""
    assert fingerprint(tmp_path, ".md") != fingerprint(tmp_path, ".md", ".canvas")
