"""Has every passage its vector, as it was stored, every vector its passage, and does a search find all?"""

from collections.abc import Callable, Collection

from notesd.errors import StoreCorrupt
from notesd.index.store import Reader
from notesd.index.vector_files import vec_of
from notesd.index.vector_rows import every_vector

MOST_NEIGHBOURS = 4_096
"""vec0 refuses to look for more."""
_NAMED = 5
"""So many examples are enough in a sentence."""


def faults(reader: Reader) -> list[str]:
    """What is wrong with the vectors of a space, a sentence each; none when all is well."""
    return [sentence for check in _CHECKS if (sentence := check(reader))]


def strays(reader: Reader, live: Collection[str]) -> list[str]:
    """What the file has too much, a sentence.

    Args:
        reader: The vectors of a space.
        live: Keys of all notes of the index.
    """
    sql = " UNION ".join(f"SELECT note FROM {name}" for name in ("passage", "embedded", "set_aside"))
    known = {row[0] for row in reader.rows(sql)}
    return _named("with vectors that the index does not know", known.difference(live))


def _named(what: str, notes: Collection[str]) -> list[str]:
    if not notes:
        return []
    some = ", ".join(sorted(notes)[:_NAMED]) + (", ..." if len(notes) > _NAMED else "")
    return [f"notes {what} ({len(notes)}): {some}"]


def _as_many(reader: Reader) -> str | None:
    passages = reader.value("SELECT count(*) FROM passage")
    rows = reader.value(f"SELECT count(*) FROM {vec_of(reader)}")
    return None if passages == rows else f"there are {passages} passages and {rows} vectors"


def _belong(reader: Reader) -> str | None:
    table = vec_of(reader)
    lost = reader.value(f"SELECT count(*) FROM passage WHERE id NOT IN (SELECT rowid FROM {table})")
    orphans = reader.value(f"SELECT count(*) FROM {table} WHERE rowid NOT IN (SELECT id FROM passage)")
    if not lost and not orphans:
        return None
    return f"passages without a vector: {lost}; vectors without a passage: {orphans}"


def _accounted(reader: Reader) -> str | None:
    sql = "SELECT DISTINCT note FROM passage WHERE note NOT IN (SELECT note FROM embedded)"
    found = _named("of which the file does not know what was embedded", [row[0] for row in reader.rows(sql)])
    return found[0] if found else None


def _sound(reader: Reader) -> str | None:
    """Read every vector, and every other value."""
    for name in ("embedded", "set_aside", "passage"):
        for _ in reader.each(f"SELECT * FROM {name}"):
            pass
    try:
        for _ in every_vector(reader):
            pass
    except StoreCorrupt as error:
        return str(error.data["why"])
    return None


def _findable(reader: Reader) -> str | None:
    """Search as vec0 does: every vector must come back, each with a distance."""
    table = vec_of(reader)
    first = reader.row(f"SELECT embedding FROM {table} LIMIT 1")
    if first is None:
        return None
    expected = min(int(reader.value("SELECT count(*) FROM passage")), MOST_NEIGHBOURS)
    sql = f"SELECT count(*), count(distance) FROM {table} WHERE embedding MATCH ? AND k = ?"
    found, distances = reader.rows(sql, (first[0], max(1, expected)))[0]
    if found == distances == expected:
        return None
    return f"a search for {expected} vectors gives {found}, {found - distances} of them without a distance"


_CHECKS: tuple[Callable[[Reader], str | None], ...] = (_as_many, _belong, _accounted, _sound, _findable)
