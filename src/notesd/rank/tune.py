"""Did hearing use make answers better, and would other constants make them better still?

Judged by one thing alone: a note that was opened within a day of the answer that showed it. The limbic
score itself is never a judge of its own. Constants are chosen on the earlier half of the searches and
tried on the later one, which they have not seen.

Source: the published design of MCP Memory v2, "shadow mode and tuning".
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from notesd.rank.blend import bounded, published
from notesd.rank.evaluate import Interval, bootstrap_interval, lift, ndcg
from notesd.rank.limbic import Judged, limbic_score
from notesd.rank.route import Strategy
from notesd.settings import Limbic

REACCESS_S = 24 * 3600.0
"""An opening so long after an answer still says something about it."""
PLACES = 10
"""Places that count: a page."""
LEAST_EVENTS = 50
"""Searches answered in the order of use, below which nothing is tuned."""
OLD_SHARE = 0.9
"""How much of a constant stays when another value is found better: one step never goes far."""
MOST_ORDERS = 200_000
"""Orders made in one search for constants, half a minute; with many pairs only the latest searches count."""
GAMMAS = (0.001, 0.01, 0.05, 0.1)
BETA_SALS = (0.1, 0.5, 1.0)


class Component(Struct, frozen=True, gc=False, array_like=True):
    """A candidate of a logged search, with all that another order would be made of."""

    note: int
    """Its row in the record of use."""
    score: float
    """What fusion gave it; candidates are logged in that order."""
    base: float
    importance: float
    temporal_factor: float
    cooc_boost: float
    opened_boost: float
    opened: bool
    """Whether it had ever been opened before."""
    limbic_rank: int
    """Its place in the order that use made, from 1."""


class Event(Struct, frozen=True):
    """A logged search."""

    treatment: bool
    """Whether the order shown was the one that use made."""
    strategy: Strategy
    blend: str
    """``bounded`` or ``published``."""
    held: int
    """First notes that keep their place whatever use says."""
    named: int
    """Those of them that it may order among themselves."""
    components: tuple[Component, ...]
    reaccessed: frozenset[int]
    """Notes that were opened within a day, of those that were shown."""


Order = list[int]


class Comparison(NamedTuple):
    """Two ways to order the same searches."""

    searches: int
    """Those with an opening; the others say nothing."""
    ndcg_before: float
    ndcg_after: float
    gain: float
    """The mean of the differences, after less before."""
    interval: Interval
    """Where the gain probably lies: 95 of 100 resamples."""
    lift_before: float
    lift_after: float


class Tuning(NamedTuple):
    """The best constants on the earlier half, and what they do to the later one."""

    gamma: float
    beta_sal: float
    train: Comparison
    test: Comparison


def plain_order(event: Event) -> Order:
    """The order that fusion made."""
    return [one.note for one in event.components]


def logged_order(event: Event) -> Order:
    """The order that use made at the time."""
    return [one.note for one in sorted(event.components, key=lambda one: one.limbic_rank)]


def order_with(event: Event, constants: Limbic) -> Order:
    """The order that use would have made with other constants; only GAMMA and BETA_SAL are heard."""
    judged = []
    for one in event.components:
        factors = (one.base, one.importance, one.temporal_factor, one.cooc_boost)
        judged.append(Judged(one.note, *factors, limbic_score(*factors, constants), one.opened_boost))
    if event.blend == "published":
        best_first = sorted(judged, key=lambda one: -one.limbic_score)
        return [one.note for one in published(best_first, event.strategy)]
    order = [(one.note, one.score) for one in event.components]
    opened = {one.note for one in event.components if one.opened}
    return [one.note for one in bounded(order, judged, opened, constants, event.held, event.named)]


def compare(
    events: Iterable[Event], before: Callable[[Event], Order], after: Callable[[Event], Order]
) -> Comparison:
    """Measure two orders by what was opened; searches without an opening are left out."""
    judged = [event for event in events if event.reaccessed]
    rows = [(_quality(event, before(event)), _quality(event, after(event))) for event in judged]
    differences = [new.ndcg - old.ndcg for old, new in rows]
    return Comparison(
        len(judged),
        _mean([old.ndcg for old, _ in rows]),
        _mean([new.ndcg for _, new in rows]),
        _mean(differences),
        bootstrap_interval(differences),
        _mean([old.lift for old, _ in rows]),
        _mean([new.lift for _, new in rows]),
    )


def tune(
    events: Sequence[Event],
    current: Limbic,
    gammas: Sequence[float] = GAMMAS,
    beta_sals: Sequence[float] = BETA_SALS,
    going: Callable[[], None] = lambda: None,
) -> Tuning | None:
    """Find the pair of constants that orders the earlier half best, and try it on the later half.

    The constants of today win a tie. None: one of the halves has no search with an opening.

    Args:
        events: Oldest first.
        current: The constants of today.
        gammas: Values of GAMMA to try, each 0 or more.
        beta_sals: Values of BETA_SAL to try, each 0 or more.
        going: Called before each pair; what it raises ends the search.
    """
    grid = dict.fromkeys([(current.GAMMA, current.BETA_SAL), *((g, b) for g in gammas for b in beta_sals)])
    judged = [event for event in events if event.reaccessed][-max(LEAST_EVENTS, MOST_ORDERS // len(grid)) :]
    train, test = judged[: len(judged) // 2], judged[len(judged) // 2 :]
    if not train or not test:
        return None

    def quality(pair: tuple[float, float]) -> float:
        constants = _with(current, *pair)
        going()
        return _mean([_quality(event, order_with(event, constants)).ndcg for event in train])

    gamma, beta_sal = max(grid, key=quality)  # the first of equals
    best = _with(current, gamma, beta_sal)

    def today(event: Event) -> Order:
        return order_with(event, current)

    def then(event: Event) -> Order:
        return order_with(event, best)

    return Tuning(gamma, beta_sal, compare(train, today, then), compare(test, today, then))


def stepped(old: float, new: float) -> float:
    """The value to take when another is found better: ``0.9 * old + 0.1 * new``."""
    return OLD_SHARE * old + (1 - OLD_SHARE) * new


class _Quality(NamedTuple):
    ndcg: float
    lift: float


def _quality(event: Event, order: Order) -> _Quality:
    gains = [1.0 if note in event.reaccessed else 0.0 for note in order]
    return _Quality(ndcg(gains, [1.0] * len(event.reaccessed), PLACES), lift(event.reaccessed, order, PLACES))


def _with(constants: Limbic, gamma: float, beta_sal: float) -> Limbic:
    return structs.replace(constants, GAMMA=gamma, BETA_SAL=beta_sal)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
