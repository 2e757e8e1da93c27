"""An account of a note never denies a word that stands in it."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.search.account import words_in
from notesd.search.lexical import meant_terms
from notesd.search.query import parse_query


@pytest.mark.parametrize(
    "typed", ["abseili", "abseiling", "abseiled", "abseilling ", "laddder ", "rope-ladder"]
)
def test_a_word_that_is_half_typed_or_misspelt_is_found_where_it_stands(
    indexed: Callable[[Mapping[str, str]], Reader], typed: str
) -> None:
    """As the search itself takes it."""
    reader = indexed({"Climb.md": "# Climb\n\nWe were abseiling from the rope ladder.\n"})
    note = NoteId(reader.value("SELECT id FROM note"))

    (told,) = words_in(reader, meant_terms(reader, parse_query(typed)), [note]).values()

    assert all(one["columns"] for one in told)
