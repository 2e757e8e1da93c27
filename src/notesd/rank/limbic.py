"""What does use say of some candidates? Importance, age and company, as one score.

The limbic score is the published one: ``base * (1 + BETA_SAL * importance) * temporal * (1 + GAMMA * cooc)``.
What becomes of it is a second question, see ``rank.blend``. Pure arithmetic: the present comes in as an
argument, so the same candidates give the same scores.

Source: the published design of MCP Memory v2 ("Option B"); constants under their published names.
"""

import math
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from notesd.settings import Limbic

LOWEST, SPAN = 0.2, 0.6
"""A note without a distance has a base between 0.2 and 0.8, by its place among the fused scores."""

_HOUR_S = 3600.0

Key = TypeVar("Key")


class Together(Struct, frozen=True, gc=False):
    """What is known of two notes that were used together."""

    count: int
    """How often, 0 or more."""
    last: float
    """The last time, in seconds of the clock that says what is now; the future counts as now."""


class Candidate(Struct, Generic[Key], frozen=True, gc=False):
    """A note that may be shown, and what use knows of it."""

    note: Key
    path: str
    """Breaks ties, the smaller first."""
    score: float
    """What fusion gave it."""
    distance: float | None
    """Cosine distance in [0, 2]; None: the semantic channel has not found it."""
    access: int
    """How often it was opened, 0 or more."""
    since: float
    """When it was last opened, or was created when it never was; seconds of the same clock."""
    degree: int
    """Notes it is linked with."""
    company: Sequence[Together] = ()
    """With each other candidate that it was ever used together with."""
    opened_company: Sequence[Together] = ()
    """The same for openings alone."""


class Judged(Struct, Generic[Key], frozen=True, gc=False):
    """A candidate with its limbic score and each factor of it."""

    note: Key
    base: float
    importance: float
    temporal_factor: float
    cooc_boost: float
    limbic_score: float
    opened_boost: float = 0.0
    """As ``cooc_boost``, but of openings alone."""


def compute_importance(access: int, max_access: int, degree: int, constants: Limbic) -> float:
    """Say how much a note matters, in [0, 1 + BETA_DEG].

    ``log2(1 + access) / log2(1 + max_access) * (1 + BETA_DEG * min(degree, D_MAX) / D_MAX)``

    Args:
        access: How often it was opened, at most ``max_access``.
        max_access: The most that any candidate was; 0 makes nobody important.
        degree: Notes it is linked with.
        constants: See ``settings.Limbic``.
    """
    if max_access <= 0:
        return 0.0
    links = min(degree, constants.D_MAX) / constants.D_MAX
    return math.log2(1 + access) / math.log2(1 + max_access) * (1 + constants.BETA_DEG * links)


def compute_temporal_factor(hours: float, constants: Limbic) -> float:
    """Say what age leaves of a score, in [TEMPORAL_FLOOR, 1]: ``exp(-LAMBDA_HOURLY * hours)``."""
    return max(constants.TEMPORAL_FLOOR, math.exp(-constants.LAMBDA_HOURLY * max(0.0, hours)))


def compute_cooc_boost(company: Sequence[Together], now: float, constants: Limbic) -> float:
    """Say how much company a note has among the other results, 0 or more.

    ``sum of log2(1 + count) * max(COOC_TEMPORAL_FLOOR, exp(-LAMBDA_HOURLY * hours))``

    Args:
        company: Of the note with each other result, in any order.
        now: In seconds.
        constants: See ``settings.Limbic``.
    """
    # Asked of thousands of pairs a search: no call and no object more than it takes.
    rate, floor, log2, exp = (
        -constants.LAMBDA_HOURLY / _HOUR_S,
        constants.COOC_TEMPORAL_FLOOR,
        math.log2,
        math.exp,
    )
    return math.fsum(
        [
            log2(1 + one.count)
            * (fresh if (fresh := exp(rate * age) if (age := now - one.last) > 0 else 1.0) > floor else floor)
            for one in company
        ]
    )


def limbic_score(base: float, importance: float, temporal: float, cooc: float, constants: Limbic) -> float:
    """Multiply the factors; ``base`` is 0 or more."""
    return base * (1 + constants.BETA_SAL * importance) * temporal * (1 + constants.GAMMA * cooc)


def rank_candidates(candidates: Sequence[Candidate[Key]], now: float, constants: Limbic) -> list[Judged[Key]]:
    """Order what the semantic channel alone has found by limbic score, best first.

    Args:
        candidates: Each with a distance; their order changes nothing.
        now: In seconds.
        constants: See ``settings.Limbic``.

    Raises:
        ValueError: A candidate without a distance: a caller's mistake.
    """

    def base(one: Candidate[Key]) -> float:
        if one.distance is None:
            raise ValueError(f"{one.path} has no distance; rank_hybrid_candidates ranks such notes")
        return max(0.0, 1.0 - one.distance)

    return _ranked(candidates, now, constants, base)


def rank_hybrid_candidates(
    candidates: Sequence[Candidate[Key]], now: float, constants: Limbic
) -> list[Judged[Key]]:
    """Order what several channels have found by limbic score, best first.

    Base is ``1 - distance`` for a note that has one, and ``0.2 + 0.6 * norm`` for any other, ``norm``
    being its fused score between the least (0) and the greatest (1) of all candidates.

    Args:
        candidates: Their order changes nothing.
        now: In seconds.
        constants: See ``settings.Limbic``.
    """
    norm = normalized([one.score for one in candidates])

    def base(one: Candidate[Key]) -> float:
        return LOWEST + SPAN * norm(one.score) if one.distance is None else max(0.0, 1.0 - one.distance)

    return _ranked(candidates, now, constants, base)


def normalized(values: Sequence[float]) -> Callable[[float], float]:
    """Map values linearly onto [0, 1], the least to 0 and the greatest to 1; a single value to 1."""
    least, greatest = min(values, default=0.0), max(values, default=0.0)
    if least == greatest:
        return lambda _: 1.0
    return lambda value: (value - least) / (greatest - least)


def _ranked(
    candidates: Sequence[Candidate[Key]],
    now: float,
    constants: Limbic,
    base: Callable[[Candidate[Key]], float],
) -> list[Judged[Key]]:
    max_access = max((one.access for one in candidates), default=0)
    rows = []
    for one in candidates:
        factors = (
            base(one),
            compute_importance(one.access, max_access, one.degree, constants) if one.access else 0.0,
            compute_temporal_factor((now - one.since) / _HOUR_S, constants),
            compute_cooc_boost(one.company, now, constants) if one.company else 0.0,
        )
        opened = compute_cooc_boost(one.opened_company, now, constants) if one.opened_company else 0.0
        rows.append((one.path, Judged(one.note, *factors, limbic_score(*factors, constants), opened)))
    return [judged for _, judged in sorted(rows, key=lambda row: (-row[1].limbic_score, row[0]))]
