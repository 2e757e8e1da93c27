"""Who may read and write a database of ours, and what goes wrong with it, in our words."""

import contextlib
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import apsw
import msgspec

from notesd.errors import Busy, StoreCorrupt, StoreError, StoreFull
from notesd.index.budget import FREE, Meter

Key = TypeVar("Key")
Fact = TypeVar("Fact")

Row = tuple[Any, ...]
Prepare = Callable[[apsw.Connection], None]

_BUSY_MS = 5_000
FILES = ("", "-wal", "-shm", "-journal")
"""What stands behind the name of a database, as endings."""
_CHECKED_EVERY = 20_000
"""Steps of SQLite's machine between two looks at what a request has cost: some milliseconds at most."""
MOST_KNOWN = 5_000
"""Facts of one kind that are kept in memory, up to 3 MB."""


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
    """Turn what SQLite raises into our errors, each naming the file; so too values made of noise.

    Raises:
        StoreCorrupt: A page or a value is not what it should be. SQLite says so of a page, too, that the
            disk did not let it read: unless the error is ``sure``, ``damage.fault_of`` has to decide.
        StoreFull: Nothing can be written.
        Busy: Somebody else is at it.
        StoreError: It cannot be read or written just now, which says nothing about what is in it.
    """
    try:
        yield
    except (msgspec.DecodeError, UnicodeDecodeError, zlib.error) as error:
        raise _corrupt(path, error, sure=True) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise _corrupt(path, error, sure=False) from error
    except (apsw.FullError, apsw.ReadOnlyError) as error:
        raise StoreFull(f"{path} cannot be written ({error}); free some room or make it writable") from error
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise Busy(f"{path} is busy ({error}); try again") from error
    except apsw.IOError as error:
        code = getattr(error, "extendedresult", 0)
        if code == apsw.SQLITE_IOERR_SHORT_READ:  # the file has lost its end
            raise _corrupt(path, error, sure=False) from error
        kind = StoreFull if code == apsw.SQLITE_IOERR_WRITE else StoreError
        raise kind(f"{path} cannot be read or written ({error}); look at the disk") from error
    except (apsw.CantOpenError, apsw.NoMemError, apsw.PermissionsError) as error:
        raise StoreError(f"{path} cannot be opened ({error}); it is tried again", path=path) from error


@contextlib.contextmanager
def reachable(path: str) -> Iterator[None]:
    """Turn what the system says of a file or folder of ours into our errors.

    Raises:
        StoreError: It cannot be used just now.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path} cannot be used ({error.strerror}); look at the disk", path=path) from error


def _corrupt(path: str, error: Exception, *, sure: bool) -> StoreCorrupt:
    text = (
        f"{path} is damaged ({error}); it is rebuilt from the notes"
        if sure
        else f"{path} seems to be damaged ({error}); all of it is looked at, and rebuilt if it is"
    )
    return StoreCorrupt(text, path=path, why=str(error), sure=sure)


Facts = dict[str, dict[Any, Any]]
"""By what is asked, answers that are looked up again and again."""


class Reader:
    """Reads one consistent generation of an index."""

    def __init__(
        self, db: apsw.Connection, facts: Callable[[int], Facts] | None = None, meter: Meter = FREE
    ) -> None:
        """Read from a connection.

        Args:
            db: Within a transaction where one generation is to be seen.
            facts: What is known of a generation already; None: nothing is to be kept, because the index may
                change under the reader.
            meter: What it may cost.
        """
        self.meter = meter
        self._db = db
        self._facts = facts
        self._known: Facts | None = None

    def known(self, about: str) -> dict[Any, Any]:
        """What was found out in this generation about something, by anyone; to be added to.

        It is gone with the generation, so whatever it holds must be what the index would say again.
        """
        if self._facts is None:
            return {}
        if self._known is None:
            self._known = self._facts(self.generation)
        found = self._known.setdefault(about, {})
        if len(found) > MOST_KNOWN:
            found.clear()
        return found

    def look_up(
        self, about: str, wanted: Iterable[Key], ask: Callable[[list[Key]], dict[Key, Fact]]
    ) -> dict[Key, Fact]:
        """Facts about some things; only those that are not known yet in this generation are asked for.

        Args:
            about: Which facts.
            wanted: The things.
            ask: Finds the facts of some things; those that have none are left out.
        """
        known: dict[Key, Fact] = self.known(about)
        every = dict.fromkeys(wanted)
        found = {one: fact for one in every if (fact := known.get(one)) is not None}
        missing = [one for one in every if one not in found]
        if missing:
            fresh = ask(missing)
            known.update(fresh)
            found.update(fresh)
        return found

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

    def copy_into(self, target: apsw.Connection) -> None:
        """Copy the whole database, as this reader sees it, into an empty one."""
        with target.backup("main", self._db, "main") as backup:
            while not backup.done:
                backup.step(-1)

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
        self._facts: tuple[int, Facts] = (-1, {})
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        with translated(path), reachable(path):
            self._writer = apsw.Connection(path, flags=flags)
            self._writer.set_busy_timeout(_BUSY_MS)
            prepare(self._writer)
            for pragma in WRITER_PRAGMAS:
                pragma(self._writer)
            if not durable:
                _pragma("synchronous", "off")(self._writer)
            self._file = _identity(path)

    def intact(self) -> bool:
        """Whether the name still leads to the file we opened; True as well while nobody can look."""
        try:
            return _identity(self.path) == self._file
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True

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
    def read(self, meter: Meter = FREE) -> Iterator[Reader]:
        """Read one generation, from any thread, beside the writer.

        Args:
            meter: What it may cost; statements are broken off in the midst of it.

        Raises:
            StoreError: The file cannot be read.
            Interrupted: As ``meter`` says.
        """

        def stop() -> bool:
            meter.check()
            return False

        with translated(self.path):
            db = self._borrow()
            try:
                db.execute("BEGIN").fetchall()
                if meter is not FREE:
                    db.set_progress_handler(stop, _CHECKED_EVERY)
                yield Reader(db, self._facts_of, meter)
            finally:
                db.set_progress_handler(None)
                self._give_back(db)

    def _facts_of(self, generation: int) -> Facts:
        if generation > self._facts[0]:
            self._facts = (generation, {})
        known, facts = self._facts
        return facts if known == generation else {}  # a reader that began before the last change

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
            # The file itself is synced only when the log holds anything that is not in it yet.
            self._writer.execute("INSERT OR REPLACE INTO meta VALUES ('synced', random())").fetchall()
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def interrupt(self) -> None:
        """End what the writer is in the midst of, from any thread; its transaction is undone."""
        with contextlib.suppress(apsw.Error):  # it is closed already
            self._writer.interrupt()

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


def _identity(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def delete_files(path: str) -> None:
    """Remove a database with its write-ahead log and shared memory."""
    for suffix in FILES:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)
