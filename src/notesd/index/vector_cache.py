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

from notesd.errors import BadVector, NotesdError, StoreCorrupt, StoreError
from notesd.index.store import Store, delete_files, translated
from notesd.index.vector_archive import HASH_BYTES, read_archive, write_archive
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
    "CREATE TABLE cache (hash BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL)",
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
        self._store = self._opened()

    def close(self) -> None:
        """Leave one file."""
        with self._lock:
            with contextlib.suppress(NotesdError):
                self._store.harden()
            self._store.close()

    def get(self, hashes: Collection[bytes]) -> dict[bytes, bytes]:
        """Those of some vectors that are known, by the hash of their text."""
        today = int(self._clock()) // _DAY_S
        found: dict[bytes, bytes] = {}
        with self._mended():
            reader, stale = self._store.peek(), []
            for each in dict.fromkeys(hashes):
                row = reader.row("SELECT vector, used FROM cache WHERE hash = ?", (each,))
                if row and self._good(each, row[0]):
                    found[each] = row[0]
                    stale += [each] if row[1] != today else []
            if stale:
                with self._store.write() as writer:
                    writer.many("UPDATE cache SET used = ? WHERE hash = ?", [(today, each) for each in stale])
        return found

    def put(self, vectors: Mapping[bytes, bytes], *, replace: bool = False) -> None:
        """Remember some vectors by the hash of their text; what is no vector is passed over.

        Args:
            vectors: float32, by the hash of the text.
            replace: Also those of texts that are known.
        """
        with self._mended():
            self._add(vectors.items(), "REPLACE" if replace else "IGNORE")
            self._shrink()

    def forget(self, hashes: Iterable[bytes]) -> None:
        """Leave no trace of some texts."""
        with self._mended():
            with self._store.write() as writer:
                writer.many("DELETE FROM cache WHERE hash = ?", [(each,) for each in hashes])
            self._store.harden()

    def count(self) -> int:
        """Number of vectors."""
        found = []
        with self._mended():
            found += self._store.peek().rows("SELECT count(*) FROM cache")
        return int(found[0][0]) if found else 0

    def export(self, path: str) -> int:
        """Write every vector to a file for another machine; returns how many.

        Raises:
            StoreError: The file cannot be written, or the cache not be read.
        """
        with self._lock, translated(self.path):
            rows = self._store.peek().each("SELECT hash, vector FROM cache ORDER BY hash")
            good = ((each, vector) for each, vector in rows if self._good(each, vector))
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
            for row in read_archive(path, self._fingerprint, self._dimensions):
                if row is None or not self._good(*row):
                    refused += 1
                    continue
                taken += 1
                batch.append(row)
                if len(batch) == _BATCH:
                    self._add(batch)
                    self._shrink()
                    batch.clear()
            self._add(batch)
            self._shrink()
        return Imported(taken, refused)

    def _good(self, each: bytes, vector: bytes) -> bool:
        try:
            return len(each) == HASH_BYTES and size_of(vector, self._dimensions) > 0
        except BadVector:
            return False

    def _add(self, vectors: Iterable[tuple[bytes, bytes]], known: str = "IGNORE") -> None:
        today = int(self._clock()) // _DAY_S
        rows = [(each, vector, today) for each, vector in vectors if self._good(each, vector)]
        with self._store.write() as writer:
            writer.many(f"INSERT OR {known} INTO cache VALUES (?, ?, ?)", rows)

    def _shrink(self) -> None:
        """Let go of what was not asked for longest, until there is some room again."""
        reader = self._store.peek()
        page = int(reader.value("PRAGMA page_size"))
        used = page * (int(reader.value("PRAGMA page_count")) - int(reader.value("PRAGMA freelist_count")))
        if used <= self._most_bytes:
            return
        total = int(reader.value("SELECT count(*) FROM cache"))
        surplus = int(total * (1 - _KEPT * self._most_bytes / used)) + 1
        with self._store.write() as writer:
            writer.run(
                "DELETE FROM cache WHERE rowid IN (SELECT rowid FROM cache ORDER BY used, rowid LIMIT ?)",
                (surplus,),
            )

    def _opened(self) -> Store:
        """Open the file if it can be trusted, else begin it anew."""
        folder = os.path.dirname(self.path)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder} cannot be made ({error.strerror})") from error
        if os.path.exists(self.path):
            try:
                store = Store(self.path, prepare=_secure)
                with translated(self.path):
                    reader = store.peek()
                    known = (reader.value("PRAGMA application_id"), reader.meta("fingerprint"))
                    reader.row("SELECT hash, vector, used FROM cache LIMIT 1")
                if known == (_APPLICATION_ID, self._fingerprint):
                    return store
                store.close()
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

    def _move_aside(self) -> None:
        """Keep one damaged file, in case somebody wants to know."""
        log.warning("%s cannot be used and begins anew; the old one is %s.damaged", self.path, self.path)
        delete_files(self.path + ".damaged")
        os.replace(self.path, self.path + ".damaged")
        delete_files(self.path)  # a log left behind would be taken for the new file's own

    @contextlib.contextmanager
    def _mended(self) -> Iterator[None]:
        """Be alone, and get by without the cache when it fails: nobody depends on it."""
        with self._lock:
            try:
                if not self._store.intact():
                    self._store.close()
                    self._store = self._opened()
                with translated(self.path):
                    yield
            except StoreCorrupt as error:
                log.warning("%s", error.message)
                self._store.close()
                with contextlib.suppress(OSError):
                    self._move_aside()
                    self._store = self._opened()
            except (NotesdError, apsw.Error) as error:
                log.warning("vectors are not remembered: %s", error)


def _secure(db: apsw.Connection) -> None:
    """What is forgotten is overwritten."""
    db.execute("PRAGMA secure_delete = on").fetchall()
