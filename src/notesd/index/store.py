"""Where is the index of a space, and who may read or write it?

A space's folder of state holds ``index-NUMBER-NONCE.db``. A rebuild makes the next number beside the
live one and the newest complete file wins, so nothing is ever renamed over a database that may still
have a write-ahead log of its own: SQLite would replay a foreign log without a word. The nonce in the
name must equal the one inside, which unmasks such a log.
"""

import contextlib
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import apsw
import msgspec

from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreError, StoreFull
from notesd.index import schema

Row = tuple[Any, ...]
Prepare = Callable[[apsw.Connection], None]

_FILE = re.compile(r"index-(\d{6,})-([0-9a-f]{8})\.db")
_BUSY_MS = 5_000


def _pragma(name: str, value: object) -> Callable[[apsw.Connection], None]:
    def apply(db: apsw.Connection) -> None:
        # One statement a call, read to its end: a string of several stops at the first that gives a row.
        db.execute(f"PRAGMA {name} = {value}").fetchall()

    return apply


WRITER_PRAGMAS = (
    _pragma("journal_mode", "wal"),  # readers go on while we write
    _pragma("synchronous", "normal"),  # a lost tail after a power cut is found by the next scan
    _pragma("cache_size", -6_000),  # 6 MB
    _pragma("temp_store", "memory"),
    _pragma("journal_size_limit", 16 << 20),  # a burst must not leave its log behind for ever
)
READER_PRAGMAS = (
    _pragma("query_only", 1),
    _pragma("cache_size", -2_000),
    _pragma("temp_store", "memory"),
)


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn what SQLite raises into our errors, each naming the file; so too values made of noise."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, msgspec.DecodeError, UnicodeDecodeError) as error:
        text = f"{path} is damaged ({error}); it is rebuilt from the notes"
        raise StoreCorrupt(text, path=path, why=str(error)) from error
    except (apsw.FullError, apsw.ReadOnlyError) as error:
        raise StoreFull(f"{path} cannot be written ({error}); free some room or make it writable") from error
    except apsw.BusyError as error:
        raise Busy(f"{path} is busy ({error}); try again") from error
    except apsw.IOError as error:
        kind = StoreFull if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_WRITE else StoreError
        raise kind(f"{path} cannot be read or written ({error}); look at the disk") from error
    except apsw.CantOpenError as error:
        raise StoreError(f"{path} cannot be opened ({error})", path=path) from error


class Reader:
    """Reads one consistent generation of an index."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def rows(self, sql: str, args: Sequence[object] = ()) -> list[Row]:
        """All rows of a SELECT."""
        return self._db.execute(sql, tuple(args)).fetchall()

    def row(self, sql: str, args: Sequence[object] = ()) -> Row | None:
        """The first row of a SELECT, None when there is none."""
        return next(iter(self.rows(sql, args)), None)

    def each(self, sql: str, args: Sequence[object] = ()) -> Iterator[Row]:
        """Rows of a SELECT one by one."""
        return iter(self._db.execute(sql, tuple(args)))

    def value(self, sql: str, args: Sequence[object] = ()) -> Any:  # noqa: ANN401 -- a column may hold any of SQLite's types
        """The single value that a SELECT gives; an aggregate always gives one."""
        return (self.row(sql, args) or (None,))[0]

    def meta(self, key: str) -> Any:  # noqa: ANN401 -- as in value
        """One fact of the index about itself, None when it was never written."""
        return self.value("SELECT value FROM meta WHERE key = ?", (key,))

    @property
    def generation(self) -> int:
        """Grows by one with each committed change."""
        return int(self.meta("generation"))

    def raw(self, log: bool, offset: int, size: int) -> bytes:
        """Bytes of the file or of its log, zeros beyond the end; to open it ourselves would end our locks."""
        return self._db.read("main", int(log), offset, size)[1]

    def tokenizer(self, name: str, arguments: list[str]) -> apsw.FTS5Tokenizer:
        """An FTS5 tokenizer as this connection knows it."""
        return self._db.fts5_tokenizer(name, arguments)


class Writer(Reader):
    """Changes an index inside one transaction; only ``Store.write`` commits."""

    def run(self, sql: str, args: Sequence[object] = ()) -> int:
        """Execute one statement that gives no rows; returns how many it changed, if it changes any."""
        self._db.execute(sql, tuple(args)).fetchall()
        return int(self._db.changes())

    def many(self, sql: str, rows: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> None:
        """Execute one statement for each row of values."""
        self._db.executemany(sql, rows)

    def insert(self, sql: str, args: Sequence[object]) -> int:
        """Execute one INSERT; returns the row's id."""
        self._db.execute(sql, tuple(args)).fetchall()
        return int(self._db.last_insert_rowid())

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """Part of a transaction that is undone alone when it fails."""
        with self._db:
            yield

    def set_meta(self, key: str, value: object) -> None:
        """Write one fact of the index about itself."""
        self.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


class Store:
    """One index file: one writer (the thread that opened it), several readers."""

    def __init__(
        self, path: str, *, create: bool = False, durable: bool = True, prepare: Prepare = lambda _: None
    ) -> None:
        """Open ``path``; see ``create`` and ``open_newest`` for the usual ways here.

        Args:
            path: The database.
            create: Make it; it must not exist.
            durable: False leaves syncing to ``harden``, for a build nobody relies on yet.
            prepare: Called with each new connection before anything else is done with it.
        """
        self.path = path
        self._prepare = prepare
        self._lock = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._lent = 0
        self._closed = self._doomed = False
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        with translated(path):
            self._writer = apsw.Connection(path, flags=flags)
            self._writer.set_busy_timeout(_BUSY_MS)
            prepare(self._writer)
            for pragma in WRITER_PRAGMAS:
                pragma(self._writer)
            if not durable:
                _pragma("synchronous", "off")(self._writer)
        self._inode = os.stat(path).st_ino

    @property
    def number(self) -> int:
        """Number in the file's name; a later build has a greater one."""
        found = _FILE.fullmatch(os.path.basename(self.path))
        return int(found[1]) if found else 0

    def intact(self) -> bool:
        """Whether the name still leads to the file we opened."""
        with contextlib.suppress(OSError):
            return os.stat(self.path).st_ino == self._inode
        return False

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        """Run one transaction; the generation grows when it changed anything.

        Raises:
            StoreError: Nothing of it was kept.
        """
        with translated(self.path):
            db = self._writer
            db.execute("BEGIN IMMEDIATE").fetchall()
            before = db.total_changes()
            try:
                writer = Writer(db)
                yield writer
                if db.total_changes() != before:
                    writer.run("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
                db.execute("COMMIT").fetchall()
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK").fetchall()
                raise

    def peek(self) -> Reader:
        """Read as the writer's thread sees it; for that thread alone."""
        return Reader(self._writer)

    @contextlib.contextmanager
    def read(self) -> Iterator[Reader]:
        """Read one generation, from any thread, beside the writer.

        Raises:
            StoreError: The file cannot be read.
        """
        with translated(self.path):
            db = self._borrow()
            try:
                db.execute("BEGIN").fetchall()
                yield Reader(db)
            finally:
                self._give_back(db)

    def _borrow(self) -> apsw.Connection:
        with self._lock:
            if self._closed:
                raise Busy("the index is being replaced; try again")
            self._lent += 1
            if self._idle:
                return self._idle.pop()
        try:
            db = apsw.Connection(self.path, flags=apsw.SQLITE_OPEN_READONLY)
            db.set_busy_timeout(_BUSY_MS)
            self._prepare(db)
            for pragma in READER_PRAGMAS:
                pragma(db)
        except BaseException:
            with self._lock:
                self._lent -= 1
            raise
        return db

    def _give_back(self, db: apsw.Connection) -> None:
        with contextlib.suppress(apsw.Error):
            if db.in_transaction:
                db.execute("ROLLBACK").fetchall()
        with self._lock:
            self._lent -= 1
            if not self._closed:
                self._idle.append(db)
                return
            last = self._lent == 0
        db.close()
        if last and self._doomed:
            delete_files(self.path)

    def harden(self) -> None:
        """Sync everything written so far and empty the write-ahead log."""
        with translated(self.path):
            _pragma("synchronous", "normal")(self._writer)
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self, *, delete: bool = False) -> None:
        """Close once the readers at work are done; optionally remove the files then."""
        with self._lock:
            self._closed, self._doomed = True, delete
            idle, self._idle = self._idle, []
            lent = self._lent
        for db in idle:
            db.close()
        with contextlib.suppress(apsw.Error):
            self._writer.close()
        if delete and not lent:
            delete_files(self.path)


def create(
    folder: str, *, fingerprint: str, stemmer: str, generation: int = 0, durable: bool = False
) -> Store:
    """Make the next index file in ``folder``, empty and not yet complete.

    Args:
        folder: The space's folder of state; it exists.
        fingerprint: See ``schema.fingerprint``.
        stemmer: ``porter`` or ``none``.
        generation: Where to go on counting.
        durable: See ``Store``.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)  # somebody may have removed it under the daemon
    number = max((n for n, _ in index_files(folder)), default=0) + 1
    nonce = secrets.token_hex(4)
    path = os.path.join(folder, f"index-{number:06d}-{nonce}.db")
    store = Store(path, create=True, durable=durable)
    with translated(path):
        db = store._writer  # noqa: SLF001 -- a store not yet handed out
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}").fetchall()
        with db:
            for ddl in (*schema.TABLES, schema.fulltext_table(stemmer)):
                db.execute(ddl).fetchall()
            facts = {
                "fingerprint": fingerprint,
                "nonce": nonce,
                "stemmer": stemmer,
                "generation": generation,
                "complete": 0,
            }
            db.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
    return store


def purged(store: Store, folder: str) -> Store:
    """Copy an index without a trace of what was deleted from it; the copy takes its place.

    A deleted row leaves its bytes in free pages, a deleted word in the segments of the full-text
    index until they are merged.
    """
    number, nonce = store.number + 1, secrets.token_hex(4)
    path = os.path.join(folder, f"index-{number:06d}-{nonce}.db")
    with translated(store.path):
        db = store._writer  # noqa: SLF001 -- the store's own module
        db.execute("INSERT INTO fulltext (fulltext) VALUES ('optimize')").fetchall()
        db.execute("VACUUM INTO ?", (path,)).fetchall()
    copy = Store(path)
    with copy.write() as writer:
        writer.set_meta("nonce", nonce)
        writer.run("DELETE FROM meta WHERE key = 'unpurged'")
    return copy


def index_files(folder: str) -> list[tuple[int, str]]:
    """``(number, path)`` of each index file in ``folder``, oldest first."""
    with contextlib.suppress(FileNotFoundError):
        found = [(m, n) for n in os.listdir(folder) if (m := _FILE.fullmatch(n))]
        return sorted((int(m[1]), os.path.join(folder, n)) for m, n in found)
    return []


def open_newest(folder: str) -> tuple[Store | None, list[str]]:
    """Open the index to answer from, and clear away what no longer serves.

    The newest complete file wins; when none is complete, the newest unfinished one is taken up
    where it was left. Everything else in ``folder`` is deleted: it is derived.

    Returns:
        The store, None when there is nothing usable; and a sentence for each damaged file.
    """
    usable: list[Store] = []
    damage: list[str] = []
    for _, path in reversed(index_files(folder)):
        try:
            store = Store(path)
        except StoreCorrupt as error:
            damage.append(error.message)
            delete_files(path)
            continue
        try:
            with translated(path):
                sound = _sound(store)
        except NotesdError as error:
            sound = str(error)
        if sound:
            damage.append(sound)
            store.close(delete=True)
        else:
            usable.append(store)
    usable.sort(key=lambda store: (int(store.peek().meta("complete")), store.number), reverse=True)
    for store in usable[1:]:
        store.close(delete=True)
    return (usable[0] if usable else None), damage


def _sound(store: Store) -> str | None:
    """Return what is wrong with a file that opens, None when it can be trusted.

    SQLite's own checks call a foreign or shortened log "ok", so the file has to know its own name
    and its parts have to agree in number.
    """
    reader = store.peek()
    name = os.path.basename(store.path)
    if reader.value("PRAGMA application_id") != schema.APPLICATION_ID:
        return f"{store.path} is not an index of notesd; it is rebuilt"
    try:
        nonce = reader.meta("nonce")
    except apsw.SQLError:
        return f"{store.path} has no tables; it is rebuilt"
    if nonce != name[-11:-3]:
        return f"{store.path} holds another index than its own; it is rebuilt"
    counts = {
        int(reader.value(f"SELECT count(*) FROM {table}"))
        for table in ("note", "observation", "fulltext_docsize")
    }
    if len(counts) != 1:
        return f"{store.path} has lost rows; it is rebuilt"
    return None


def delete_files(path: str) -> None:
    """Remove a database with its write-ahead log and shared memory."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)
