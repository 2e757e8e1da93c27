"""Which names are there that a filter can name, and which of those that were named are not there?"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from notesd.index import attachments, standing
from notesd.index.filters import Filters, narrowing, narrowing_files
from notesd.index.links import fold_relation, fold_tag
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import fold_name

_HELD: Mapping[str, tuple[Callable[[str], str], str]] = {
    "tag": (
        fold_tag,
        """SELECT 1 FROM tag WHERE folded = wanted.value UNION ALL
           SELECT 1 FROM tag WHERE folded >= wanted.value || '/' AND folded < wanted.value || '0'""",
    ),
    "type": (fold_name, "SELECT 1 FROM note WHERE type_folded = wanted.value"),
    "rel": (fold_relation, "SELECT 1 FROM link WHERE relation_folded = wanted.value"),
}
_WRITTEN: Mapping[str, str] = {
    "tag": "SELECT DISTINCT tag FROM tag",
    "type": """SELECT COALESCE(type, 'note') FROM note UNION SELECT 'attachment'
               UNION SELECT extension FROM attachment""",
    "ext": "SELECT DISTINCT extension FROM attachment",
    "rel": "SELECT DISTINCT relation FROM link WHERE relation_folded IS NOT NULL",
    "title": "SELECT title FROM note",
    "alias": "SELECT alias FROM alias",
}


def absent(reader: Reader, kind: str, names: Sequence[str]) -> list[str]:
    """Those of some names (of ``tag``, ``type`` or ``rel``) that no note has, as they were typed."""
    fold, held = _HELD[kind]
    folded = {name: fold(name) for name in names}
    sql = f"SELECT wanted.value FROM json_each(?) AS wanted WHERE NOT EXISTS ({held})"
    missing = {row[0] for row in reader.rows(sql, (json.dumps([*dict.fromkeys(folded.values())]),))}
    if kind == "type":
        missing = {name for name in missing if not attachments.any_of_type(reader, name)}
    return [name for name in names if folded[name] in missing]


def fits_any(reader: Reader, filters: Filters) -> bool:
    """Whether a filter lets any note, or file, of the index through."""
    every = (narrowing(filters), narrowing_files(filters))
    return any(one is None or reader.row(f"{one[0]} LIMIT 1", one[1]) is not None for one in every)


def written(reader: Reader, kind: str) -> Iterable[str]:
    """The names of a kind, as they are written; of tags and folders, with each that another lies below."""
    if kind in {"folder", "path"}:
        return _and_above(row[0].rpartition("/")[0] for row in reader.rows("SELECT path FROM note"))
    if kind in {"links", "linked"}:
        return (*written(reader, "title"), *written(reader, "alias"))
    names = (row[0] for row in reader.rows(_WRITTEN[kind]))
    return _and_above(names) if kind == "tag" else names


_BEGINNING: Mapping[str, tuple[str, ...]] = {
    "note": (
        "SELECT title FROM note WHERE title_folded >= ? AND title_folded < ? ORDER BY title_folded LIMIT ?",
        "SELECT alias FROM alias WHERE folded >= ? AND folded < ? ORDER BY folded LIMIT ?",
    ),
    "tag": ("SELECT DISTINCT tag FROM tag WHERE folded >= ? AND folded < ? ORDER BY folded LIMIT ?",),
}


def beginning(reader: Reader, kind: str, begins: str, most: int) -> list[str]:
    """Names (``note``: titles, aliases, names of files) or tags that begin so, case and accents aside.

    Args:
        reader: The index.
        kind: ``note`` or ``tag``; of tags also each that another lies below.
        begins: How they begin; empty: all.
        most: How many of each statement are wanted.
    """
    folded = fold_name(begins)
    bounds = (folded, f"{folded}\U0010ffff", most)
    names: Iterable[str] = [row[0] for sql in _BEGINNING[kind] for row in reader.rows(sql, bounds)]
    if kind == "note":
        return [*names, *attachments.beginning(reader, begins, most)]
    return [name for name in _and_above(names) if fold_name(name).startswith(folded)]


def _and_above(names: Iterable[str]) -> Iterable[str]:
    found: dict[str, None] = {}
    for name in names:
        above = name
        while above and above not in found:
            found[above] = None
            above = above.rpartition("/")[0]
    return found


def called(reader: Reader, folded: str) -> tuple[NoteId, ...]:
    """Notes that have ``folded`` (see ``fold_name``) as title, alias, file name or path, by path."""
    sql = "SELECT id FROM note WHERE path_folded IN (?, ?) ORDER BY path"
    at = [row[0] for row in reader.rows(sql, (folded, f"{folded}.md"))]
    return tuple(dict.fromkeys([*standing.named_exactly(reader, folded), *at]))
