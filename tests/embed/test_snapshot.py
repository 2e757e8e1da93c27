"""The published text of a note: head, tail and what differs most, within the budget, relations last."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.embed.snapshot import snapshot
from notesd.model import Link, Note, NotePath, Observation


def words(texts: Sequence[str]) -> list[int]:
    """Count words where a model counts tokens."""
    return [len(text.split()) for text in texts]


def note(*texts: str, links: Sequence[tuple[str | None, str]] = (), kind: str | None = None) -> Note:
    """Make a note of paragraphs and relations."""
    return Note(
        path=NotePath("bread.md"),
        title="Bread",
        entity_type=kind,
        observations=tuple(Observation(text, at, at, (), "paragraph") for at, text in enumerate(texts, 1)),
        links=tuple(Link(target, target, "wiki", relation, "link", 1) for relation, target in links),
    )


@pytest.mark.parametrize(
    ("given_note", "expected"),
    [
        pytest.param(note("Flour.", "Water.", kind="recipe"), "Bread (recipe) | Flour. | Water.", id="all"),
        pytest.param(note("Flour."), "Bread | Flour.", id="no type"),
        pytest.param(note(), "Bread", id="no observations"),
        pytest.param(
            note("Flour.", links=[("uses", "Mill"), (None, "Elsewhere"), ("part of", "Food")], kind="recipe"),
            "Bread (recipe) | Flour. | Rel: uses → Mill; part of → Food",
            id="relations last, plain links left out",
        ),
        pytest.param(note(links=[("uses", "Mill"), ("uses", "Mill")]), "Bread | Rel: uses → Mill", id="once"),
    ],
)
def test_the_published_form(given_note: Note, expected: str) -> None:
    """Name, type, observations and relations stand as published."""
    assert snapshot(given_note, words) == expected


def test_head_and_tail_stay() -> None:
    """Of a note too long for the budget, the first and the last observations are kept, in order."""
    texts = [f"number {at} of many" for at in range(40)]

    told = snapshot(note(*texts), words, budget=50).split(" | ")

    assert told[1:4] == texts[:3]
    assert told[-3:] == texts[-3:]
    assert told[1:] == sorted(told[1:], key=texts.index)


def test_the_middle_adds_what_was_not_said() -> None:
    """Between head and tail the observation with the most new words is taken first."""
    same = [f"flour water salt yeast {at}" for at in range(6)]
    texts = [*same[:3], "the oven broke down yesterday", *same[3:]]

    assert "the oven broke down yesterday" in snapshot(note(*texts), words, budget=26)


def test_a_first_observation_longer_than_the_budget_is_cut() -> None:
    """A note that is one endless paragraph gives its beginning."""
    told = snapshot(note(" ".join(f"w{at}" for at in range(900))), words, budget=100)

    assert told.startswith("Bread | w0 w1 w2")
    assert 20 <= len(told.split()) <= 42


@given(st.lists(st.text("ab |é\n", max_size=60), max_size=12), st.integers(4, 60))
def test_the_budget_is_kept(texts: list[str], budget: int) -> None:
    """The observations never cost more than the budget, separators included."""
    told = snapshot(note(*texts), words, budget)

    if sum(words([f"| {text}" for text in texts])) > budget:
        assert len(told.removeprefix("Bread").split()) <= budget
    else:
        assert told == " | ".join(["Bread", *texts])
