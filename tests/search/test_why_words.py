"""An account of a note never denies a word that stands in it."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index import notes
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.search import why
from notesd.search.account import words_in
from notesd.search.conditions import Asked
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


@pytest.mark.parametrize(
    ("typed", "line"), [("2031-04-05 ", 2), ("due ", 2), ("tooltip", 5), ("Tooltíp ", 5), ("colo", 5)]
)
def test_a_word_of_the_file_that_is_not_searched_is_told_with_its_line(
    indexed: Callable[[Mapping[str, str]], Reader], typed: str, line: int
) -> None:
    """Dates of properties, and what stands in the tags of HTML."""
    text = '---\ndue: 2031-04-05\n---\nKiln\n<b title="tooltip" class="colour">raku</b>\n'
    reader = indexed({"Kiln.md": text})
    note = notes.by_path(reader, "Kiln.md")
    assert note is not None

    verdict = why.judge(reader, Asked(parse_query(typed), 10), note, raw=lambda: text)
    with_another = why.judge(reader, Asked(parse_query(f"kiln {typed}"), 10), note, raw=lambda: text)
    gone = why.judge(reader, Asked(parse_query("walrus "), 10), note, raw=lambda: text)

    assert f"stands in line {line}, in a part of the file that is not searched" in verdict.sentence
    assert f"stands in line {line}, " in with_another.sentence
    assert "not hold" not in verdict.sentence + with_another.sentence
    assert gone.sentence.startswith("it holds none of the words")


def test_a_date_that_is_written_otherwise_is_not_denied(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """One of the ways that it may stand in a note is enough."""
    reader = indexed({"Kiln.md": "Fired on 9 April 2032.\n"})
    note = notes.by_path(reader, "Kiln.md")
    assert note is not None

    assert why.judge(reader, Asked(parse_query("2032-04-09"), 10), note).sentence == "it is number 1"
