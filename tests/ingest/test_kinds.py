"""An index holds what a space reads as notes, by what can read it now."""

from pathlib import Path

import pytest
import tiny_pdf

from notesd.files import pdf
from notesd.files.ignore import Ignore
from notesd.index import notes
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


WISHES = [
    pytest.param((), {"a.md", "asked.org"}, id="nothing"),
    pytest.param((".pdf",), {"a.md", "asked.org", "p.pdf"}, id="PDFs"),
    pytest.param((".canvas", ".ipynb"), {"a.md", "asked.org", "b.canvas", "n.ipynb"}, id="two kinds"),
    pytest.param((".md",), {"a.md", "asked.org"}, id="notes have them anyway, but where they say no"),
]


@pytest.mark.parametrize(("embed", "expected"), WISHES)
def test_other_kinds_get_vectors_only_where_that_is_asked(
    tmp_path: Path, embed: tuple[str, ...], expected: set[str]
) -> None:
    """By the space, for an extension; what a file says of itself counts for more."""
    (tmp_path / "notes").mkdir()
    for name, text in {
        "a.md": "A note.\n",
        "no.md": "---\nembed: false\n---\nNone.\n",
        "secret.md": "---\nprivate: true\n---\nNone.\n",
        "asked.org": "* A heading\n",
        "b.canvas": '{"nodes": [{"id": "a", "type": "text", "text": "card", "x": 0, "y": 0}]}',
        "n.ipynb": '{"cells": [{"cell_type": "markdown", "source": "cell"}], "nbformat": 4}',
    }.items():
        (tmp_path / "notes" / name).write_text(text)
    (tmp_path / "notes/P.PDF").write_bytes(tiny_pdf.pdf(["A page"]))
    endings = (".md", ".org", ".canvas", ".ipynb", ".pdf")
    ignore = Ignore(extensions=endings, embed=embed)
    follower = Follower(str(tmp_path / "notes"), str(tmp_path / "state"), ignore, Config())
    follower.open()
    follower.scan()
    assert follower.store is not None
    found = {path.lower() for _, path, _, _, wanted in notes.embeddable(follower.store.peek()) if wanted}
    follower.close()
    assert found == expected
