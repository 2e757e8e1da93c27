"""Which vectors does a space have for one model, of which notes, and are they whole?

Everything in it is derived, by a model that is slow: it lies beside the index in a file of its own,
``vectors-NUMBER-NONCE.db``, and stays when the index is built anew. Notes are known by the key that
outlives renames and rebuilds. The vectors of another model are in another file, never in the same.
"""

import contextlib
import math
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from notesd.errors import BadVector
from notesd.index.store import Reader, Store, Writer
from notesd.index.vector_check import faults, strays
from notesd.index.vector_files import CHUNK, make_vec, newest_file, only, vec_of, vec_translated
from notesd.index.vector_rows import sum_of

FLOAT_BYTES = 4
_SMALLEST, _LARGEST = 1e-6, 1e6
"""Norms between which the squares that vec0 adds up in float32 keep their meaning."""


class Piece(NamedTuple):
    """One passage of a note and its vector."""

    position: int
    """Place in the note, from 0, of a heading from -1 down; no two pieces of a note share one."""
    hash: bytes
    """Of the text that was encoded: the same hash is taken for the same vector."""
    vector: bytes
    """float32 in the byte order of the machine."""
    line: int = 0
    """Where it begins in the file, from 1; 0: nobody said."""


class State(Struct, frozen=True, gc=False):
    """How far one note has come."""

    digest: bytes | None = None
    """What was embedded; None: nothing yet."""
    words: int = 0
    """Words of its body."""
    failed: bytes | None = None
    """What could not be embedded; None: nothing is set aside."""
    reason: str = ""
    """Why it could not."""
    tries: int = 0
    """How often it was tried in vain."""


class Counts(NamedTuple):
    """How much there is."""

    notes: int
    """Embedded notes, those without any passage included."""
    passages: int
    set_aside: int


def size_of(vector: bytes, dimensions: int) -> float:
    """Length of a vector in space.

    Raises:
        BadVector: It has not ``dimensions`` numbers, one of them is not finite, or all are (nearly)
            zero: vec0 would store it, and answer every question with it first.
    """
    if len(vector) != dimensions * FLOAT_BYTES:
        raise BadVector(
            f"a vector of {dimensions} float32 numbers has {dimensions * FLOAT_BYTES} bytes, "
            f"not {len(vector)}; was it made by another model?"
        )
    size = math.hypot(*array("f", vector))
    if not _SMALLEST <= size <= _LARGEST:
        raise BadVector(f"a vector of length {size} says nothing; the model failed on this text")
    return size


class VectorStore:
    """The vectors of one space, made by one model: one writer, several readers."""

    def __init__(self, store: Store, damage: Sequence[str] = ()) -> None:
        """Wrap an open file; ``open`` is the way here."""
        self._store = store
        self.path = store.path
        self.damage = tuple(damage)
        """A sentence for each file that was thrown away when this one was opened."""
        self.dimensions = int(store.peek().meta("dimensions"))

    @classmethod
    def open(cls, folder: str, fingerprint: str, dimensions: int) -> "VectorStore":
        """Open the vectors a model has made so far, or begin with none.

        Those of another model stay beside them until ``finish``.

        Args:
            folder: The space's folder of state; made when missing.
            fingerprint: Of everything that decides which text gives which numbers.
            dimensions: Numbers in a vector.

        Raises:
            VectorsMissing: sqlite-vec cannot be loaded.
            StoreError: The folder cannot be used.
        """
        return cls(*newest_file(folder, fingerprint, dimensions, faults))

    @property
    def complete(self) -> bool:
        """Whether every note once had its vectors; the builder says so with ``finish``."""
        return bool(self._store.peek().meta("complete"))

    def finish(self) -> None:
        """Declare the first build done; what other models made is deleted."""
        with self.write() as writer:
            if not writer.meta("complete"):
                writer.set_meta("complete", 1)
        only(self.path)

    def intact(self) -> bool:
        """Whether the name still leads to the file we opened."""
        return self._store.intact()

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        """Run one transaction, in the thread that opened the file.

        Raises:
            StoreError: Nothing of it was kept.
        """
        with vec_translated(self.path), self._store.write() as writer:
            yield writer

    @contextlib.contextmanager
    def read(self) -> Iterator[Reader]:
        """Read one generation, from any thread, beside the writer.

        Raises:
            StoreError: The file cannot be read.
        """
        with vec_translated(self.path), self._store.read() as reader:
            yield reader

    def close(self, *, delete: bool = False) -> None:
        """Close once the readers at work are done; optionally remove the files then."""
        self._store.close(delete=delete)

    def put(
        self, writer: Writer, note: str, digest: bytes, words: int, pieces: Sequence[Piece],
        language: str | None = None, *, anew: bool = False,
    ) -> None:  # fmt: skip
        """Let these be all the vectors of a note; it is no longer set aside.

        A passage whose hash the note had before keeps its row, wherever in the note it stands now.

        Args:
            writer: The transaction.
            note: The note's key.
            digest: Of all passages and the rules that made them; ``state`` gives it back.
            words: Words of the note's body.
            pieces: In any order; none for a note that says nothing.
            language: Code of the note's language, None where it cannot be told.
            anew: Also store what is there already.

        Raises:
            BadVector: Nothing of it was written.
        """
        for piece in pieces:
            size_of(piece.vector, self.dimensions)
        table = vec_of(writer)
        kept: dict[bytes, list[tuple[int, int]]] = {}
        sql = "SELECT hash, id, sum FROM passage WHERE note = ? ORDER BY position DESC"
        for fingerprint, passage, known in writer.rows(sql, (note,)):
            kept.setdefault(fingerprint, []).append((passage, known))
        writer.run("DELETE FROM passage WHERE note = ?", (note,))
        insert = "INSERT INTO passage (id, note, position, hash, line, sum) VALUES (?, ?, ?, ?, ?, ?)"
        for position, fingerprint, vector, line in pieces:
            old = None if anew else kept.get(fingerprint)
            if old:
                passage, known = old.pop()
                writer.run(insert, (passage, note, position, fingerprint, line, known))
            else:
                row = (None, note, position, fingerprint, line, sum_of(vector))
                passage = writer.insert(insert, row)
                writer.run(f"INSERT INTO {table} (rowid, embedding) VALUES (?, ?)", (passage, vector))
        gone = [(passage,) for passages in kept.values() for passage, _ in passages]
        writer.many(f"DELETE FROM {table} WHERE rowid = ?", gone)
        writer.run("INSERT OR REPLACE INTO embedded VALUES (?, ?, ?, ?)", (note, digest, words, language))
        writer.run("DELETE FROM set_aside WHERE note = ?", (note,))
        _changed(writer, note)

    def remove(self, writer: Writer, notes: Iterable[str]) -> None:
        """Forget some notes; those that are not known are passed over."""
        table = vec_of(writer)
        for note in notes:
            passages = writer.rows("SELECT id FROM passage WHERE note = ?", (note,))
            writer.many(f"DELETE FROM {table} WHERE rowid = ?", passages)
            known = passages or writer.row("SELECT 1 FROM embedded WHERE note = ?", (note,))
            for name in ("passage", "embedded", "set_aside"):
                writer.run(f"DELETE FROM {name} WHERE note = ?", (note,))
            if known:
                _changed(writer, note)

    def set_aside(self, writer: Writer, note: str, digest: bytes, reason: str) -> int:
        """Remember that a note could not be embedded; what it has so far stays.

        Returns:
            How often this digest of it was tried in vain by now.
        """
        row = writer.row("SELECT tries FROM set_aside WHERE note = ? AND hash = ?", (note, digest))
        tries = row[0] + 1 if row else 1
        writer.run("INSERT OR REPLACE INTO set_aside VALUES (?, ?, ?, ?)", (note, digest, reason, tries))
        return int(tries)

    def state(self, notes: Collection[str] | None = None) -> dict[str, State]:
        """How far some notes have come, or all that are known; a note that is not in it was never seen."""
        sql = """SELECT e.note, e.digest, e.words, s.hash, s.reason, s.tries
                 FROM embedded e LEFT JOIN set_aside s ON s.note = e.note {}
                 UNION ALL
                 SELECT s.note, NULL, 0, s.hash, s.reason, s.tries FROM set_aside s
                 WHERE s.note NOT IN (SELECT note FROM embedded) {}"""
        with self.read() as reader:
            if notes is None:
                rows = reader.rows(sql.format("", ""))
            else:
                one = sql.format("WHERE e.note = ?", "AND s.note = ?")
                rows = [row for note in notes for row in reader.rows(one, (note, note))]
        return {note: State(d, w, f, reason or "", tries or 0) for note, d, w, f, reason, tries in rows}

    def counts(self) -> Counts:
        """Count what there is."""
        with self.read() as reader:
            return Counts(
                *(
                    int(reader.value(f"SELECT count(*) FROM {table}"))
                    for table in ("embedded", "passage", "set_aside")
                )
            )

    def check(self, live: Collection[str] | None = None) -> list[str]:
        """What is wrong, a sentence each; none when all is well.

        Args:
            live: Keys of all notes of the index; None leaves notes that are gone unnoticed.
        """
        with self.read() as reader:
            return faults(reader) + ([] if live is None else strays(reader, live))

    def strays(self, live: Collection[str]) -> list[str]:
        """The part of it for which the file need not be made anew."""
        with self.read() as reader:
            return strays(reader, live)

    def compact(self, *, force: bool = False) -> bool:
        """Copy the vectors when they take twice the room they need; returns whether it did.

        vec0 frees a chunk only when all its rows are gone, and never fills a gap.

        Args:
            force: Copy in any case, so that no trace is left of what was deleted.
        """
        with self.read() as reader:
            table = vec_of(reader)
            number = int(reader.value("SELECT count(*) FROM passage"))
            chunks = int(reader.value(f"SELECT count(*) FROM {table}_chunks"))
        if not force and chunks <= 2 * max(1, math.ceil(number / CHUNK)):
            return False
        with self.write() as writer:
            # A new name: vec0 breaks when it is renamed. Rows keep their ids: nobody has to load anew.
            made = int(writer.meta("vec")) + 1
            writer.run(make_vec(made, self.dimensions))
            rows = f"SELECT rowid, embedding FROM {table} ORDER BY rowid"
            writer.run(f"INSERT INTO vec_{made} (rowid, embedding) {rows}")
            writer.run(f"DROP TABLE {table}")
            writer.set_meta("vec", made)
            writer.run("DELETE FROM change WHERE note NOT IN (SELECT note FROM embedded)")
            writer.set_meta("forgotten", writer.generation)
        with vec_translated(self.path):
            self._store.peek().rows("PRAGMA incremental_vacuum")
            self._store.harden()
        return True


def _changed(writer: Writer, note: str) -> None:
    writer.run("INSERT OR REPLACE INTO change VALUES (?, ?)", (note, writer.generation + 1))
