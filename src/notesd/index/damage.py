"""Is a database damaged, or could it only not be read for a moment? And where does a damaged one go?

SQLite gives an error of the disk (EIO) the same name as a page of noise, and its extensions call both an
error of no kind. So one failed read is a suspicion; for a verdict everything is read again. A damaged file
stays, under another name, until what takes its place is complete.
"""

import contextlib
import os
from collections.abc import Callable
from typing import TypeVar

import apsw

from notesd.errors import StoreCorrupt
from notesd.index.store import FILES, READER_PRAGMAS, Prepare, delete_files, reachable, translated

Opened = TypeVar("Opened")

ASIDE = ".damaged"
"""Ending of the name of a file that was moved aside."""
_AT_ONCE = 1 << 20


def fault_of(path: str, prepare: Prepare = lambda _: None) -> str | None:
    """Read all of a database, and say what is wrong with it; None: nothing is.

    Args:
        path: The database; whoever has it open keeps it.
        prepare: As for ``Store``.

    Raises:
        StoreError: It cannot be read now, so nobody can tell.
    """
    # Found twice, with every byte readable in between: what comes and goes is the disk.
    if _look(path, prepare, _check) is None:
        return None
    _look(path, prepare, _read_through)
    return _look(path, prepare, _check)


def confirm(path: str, error: StoreCorrupt, prepare: Prepare = lambda _: None) -> None:
    """Decide what a suspicion is worth; returns where the file turns out to be sound.

    Args:
        path: The database.
        error: What somebody who read it was told.
        prepare: As for ``Store``.

    Raises:
        StoreCorrupt: The file is damaged, for sure.
        StoreError: It cannot be read now.
    """
    if error.data.get("sure"):
        raise error
    fault = fault_of(path, prepare)
    if fault:
        text = f"{path} is damaged ({fault}); what it held is made anew"
        raise StoreCorrupt(text, path=path, why=fault, sure=True) from error


def trusted(path: str, opening: Callable[[], Opened], prepare: Prepare = lambda _: None) -> Opened:
    """Open a database; damage that is met on the way is looked into.

    Args:
        path: The database.
        opening: Opens it, and raises ``StoreCorrupt`` where it meets damage.
        prepare: As for ``Store``.

    Raises:
        StoreCorrupt: It is damaged, for sure.
        StoreError: It cannot be read now.
    """
    try:
        return opening()
    except StoreCorrupt as error:
        confirm(path, error, prepare)
    try:
        return opening()
    except StoreCorrupt:  # of a kind that SQLite's own check does not know
        _look(path, prepare, _read_through)
        raise


def set_aside(path: str) -> None:
    """Give a damaged database a name under which nobody looks for it; one that is gone is none.

    Raises:
        StoreError: The folder does not let us.
    """
    with reachable(path):
        delete_files(path + ASIDE)
        for suffix in FILES:
            with contextlib.suppress(FileNotFoundError):
                if not suffix or (suffix != "-shm" and os.path.getsize(path + suffix)):
                    os.replace(path + suffix, path + ASIDE + suffix)
                else:
                    os.unlink(path + suffix)


def clear_aside(folder: str, kind: str) -> None:
    """Delete what was moved aside: its successor is complete.

    Args:
        folder: Where it is.
        kind: How the names begin.
    """
    with contextlib.suppress(OSError):  # the next one that is complete tries again
        for name in os.listdir(folder):
            if name.startswith(kind) and name.endswith(ASIDE):
                delete_files(os.path.join(folder, name))


def _look(path: str, prepare: Prepare, look: Callable[[apsw.Connection], str | None]) -> str | None:
    with (
        translated(path),
        reachable(path),
        contextlib.closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)) as db,
    ):
        with contextlib.suppress(apsw.CorruptError, apsw.NotADBError):  # ``look`` meets it again
            prepare(db)
            for pragma in READER_PRAGMAS:
                pragma(db)
        return look(db)


def _check(db: apsw.Connection) -> str | None:
    try:
        with translated(""):
            rows = db.execute("PRAGMA integrity_check(1)").fetchall()
    except StoreCorrupt as error:
        return str(error.data["why"])
    return None if rows == [("ok",)] else str(rows[0][0])


def _read_through(db: apsw.Connection) -> None:
    """Read every byte of the file and of its log, whatever they mean."""
    with contextlib.suppress(apsw.CorruptError, apsw.NotADBError):
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # the log is opened by the first look
    path = db.db_filename("main")
    for log, name in ((False, path), (True, path + "-wal")):
        size = os.path.getsize(name) if os.path.exists(name) else 0
        for offset in range(0, size, _AT_ONCE):
            try:
                db.read("main", int(log), offset, min(_AT_ONCE, size - offset))
            except apsw.SQLError:
                break  # SQLite did not get so far as to open the log
