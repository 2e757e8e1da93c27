"""Measures of an order: numbers worked by hand, and what holds for any order."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.rank.evaluate import bootstrap_interval, lift, ndcg, recall

LOG3 = math.log2(3)
gains = st.lists(st.floats(0, 5), max_size=12)


@pytest.mark.parametrize(
    ("order", "ideal", "k", "expected"),
    [
        pytest.param([1, 0], [1], 10, 1.0, id="the one note comes first"),
        pytest.param([0, 1], [1], 10, 1 / LOG3, id="the one note comes second"),
        pytest.param([0, 0, 1], [1], 2, 0.0, id="beyond k"),
        pytest.param([1, 2], [2, 1], 10, (1 + 2 / LOG3) / (2 + 1 / LOG3), id="graded, the wrong way round"),
        pytest.param([1], [1, 1], 10, 1 / (1 + 1 / LOG3), id="one of two"),
        pytest.param([1], [1, 1], 1, 1.0, id="no more can stand there"),
        pytest.param([], [1], 10, 0.0, id="nothing found"),
        pytest.param([0], [], 10, 0.0, id="nothing to find"),
        pytest.param([0, 3], [1, 3], 10, (3 / LOG3) / (3 + 1 / LOG3), id="ideal in any order"),
    ],
)
def test_worked_gain(order: list[float], ideal: list[float], k: int, expected: float) -> None:
    """Gain over the logarithm of the place, as a share of the best possible."""
    assert ndcg(order, ideal, k) == pytest.approx(expected, abs=1e-12)


@given(gains, st.integers(1, 15))
def test_gain_is_a_share(values: list[float], k: int) -> None:
    """Whatever the order, between 0 and 1; the best order has all of it."""
    assert 0 <= ndcg(values, values, k) <= 1 + 1e-12
    if any(value > 1e-300 for value in values):
        assert ndcg(sorted(values, reverse=True), values, k) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("order", "relevant", "k", "expected"),
    [([1, 0, 1], 4, 10, 0.5), ([1, 0, 1], 4, 2, 0.5), ([1, 1], 20, 2, 1.0), ([0], 0, 10, 0.0)],
)
def test_worked_recall(order: list[float], relevant: int, k: int, expected: float) -> None:
    """Of as many as fit into the first places."""
    assert recall(order, relevant, k) == expected


@pytest.mark.parametrize(
    ("relevant", "order", "k", "expected"),
    [
        pytest.param("AB", "ABCDEFGHIJ", 2, 5.0, id="both on top of ten"),
        pytest.param("AB", "ACBDEFGHIJ", 2, 2.5, id="one of two"),
        pytest.param("AB", "CDABEFGHIJ", 2, 0.0, id="none of them"),
        pytest.param("XY", "ABC", 2, 0.0, id="not in the list"),
        pytest.param("A", "BA", 5, 1.0, id="a list that is its own top"),
        pytest.param("A", "", 5, 0.0, id="no list"),
    ],
)
def test_worked_lift(relevant: str, order: str, k: int, expected: float) -> None:
    """Their share in the first places over their share in the whole list."""
    assert lift(relevant, order, k) == pytest.approx(expected)


def test_an_interval_is_the_same_each_time() -> None:
    """No clock and no machine has a say; another seed has."""
    differences = [0.1, -0.05, 0.2, 0.0, 0.07, -0.01] * 5
    once = bootstrap_interval(differences)

    assert once == bootstrap_interval(differences)
    assert once != bootstrap_interval(differences, seed=1)
    assert once.low < sum(differences) / len(differences) < once.high


def test_an_interval_is_as_wide_as_the_theory_says() -> None:
    """For many differences: the mean, give or take 1.96 standard errors."""
    differences = [(i * 37 % 101) / 100 for i in range(404)]
    mean = sum(differences) / len(differences)
    error = math.sqrt(sum((d - mean) ** 2 for d in differences)) / len(differences)
    low, high = bootstrap_interval(differences)

    assert low == pytest.approx(mean - 1.96 * error, abs=0.15 * error)
    assert high == pytest.approx(mean + 1.96 * error, abs=0.15 * error)


@pytest.mark.parametrize("value", [0.0, 0.25, -1.0])
def test_equal_differences_leave_no_doubt(value: float) -> None:
    """Every resample has the same mean."""
    assert bootstrap_interval([value] * 7, draws=50) == (value, value)


def test_without_differences_there_is_nothing_to_say() -> None:
    """No question, no interval."""
    assert bootstrap_interval([]) == (0.0, 0.0)


def test_callers_mistakes() -> None:
    """What cannot be measured is refused instead of being measured wrongly."""
    with pytest.raises(ValueError, match="1 or more"):
        ndcg([1], [1], 0)
    with pytest.raises(ValueError, match="0 or more"):
        ndcg([-1], [1], 1)
    with pytest.raises(ValueError, match="level"):
        bootstrap_interval([1.0], level=1.0)
    with pytest.raises(ValueError, match="draws"):
        bootstrap_interval([1.0], draws=0)
    with pytest.raises(ValueError, match="k is 0"):
        recall([1], 1, 0)
    with pytest.raises(ValueError, match="k is 0"):
        lift("A", "A", 0)
