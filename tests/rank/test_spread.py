"""Spreading along links: the worked numbers, and what holds for any links."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.rank.spread import CEILING, MOST_NEIGHBOURS, Reached, Step, smooth, spread

NAMES = "ABCDEFGH"
PATHS = {name: f"{name}.md" for name in NAMES}
DEGREES = {"A": 2, "B": 6, "C": 14, "D": 2, "E": 0, "F": 0, "G": 0, "H": 0}
"""log2(2 + degree) is 2, 3, 4, 2 and 1."""

steps_of = st.lists(
    st.builds(Step, st.sampled_from("ABC"), st.sampled_from(NAMES), st.sampled_from([0.0, 0.25, 1.0, 2.0])),
    max_size=25,
)


def strengths(reached: list[Reached[str]]) -> dict[str, float]:
    return {one.note: one.strength for one in reached}


def test_worked_numbers_of_spreading() -> None:
    """Each seed gives its weight over its rank and both dampings, and what they give is added."""
    steps = [Step("A", "D", 1.0), Step("B", "D", 1.0), Step("A", "C", 0.25)]

    found = spread(["A", "B"], steps, DEGREES, PATHS)

    assert strengths(found) == pytest.approx(
        {"D": 1 / (1 * 2 * 2) + 1 / (2 * 3 * 2), "C": 0.25 / (1 * 2 * 4)}
    )
    assert [(one.note, one.via) for one in found] == [("D", ("A", "B")), ("C", ("A",))]


def test_worked_numbers_of_smoothing() -> None:
    """Several hits count for the root of the sum of squares: more than the best, less than the sum."""
    steps = [Step("A", "D", 1.0), Step("B", "D", 1.0), Step("A", "B", 1.0)]

    found = strengths(smooth("AB", {"A": 0.4, "B": 0.3}, steps, DEGREES, PATHS))

    assert found == pytest.approx({"D": math.hypot(0.4 / (2 * 2), 0.3 / (3 * 2)), "B": 0.4 / (2 * 3)})


@pytest.mark.parametrize(
    ("score", "added"),
    [
        pytest.param(0.0, 0.4 / (2 * 2), id="room enough"),
        pytest.param(0.3, CEILING * 0.4 - 0.3, id="up to the ceiling"),
        pytest.param(0.39, None, id="above it already"),
    ],
)
def test_no_note_is_lifted_past_what_lifts_it(score: float, added: float | None) -> None:
    """A note comes near the best hit that is linked with it, and no nearer."""
    found = strengths(smooth("A", {"A": 0.4, "D": score}, [Step("A", "D", 1.0)], DEGREES, PATHS))

    assert found.get("D") == (added and pytest.approx(added))


def test_no_seed_is_a_neighbour_when_spreading() -> None:
    """Links among the notes that were asked for bring nothing; of two hits the better lifts the other."""
    steps = [Step("A", "B", 1.0), Step("B", "A", 1.0)]

    assert spread(["A", "B"], steps, DEGREES, PATHS) == []
    assert set(strengths(smooth("AB", {"A": 1.0, "B": 0.5}, steps, DEGREES, PATHS))) == {"B"}


def test_of_several_links_the_heaviest_counts() -> None:
    """A note that is linked twice is not twice as near."""
    once = spread(["A"], [Step("A", "D", 2.0)], DEGREES, PATHS)

    assert (
        spread(["A"], [Step("A", "D", 1.0), Step("A", "D", 2.0), Step("A", "D", 2.0)], DEGREES, PATHS) == once
    )


def test_a_hub_gives_and_gets_less() -> None:
    """The more links a note has, the less each of them says, on both ends."""
    many = DEGREES | {"A": 100}
    to_hub = strengths(spread(["E"], [Step("E", "C", 1.0), Step("E", "D", 1.0)], DEGREES, PATHS))
    step = [Step("A", "D", 1.0)]

    assert to_hub["C"] < to_hub["D"]
    assert spread(["A"], step, many, PATHS)[0].strength < spread(["A"], step, DEGREES, PATHS)[0].strength


def test_a_weight_of_zero_leads_nowhere() -> None:
    """A link that is not to count brings no note, not even last."""
    assert spread(["A"], [Step("A", "D", 0.0)], DEGREES, PATHS) == []


def test_equals_fall_to_the_smaller_path() -> None:
    """A tie is broken in the same way on every machine."""
    found = spread(["A"], [Step("A", note, 1.0) for note in "HFGE"], DEGREES, PATHS)

    assert [one.note for one in found] == ["E", "F", "G", "H"]


def test_the_list_is_short() -> None:
    """However many links there are, few neighbours are offered."""
    names = [f"n{number:03}" for number in range(100)]
    every = dict.fromkeys([*names, "A"], 1)

    found = spread(["A"], [Step("A", name, 1.0) for name in names], every, {name: name for name in every})

    assert [one.note for one in found] == names[:MOST_NEIGHBOURS]


@given(steps_of, st.randoms(use_true_random=False))
def test_the_order_of_the_links_does_not_matter(steps: list[Step[str]], dice: random.Random) -> None:
    """The same links give the same neighbours, to the last digit."""
    mixed = dice.sample(steps, len(steps))
    scores = {"A": 0.03, "B": 0.02, "C": 0.017}

    assert spread("ABC", mixed, DEGREES, PATHS) == spread("ABC", steps, DEGREES, PATHS)
    assert smooth("ABC", scores, mixed, DEGREES, PATHS) == smooth("ABC", scores, steps, DEGREES, PATHS)


@given(steps_of, st.sampled_from("ABC"), st.sampled_from("DEFGH"))
def test_a_further_link_never_lowers(steps: list[Step[str]], seed: str, note: str) -> None:
    """A note loses nothing by being linked with one hit more."""
    scores = {"A": 0.03, "B": 0.02, "C": 0.017}
    more = [*steps, Step(seed, note, 1.0)]

    for before, after in (
        (spread("ABC", steps, DEGREES, PATHS), spread("ABC", more, DEGREES, PATHS)),
        (smooth("ABC", scores, steps, DEGREES, PATHS), smooth("ABC", scores, more, DEGREES, PATHS)),
    ):
        assert strengths(after)[note] >= strengths(before).get(note, 0.0)
