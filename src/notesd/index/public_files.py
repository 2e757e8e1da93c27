"""An index without its private notes: which are they, and what does a copy of it lack?

The copy is a file of its own beside the index, so that whoever reads it can meet no private note: not
among the notes, nor in a number, a statistic of words or what a link leads to.
"""

import contextlib
import os
import re
import secrets

import apsw

from notesd.index import keys
from notesd.index.index_files import whole_or_none
from notesd.index.store import Reader, Row, Store, Writer, delete_files, reachable, translated
from notesd.model import NotePath

_FILE = re.compile(r"public-[0-9a-f]{8}\.db")
_NOTE = (
    "path, key, digest, size, mtime_ns, ctime_ns, inode, device, racy, title, private, embed, names, problems"
)
_SKIPPED = "path, size, mtime_ns, ctime_ns, inode, device, private"


def hides_any(reader: Reader) -> bool:
    """Whether any note of an index is private, be it left out on its own wish."""
    sql = """SELECT EXISTS (SELECT 1 FROM note WHERE private)
             OR EXISTS (SELECT 1 FROM skipped WHERE private)"""
    return bool(reader.value(sql))


def hidden(reader: Reader) -> frozenset[NotePath]:
    """Paths of the private notes of an index, those that are left out on their own wish with them."""
    sql = "SELECT path FROM note WHERE private UNION ALL SELECT path FROM skipped WHERE private"
    return frozenset(row[0] for row in reader.rows(sql))


def private(reader: Reader) -> list[NotePath]:
    """Paths of the private notes that are indexed."""
    return [row[0] for row in reader.rows("SELECT path FROM note WHERE private ORDER BY path")]


def copied(reader: Reader, folder: str) -> Store:
    """Copy the index that a reader sees into a file beside it, as it is.

    Raises:
        StoreError: The copy cannot be written.
    """
    path = os.path.join(folder, f"public-{secrets.token_hex(4)}.db")
    with whole_or_none(path), translated(path):
        target = apsw.Connection(path)
        try:
            reader.copy_into(target)
        finally:
            target.close()
        return Store(path)


def clear(folder: str) -> None:
    """Delete the copies that a daemon before this one left."""
    with reachable(folder), contextlib.suppress(FileNotFoundError):
        for name in os.listdir(folder):
            if _FILE.fullmatch(name):
                delete_files(os.path.join(folder, name))


def facts_of_notes(reader: Reader) -> dict[NotePath, Row]:
    """What tells a note from another that was at its path, of every note that is not private."""
    return {row[0]: row for row in reader.rows(f"SELECT {_NOTE} FROM note WHERE NOT private")}


def know_keys(reader: Reader, writer: Writer, paths: list[NotePath]) -> None:
    """Let the notes at some paths have the keys in the copy that they have in the index."""
    writer.run("DELETE FROM gone")
    keys.take_over(writer, keys.traces(reader, "path", paths))


def know_facts(reader: Reader, writer: Writer) -> None:
    """Let the copy say of itself what the index says, and know no keys or wishes of private notes."""
    writer.run("DELETE FROM gone")
    writer.run("DELETE FROM skipped")
    rows = reader.rows(f"SELECT {_SKIPPED} FROM skipped WHERE NOT private")
    writer.many(f"INSERT INTO skipped ({_SKIPPED}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    for key in ("complete", "unpurged", "root"):
        writer.set_meta(key, reader.meta(key))
    # The number grows by one with each change that is committed: after that both are at the same one.
    writer.set_meta("generation", reader.generation - 1)
