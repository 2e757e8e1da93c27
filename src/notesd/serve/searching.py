"""How does one request to search become a plan for each space, and their page an answer?"""

import functools

from msgspec import structs

from notesd.index.links import fold_relation
from notesd.search.conditions import Asked
from notesd.search.engine import SearchPlan
from notesd.search.query import parse_query
from notesd.search.semantic import Question
from notesd.serve import params, report
from notesd.serve.finding import SearchRequest
from notesd.serve.results import Channels, ChannelState, SearchResult
from notesd.serve.spaces import Spaces
from notesd.serve.using import Using
from notesd.settings import Config
from notesd.space.hearing import evidence, voices_heard
from notesd.space.meaning import Meaning
from notesd.space.space import Space

_TRUNCATED = {
    "channel": "lexical",
    "reason": "the query is long: its first 64 words or 4,096 characters were looked for",
}


def narrowed(text: str, request: params.FilterParams, config: Config) -> Asked:
    """What a query text asks for, with the filters of a request.

    Raises:
        InvalidParams: A range is none.
    """
    return Asked(
        parse_query(text, params.today()), request.limit or config.search.limit, request.offset,
        request.folder, params.texts(request.tag), params.texts(request.type), (),
        params.span("created", request.created), params.span("modified", request.modified),
    )  # fmt: skip


class Search:
    """One search of some spaces."""

    def __init__(
        self, request: params.SearchParams, spaces: Spaces, config: Config, meaning: Meaning,
        using: Using,
    ) -> None:  # fmt: skip
        """Resolve what is alike for all spaces.

        Raises:
            InvalidParams: A range of dates is none.
            UnknownSpace: As ``Spaces.chosen`` says.
        """
        self._request, self._config, self._meaning = request, config, meaning
        self.asked = structs.replace(
            narrowed(request.query, request, config), relations=params.texts(request.rel),
            explain=request.explain, meaning_only=request.mode == "semantic", rrf_k=config.limbic.RRF_K,
            expansion=config.limbic.EXPANSION_FACTOR,
        )  # fmt: skip
        self._chosen = spaces.chosen(request.space)
        self._hearing = using.hearing(request, self.asked.limit)
        known = meaning.known
        self._by_meaning = Question(meaning.vector, evidence(known), functools.partial(voices_heard, known))
        weights = config.search.relation_weights.items()
        self._relation_weights = {fold_relation(name): one for name, one in weights}
        self._semantic = [space for space in self._chosen if self._wants_vectors(space)]
        self._graph: ChannelState = "ok" if any(map(self._wants_links, self._chosen)) else "off"

    def request(self) -> SearchRequest:
        """The same as ``finding`` takes it."""
        one = self._request
        return SearchRequest(one.query, one.space, one.wait, self.asked, self.plan, why=one.why)

    def plan(self, space: Space, asked: Asked) -> SearchPlan:
        """How one space is asked: request over space over configuration.

        It may wait for the record of use, so it is called in a thread that reads.
        """
        suited = structs.replace(
            asked, demote=space.demote, use=self._hearing.use(space),
            relation_weights=self._relation_weights if self._wants_links(space) else None,
        )  # fmt: skip
        if space not in self._semantic:
            return SearchPlan(suited)
        return SearchPlan(suited, [self._by_meaning.channel(self._meaning.want(space.name))])

    def result(self, page: SearchResult) -> SearchResult:
        """The answer: a page, and what came of each channel by now."""
        degraded = [*page.degraded, *self._hearing.unmet()]
        if self.asked.query.truncated:
            degraded.append(_TRUNCATED)
        states = [self._meaning.state_of(space.name) for space in self._semantic]
        meaning, reason = report.outcome(self._by_meaning, states)
        if meaning != "ok":
            degraded.append({"channel": "semantic", "reason": reason})
        vectors = [self._meaning.spaces[space.name] for space in self._chosen]
        waiting = sum(max(0, one.state.total - one.state.done) for one in vectors)
        index = {**page.index, "pending": {**page.index["pending"], "embeddings": waiting}}
        if self._semantic:
            index["set_aside"] = aside = sum(one.set_aside for one in vectors)
            degraded += report.without(aside)
        answer = structs.replace(
            page, degraded=degraded, index=index,
            channels=Channels("ok", meaning if self._semantic else "off", self._graph),
        )  # fmt: skip
        if self._hearing.mode != "off":
            answer = structs.replace(answer, routing_strategy=self._hearing.route.strategy)
        return answer

    def first(self, page: SearchResult) -> SearchResult:
        """The answer of the fast channels; the others are asked only now."""
        answer = self.result(page)
        if not self._semantic:
            return answer
        graph: ChannelState = "off" if self._graph == "off" else "pending"
        return structs.replace(answer, channels=Channels("ok", "pending", graph))

    def _wants_vectors(self, space: Space) -> bool:
        """Request over space over configuration; the mode says it most plainly of all."""
        if self._request.mode in ("lexical", "semantic"):
            return self._request.mode == "semantic"
        for wish in (self._request.vector_search, space.vector_search):
            if wish is not None:
                return wish
        return self._config.search.vector_search

    def _wants_links(self, space: Space) -> bool:
        """As for vectors; a mode of one channel leaves its order alone."""
        if self._request.mode in ("lexical", "semantic"):
            return False
        for wish in (self._request.graph_boost, space.graph_boost):
            if wish is not None:
                return wish
        return self._config.search.graph_boost
