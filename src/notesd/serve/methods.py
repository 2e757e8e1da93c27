"""What can be asked of notesd? Name, parameters and answer of every method, in one table."""

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from notesd import __version__
from notesd.condition import Freshness, Rebuilt
from notesd.config import Config
from notesd.errors import InvalidParams, NotesdError, NotYet, StoreCorrupt, UnknownSpace
from notesd.index.store import Reader
from notesd.search import engine
from notesd.search.query import DateRange, parse_query, parse_range
from notesd.serve import graph, params, report, wire
from notesd.serve.listener import Peer
from notesd.serve.turns import Turns
from notesd.space import Space

READERS = 4
"""Threads that answer queries; SQLite works outside of Python's lock, so more than cores is enough."""

Answer = TypeVar("Answer")


class Methods:
    """Answers requests from the running spaces."""

    def __init__(self, spaces: Mapping[str, Space], config: Config) -> None:
        self._spaces = spaces
        self._config = config
        self._readers = ThreadPoolExecutor(READERS, "reader")
        self._turns = Turns(READERS)

    def close(self) -> None:
        """Let no thread hold the end up."""
        self._readers.shutdown(wait=False, cancel_futures=True)

    async def handle(self, request: wire.Request, _peer: Peer) -> object:
        """Answer one request.

        Raises:
            NotesdError: What the client is told.
        """
        method = TABLE.get(request.method)
        if method is None:
            near = params.nearest(request.method, TABLE)
            hint = f"; did you mean {near}?" if near else f"; there are {', '.join(TABLE)}"
            raise wire.UnknownMethod(
                f"no method is called {request.method[:60]!r}{hint}", nearest=[near] if near else []
            )
        if method.later:
            raise NotYet(f"{request.method} comes with a later version of notesd; this one is {__version__}")
        return await method.run(self, params.read(request.params, method.params))

    # One method of the protocol each, in the order of the table

    async def ping(self, _asked: params.NoParams) -> object:
        return {"pong": True, "pid": os.getpid(), "version": __version__}

    async def status(self, asked: params.StatusParams) -> object:
        chosen = self._chosen(asked.space)
        described = [await self._in_thread(space, report.status_of) for space in chosen]
        states = {one["state"] for one in described}
        state = "degraded" if "degraded" in states else "indexing" if "indexing" in states else "ready"
        return {
            "state": state,
            "version": __version__,
            "pid": os.getpid(),
            "rss_bytes": report.rss_bytes(),
            "spaces": described,
        }

    async def search(self, asked: params.SearchParams) -> object:
        later = {"stream": asked.stream, "why": asked.why is not None}
        for name, wanted in later.items():
            if wanted:
                raise NotYet(f"search with {name} comes with a later version of notesd; leave {name} out")
        if asked.mode == "semantic":
            raise NotYet(
                "the semantic channel comes with a later version of notesd; use mode hybrid or lexical"
            )
        query = parse_query(asked.query)
        wish = engine.Asked(
            query, asked.limit or self._config.search.limit, asked.offset, asked.folder, _texts(asked.tag),
            _texts(asked.type), _texts(asked.rel), _span("created", asked.created),
            _span("modified", asked.modified),
            explain=asked.explain,
        )  # fmt: skip
        answer = await self._find(asked.space, asked.wait, wish, engine.search)
        unmet = [*self._unmet(asked), *([_TRUNCATED] if query.truncated else [])]
        channels = {
            "lexical": "ok",
            "semantic": "unavailable" if self._wants_vectors(asked) else "off",
            "graph": "off",
        }
        return {
            "query": asked.query,
            **answer,
            "channels": channels,
            "degraded": [*answer["degraded"], *unmet],
        }

    async def feed(self, asked: params.FeedParams) -> object:
        query = parse_query(asked.q or "")
        wish = engine.Asked(
            query, asked.limit or self._config.search.limit, asked.offset, asked.folder, _texts(asked.tag),
            _texts(asked.type), (), _span("created", asked.created), _span("modified", asked.modified),
        )  # fmt: skip
        answer = await self._find(
            asked.space,
            asked.wait,
            wish,
            lambda reader, one: engine.feed(reader, one, asked.sort),
            asked.sort,
        )
        return {"query": asked.q or "", **answer}

    async def open(self, asked: params.OpenParams) -> object:
        names = [asked.notes] if isinstance(asked.notes, str) else asked.notes
        entities, missing = [], []
        for name in names:
            found = []
            for space in self._chosen(asked.space):
                found += await self._in_thread(space, functools.partial(graph.entities, name=name))
            if len(found) == 1:
                entities += found
            else:
                near = [f["path"] for f in found] or await self._nearest(asked.space, name)
                reason = "several notes answer to it" if found else "no note answers to it"
                missing.append({"note": name, "nearest": near, "reason": reason})
        return {"entities": entities, "missing": missing}

    async def links(self, asked: params.LinksParams) -> object:
        found: list[tuple[Space, str]] = []
        for space in self._chosen(asked.space):
            paths = await self._in_thread(space, lambda reader, _: engine.paths_named(reader, asked.note))
            found += [(space, path) for path in paths]
        if len(found) != 1:
            near = [path for _, path in found] or await self._nearest(asked.space, asked.note)
            raise graph.not_one(asked.note, near, several=bool(found))
        space, path = found[0]
        around = await self._in_thread(
            space, lambda reader, _: graph.around(reader, path, asked.direction, asked.depth)
        )
        return {"space": space.name, **around}

    async def check(self, asked: params.SpaceParams) -> object:
        checked = {
            space.name: await self._in_thread(space, report.check_of) for space in self._chosen(asked.space)
        }
        whole: dict[str, list[object]] = {
            "broken_links": [],
            "ambiguous_names": [],
            "problems": [],
            "orphans": [],
        }
        for name, parts in checked.items():
            for part, rows in parts.items():
                whole[part] += [{"space": name, **row} for row in rows]
        return whole

    async def export(self, asked: params.SpaceParams) -> object:
        documents = {
            space.name: await self._in_thread(space, report.export_of) for space in self._chosen(asked.space)
        }
        return next(iter(documents.values())) if len(documents) == 1 else {"spaces": documents}

    async def rescan(self, asked: params.RescanParams) -> object:
        if asked.vectors:
            raise NotYet("there are no vectors yet: they come with the semantic channel; leave vectors out")
        futures = [space.rescan(confirmed=asked.confirm) for space in self._chosen(asked.space)]
        if not asked.wait:
            return {"started": True}
        done: list[Rebuilt] = await asyncio.gather(*map(asyncio.wrap_future, futures))
        return {
            "generation": max(one.generation for one in done),
            "notes": sum(one.notes for one in done),
            "seconds": round(max(one.seconds for one in done), 3),
        }

    # What they share

    def _chosen(self, names: str | list[str] | None) -> list[Space]:
        """The spaces a request is about, in the order of the configuration; all when it names none.

        Raises:
            UnknownSpace: The message names the nearest one, or all there are.
        """
        wanted = [names] if isinstance(names, str) else names
        for name in wanted or ():
            if name not in self._spaces:
                near = params.nearest(name, self._spaces)
                hint = f"did you mean {near!r}?" if near else f"there is {', '.join(map(repr, self._spaces))}"
                raise UnknownSpace(
                    f"no space is called {name!r}; {hint}", space=name, nearest=[near] if near else []
                )
        return [space for name, space in self._spaces.items() if not wanted or name in wanted]

    async def _in_thread(self, space: Space, ask: Callable[[Reader, Space], Answer]) -> Answer:
        """Run something that reads an index beside the event loop."""

        def work() -> Answer:
            try:
                with space.reading() as reader:
                    return ask(reader, space)
            except StoreCorrupt:
                space.report_damage()
                raise

        async with self._turns.turn():
            return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    async def _find(
        self, names: str | list[str] | None, wait: bool | int, wish: engine.Asked,
        ask: Callable[[Reader, engine.Asked], engine.Found], sort: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Ask every chosen space, and make one page of what they say."""
        chosen = self._chosen(names)
        degraded = await _settle(chosen, wait)
        everything = engine.paged_from_start(wish) if len(chosen) > 1 else wish
        found: list[tuple[Space, engine.Found, Freshness]] = []
        for space in chosen:
            answer, fresh = await self._in_thread(
                space, lambda reader, s: (ask(reader, everything), s.freshness(reader))
            )
            found.append((space, answer, fresh))
            fault = space.fault
            if fault and not any(fault.reason == one["reason"] for one in degraded):
                degraded.append({"channel": "index", "reason": fault.reason})
        hits: list[Mapping[str, Any]] = [
            {"space": space.name, **hit, "stale": space.is_stale(hit["path"])}
            for space, answer, _ in found
            for hit in answer.hits
        ]  # fmt: skip
        if len(chosen) > 1:
            hits = engine.merged(hits, sort)
            hits = hits[wish.offset : wish.offset + wish.limit]
        total = sum(answer.total for _, answer, _ in found)
        return {
            "results": hits,
            "total": total,
            "total_is_exact": all(answer.total_is_exact for _, answer, _ in found),
            "has_more": total > wish.offset + len(hits),
            "degraded": degraded,
            "index": _joined([fresh for _, _, fresh in found]),
            "took_ms": _summed([answer.took_ms for _, answer, _ in found]),
            "spaces": {space.name: space.root for space in chosen},
        }

    def _wants_vectors(self, asked: params.SearchParams) -> bool:
        wish = self._config.search.vector_search if asked.vector_search is None else asked.vector_search
        return wish and asked.mode != "lexical"

    def _unmet(self, asked: params.SearchParams) -> list[dict[str, str]]:
        """Optional parts that were asked for and that this version does not bring."""
        boost = self._config.search.graph_boost if asked.graph_boost is None else asked.graph_boost
        wishes = {
            "semantic": self._wants_vectors(asked),
            "graph": boost and asked.mode != "lexical",
            "limbic": asked.limbic not in (None, "off"),
        }
        return [
            {
                "channel": name,
                "reason": f"notesd {__version__} does not bring the {name} part yet; the others answered",
            }
            for name, wish in wishes.items()
            if wish
        ]

    async def _nearest(self, names: str | list[str] | None, name: str) -> list[str]:
        near: list[str] = []
        for space in self._chosen(names):
            near += await self._in_thread(space, lambda reader, _: graph.nearest_names(reader, name))
        return near[:3]


_TRUNCATED = {
    "channel": "lexical",
    "reason": "the query is long: its first 64 words or 4,096 characters were looked for",
}


class Method(NamedTuple):
    """What stands behind one name of the protocol."""

    params: type[Struct]
    run: Callable[[Methods, Any], Awaitable[object]]
    later: bool = False
    """The name is known, the work comes with a later version."""


TABLE: Mapping[str, Method] = {
    "ping": Method(params.NoParams, Methods.ping),
    "status": Method(params.StatusParams, Methods.status),
    "search": Method(params.SearchParams, Methods.search),
    "feed": Method(params.FeedParams, Methods.feed),
    "open": Method(params.OpenParams, Methods.open),
    "links": Method(params.LinksParams, Methods.links),
    "check": Method(params.SpaceParams, Methods.check),
    "export": Method(params.SpaceParams, Methods.export),
    "rescan": Method(params.RescanParams, Methods.rescan),
    "related": Method(params.RelatedParams, Methods.ping, later=True),
    "forget": Method(params.ForgetParams, Methods.ping, later=True),
    "subscribe": Method(params.SpaceParams, Methods.ping, later=True),
}


async def _settle(spaces: list[Space], wait: bool | int) -> list[dict[str, str]]:
    """Wait until what is on disk now is in the index; returns why that did not come true.

    Args:
        spaces: Those that will be asked.
        wait: False: not at all; True: as long as it takes; a number: so many milliseconds.
    """
    if wait is False:
        return []
    limit = None if wait is True else wait / 1000
    futures = {space.name: asyncio.ensure_future(asyncio.wrap_future(space.settled())) for space in spaces}
    await asyncio.wait(futures.values(), timeout=limit)
    unmet = []
    for name, future in futures.items():
        if not future.done():
            future.cancel()
            unmet.append({"channel": "index", "reason": f"space {name} was not up to date within {wait} ms"})
        elif error := future.exception():
            if not isinstance(error, NotesdError):
                raise error
            unmet.append({"channel": "index", "reason": error.message})
    return unmet


def _joined(states: list[Freshness]) -> dict[str, Any]:
    """One statement about all spaces: as stale as the stalest."""
    return {
        "generation": max((s.generation for s in states), default=0),
        "fresh": all(s.fresh for s in states),
        "lag_ms": round(max((s.lag_ms for s in states), default=0.0), 1),
        "pending": {kind: sum(s.pending[kind] for s in states) for kind in ("files", "embeddings")},
        "building": any(s.building for s in states),
    }


def _summed(laps: list[Mapping[str, float]]) -> dict[str, float]:
    stages = {stage for lap in laps for stage in lap}
    return {stage: round(sum(lap.get(stage, 0.0) for lap in laps), 3) for stage in sorted(stages)}


def _texts(value: str | list[str] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _span(name: str, text: str | None) -> DateRange | None:
    """Understand a range given as a parameter.

    Raises:
        InvalidParams: It is no range of dates.
    """
    if text is None or text.strip() == "..":
        return None
    span = parse_range(text)
    if span is None:
        raise InvalidParams(
            f"{name} is {text[:60]!r}; expected dates like 2024-01-01..2024-12-31, either side open"
        )
    return span
