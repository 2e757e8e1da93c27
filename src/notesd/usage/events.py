"""Which searches were logged, what was opened after them, and which constants came of that?"""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from notesd.index.store import Reader, Row, Writer
from notesd.rank.route import Strategy
from notesd.rank.tune import REACCESS_S, Component, Event

Rows = tuple[list[Row], list[Row]]
MOST_EVENTS = 5_000
"""Logged searches kept for each space, some 15 MB; beyond, the oldest go."""


class _Candidates(Struct, frozen=True, array_like=True):
    held: int
    named: int
    components: tuple[Component, ...]


_pack = msgspec.msgpack.Encoder().encode
_candidates = msgspec.msgpack.Decoder(_Candidates)


class Log(Struct, frozen=True):
    """A search as it is about to be logged; notes by their stable keys."""

    mode: str
    blend: str
    strategy: Strategy
    treatment: bool
    held: int
    named: int
    notes: tuple[tuple[str, str], ...]
    """Key and path of each component, in the same order."""
    components: tuple[Component, ...]
    """Their ``note`` is not used."""


class Tuned(Struct, frozen=True):
    """Constants that were taken for one space."""

    gamma: float
    beta_sal: float
    at: float
    """Seconds since 1970."""
    why: str
    reverted: bool = False


def add(writer: Writer, space: int, log: Log, ids: Sequence[int], shown: Collection[int], at: float) -> None:
    """Log a search.

    Args:
        writer: The record.
        space: Row of the space.
        log: What there was to choose from.
        ids: Rows of its notes.
        shown: Rows of those that the user saw.
        at: Seconds since 1970.
    """
    rows = tuple(
        msgspec.structs.replace(one, note=note) for one, note in zip(log.components, ids, strict=True)
    )
    event = writer.insert(
        "INSERT INTO event (space, at, mode, blend, strategy, treatment, candidates) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            space,
            at,
            log.mode,
            log.blend,
            log.strategy,
            log.treatment,
            _pack(_Candidates(log.held, log.named, rows)),
        ),
    )
    writer.many("INSERT OR IGNORE INTO shown VALUES (?, ?, NULL)", [(event, note) for note in shown])
    surplus = int(writer.value("SELECT count(*) FROM event WHERE space = ?", (space,))) - MOST_EVENTS
    if surplus > 0:
        drop(writer, "SELECT id FROM event WHERE space = ? ORDER BY at, id LIMIT ?", (space, surplus))


def reaccess(writer: Writer, space: int, notes: Collection[int], at: float) -> None:
    """Notes were opened: the answers of the last day that showed them were right to."""
    sql = """UPDATE shown SET reaccessed = ? WHERE note = ? AND reaccessed IS NULL
             AND event IN (SELECT id FROM event WHERE space = ? AND at BETWEEN ? AND ?)"""
    writer.many(sql, [(at, note, space, at - REACCESS_S, at) for note in notes])


def drop(writer: Writer, which: str, args: Sequence[object]) -> int:
    """Forget logged searches; returns how many.

    Args:
        writer: The record.
        which: A SELECT of their rows.
        args: Its values.
    """
    rows = writer.rows(which, args)
    for table, column in (("shown", "event"), ("event", "id")):
        writer.many(f"DELETE FROM {table} WHERE {column} = ?", rows)
    return len(rows)


def with_note(reader: Reader, notes: Collection[int]) -> list[int]:
    """Logged searches in which one of some notes was a candidate, or that cannot be read any more."""
    found = []
    for event, packed in reader.each("SELECT id, candidates FROM event"):
        known = _read(packed)
        if known is None or any(one.note in notes for one in known.components):
            found.append(event)
    return found


def candidates(reader: Reader) -> set[int]:
    """Every note that any logged search names."""
    rows = (_read(packed) for (packed,) in reader.each("SELECT candidates FROM event"))
    return {one.note for known in rows if known for one in known.components}


def _read(packed: bytes) -> _Candidates | None:
    """What was logged; None: it is damaged, and one search less."""
    try:
        return _candidates.decode(packed)
    except msgspec.DecodeError:
        return None


def logged(reader: Reader, space: str) -> Rows:
    """Every logged search of a space, oldest first, and what was opened after any; for ``events``."""
    sql = """SELECT event.id, treatment, strategy, blend, candidates FROM space
             JOIN event ON event.space = space.id WHERE space.key = ? ORDER BY at, event.id"""
    opened = "SELECT event, note FROM shown WHERE reaccessed IS NOT NULL"
    return reader.rows(sql, (space,)), reader.rows(opened)


def events(rows: Rows) -> list[Event]:
    """Make searches of what ``logged`` has read; this takes a moment, and needs no file."""
    opened: dict[int, set[int]] = {}
    for event, note in rows[1]:
        opened.setdefault(event, set()).add(note)
    found = []
    for event, treatment, strategy, blend, packed in rows[0]:
        known = _read(packed)
        if known is None:
            continue
        chosen = frozenset(opened.get(event, ()))
        held, named, components = known.held, known.named, known.components
        found.append(Event(bool(treatment), strategy, blend, held, named, components, chosen))
    return found


def tuned(reader: Reader, space: str) -> list[Tuned]:
    """The constants that were ever taken for a space, oldest first; the last not reverted is in force."""
    sql = """SELECT gamma, beta_sal, at, why, reverted IS NOT NULL FROM space
             JOIN tuned ON tuned.space = space.id WHERE space.key = ? ORDER BY tuned.id"""
    return [Tuned(g, b, at, why, bool(gone)) for g, b, at, why, gone in reader.rows(sql, (space,))]


def take(writer: Writer, space: int, constants: Tuned) -> None:
    """Take constants for a space."""
    values = (space, constants.at, constants.gamma, constants.beta_sal, constants.why)
    writer.run("INSERT INTO tuned (space, at, gamma, beta_sal, why) VALUES (?, ?, ?, ?, ?)", values)


def revert(writer: Writer, space: int, at: float) -> bool:
    """Go back one step; False: there is none to go back."""
    row: Any = writer.value("SELECT max(id) FROM tuned WHERE space = ? AND reverted IS NULL", (space,))
    if row is None:
        return False
    writer.run("UPDATE tuned SET reverted = ? WHERE id = ?", (at, row))
    return True
