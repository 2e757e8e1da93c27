"""Pieces of a query that make up one number or one date are one."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index.store import Reader
from notesd.parse.terms import terms
from notesd.search.conditions import Asked
from notesd.search.engine import search
from notesd.search.figures import joined_numbers
from notesd.search.query import parse_query


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("10 000", ["10 000"]),
        ("call 020 7946 0321 now", ["call", "020 7946 0321", "now"]),
        ("12 34", ["12", "34"]),
        ("2031", ["2031"]),
        ("3 pots 4", ["3", "pots", "4"]),
        ("+44 20 7946 0321", ["+44 20 7946 0321"]),
        ("212 555 0123", ["212 555 0123"]),
        ("4111 1111 1111 1111", ["4111 1111 1111 1111"]),
        ("978 3 16 148410 0", ["978 3 16 148410 0"]),
        ("1 234 567", ["1 234 567"]),
        ("chapter 4 1971", ["chapter", "4", "1971"]),
        ("1969 1970 1971 1972", ["1969", "1970", "1971", "1972"]),
        ("0 1 2 3 4 5 6 7", ["0", "1", "2", "3", "4", "5", "6", "7"]),
        ("1234567890 1234567890 1234567890 12345", ["1234567890"] * 3 + ["12345"]),
    ],
)
def test_the_groups_of_a_number_are_joined(text: str, joined: list[str]) -> None:
    """Short ones and very long ones are a list."""
    groups = [(term,) for term in terms(text, last_is_prefix=False)]

    assert [group[0].text for group in joined_numbers(groups)] == joined


def test_numbers_that_follow_each_other_also_mean_the_one_they_may_make_up() -> None:
    """Order 4711 0815 may be written in one elsewhere."""
    groups = [(term,) for term in terms("order 4711 0815", last_is_prefix=True)]

    assert [group[0].also for group in joined_numbers(groups)] == [(), ("47110815",), ("47110815",)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9 April 2032", [["9 April 2032"]]),
        ("kiln 9. April 2032 glaze ", [["kiln"], ["9. April 2032"], ["glaze"]]),
        ("April 2032 ", [["April 2032"]]),
        ("x2032-04-09y", None),
        ("-9 April 2032", None),
        ('"9 April 2032"', None),
    ],
)
def test_whole_words_that_make_up_a_date_are_one(text: str, words: list[list[str]] | None) -> None:
    """Not a part of a word, of what is left out or of a phrase."""
    groups = parse_query(text).groups

    assert ("day" in str([term.tokens for group in groups for term in group])) == (words is not None)
    if words is not None:
        assert len(groups) == len(words)


def test_a_number_that_another_follows_is_found_by_itself(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """A note of that year answers, though the chapter is another; one with both comes first."""
    reader = indexed(
        {"Year.md": "Printed in 1971.\n", "Both.md": "In 1971 it was part 4.\n", "Order.md": "No. 47110815\n"}
    )

    def found(text: str) -> list[str]:
        return [hit["path"] for hit in search(reader, Asked(parse_query(text), 10)).hits]

    assert found("chapter 4 1971 ") == ["Both.md", "Year.md"]
    assert found("4711 0815 ") == ["Order.md"]
