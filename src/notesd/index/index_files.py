"""Which file is the index of a space?

A space's folder of state holds ``index-NUMBER-NONCE.db``. A rebuild makes the next number beside the
live one and the newest complete file wins, so nothing is ever renamed over a database that may still
have a write-ahead log of its own: SQLite would replay a foreign log without a word. The nonce in the
name must equal the one inside, which unmasks such a log.
"""

import contextlib
import os
import re
import secrets
from collections.abc import Iterator

from notesd.errors import NotesdError, StoreCorrupt
from notesd.index import damage as damaged
from notesd.index import schema
from notesd.index.store import Store, delete_files, reachable, translated

_KNOWN_TABLES = 2
_FILE = re.compile(r"index-(\d{6,})-([0-9a-f]{8})\.db")


def create(
    folder: str, *, fingerprint: str, stemmer: str, generation: int = 0, durable: bool = False
) -> Store:
    """Make the next index file in ``folder``, empty and not yet complete.

    Args:
        folder: The space's folder of state; it exists.
        fingerprint: See ``schema.fingerprint``.
        stemmer: Languages whose endings are cut, with commas between; ``none``: no endings are.
        generation: Where to go on counting.
        durable: See ``Store``.
    """
    with reachable(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)  # somebody may have removed it under the daemon
    number = max((n for n, _ in index_files(folder)), default=0) + 1
    nonce = secrets.token_hex(4)
    path = os.path.join(folder, f"index-{number:06d}-{nonce}.db")
    with whole_or_none(path), translated(path):
        store = Store(path, create=True, durable=durable)
        db = store._writer  # noqa: SLF001 -- a store not yet handed out
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}").fetchall()
        db.execute(f"PRAGMA user_version = {schema.layout()}").fetchall()
        with db:
            for ddl in (*schema.TABLES, *schema.fulltext_tables()):
                db.execute(ddl).fetchall()
            facts = {
                "fingerprint": fingerprint,
                "nonce": nonce,
                "stemmer": stemmer,
                "generation": generation,
                "complete": 0,
                "boot": _boot(),
            }
            db.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
    return store


def purged(store: Store, folder: str) -> Store:
    """Copy an index without a trace of what was deleted from it; the copy takes its place.

    A deleted row leaves its bytes in free pages, a deleted word in the segments of the full-text
    index until they are merged.
    """
    number, nonce = _number(store.path) + 1, secrets.token_hex(4)
    path = os.path.join(folder, f"index-{number:06d}-{nonce}.db")
    with whole_or_none(path):
        with translated(store.path):
            db = store._writer  # noqa: SLF001 -- called by the thread that writes; VACUUM cannot run in a transaction
            for table in ("fulltext", "documents", "written"):
                db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')").fetchall()
            db.execute("VACUUM INTO ?", (path,)).fetchall()
        copy = Store(path)
        with copy.write() as writer:
            writer.set_meta("nonce", nonce)
            writer.run("DELETE FROM meta WHERE key = 'unpurged'")
    return copy


@contextlib.contextmanager
def whole_or_none(path: str) -> Iterator[None]:
    """Leave no file behind that could not be made: the next try makes another."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            delete_files(path)
        raise


def index_files(folder: str) -> list[tuple[int, str]]:
    """``(number, path)`` of each index file in ``folder``, oldest first.

    Raises:
        StoreError: The folder cannot be listed.
    """
    with reachable(folder), contextlib.suppress(FileNotFoundError):
        found = [(m, n) for n in os.listdir(folder) if (m := _FILE.fullmatch(n))]
        return sorted((int(m[1]), os.path.join(folder, n)) for m, n in found)
    return []


def open_newest(folder: str) -> tuple[Store | None, list[str]]:
    """Open the index to answer from, and clear away what no longer serves.

    The newest complete file wins; when none is complete, the newest unfinished one is taken up
    where it was left. What is damaged is moved aside. With a complete file, everything older in ``folder``
    is deleted: it is derived.

    Returns:
        The store, None when there is nothing usable; and a sentence for each damaged file.

    Raises:
        StoreError: A file that may be the one to answer from cannot be read now.
    """
    usable: list[tuple[bool, Store]] = []
    damage: list[str] = []
    try:
        for _, path in reversed(index_files(folder)):
            try:
                store = opened(path)
                if _may_be_torn(store):
                    damage.append(f"{path} was not finished before the machine went down; it is begun anew")
                    store.close(delete=True)
                    continue
                usable.append((bool(store.peek().meta("complete")), store))
            except StoreCorrupt as error:
                damage.append(error.message)
                damaged.set_aside(path)
            except NotesdError:
                if not any(complete for complete, _ in usable):
                    raise
    except BaseException:
        for _, store in usable:
            store.close()
        raise
    usable.sort(key=lambda one: (one[0], _number(one[1].path)), reverse=True)
    for _, store in usable[1:]:
        store.close(delete=True)
    if not usable:
        return None, damage
    complete, store = usable[0]
    if complete:
        clear_aside(folder)
    return store, damage


def clear_aside(folder: str) -> None:
    """Delete damaged files; there is a complete one in their place."""
    damaged.clear_aside(folder, "index-")


def opened(path: str) -> Store:
    """Open an index file that can be trusted.

    Raises:
        StoreCorrupt: It never can be again.
        StoreError: It cannot be read now.
    """
    return damaged.trusted(path, lambda: _opened(path))


def reopened(path: str, error: StoreCorrupt) -> Store:
    """Open an index again that somebody found to be damaged, because it is sound all the same.

    Raises:
        StoreCorrupt: It is damaged.
        StoreError: It cannot be read now.
    """
    damaged.confirm(path, error)
    return opened(path)


def _opened(path: str) -> Store:
    store = Store(path)
    try:
        with translated(path):
            _refuse_unfit(store)
    except BaseException:
        store.close()
        raise
    return store


def _refuse_unfit(store: Store) -> None:
    """Look at a file that opens.

    Raises:
        StoreCorrupt: It cannot be trusted.
    """
    if fault := _fault(store):
        text = f"{store.path} {fault}; it is rebuilt from the notes"
        raise StoreCorrupt(text, path=store.path, why=fault, sure=True)


def _fault(store: Store) -> str | None:
    """Return what is wrong with a file that opens, None when it can be trusted.

    SQLite's own checks call a foreign or shortened log "ok", so the file has to know its own name
    and its parts have to agree in number.
    """
    reader = store.peek()
    name = os.path.basename(store.path)
    if reader.value("PRAGMA application_id") != schema.APPLICATION_ID:
        return "is not an index of notesd"
    if reader.value("SELECT count(*) FROM sqlite_schema WHERE name IN ('meta', 'note')") != _KNOWN_TABLES:
        return "has no tables"
    if reader.value("PRAGMA user_version") != schema.layout():
        return "was written by another version of notesd"
    if reader.meta("nonce") != name[-11:-3]:
        return "holds another index than its own"
    rows = {
        table: int(reader.value(f"SELECT count(*) FROM {table}"))
        for table in ("note", "observation", "fulltext_docsize", "documents_docsize")
    }
    with_words = rows["fulltext_docsize"] + rows["documents_docsize"]
    return None if rows["note"] == rows["observation"] == with_words else "has lost rows"


def _may_be_torn(store: Store) -> bool:
    """Whether some of it may never have reached the disk: a build is synced when it is complete.

    A process that ends, however it does, costs nothing; a machine does.
    """
    reader = store.peek()
    if reader.meta("complete"):
        return False
    boot = reader.meta("boot")
    return not boot or boot != _boot()


def _boot() -> str:
    """What tells this run of the machine from all others; empty where the system does not say."""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as source:
        return source.read().strip()
    return ""


def _number(path: str) -> int:
    """Number in the name of a file; a later build has a greater one."""
    found = _FILE.fullmatch(os.path.basename(path))
    return int(found[1]) if found else 0
