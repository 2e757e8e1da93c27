"""What does memory need to know of the stored vectors, all at once and bit by bit?"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from notesd.index.store import Reader
from notesd.index.vector_files import vec_of


class Place(NamedTuple):
    """A stored vector, without its numbers."""

    id: int
    """Never given to another vector of the same file."""
    note: str
    position: int
    words: int
    """Of the note's body."""
    language: str | None
    """Of the note."""


def line_of(reader: Reader, note: str, position: int) -> int:
    """Where a passage begins in its note's file, from 1; 0 when that is not known."""
    found = reader.value("SELECT line FROM passage WHERE note = ? AND position = ?", (note, position))
    return int(found or 0)


def changed_since(reader: Reader, generation: int) -> list[str] | None:
    """Notes that got, changed or lost vectors after a generation; None when that is not known any more."""
    if generation < (reader.meta("forgotten") or 0):
        return None
    return [row[0] for row in reader.rows("SELECT note FROM change WHERE generation > ?", (generation,))]


def places(reader: Reader, notes: Iterable[str] | None = None) -> Iterator[Place]:
    """Every stored vector by id, or those of some notes, note by note; to be read to the end."""
    sql = """SELECT p.id, p.note, p.position, e.words, e.language
             FROM passage p JOIN embedded e ON e.note = p.note {}
             ORDER BY p.id"""
    if notes is None:
        yield from map(Place._make, reader.each(sql.format("")))
    for note in notes or ():
        yield from map(Place._make, reader.rows(sql.format("WHERE p.note = ?"), (note,)))


def vectors_of(reader: Reader, ids: Iterable[int]) -> dict[int, bytes]:
    """Some vectors as float32, by id; those that are gone are left out."""
    # One by one: without MATCH, vec0 answers "rowid IN (...)" by reading every vector there is.
    sql = f"SELECT embedding FROM {vec_of(reader)} WHERE rowid = ?"
    return {each: row[0] for each in ids if (row := reader.row(sql, (each,)))}


def every_vector(reader: Reader) -> Iterator[tuple[int, bytes]]:
    """All vectors as ``(id, float32)``, as they lie in the file; to be read to the end."""
    rows: Iterator[tuple[int, bytes]] = reader.each(f"SELECT rowid, embedding FROM {vec_of(reader)}")
    return rows
