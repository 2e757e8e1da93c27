"""Notes found by words in a real index, and in which order."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from notesd.index import fulltext, index_files, notes
from notesd.index.filters import Filters, narrowing
from notesd.index.store import Store
from notesd.model import NotePath, Stamp
from notesd.parse.columns import columns_of
from notesd.parse.note import parse_note
from notesd.search import lexical
from notesd.search.query import parse_query


def indexed(folder: Path, texts: Mapping[str, str]) -> Store:
    """Return an index of some notes."""
    store = index_files.create(str(folder), fingerprint="f", stemmer="porter")
    with store.write() as writer:
        for path, text in texts.items():
            note = parse_note(text, NotePath(path))
            note_id, new = notes.put(writer, notes.Read(note, Stamp(0, 0, 0, 0, 0), racy=False, digest=b""))
            fulltext.put(writer, note_id, columns_of(note), new=new)
    return store


def ranked(store: Store, query: str, filters: Filters | None = None) -> list[str]:
    """Return the paths of what the words find, best first."""
    with store.read() as reader:
        found = lexical.recall(reader, parse_query(query), narrowing(filters) if filters else None, 100)
        order = found.rankings[0].notes
        stored = notes.stored(reader, order)
        return [stored[note].path for note in order]


TYPED = {
    "notion.md": "a notion, among many other words that make it a long and unlikely first result",
    "note.md": "note note note",
    "garden.md": "# Garden\nnote",
    "other.md": "garden of a notion",
}


@pytest.mark.parametrize(
    ("query", "first", "everything"),
    [
        ("noti", {"notion.md", "other.md"}, {"notion.md", "other.md", "note.md", "garden.md"}),
        ("garden noti", {"other.md"}, {"notion.md", "other.md", "note.md", "garden.md"}),
        ("note", {"note.md"}, {"note.md", "garden.md"}),
    ],
)
def test_words_that_begin_as_typed_come_first(
    tmp_path: Path, query: str, first: set[str], everything: set[str]
) -> None:
    """A "noti" may become "noting", which is "note" to the index: such notes come last, not first."""
    order = ranked(indexed(tmp_path, TYPED), query)
    assert set(order[: len(first)]) == first
    assert set(order) == everything


@pytest.mark.parametrize("folder", ["sub", "sub/", "/sub", "./sub", "./sub/"])
def test_a_folder_is_named_in_any_usual_way(tmp_path: Path, folder: str) -> None:
    """Slashes at the ends and a leading dot are how shells and people write it."""
    store = indexed(tmp_path, {"sub/a.md": "zebra", "subway/b.md": "zebra", "c.md": "zebra"})
    assert ranked(store, "zebra", Filters(folder=folder)) == ["sub/a.md"]
