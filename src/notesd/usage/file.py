"""Can the record of use be opened, and what is left of it when it is damaged?

It is never deleted and never begun anew in silence: a damaged file is moved aside, what can still be
read is taken over, and the loss is said. A file of a later version is left as it is, to the byte.
"""

import contextlib
import os
import re
import struct
import time
from collections.abc import Iterator

import apsw
from msgspec import Struct

from notesd.errors import NotesdError, StoreCorrupt, StoreError, UsageNewer
from notesd.index.damage import trusted
from notesd.index.store import Reader, Row, Store, delete_files, reachable, translated
from notesd.usage import schema
from notesd.usage.ledger import Ledger, foreign_log

NAME = "usage.db"
BUSY_MS = 200
"""So long another program that uses the file is waited for; what cannot be written then is written later."""
_ANOTHER = "it is no record of use"
_HEADER = struct.Struct(">60xI")
"""Where SQLite keeps the user version in the first bytes of a file."""
_TABLES = {
    "meta": ("key",), "space": ("id",), "note": ("id",), "pair": ("a", "b"), "event": ("id",),
    "shown": ("event", "note"), "tuned": ("id",),
}  # fmt: skip
"""Every table and what orders it."""
_TABLES_OF = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name"
_REFERENCES = (("pair", "a"), ("pair", "b"), ("shown", "note"))


class Opened(Struct, frozen=True):
    """The record as it was found."""

    store: Ledger
    problem: str | None = None
    """Stable word: ``usage_reset``, ``usage_log_refused``; None: all is well."""
    reason: str = ""


def open_record(path: str) -> Opened:
    """Open the record, bring it up to date, save what can be saved.

    Raises:
        UsageNewer: A later version wrote it.
        StoreError: It cannot be read, written or moved aside.
    """
    if not os.path.exists(path):
        return Opened(_ready(path, create=True))
    if not os.path.isfile(path):
        raise StoreError(f"{path} is no regular file; take it away", path=path)
    if not os.path.getsize(path):
        return _saved(path, "it is empty")
    _refuse_newer(path)
    refused = _refuse_foreign_log(path)
    try:
        store = trusted(path, lambda: _ready(path))
    except (StoreCorrupt, apsw.SQLError) as error:
        return _saved(path, why(error))
    return Opened(store, "usage_log_refused", refused) if refused else Opened(store)


def why(error: Exception) -> str:
    """What is wrong with a record, without the words for what can be derived again."""
    return str(error.data.get("why", error)) if isinstance(error, NotesdError) else str(error)


def drop_log(path: str) -> None:
    """Remove the log of a file that was taken away: SQLite would take it for the log of the next one."""
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)


def aside(path: str) -> list[str]:
    """Damaged records that were moved aside, oldest first."""
    folder, name = os.path.split(path)
    copy = re.compile(re.escape(f"{name}.corrupt-") + r"[0-9T-]+")
    return [os.path.join(folder, entry) for entry in sorted(os.listdir(folder)) if copy.fullmatch(entry)]


def _refuse_foreign_log(path: str) -> str:
    """Move a log aside that would be replayed into a file that it does not belong to; returns what was done.

    Raises:
        StoreError: It cannot be looked at now, or not be moved.
    """
    reason = foreign_log(path)
    if reason is None:
        return ""
    kept = _name_aside(path)
    with reachable(path):
        os.replace(f"{path}-wal", kept)
        drop_log(path)
    return f"{reason}; it was moved to {kept}, and the record goes on without it"


def _name_aside(path: str) -> str:
    """A name beside a record that nothing has yet."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    kept, number = f"{path}.corrupt-{stamp}", 1
    while os.path.exists(kept):
        number += 1
        kept = f"{path}.corrupt-{stamp}-{number}"
    return kept


def _refuse_newer(path: str) -> None:
    """Look at the first bytes, before SQLite may write anything.

    Raises:
        UsageNewer: They are of a later version.
    """
    with contextlib.suppress(OSError), open(path, "rb") as stream:
        head = stream.read(100)
        if head.startswith(b"SQLite format 3\0") and len(head) >= _HEADER.size:
            _compare(path, _HEADER.unpack_from(head)[0])


def _compare(path: str, found: int) -> None:
    if found > schema.VERSION:
        raise UsageNewer(
            f"{path} was written by a later version of notesd (format {found}, this one knows "
            f"{schema.VERSION}); nothing is recorded or heard of it until that version runs again",
            path=path,
        )


def _ready(path: str, *, create: bool = False) -> Ledger:
    """Open a file that is sound, in the form of this version.

    Raises:
        StoreCorrupt: It is not.
        UsageNewer: A later version's words are in its log.
    """

    def prepare(db: apsw.Connection) -> None:
        found = schema.version(Reader(db))
        if found > schema.VERSION:
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            _compare(path, found)
        db.execute("PRAGMA secure_delete = on").fetchall()  # what is forgotten is overwritten
        db.set_busy_timeout(BUSY_MS)

    store = Ledger(path, create=create, prepare=prepare)
    try:
        with translated(path):
            fault = _fault(store.peek())
            if fault is None:
                with store.write() as writer:
                    schema.migrate(writer)
                store.complete()
    except BaseException:
        store.close()
        raise
    if fault:
        store.close()
        raise StoreCorrupt(f"{path}: {fault}", path=path, why=fault, sure=fault == _ANOTHER)
    if create:
        _sync_folder(path)
    return store


def _sync_folder(path: str) -> None:
    """Bring the name of a new file to the disk."""
    with reachable(path):
        folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _fault(reader: Reader) -> str | None:
    """Say what is wrong with a file that opens, None when it can be trusted."""
    faults = reader.rows("PRAGMA quick_check(1)")
    if faults != [("ok",)]:
        return str(faults[0][0])
    version, tables = schema.version(reader), reader.rows(_TABLES_OF)
    if not version and not tables:
        return None  # it was just made
    with contextlib.closing(apsw.Connection(":memory:")) as db:
        for statements in schema.MIGRATIONS[:version]:
            for statement in statements:
                db.execute(statement).fetchall()
        ours = db.execute(_TABLES_OF).fetchall()
    mine = reader.value("PRAGMA application_id") == schema.APPLICATION_ID
    return None if mine and tables == ours else _ANOTHER


def _saved(path: str, why: str) -> Opened:
    """Move a damaged record aside and begin another with what can still be read."""
    kept = _name_aside(path)
    os.replace(path, kept)
    with contextlib.suppress(FileNotFoundError):
        os.replace(f"{path}-wal", f"{kept}-wal")  # the last rows may stand there alone
    delete_files(path)
    store = _ready(path, create=True)
    rows = 0
    with contextlib.suppress(NotesdError, apsw.Error):
        rows = _salvage(kept, store)
    for suffix in ("-shm", "-wal"):
        with contextlib.suppress(OSError):
            if suffix == "-shm" or not os.path.getsize(kept + suffix):
                os.unlink(kept + suffix)  # reading made it
    saved = f"{rows} of its rows could be saved" if rows else "nothing of it could be saved"
    return Opened(
        store, "usage_reset",
        f"the record of use was damaged ({why}); it was moved to {kept} and {saved}",
    )  # fmt: skip


def _salvage(damaged: str, store: Store) -> int:
    """Take over every row that can be read, from both ends of each table; returns how many."""
    saved = 0
    db = apsw.Connection(damaged, flags=apsw.SQLITE_OPEN_READONLY)
    db.execute("PRAGMA writable_schema = on").fetchall()  # or a file that was cut short gives nothing at all
    with contextlib.closing(db), store.write() as writer:
        for table, order in _TABLES.items():
            columns = [row[1] for row in writer.rows(f"PRAGMA table_info({table})")]
            sql = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(columns))})"
            for way in ("ASC", "DESC"):
                by = ", ".join(f"{column} {way}" for column in order)
                for row in _readable(db, f"SELECT {', '.join(columns)} FROM {table} ORDER BY {by}"):
                    with contextlib.suppress(apsw.Error), writer.attempt():
                        saved += writer.run(sql, row)
        for table, column in _REFERENCES:
            writer.run(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT id FROM note)")
    return saved


def _readable(db: apsw.Connection, sql: str) -> Iterator[Row]:
    """Rows up to the first that cannot be read."""
    with contextlib.suppress(apsw.Error, UnicodeDecodeError):
        yield from db.execute(sql)
