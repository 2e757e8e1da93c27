"""Which notes are linked with a note, by what kind of link, and how many are they?"""

import json
from collections.abc import Iterable

from msgspec import Struct

from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import NotePath

MOST_LINKS = 200
"""Links of one note looked at, each way. A hub with more says next to nothing by one of them, and an
answer must not take longer because somebody keeps one."""


class Neighbour(Struct, frozen=True, gc=False):
    """The other end of a link."""

    note: NoteId
    outgoing: bool
    """The note asked about has the link; else the neighbour has it."""
    relation: str | None
    """As ``resolve.names.loose`` writes it; None: a plain link."""
    embed: bool


def neighbours(reader: Reader, note_id: NoteId) -> list[Neighbour]:
    """Every link with another note, outgoing ones first, in the order of the file."""
    out = """SELECT entry, 1, relation_folded, kind = 'embed' FROM link
             WHERE source = ? AND entry > 0 AND entry != source ORDER BY place LIMIT ?"""
    back = """SELECT source, 0, relation_folded, kind = 'embed' FROM link
              WHERE entry = ? AND source != entry LIMIT ?"""
    rows = [row for sql in (out, back) for row in reader.rows(sql, (note_id, MOST_LINKS))]
    return [Neighbour(NoteId(n), bool(outgoing), relation, bool(e)) for n, outgoing, relation, e in rows]


class Standing(Struct, frozen=True, gc=False):
    """What has to be known of a note that links lead to."""

    path: NotePath
    degree: int
    """Number of notes it is linked with, counted up to ``MOST_LINKS`` links each way."""


def standings(reader: Reader, note_ids: Iterable[NoteId]) -> dict[NoteId, Standing]:
    """Path and degree of some notes, all at once: a statement for each would take three times as long."""
    rows = reader.rows(_STANDINGS, (MOST_LINKS, MOST_LINKS, json.dumps(list(note_ids))))
    return {NoteId(note_id): Standing(path, degree) for note_id, path, degree in rows}


_STANDINGS = """SELECT note.id, note.path, (SELECT count(*) FROM (
        SELECT * FROM (
            SELECT entry FROM link WHERE source = note.id AND entry > 0 AND entry != source LIMIT ?)
        UNION SELECT * FROM (SELECT source FROM link WHERE entry = note.id AND source != entry LIMIT ?)))
    FROM json_each(?) AS wanted JOIN note ON note.id = wanted.value"""
