"""How is use heard in a search, how is it recorded, tuned and forgotten? What the methods need of it."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from msgspec import structs

from notesd.errors import Busy, InvalidParams, NotesdError, counted
from notesd.index import keys
from notesd.ingest.ingest import Progress
from notesd.model import NotePath
from notesd.rank import limbic, tune
from notesd.rank.limbic import compute_cooc_boost
from notesd.rank.related import Companion, Together, use_evidence
from notesd.rank.route import Route, detect_query_type
from notesd.rank.tune import Comparison, Event
from notesd.search.learnt import Use
from notesd.serve import params
from notesd.serve.finding import Seen
from notesd.serve.spaces import Spaces
from notesd.settings import Config, Limbic, LimbicMode
from notesd.space.space import Space
from notesd.usage.events import Tuned
from notesd.usage.keeper import LASTING
from notesd.usage.record import Record

MOST_COMPANIONS = 200
"""Notes used together with one that are looked at, most often first."""
MOST_STEPS = 100
"""Steps of tuning that are told of, the latest."""
_ACTIONS = {"gamma": "set", "beta_sal": "set", "gamma_range": "tune", "beta_sal_range": "tune"}
"""Of each value of a tuning, the action that it is for."""
LONGEST_ROUTED = 4_096
"""Characters of a query that its kind is told by."""


class PathsFollowed:
    """Has the record follow the notes of one space that get another path."""

    def __init__(self, record: Record, key: str) -> None:
        self._record, self._key = record, key

    def changed(self, _generation: int, paths: Sequence[NotePath] | None, /) -> None:
        """Some notes may have been moved."""
        self._record.changed(self._key, paths)

    def progressed(self, now: Progress, /) -> None:
        """No matter."""

    def replaced(self) -> None:
        """No matter."""


class Using:
    """The record of use, as requests meet it."""

    def __init__(self, spaces: Spaces, record: Record, config: Config) -> None:
        self._spaces = spaces
        self.record = record
        self._tuner = ThreadPoolExecutor(1, "tuning")
        self._tuning = self._closing = False
        self._counted: dict[str, int] = {}
        """What was last said to be in the record."""
        self._config = config

    def hearing(self, asked: params.SearchParams, limit: int) -> "Hearing":
        """Begin to hear use in one search."""
        route = detect_query_type(asked.query[:LONGEST_ROUTED], limit, self._config.routing)
        return Hearing(self, asked, self.mode(asked), route)

    def mode(self, asked: params.SearchParams) -> LimbicMode:
        """Request over configuration; a mode of one channel keeps its order unless use is asked for."""
        if asked.limbic is not None:
            return asked.limbic
        return "off" if asked.mode in ("lexical", "semantic") else self._config.search.limbic

    def use(
        self, space: Space, query: str, mode: LimbicMode, route: Route, missed: Callable[[str], None]
    ) -> Use:
        """How use is to be heard in one space; asks the record.

        Raises:
            NotesdError: It cannot be asked.
        """
        now = self.record.clock()
        treatment = mode == "on" or (mode == "ab" and self._arm(space, query, now))
        return Use(
            self.record, space.key, mode, self._config.search.limbic_blend, treatment, route,
            self.constants(space), now, missed,
        )  # fmt: skip

    def _arm(self, space: Space, query: str, now: float) -> bool:
        """Which half of an A/B test a question falls into: the same one all day, so that it answers alike."""
        text = f"{self.record.salt}\0{space.key}\0{int(now // 86_400)}\0{query}"
        return bool(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=1).digest()[0] & 1)

    def constants(self, space: Space) -> Limbic:
        """The configured constants, with those that tuning has taken for the space.

        Raises:
            NotesdError: The record cannot be asked for the latter.
        """
        taken = [one for one in self.record.tuned(space.key) if not one.reverted]
        if not taken:
            return self._config.limbic
        return structs.replace(self._config.limbic, GAMMA=taken[-1].gamma, BETA_SAL=taken[-1].beta_sal)

    def shown(self, seen: Sequence[Seen]) -> None:
        """Record what an answer shows."""
        if self._config.search.record:
            for one in seen:
                self.record.shown(one.space.key, one.notes, one.learnt.log() if one.learnt else None)

    async def opened(self, entities: Sequence[Mapping[str, Any]]) -> None:
        """Record which notes were opened."""
        if not self._config.search.record:
            return
        for space in self._spaces.chosen(None):
            paths = [one["path"] for one in entities if one["space"] == space.name]
            if paths:
                self.record.opened(
                    space.key, [(key, path) for key, path, *_ in await self._rows(space, paths)]
                )

    async def _rows(self, space: Space, paths: Sequence[str]) -> list[keys.Row]:
        return await self._spaces.read(space, lambda reader, _: keys.traces(reader, "path", paths))

    def together(self, space: Space) -> Together | None:
        """What was used together with a note; raises as ``use`` does. None: nothing is recorded."""
        if not self._config.search.record:
            return None

        def ask(key: str) -> list[Companion]:
            now, constants = self.record.clock(), self.constants(space)
            found = self.record.companions(space.key, key, MOST_COMPANIONS)
            return [
                Companion(other, one.count, one.last, use_evidence(compute_cooc_boost(
                    [limbic.Together(one.count, one.last)], now, constants
                )))
                for other, one in found.items()
            ]  # fmt: skip

        return ask

    def status(self) -> dict[str, Any]:
        """How the record is and how much is in it, for ``status``; while it is busy, how much there was."""
        state = self.state()
        try:
            self._counted = self.record.counts()
        except Busy as error:
            state["reason"] = state["reason"] or error.message
        except NotesdError:
            self._counted = {}
        return {**state, **self._counted}

    def state(self) -> dict[str, Any]:
        """How the record is."""
        state = self.record.state
        return {
            "recording": self._config.search.record and state.problem in (None, *LASTING),
            "limbic": self._config.search.limbic,
            "problem": state.problem,
            "reason": state.reason or None,
        }

    # ---- tuning ------------------------------------------------------------------------------

    async def tune(self, asked: params.TuneParams) -> dict[str, Any]:
        """Carry out one action of tuning for each space that is meant.

        It may take half a minute, so it has a thread of its own, and one at a time has it.

        Raises:
            Busy: Somebody else is tuning.
            InvalidParams: The action lacks a value, or has one that it does not use.
            NotesdError: The record cannot be written.
        """
        for name, action in _ACTIONS.items():
            if getattr(asked, name) is not None and asked.action != action:
                raise InvalidParams(
                    f'"{name}" belongs to the action "{action}": ask for that, or leave it out', param=name
                )
        if self._tuning:
            raise Busy("a tuning is under way; try again when it is done")
        chosen = self._spaces.chosen(asked.space)
        self._tuning = True
        try:
            told = await asyncio.get_running_loop().run_in_executor(
                self._tuner, lambda: [self._act(space, asked) for space in chosen]
            )
        finally:
            self._tuning = False
        return {"spaces": told}

    def close(self) -> None:
        """End a tuning that is under way."""
        self._closing = True
        self._tuner.shutdown(wait=False, cancel_futures=True)

    def _going(self) -> None:
        if self._closing:
            raise Busy("the daemon is stopping")

    def _act(self, space: Space, asked: params.TuneParams) -> dict[str, Any]:
        """Carry out one action of tuning for one space."""
        events = self.record.events(space.key)
        old = self.constants(space)
        told: dict[str, Any] = {
            "space": space.name,
            "action": asked.action,
            "blend": self._config.search.limbic_blend,
            **_counted(events),
            "applied": False,
            "old": _pair(old),
        }
        if asked.action == "analyze":
            told |= _analysis(events, self._going)
        elif asked.action == "tune":
            told |= self._tune(space, asked, events, old)
        elif asked.action == "set":
            told |= self._set(space, asked, old)
        else:
            told["applied"] = self.record.revert(space.key)
            told["reason"] = "went back one step" if told["applied"] else "there is no step to go back"
        told["new"] = _pair(self.constants(space))
        told["history"] = [_step(one) for one in self.record.tuned(space.key)[-MOST_STEPS:]]
        return told

    def _tune(
        self, space: Space, asked: params.TuneParams, events: Sequence[Event], old: Limbic
    ) -> dict[str, Any]:
        treated = [event for event in events if event.treatment]
        if len(treated) < tune.LEAST_EVENTS:
            return {
                "reason": f"nothing was changed: {counted(len(treated), 'search was', 'searches were')} "
                f"answered in the order of use, it takes {tune.LEAST_EVENTS}"
            }
        found = tune.tune(
            treated,
            old,
            asked.gamma_range or tune.GAMMAS,
            asked.beta_sal_range or tune.BETA_SALS,
            self._going,
        )
        if found is None:
            return {
                "reason": "nothing was changed: too few of these searches were followed by an opening "
                "to choose on one half and try on the other"
            }
        best = {"GAMMA": found.gamma, "BETA_SAL": found.beta_sal}
        told: dict[str, Any] = {"best": best, "train": _told(found.train), "test": _told(found.test)}
        if best == _pair(old):
            return {**told, "reason": "nothing was changed: no other pair is better on the earlier half"}
        if found.test.interval.high < 0:
            return {**told, "reason": "nothing was changed: on the later half the best pair is surely worse"}
        new = (tune.stepped(old.GAMMA, found.gamma), tune.stepped(old.BETA_SAL, found.beta_sal))
        self._take(space, *new, "tuned")
        return {**told, "applied": True, "reason": "took a tenth of the way to the best pair"}

    def _set(self, space: Space, asked: params.TuneParams, old: Limbic) -> dict[str, Any]:
        if asked.gamma is None and asked.beta_sal is None:
            raise InvalidParams('the action "set" needs "gamma" or "beta_sal"', param="gamma")
        gamma = old.GAMMA if asked.gamma is None else tune.stepped(old.GAMMA, asked.gamma)
        beta_sal = old.BETA_SAL if asked.beta_sal is None else tune.stepped(old.BETA_SAL, asked.beta_sal)
        self._take(space, gamma, beta_sal, "set")
        return {"applied": True, "reason": "took a tenth of the way to what was asked for"}

    def _take(self, space: Space, gamma: float, beta_sal: float, why: str) -> None:
        self.record.take(space.key, Tuned(gamma, beta_sal, self.record.clock(), why))


class Hearing:
    """How use is heard in one search of one or several spaces."""

    def __init__(self, using: Using, asked: params.SearchParams, mode: LimbicMode, route: Route) -> None:
        self._using = using
        self._asked = asked
        self.mode = mode
        self.route = route
        self._missed: set[str] = set()

    def use(self, space: Space) -> Use | None:
        """How it is to be heard in one space, None: not at all; called where waiting does no harm."""
        if self.mode == "off":
            return None
        try:
            return self._using.use(space, self._asked.query, self.mode, self.route, self._missed.add)
        except NotesdError as error:
            self._missed.add(error.message)
            return None

    def unmet(self) -> list[dict[str, str]]:
        """Why use could not be heard, where it was to be."""
        return [{"channel": "limbic", "reason": reason} for reason in sorted(self._missed)]


def _counted(events: Sequence[Event]) -> dict[str, int]:
    return {
        "searches": len(events),
        "treated": sum(event.treatment for event in events),
        "followed_by_opening": sum(bool(event.reaccessed) for event in events),
        "needed": tune.LEAST_EVENTS,
    }


def _analysis(events: Sequence[Event], going: Callable[[], None]) -> dict[str, Any]:
    """The order of use against the plain one: over all searches, and by which of them was shown."""
    parts: Mapping[str, Sequence[Event]] = {
        "all": events,
        "order_of_use_shown": [event for event in events if event.treatment],
        "plain_order_shown": [event for event in events if not event.treatment],
        **{
            strategy: [event for event in events if event.strategy == strategy]
            for strategy in ("cosine_heavy", "hybrid_balanced", "limbic_heavy")
        },
    }
    found = {}
    for name, part in parts.items():
        going()
        found[name] = _told(tune.compare(part, tune.plain_order, tune.logged_order))
    return {"analysis": found}


def _told(found: Comparison) -> dict[str, Any]:
    return {
        "searches": found.searches,
        "ndcg_before": found.ndcg_before,
        "ndcg_after": found.ndcg_after,
        "gain": found.gain,
        "interval": list(found.interval),
        "lift_before": found.lift_before,
        "lift_after": found.lift_after,
    }


def _pair(constants: Limbic) -> dict[str, float]:
    return {"GAMMA": constants.GAMMA, "BETA_SAL": constants.BETA_SAL}


def _step(one: Tuned) -> dict[str, Any]:
    return {
        "at": datetime.fromtimestamp(one.at).astimezone().isoformat(timespec="seconds"),
        "GAMMA": one.gamma,
        "BETA_SAL": one.beta_sal,
        "why": one.why,
        "reverted": one.reverted,
    }
