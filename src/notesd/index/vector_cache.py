"""Which texts has this model encoded before, in whatever space, and what came out?

Encoding is what takes hours, so that a new index, a renamed folder, another branch or a second machine
should not pay for it again. The cache only saves work: when it is damaged it begins anew, when it cannot be
read it knows nothing, and when it cannot be written it forgets.
"""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import apsw

from notesd.errors import BadVector, NotesdError, StoreCorrupt
from notesd.index.damage import set_aside, trusted
from notesd.index.store import Store, reachable, translated
from notesd.index.vector_archive import HASH_BYTES, read_archive, write_archive
from notesd.index.vector_rows import sum_of
from notesd.index.vectors import size_of

log = logging.getLogger("notesd")

MOST_BYTES = 1 << 30
"""Default size: 100,000 vectors of 384 numbers take about 180 MB."""

_APPLICATION_ID = 0x6E6F7463
_DAY_S = 86_400
_KEPT = 0.9
"""Share of the limit to which it is cut when it grows beyond."""
_BATCH = 500
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    # used: day since 1970 on which it was last asked for; finer, and each question would write.
    # sum: see vector_rows.sum_of; NULL: an earlier version stored it.
    "CREATE TABLE cache (hash BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL, sum INTEGER)",
    "CREATE INDEX cache_used ON cache (used)",
)


class Imported(NamedTuple):
    """What came of a file of vectors."""

    taken: int
    refused: int
    """Rows that are damaged, cut off or no vectors; the others were taken all the same."""


class VectorCache:
    """Vectors by the hash of their text, for one model and all spaces; any thread may ask."""

    def __init__(
        self,
        folder: str,
        fingerprint: str,
        dimensions: int,
        *,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the cache of a model, or begin one.

        Args:
            folder: Holds a file for each model; made when missing.
            fingerprint: Of everything that decides which text gives which numbers; names the file.
            dimensions: Numbers in a vector.
            most_bytes: Beyond this, what was not asked for longest goes.
            clock: Seconds since 1970.

        Raises:
            StoreError: The folder cannot be used.
        """
        self.path = os.path.join(folder, f"{fingerprint}.db")
        self._fingerprint = fingerprint
        self._dimensions = dimensions
        self._most_bytes = most_bytes
        self._clock = clock
        self._lock = threading.RLock()
        self._store: Store | None = None
        with reachable(folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        with self._mended():
            pass

    def close(self) -> None:
        """Leave one file."""
        with self._lock:
            with contextlib.suppress(NotesdError):
                if self._store:
                    self._store.harden()
            self._let_go()

    def get(self, hashes: Collection[bytes]) -> dict[bytes, bytes]:
        """Those of some vectors that are known, by the hash of their text."""
        today = int(self._clock()) // _DAY_S
        found: dict[bytes, bytes] = {}
        bad: list[tuple[bytes]] = []
        with self._mended() as store:
            reader, stale = store.peek(), []
            for each in dict.fromkeys(hashes):
                row = reader.row("SELECT vector, sum, used FROM cache WHERE hash = ?", (each,))
                if row and self._good(each, *row[:2]):
                    found[each] = row[0]
                    stale += [each] if row[2] != today else []
                elif row:
                    bad.append((each,))
            if stale or bad:
                with store.write() as writer:
                    writer.many("UPDATE cache SET used = ? WHERE hash = ?", [(today, each) for each in stale])
                    writer.many("DELETE FROM cache WHERE hash = ?", bad)
        return found

    def put(self, vectors: Mapping[bytes, bytes], *, replace: bool = False) -> None:
        """Remember some vectors by the hash of their text; what is no vector is passed over.

        Args:
            vectors: float32, by the hash of the text.
            replace: Also those of texts that are known.
        """
        with self._mended() as store:
            self._add(store, vectors.items(), "REPLACE" if replace else "IGNORE")
            self._shrink(store)

    def forget(self, hashes: Iterable[bytes]) -> None:
        """Leave no trace of some texts."""
        with self._mended() as store:
            with store.write() as writer:
                writer.many("DELETE FROM cache WHERE hash = ?", [(each,) for each in hashes])
            store.harden()

    def count(self) -> int:
        """Number of vectors."""
        found = []
        with self._mended() as store:
            found += store.peek().rows("SELECT count(*) FROM cache")
        return int(found[0][0]) if found else 0

    def export(self, path: str) -> int:
        """Write every vector to a file for another machine; returns how many.

        Raises:
            StoreError: The file cannot be written, or the cache not be read.
        """
        with self._lock, translated(self.path):
            rows = self._there().peek().each("SELECT hash, vector, sum FROM cache ORDER BY hash")
            good = ((each, vector) for each, vector, known in rows if self._good(each, vector, known))
            return write_archive(path, self._fingerprint, self._dimensions, good)

    def import_(self, path: str) -> Imported:
        """Take the vectors of a file that ``export`` wrote; those that are known already stay.

        Raises:
            InvalidParams: It is no such file, or another model's.
            StoreError: It cannot be read, or the cache not be written.
        """
        taken = refused = 0
        batch: list[tuple[bytes, bytes]] = []
        with self._lock:
            store = self._there()
            for row in read_archive(path, self._fingerprint, self._dimensions):
                if row is None or not self._good(*row):
                    refused += 1
                    continue
                taken += 1
                batch.append(row)
                if len(batch) == _BATCH:
                    self._add(store, batch)
                    self._shrink(store)
                    batch.clear()
            self._add(store, batch)
            self._shrink(store)
        return Imported(taken, refused)

    def _good(self, each: bytes, vector: bytes, known: int | None = None) -> bool:
        try:
            sound = known is None or known == sum_of(vector)
            return sound and len(each) == HASH_BYTES and size_of(vector, self._dimensions) > 0
        except BadVector:
            return False

    def _add(self, store: Store, vectors: Iterable[tuple[bytes, bytes]], known: str = "IGNORE") -> None:
        today = int(self._clock()) // _DAY_S
        rows = [(each, vector, today, sum_of(vector)) for each, vector in vectors if self._good(each, vector)]
        with store.write() as writer:
            writer.many(f"INSERT OR {known} INTO cache (hash, vector, used, sum) VALUES (?, ?, ?, ?)", rows)

    def _shrink(self, store: Store) -> None:
        """Let go of what was not asked for longest, until there is some room again."""
        reader = store.peek()
        page = int(reader.value("PRAGMA page_size"))
        used = page * (int(reader.value("PRAGMA page_count")) - int(reader.value("PRAGMA freelist_count")))
        if used <= self._most_bytes:
            return
        total = int(reader.value("SELECT count(*) FROM cache"))
        surplus = int(total * (1 - _KEPT * self._most_bytes / used)) + 1
        with store.write() as writer:
            writer.run(
                "DELETE FROM cache WHERE rowid IN (SELECT rowid FROM cache ORDER BY used, rowid LIMIT ?)",
                (surplus,),
            )

    def _there(self) -> Store:
        """Have it open.

        Raises:
            StoreError: It cannot be opened now.
        """
        if self._store and not self._store.intact():
            self._let_go()
        if self._store is None:
            self._store = self._opened()
        return self._store

    def _let_go(self) -> None:
        if self._store:
            self._store.close()
        self._store = None

    def _opened(self) -> Store:
        """Open the file if it can be trusted, else begin it anew."""
        folder = os.path.dirname(self.path)
        with reachable(folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            there = os.path.exists(self.path)
        if there:
            try:
                return trusted(self.path, self._as_it_is, _secure)
            except (StoreCorrupt, apsw.SQLError) as error:
                log.warning("%s is damaged (%s)", self.path, error)
            self._move_aside()
        store = Store(self.path, create=True, prepare=_secure)
        with translated(self.path):
            store.peek().rows(f"PRAGMA application_id = {_APPLICATION_ID}")
        with store.write() as writer:
            for ddl in _TABLES:
                writer.run(ddl)
            for key, value in (("fingerprint", self._fingerprint), ("generation", 0)):
                writer.set_meta(key, value)
        return store

    def _as_it_is(self) -> Store:
        """Open the file that is there.

        Raises:
            StoreCorrupt: It cannot be trusted.
        """
        store = Store(self.path, prepare=_secure)
        try:
            with translated(self.path):
                reader = store.peek()
                known = (reader.value("PRAGMA application_id"), reader.meta("fingerprint"))
                columns = [row[1] for row in reader.rows("PRAGMA table_info(cache)")]
            self._refuse_another(known)
            if "sum" not in columns:
                with store.write() as writer:
                    writer.run("ALTER TABLE cache ADD COLUMN sum INTEGER")
        except BaseException:
            store.close()
            raise
        return store

    def _refuse_another(self, known: tuple[object, object]) -> None:
        if known != (_APPLICATION_ID, self._fingerprint):
            raise StoreCorrupt(f"{self.path} is no cache of this model", path=self.path, sure=True)

    def _move_aside(self) -> None:
        """Keep one damaged file, in case somebody wants to know."""
        log.warning("%s cannot be used and begins anew; the old one is %s.damaged", self.path, self.path)
        set_aside(self.path)

    @contextlib.contextmanager
    def _mended(self) -> Iterator[Store]:
        """Be alone, and get by without the cache when it fails: nobody depends on it."""
        with self._lock:
            try:
                store = self._there()
                with translated(self.path):
                    yield store
            except StoreCorrupt as error:
                log.warning("%s", error.message)
                self._let_go()  # it is looked into when it is opened again
            except (NotesdError, apsw.Error) as error:
                log.warning("vectors are not remembered: %s", error)


def _secure(db: apsw.Connection) -> None:
    """What is forgotten is overwritten."""
    db.execute("PRAGMA secure_delete = on").fetchall()
