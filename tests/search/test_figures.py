"""Pieces of a query that make up one number or one date are one."""

import pytest

from notesd.parse.terms import terms
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
        ("1234567890 1234567890 1234567890 12345", ["1234567890"] * 3 + ["12345"]),
    ],
)
def test_the_groups_of_a_number_are_joined(text: str, joined: list[str]) -> None:
    """Short ones and very long ones are a list."""
    groups = [(term,) for term in terms(text, last_is_prefix=False)]

    assert [group[0].text for group in joined_numbers(groups)] == joined


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
