"""What decides between notes that answer equally well."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from notesd.files.ignore import Ignore
from notesd.index import standing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.ingest.follow import Follower
from notesd.settings import Config

TEXTS = {
    "2031-02-01.md": "# A day\n",
    "Created.md": "---\ncreated: 2031-03-01\n---\n# Created\n\n[[Old]] [[Old]] [[2031-02-01]]\n",
    "Old.md": "---\naliases: [Ancient]\n---\n# Old\n\n[[Old]] itself\n",
    "b.md": "[[Old]]\n",
    "a.md": "nothing\n",
}


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """Some notes, all files of one time."""
    root = tmp_path / "notes"
    root.mkdir()
    for path, text in TEXTS.items():
        (root / path).write_text(text, encoding="utf-8")
        os.utime(root / path, (1_700_000_000, 1_700_000_000))
    follower = Follower(str(root), str(tmp_path / "state"), Ignore(()), Config())
    follower.open()
    follower.scan()
    assert follower.store is not None
    yield follower.store.peek()
    follower.close()


def paths(reader: Reader) -> dict[NoteId, str]:
    return {NoteId(row[0]): row[1] for row in reader.rows("SELECT id, path FROM note")}


def test_the_newest_is_told_by_its_name_then_its_front_matter_then_its_file(reader: Reader) -> None:
    """Equally new ones come by path."""
    path = paths(reader)
    places = standing.newest_first(reader, [*path])

    order = [path[note] for note in sorted(places, key=lambda note: places[note])]
    assert order == ["Created.md", "2031-02-01.md", "Old.md", "a.md", "b.md"]


def test_each_other_note_that_links_counts_once(reader: Reader) -> None:
    """A link of a note to itself says nothing."""
    path = paths(reader)

    links = {path[note]: number for note, number in standing.in_degrees(reader, [*path]).items()}
    assert links == {"Old.md": 2, "2031-02-01.md": 1}


def test_title_alias_and_file_are_names(reader: Reader) -> None:
    """A name as a whole, folded."""
    path = paths(reader)
    for name in ("ancient", "old"):
        assert [path[note] for note in standing.named_exactly(reader, name)] == ["Old.md"]
    assert standing.named_exactly(reader, "anci") == []
    (note,) = standing.named_exactly(reader, "a day")
    assert set(standing.names_of(reader, [note])[note]) == {"A day", "2031-02-01"}
