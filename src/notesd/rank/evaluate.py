"""How good is an order? The usual measures of one ranking, and how sure a difference between two is.

Linear gain: a note that is worth 2 counts twice one that is worth 1. All of it is arithmetic; even the
resamples of the bootstrap come from a generator of our own, so that the same numbers give the same interval
on every machine.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

DRAWS = 2_000
"""Resamples of a bootstrap; with 1,000 the second digit of an end still moved."""
MOST_DRAWN = 1_000_000
"""Numbers drawn in all: of many differences the mean is so sure that fewer resamples show it."""
LEAST_DRAWS = 200
LEVEL = 0.95
"""Share of the resamples that lie within an interval."""

Key = TypeVar("Key")

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Interval(NamedTuple):
    """Where a mean probably lies."""

    low: float
    high: float


def ndcg(gains_in_order: Sequence[float], ideal_gains: Iterable[float], k: int) -> float:
    """How much of the gain that an ideal order has in its first ``k`` places does this one have, in [0, 1]?

    ``sum of gain / log2(1 + place)`` over the first ``k`` places, divided by the same sum of the ideal order.

    Args:
        gains_in_order: What the note in each place is worth, 0 or more, best place first; may be shorter.
        ideal_gains: What every note that is worth anything is worth, in any order, found or not.
        k: Places that count, 1 or more.

    Returns:
        0 also where nothing is worth anything: such a question says nothing and is better left out.

    Raises:
        ValueError: ``k < 1`` or a negative gain: a caller's mistake.
    """
    best = _dcg(sorted(ideal_gains, reverse=True), k)
    return _dcg(gains_in_order, k) / best if best > 0 else 0.0


def _dcg(gains: Sequence[float], k: int) -> float:
    _places(k)
    first = gains[:k]
    if any(gain < 0 for gain in first):
        raise ValueError(f"a gain is {min(first)}, 0 or more expected")
    return math.fsum(gain / math.log2(1 + place) for place, gain in enumerate(first, 1))


def recall(gains_in_order: Sequence[float], relevant: int, k: int) -> float:
    """Share of the relevant notes that stand in the first ``k`` places, of as many as can stand there.

    Args:
        gains_in_order: As for ``ndcg``.
        relevant: How many notes are worth anything; with none the answer is 0.
        k: Places that count, 1 or more.

    Raises:
        ValueError: ``k < 1``.
    """
    _places(k)
    found = sum(gain > 0 for gain in gains_in_order[:k])
    return found / min(k, relevant) if relevant else 0.0


def lift(relevant: Collection[Key], order: Sequence[Key], k: int) -> float:
    """How many times as frequent are relevant notes in the first ``k`` places as in the whole list?

    1: the order knows nothing of them; at most ``len(order) / k``.

    Args:
        relevant: Those that count; of those that are not in the list nothing is known.
        order: The whole list, best first, no note twice.
        k: Places that count, 1 or more; a shorter list is its own top, so its lift is 1.

    Returns:
        0 where no note of the list is relevant.

    Raises:
        ValueError: ``k < 1``.
    """
    _places(k)
    wanted = set(relevant)
    everywhere = sum(note in wanted for note in order)
    if not everywhere:
        return 0.0
    first = order[:k]
    return (sum(note in wanted for note in first) / len(first)) / (everywhere / len(order))


def bootstrap_interval(
    differences: Sequence[float], *, seed: int = 0, level: float = LEVEL, draws: int = DRAWS
) -> Interval:
    """Where does the mean of some paired differences probably lie? Percentiles of resampled means.

    Args:
        differences: One a question, in a fixed order.
        seed: Another one gives other resamples; any whole number.
        level: Share of the resampled means within the interval, above 0 and below 1.
        draws: How many resamples, 1 or more.

    Returns:
        Both ends; 0 and 0 without any difference to draw from.

    Raises:
        ValueError: ``level`` or ``draws`` is out of its range.
    """
    if not 0 < level < 1 or draws < 1:
        raise ValueError(f"level {level} and {draws} draws; a level between 0 and 1 and 1 or more expected")
    if not differences:
        return Interval(0.0, 0.0)
    numbers, size = _random(seed), len(differences)
    draws = min(draws, max(LEAST_DRAWS, MOST_DRAWN // size))
    means = sorted(
        math.fsum(differences[next(numbers) % size] for _ in range(size)) / size for _ in range(draws)
    )
    outside = int(draws * (1 - level) / 2)
    return Interval(means[outside], means[draws - 1 - outside])


def _random(seed: int) -> Iterator[int]:
    """Whole numbers below 2^64 that look random, the same ones for a seed.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64).
    """
    state = seed & _MASK
    while True:
        state = (state + _GOLDEN) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        yield mixed ^ (mixed >> 31)


def _places(k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}, 1 or more expected")
