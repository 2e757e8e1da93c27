"""What connects a note with others: its links, what is linked with the same notes, who has its tags.

Everything here is bounded, so that a hub answers as quickly as a leaf, and comes in an order that a rebuild
of the index does not change.
"""

import json
from collections.abc import Collection, Iterable

import msgspec
from msgspec import Struct

from notesd.index.neighbours import MOST_LINKS, MOST_SORTED
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import Heading, NotePath, Observation
from notesd.parse.packing import unpacked_within

_headings = msgspec.msgpack.Decoder(tuple[Heading, ...])

MOST_TAGS = 40
"""Tags of one note that are looked at, the first in its file."""
MOST_HOLDERS = 1_000
"""A tag that more notes have says too little to be asked who they are."""


class Tie(Struct, frozen=True, gc=False):
    """A link between a note and another one."""

    note: NoteId
    """The other one."""
    outgoing: bool
    """The note asked about has the link."""
    relation: str | None
    """As written; None: a plain link."""
    embed: bool
    line: int
    """In the file of the note that has the link, from 1."""


def ties(reader: Reader, note_id: NoteId) -> list[Tie]:
    """Links with other notes: up to ``MOST_LINKS`` outgoing ones by place, as many incoming ones by path."""
    out = """SELECT entry, 1, relation, kind = 'embed', line FROM link
             WHERE source = ? AND entry > 0 AND entry != source ORDER BY place LIMIT ?"""
    back = """SELECT found.source, 0, found.relation, found.kind = 'embed', found.line FROM (
                  SELECT * FROM link WHERE entry = ? AND source != entry LIMIT ?) AS found
              JOIN note ON note.id = found.source ORDER BY note.path, found.place LIMIT ?"""
    rows = reader.rows(out, (note_id, MOST_LINKS))
    rows += reader.rows(back, (note_id, MOST_SORTED, MOST_LINKS))
    return [
        Tie(NoteId(n), bool(outgoing), relation, bool(e), line) for n, outgoing, relation, e, line in rows
    ]


def linked_with(reader: Reader, note_ids: Collection[NoteId]) -> dict[NoteId, list[NoteId]]:
    """For every note that is linked with some notes, whichever way: with which of them, in their order."""
    sql = """SELECT wanted.key, entry FROM json_each(?) AS wanted JOIN link ON source = wanted.value
             WHERE entry > 0 AND entry != source
             UNION SELECT wanted.key, source FROM json_each(?) AS wanted JOIN link ON entry = wanted.value
             WHERE source != entry ORDER BY 1"""
    found: dict[NoteId, list[NoteId]] = {}
    some = list(note_ids)
    listed = json.dumps(some)
    for place, note in reader.rows(sql, (listed, listed)):
        found.setdefault(NoteId(note), []).append(some[place])
    return found


def paths_of(reader: Reader, note_ids: Iterable[NoteId]) -> dict[NoteId, NotePath]:
    """Paths of some notes, all at once; those that are gone are left out."""
    sql = "SELECT note.id, note.path FROM json_each(?) AS wanted JOIN note ON note.id = wanted.value"
    return {NoteId(note): path for note, path in reader.rows(sql, (json.dumps(list(note_ids)),))}


def any_at_or_below(reader: Reader, path: str) -> bool:
    """Whether a path is a note, or a folder with notes in it."""
    sql = "SELECT 1 FROM note WHERE path = ? OR (path >= ? AND path < ?) LIMIT 1"
    return reader.row(sql, (path, path + "/", path + "0")) is not None


def own_tags(reader: Reader, note_id: NoteId) -> dict[str, str]:
    """The tags of a note and every parent of them: folded, and as written there."""
    sql = "SELECT folded, tag FROM tag WHERE note = ? ORDER BY place LIMIT ?"
    found: dict[str, str] = {}
    for folded, tag in reader.rows(sql, (note_id, MOST_TAGS)):
        parts, written = folded.split("/"), tag.split("/")
        for end in range(len(parts), 0, -1):
            found.setdefault("/".join(parts[:end]), "/".join(written[:end]))
    return found


def holders(reader: Reader, folded: str) -> list[NoteId] | None:
    """Notes with a tag or one below it; None when they are more than ``MOST_HOLDERS``."""
    sql = """SELECT note FROM tag WHERE folded = ? UNION
             SELECT note FROM tag WHERE folded >= ? AND folded < ? LIMIT ?"""
    rows = reader.rows(sql, (folded, folded + "/", folded + "0", MOST_HOLDERS + 1))
    return None if len(rows) > MOST_HOLDERS else [NoteId(row[0]) for row in rows]


def texts(
    reader: Reader, keys_: Iterable[str], most_bytes: int
) -> dict[str, tuple[tuple[Heading, ...], tuple[Observation, ...]]]:
    """Headings and passages of the notes with some keys that take up at most so many bytes, by key."""
    sql = """SELECT note.key, headings, packed FROM json_each(?) AS wanted
             JOIN note ON note.key = wanted.value JOIN observation ON observation.note = note.id
             WHERE length(headings) + length(packed) <= ?"""
    found = {}
    for key, headed, packed in reader.rows(sql, (json.dumps([*keys_]), most_bytes)):
        passages = unpacked_within(packed, most_bytes - len(headed))
        if passages is not None:
            found[key] = (_headings.decode(headed), passages)
    return found
