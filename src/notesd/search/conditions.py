"""What does a note have to fulfil, one condition at a time?

The operators of a query text and the parameters of a request say the same things; here each becomes
a condition with its own name and value, so that a note that is left out can be told by which.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from notesd.index import links, notes
from notesd.index.filters import Filters, Span
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.parse.terms import match
from notesd.rank.fuse import RRF_K
from notesd.resolve.find import find_notes
from notesd.search.dates import DateRange
from notesd.search.learnt import Use
from notesd.search.query import Query

By = Literal["query", "parameter"]


class Asked(Struct, frozen=True):
    """A search as the engine takes it: what the text says and what the parameters add."""

    query: Query
    limit: int
    offset: int = 0
    folder: str | None = None
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    created: DateRange | None = None
    modified: DateRange | None = None
    explain: bool = False
    meaning_only: bool = False
    """Rank by distance alone, where there are distances."""
    relation_weights: Mapping[str, float] | None = None
    """Let links move notes: how much those of a relation count, by its loose name; None: they do not."""
    use: Use | None = None
    """Let use move notes, or note what it would do; None: it is not asked."""
    rrf_k: int = RRF_K
    """See ``rank.fuse``."""
    expansion: int = 3
    """Each channel offers at least so many times the results of a page."""
    page_size: int | None = None
    """Results of a page, where ``limit`` takes in several; None: ``limit``."""


class Condition(Struct, frozen=True):
    """One thing that a note has to fulfil."""

    name: str
    """``folder``, ``tag``, ``type``, ``rel``, ``path``, ``phrase``, ``title``, ``alias``, ``links``,
    ``linked``, ``created``, ``modified``, ``excluded``; with ``-`` before it: must not be so."""
    value: str
    """For people: as typed, where that was one word."""
    by: By
    """Whether the text or a parameter of the request asks for it."""
    filters: Filters
    """The same for the index, and nothing else."""


def conditions(reader: Reader, asked: Asked) -> list[Condition]:
    """Everything that a note has to fulfil, in the order of the fields; empty: any note will do."""
    query = asked.query
    return [
        *_words(query),
        *(
            [Condition("folder", asked.folder, "parameter", Filters(folder=asked.folder))]
            if asked.folder
            else []
        ),
        *_facts("query", query.tags, query.types, query.rels),
        *_facts("parameter", asked.tags, asked.types, asked.relations),
        *(Condition("path", path, "query", Filters(paths=(path,))) for path in query.paths),
        *_dates("query", query.created, query.modified),
        *_dates("parameter", asked.created, asked.modified),
        *(
            Condition("links", name, "query", Filters(links_to=(ids_named(reader, name),)))
            for name in query.links
        ),
        *(
            Condition("linked", name, "query", Filters(linked_from=(ids_named(reader, name),)))
            for name in query.linked
        ),
        *(_denied(one) for denied in query.without for one in conditions(reader, Asked(denied, 1))),
    ]


def _denied(condition: Condition) -> Condition:
    """The opposite of a condition."""
    return Condition(
        f"-{condition.name}", condition.value, condition.by, Filters(without=(condition.filters,))
    )


def joined(every: Iterable[Condition]) -> Filters:
    """All conditions as one filter."""
    whole: dict[str, tuple[object, ...]] = {}
    folder = None
    for condition in every:
        folder = folder or condition.filters.folder
        for field in Filters.__struct_fields__:
            value = getattr(condition.filters, field)
            if field != "folder" and value:
                whole[field] = (*whole.get(field, ()), *value)
    return Filters(folder, **whole)  # type: ignore[arg-type]  # the same fields with the same kinds of values


def ids_named(reader: Reader, name: str) -> tuple[NoteId, ...]:
    """Rows of the notes that a person could mean by a name."""
    return tuple(known.id for path in paths_named(reader, name) if (known := notes.by_path(reader, path)))


def paths_named(reader: Reader, name: str) -> list[NotePath]:
    """Notes that a person could mean by a name, id, alias or path, the likeliest first."""
    exact = notes.by_path(reader, name)
    if exact:
        return [exact.path]
    return find_notes(name, links.names_like(reader, name))


def _words(query: Query) -> Iterator[Condition]:
    """Words that have to occur, somewhere or in one place, and words that must not."""
    for term in query.phrases:
        yield Condition("phrase", term.text, "query", Filters(matches=(match(term),)))
    for term in query.titles:
        yield Condition("title", term.text, "query", Filters(matches=(match(term, "name"),)))
    for term in query.aliases:
        yield Condition("alias", term.text, "query", Filters(matches=(match(term, "aliases"),)))
    for term in query.excluded:
        yield Condition("excluded", term.text, "query", Filters(excluded=(match(term),)))


def _facts(
    by: By, tags: Iterable[str], types: Iterable[str], relations: Iterable[str]
) -> Iterator[Condition]:
    yield from (Condition("tag", tag, by, Filters(tags=(tag,))) for tag in tags)
    yield from (Condition("type", name, by, Filters(types=(name,))) for name in types)
    yield from (Condition("rel", name, by, Filters(relations=(name,))) for name in relations)


def _dates(by: By, created: DateRange | None, modified: DateRange | None) -> Iterator[Condition]:
    if created:
        yield Condition("created", _words_of(created), by, Filters(created=(_span(created),)))
    if modified:
        yield Condition("modified", _words_of(modified), by, Filters(modified=(_span(modified),)))


def _span(dates: DateRange) -> Span:
    return Span(dates.start, dates.end)


def _words_of(dates: DateRange) -> str:
    """A range in words: its end is the first moment that is outside."""
    parts = [f"from {dates.start}" if dates.start else "", f"before {dates.end}" if dates.end else ""]
    return ", ".join(part for part in parts if part)
