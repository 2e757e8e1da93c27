"""How is one search put to several spaces and answered as one page?"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from notesd.errors import NotesdError
from notesd.index import notes
from notesd.index.notes import Known
from notesd.index.properties import keys
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.search import account, several
from notesd.search.conditions import Asked, asks_nothing
from notesd.search.engine import Found, SearchPlan
from notesd.search.learnt import Learnt
from notesd.search.pieces import straight, typed_keys
from notesd.search.query import loosened, parse_query
from notesd.search.unheard import (
    FAR,
    NOTHING_ASKED,
    beyond,
    of_keys,
    of_phrases,
    of_text,
    told,
    unheld,
)
from notesd.serve import attached, freshness, why
from notesd.serve.attached import Facts
from notesd.serve.freshness import State
from notesd.serve.pages import fitted
from notesd.serve.results import Correction, NextPage, SearchResult
from notesd.serve.spaces import Heard, Spaces, Unasked, heard
from notesd.space.space import Space

_FEW = 100
"""Hits that are written by the event loop itself; more of them by a thread."""
_COSTLY = {
    "channel": "lexical",
    "partly": True,
    "reason": "this takes more work than notesd spends on one request, so the answer is what was found by "
    "then; ask with fewer words or filters, or for less at a time",
}

_Shown = tuple[str, NotePath]
"""Space and path of a hit."""
FirstPage = Callable[[SearchResult], Awaitable[None]]


class SearchRequest(Struct, frozen=True):
    """What is asked, and of whom."""

    text: str
    """As it was typed."""
    spaces: str | list[str] | None
    """None: all."""
    wait: bool | int
    """Whether to take in first what is on disk now; a number: at most so many milliseconds."""
    asked: Asked
    plan: Callable[[Space, Asked], SearchPlan]
    """How a space is asked, by its own settings; called in a thread that reads."""
    sort: str | None = None
    """By which date the list is, None: by rank."""
    why: str | None = None
    """A note whose place, or absence, is to be explained."""


class _Part(Struct, frozen=True):
    """What one space has to say."""

    space: Space
    found: Found
    state: State
    known: Mapping[NotePath, Known]
    """What the files of its hits were when they were read."""
    stale: set[NotePath] | None = None
    """Which of its hits may say something else by now; None: not looked at yet."""
    facts: Mapping[NotePath, Facts] = {}
    """Size and time of those of its hits that are files."""
    why: Sequence[dict[str, Any]] = ()


class Seen(Struct, frozen=True):
    """What one space contributed to a page, for the record of use."""

    space: Space
    notes: tuple[tuple[str, str], ...]
    """Stable key and path of each hit that is shown, best first."""
    learnt: Learnt | None


class AnswerPage(Struct, frozen=True):
    """A page, and who was on it."""

    page: SearchResult
    seen: tuple[Seen, ...]


async def find(spaces: Spaces, request: SearchRequest, first_page: FirstPage | None = None) -> AnswerPage:
    """Ask every chosen space at once, and make one page of what they say.

    Args:
        spaces: Those that run.
        request: What is asked.
        first_page: Given the page of the fast channels, as soon as every space has asked its own.

    Raises:
        NotesdError: No space can be asked.
    """
    chosen = spaces.chosen(request.spaces)
    degraded: list[dict[str, Any]] = [*await freshness.settle(chosen, request.wait)]
    request, strange = await _with_properties(spaces, chosen, request)
    degraded += strange
    if request.sort is None:
        request, unheld = await _rephrased(spaces, chosen, request)
        degraded += unheld
    asked = several.paged_from_start(request.asked) if len(chosen) > 1 else request.asked
    early = _Early(len(chosen)) if first_page else None
    every = asyncio.ensure_future(
        heard((space, _ask(spaces, space, request, asked, early)) for space in chosen)
    )
    if first_page and early:
        try:
            either: list[asyncio.Future[Any]] = [early.complete, every]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if early.complete.done():
                await first_page((await _page(spaces, request, early.in_order(chosen), degraded))[0])
        except BaseException:
            every.cancel()
            raise
    found = await _agreed(spaces, request, asked, await every)
    parts = [part for _, part in found.answers]
    page, shown = await _page(spaces, request, parts, degraded, found.unasked)
    return AnswerPage(page, tuple(_seen(part, shown) for part in parts))


async def _agreed(spaces: Spaces, request: SearchRequest, asked: Asked, found: Heard[_Part]) -> Heard[_Part]:
    """What the spaces say, those asked again that were wrong about what others would find."""
    if request.sort is not None:
        return found
    again = several.uninformed({part.space.name: part.found for _, part in found.answers})
    if not again:
        return found
    second = await heard(
        (
            space,
            _ask(
                spaces, space,
                replace(request, asked=several.informed(request.asked, again[space.name])),
                several.informed(asked, again[space.name]), None,
            ),
        )
        for space, _ in found.answers
        if space.name in again
    )  # fmt: skip
    better = {space.name: part for space, part in second.answers}
    lost = {one.space.name for one in second.unasked}
    answers = [
        (space, better.get(space.name, part)) for space, part in found.answers if space.name not in lost
    ]
    return Heard(answers, [*found.unasked, *second.unasked])


async def _with_properties(
    spaces: Spaces, chosen: Sequence[Space], request: SearchRequest
) -> tuple[SearchRequest, list[dict[str, Any]]]:
    """The request with its filters by properties, which the notes alone tell, and what is nearly one."""
    query = request.asked.query
    if not typed_keys(straight(query.text)):
        return request, []
    each = await heard((space, spaces.read(space, lambda reader, _: keys(reader))) for space in chosen)
    known = frozenset.union(*(some for _, some in each.answers))
    query = replace(parse_query(query.text, query.today, known), truncated=query.truncated)
    told = await spaces.run(lambda: of_keys(query.text, known))
    return replace(request, asked=replace(request.asked, query=query)), told


async def _rephrased(
    spaces: Spaces, chosen: Sequence[Space], request: SearchRequest
) -> tuple[SearchRequest, list[dict[str, Any]]]:
    """The request without the phrases that no note of any space holds, and what is to be said of them."""
    query = request.asked.query
    if not (query.phrases or query.quotes):
        return request, []
    each = await heard(
        (space, spaces.read(space, lambda reader, _: unheld(reader, query))) for space in chosen
    )
    if each.unasked:
        return request, []
    nowhere = frozenset.intersection(*(phrases for _, phrases in each.answers))
    query = loosened(query, nowhere)
    told = of_phrases(query, sorted(nowhere, key=lambda term: term.text))
    return replace(request, asked=replace(request.asked, query=query)), told


def _seen(part: _Part, shown: Sequence[_Shown]) -> Seen:
    keys = {hit["path"]: key for hit, key in zip(part.found.hits, part.found.keys, strict=True)}
    own = tuple((keys[path], path) for space, path in shown if space == part.space.name and keys[path])
    return Seen(part.space, own, part.found.learnt)


class _Early:
    """Collects what the fast channels of each space have found."""

    def __init__(self, expected: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._expected = expected
        """Spaces whose words are waited for."""
        self._parts: dict[str, _Part] = {}
        self.complete: asyncio.Future[None] = self._loop.create_future()

    def take(self, part: _Part) -> None:
        """Take the part of one space; from any thread."""
        self._loop.call_soon_threadsafe(self._add, part)

    def _add(self, part: _Part) -> None:
        self._parts[part.space.name] = part
        self._look()

    def give_up(self) -> None:
        """One space cannot be asked: the others are not to wait for it."""
        self._expected -= 1
        self._look()

    def _look(self) -> None:
        if 0 < self._expected <= len(self._parts) and not self.complete.done():
            self.complete.set_result(None)

    def in_order(self, chosen: Sequence[Space]) -> list[_Part]:
        return [self._parts[space.name] for space in chosen if space.name in self._parts]


async def _ask(
    spaces: Spaces, space: Space, request: SearchRequest, asked: Asked, early: _Early | None
) -> _Part:
    """Ask one space."""

    def work(reader: Reader, space: Space) -> _Part:
        tell = (lambda found: early.take(_part(reader, space, found, asked))) if early else None
        plan = request.plan(space, replace(asked, root=space.root))
        part = _part(reader, space, plan.run(reader, tell), asked)
        if request.why is not None:
            own = request.plan(space, replace(request.asked, root=space.root))
            accounts = why.accounts(reader, space, own, request.why)
            part = replace(part, why=accounts, found=replace(part.found, costly=reader.meter.over))
        return part

    try:
        return await spaces.read(space, work)
    except NotesdError:
        if early:
            early.give_up()
        raise


def _part(reader: Reader, space: Space, found: Found, asked: Asked) -> _Part:
    """What one space has to say, with what its files were when they were read."""
    if found.costly:
        reader.meter.wind_up()
    known = notes.known_at(reader, [hit["path"] for hit in found.hits])
    part = _Part(space, found, freshness.state_of(reader, space), known)
    # Of several spaces only some hits will be shown: those alone are looked at, later.
    return part if asked.joined else _looked_at(part, found.hits)


async def _page(
    spaces: Spaces, request: SearchRequest, parts: Sequence[_Part], degraded: Sequence[dict[str, Any]],
    unasked: Sequence[Unasked] = (),
) -> tuple[SearchResult, Sequence[_Shown]]:  # fmt: skip
    """One page of what all spaces have found that could be asked, and whose hits are on it."""
    asked = request.asked
    found = {part.space.name: part.found for part in parts}
    hits = _hits(request, parts, one_space=len(spaces.chosen(request.spaces)) == 1)
    if any(part.stale is None for part in parts):
        parts = await spaces.run(lambda: [_looked_at(part, hits) for part in parts])
    marked = _marked(parts, hits)
    results = fitted(marked) if len(marked) <= _FEW else await spaces.run(lambda: fitted(marked))
    shown = [(hit["space"], hit["path"]) for hit in hits[: len(results)]]
    truncated = len(results) < len(hits) or any(part.found.cut for part in parts)
    total = sum(part.found.total for part in parts)
    nothing = _of_question(request, found, hits)
    index = freshness.joined(
        {part.space.name: part.state for part in parts}
        | {one.space.name: freshness.unknown(one.gap) for one in unasked}
    )
    # What is not read yet may have the name.
    named = [] if unasked or index["building"] else told([part.found.unheard for part in parts])
    faults = [fault.reason for part in parts if (fault := part.space.fault)]
    known = {one["reason"] for one in degraded}
    accounts = [one for part in parts for one in part.why]
    page = SearchResult(
        request.text, results, total,
        total_is_exact=not unasked and all(part.found.total_is_exact for part in parts),
        corrected=[Correction(typed, word) for typed, word in several.corrected(found)],
        has_more=truncated or total > asked.offset + len(hits) or any(part.found.more for part in parts),
        degraded=[
            *degraded,
            *({"channel": "index", "reason": reason} for reason in faults if reason not in known),
            *(one.told() for one in unasked),
            *([FAR] if marked and all(hit.get("evidence") == "low" for hit in marked) else nothing),
            *(beyond(parts[0].found.over) if parts else ()),
            *named,
            *([_COSTLY] if any(part.found.costly for part in parts) else []),
        ],
        index=index,
        took_ms=_summed([part.found.took_ms for part in parts]),
        spaces={part.space.name: part.space.root for part in parts},
        truncated=truncated or UNSET,
        next=NextPage(asked.offset + len(results)) if truncated and results else UNSET,
        explain=_explained(asked, parts) if asked.explain else UNSET,
        why=why.chosen(accounts, set(shown)) if accounts else UNSET,
    )  # fmt: skip
    return page, shown


def _explained(asked: Asked, parts: Sequence[_Part]) -> dict[str, Any]:
    """How the query was understood, and what each space did with it."""
    return {
        "query": account.understood(asked.query),
        "spaces": {
            part.space.name: {**(part.found.explain or {}), "took_ms": part.found.took_ms} for part in parts
        },
    }


def _marked(parts: Sequence[_Part], hits: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Hits with what a look at their files has shown."""
    stale = {(part.space.name, path) for part in parts for path in part.stale or ()}
    facts = {(part.space.name, path): one for part in parts for path, one in part.facts.items()}
    return [
        {**hit, **facts.get((hit["space"], hit["path"]), {}), "stale": (hit["space"], hit["path"]) in stale}
        for hit in hits
    ]


def _of_question(
    request: SearchRequest, found: Mapping[str, Found], hits: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What is to be said where the text asks for nothing, or counts for less than it says."""
    if request.sort is None and asks_nothing(request.asked):
        return [NOTHING_ASKED]
    return of_text(request.asked.query, common=several.only_common(found, hits))


def _hits(request: SearchRequest, parts: Sequence[_Part], *, one_space: bool) -> list[Mapping[str, Any]]:
    """The hits of a page, of all spaces."""
    asked = request.asked
    if one_space:
        return [{"space": part.space.name, **hit} for part in parts for hit in part.found.hits]
    merged = several.merged({part.space.name: part.found for part in parts}, request.sort)
    ends = {hit["space"]: at for at, hit in enumerate(merged, 1)}
    # What comes after the last known hit of a space whose page was cut might come after others of it.
    end = min((ends.get(part.space.name, 0) for part in parts if part.found.cut), default=len(merged))
    return merged[:end][asked.offset : asked.offset + asked.limit]


def _looked_at(part: _Part, hits: Sequence[Mapping[str, Any]]) -> _Part:
    """The same part, after a look at the files of those of its hits that are shown."""
    shown = {hit["path"] for hit in hits if hit.get("space", part.space.name) == part.space.name}
    own = [(hit["path"], key) for hit, key in zip(part.found.hits, part.found.keys, strict=True)]
    files = [path for path, key in own if path in shown and not key]
    facts = attached.facts(part.space, files)
    stale = freshness.stale(part.space, (path for path, key in own if path in shown and key), part.known)
    return replace(part, stale=stale.union(files) - facts.keys(), facts=facts)


def _summed(laps: Sequence[Mapping[str, float]]) -> dict[str, float]:
    stages = {stage for lap in laps for stage in lap}
    return {stage: round(sum(lap.get(stage, 0.0) for lap in laps), 3) for stage in sorted(stages)}
