"""How is use forgotten, and how is it proved that it is?"""

import contextlib
import json
import os
from collections.abc import Collection, Sequence

from msgspec import Struct

from notesd.errors import Busy
from notesd.index.store import Reader, Store, Writer, delete_files, translated
from notesd.usage import events, signals
from notesd.usage.file import aside

_CHUNK = 1 << 20
_SHORTEST = 4
"""Bytes of a name that can be looked for; a shorter one stands in any file by chance."""
_TEXTS = (
    "SELECT key, path FROM note", "SELECT key, name, root FROM space", "SELECT why FROM tuned",
    "SELECT mode, blend, strategy FROM event", "SELECT key, CAST(value AS TEXT) FROM meta",
    "SELECT name, sql FROM sqlite_schema",
)  # fmt: skip
"""Every text that may stay."""


class Scope(Struct, frozen=True):
    """What is meant; a note has to fit all of it."""

    space: str | None = None
    """Key of a space; None: every space."""
    keys: frozenset[str] | None = None
    """Keys of notes; None: every note."""
    before: float | None = None
    """Last used before then, seconds since 1970; None: whenever."""
    kept: frozenset[str] = frozenset()
    """Keys of spaces whose names stay, because they are in use."""


class Forgotten(Struct, frozen=True):
    """What was erased, and what is left of it."""

    notes: int
    pairs: int
    searches: int
    copies: int
    """Damaged records that had been moved aside and could have held it too."""
    left: int
    """Notes that were meant and are still there: 0."""
    proved: bool
    """No byte of the file holds the key or path of an erased note any more. What stands in a text that stays
    (``a.md`` in ``data.md``) is not looked for, nor names of less than 4 bytes."""


def forget(store: Store, scope: Scope) -> Forgotten:
    """Erase the record of use of some notes, and look for what is left.

    Raises:
        StoreError: It cannot be written; nothing was erased.
    """
    with store.write() as writer:
        meant = _meant(writer, scope)
        rows = json.dumps([row for row, _, _ in meant])
        pairs = writer.run(_PAIRS_OF, (rows, rows))
        if scope.before is not None and scope.keys is None:
            pairs += writer.run(f"{_OLD_PAIRS} {_IN_SPACE}", (scope.before, scope.space, scope.space))
        searches = _drop_searches(writer, scope, [row for row, _, _ in meant])
        signals.drop_notes(writer, [row for row, _, _ in meant])
        if scope.before is not None:
            signals.drop_notes(writer, _only_candidates(writer))
        if scope.keys is None and scope.before is None:
            writer.run(_TUNED, (scope.space, scope.space))
            gone = json.dumps(sorted(scope.kept))
            writer.run(_SPACES, (gone, scope.space))
    with contextlib.suppress(Busy):  # somebody else reads it: the proof will tell
        with translated(store.path):
            store.peek().rows("VACUUM")
        store.harden()
    copies = aside(store.path)
    for copy in copies:
        delete_files(copy)
    left = len(_meant(store.peek(), scope))
    words = {text for _, key, path in meant for text in (key, path)}
    return Forgotten(len(meant), pairs, searches, len(copies), left, not left and _absent(store, words))


_MEANT = """SELECT id, key, path FROM note
            WHERE (?1 IS NULL OR space IN (SELECT id FROM space WHERE key = ?1))
            AND (?2 IS NULL OR key IN (SELECT value FROM json_each(?2)))
            AND (?3 IS NULL OR (shown + opened > 0 AND max(shown_at, opened_at) < ?3))"""
_PAIRS_OF = """DELETE FROM pair WHERE a IN (SELECT value FROM json_each(?))
               OR b IN (SELECT value FROM json_each(?))"""
_OLD_PAIRS = "DELETE FROM pair WHERE last < ?"
_IN_SPACE = """AND (? IS NULL OR a IN (SELECT note.id FROM note JOIN space ON space.id = note.space
               WHERE space.key = ?))"""
_TUNED = "DELETE FROM tuned WHERE ? IS NULL OR space IN (SELECT id FROM space WHERE key = ?)"
_SPACES = """DELETE FROM space WHERE key NOT IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR key = ?2)
             AND id NOT IN (SELECT space FROM note)"""
_SEARCHES = """SELECT id FROM event WHERE (?1 IS NULL OR space IN (SELECT id FROM space WHERE key = ?1))
               AND (?2 IS NULL OR at < ?2)"""


def _meant(reader: Reader, scope: Scope) -> list[tuple[int, str, str]]:
    """Row, key and path of each note that is meant."""
    keys = None if scope.keys is None else json.dumps(sorted(scope.keys))
    return [(row, key, path) for row, key, path in reader.rows(_MEANT, (scope.space, keys, scope.before))]


def _only_candidates(writer: Writer) -> list[int]:
    """Notes that were never shown or opened, and that no logged search names any more."""
    named = events.candidates(writer)
    rows = writer.rows("SELECT id FROM note WHERE shown + opened = 0")
    return [row for (row,) in rows if row not in named]


def _drop_searches(writer: Writer, scope: Scope, notes: Sequence[int]) -> int:
    """Forget logged searches: those in which a note that goes was a candidate, and those that are meant."""
    found = set(events.with_note(writer, set(notes))) if notes else set()
    if scope.keys is None:
        found |= {row[0] for row in writer.rows(_SEARCHES, (scope.space, scope.before))}
    return events.drop(writer, "SELECT value FROM json_each(?)", (json.dumps(sorted(found)),))


def _absent(store: Store, words: Collection[str]) -> bool:
    """Look through every byte of the file and its log."""
    rows = [row for sql in _TEXTS for row in store.peek().rows(sql)]
    kept = "\0".join(text for row in rows for text in row if text)
    needles = [word.encode() for word in words if len(word.encode()) >= _SHORTEST and word not in kept]
    longest = max(map(len, needles), default=0)
    reader = store.peek()
    pages, size = (int(reader.value(f"PRAGMA {fact}")) for fact in ("page_count", "page_size"))
    log = f"{store.path}-wal"
    ends = {False: pages * size, True: os.path.getsize(log) if os.path.exists(log) else 0}
    for which, end in ends.items():
        tail = b""
        for offset in range(0, end, _CHUNK):
            block = tail + reader.raw(which, offset, min(_CHUNK, end - offset))
            if any(needle in block for needle in needles):
                return False
            tail = block[-longest:]  # a word may lie across two blocks
    return True
