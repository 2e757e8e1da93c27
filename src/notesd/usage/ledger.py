"""Is every batch of the record on the disk, and does the log beside the file belong to it?

SQLite replays whatever log lies beside a file, also an older one that a backup or a synchroniser put there,
and what it replays is then gone for good. So each transaction leaves a mark, and names the marks since the
file was last complete by itself: the file shows one of these, or the log grew from something else.
"""

import contextlib
import json
import os
import secrets
import urllib.parse
from collections.abc import Iterator
from typing import NamedTuple

import apsw

from notesd.errors import StoreCorrupt
from notesd.index.damage import fault_of
from notesd.index.store import Prepare, Reader, Store, Writer, reachable, translated

_MOST_MARKS = 10_000
"""Transactions remembered while somebody else keeps the file from being completed."""


class Ledger(Store):
    """A database that knows its own log, and is whole without it after each ``complete``."""

    def __init__(self, path: str, *, create: bool = False, prepare: Prepare = lambda _: None) -> None:
        """See ``Store``."""
        super().__init__(path, create=create, prepare=prepare)
        self._marks: list[str] | None = None
        """Those since the file was complete by itself, the oldest first; None: not looked at yet."""

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:  # type: ignore[explicit-override]  # 3.12 has it
        """Run one transaction, as ``Store.write`` does; a power cut may undo it until ``complete``.

        Raises:
            StoreError: Nothing of it was kept.
        """
        marks: list[str] = []
        with super().write() as writer:
            before = self._writer.total_changes()
            yield writer
            if self._writer.total_changes() != before:
                marks = [*self._known(writer), secrets.token_hex(8)]
                writer.set_meta("mark", marks[-1])
                writer.set_meta("since", json.dumps(marks[:-1]))
        self._marks = marks or self._marks

    def _known(self, reader: Reader) -> list[str]:
        if self._marks is None:
            old = reader.meta("mark")
            self._marks = [*json.loads(reader.meta("since") or "[]"), old] if old else []
        return self._marks[-_MOST_MARKS:]

    def complete(self) -> None:
        """Bring everything to the disk, and into the file itself unless somebody else reads it just now.

        Raises:
            StoreError: The disk does not take it.
        """
        if self._marks is None or len(self._marks) == 1:
            return
        with translated(self.path):
            busy = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
            # Where somebody reads the file for long, the log itself has to be on the disk.
            self._writer.execute(f"PRAGMA synchronous = {'full' if busy else 'normal'}").fetchall()
        if not busy:
            self._marks = self._marks[-1:]


class _Facts(NamedTuple):
    salt: str
    """Of the record."""
    mark: str | None
    """None: an earlier version wrote it."""
    since: list[str]


def foreign_log(path: str) -> str | None:
    """Say why the log beside a record is not its own; None: it is, or there is none.

    Raises:
        StoreError: They cannot be read now.
    """
    with reachable(path):
        if not os.path.exists(path + "-wal") or not os.path.getsize(path + "-wal"):
            return None
    alone = _facts(path, alone=True)
    if alone is None:
        return None  # it is not complete without its log
    together = _facts(path, alone=False)
    if together is None:
        return (
            f"the file is sound, but not with the log beside it ({fault})"
            if (fault := fault_of(path))
            else None
        )
    if alone.salt != together.salt:
        return "the log beside it is of another record"
    if alone.mark is None or alone.mark in (together.mark, *together.since):
        return None
    return "the log beside it is of an earlier time"


def _facts(path: str, *, alone: bool) -> _Facts | None:
    """What a record says of itself, without its log or with it; None: nothing that can be read.

    Raises:
        StoreError: It cannot be read now.
    """
    # "immutable" reads the file as if nothing else were there.
    name = f"file:{urllib.parse.quote(path)}?immutable=1" if alone else path
    flags = apsw.SQLITE_OPEN_READONLY | (apsw.SQLITE_OPEN_URI if alone else 0)
    try:
        with translated(path), contextlib.closing(apsw.Connection(name, flags=flags)) as db:
            reader = Reader(db)
            return _Facts(reader.meta("salt"), reader.meta("mark"), json.loads(reader.meta("since") or "[]"))
    except (StoreCorrupt, apsw.SQLError):
        return None
