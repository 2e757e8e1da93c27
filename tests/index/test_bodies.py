"""What stands in several notes is read at once, and each gets its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from notesd.errors import StoreCorrupt
from notesd.index import around, fulltext, index_files, notes
from notesd.index.bodies import bodies
from notesd.index.filters import Filters, narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader, Store
from notesd.model import NotePath, Stamp
from notesd.parse.columns import columns_of
from notesd.parse.note import parse_note

TEXTS = {
    "tagged.md": "# Newts\n#zebra and #animal/newt, #able\n\n## Eggs\nmany\n",
    "plain.md": "nothing but words\n",
    "empty.md": "",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An index of three notes."""
    store = index_files.create(str(tmp_path), fingerprint="f", stemmer="en")
    with store.write() as writer:
        for path, text in TEXTS.items():
            note = parse_note(text, NotePath(path))
            read = notes.Read(note, Stamp(0, 0, 0, 0, 0), racy=False, digest=b"")
            note_id = notes.put(writer, read, None)
            fulltext.put(writer, {note_id: fulltext.Words(columns_of(note, ("en",)), new=True)})
    return store


@pytest.fixture
def reader(store: Store) -> Iterator[Reader]:
    with store.read() as reader:
        yield reader


def test_notes_read_together_are_those_read_one_by_one(reader: Reader) -> None:
    """Tags and passages in the order of the file; a note that is gone is left out."""
    ids = [NoteId(row[0]) for row in reader.rows("SELECT id FROM note")]

    found = bodies(reader, [*reversed(ids), NoteId(99)])

    assert set(found) == set(ids)
    for note, body in found.items():
        assert tuple(body.tags) == notes.tags(reader, note)
        assert body.observations == notes.observations(reader, note)
        assert body.headings == notes.headings(reader, note)
    assert [list(body.tags) for body in found.values() if body.tags] == [["zebra", "animal/newt", "able"]]


def test_what_is_counted_once_is_counted_anew_after_a_change(store: Store) -> None:
    """How many notes hold a word, and in which languages, is known of one state of the folder alone."""
    with store.read() as reader:
        assert fulltext.holders(reader, '"word"') == 1
        assert fulltext.holders(reader, '"word"') == 1
        assert fulltext.rarity(reader, ['"word"']).notes == 3
        assert fulltext.languages_of(reader, "squid", ["en", "es"]) == []
        assert fulltext.held(reader, ["words", "wordy", "newts"]) == {"words", "newts"}
    with store.write() as writer:
        note = parse_note("more words, and a squid of the sea", NotePath("new.md"))
        read = notes.Read(note, Stamp(0, 0, 0, 0, 0), racy=False, digest=b"")
        note_id = notes.put(writer, read, None)
        fulltext.put(writer, {note_id: fulltext.Words(columns_of(note, ("en",)), new=True)})
    with store.read() as reader:
        assert fulltext.holders(reader, '"word"') == 2
        assert fulltext.rarity(reader, ['"word"']).notes == 4
        assert fulltext.languages_of(reader, "squid", ["en", "es"]) == ["en"]
        assert fulltext.held(reader, ["words", "wordy"]) == {"words"}


def test_as_many_notes_may_be_asked_about_as_there_are(reader: Reader) -> None:
    """A page far down an answer asks about all notes before it."""
    few, many = [NoteId(at) for at in range(1, 4)], [NoteId(at) for at in range(1, 70_000)]
    some = fulltext.matching(reader, '"word" OR "newt"', few)
    assert len(some) == 2
    assert fulltext.matching(reader, '"word" OR "newt"', many) == some
    assert fulltext.writing(reader, '"words" OR "newts"', many) == some
    held = fulltext.columns_holding(reader, '"word"', few)
    assert held
    assert fulltext.columns_holding(reader, '"word"', many) == held
    assert set(notes.among(reader, many, narrowing(Filters(matches=('"word" OR "newt"',))))) == some
    assert set(bodies(reader, many)) == set(few)


def test_a_note_counts_with_what_it_says_however_small_it_lies_here(store: Store) -> None:
    """Notes compared whole are no larger than they may be, be it the same line a thousand times."""
    with store.write() as writer:
        note = parse_note("\n\n".join(["an error in a module"] * 1_000), NotePath("log.md"))
        notes.put(writer, notes.Read(note, Stamp(0, 0, 0, 0, 0), racy=False, digest=b""), None)
    with store.read() as reader:
        keys = [row[0] for row in reader.rows("SELECT key FROM note")]
        lies_in = reader.value("SELECT sum(length(packed)) FROM observation")

        assert lies_in < 10_000
        assert len(around.texts(reader, keys, 10_000)) == len(keys) - 1
        assert len(around.texts(reader, keys, 1_000_000)) == len(keys)


def test_damaged_passages_are_damage_of_the_index(store: Store) -> None:
    """A row that no passages can be read from is no fault of the note or of the question."""
    with store.write() as writer:
        writer.run("UPDATE observation SET packed = zeroblob(length(packed)) WHERE note = 1")
    with pytest.raises(StoreCorrupt) as error, store.read() as reader:
        notes.observations(reader, notes.NoteId(1))

    assert error.value.data["sure"]
