"""Names are put in the order in which people mean them."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index import notes
from notesd.index.store import Reader
from notesd.search.query import parse_query
from notesd.search.titles import called, called_by_signs

Index = Callable[[Mapping[str, str]], Reader]

NAMES = {
    "Glaze.md": "# Glaze\n",
    "Ash glaze.md": "# Ash glaze\n",
    "Glaze tests.md": "# Glaze tests\n",
    "Glazes of the north.md": "# Glazes of the north\n",
    "Kiln.md": "---\naliases: [Glazier]\n---\n# Kiln\n\nglaze glaze glaze [[Ash glaze]]\n",
    "Diary.md": "# Diary\n\nglaze, see [[Ash glaze]]\n",
    "signs.md": "---\naliases: ['?!']\n---\n# Open\n",
}


@pytest.fixture(scope="module")
def named(indexed: Index) -> Reader:
    """Notes with like names."""
    return indexed(NAMES)


def paths(reader: Reader, query: str) -> list[str]:
    asked = parse_query(query)
    found = called(reader, asked, asked.groups, None)
    stored = notes.stored(reader, found)
    return [stored[note].path for note in found]


def test_names_that_begin_with_the_query_come_before_those_that_hold_it(named: Reader) -> None:
    """Then other forms; what only the text says is no name."""
    assert paths(named, "glaze ") == ["Glaze.md", "Glaze tests.md", "Ash glaze.md", "Glazes of the north.md"]


def test_a_half_typed_word_takes_names_in_whole_first(named: Reader) -> None:
    """An alias is a name, too."""
    assert set(paths(named, "glaz")) == {path for path in NAMES if "laz" in path} | {"Kiln.md"}
    assert paths(named, "glazi") == ["Kiln.md"]


def test_the_order_of_the_words_counts(named: Reader) -> None:
    """As typed before the other way round."""
    assert paths(named, "ash glaze ") == paths(named, "glaze ash ") == ["Ash glaze.md"]


def test_a_name_of_signs_is_found_as_it_is(named: Reader) -> None:
    """And no other text of signs is a name."""
    assert called_by_signs(named, "?!") is not None
    assert called_by_signs(named, "!?") is None
