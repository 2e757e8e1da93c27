"""Ask the channels, fuse what they say, and make a page of hits with each one's own account."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, structs

from notesd.index import fulltext, links, notes
from notesd.index.filters import Filters, Narrowing, Span, narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.parse.terms import Term, match
from notesd.rank.fuse import Contribution, Fused, fuse
from notesd.resolve.find import find_notes
from notesd.search import lexical, snippet
from notesd.search.query import DateRange, Query, ranking_terms

PASSAGES = 3
"""Passages shown of a hit."""
COUNTED = 1_000
"""Matching notes counted before the answer says "more than"."""


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


class Found(Struct, frozen=True):
    """One space's answer."""

    hits: list[dict[str, Any]]
    """Shaped as the protocol says, best first; without ``space`` and ``stale``."""
    total: int
    total_is_exact: bool
    took_ms: dict[str, float]


def search(reader: Reader, asked: Asked) -> Found:
    """Answer one query from one space, best first."""
    clock = _Clock()
    narrowed = narrowing(_filters(reader, asked))
    clock.lap("filter")
    terms = ranking_terms(asked.query)
    if not terms and narrowed is None:
        return Found([], 0, total_is_exact=True, took_ms=clock.laps)
    if not terms:
        return _listed(reader, asked, narrowed, "-modified", clock)
    depth = max(lexical.DEPTH, asked.offset + asked.limit)
    found = lexical.recall(reader, asked.query, narrowed, depth)
    clock.lap("lexical")
    everyone = {note for ranking in found.rankings for note in ranking.notes}
    stored = notes.stored(reader, everyone)
    fused = fuse(found.rankings, paths={note: stored[note].path for note in everyone})
    total, exact = max(len(fused), found.exact_total or 0), found.exact_total is not None
    if not exact:
        counted = fulltext.count_to(
            reader, " OR ".join(match(term) for term in found.terms), COUNTED, narrowed
        )
        total, exact = max(total, counted), counted < COUNTED
    clock.lap("fuse")
    page = fused[asked.offset : asked.offset + asked.limit]
    show = _Shower(reader, terms, stored)
    hits = [show.hit(one.note, _scored(one, found.bm25.get(one.note), explain=asked.explain)) for one in page]
    clock.lap("snippet")
    return Found(hits, total, exact, clock.laps)


def feed(reader: Reader, asked: Asked, sort: str) -> Found:
    """Return only notes in which every term really occurs, by date."""
    filters = _filters(reader, asked)
    groups = ["(" + " OR ".join(map(match, group)) + ")" for group in asked.query.groups]
    narrowed = narrowing(structs.replace(filters, matches=(*filters.matches, *groups)))
    if narrowed is None and asked.query.text.strip():
        return Found([], 0, total_is_exact=True, took_ms={})  # a text without a word occurs nowhere
    return _listed(reader, asked, narrowed, sort, _Clock())


def _listed(reader: Reader, asked: Asked, narrowed: Narrowing | None, sort: str, clock: "_Clock") -> Found:
    """Notes that pass the filters, by date."""
    ids, total = notes.by_date(reader, narrowed, sort, asked.limit, asked.offset)
    show = _Shower(reader, ranking_terms(asked.query), notes.stored(reader, ids))
    hits = [show.hit(note, {"score": 0.0, "channels": {}}) for note in ids]
    clock.lap("list")
    return Found(hits, total, total_is_exact=True, took_ms=clock.laps)


def _filters(reader: Reader, asked: Asked) -> Filters:
    """Join the operators of the text and the parameters of the request: both have to hold."""
    query = asked.query
    spans = {"created": (query.created, asked.created), "modified": (query.modified, asked.modified)}
    created, modified = (tuple(Span(s.start, s.end) for s in pair if s) for pair in spans.values())
    return Filters(
        folder=asked.folder,
        tags=(*query.tags, *asked.tags),
        types=(*query.types, *asked.types),
        relations=(*query.rels, *asked.relations),
        paths=query.paths,
        matches=(
            *map(match, query.phrases),
            *(match(term, "name") for term in query.titles),
            *(match(term, "aliases") for term in query.aliases),
        ),
        excluded=tuple(map(match, query.excluded)),
        created=created,
        modified=modified,
        links_to=tuple(_named(reader, name) for name in query.links),
        linked_from=tuple(_named(reader, name) for name in query.linked),
    )


def paged_from_start(asked: Asked) -> Asked:
    """The same search, all pages up to the wanted one: what one space has to offer to a merged page."""
    return structs.replace(asked, limit=asked.offset + asked.limit, offset=0)


def merged(hits: Sequence[Mapping[str, Any]], sort: str | None) -> list[Mapping[str, Any]]:
    """Hits of several spaces as one list.

    Scores of two spaces do not compare, places do: the first of each comes first, so a small space is
    not starved by a large one. Lists by date are merged by date.

    Args:
        hits: With ``space``, best first within each space.
        sort: As for ``feed``; None: by rank.
    """
    if sort:
        key = sort.lstrip("-")
        dated = sorted(hits, key=lambda hit: hit[key] or "", reverse=sort.startswith("-"))
        return sorted(dated, key=lambda hit: hit[key] is None)
    places: dict[str, int] = {}
    ranked = []
    for hit in hits:
        place = places[hit["space"]] = places.get(hit["space"], 0) + 1
        ranked.append((place, -hit["score"], hit["space"], hit))
    return [hit for *_, hit in sorted(ranked, key=lambda row: row[:3])]


def _named(reader: Reader, name: str) -> tuple[NoteId, ...]:
    return tuple(known.id for path in paths_named(reader, name) if (known := notes.by_path(reader, path)))


def paths_named(reader: Reader, name: str) -> list[NotePath]:
    """Notes that a person could mean by a name, id, alias or path, the likeliest first."""
    exact = notes.by_path(reader, name)
    if exact:
        return [exact.path]
    return find_notes(name, links.names_like(reader, name))


def _scored(one: Fused[NoteId], bm25: float | None, *, explain: bool) -> dict[str, Any]:
    """The score of a hit, and by which channels it came."""
    channels: dict[str, Any] = {}
    for share in one.contributions:
        if share.name == "lexical":
            channels["lexical"] = {"rank": share.rank, "bm25": bm25}
    scored: dict[str, Any] = {"score": one.score, "rrf_score": one.score, "channels": channels}
    if explain:
        scored["explain"] = [_account(share) for share in one.contributions]
    return scored


def _account(share: Contribution) -> dict[str, Any]:
    return {"list": share.name, "rank": share.rank, "share": share.share}


class _Shower:
    """Makes hits of notes: facts, the passages that answer, a marked snippet."""

    def __init__(
        self, reader: Reader, terms: Sequence[Term], stored: Mapping[NoteId, notes.StoredNote]
    ) -> None:
        self._reader = reader
        self._terms = terms
        self._stored = stored
        self._tokenize = fulltext.tokenizer(reader)

    def hit(self, note_id: NoteId, scored: Mapping[str, Any]) -> dict[str, Any]:
        note = self._stored[note_id]
        observations = notes.observations(self._reader, note_id)
        headings = notes.headings(self._reader, note_id)
        shown = snippet.answer(observations, headings, self._terms, self._tokenize, PASSAGES)
        return {
            "name": note.title,
            "entityType": note.entity_type or "note",
            "path": note.path,
            "line": shown.line,
            "heading": list(shown.heading),
            "observations": [
                {
                    "text": p.text,
                    "line_start": p.line_start,
                    "line_end": p.line_end,
                    "heading": list(p.heading),
                }
                for p in shown.passages
            ],
            "snippet": shown.snippet,
            "tags": list(notes.tags(self._reader, note_id)),
            "created": note.created,
            "modified": modified_text(note.mtime_ns),
            **scored,
        }


def modified_text(mtime_ns: int) -> str | None:
    """A file's time as ISO 8601 in the local zone, None for a year that no calendar has."""
    with contextlib.suppress(OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(mtime_ns // 1_000_000_000).astimezone().isoformat()
    return None


class _Clock:
    """What each stage took."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._last = now()
        self.laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = self._now()
        self.laps[stage] = round((now - self._last) * 1000, 3)
        self._last = now
