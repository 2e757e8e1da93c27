"""Which file holds a model's vectors of a space, and can it be trusted?

``vectors-NUMBER-NONCE.db`` beside the index, with the same care: the newest complete file of the model
wins, nothing is renamed over anything, and the nonce in the name must equal the one inside, which unmasks
another file's write-ahead log.
"""

import contextlib
import functools
import hashlib
import importlib.util
import os
import re
import secrets
from collections.abc import Callable, Iterator

import apsw

from notesd.errors import StoreCorrupt, VectorsMissing
from notesd.index.damage import clear_aside, set_aside, trusted
from notesd.index.store import Reader, Store, delete_files, reachable, translated

APPLICATION_ID = 0x6E6F7476
"""``notv``: tells our files from other SQLite databases."""
CHUNK = 128
"""Vectors that vec0 keeps in one piece. With its own 1,024 a search of vec0 is a tenth faster, but one vector
is then read in 65 us instead of 6 once the file has been used for a while, and a small space takes 1.5 MB."""

_FILE = re.compile(r"vectors-(\d{6,})-([0-9a-f]{8})\.db")
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    # AUTOINCREMENT: whoever remembers an id must never find another passage's vector under it.
    """CREATE TABLE passage (
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- the vector's rowid
        note TEXT NOT NULL,                    -- the note's key in the index
        position INTEGER NOT NULL,             -- in the note, from 0; of a heading from -1 down
        hash BLOB NOT NULL,                    -- of the text that was encoded
        line INTEGER NOT NULL,                 -- where it begins in the file, from 1; 0: nobody said
        sum INTEGER NOT NULL,                  -- of the vector, see vector_rows.sum_of
        UNIQUE (note, position)
    )""",
    # What was embedded; equal digest, nothing to do.
    """CREATE TABLE embedded (
        note TEXT PRIMARY KEY, digest BLOB NOT NULL,
        words INTEGER NOT NULL,                -- of the note's body
        language TEXT                          -- the note's; NULL: cannot be told
    ) WITHOUT ROWID""",
    """CREATE TABLE set_aside (
        note TEXT PRIMARY KEY, hash BLOB NOT NULL, reason TEXT NOT NULL, tries INTEGER NOT NULL
    ) WITHOUT ROWID""",
    # In which generation a note last got, changed or lost vectors: what is in memory catches up by it.
    "CREATE TABLE change (note TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX change_generation ON change (generation)",
)


def make_vec(number: int, dimensions: int) -> str:
    """DDL of the table of vectors; each copy of it has another number."""
    return (
        f"CREATE VIRTUAL TABLE vec_{number} USING vec0("
        f"embedding float[{dimensions}] distance_metric=cosine, chunk_size={CHUNK})"
    )


def vec_of(reader: Reader) -> str:
    """Name of the table of vectors that a reader sees."""
    return f"vec_{int(reader.meta('vec'))}"


def extension() -> str:
    """Path of sqlite-vec without its suffix, found without importing it: that would import numpy.

    Raises:
        VectorsMissing: The package is not installed.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    for folder in (spec and spec.submodule_search_locations) or ():
        return os.path.join(folder, "vec0")
    raise VectorsMissing("sqlite-vec is not installed; pip install 'notesd[semantic]'")


def prepare(db: apsw.Connection) -> None:
    """Give a connection vec0, and a new file its layout.

    Raises:
        VectorsMissing: The extension is not there or does not load.
    """
    path = extension()
    db.enable_load_extension(enable=True)
    try:
        db.load_extension(path, "sqlite3_vec_init")
    except apsw.ExtensionLoadingError as error:
        raise VectorsMissing(
            f"{path} cannot be loaded ({error}); install sqlite-vec again", path=path
        ) from error
    finally:
        db.enable_load_extension(enable=False)
    if db.readonly("main"):
        return
    # One vector lies deep in a chain of pages. With large pages, and with the map of pages that auto_vacuum
    # keeps, it is found in a few steps: 6 us instead of 270. Both only tell in a new file.
    db.execute("PRAGMA page_size = 16384").fetchall()
    db.execute("PRAGMA auto_vacuum = incremental").fetchall()
    db.execute("PRAGMA secure_delete = on").fetchall()  # what is deleted shall be gone


def vector_files(folder: str) -> list[tuple[int, str]]:
    """``(number, path)`` of each file of vectors in ``folder``, oldest first.

    Raises:
        StoreError: The folder cannot be listed.
    """
    with reachable(folder), contextlib.suppress(FileNotFoundError):
        found = [(m, n) for n in os.listdir(folder) if (m := _FILE.fullmatch(n))]
        return sorted((int(m[1]), os.path.join(folder, n)) for m, n in found)
    return []


def only(path: str) -> None:
    """Delete every file of vectors beside this one, which is complete."""
    clear_aside(os.path.dirname(path), "vectors-")
    for _, other in vector_files(os.path.dirname(path)):
        if other != path:
            delete_files(other)


def newest_file(
    folder: str, fingerprint: str, dimensions: int, faults: Callable[[Reader], list[str]]
) -> tuple[Store, list[str]]:
    """Open the file to go on with, or make one, and clear away what no longer serves.

    A complete file of another model is kept as long as there is no complete one of this model; so is a
    damaged one, aside.

    Args:
        folder: The space's folder of state; made when missing.
        fingerprint: Of everything that decides which text gives which numbers.
        dimensions: Numbers in a vector.
        faults: Says what is wrong with what a file of this model holds.

    Returns:
        The file, and a sentence for each that was damaged.

    Raises:
        VectorsMissing: sqlite-vec cannot be loaded.
        StoreError: The folder cannot be used, or a file in it not be read now.
    """
    extension()
    with reachable(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    wanted = _full_fingerprint(fingerprint, dimensions)
    ours: list[tuple[bool, str, Store]] = []
    others: list[str] = []
    damage: list[str] = []
    try:
        for _, path in reversed(vector_files(folder)):
            try:
                store = trusted(path, functools.partial(_opened, path, wanted, faults), prepare)
            except StoreCorrupt as error:
                damage.append(error.message)
                set_aside(path)
                continue
            whole = bool(store.peek().meta("complete"))
            if store.peek().meta("fingerprint") == wanted:
                ours.append((whole, path, store))
            else:
                store.close(delete=not whole)
                others += [path] if whole else []
    except BaseException:
        for _, _, store in ours:
            store.close()
        raise
    ours.sort(reverse=True)
    for _, _, store in ours[1:]:
        store.close(delete=True)
    if not ours:
        return _create(folder, wanted, dimensions), damage
    whole, path, store = ours[0]
    if whole:
        only(path)
    return store, damage


def _full_fingerprint(fingerprint: str, dimensions: int) -> str:
    """Tables of another shape are as good as another model."""
    parts = (fingerprint, *_TABLES, make_vec(1, dimensions))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _create(folder: str, fingerprint: str, dimensions: int) -> Store:
    number = max((n for n, _ in vector_files(folder)), default=0) + 1
    nonce = secrets.token_hex(4)
    path = os.path.join(folder, f"vectors-{number:06d}-{nonce}.db")
    try:
        store = Store(path, create=True, prepare=prepare)
        with translated(path):
            db = store._writer  # noqa: SLF001 -- a store not yet handed out
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}").fetchall()
            with db:
                for ddl in (*_TABLES, make_vec(1, dimensions)):
                    db.execute(ddl).fetchall()
                facts = {
                    "fingerprint": fingerprint, "dimensions": dimensions, "vec": 1,
                    "generation": 0, "complete": 0, "nonce": nonce,
                }  # fmt: skip
                db.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
    except BaseException:
        delete_files(path)
        raise
    return store


def _opened(path: str, fingerprint: str, faults: Callable[[Reader], list[str]]) -> Store:
    """Open a file that can be trusted.

    Raises:
        StoreCorrupt: It cannot.
        StoreError: It cannot be read now.
    """
    store = Store(path, prepare=prepare)
    try:
        with translated(path), vec_translated(path):
            _refuse_unfit(store, fingerprint, faults)
    except BaseException:
        store.close()
        raise
    return store


def _refuse_unfit(store: Store, fingerprint: str, faults: Callable[[Reader], list[str]]) -> None:
    """Look at a file that opens.

    Raises:
        StoreCorrupt: It cannot be trusted.
    """
    reader, path, why = store.peek(), store.path, ""
    if reader.value("PRAGMA application_id") != APPLICATION_ID:
        why = "it holds no vectors of notesd"
    elif reader.meta("nonce") != os.path.basename(path)[-11:-3]:
        why = "it holds other vectors than its own"
    elif reader.meta("fingerprint") == fingerprint:  # nobody reads the others
        why = "; ".join(faults(reader))
    if why:
        text = f"{path} is damaged ({why}); its vectors are made anew"
        raise StoreCorrupt(text, path=path, why=why, sure=True)


@contextlib.contextmanager
def vec_translated(path: str) -> Iterator[None]:
    """What vec0 finds wrong in its tables, or cannot read, comes as an error of no particular kind."""
    try:
        yield
    except apsw.SQLError as error:
        text = f"{path} seems to be damaged ({error}); its vectors are made anew if it is"
        raise StoreCorrupt(text, path=path, why=str(error), sure=False) from error
