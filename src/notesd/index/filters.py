"""Which notes are looked at? Every filter as a SELECT of note ids, before anything is ranked.

Filters of one kind are one set, however many they are: a thousand tags are one SELECT, because SQLite
takes five hundred of them at most, and each has its cost.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain

from msgspec import Struct

from notesd.index.links import fold_relation, fold_tag
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import fold_name
from notesd.parse.expressions import loosely
from notesd.parse.filenames import ATTACHMENT, extensions_of
from notesd.parse.properties import Wanted
from notesd.resolve.names import compose

Narrowing = tuple[str, Sequence[object]]
"""A SELECT of note ids, and its values."""


class Span(Struct, frozen=True, gc=False):
    """From ``start`` up to but without ``end``, days or times in ISO notation without a zone; None: open."""

    start: str | None = None
    end: str | None = None


class Tree(Struct, frozen=True):
    """Filters that are put together."""

    way: str
    """``and``, ``or``, ``not`` of the parts; ``one``: ``filters``."""
    parts: "tuple[Tree, ...]" = ()
    filters: "Filters | None" = None


class Filters(Struct, frozen=True):
    """What a note has to fulfil; every entry of every list."""

    folder: str | None = None
    """The note lies below it: below the folder that is written so or, where there is none, below those that
    differ in case and accents alone. With a dot at its end: the note's path begins so."""
    tags: tuple[str, ...] = ()
    """A tag matches itself and everything nested below it."""
    types: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    """The note has a link with this relation."""
    paths: tuple[str, ...] = ()
    """Part of the path."""
    extensions: tuple[str, ...] = ()
    """What the name ends with after a dot."""
    matches: tuple[str, ...] = ()
    """FTS5 expressions that must match (phrases, ``title:``, ``alias:``)."""
    written: tuple[str, ...] = ()
    """FTS5 expressions that must match in the table of written words."""
    trees: tuple[Tree, ...] = ()
    created: tuple[Span, ...] = ()
    modified: tuple[Span, ...] = ()
    links_to: tuple[tuple[NoteId, ...], ...] = ()
    """The note links to one of these; an empty tuple matches nothing."""
    linked_from: tuple[tuple[NoteId, ...], ...] = ()
    """One of these links to the note."""
    properties: tuple[Wanted, ...] = ()
    """The note has a property with such a value."""
    without: "Filters | None" = None
    """The note fulfils no entry of any list of these."""


def narrowing(filters: Filters) -> Narrowing | None:
    """The filters as SQL, None when they let every note through."""
    where, values = _where(filters)
    return (f"SELECT id FROM note WHERE {where}", values) if where else None


_FILES = """WITH note AS (
    SELECT -id AS id, path AS path_nfc, path_folded, extension,
           NULL AS created, named_day, NULL AS mtime_ns FROM attachment) """
"""Files that are no notes in the place of the notes; of dates they have but the day in their names."""


def narrowing_files(filters: Filters) -> Narrowing | None:
    """The filters for files that are no notes, as a SELECT of their ids with a minus; None: all pass."""
    where, values = _where(filters, files=True)
    return (f"{_FILES} SELECT id FROM note WHERE {where}", values) if where else None


def fixed(reader: Reader, narrowed: Narrowing | None) -> Narrowing | None:
    """The same notes as a list, for filters that are asked more than once and take long."""
    if narrowed is None:
        return None
    return among([row[0] for row in reader.rows(*narrowed)])


def both(one: Narrowing | None, other: Narrowing | None) -> Narrowing | None:
    """Let the notes through that both let through."""
    if one is None or other is None:
        return one or other
    return f"SELECT id FROM note WHERE id IN ({one[0]}) AND id IN ({other[0]})", (*one[1], *other[1])


def among(note_ids: Sequence[NoteId]) -> Narrowing:
    """Let these notes through and no others."""
    return "SELECT value FROM json_each(?)", (json.dumps([*note_ids]),)


def _where(filters: Filters, *, files: bool = False) -> Narrowing:
    """All of the filters as one condition; empty: they let every note, or file, through."""
    tests = [*_tests(filters, every=True, files=files)]
    for test, values in _tests(filters.without or Filters(), every=False, files=files):
        tests.append((f"({test}) IS NOT TRUE", values))
    return " AND ".join(test for test, _ in tests), [value for _, values in tests for value in values]


def _tests(filters: Filters, *, every: bool, files: bool) -> Iterator[Narrowing]:
    """Conditions on a row of ``note``, one a kind.

    Args:
        filters: What is asked for; not ``without``.
        every: All entries of a kind have to be fulfilled; otherwise one of them.
        files: The rows are of files that are no notes.
    """
    if filters.folder is not None and (folder := compose(filters.folder).removeprefix("./").strip("/")):
        yield _below(folder)
    if filters.tags:
        yield _holding("tag", "note", _TAGGED, map(fold_tag, filters.tags), every=every)
    if filters.types:
        yield _of_types({fold_name(name) for name in filters.types}, every=every, files=files)
    if filters.relations:
        folded = map(fold_relation, filters.relations)
        yield _holding("link", "source", "relation_folded = wanted.value", folded, every=every)
    yield from _each("instr(path_folded, ?) > 0", [(fold_name(path),) for path in filters.paths], every=every)
    endings = [f".{fold_name(one).removeprefix('.')}" for one in filters.extensions]
    yield from _each("substr(path_folded, ?) = ?", [(-len(one), one) for one in endings], every=every)
    joint = " AND " if every else " OR "
    for table, matches in (("fulltext", filters.matches), ("written", filters.written)):
        if matches:
            expression = joint.join(f"({match})" for match in dict.fromkeys(matches))
            yield _holding_words("attached" if files else table, loosely(expression) if files else expression)
    yield from _each_tree(filters.trees, joint, files=files)
    # As written: a note of the 15th stays one of the 15th in every time zone.
    created = [(span.start or "", span.end or "~") for span in filters.created]
    yield from _each(
        "COALESCE(created, named_day) >= ? AND COALESCE(created, named_day) < ?", created, every=every
    )
    # The file's own time in the local zone, where the person reads the clock.
    modified = [(_nanoseconds(span.start, -1), _nanoseconds(span.end, 1)) for span in filters.modified]
    yield from _each("mtime_ns >= ? AND mtime_ns < ?", modified, every=every)
    if filters.properties:
        yield _of_properties(filters.properties, every=every)
    if filters.links_to:
        linked = "entry = wanted.value AND source != entry"
        yield _of_notes("source", linked, filters.links_to, every=every)
    if filters.linked_from:
        linked = "source = wanted.value AND entry != source"
        yield _of_notes("entry", linked, filters.linked_from, every=every)


def _of_types(types: Collection[str], *, every: bool, files: bool) -> Narrowing:
    """The condition for notes, or files, of all of some types, or of any."""
    if not files:
        some = types if not every or len(types) == 1 else ()  # a note has one type
        return "type_folded IN (SELECT value FROM json_each(?))", (json.dumps([*some]),)
    ways = [None if name == ATTACHMENT else extensions_of(name) for name in types]
    if (None in ways and not every) or all(way is None for way in ways):
        return "TRUE", ()
    narrow = [way for way in ways if way is not None]
    some = frozenset.intersection(*narrow) if every else frozenset.union(*narrow)
    return "extension IN (SELECT value FROM json_each(?))", (json.dumps(sorted(some)),)


def _holding_words(table: str, expression: str) -> Narrowing:
    sign = "-" * (table == "attached")
    matching = f"{sign}id IN (SELECT rowid FROM {table} WHERE {table} MATCH ?)"
    if table != "fulltext":
        return matching, (expression,)
    documents = "id IN (SELECT rowid FROM documents WHERE documents MATCH ?)"
    return f"({matching} OR {documents})", (expression, expression)


def _each_tree(trees: Sequence[Tree], joint: str, *, files: bool) -> Iterator[Narrowing]:
    if trees:
        tests, values = zip(*(_grown(tree, files=files) for tree in trees), strict=True)
        yield f"({joint.join(tests)})", [value for some in values for value in some]


def _grown(tree: Tree, *, files: bool) -> Narrowing:
    """The condition for notes that a tree of filters lets through."""
    if tree.filters:
        where, values = _where(tree.filters, files=files)
        return f"({where or 'TRUE'})", values
    parts = _joined_properties(tree.parts) if tree.way == "or" else tree.parts
    tests, every = zip(*(_grown(part, files=files) for part in parts), strict=True)
    values = [value for some in every for value in some]
    if tree.way == "not":  # a note without a date is not of that date
        return f"({tests[0]} IS NOT TRUE)", values
    return f"({f' {tree.way.upper()} '.join(tests)})", values


def _joined_properties(parts: Sequence[Tree]) -> Sequence[Tree]:
    """Alternatives, those that are one property each as one set: a note does not have none of them."""
    single = [
        (part, one.properties)
        for part in parts
        if (one := part.filters) and len(one.properties) == 1 and one == Filters(properties=one.properties)
    ]
    if not single:
        return parts
    some, properties = zip(*single, strict=True)
    none = Tree("one", filters=Filters(without=Filters(properties=tuple(chain(*properties)))))
    return (*(part for part in parts if part not in some), Tree("not", (none,)))


_TAGGED = """folded = wanted.value OR (folded >= wanted.value || '/' AND folded < wanted.value || '0')"""


def _below(folder: str) -> Narrowing:
    """The condition for notes below a folder, or of a hierarchy by dots."""
    exact = "path_nfc >= ? AND path_nfc < ?"
    folds = f"path_folded >= ? AND path_folded < ? AND NOT EXISTS (SELECT 1 FROM note WHERE {exact})"
    begins = beginning(folder)
    folded = fold_name(begins)
    ends, folded_ends = (begins, _after(begins)), (folded, _after(folded))
    return f"({exact} OR ({folds}))", (*ends, *folded_ends, *ends)


def beginning(folder: str) -> str:
    """Return what the paths of the notes of a folder, or of a hierarchy (``templates.``), begin with."""
    return folder if folder.endswith(".") else folder + "/"


def _after(beginning: str) -> str:
    """Return what comes right after all texts that begin so."""
    return beginning[:-1] + chr(ord(beginning[-1]) + 1)


def _holding(table: str, note: str, test: str, folded: Iterable[str], *, every: bool) -> Narrowing:
    """The condition for notes that another table says something of, once for each of some values."""
    values = list(dict.fromkeys(folded))
    # CROSS JOIN: the values one by one, each along the index.
    some = f"SELECT {note} FROM json_each(?) AS wanted CROSS JOIN {table} ON {test}"
    return _counted(some, note, "wanted.value", len(values) if every else 1), (json.dumps(values),)


def _of_notes(
    note: str, test: str, groups: Sequence[Sequence[NoteId]], *, every: bool
) -> Narrowing:  # fmt: skip
    """The condition for notes that are linked with one note of each of some groups, or of any."""
    pairs = [(which, one) for which, group in enumerate(dict.fromkeys(groups)) for one in group]
    wanted = "(SELECT value ->> 0 AS which, value ->> 1 AS value FROM json_each(?)) AS wanted"
    some = f"SELECT {note} FROM {wanted} CROSS JOIN link ON {test}"
    size = len(set(groups)) if every else 1
    return _counted(some, note, "wanted.which", size), (json.dumps(pairs),)


_ASKED = """SELECT value ->> 0 AS which, value ->> 1 AS name, value ->> 2 AS text FROM json_each(?)"""
# Materialized, or the JSON would be read again at each row that is compared.
_RANGES = """SELECT value ->> 0 AS which, value ->> 1 AS name, value ->> 2 AS low, value ->> 3 AS high,
    value ->> 4 AS start, value ->> 5 AS ends, value ->> 6 AS least, value ->> 7 AS beyond
    FROM json_each(?)"""
_HAVING = f"""WITH ranges AS MATERIALIZED ({_RANGES})
    SELECT note, which FROM ({_ASKED}) CROSS JOIN property ON key = name AND property.value = text
    UNION ALL SELECT note, which FROM ranges CROSS JOIN property ON key = name AND (
        number BETWEEN low AND high OR (day >= start AND day < ends)
        OR (number IS NULL AND day IS NULL AND property.value <> ''
            AND property.value >= least AND property.value < beyond))"""


def _of_properties(wanted: Sequence[Wanted], *, every: bool) -> Narrowing:
    """The condition for notes with each of some properties, or with any."""
    unique = _telling(list(dict.fromkeys(wanted)), every=every)
    texts = [(which, one.key, text) for which, one in enumerate(unique) for text in one.texts]
    none = (None, None)
    ranges = [
        (which, one.key, *(one.numbers or none), *(one.days or none), *(one.between or none))
        for which, one in enumerate(unique)
        if one.numbers or one.days or one.between
    ]
    some = f"SELECT note FROM ({_HAVING})"
    values = (json.dumps(ranges), json.dumps(texts))
    return _counted(some, "note", "which", len(unique) if every else 1), values


def _telling(wanted: Sequence[Wanted], *, every: bool) -> Sequence[Wanted]:
    """Those of some ranges on which it depends: of two that lie in each other the inner one, or the outer."""
    ranges = [one for one in wanted if not one.texts]
    needless = {
        outer if every else inner
        for outer in ranges
        for inner in ranges
        if outer != inner and outer.key == inner.key and _contains(outer, inner)
    }
    return [one for one in wanted if one not in needless]


def _contains(outer: Wanted, inner: Wanted) -> bool:
    """Whether each value that lies in one range lies in another one."""
    return all(
        within is None or (around is not None and around[0] <= within[0] and within[1] <= around[1])  # type: ignore[operator]  # both are of one kind
        for around, within in (
            (outer.numbers, inner.numbers), (outer.days, inner.days), (outer.between, inner.between),
        )
    )  # fmt: skip


def _counted(some: str, note: str, which: str, size: int) -> str:
    """The condition for notes that a SELECT finds for each of ``size`` values."""
    every = f" GROUP BY {note} HAVING count(DISTINCT {which}) = {size}" if size > 1 else ""
    return f"id IN ({some}{every})"


def _each(test: str, rows: Iterable[Sequence[object]], *, every: bool) -> Iterator[Narrowing]:
    """A condition once for each of some rows of values, joined; none for none."""
    unique = list(dict.fromkeys(map(tuple, rows)))
    if unique:
        joined = (" AND " if every else " OR ").join([f"({test})"] * len(unique))
        yield f"({joined})", [value for row in unique for value in row]


def _nanoseconds(moment: str | None, end: int) -> int:
    """A moment as files have it; None: the first or the last one, as ``end`` is -1 or 1."""
    far = 2**63 - 1
    if moment is None:
        return end * far
    try:
        moment_ns = int(datetime.fromisoformat(moment).timestamp()) * 1_000_000_000
    except (OverflowError, ValueError, OSError):  # a year that no clock can say
        moment_ns = -far if moment < "1970" else far
    return max(-far, min(far, moment_ns))  # what an index can hold ends in 2262
