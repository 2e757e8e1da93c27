"""What does memory need to know of the stored vectors, all at once and bit by bit?"""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from notesd.errors import StoreCorrupt
from notesd.index.store import Reader
from notesd.index.vector_files import vec_of

Kind = Literal["passages", "headings"]
"""What vectors are of; the positions of headings are below 0."""
_OF: Final[dict[Kind, str]] = {"passages": "p.position >= 0", "headings": "p.position < 0"}


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


def sum_of(vector: bytes) -> int:
    """What is kept beside a vector, to tell whether it still is what was stored."""
    return zlib.crc32(vector)


def line_of(reader: Reader, note: str, position: int) -> int:
    """Where a passage begins in its note's file, from 1; 0 when that is not known."""
    found = reader.value("SELECT line FROM passage WHERE note = ? AND position = ?", (note, position))
    return int(found or 0)


def changed_since(reader: Reader, generation: int) -> list[str] | None:
    """Notes that got, changed or lost vectors after a generation; None when that is not known any more."""
    if generation < (reader.meta("forgotten") or 0):
        return None
    return [row[0] for row in reader.rows("SELECT note FROM change WHERE generation > ?", (generation,))]


def places(reader: Reader, kind: Kind, notes: Iterable[str] | None = None) -> Iterator[Place]:
    """Every stored vector of a kind by id, or those of some notes, note by note; to be read to the end."""
    sql = f"""SELECT p.id, p.note, p.position, e.words, e.language
             FROM passage p JOIN embedded e ON e.note = p.note WHERE {_OF[kind]} {{}}
             ORDER BY p.id"""
    if notes is None:
        yield from map(Place._make, reader.each(sql.format("")))
    for note in notes or ():
        yield from map(Place._make, reader.rows(sql.format("AND p.note = ?"), (note,)))


def vectors_of(reader: Reader, ids: Iterable[int]) -> dict[int, bytes]:
    """Some vectors as float32, by id; those that are gone are left out.

    Raises:
        StoreCorrupt: One is not what was stored.
    """
    # One by one: without MATCH, vec0 answers "rowid IN (...)" by reading every vector there is.
    sql = f"""SELECT sum, embedding FROM passage LEFT JOIN {vec_of(reader)} v ON v.rowid = passage.id
              WHERE passage.id = ?"""
    found = {}
    for each in ids:
        if row := reader.row(sql, (each,)):
            found[each] = _sound(*row)
    return found


def every_vector(reader: Reader, kind: Kind | None = None) -> Iterator[tuple[int, bytes]]:
    """All vectors, or all of a kind, as ``(id, float32)``, as they lie in the file; to be read to the end.

    Raises:
        StoreCorrupt: One is not what was stored, or there are more or fewer than passages.
    """
    which = f"WHERE {_OF[kind]}" if kind else ""
    sql = f"""SELECT v.rowid, p.sum, v.embedding FROM {vec_of(reader)} v LEFT JOIN passage p ON p.id = v.rowid
              {which}"""
    number = 0
    for each, known, vector in reader.each(sql):
        number += 1
        yield each, _sound(known, vector)
    passages = reader.value(f"SELECT count(*) FROM passage p {which}")
    if number != passages:
        raise _unsound(f"there are {passages} passages and {number} vectors")


def _sound(known: int | None, vector: bytes | None) -> bytes:
    if vector is None or known != sum_of(vector):
        raise _unsound("a vector is not what was stored")
    return vector


def _unsound(why: str) -> StoreCorrupt:
    return StoreCorrupt(f"the vectors are damaged ({why}); they are made anew", why=why, sure=True)
