"""The limbic score: the published worked numbers, and what has to hold for any numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from notesd.rank.limbic import (
    Candidate,
    Together,
    compute_cooc_boost,
    compute_importance,
    compute_temporal_factor,
    limbic_score,
    normalized,
    rank_candidates,
    rank_hybrid_candidates,
)
from notesd.settings import Limbic

PUBLISHED = Limbic()
NOW = 2e9


def used(count: int, hours: float = 0.0) -> Together:
    """Two notes that were used together, some hours ago for the last time."""
    return Together(count, NOW - 3600 * hours)


def near(expected: float) -> object:
    """Equal to five digits, which is how the worked numbers are given."""
    return pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize(
    ("access", "most", "degree", "expected"),
    [
        pytest.param(10, 20, 0, 0.78761, id="access alone"),
        pytest.param(10, 20, 8, 0.85062, id="with eight links"),
        pytest.param(20, 20, 15, 1.15, id="the most there is"),
        pytest.param(20, 20, 500, 1.15, id="more links say nothing more"),
        pytest.param(0, 20, 15, 0.0, id="never opened"),
        pytest.param(0, 0, 15, 0.0, id="nobody was ever opened"),
    ],
)
def test_importance(access: int, most: int, degree: int, expected: float) -> None:
    """The worked numbers."""
    assert compute_importance(access, most, degree, PUBLISHED) == near(expected)


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (0, 1.0), (1, 0.99990), (24, 0.99760), (168, 0.98334), (720, 0.93053), (2160, 0.80574),
        (4320, 0.64921), (8766, 0.41620), (17532, 0.17322), (26000, 0.1), (-5, 1.0), (math.inf, 0.1),
    ],
)  # fmt: skip
def test_temporal_factor(hours: float, expected: float) -> None:
    """The worked numbers; the future counts as now."""
    assert compute_temporal_factor(hours, PUBLISHED) == near(expected)


@pytest.mark.parametrize(
    ("count", "expected"), [(0, 0.0), (1, 1.0), (5, 2.58496), (10, 3.45943), (50, 5.67243), (100, 6.65821)]
)
def test_one_companion(count: int, expected: float) -> None:
    """The worked numbers."""
    assert compute_cooc_boost([used(count)], NOW, PUBLISHED) == near(expected)


def test_three_companions() -> None:
    """Company adds up, old company counts for a tenth at least, and the future as now."""
    fresh = [used(5), used(2), used(1)]
    assert compute_cooc_boost(fresh, NOW, PUBLISHED) == near(5.16993)
    ages_ago = [used(one.count, 1e9) for one in fresh]
    assert compute_cooc_boost(ages_ago, NOW, PUBLISHED) == near(0.516993)
    to_come = [used(one.count, -50) for one in fresh]
    assert compute_cooc_boost(to_come, NOW, PUBLISHED) == near(5.16993)


def test_the_whole_score() -> None:
    """The worked example with all of these."""
    base = 1 - 0.35
    importance = compute_importance(10, 20, 8, PUBLISHED)
    cooc = compute_cooc_boost([used(5), used(2), used(1)], NOW, PUBLISHED)
    temporal = compute_temporal_factor(720, PUBLISHED)
    assert limbic_score(base, importance, temporal, cooc, PUBLISHED) == near(0.90666)


def candidate(note: str, **more: object) -> Candidate[str]:
    facts: dict[str, object] = {
        "path": f"{note}.md", "score": 0.0, "distance": 0.5, "access": 0, "degree": 0,
    }  # fmt: skip
    since = NOW - 3600 * float(str(more.pop("hours", 0.0)))
    return Candidate(note, since=since, **(facts | more))  # type: ignore[arg-type]  # the caller's fields


def test_the_base_of_a_note_without_a_distance() -> None:
    """Between 0.2 and 0.8, by its place among all fused scores; a distance counts as it is."""
    some = [
        candidate("first", distance=None, score=0.03),
        candidate("middle", distance=None, score=0.02),
        candidate("last", distance=None, score=0.01),
        candidate("near", distance=0.1, score=0.01),
        candidate("opposite", distance=1.7, score=0.01),
    ]
    bases = {one.note: one.base for one in rank_hybrid_candidates(some, NOW, PUBLISHED)}
    assert bases == {
        "first": near(0.8), "middle": near(0.5), "last": near(0.2), "near": near(0.9), "opposite": 0.0,
    }  # fmt: skip
    (alone,) = rank_hybrid_candidates([candidate("only", distance=None, score=0.03)], NOW, PUBLISHED)
    assert alone.base == near(0.8)


def test_a_candidate_without_a_distance_is_no_candidate_of_meaning_alone() -> None:
    """It says which function to use."""
    with pytest.raises(ValueError, match=r"a\.md has no distance; rank_hybrid_candidates"):
        rank_candidates([candidate("a", distance=None)], NOW, PUBLISHED)


def test_company_of_openings_is_told_from_all_company() -> None:
    """Each is added up on its own, and all of it makes the limbic score."""
    some = [candidate("a", company=[used(3), used(1)], opened_company=[used(1)]), candidate("b")]
    judged = {one.note: one for one in rank_candidates(some, NOW, PUBLISHED)}
    assert (judged["a"].cooc_boost, judged["a"].opened_boost) == (3.0, 1.0)
    assert (judged["b"].cooc_boost, judged["b"].opened_boost) == (0.0, 0.0)
    assert judged["a"].limbic_score == pytest.approx(judged["b"].limbic_score * 1.03)


def test_equals_fall_to_the_smaller_path() -> None:
    """Two runs give one order."""
    same = [candidate("b"), candidate("a"), candidate("c")]
    assert [one.note for one in rank_candidates(same, NOW, PUBLISHED)] == ["a", "b", "c"]


numbers = st.floats(min_value=0, max_value=1e6)
companies = st.lists(st.builds(used, st.integers(min_value=0, max_value=10**6), numbers), max_size=4)
candidates = st.lists(
    st.builds(
        candidate,
        st.sampled_from("abcdefgh"),
        score=st.floats(min_value=0, max_value=1),
        distance=st.none() | st.floats(min_value=0, max_value=2),
        access=st.integers(min_value=0, max_value=10**6),
        hours=numbers,
        degree=st.integers(min_value=0, max_value=10**4),
        company=companies,
        opened_company=companies,
    ),
    max_size=8,
    unique_by=lambda one: one.note,
)


@given(candidates, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_nothing(some: list[Candidate[str]], random: object) -> None:
    """Permutation-invariant, ties included."""
    turned = list(some)
    random.shuffle(turned)  # type: ignore[attr-defined]  # it is a Random
    assert rank_hybrid_candidates(some, NOW, PUBLISHED) == rank_hybrid_candidates(turned, NOW, PUBLISHED)


@given(candidates)
def test_every_factor_keeps_its_bounds(some: list[Candidate[str]]) -> None:
    """Whatever the record says."""
    for one in rank_hybrid_candidates(some, NOW, PUBLISHED):
        assert 0 <= one.base <= 1
        assert 0 <= one.importance <= 1 + PUBLISHED.BETA_DEG
        assert PUBLISHED.TEMPORAL_FLOOR <= one.temporal_factor <= 1
        assert one.cooc_boost >= 0
        assert math.isfinite(one.limbic_score)


@pytest.mark.parametrize("factor", ["access", "degree", "fresher", "nearer", "company"])
@given(st.integers(min_value=0, max_value=100), st.integers(min_value=1, max_value=100))
def test_more_is_never_worse(factor: str, less: int, step: int) -> None:
    """Monotone in each factor, all others the same."""
    more = less + step

    def score(value: int) -> float:
        facts: dict[str, dict[str, object]] = {
            "access": {"access": value}, "degree": {"access": 7, "degree": value},
            "company": {"company": [used(value, 5)]},
            "fresher": {"hours": 1000.0 / (1 + value)}, "nearer": {"distance": 1 / (1 + value)},
        }  # fmt: skip
        usual = {"access": 5, "hours": 10.0, "degree": 3, "company": [used(2, 5)]}
        one = candidate("a", **(usual | facts[factor]))
        others = [candidate("b", access=1000)]
        judged = {j.note: j for j in rank_candidates([one, *others], NOW, PUBLISHED)}
        return judged["a"].limbic_score

    assert score(more) >= score(less)


def test_constants_are_heard() -> None:
    """Each of them changes what it is named after."""
    flat = structs.replace(PUBLISHED, BETA_SAL=0, GAMMA=0, LAMBDA_HOURLY=0)
    one = candidate("a", access=5, hours=1000.0, degree=9, distance=0.25)
    (judged,) = rank_candidates([one], NOW, flat)
    assert judged.limbic_score == 0.75


def test_normalized() -> None:
    """Min-max; values that are all alike are the best there is."""
    norm = normalized([2.0, 4.0, 3.0])
    assert [norm(value) for value in (2.0, 3.0, 4.0)] == [0.0, 0.5, 1.0]
    assert normalized([7.0, 7.0])(7.0) == 1.0
