"""One question put to several indexes: what answers it comes first, wherever it is."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index.store import Reader
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query

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
    asked = engine.paged_from_start(Asked(parse_query(text), limit, offset))
    parts = {name: engine.search(reader, asked) for name, reader in readers.items()}
    hits = engine.merged(parts, None)[offset : offset + limit]
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
    asked = engine.paged_from_start(Asked(parse_query("-tag:x"), 50))
    parts = {name: engine.search(reader, asked) for name, reader in readers.items()}
    dates = [hit["modified"] for hit in engine.merged(parts, None)]

    assert dates == sorted(dates, reverse=True)
