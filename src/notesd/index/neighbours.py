"""Which notes are linked with a note, by what kind of link, and how many are they?"""

import json
from collections.abc import Iterable, Sequence

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


def neighbours(reader: Reader, note_ids: Sequence[NoteId]) -> list[tuple[NoteId, Neighbour]]:
    """Every link of some notes with another note: outgoing ones first, in the order of the file.

    Up to ``MOST_LINKS`` of each note, each way. All are asked for at once, unless one of them is a hub: a
    statement for each note takes three times as long as the links themselves.
    """
    most = MOST_LINKS * len(note_ids)
    wanted = json.dumps(list(note_ids))
    ways = [reader.rows(sql, (wanted, most)) for sql in (_OUT, _BACK)]
    if any(len(rows) == most for rows in ways):
        ways = [
            [row for note in note_ids for row in reader.rows(sql, (json.dumps([note]), MOST_LINKS))]
            for sql in (_OUT, _BACK)
        ]
    found: dict[NoteId, list[Neighbour]] = {note: [] for note in note_ids}
    for rows, outgoing in zip(ways, (True, False), strict=True):
        counted = dict.fromkeys(note_ids, 0)
        for note, other, relation, embed in rows:
            counted[note] += 1
            if counted[note] <= MOST_LINKS:
                found[note].append(Neighbour(other, outgoing, relation, bool(embed)))
    return [(note, one) for note, every in found.items() for one in every]


# CROSS JOIN and INDEXED BY: one note after the other, each along its index (so outgoing links come by place),
# and LIMIT ends the work early; with ORDER BY all links of a hub would be sorted first.
_OUT = """SELECT source, entry, relation_folded, kind = 'embed' FROM json_each(?) AS wanted
    CROSS JOIN link INDEXED BY link_source ON source = wanted.value
    WHERE entry > 0 AND entry != source LIMIT ?"""
_BACK = """SELECT entry, source, relation_folded, kind = 'embed' FROM json_each(?) AS wanted
    CROSS JOIN link INDEXED BY link_entry ON entry = wanted.value WHERE source != entry LIMIT ?"""


class Standing(Struct, frozen=True, gc=False):
    """What has to be known of a note that links lead to."""

    path: NotePath
    degree: int
    """Number of notes it is linked with, counted up to ``MOST_LINKS`` links each way."""


def standings(reader: Reader, note_ids: Iterable[NoteId]) -> dict[NoteId, Standing]:
    """Path and degree of some notes, all at once: a statement for each would take three times as long."""

    def ask(some: list[NoteId]) -> dict[NoteId, Standing]:
        rows = reader.rows(_STANDINGS, (MOST_LINKS, MOST_LINKS, json.dumps(some)))
        return {NoteId(note): Standing(path, degree) for note, path, degree in rows}

    return reader.look_up("standing", note_ids, ask)


_STANDINGS = """SELECT note.id, note.path, (SELECT count(DISTINCT entry) FROM (
        SELECT * FROM (
            SELECT entry FROM link WHERE source = note.id AND entry > 0 AND entry != source LIMIT ?)
        UNION ALL SELECT * FROM (SELECT source FROM link WHERE entry = note.id AND source != entry LIMIT ?)))
    FROM json_each(?) AS wanted JOIN note ON note.id = wanted.value"""
