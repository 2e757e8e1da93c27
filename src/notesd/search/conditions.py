"""What does a note have to fulfil, one condition at a time?

The operators of a query text and the parameters of a request say the same things; here each becomes
a condition with its own name and value, so that a note that is left out can be told by which.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from notesd.index import attachments, fulltext, links, notes, properties
from notesd.index.filters import Filters, Span, Tree
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.index.vocabulary import called
from notesd.model import NotePath
from notesd.parse.characters import fold_name
from notesd.parse.expressions import match, written
from notesd.parse.properties import Wanted
from notesd.parse.terms import Term
from notesd.rank.fuse import RRF_K
from notesd.resolve.find import find_notes
from notesd.search import places
from notesd.search.boolean import Demand
from notesd.search.dates import DateRange
from notesd.search.learnt import Use
from notesd.search.query import Query, parse_part
from notesd.search.wanted import ranking_terms

By = Literal["query", "parameter"]

MOST: Final = {
    "path": 200,
    "ext": 200,
    "links": 200,
    "linked": 200,
    "created": 200,
    "modified": 200,
    "range": 200,
}
"""Conditions of one kind that count: of these each is tested on every note, or costs a look-up of its own."""
MOST_NAMES: Final = 20_000
"""The same of all other kinds, of which one look-up serves all."""


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
    joined: bool = False
    """Other spaces are asked too: what compares their hits is wanted."""
    demote: tuple[str, ...] = ()
    """Folders below the space's whose notes come after all others."""
    root: str = ""
    """The folder of the space that is asked, for paths in full; empty: there are none."""


class Condition(Struct, frozen=True):
    """One thing that a note has to fulfil."""

    name: str
    """``folder``, ``tag``, ``type``, ``rel``, ``ext``, ``path``, ``phrase``, ``words``, ``title``, ``alias``,
    ``links``, ``linked``, ``created``, ``modified``, ``property``, ``range`` (a property between two
    values), ``excluded``; with ``-`` before it: must not be so."""
    value: str
    """For people: as typed, where that was one word."""
    by: By
    """Whether the text or a parameter of the request asks for it."""
    filters: Filters
    """The same for the index, and nothing else."""
    parts: "tuple[Condition, ...]" = ()
    """Of ``words``: the filters that an expression is put together from."""


def conditions(reader: Reader, asked: Asked) -> list[Condition]:
    """Everything that a note has to fulfil, in the order of the fields; empty: any note will do.

    Of one kind so many count as ``MOST`` says; ``over`` tells of the others.
    """
    kept: Counter[str] = Counter()
    counting = []
    for wish in _wishes(asked, fulltext.languages(reader)):
        kept[wish.kind] += 1
        if kept[wish.kind] <= _most(wish.kind):
            counting.append(wish)
    meant = properties.meant(reader, filter(None, (wish.wanted for wish in counting)))
    return [_condition(reader, wish, asked, meant) for wish in counting]


def over(asked: Asked) -> list[tuple[str, int, int]]:
    """Kinds of which too many are asked for: the name, how many, and how many count."""
    asked_for = Counter(wish.kind for wish in _wishes(asked, ()))
    return [(kind, size, _most(kind)) for kind, size in asked_for.items() if size > _most(kind)]


def asks_nothing(asked: Asked) -> bool:
    """Whether a search has neither a word nor a filter, so that nothing can be found."""
    return not ranking_terms(asked.query) and next(_wishes(asked, ()), None) is None


def asks_for_kind(every: Iterable[Condition]) -> bool:
    """Whether a filter by type or extension is asked for, be it within an expression."""
    parts = chain.from_iterable(one.parts or (one,) for one in every)
    return any(one.name in {"type", "ext"} for one in parts)


class _Wish(Struct, frozen=True):
    """What becomes a condition."""

    kind: str
    """Name of the condition."""
    value: str
    by: By
    by_itself: Filters | None = None
    """None: ``demand``, ``wanted``, or names of notes, which the index has to be asked about."""
    demand: Demand | None = None
    wanted: Wanted | None = None


def _wishes(asked: Asked, languages: Sequence[str]) -> Iterator[_Wish]:
    """Everything that is asked for, each once."""
    query = asked.query
    yield from _words(query, languages)
    if asked.folder:
        below = places.folder(asked.folder, asked.root)
        yield _Wish("folder", asked.folder, "parameter", Filters(folder=below))
    yield from _facts("query", query.tags, query.types, query.rels)
    yield from _facts("parameter", asked.tags, asked.types, asked.relations)
    yield from (_Wish("ext", one, "query", Filters(extensions=(one,))) for one in dict.fromkeys(query.exts))
    for path in dict.fromkeys(query.paths):
        yield _Wish("path", path, "query", Filters(paths=(places.part(path, asked.root),)))
    yield from _dates("query", query.created, query.modified)
    yield from _dates("parameter", asked.created, asked.modified)
    for typed, wanted in dict.fromkeys(query.properties):
        kind = "property" if wanted.texts and not wanted.days else "range"
        yield _Wish(kind, typed, "query", wanted=wanted)
    yield from (_Wish("links", name, "query") for name in dict.fromkeys(query.links))
    yield from (_Wish("linked", name, "query") for name in dict.fromkeys(query.linked))
    # One minus may stand before two tags, and the same one in many places.
    denied = (Asked(one, 1, root=asked.root) for one in query.without)
    for wish in dict.fromkeys(wish for one in denied for wish in _wishes(one, languages)):
        yield replace(wish, kind=f"-{wish.kind}")


def _most(kind: str) -> int:
    return MOST.get(kind.removeprefix("-"), MOST_NAMES)


def _condition(reader: Reader, wish: _Wish, asked: Asked, meant: Mapping[Wanted, Wanted]) -> Condition:
    filters = wish.by_itself
    kind = wish.kind.removeprefix("-")
    parts: list[Condition] = []
    if wish.demand:
        tree = _tree(reader, wish.demand, asked, parts)
        filters = Filters(trees=(tree,) if tree else ())
    elif wish.wanted:
        filters = Filters(properties=(meant[wish.wanted],))
    elif filters is None:
        ids = ids_named(reader, places.part(wish.value, asked.root))
        filters = Filters(links_to=(ids,)) if kind == "links" else Filters(linked_from=(ids,))
    if kind != wish.kind:
        filters = Filters(without=filters)
    return Condition(wish.kind, wish.value, wish.by, filters, tuple(parts))


def joined(every: Iterable[Condition]) -> Filters:
    """All conditions as one filter."""
    return _together([condition.filters for condition in every])


def _together(every: Sequence[Filters]) -> Filters:
    """Filters of which each has to be passed, as one; those of ``without``, of which none may be."""
    denied = [one.without for one in every if one.without]
    folder = next((one.folder for one in every if one.folder), None)
    whole: dict[str, tuple[object, ...]] = {
        field: tuple(chain.from_iterable(getattr(one, field) for one in every))
        for field in Filters.__struct_fields__
        if field not in {"folder", "without"}
    }
    return Filters(folder, **whole, without=_together(denied) if denied else None)  # type: ignore[arg-type]  # the same fields with the same kinds of values


def ids_named(reader: Reader, name: str) -> tuple[NoteId, ...]:
    """Rows of the notes that a person could mean by a name; where there is none, accents aside.

    Where there is none either, those of files, as links have them.
    """
    found = tuple(known.id for path in paths_named(reader, name) if (known := notes.by_path(reader, path)))
    files = [NoteId(links.file_entry(one.id)) for one in attachments.called(reader, name)]
    return found or called(reader, fold_name(name)) or tuple(files)


def paths_named(reader: Reader, name: str) -> list[NotePath]:
    """Notes that a person could mean by a name, id, alias or path, the likeliest first."""
    exact = notes.by_path(reader, name)
    if exact:
        return [exact.path]
    return find_notes(name, links.names_like(reader, name))


def _words(query: Query, languages: Sequence[str]) -> Iterator[_Wish]:
    """Words that have to occur, somewhere or in one place, and words that must not."""
    for term in query.phrases:
        as_written = tuple(filter(None, [written(term)]))
        holding = Filters(matches=(match(term, languages),), written=as_written)
        yield _Wish("phrase", term.text, "query", holding)
    for demand in query.demands:
        yield _Wish("words", _written_out(demand), "query", demand=demand)
    for term in query.titles:
        yield _Wish("title", term.text, "query", Filters(matches=(match(term, languages, "name"),)))
    for term in query.aliases:
        yield _Wish("alias", term.text, "query", Filters(matches=(match(term, languages, "aliases"),)))
    for term in query.excluded:
        yield _Wish(
            "excluded", term.text, "query", Filters(without=Filters(matches=(match(term, languages),)))
        )


def _tree(
    reader: Reader, demand: Demand, asked: Asked, heard: list[Condition], *, denied: bool = False
) -> Tree | None:
    """A demand for the index; None: it demands nothing, as a sign that no index holds does.

    Args:
        reader: The index.
        demand: What it is.
        asked: The search that it stands in.
        heard: Given the filters in it.
        denied: It stands behind a NOT.
    """
    if demand.way == "one":
        query = parse_part(demand.text, asked.query)
        every = conditions(reader, Asked(query, 1, root=asked.root))
        heard += (replace(one, name=f"-{one.name}".removeprefix("--")) for one in every) if denied else every
        holding = joined(every)
        matches = tuple(_any_of(group, fulltext.languages(reader)) for group in query.groups)
        filters = replace(holding, matches=holding.matches + matches)
        return Tree("one", filters=filters) if filters != Filters() else None
    denied ^= demand.way == "not"
    trees = (_tree(reader, part, asked, heard, denied=denied) for part in demand.parts)
    parts = tuple(filter(None, trees))
    return Tree(demand.way, parts) if parts else None


def _any_of(group: Sequence[Term], languages: Sequence[str]) -> str:
    return " OR ".join(f"({match(term, languages)})" for term in group)


def _written_out(demand: Demand) -> str:
    """A demand as a person would type it."""
    if demand.way == "one":
        return demand.text.strip()
    parts = [_written_out(part) for part in demand.parts]
    return f"NOT {parts[0]}" if demand.way == "not" else f"({f' {demand.way.upper()} '.join(parts)})"


def _facts(by: By, tags: Iterable[str], types: Iterable[str], relations: Iterable[str]) -> Iterator[_Wish]:
    yield from (_Wish("tag", tag, by, Filters(tags=(tag,))) for tag in dict.fromkeys(tags))
    yield from (_Wish("type", name, by, Filters(types=(name,))) for name in dict.fromkeys(types))
    yield from (_Wish("rel", name, by, Filters(relations=(name,))) for name in dict.fromkeys(relations))


def _dates(by: By, created: DateRange | None, modified: DateRange | None) -> Iterator[_Wish]:
    if created:
        yield _Wish("created", _words_of(created), by, Filters(created=(_span(created),)))
    if modified:
        yield _Wish("modified", _words_of(modified), by, Filters(modified=(_span(modified),)))


def _span(dates: DateRange) -> Span:
    return Span(dates.start, dates.end)


def _words_of(dates: DateRange) -> str:
    """A range in words: its end is the first moment that is outside."""
    parts = [f"from {dates.start}" if dates.start else "", f"before {dates.end}" if dates.end else ""]
    return ", ".join(part for part in parts if part)
