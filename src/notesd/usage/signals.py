"""How often was each note shown or opened, when last, and with which others?

Everything here runs inside a transaction or a reading of ``usage.record``, and all SQL on notes and pairs
of the record stands here.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from notesd.index.store import Reader, Writer
from notesd.model import NotePath

MOST_PAIRS = 300_000
"""Pairs kept, about 12 MB; beyond, the ones unused for longest go."""
MOST_NOTES = 200_000
_KEPT = 0.9
"""Share of a limit to which a table is cut when it grows beyond."""
PAIRED = 20
"""So many first notes of an answer count as seen together: nobody looks through two hundred pairs of more."""
SITTING_S = 600.0
"""Notes opened within so many seconds are opened together."""
SITTING_NOTES = 10


class Trace(Struct, frozen=True, gc=False):
    """A note, and by what an index that starts anew knows it again."""

    key: str
    path: NotePath
    digest: bytes | None = None
    stable_key: str | None = None


class Opening(Struct, frozen=True, gc=False):
    """What is known of one note."""

    opened: int
    """Times."""
    opened_at: float
    """Seconds since 1970; 0: never."""


class Company(Struct, frozen=True, gc=False):
    """What is known of two notes."""

    count: int
    """Times shown or opened together."""
    last: float
    """Seconds since 1970; so too for the last."""
    opened: int = 0
    """Times opened together, of these."""
    opened_last: float = 0.0


def space_id(writer: Writer, key: str) -> int:
    """Row of a space, made when missing."""
    row = writer.row("SELECT id FROM space WHERE key = ?", (key,))
    if row:
        return int(row[0])
    return writer.insert("INSERT INTO space (key, name, root) VALUES (?, '', '')", (key,))


def note_ids(writer: Writer, space: int, notes: Iterable[tuple[str, str]]) -> list[int]:
    """Rows of some notes, given by key and path, made when missing; the path of others is ``retrace``'s."""
    sql = """INSERT INTO note (space, key, path) VALUES (?, ?, ?)
             ON CONFLICT (space, key) DO UPDATE SET key = excluded.key RETURNING id"""
    return [int(writer.rows(sql, (space, key, path))[0][0]) for key, path in notes]


def add_shown(writer: Writer, notes: Sequence[int], at: float) -> None:
    """Count notes that one answer showed, best first."""
    sql = "UPDATE note SET shown = shown + 1, shown_at = max(shown_at, ?) WHERE id = ?"
    writer.many(sql, [(at, note) for note in notes])
    _pair(writer, notes[:PAIRED], at, opened=0)


def add_opened(writer: Writer, space: int, notes: Sequence[int], at: float) -> list[str]:
    """Count notes that were opened at once; those of the same sitting were opened together with them.

    Returns:
        The keys of the latter.
    """
    before = writer.rows(
        "SELECT id, key FROM note WHERE space = ? AND opened > 0 AND opened_at BETWEEN ? AND ? "
        "ORDER BY opened_at DESC, id LIMIT ?",
        (space, at - SITTING_S, at, SITTING_NOTES),
    )
    sql = "UPDATE note SET opened = opened + 1, opened_at = ? WHERE id = ?"
    writer.many(sql, [(at, note) for note in notes])
    together = list(dict.fromkeys(notes))[:PAIRED]
    _pair(writer, together, at, opened=1)
    earlier = {row: key for row, key in before if row not in together}
    _put_pairs(writer, [(a, b) for a in together for b in earlier], at, opened=1)
    return list(earlier.values())


def _pair(writer: Writer, notes: Sequence[int], at: float, *, opened: int) -> None:
    notes = list(dict.fromkeys(notes))
    pairs = [(a, b) for place, a in enumerate(notes) for b in notes[:place]]
    _put_pairs(writer, pairs, at, opened=opened)


def _put_pairs(writer: Writer, pairs: Iterable[tuple[int, int]], at: float, *, opened: int) -> None:
    sql = """INSERT INTO pair VALUES (?, ?, 1, ?, ?, ?) ON CONFLICT (a, b) DO UPDATE SET
             count = count + 1, last = excluded.last, opened = opened + excluded.opened,
             opened_last = CASE WHEN excluded.opened THEN excluded.opened_last ELSE opened_last END"""
    rows = [(min(a, b), max(a, b), at, opened, at * opened) for a, b in pairs if a != b]
    writer.many(sql, rows)


def notice_future(writer: Writer, now: float) -> None:
    """Remember since when there are times later than now: a clock was wrong, and they age from then on."""
    noticed = writer.meta("future_since")
    if any(writer.value(sql, (now,)) for sql in _LATER):
        if noticed is None or noticed > now:
            writer.set_meta("future_since", now)
    elif noticed is not None:
        writer.run("DELETE FROM meta WHERE key = 'future_since'")


_LATER = (
    "SELECT EXISTS (SELECT 1 FROM note WHERE opened > 0 AND opened_at > ?)",
    "SELECT EXISTS (SELECT 1 FROM pair WHERE last > ?)",
)


def _believed(reader: Reader, now: float) -> Callable[[float], float]:
    """What a recorded time counts as; no clock is trusted that says a time to come."""
    noticed = reader.meta("future_since")
    counts_as = now if noticed is None else min(now, noticed)
    return lambda at: at if at <= now else counts_as


def openings(reader: Reader, space: str, now: float) -> dict[str, Opening]:
    """What is known of the notes of a space that were ever opened, by key."""
    sql = """SELECT note.key, opened, opened_at FROM space JOIN note ON note.space = space.id
             WHERE space.key = ? AND opened > 0"""
    believed = _believed(reader, now)
    return {key: Opening(opened, believed(at)) for key, opened, at in reader.rows(sql, (space,))}


def companions(reader: Reader, space: str, key: str, now: float, limit: int = -1) -> dict[str, Company]:
    """The notes used together with one, most often first, by key; -1: all."""
    sql = """SELECT other.key, count, last, together.opened, opened_last FROM (
                 SELECT b AS id, count, last, opened, opened_last FROM pair WHERE a = ?1
                 UNION ALL SELECT a, count, last, opened, opened_last FROM pair WHERE b = ?1
             ) AS together JOIN note AS other ON other.id = together.id
             ORDER BY count DESC, last DESC, other.key LIMIT ?2"""
    row = reader.row(
        "SELECT note.id FROM space JOIN note ON note.space = space.id WHERE space.key = ? AND note.key = ?",
        (space, key),
    )
    if row is None:
        return {}
    believed = _believed(reader, now)
    return {
        other: Company(count, believed(last), opened, believed(opened_last))
        for other, count, last, opened, opened_last in reader.rows(sql, (row[0], limit))
    }


def traces(reader: Reader, space: str) -> list[Trace]:
    """Every note of a space that anything is known of, as it was when it was last looked at."""
    sql = """SELECT note.key, path, digest, stable_key FROM space JOIN note ON note.space = space.id
             WHERE space.key = ? ORDER BY note.key"""
    return [Trace(*row) for row in reader.rows(sql, (space,))]


def knows_any(reader: Reader, space: str) -> bool:
    """Whether anything is known of a space."""
    sql = "SELECT 1 FROM space JOIN note ON note.space = space.id WHERE space.key = ? LIMIT 1"
    return reader.row(sql, (space,)) is not None


def retrace(writer: Writer, space: str, found: Iterable[Trace]) -> None:
    """Remember where notes are now and what they look like; those that nothing is known of stay unknown."""
    sql = """UPDATE note SET path = ?, digest = ?, stable_key = ?
             WHERE key = ? AND space = (SELECT id FROM space WHERE key = ?)"""
    writer.many(sql, [(one.path, one.digest, one.stable_key, one.key, space) for one in found])


def name_space(writer: Writer, key: str, name: str, root: str, left: Collection[str]) -> None:
    """Remember how a space is called; one whose folder was moved takes its record along.

    Args:
        writer: The record.
        key: Of the space.
        name: How it is configured.
        root: Its folder.
        left: Folders of recorded spaces that are not there any more, or are this one by another path.
    """
    if writer.row("SELECT 1 FROM space WHERE key = ?", (key,)) is None:
        old = writer.rows("SELECT id, root FROM space WHERE name = ? ORDER BY id DESC", (name,))
        for row_id, was in old:
            if was in left:
                writer.run("UPDATE space SET key = ? WHERE id = ?", (key, row_id))
                break
    row_id = space_id(writer, key)
    writer.run("UPDATE space SET name = ?, root = ? WHERE id = ? AND (name, root) != (?, ?)",
               (name, root, row_id, name, root))  # fmt: skip


def roots(reader: Reader) -> list[str]:
    """Folder of every recorded space."""
    return [row[0] for row in reader.rows("SELECT root FROM space WHERE root != ''")]


def spaces_named(reader: Reader, name: str) -> list[str]:
    """Keys of the recorded spaces of some name."""
    return [row[0] for row in reader.rows("SELECT key FROM space WHERE name = ? ORDER BY id", (name,))]


def counts(reader: Reader) -> Mapping[str, int]:
    """Notes, notes ever opened, pairs and logged searches."""
    sql = """SELECT (SELECT count(*) FROM note), (SELECT count(*) FROM note WHERE opened > 0),
             (SELECT count(*) FROM pair), (SELECT count(*) FROM event)"""
    return dict(zip(("notes", "opened", "pairs", "searches"), reader.rows(sql)[0], strict=True))


def shrink(writer: Writer) -> bool:
    """Let go of what was not used for longest where there is too much; says whether there was."""
    pairs = int(writer.value("SELECT count(*) FROM pair"))
    if pairs > MOST_PAIRS:
        writer.run(
            "DELETE FROM pair WHERE (a, b) IN (SELECT a, b FROM pair ORDER BY last, a, b LIMIT ?)",
            (pairs - int(MOST_PAIRS * _KEPT),),
        )
    notes = int(writer.value("SELECT count(*) FROM note"))
    if notes > MOST_NOTES:
        rows = writer.rows(
            "SELECT id FROM note ORDER BY max(shown_at, opened_at), id LIMIT ?",
            (notes - int(MOST_NOTES * _KEPT),),
        )
        drop_notes(writer, [row[0] for row in rows])
    return pairs > MOST_PAIRS or notes > MOST_NOTES


def drop_notes(writer: Writer, notes: Sequence[int]) -> None:
    """Forget notes and all that hangs on them but logged searches."""
    ids = json.dumps(list(notes))
    for table, column in (("note", "id"), ("pair", "a"), ("pair", "b"), ("shown", "note")):
        writer.run(f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (ids,))
