"""Which notes are linked with a note, by what kind of link, and how many are they?"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import NotePath

MOST_LINKS = 200
"""Links of one note looked at, each way. A hub with more says next to nothing by one of them, and an
answer must not take longer because somebody keeps one."""
MOST_SORTED = 20_000
"""Links to one note that are sorted by path, to take the first ones."""


class Neighbour(Struct, frozen=True, gc=False):
    """The other end of a link."""

    note: NoteId
    outgoing: bool
    """The note asked about has the link; else the neighbour has it."""
    relation: str | None
    """As ``resolve.names.loose`` writes it; None: a plain link."""
    embed: bool


class Followed(Struct, frozen=True, gc=False):
    """Which links count, by the relations they have."""

    only: tuple[str, ...] = ()
    """Loose names of relations; empty: all links."""
    never: tuple[str, ...] = ()
    """Loose names of relations, or ``EMBED``."""


ALL = Followed()
EMBED = "embed"
"""What an embed without a relation is called where relations are told apart."""


def neighbours(
    reader: Reader, note_ids: Sequence[NoteId], followed: Followed = ALL
) -> list[tuple[NoteId, Neighbour]]:
    """Every link of some notes with another note: outgoing ones first, in the order of the file.

    Up to ``MOST_LINKS`` of each note, each way; of more links to one note those from the first paths. All are
    asked for at once, and hubs again: a statement for each note takes three times as long as the links.
    """
    where, values = _narrowed(followed)
    most = MOST_LINKS * len(note_ids)
    listed = json.dumps(list(note_ids))
    found: dict[NoteId, list[Neighbour]] = {note: [] for note in note_ids}
    for joined, alone, outgoing in ((_OUT, _OUT_OF_HUB, True), (_BACK, _BACK_TO_HUB, False)):
        rows = reader.rows(joined.format(where), (listed, *values, most + 1))
        many = [note for note, count in Counter(row[0] for row in rows).items() if count > MOST_LINKS]
        hubs = note_ids if len(rows) > most else many
        rows = [row for row in rows if row[0] not in hubs] if hubs else rows
        for hub in hubs:
            rows += reader.rows(alone.format(where), (hub, *values, MOST_LINKS))
        for note, other, relation, embed in rows:
            found[note].append(Neighbour(other, outgoing, relation, bool(embed)))
    return [(note, one) for note, every in found.items() for one in every]


def _narrowed(followed: Followed) -> tuple[str, list[str]]:
    """The condition on a link, and its values."""
    where, values = "", []
    if followed.only:
        where += " AND relation_folded IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(followed.only))
    if followed.never:
        name = f"coalesce(relation_folded, CASE kind WHEN 'embed' THEN '{EMBED}' ELSE '' END)"
        where += f" AND {name} NOT IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(followed.never))
    return where, values


# CROSS JOIN and INDEXED BY: one note after the other, each along its index (so outgoing links come by place),
# and LIMIT ends the work early; with ORDER BY all links of a hub would be sorted first.
_OUT = """SELECT source, entry, relation_folded, kind = 'embed' FROM json_each(?) AS wanted
    CROSS JOIN link INDEXED BY link_source ON source = wanted.value
    WHERE entry > 0 AND entry != source{} LIMIT ?"""
_OUT_OF_HUB = """SELECT source, entry, relation_folded, kind = 'embed' FROM link INDEXED BY link_source
    WHERE source = ? AND entry > 0 AND entry != source{} ORDER BY place LIMIT ?"""
_BACK = """SELECT entry, source, relation_folded, kind = 'embed' FROM json_each(?) AS wanted
    CROSS JOIN link INDEXED BY link_entry ON entry = wanted.value WHERE source != entry{} LIMIT ?"""
_BACK_TO_HUB = f"""SELECT some.entry, some.source, some.relation_folded, some.embed FROM (
        SELECT entry, source, relation_folded, kind = 'embed' AS embed, place FROM link INDEXED BY link_entry
        WHERE entry = ? AND source != entry{{}} LIMIT {MOST_SORTED}) AS some
    JOIN note ON note.id = some.source ORDER BY note.path, some.place LIMIT ?"""


class Standing(Struct, frozen=True, gc=False):
    """What has to be known of a note that links lead to."""

    path: NotePath
    degree: int
    """Number of notes it is linked with, counted up to ``MOST_LINKS`` links each way; of so many links to it
    each counts as another note."""


def standings(reader: Reader, note_ids: Iterable[NoteId]) -> dict[NoteId, Standing]:
    """Path and degree of some notes, all at once: a statement for each would take three times as long."""

    def ask(some: list[NoteId]) -> dict[NoteId, Standing]:
        rows = reader.rows(_STANDINGS, (json.dumps(some),))
        return {NoteId(note): Standing(path, degree) for note, path, degree in rows}

    return reader.look_up("standing", note_ids, ask)


_OUT_ENDS = f"""SELECT entry FROM link
    WHERE source = note.id AND entry > 0 AND entry != source LIMIT {MOST_LINKS}"""
_BACK_ENDS = f"SELECT source FROM link WHERE entry = note.id AND source != entry LIMIT {MOST_LINKS}"
_EITHER = f"SELECT * FROM ({_OUT_ENDS}) UNION ALL SELECT * FROM ({_BACK_ENDS})"
# Which links are cut off is not the same in every index, how many are left is.
_STANDINGS = f"""SELECT note.id, note.path, CASE WHEN (SELECT count(*) FROM ({_BACK_ENDS})) < {MOST_LINKS}
    THEN (SELECT count(DISTINCT entry) FROM ({_EITHER}))
    ELSE {MOST_LINKS} + (SELECT count(DISTINCT entry) FROM ({_OUT_ENDS})) END
    FROM json_each(?) AS wanted JOIN note ON note.id = wanted.value"""
