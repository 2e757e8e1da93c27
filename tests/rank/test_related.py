"""Evidence that two notes belong together: the worked numbers, and what holds for any counts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.rank.related import (
    SHARED_LINKS,
    TAGS,
    either,
    link_evidence,
    shared_links_evidence,
    tag_evidence,
)

shares = st.lists(st.floats(0, 1), max_size=8)
counts = st.integers(0, 100_000)


@pytest.mark.parametrize(
    ("chances", "expected"), [([], 0.0), ([0.3], 0.3), ([0.5, 0.5], 0.75), ([1.0, 0.2], 1.0), ([2.0], 1.0)]
)
def test_worked_signs(chances: list[float], expected: float) -> None:
    """Several signs say more than the best of them, and never more than 1."""
    assert either(chances) == pytest.approx(expected)


@given(shares)
def test_the_order_of_signs_changes_nothing(chances: list[float]) -> None:
    """The same signs give the same number, to the last bit."""
    assert either(chances) == either(reversed(chances))


@pytest.mark.parametrize(
    ("weights", "degree", "other", "expected"),
    [
        pytest.param([1.0], 2, 2, 1.0, id="two leaves"),
        pytest.param([1.0], 0, 0, 1.0, id="never more than 1"),
        pytest.param([1.0], 14, 14, 0.5, id="log2(16) is 4"),
        pytest.param([0.8], 2, 254, 0.8 * 2 / math.sqrt(2 * 8), id="a hub at the other end"),
        pytest.param([], 2, 2, 0.0, id="no link"),
    ],
)
def test_worked_links(weights: list[float], degree: int, other: int, expected: float) -> None:
    """Both ends damp what a link says."""
    assert link_evidence(weights, degree, other) == pytest.approx(expected)
    assert link_evidence(weights, other, degree) == pytest.approx(expected)


def test_worked_shared_links() -> None:
    """Two notes in between with two and six links: a half and a third."""
    given_ = 1 / 2 + 1 / 3

    assert shared_links_evidence([2, 6], 2) == pytest.approx(0.5 * given_ / (1 + given_))
    assert shared_links_evidence([6, 2], 14) == pytest.approx(0.25 * given_ / (1 + given_))
    assert shared_links_evidence([], 2) == 0


@given(st.lists(counts, max_size=50), counts)
def test_shared_links_never_say_as_much_as_a_link(degrees: list[int], other: int) -> None:
    """However many notes stand between two, a link between the two says more."""
    assert 0 <= shared_links_evidence(degrees, other) < SHARED_LINKS


@pytest.mark.parametrize(
    ("holders", "notes", "expected"),
    [
        pytest.param(100, 100, 0.0, id="everyone has it"),
        pytest.param(10, 100, TAGS * 0.25, id="a tenth: half of the logarithm"),
        pytest.param(1, 100, TAGS, id="nobody else"),
        pytest.param(1, 1, 0.0, id="a folder of one note"),
        pytest.param(0, 0, 0.0, id="an empty folder"),
    ],
)
def test_worked_tags(holders: int, notes: int, expected: float) -> None:
    """A rare tag says much, one that everyone has nothing."""
    assert tag_evidence(holders, notes) == pytest.approx(expected)
