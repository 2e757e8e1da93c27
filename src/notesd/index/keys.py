"""Which note is it, whatever it is called now? Keys that outlive renames, rebuilds and absences.

A note's key is its front matter's ``id``, ``uid`` or ``permalink``, else a random one. What use
teaches hangs on it, so it must not go when a file is moved while nobody looks, or when the index is
built anew.
"""

import secrets
import time
from collections.abc import Iterable
from typing import Literal

from notesd.index.store import Reader, Writer
from notesd.model import Note, NotePath

KEPT_S = 90 * 86_400
"""So long a note may be away and still be the same one."""


Row = tuple[str, NotePath, bytes | None, str | None]
"""Key, path, digest and stable key of a note."""


def key_for(writer: Writer, note: Note, digest: bytes | None) -> str:
    """Return the key of a note that is new to the index: an old one that fits, or one of its own.

    A note that is gone fits by its path, by the id in its front matter, or by its very bytes, in this order.

    Args:
        writer: The index.
        note: The note.
        digest: Of its bytes; None: it says nothing, and all such notes are alike.
    """
    if not writer.row("SELECT 1 FROM gone LIMIT 1"):
        return _own_key(writer, note)
    tests: list[tuple[str, object]] = [("path = ?", note.path)]
    if note.stable_key:
        tests.append(("stable_key = ?", note.stable_key))
    if digest is not None:
        tests.append(("digest = ?", digest))
    for test, value in tests:
        row = writer.row(f"SELECT key FROM gone WHERE {test} ORDER BY since DESC, path LIMIT 1", (value,))
        if row:
            writer.run("DELETE FROM gone WHERE key = ?", row)
            return str(row[0])
    return _own_key(writer, note)


def _own_key(reader: Reader, note: Note) -> str:
    own = f"id:{note.stable_key}"
    if note.stable_key and not _taken(reader, own):
        return own
    return secrets.token_hex(8)


def _taken(reader: Reader, key: str) -> bool:
    sql = "SELECT 1 FROM note WHERE key = ? UNION ALL SELECT 1 FROM gone WHERE key = ?"
    return reader.row(sql, (key, key)) is not None


def retire(writer: Writer, note_id: int) -> None:
    """Keep the key of a note that is about to go."""
    sql = """INSERT OR REPLACE INTO gone (key, path, digest, stable_key, since)
             SELECT key, path, digest, stable_key, ? FROM note WHERE id = ?"""
    writer.run(sql, (int(time.time()), note_id))


def hand_over(old: Reader, writer: Writer) -> None:
    """Give a new, empty index the keys of the one it will replace."""
    now = int(time.time())
    alive = old.rows("SELECT key, path, digest, stable_key FROM note")
    gone = old.rows("SELECT key, path, digest, stable_key, since FROM gone WHERE since > ?", (now - KEPT_S,))
    writer.many("INSERT OR IGNORE INTO gone VALUES (?, ?, ?, ?, ?)", [(*row, now) for row in alive] + gone)


def take_over(writer: Writer, rows: Iterable[Row]) -> None:
    """Give an index that starts with nothing the keys that something else remembers.

    Args:
        writer: The index.
        rows: Key, path, digest and stable key of notes as they were.
    """
    now = int(time.time())
    writer.many(
        "INSERT OR IGNORE INTO gone VALUES (?, ?, ?, ?, ?)",
        [(key, path, digest or b"", stable_key, now) for key, path, digest, stable_key in rows],
    )


def traces(reader: Reader, column: Literal["key", "path"], values: Iterable[str]) -> list[Row]:
    """Key, path, digest and stable key of the notes with some keys or at some paths."""
    sql = f"SELECT key, path, digest, stable_key FROM note WHERE {column} = ?"
    return [row for value in values for row in reader.rows(sql, (value,))]
