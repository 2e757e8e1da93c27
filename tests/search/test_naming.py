"""Which notes a question names among other words."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index import notes
from notesd.index.filters import Filters, narrowing
from notesd.index.store import Reader
from notesd.search import lexical
from notesd.search.query import parse_query

Indexed = Callable[[Mapping[str, str]], Reader]

NOTES = {
    "hotkeys.md": "# Hotkeys\n\nEvery command can have one.",
    "glossary.md": "# Glossary\n\nA list of keyboard words: shortcuts, keyboard and layout.",
    "folder.md": "---\naliases: [Config directory]\n---\n# Configuration folder\n\nWhere settings are.",
    "tide.md": "# The tide\n\nIt turns at noon.",
    "it.md": "# It\n\nA film about a clown.",
    "日記.md": "# 日記帳\n\n毎日書きます。",
    **{f"{place}/readme.md": "# Readme\n\nNothing yet." for place in "abcd"},
    **{f"other{number}.md": f"# Number {number}\n\nSome filler." for number in range(12)},
}


def named(reader: Reader, text: str, filters: Filters | None = None) -> dict[str, float]:
    """Paths of the notes that a question names, with the evidence of each."""
    words = lexical.recall(reader, parse_query(text), narrowing(filters) if filters else None, 100)
    lists = [one for one in words.rankings if one.name == "named"]
    stored = notes.stored(reader, [note for one in lists for note in one.notes])
    return {str(stored[note].path): (one.evidence or {})[note] for one in lists for note in one.notes}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("keyboard hotkeys ", ["hotkeys.md"], id="a title"),
        pytest.param("(keyboard) Hotkeys?", ["hotkeys.md"], id="with marks beside it"),
        pytest.param("where is the config directory ", ["folder.md"], id="stop words do not count"),
        pytest.param("config directory path ", ["folder.md"], id="an alias"),
        pytest.param("日記帳 作成", ["日記.md"], id="without blanks"),
        pytest.param("Hotkeys ", [], id="the whole text is an exact name"),
        pytest.param("readme settings ", [], id="many are called so"),
        pytest.param("hotkeys lantern zebra walrus ", [], id="mentioned in passing"),
        pytest.param("it zebra ", [], id="a stop word"),
        pytest.param("keyboard -hotkeys ", [], id="not wanted"),
    ],
)  # fmt: skip
def test_a_whole_name_within_a_question(indexed: Indexed, text: str, expected: list[str]) -> None:
    """Titles and aliases are looked for, not single words of them; those that say much of it count."""
    assert list(named(indexed(NOTES), text)) == expected


def test_a_name_counts_by_how_much_of_the_question_it_is(indexed: Indexed) -> None:
    """The rarer a name is beside the rest, the surer it is what is asked about."""
    reader = indexed(NOTES)
    (much,) = named(reader, "hotkeys filler ").values()
    (half,) = named(reader, "hotkeys zebra ").values()
    assert 0.4 < half < much < 1


def test_a_note_that_names_all_of_the_question_is_meant(indexed: Indexed) -> None:
    """Who asks for "Publish Headless" does not mean the note that is called "Headless" alone."""
    reader = indexed({**NOTES, "a.md": "# Headless Publish", "b.md": "# Headless"})
    assert named(reader, "publish headless ") == {}


def test_filters_hold_for_names(indexed: Indexed) -> None:
    """A note that may not answer is not named."""
    reader = indexed({**NOTES, "sub/a.md": "keyboard"})
    assert named(reader, "keyboard hotkeys ", Filters(folder="sub")) == {}
