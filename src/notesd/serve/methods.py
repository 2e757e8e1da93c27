"""What can be asked of notesd? Name, parameters and answer of every method, in one table."""

import asyncio
import functools
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from msgspec import Struct

from notesd import __version__
from notesd.duty import Duty
from notesd.errors import NotesdError
from notesd.index.properties import keys
from notesd.index.store import Reader
from notesd.search.engine import SearchPlan
from notesd.serve import (
    finding,
    graph,
    naming,
    pages,
    paging,
    params,
    properties,
    related,
    report,
    suggestions,
    vocabulary,
    wire,
)
from notesd.serve.bounds import BOUNDS
from notesd.serve.forgetting import Forgetting
from notesd.serve.opening import Opening
from notesd.serve.outlet import CALLER
from notesd.serve.results import SearchResult
from notesd.serve.searching import Search, narrowed
from notesd.serve.spaces import Spaces, heard
from notesd.serve.subscribers import Subscribers
from notesd.serve.using import Using
from notesd.settings import Config
from notesd.space.hearing import evidence
from notesd.space.meaning import Meaning
from notesd.space.space import Space
from notesd.usage.record import Record

log = logging.getLogger("notesd")


class Methods:
    """Answers requests from the running spaces."""

    def __init__(
        self,
        spaces: Spaces,
        config: Config,
        meaning: Meaning,
        record: Record,
        duties: Callable[[], Sequence[Duty]] = tuple,
    ) -> None:
        self._spaces = spaces
        self._subscribers = Subscribers(spaces.by_name)
        self._config = config
        self._told: dict[str, dict[str, Any]] = {}
        """What was last said of each space, for a time when it cannot be read."""
        self._meaning = meaning
        self._duties = duties
        self._using = Using(self._spaces, record, config)
        self._forgetting = Forgetting(self._spaces, record)

    def close(self) -> None:
        """Let no thread hold the end up."""
        self._spaces.close()
        self._using.close()

    def welcome(self, space: Space) -> None:
        """A space came, or came back with other settings."""
        self._told.pop(space.name, None)
        self._subscribers.hear(space)

    # One method of the protocol each, in the order of the table

    async def ping(self, _asked: params.NoParams) -> object:
        return {"pong": True, "pid": os.getpid(), "version": __version__}

    async def status(self, asked: params.SpaceParams) -> object:
        chosen = self._spaces.chosen(asked.space) if self._spaces.by_name else []
        every = await asyncio.gather(*map(self._described, chosen))
        described = [report.with_some_problems(one) for one in every]
        background = [duty.state() for duty in self._duties()]
        states = {one["state"] for one in described}
        if any(duty.trouble or not duty.alive for duty in background):
            states.add("degraded")
        state = "degraded" if "degraded" in states else "indexing" if "indexing" in states else "ready"
        return {
            "state": state,
            "version": __version__,
            "pid": os.getpid(),
            "rss_bytes": report.rss_bytes(),
            "spaces": described,
            "background": background,
            "usage": await self._spaces.run(
                self._using.status if asked.audience == "user" else self._using.state
            ),
        }

    async def search(self, asked: params.SearchParams) -> object:
        search = Search(asked, self._spaces, self._config, self._meaning, self._using)
        caller = CALLER.get()

        async def first(page: SearchResult) -> None:
            partial = search.first(page).partial(caller.request_id)
            await caller.outlet.send(wire.encode_notification("search.partial", partial))

        streamed = asked.stream and caller.request_id is not None
        found = await finding.find(self._spaces, search.request(), first if streamed else None)
        if asked.record:
            self._using.shown(found.seen)
        return search.result(found.page)

    async def feed(self, asked: params.FeedParams) -> object:
        text = asked.q or ""
        request = finding.SearchRequest(
            text, asked.space, asked.wait, narrowed(text, asked, self._config),
            lambda _, one: SearchPlan(one, sort=asked.sort), asked.sort,
        )  # fmt: skip
        return (await finding.find(self._spaces, request)).page

    async def open(self, asked: params.OpenParams) -> object:
        opening = Opening(self._spaces, asked, self._config.index.max_file_bytes)
        answer = await opening.answer()
        if asked.record:
            await self._using.opened(opening.begun)
        return answer

    async def links(self, asked: params.LinksParams) -> object:
        cursor = pages.cursor_of(asked.cursor)
        (space, path, _), degraded = await naming.only(self._spaces, asked.space, asked.note)
        page = await paging.page(
            self._spaces, [space], BOUNDS["links"], cursor,
            lambda reader, _, first: islice(
                graph.around(reader, path, asked.direction, asked.depth), first, None
            ),
        )  # fmt: skip
        lists = page.taken[space.name].lists(graph.AROUND)
        return page.ended({"space": space.name, "note": path, **lists, "degraded": degraded})

    async def related(self, asked: params.RelatedParams) -> object:
        (space, path, _), degraded = await naming.only(self._spaces, asked.space, asked.note)
        limit, vectors = asked.limit or self._config.search.limit, self._meaning.spaces[space.name]
        found = await self._spaces.read(
            space,
            lambda reader, _: pages.with_results_fitted(
                related.answer(
                    reader,
                    space,
                    path,
                    limit,
                    vectors,
                    evidence(self._meaning.known),
                    self._using.together(space),
                    space.demote,
                )
            ),
        )
        return {**found, "degraded": [*found["degraded"], *degraded]}

    async def check(self, asked: params.PagedParams) -> object:
        chosen = self._spaces.chosen(asked.space)
        wrong = {
            space.name: await self._spaces.run(functools.partial(self._meaning.check, space.name))
            for space in chosen
        }
        page = await paging.page(
            self._spaces, chosen, BOUNDS["check"], pages.cursor_of(asked.cursor),
            lambda reader, space, first: islice(
                report.check_of(reader, space, wrong[space.name], space.demote),
                first, None,
            ),
        )  # fmt: skip
        return page.ended({**page.merged(report.CHECKED), "degraded": page.told()})

    async def names(self, asked: params.NamesParams) -> object:
        return await vocabulary.listed(self._spaces, asked)

    async def properties(self, asked: params.PropertiesParams) -> object:
        chosen = self._spaces.chosen(asked.space)
        page = await paging.page(
            self._spaces, chosen, BOUNDS["properties"], pages.cursor_of(asked.cursor),
            lambda reader, space, first: islice(properties.entries(reader, space, asked.name), first, None),
        )  # fmt: skip
        every = page.merged(properties.LISTED)
        degraded: list[dict[str, Any]] = [*page.told()]
        if asked.name is not None and not asked.cursor and not every["properties"]:
            known = [some for _, some in (await self._spaces.each(asked.space, lambda r, _: keys(r))).answers]
            degraded.append(properties.unknown(asked.name, frozenset().union(*known)))
        return page.ended({**every, "degraded": degraded})

    async def export(self, asked: params.PagedParams) -> object:
        chosen, bound = self._spaces.chosen(asked.space), BOUNDS["export"]
        page = await paging.page(
            self._spaces, chosen, bound, pages.cursor_of(asked.cursor),
            lambda reader, _, first: report.exported(reader, first, bound.items + 1),
        )  # fmt: skip
        lists = {name: taken.lists(report.EXPORTED) for name, taken in page.taken.items()}
        if len(chosen) == 1:
            return page.ended(lists[chosen[0].name])
        return page.ended({"spaces": lists, **({"degraded": page.told()} if page.unasked else {})})

    async def rescan(self, asked: params.RescanParams) -> object:
        chosen = self._spaces.chosen(asked.space)
        if asked.vectors:
            for space in chosen:
                self._meaning.embed_anew(space.name)
        begun = [(space, space.rescan(confirmed=asked.confirm)) for space in chosen]
        if not asked.wait:
            return {"started": True}
        rebuilt = await heard((space, asyncio.wrap_future(future)) for space, future in begun)
        known = await heard((space, self._spaces.read(space, report.size_of)) for space, _ in rebuilt.answers)
        return {
            "generation": max(generation for _, (generation, _) in known.answers),
            "notes": sum(number for _, (_, number) in known.answers),
            "seconds": round(max(seconds for _, seconds in rebuilt.answers), 3),
            "degraded": [*rebuilt.told(), *known.told()],
        }

    async def subscribe(self, asked: params.SpaceParams) -> object:
        names = [space.name for space in self._spaces.chosen(asked.space)]
        return {"subscribed": await self._subscribers.add(CALLER.get().outlet, names)}

    async def tune(self, asked: params.TuneParams) -> object:
        return await self._using.tune(asked)

    async def forget(self, asked: params.ForgetParams) -> object:
        return await self._forgetting.forget(asked)

    # What they share

    async def _described(self, space: Space) -> dict[str, Any]:
        """One entry of ``spaces`` in ``status``, whatever is the matter with the index."""
        try:
            told = await self._spaces.look(space, self._status_of)
        except Exception as error:
            if not isinstance(error, NotesdError):
                log.exception("space %s cannot be described", space.name)
            before = self._told.get(space.name, report.NOTHING_KNOWN)
            vectors = report.vectors_of(self._meaning.state_of(space.name), self._meaning.tokenizer)
            return report.sick(space, error, {**before, **vectors})
        self._told[space.name] = told
        return told

    def _status_of(self, reader: Reader, space: Space) -> dict[str, Any]:
        """One entry of ``spaces`` in ``status``: notes, and vectors."""
        described = report.status_of(reader, space)
        state = self._meaning.state_of(space.name)
        idle = suggestions.idle(reader, space.name, space.demote, space.ignore)
        described["problems"] += [
            {"path": path, "kind": problem.kind, "reason": problem.reason} for path, problem in idle
        ]
        described["problems"] += [
            {"path": path, "kind": "embed_failed", "reason": reason}
            for path, reason in self._meaning.set_aside(space.name, reader)
        ]
        described["pending"]["embeddings"] = max(0, state.total - state.done)
        return described | report.vectors_of(state, self._meaning.tokenizer)


class Method(NamedTuple):
    """What stands behind one name of the protocol."""

    params: type[Struct]
    run: Callable[[Methods, Any], Awaitable[object]]
    for_agents: bool = True
    """False: it is about what is recorded of all notes, private ones too."""


TABLE: Mapping[str, Method] = {
    "ping": Method(params.NoParams, Methods.ping),
    "status": Method(params.SpaceParams, Methods.status),
    "search": Method(params.SearchParams, Methods.search),
    "feed": Method(params.FeedParams, Methods.feed),
    "open": Method(params.OpenParams, Methods.open),
    "links": Method(params.LinksParams, Methods.links),
    "check": Method(params.PagedParams, Methods.check),
    "properties": Method(params.PropertiesParams, Methods.properties),
    "names": Method(params.NamesParams, Methods.names),
    "export": Method(params.PagedParams, Methods.export),
    "rescan": Method(params.RescanParams, Methods.rescan),
    "related": Method(params.RelatedParams, Methods.related),
    "tune": Method(params.TuneParams, Methods.tune, for_agents=False),
    "forget": Method(params.ForgetParams, Methods.forget, for_agents=False),
    "subscribe": Method(params.SpaceParams, Methods.subscribe, for_agents=False),
}
