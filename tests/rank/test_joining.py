"""Hits of several spaces as one list: by what each answers, in the order of each space."""

from hypothesis import given
from hypothesis import strategies as st

from notesd.rank.joining import Offer, Offers, strengths

BOTH, ONE, NONE = frozenset({"tide", "moon"}), frozenset({"tide"}), frozenset[str]()

HELD = {"tide": 1, "moon": 1}


def test_a_hit_with_one_of_two_words_stands_behind_one_with_both() -> None:
    """However well the one word fits there; nobody has the other in that space, so it counted as nothing."""
    right = Offers([Offer(0.006, 0.006, BOTH), Offer(0.005, 0.005, BOTH)], 20, {"tide": 4, "moon": 3})
    other = Offers([Offer(0.012, 0.012, ONE), Offer(0.012, 0.012, ONE)], 500, {"tide": 40, "moon": 0})

    mine, theirs = strengths([right, other])

    assert min(mine) > max(theirs)


def test_what_other_channels_gave_is_kept() -> None:
    """A note found by meaning holds none of the words, and is no worse for it."""
    (own,) = strengths([Offers([Offer(0.02, 0.0, NONE), Offer(0.016, 0.0, NONE)], 10, HELD)])

    assert own == [0.02, 0.016]


def test_words_that_nobody_has_take_nothing_away() -> None:
    """Where no space knows a word, or there is none to know, scores decide."""
    assert strengths([Offers([Offer(0.01, 0.0, NONE)]), Offers([])]) == [[0.01], []]


def test_a_space_that_had_less_time_is_compared_by_its_scores() -> None:
    """Nobody knows which words its notes hold, and it may not even have looked for all of them."""
    late = Offers([Offer(0.01, 0.01, None)])
    short = Offers([Offer(0.02, 0.02, ONE)], 10, {"tide": 2})
    whole = Offers([Offer(0.02, 0.02, ONE)], 10, HELD)

    assert strengths([late, short]) == [[0.01], [0.02]]
    assert strengths([late, short, whole])[0] == [0.01]
    assert strengths([short, whole])[1][0] < 0.02


def test_a_space_with_vectors_does_not_outvote_one_without() -> None:
    """Two channels give twice as much; where one space has but one, each stands for as much."""
    two = Offers([Offer(0.02, 0.01, BOTH)], 10, HELD, channels=2)
    one = Offers([Offer(0.015, 0.015, BOTH)], 10, HELD)

    assert strengths([two, one]) == [[0.02], [0.03]]
    assert strengths([one, one]) == [[0.015], [0.015]]


SHARE = st.floats(0, 1)
WORD = st.sampled_from("abc")
HELD_WORDS = st.none() | st.frozensets(WORD)
OFFER = st.builds(lambda a, b, held: Offer(a + b, a, held), SHARE, SHARE, HELD_WORDS)
PART = st.builds(
    lambda hits, size, holding: Offers(hits, size, {word: min(size, one) for word, one in holding.items()}),
    st.lists(OFFER, max_size=6), st.integers(0, 50), st.dictionaries(WORD, st.integers(0, 50)),
)  # fmt: skip


@given(st.lists(PART, min_size=1, max_size=3))
def test_each_space_keeps_its_own_order(parts: list[Offers]) -> None:
    """And a page is the beginning of a longer one, because what follows changes nothing."""
    found = strengths(parts)

    assert [len(own) for own in found] == [len(part.hits) for part in parts]
    assert all(own == sorted(own, reverse=True) for own in found)
    shorter = [Offers(part.hits[:2], part.notes, part.holding) for part in parts]
    assert strengths(shorter) == [own[:2] for own in found]
