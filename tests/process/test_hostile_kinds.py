"""A folder of hostile files of every kind, and one note: the daemon goes on, and says what it set aside."""

import json
from pathlib import Path

import pytest
import tiny_pdf
from running import running

pytestmark = pytest.mark.process

LONG = 100_000
"""Beyond what is parsed in the process of the daemon."""


def hostile() -> dict[str, bytes]:
    """Files by name; each is set aside, or read in part."""
    return {
        "bomb.pdf": tiny_pdf.bomb(600 << 20),
        "encrypted.pdf": tiny_pdf.encrypted(),
        "scanned.pdf": tiny_pdf.pdf([""]),
        "broken.pdf": tiny_pdf.pdf(["words"])[:300],
        "circle.pdf": tiny_pdf.pdf(["words"], kids=b"2 0 R", count=1),
        "deep.canvas": b'{"nodes":' + b"[" * LONG,
        "small deep.canvas": b'{"nodes":' + b"[" * 20_000,
        "cut.ipynb": json.dumps({"cells": ["x" * LONG]})[:-5].encode(),
        "list.ipynb": b"[]",
        "aliases.base": b"a: &a [x]\n"
        + b"".join(b"k%d: [%s]\n" % (n, b", ".join([b"*a"] * 99)) for n in range(99)),
        "nul.canvas": bytes(LONG),
        "no text.log": b"\x7fELF\0\0" * LONG,
        "half.org": b"\xff\xfe" + b"\0\xd8" * 99,
    }


def test_hostile_files_stop_nothing(tmp_path: Path) -> None:
    """The note beside them is found while they are read; each that says nothing has its reason."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, data in hostile().items():
        (folder / name).write_bytes(data)
    (folder / "Lamp.md").write_text("lamp\n")
    extensions = '[".md", ".pdf", ".canvas", ".ipynb", ".base", ".org", ".log"]'
    (tmp_path / "config.toml").write_text(
        f'[spaces.notes]\npath = "{folder}"\nextensions = {extensions}\n[index]\nparse_timeout_s = 5\n'
    )
    with running(folder, NOTESD_CONFIG=str(tmp_path / "config.toml")) as daemon:
        daemon.ask("rescan", wait=True)
        daemon.until(lambda: {"bomb.pdf"} <= {one["path"] for one in daemon.ask("check")["problems"]})
        problems = {one["path"]: one["kind"] for one in daemon.ask("check")["problems"]}
        (folder / "Lamp.md").write_text("lantern\n")
        found = daemon.ask("search", query="lantern", wait=True, record=False)["results"]
        names = daemon.paths("bomb")

    assert [one["path"] for one in found] == ["Lamp.md"]
    assert names == ["bomb.pdf"]
    assert problems == {
        "bomb.pdf": "parse_failed",
        "encrypted.pdf": "encrypted",
        "scanned.pdf": "no_text",
        "broken.pdf": "unparsable",
        "circle.pdf": "unparsable",
        "deep.canvas": "unparsable",
        "small deep.canvas": "unparsable",
        "cut.ipynb": "unparsable",
        "list.ipynb": "unparsable",
        "aliases.base": "unparsable",
        "no text.log": "unparsable",
        "half.org": "not_utf8",
    }
