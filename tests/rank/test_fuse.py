"""Fusion: the worked numbers, and what holds for any rankings."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.rank.evidence import across_evidence, lexical_evidence
from notesd.rank.fuse import DOUBTED, Fused, Ranking, heeded, places_in, reciprocal_rank_fusion

PATHS = {name: f"{name}.md" for name in "ABCDEFGH"}


def fused(*rankings: Ranking[str]) -> dict[str, Fused[str]]:
    return {one.note: one for one in reciprocal_rank_fusion(rankings, paths=PATHS)}


@pytest.fixture
def worked() -> list[Ranking[str]]:
    """A is 1st and 3rd, B 2nd and nowhere, C nowhere and 1st, D 5th and 2nd."""
    return [Ranking("semantic", ["A", "B", "E", "F", "D"]), Ranking("lexical", ["C", "D", "A"])]


@pytest.mark.parametrize(
    ("note", "score"), [("A", 0.0322665), ("B", 0.0161290), ("C", 0.0163934), ("D", 0.0315136)], ids="ABCD"
)
def test_worked_numbers(worked: list[Ranking[str]], note: str, score: float) -> None:
    """Equal votes give the published scores."""
    assert fused(*worked)[note].score == pytest.approx(score, abs=5e-8)


def test_worked_order(worked: list[Ranking[str]]) -> None:
    """Two middling places beat one first place."""
    order = [one.note for one in reciprocal_rank_fusion(worked, paths=PATHS) if one.note in "ABCD"]

    assert order == ["A", "D", "C", "B"]


def test_score_is_the_sum_of_its_account(worked: list[Ranking[str]]) -> None:
    """Each share is weight times evidence over k plus rank, and nothing else counts."""
    one = fused(Ranking("lexical", ["A", "B"], 0.5, {"A": 1.0, "B": 0.4}), Ranking("exact", ["B"], 0.6))["B"]

    assert [(c.name, c.rank, c.share) for c in one.contributions] == [
        ("lexical", 2, 0.5 * 0.4 / 62),
        ("exact", 1, 0.6 / 61),
    ]


def test_tied_list_gives_first_places() -> None:
    """Notes that are called alike are all first."""
    found = fused(Ranking("exact", ["B", "A"], tied=True))

    assert found["A"].score == found["B"].score == 1 / 61


def test_equal_scores_fall_to_the_smaller_path() -> None:
    """A tie is broken in the same way on every machine."""
    order = [one.note for one in reciprocal_rank_fusion([Ranking("x", ["B", "A"], tied=True)], paths=PATHS)]

    assert order == ["A", "B"]


@pytest.mark.parametrize(
    ("ranking", "k"),
    [(Ranking("x", ["A", "A"]), 60), (Ranking("x", ["A"]), 0), (Ranking("x", ["A"], -1.0), 60)],
    ids=["twice", "k", "weight"],
)
def test_callers_mistakes(ranking: Ranking[str], k: int) -> None:
    """A list that is no ranking is refused instead of being ranked by."""
    with pytest.raises(ValueError, match=r"twice|expected"):
        reciprocal_rank_fusion([ranking], paths=PATHS, k=k)


orders = st.lists(st.sampled_from(sorted(PATHS)), unique=True)


@given(st.lists(orders, min_size=1, max_size=4))
def test_order_of_the_lists_changes_nothing(lists: list[list[str]]) -> None:
    """Sums are exact, so no permutation of the channels moves a note."""
    rankings = [Ranking(str(i), notes, 1 / (i + 3)) for i, notes in enumerate(lists)]
    expected = [(one.note, one.score) for one in reciprocal_rank_fusion(rankings, paths=PATHS)]

    for turned in itertools.permutations(rankings):
        assert [(one.note, one.score) for one in reciprocal_rank_fusion(turned, paths=PATHS)] == expected


@given(orders.filter(bool), st.data())
def test_a_better_place_never_costs(notes: list[str], data: st.DataObject) -> None:
    """Moving a note up in one list never lowers its score."""
    note = data.draw(st.sampled_from(notes))
    moved = [note, *(other for other in notes if other != note)]

    assert fused(Ranking("x", moved))[note].score >= fused(Ranking("x", notes))[note].score


@given(
    st.floats(-200, 0), st.floats(0.01, 100), st.integers(1, 64)
)  # fmt: skip
def test_evidence_is_bounded_and_monotone(bm25: float, idf: float, terms: int) -> None:
    """Evidence lies in [0, 1] and a better score is never less evidence."""
    better, evidence = lexical_evidence([bm25 - 1, bm25], idf, terms)

    assert 0 <= evidence <= 1
    assert better >= evidence


def test_places_of_what_some_lists_hold() -> None:
    """From 0, each once, best first."""
    order = reciprocal_rank_fusion(
        [Ranking("a", ["A", "B", "C", "D"]), Ranking("b", ["D"]), Ranking("c", ["D", "B"])], paths=PATHS
    )
    names = [one.note for one in order]
    assert [names[at] for at in places_in(order, ("b", "c"))] == ["D", "B"]
    assert places_in(order, ("a",)) == [0, 1, 2, 3]
    assert places_in(order, ("none",)) == []


@pytest.mark.parametrize(
    ("semantic", "lexical", "lift", "expected"),
    [
        pytest.param(0.9, 0.2, 0.03, 0.7, id="another language"),
        pytest.param(0.9, 0.2, 0.0175, 0.35, id="perhaps another"),
        pytest.param(0.9, 0.2, 0.008, 0.0, id="hardly another"),
        pytest.param(0.5, 0.6, 0.03, 0.0, id="the words are surer"),
        pytest.param(1.2, 0.0, 0.5, 1.2, id="nothing but meaning"),
    ],
)
def test_meaning_speaks_for_words_of_another_language(
    semantic: float, lexical: float, lift: float, expected: float
) -> None:
    """As far as it is surer than they are, and as sure as it is that the language is another one."""
    assert across_evidence(semantic, lexical, lift) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("words", "meaning", "doubtful", "share"),
    [
        pytest.param("A", "A", True, DOUBTED, id="both channels put another note first"),
        pytest.param("A", "B", True, 1.0, id="they do not agree"),
        pytest.param("D", "D", True, 1.0, id="they agree with the list"),
        pytest.param("A", "A", False, 1.0, id="the list is no doubtful one"),
        pytest.param("A", None, True, 1.0, id="words alone"),
    ],
)
def test_a_doubtful_list_may_not_outvote_two_channels(
    words: str, meaning: str | None, doubtful: bool, share: float
) -> None:
    """What may be chance counts less against channels that agree; all else stays as it is."""
    unsure = {"A": 0.8, "B": 0.8, "D": 0.8}
    channels = [
        Ranking("lexical", [words]),
        *([Ranking("semantic", [meaning], 1.0, unsure)] if meaning else []),
    ]
    (near,) = heeded([*channels, Ranking("near", ["D"], 2.0, doubtful=doubtful)])[len(channels) :]
    assert near.weight == pytest.approx(2.0 * share)


@pytest.mark.parametrize("name", ["phrase", "near"])
@pytest.mark.parametrize(
    ("words", "meaning", "share"),
    [
        pytest.param(("A", 1.0), ("A", 0.87), DOUBTED, id="both are certain of another note"),
        pytest.param(("A", 1.0), ("A", 0.8), 1.0, id="meaning is not so sure"),
        pytest.param(("A", 0.85), ("A", 1.2), 1.0, id="words are not so sure"),
        pytest.param(("A", 1.0), ("B", 1.2), 1.0, id="they are certain of different notes"),
        pytest.param(("D", 1.0), ("D", 1.2), 1.0, id="they are certain of the note that is quoted"),
        pytest.param(("A", 1.0), None, 1.0, id="words alone"),
    ],
)
def test_a_quotation_may_not_outvote_two_channels_that_are_certain(
    name: str, words: tuple[str, float], meaning: tuple[str, float] | None, share: float
) -> None:
    """The text of a link stands in the note that links; asked for is the note that it leads to."""
    said = [("lexical", words), *([("semantic", meaning)] if meaning else [])]
    channels = [Ranking(channel, [note, "C"], 1.0, {note: sure}) for channel, (note, sure) in said]
    quoted, named = Ranking(name, ["D"], 2.4), Ranking("named", ["D"], 1.2)
    heard = heeded([*channels, quoted, named])[len(channels) :]
    assert [one.weight for one in heard] == pytest.approx([2.4 * share, 1.2])


class Unread(dict[str, str]):
    """Paths that remember which of them were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def __missing__(self, note: str) -> str:
        self.asked.add(note)
        return PATHS[note]


def test_paths_are_asked_for_where_scores_are_equal_alone() -> None:
    """Most notes have a score of their own, and then nobody need know where they lie."""
    paths = Unread()
    apart, alike = Ranking("x", ["C", "D"]), Ranking("y", ["B", "A"], 3.0, tied=True)
    order = [one.note for one in reciprocal_rank_fusion([apart, alike], paths=paths)]

    assert order[2:] == ["C", "D"]
    assert paths.asked == {"A", "B"}
