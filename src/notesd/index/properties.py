"""Which properties do the notes have, with which values?"""

from collections.abc import Iterable

import msgspec

from notesd.index.store import Writer
from notesd.parse.properties import comparable, fold_key

_pairs = msgspec.msgpack.Decoder(tuple[tuple[str, str], ...])


def unpacked(packed: bytes | None) -> tuple[tuple[str, str], ...]:
    """Key and value of each property of a note, as its row has them; None: it has none."""
    return _pairs.decode(packed) if packed else ()


def put(writer: Writer, note_id: int, pairs: Iterable[tuple[str, str]]) -> None:
    """Remember what can be compared of the properties of a note that has none yet."""
    rows = {(fold_key(key), comparable(value)): None for key, value in pairs}
    writer.many(
        "INSERT OR IGNORE INTO property VALUES (?, ?, ?, ?, ?)",
        [(key, value.text, note_id, value.number, value.day) for key, value in rows],
    )


def remove(writer: Writer, note_id: int) -> None:
    """Forget what can be compared of the properties that the row of a note has; the row stays."""
    pairs = unpacked(writer.value("SELECT properties FROM note WHERE id = ?", (note_id,)))
    if pairs:
        writer.many(
            "DELETE FROM property WHERE key = ? AND value = ? AND note = ?",
            [(fold_key(key), comparable(value).text, note_id) for key, value in pairs],
        )
