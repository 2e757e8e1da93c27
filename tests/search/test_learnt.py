"""The stage of use: whom it asks about, what it may move, and that accounts still add up."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from notesd import errors
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.rank.blend import Placed
from notesd.rank.fuse import Contribution, accounted
from notesd.rank.limbic import Judged, Together
from notesd.rank.route import Route
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.engine import Found
from notesd.search.learnt import CANDIDATES, Use, _account
from notesd.search.query import parse_query
from notesd.settings import Limbic
from notesd.usage.signals import Opening

NOW = 2e9
NOTES = {
    f"{number:03}.md": f"pear {'apple ' * (200 - number)}{'filler ' * number}\n" for number in range(120)
}


class Memory:
    """Remembers what it is told to, and who was asked about."""

    def __init__(self, opened: Mapping[str, int], pairs: Sequence[tuple[str, str]] = ()) -> None:
        self.opened = opened
        self.pairs = pairs
        self.asked: set[str] = set()
        self.whole: list[str] = []
        self.of: list[str] = []

    def openings(self, space: str, keys: Collection[str]) -> dict[str, Opening]:
        self.asked.update(keys)
        return {key: Opening(self.opened[key], NOW) for key in keys if key in self.opened}

    def company(
        self, space: str, of: Collection[str], among: Collection[str], *, opened: bool
    ) -> dict[str, list[Together]]:
        (self.of if opened else self.whole).extend(of)
        both = {frozenset(pair) for pair in self.pairs}
        return {a: [Together(7, NOW) for b in among if frozenset((a, b)) in both] for a in of}


class Busy:
    """Somebody else has the record, from the start or only when it comes to company."""

    def __init__(self, opened: Mapping[str, int], *, late: bool) -> None:
        self.remembers, self.late = Memory(opened), late

    def openings(self, space: str, keys: Collection[str]) -> dict[str, Opening]:
        if not self.late:
            raise errors.Busy("the record is busy")
        return self.remembers.openings(space, keys)

    def company(
        self, space: str, of: Collection[str], among: Collection[str], *, opened: bool
    ) -> dict[str, list[Together]]:
        raise errors.Busy("the record is busy")


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """More notes that fit a word than use looks at."""
    return indexed(NOTES)


@pytest.fixture(scope="module")
def keys(reader: Reader) -> list[str]:
    """Stable keys in the plain order."""
    return list(found(reader, limit=len(NOTES)).keys)


def found(reader: Reader, memory: Memory | Busy | None = None, limit: int = 10, **more: Any) -> Found:
    use = None
    if memory is not None:
        use = Use(memory, "s", "on", "bounded", True, Route("hybrid_balanced", 0), Limbic(), NOW)
        use = structs.replace(use, **more)
    return engine.search(reader, Asked(parse_query("apple"), limit, use=use, explain=True))


def test_a_page_is_the_beginning_of_a_longer_one(reader: Reader, keys: list[str]) -> None:
    """What is asked for does not change what use moves."""
    memory = Memory({keys[at]: 20 - at // 3 for at in (7, 14, 19, 30, 55, 90)}, [(keys[14], keys[30])])
    pages = [found(reader, memory, limit).keys for limit in (5, 10, 30, 60, 100)]
    assert pages[-1] != tuple(keys[:100])
    for shorter, longer in pairwise(pages):
        assert longer[: len(shorter)] == shorter


def test_notes_far_down_stay_and_are_not_asked_about(reader: Reader, keys: list[str]) -> None:
    """Use looks at the first hits alone, whatever page is asked for."""
    memory = Memory({keys[CANDIDATES]: 1000, keys[-1]: 1000})
    answer = found(reader, memory, len(NOTES))
    assert list(answer.keys) == keys
    assert memory.asked == set(keys[:CANDIDATES])
    scored = ["limbic_score" in hit for hit in answer.hits]
    assert scored == [at < CANDIDATES for at in range(len(NOTES))]


def test_company_is_asked_where_it_counts(reader: Reader, keys: list[str]) -> None:
    """All of it of notes that may be shown, that of openings of notes that were opened."""
    memory = Memory({keys[30]: 3, keys[2]: 1})
    found(reader, memory)
    assert memory.whole == [*keys[:10], keys[30]]
    assert set(memory.of) == {keys[2], keys[30]}
    memory = Memory({keys[30]: 3})
    found(reader, memory, blend="published")
    assert memory.whole == keys[:CANDIDATES]


def test_company_lifts_a_note_that_was_opened_and_no_other(reader: Reader, keys: list[str]) -> None:
    """An opened note of two climbs higher with the company of others that were opened."""
    opened = {keys[15]: 1, keys[16]: 40}
    alone = found(reader, Memory(opened), 30).keys.index(keys[15])
    pairs = [(keys[15], keys[at]) for at in range(16, 40)]
    company = found(reader, Memory(opened, pairs), 30)
    assert company.keys.index(keys[15]) < alone
    rest = [key for key in company.keys if key not in opened]
    assert rest == [key for key in keys[:31] if key not in opened][: len(rest)]


def test_a_note_that_use_lifts_onto_a_page_shows_its_company(reader: Reader, keys: list[str]) -> None:
    """The same as on a longer page, on which it would have stood without use."""
    memory = Memory({keys[11]: 9}, [(keys[11], keys[at]) for at in range(11)])
    shown = [found(reader, memory, limit) for limit in (10, 11, 30)]
    scores = [one.hits[one.keys.index(keys[11])] for one in shown]
    assert scores[0]["scoring"]["cooc_boost"] == 11 * 3.0
    assert len({str((one["scoring"], one["limbic_score"])) for one in scores}) == 1


@pytest.mark.parametrize("blend", ["bounded", "published"])
def test_scores_are_the_sums_of_their_accounts(reader: Reader, keys: list[str], blend: str) -> None:
    """And the order is the order of the scores."""
    memory = Memory({key: at % 7 for at, key in enumerate(keys) if at % 7}, list(pairwise(keys)))
    hits = found(reader, memory, CANDIDATES, blend=blend).hits
    for hit in hits:
        assert hit["score"] == math.fsum(one["share"] for one in hit["explain"]["lists"])
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_shadow_notes_an_order_and_shows_the_plain_one(reader: Reader, keys: list[str]) -> None:
    """What would have been is logged with both places of each candidate."""
    memory = Memory({keys[12]: 50})
    answer = found(reader, memory, mode="shadow", treatment=False)
    assert list(answer.keys) == keys[:10]
    assert answer.learnt is not None
    log = answer.learnt.log()
    assert [key for key, _ in log.notes] == keys[:CANDIDATES]
    lifted = log.components[12]
    assert lifted.opened
    assert lifted.limbic_rank < 13
    assert log.treatment is False


@pytest.mark.parametrize("late", [False, True])
def test_memory_that_cannot_be_asked_is_not_half_heard(
    reader: Reader, keys: list[str], *, late: bool
) -> None:
    """The plain order, without a word of use, and it is said."""
    missed: list[str] = []
    answer = found(reader, Busy({keys[5]: 9}, late=late), missed=missed.append)
    assert list(answer.keys) == keys[:10]
    assert answer.learnt is None
    assert not any("limbic_score" in hit for hit in answer.hits)
    assert missed == ["the record is busy"]


@given(
    st.lists(st.floats(min_value=1e-9, max_value=0.02), min_size=1, max_size=4),
    st.floats(min_value=1.0, max_value=1.1),
)
def test_an_account_adds_up_to_the_score_that_made_the_order(shares: list[float], factor: float) -> None:
    """Two notes of one score keep it, however their shares are cut."""
    one = accounted(NoteId(1), [Contribution("x", 1, share, 1.0, 1.0) for share in shares])
    judged = Judged(NoteId(1), 0.5, 0.0, 1.0, 0.0, 0.5)
    use = Use(Memory({}), "s", "on", "bounded", True, Route("hybrid_balanced", 0), Limbic(), NOW)
    lifted = _account(use, one, Placed(NoteId(1), one.score * factor, factor), judged)
    assert lifted.score == one.score * factor
    assert lifted.score == math.fsum(share.share for share in lifted.contributions)
