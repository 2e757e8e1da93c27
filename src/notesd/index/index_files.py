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

import apsw

from notesd.errors import NotesdError, StoreCorrupt
from notesd.index import schema
from notesd.index.store import Store, delete_files, translated

_FILE = re.compile(r"index-(\d{6,})-([0-9a-f]{8})\.db")


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
    number, nonce = _number(store.path) + 1, secrets.token_hex(4)
    path = os.path.join(folder, f"index-{number:06d}-{nonce}.db")
    with translated(store.path):
        db = store._writer  # noqa: SLF001 -- called by the thread that writes; VACUUM cannot run in a transaction
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
    usable.sort(key=lambda store: (int(store.peek().meta("complete")), _number(store.path)), reverse=True)
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


def _number(path: str) -> int:
    """Number in the name of a file; a later build has a greater one."""
    found = _FILE.fullmatch(os.path.basename(path))
    return int(found[1]) if found else 0
