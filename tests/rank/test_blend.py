"""What becomes of an order once use has been heard."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.rank.blend import LEAST, MOST, bounded, published
from notesd.rank.limbic import Judged
from notesd.settings import Limbic

PUBLISHED = Limbic()


def judged(
    note: str, importance: float = 0.0, temporal: float = 1.0, cooc: float = 0.0, **more: float
) -> Judged[str]:
    """A candidate as the limbic stage judged it."""
    return Judged(note, more.get("base", 0.5), importance, temporal, 99.0, more.get("limbic", 0.0), cooc)


ORDER = [("a", 0.0200), ("b", 0.0190), ("c", 0.0185), ("d", 0.0100)]
EVERYONE = [judged(note) for note, _ in ORDER]


def test_without_use_nothing_changes() -> None:
    """Not even by age: never opened is exactly 1."""
    old = [judged(note, temporal=0.1, cooc=50.0) for note, _ in ORDER]
    placed = bounded(ORDER, old, (), PUBLISHED)
    assert [(one.note, one.score) for one in placed] == ORDER
    assert {one.factor for one in placed} == {1.0}


def test_worked_numbers() -> None:
    """``F = (1 + .5 * .6)(1 + .01 * 5) * .9 = 1.2285``, so the score grows by a fifth of .2285."""
    placed = bounded([("a", 0.02)], [judged("a", 0.6, 0.9, 5.0)], {"a"}, PUBLISHED)
    assert placed[0].score == pytest.approx(0.02 * 1.0457)


@pytest.mark.parametrize(
    ("importance", "temporal", "expected"),
    [
        pytest.param(1.0, 1.0, MOST, id="a tenth at most"),
        pytest.param(0.1, 0.1, LEAST, id="use that is long ago lowers nothing"),
    ],
)
def test_bounds(importance: float, temporal: float, expected: float) -> None:
    """Between 1.0 and 1.1."""
    placed = bounded([("a", 0.02)], [judged("a", importance, temporal)], {"a"}, PUBLISHED)
    assert placed[0].score == pytest.approx(0.02 * expected)


def test_an_opened_note_passes_its_near_equals() -> None:
    """And no better one."""
    placed = bounded(ORDER, [*EVERYONE[:2], judged("c", 1.0), judged("d", 1.0)], {"c", "d"}, PUBLISHED)
    assert [one.note for one in placed] == ["c", "a", "b", "d"]


def test_held_notes_keep_their_places() -> None:
    """Nobody is lifted above what the query names; its own score does not change either."""
    every = [judged(note, 1.0) for note, _ in ORDER]
    placed = bounded(ORDER, every, {"a", "b", "c", "d"}, PUBLISHED, held=2)
    assert [one.note for one in placed] == ["a", "b", "c", "d"]
    assert [one.score for one in placed[:3]] == [0.0200, 0.0190, 0.0190]


def test_notes_of_one_name_are_ordered_by_use() -> None:
    """Two notes called like the query: the one that was opened comes first; no other passes either."""
    every = [judged("a"), judged("b", 1.0), judged("c"), judged("d", 1.0)]
    placed = bounded(ORDER, every, {"b", "d"}, PUBLISHED, held=3, named=2)
    assert [one.note for one in placed] == ["b", "a", "c", "d"]
    assert [one.score for one in placed[1:]] == pytest.approx([0.0200, 0.0185, 0.0110])


def test_published_blend() -> None:
    """0.7 relevance and 0.3 of the limbic score, mapped onto [0, 1]."""
    some = [
        judged("a", base=0.9, limbic=0.2),
        judged("b", base=0.8, limbic=0.6),
        judged("c", base=0.1, limbic=0.4),
    ]
    placed = published(some, "cosine_heavy")
    assert [one.note for one in placed] == ["b", "a", "c"]
    assert [one.score for one in placed] == pytest.approx([0.86, 0.63, 0.22])
    assert [one.note for one in published(some, "limbic_heavy")] == ["b", "c", "a"]


def test_published_blend_of_one() -> None:
    """A single limbic score is the best there is."""
    (one,) = published([judged("a", base=0.4, limbic=0.1)], "hybrid_balanced")
    assert one.score == pytest.approx(0.5 * 0.4 + 0.5)


scores = st.lists(st.floats(min_value=0, max_value=1), min_size=1, max_size=12).map(
    lambda s: sorted(s, reverse=True)
)


@given(scores, st.data())
def test_any_use_keeps_the_bounds(some: list[float], data: st.DataObject) -> None:
    """Best first, a tenth at most, nothing lowered, held notes where they were."""
    order = list(enumerate(some))
    factor = st.floats(min_value=0, max_value=100)
    every = [
        Judged(n, 0.5, data.draw(factor), data.draw(factor), 0.0, 0.0, data.draw(factor)) for n, _ in order
    ]
    opened = data.draw(st.sets(st.sampled_from([n for n, _ in order])))
    held = data.draw(st.integers(min_value=0, max_value=len(order)))
    named = data.draw(st.integers(min_value=0, max_value=held))
    placed = bounded(order, every, opened, PUBLISHED, held, named)
    assert sorted(one.note for one in placed) == [n for n, _ in order]
    assert sorted(one.note for one in placed[:named]) == [n for n, _ in order[:named]]
    assert [one.note for one in placed[named:held]] == [n for n, _ in order[named:held]]
    assert all(a.score >= b.score for a, b in itertools.pairwise(placed))
    for one in placed:
        assert some[one.note] <= one.score <= some[one.note] * MOST
        if one.note not in opened:
            assert one.score == some[one.note]
