"""What stands in some notes? Read for several of them at once, as a page of hits needs it."""

import json
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import Heading, Observation
from notesd.parse.packing import unpacked

_headings = msgspec.msgpack.Decoder(tuple[Heading, ...])

_SOME = "(SELECT value FROM json_each(?))"


class Body(Struct, frozen=True):
    """What stands in a note, unpacked only when it is wanted."""

    tags: Sequence[str]
    """In the order of the file."""
    language: str | None
    """The note's own, None where it cannot be told."""
    _passages: bytes | None
    _titles: bytes

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Passages in the order of the file."""
        return unpacked(self._passages)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Headings in the order of the file."""
        return _headings.decode(self._titles)


def bodies(reader: Reader, note_ids: Sequence[NoteId]) -> dict[NoteId, Body]:
    """What stands in some notes; those that are gone are left out."""
    some = (json.dumps([*note_ids]),)
    tags: dict[int, list[str]] = {}
    for note, tag in reader.rows(
        f"SELECT note, tag FROM tag WHERE note IN {_SOME} ORDER BY note, place", some
    ):
        tags.setdefault(note, []).append(tag)
    sql = f"""SELECT id, language, packed, headings FROM note
              LEFT JOIN observation ON observation.note = id LEFT JOIN spoken ON spoken.note = id
              WHERE id IN {_SOME}"""
    return {NoteId(row[0]): Body(tags.get(row[0], ()), *row[1:]) for row in reader.rows(sql, some)}
