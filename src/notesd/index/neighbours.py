"""Which notes are linked with a note, by what kind of link, and how many are they?"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from notesd.index.notes import NoteId
from notesd.index.store import Reader

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


def degrees(reader: Reader, note_ids: Iterable[NoteId]) -> dict[NoteId, int]:
    """Number of notes that each of some notes is linked with, counted up to ``MOST_LINKS`` links each way."""
    found = {}
    for note_id in note_ids:
        values: Sequence[object] = (note_id, MOST_LINKS, note_id, MOST_LINKS)
        found[note_id] = int(reader.value(_DEGREE, values))
    return found


_DEGREE = """SELECT count(*) FROM (
    SELECT * FROM (SELECT entry FROM link WHERE source = ? AND entry > 0 AND entry != source LIMIT ?)
    UNION SELECT * FROM (SELECT source FROM link WHERE entry = ? AND source != entry LIMIT ?))"""
