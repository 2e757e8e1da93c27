"""The number of slips between two words is the least that leads from one to the other."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse.edits import distance

WORDS = st.text("abc", max_size=7)


def plainly(one: str, other: str) -> int:
    """Count by the definition, trying every slip at the end of both words."""

    @cache
    def ends(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        ways = [ends(i - 1, j) + 1, ends(i, j - 1) + 1, ends(i - 1, j - 1) + (one[i - 1] != other[j - 1])]
        if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
            ways.append(ends(i - 2, j - 2) + 1)
        return min(ways)

    return ends(len(one), len(other))


@given(WORDS, WORDS, st.integers(0, 4))
def test_it_is_counted_as_defined_and_no_further_than_wanted(one: str, other: str, most: int) -> None:
    """Whatever the words."""
    assert distance(one, other, most) == min(plainly(one, other), most + 1)


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [("word", "word", 0), ("wrod", "word", 1), ("wod", "word", 1), ("worrd", "word", 1), ("wird", "word", 1)],
)
def test_each_kind_of_slip_is_one(one: str, other: str, slips: int) -> None:
    """Swapped neighbours, too."""
    assert distance(one, other, 2) == slips
