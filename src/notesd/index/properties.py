"""Which properties do the notes have, with which values?"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from notesd.index.store import Reader, Writer
from notesd.parse.properties import Wanted, comparable, fold_key

MOST_KEYS: Final = 10_000
"""Keys of a folder that filters can name."""
_MOST_HOLDING: Final = 1_000
"""Values in which a text stands as words that are taken for it."""
_WORD: Final = re.compile(r"\w")
_MOST_HELD: Final = 100
"""Texts of one property that no note has, and for which such values are looked for."""

_pairs = msgspec.msgpack.Decoder(tuple[tuple[str, str], ...])


def unpacked(packed: bytes | None) -> tuple[tuple[str, str], ...]:
    """Key and value of each property of a note, as its row has them; None: it has none."""
    return _pairs.decode(packed) if packed else ()


def values_of(reader: Reader, note_id: int, key: str) -> list[str]:
    """The values that a note has of one property, as it spells them."""
    packed = reader.value("SELECT properties FROM note WHERE id = ?", (note_id,))
    return [value for name, value in unpacked(packed) if fold_key(name) == key]


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


_KEYS = f"""WITH RECURSIVE every(key) AS (
    SELECT min(key) FROM property
    UNION ALL SELECT (SELECT min(key) FROM property WHERE key > every.key) FROM every WHERE key IS NOT NULL
) SELECT key FROM every WHERE key IS NOT NULL LIMIT {MOST_KEYS}"""
"""From one key to the next along the index, whatever the number of notes."""


def keys(reader: Reader) -> frozenset[str]:
    """Keys of the properties that the notes have, folded."""
    return frozenset(row[0] for row in reader.rows(_KEYS))


def meant(reader: Reader, every: Iterable[Wanted]) -> dict[Wanted, Wanted]:
    """What is asked for where no note has a text itself: the values in which it stands as words."""
    unique = list(dict.fromkeys(every))
    asked = [(one.key, text) for one in unique if one.words for text in one.texts]
    sql = """SELECT value ->> 0, value ->> 1 FROM json_each(?) AS asked WHERE NOT EXISTS
        (SELECT 1 FROM property WHERE key = asked.value ->> 0 AND property.value = asked.value ->> 1)"""
    absent: dict[str, list[str]] = {}
    for key, text in reader.rows(sql, (msgspec.json.encode(asked).decode(),)) if asked else ():
        absent.setdefault(key, []).append(text)
    holding: dict[tuple[str, str], list[str]] = {}
    for key, texts in absent.items():
        few = texts[:_MOST_HELD]
        whole = "\n".join(values(reader, key, few[0] if len(few) == 1 else ""))
        for text in few:
            reader.meter.check()
            holding[key, text] = _holding(whole, text)
    return {
        one: replace(one, texts=(*one.texts, *held))
        if one.words and (held := [value for text in one.texts for value in holding.get((one.key, text), ())])
        else one
        for one in unique
    }


def _holding(whole: str, text: str) -> list[str]:
    """The lines of a text in which another text stands as words."""
    found: dict[str, None] = {}
    for place in re.finditer(rf"{re.escape(text)}(?!\w)", whole):  # begins with plain signs: that is fast
        if not _WORD.match(whole, place.start() - 1) or place.start() == 0:
            start, end = whole.rfind("\n", 0, place.start()) + 1, whole.find("\n", place.end())
            found[whole[start : end if end >= 0 else len(whole)]] = None
            if len(found) == _MOST_HOLDING:
                break
    return list(found)


def values(reader: Reader, key: str, holding: str = "") -> list[str]:
    """The values of one property, folded, or those that hold a text."""
    sql = "SELECT DISTINCT value FROM property WHERE key = ? AND instr(value, ?)"
    return [row[0] for row in reader.rows(sql, (key, holding))]


def spelled(reader: Reader, key: str, value: str) -> str:
    """One of the values of a property as a note spells it; both are given folded."""
    return _as_written(reader, key, value)[1]


def _as_written(reader: Reader, key: str, value: str) -> tuple[str, str]:
    sql = """SELECT note.properties FROM property JOIN note ON note.id = property.note
        WHERE property.key = ? AND property.value = ? ORDER BY note.path LIMIT 1"""
    for name, own in unpacked(reader.value(sql, (key, value))):
        if fold_key(name) == key and comparable(own).text == value:
            return name, own
    return key, value


class Counted(Struct, frozen=True):
    """A property, and in how many notes it stands."""

    name: str
    """As a note spells it."""
    key: str
    """Folded."""
    notes: int
    values: int
    """Different ones."""


def counted(reader: Reader, key: str) -> Counted | None:
    """One property, by its folded key; None: no note has it."""
    sql = """SELECT count(DISTINCT note), count(DISTINCT NULLIF(value, '')), max(value)
        FROM property WHERE key = ?"""
    ((in_notes, different, value),) = reader.rows(sql, (key,))
    return Counted(_as_written(reader, key, value)[0], key, in_notes, different) if in_notes else None


def most_common(reader: Reader, key: str, most: int = -1) -> Iterator[tuple[str, int]]:
    """The values of a property as notes spell them, and in how many notes each stands, the commonest first.

    Args:
        reader: The index.
        key: Folded.
        most: How many at most; -1: all.
    """
    sql = """SELECT value, count(*) FROM property WHERE key = ? AND value <> ''
        GROUP BY value ORDER BY count(*) DESC, value LIMIT ?"""
    for value, number in reader.rows(sql, (key, most)):
        yield spelled(reader, key, value), number
