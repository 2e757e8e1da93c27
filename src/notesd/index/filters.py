"""Which notes are looked at? Every filter as a SELECT of note ids, before anything is ranked."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from notesd.index.links import fold_tag
from notesd.index.notes import NoteId
from notesd.resolve.names import compose, fold, fold_accents, loose

Narrowing = tuple[str, Sequence[object]]
"""A SELECT of note ids, and its values."""


class Span(Struct, frozen=True, gc=False):
    """From ``start`` up to but without ``end``, days or times in ISO notation without a zone; None: open."""

    start: str | None = None
    end: str | None = None


class Filters(Struct, frozen=True):
    """What a note has to fulfil; every entry of every list."""

    folder: str | None = None
    tags: tuple[str, ...] = ()
    """A tag matches itself and everything nested below it."""
    types: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    """The note has a link with this relation."""
    paths: tuple[str, ...] = ()
    """Part of the path, case and accents aside."""
    matches: tuple[str, ...] = ()
    """FTS5 expressions that must match (phrases, ``title:``, ``alias:``)."""
    excluded: tuple[str, ...] = ()
    """FTS5 expressions that must not match."""
    created: tuple[Span, ...] = ()
    modified: tuple[Span, ...] = ()
    links_to: tuple[tuple[NoteId, ...], ...] = ()
    """The note links to one of these; an empty tuple matches nothing."""
    linked_from: tuple[tuple[NoteId, ...], ...] = ()
    """One of these links to the note."""
    without: "tuple[Filters, ...]" = ()
    """The note passes none of these."""


def narrowing(filters: Filters) -> Narrowing | None:
    """The filters as SQL, None when they let every note through."""
    parts = _facts(filters)
    parts += [("SELECT rowid FROM fulltext WHERE fulltext MATCH ?", (match,)) for match in filters.matches]
    without = "SELECT id FROM note EXCEPT SELECT rowid FROM fulltext WHERE fulltext MATCH ?"
    parts += [(without, (match,)) for match in filters.excluded]
    parts += [_created(span) for span in filters.created]
    parts += [_modified(span) for span in filters.modified]
    sources = "SELECT source FROM link WHERE entry IN ({}) AND source != entry"
    parts += [(sources.format(_marks(ids)), ids) for ids in filters.links_to]
    targets = "SELECT entry FROM link WHERE source IN ({}) AND entry > 0 AND entry != source"
    parts += [(targets.format(_marks(ids)), ids) for ids in filters.linked_from]
    passing = [narrowing(denied) or ("SELECT id FROM note", ()) for denied in filters.without]
    parts += [(f"SELECT id FROM note EXCEPT SELECT * FROM ({sql})", values) for sql, values in passing]
    if not parts:
        return None
    return " INTERSECT ".join(f"SELECT * FROM ({sql})" for sql, _ in parts), [
        v for _, vs in parts for v in vs
    ]


def _facts(filters: Filters) -> list[Narrowing]:
    """What stands in the note itself: folder, tags, type, relations, path."""
    parts: list[Narrowing] = []
    if filters.folder is not None and (folder := compose(filters.folder).removeprefix("./").strip("/")):
        parts.append(
            ("SELECT id FROM note WHERE path_nfc >= ? AND path_nfc < ?", (folder + "/", folder + "0"))
        )
    for tag in map(fold_tag, filters.tags):
        sql = "SELECT note FROM tag WHERE folded = ? OR (folded >= ? AND folded < ?)"
        parts.append((sql, (tag, tag + "/", tag + "0")))
    # A note without a type is a "note", as every answer says.
    typed = "SELECT id FROM note WHERE COALESCE(type_folded, 'note') = ?"
    parts += [(typed, (fold(entity_type.strip()),)) for entity_type in filters.types]
    related = "SELECT source FROM link WHERE relation_folded = ?"
    parts += [(related, (loose(relation),)) for relation in filters.relations]
    within = "SELECT id FROM note WHERE instr(path_folded, ?) > 0"
    parts += [(within, (fold_accents(path),)) for path in filters.paths]
    return parts


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _created(span: Span) -> Narrowing:
    """Compare as written: a note of the 15th stays one of the 15th in every time zone."""
    tests, values = ["created IS NOT NULL"], []
    if span.start:
        tests.append("created >= ?")
        values.append(span.start)
    if span.end:
        tests.append("created < ?")
        values.append(span.end)
    return f"SELECT id FROM note WHERE {' AND '.join(tests)}", values


def _modified(span: Span) -> Narrowing:
    """Compare the file's own time in the local zone, where the person reads the clock."""
    tests, values = ["1"], []
    if span.start:
        tests.append("mtime_ns >= ?")
        values.append(_nanoseconds(span.start))
    if span.end:
        tests.append("mtime_ns < ?")
        values.append(_nanoseconds(span.end))
    return f"SELECT id FROM note WHERE {' AND '.join(tests)}", values


def _nanoseconds(moment: str) -> int:
    try:
        moment_ns = int(datetime.fromisoformat(moment).timestamp()) * 1_000_000_000
    except (OverflowError, ValueError, OSError):  # a year that no clock can say
        moment_ns = -(2**63) if moment < "1970" else 2**63 - 1
    return max(-(2**63), min(2**63 - 1, moment_ns))  # what an index can hold ends in 2262
