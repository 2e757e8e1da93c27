"""One question put to several indexes: what answers it comes first, wherever it is."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notesd.index.store import Reader
from notesd.search import engine, several
from notesd.search.conditions import Asked
from notesd.search.query import parse_query
from notesd.search.unheard import of_text

HELP = {
    "Sync.md": "# Set up sync\n\nOpen the settings, choose sync there and name the vault.\n",
    "Status.md": "The settings tell how sync stands.\n",
    "Shortcuts.md": "# Hotkeys\n\nSettings for the keyboard.\n",
}
WORK = {
    **{f"settings{number}.md": f"# Settings\n\nsettings of printer {number}\n" for number in range(30)},
    **{f"note{number}.md": f"meeting {number} about the budget\n" for number in range(60)},
}
LOGS = {f"sync{number}.md": f"sync sync sync of the clocks, day {number}\n" for number in range(40)}
Index = Callable[[Mapping[str, str]], Reader]


@pytest.fixture(scope="module")
def readers(indexed: Index) -> Mapping[str, Reader]:
    """Three indexes, of which a small one answers."""
    return {"help": indexed(HELP), "work": indexed(WORK), "logs": indexed(LOGS)}


def joined(
    readers: Mapping[str, Reader], text: str, limit: int = 10, offset: int = 0
) -> list[tuple[str, str]]:
    """Space and path of the hits of one page."""
    asked = several.paged_from_start(Asked(parse_query(text), limit, offset))
    parts = {name: engine.search(reader, asked) for name, reader in readers.items()}
    hits = several.merged(parts, None)[offset : offset + limit]
    return [(hit["space"], hit["path"]) for hit in hits]


@pytest.mark.parametrize("text", ["sync settings", "settings sync ", "Settings for SYNC "])
@pytest.mark.parametrize("names", [("help", "work"), ("logs", "help"), ("work", "logs", "help")])
def test_notes_with_all_words_come_before_those_of_other_spaces_with_one(
    readers: Mapping[str, Reader], text: str, names: tuple[str, ...]
) -> None:
    """Noise of another space stood second, because it was second there."""
    found = joined({name: readers[name] for name in names}, text)

    assert {found[0], found[1]} == {("help", "Sync.md"), ("help", "Status.md")}


def test_a_large_space_does_not_bury_a_small_one(readers: Mapping[str, Reader]) -> None:
    """A note of three that is called so stands among the first, beside thirty of another space."""
    assert joined(readers, "hotkeys settings")[0] == ("help", "Shortcuts.md")
    assert joined(readers, "Set up sync")[0] == ("help", "Sync.md")


def test_pages_are_cut_from_one_order(readers: Mapping[str, Reader]) -> None:
    """The second page goes on where the first ended, and none has a note twice."""
    whole = joined(readers, "sync settings", 60)
    pages = [hit for start in range(0, 60, 10) for hit in joined(readers, "sync settings", 10, start)]

    assert len(set(pages)) == len(pages)
    assert pages[:10] == whole[:10]


def test_what_has_no_word_to_rank_by_is_joined_by_date(readers: Mapping[str, Reader]) -> None:
    """As each space lists it: the newest first."""
    asked = several.paged_from_start(Asked(parse_query("-tag:x"), 50))
    parts = {name: engine.search(reader, asked) for name, reader in readers.items()}
    dates = [hit["modified"] for hit in several.merged(parts, None)]

    assert dates == sorted(dates, reverse=True)


KITCHEN = {"Loaf.md": "# Loaf\n\nThe bread and the levain.\n", "Salt.md": "the salt\n"}
WATCH = {"Tide.md": "the tide reads like a book\n", "Read.md": "What I read of the moon. The end.\n"}


def agreed(readers: Mapping[str, Reader], text: str) -> dict[str, engine.Found]:
    """What each index finds, once it knows of the others."""
    asked = several.paged_from_start(Asked(parse_query(text), 10))
    parts = {name: engine.search(reader, asked) for name, reader in readers.items()}
    again = several.uninformed(parts)
    informed = {
        name: engine.search(readers[name], several.informed(asked, elsewhere))
        for name, elsewhere in again.items()
    }
    parts |= informed
    assert not several.uninformed(parts)
    return parts


@pytest.fixture(scope="module")
def home(indexed: Index) -> Mapping[str, Reader]:
    """Two indexes that hold other words."""
    return {"kitchen": indexed(KITCHEN), "watch": indexed(WATCH)}


@pytest.mark.parametrize("text", ["bread ", "the bread ", "levain bread "])
def test_a_word_that_any_space_holds_means_itself_in_all(home: Mapping[str, Reader], text: str) -> None:
    """It was taken for "read" where no note has bread, and "no note holds bread" was told."""
    parts = agreed(home, text)

    assert not several.corrected(parts)
    assert [hit["path"] for hit in several.merged(parts, None)] == ["Loaf.md"]
    assert several.corrected(agreed(home, "breda ")) == [("breda", "bread")]
    assert several.merged(agreed(home, "breda levain "), None)[0]["path"] == "Loaf.md"


@pytest.mark.parametrize(
    "text", ["the salt ", "the tide ", "what about the moon ", "the tide and the end of it"]
)
def test_where_words_answer_no_other_space_answers_with_common_ones(
    home: Mapping[str, Reader], text: str
) -> None:
    """Each space ranks by the same words, whatever surrounds them; two lists of words did not join."""
    parts = agreed(home, text)

    assert [name for name, found in parts.items() if found.hits] in (["kitchen"], ["watch"])
    assert [hit["space"] for hit in several.merged(parts, None)]


def test_common_words_answer_where_nothing_else_does(home: Mapping[str, Reader]) -> None:
    """In all spaces alike."""
    parts = agreed(home, "the zzyzx ")

    assert all(found.hits for found in parts.values())
    assert len(several.merged(parts, None)) == 4


WORDS = [
    "the",
    "and",
    "what",
    "tide",
    "moon",
    "bread",
    "breda",
    "levain",
    "salt",
    "zzyzx",
    "AND",
    "OR",
    "C++",
]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from(WORDS)))
def test_any_words_are_answered_by_several_spaces(home: Mapping[str, Reader], words: list[str]) -> None:
    """Asked alone or knowing of each other, what they find becomes one list that has every hit."""
    asked = several.paged_from_start(Asked(parse_query(" ".join(words)), 10))
    alone = {name: engine.search(reader, asked) for name, reader in home.items()}

    for parts in (alone, agreed(home, " ".join(words))):
        assert len(several.merged(parts, None)) == sum(len(found.hits) for found in parts.values())


def test_an_answer_of_common_words_alone_is_told(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """Not where another word answers, nor where all words are common."""
    reader = indexed({"Who.md": "what the wind is\n", "Kiln.md": "kiln\n"})

    def told(text: str) -> list[dict[str, Any]]:
        query = parse_query(text)
        found = engine.search(reader, Asked(query, 10))
        return of_text(query, common=several.only_common({"": found}, found.hits))

    assert [one["reason"] for one in told("the zeppelinists of ")] == [
        "no note holds a word of the question but common ones: the, of"
    ]
    assert told("the kiln ") == told("the is ") == told("zeppelinists ") == []
