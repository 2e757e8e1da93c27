"""AND, OR, NOT in capitals and brackets demand what they say; everything else stays text."""

import itertools
from collections.abc import Callable, Mapping
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notesd.index.store import Reader
from notesd.search import engine, why
from notesd.search.boolean import MOST_PARTS, capitals_as_text, understood
from notesd.search.conditions import Asked
from notesd.search.query import parse_query

WORDS = ("heron", "otter", "newt")
NOTES = {
    "".join(some) + ".md": " and also ".join(some) + "\n"
    for size in (1, 2, 3)
    for some in itertools.combinations(WORDS, size)
} | {
    "Signs.md": "never feed the heron\n",
    "AND gate.md": "two inputs\n",
    "Salt and pepper.md": "squid\n",
    "tagged.md": "heron #pond\n",
}


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """An index of notes about some animals, in every combination."""
    return indexed(NOTES)


def found(reader: Reader, text: str) -> set[str]:
    return {hit["path"] for hit in engine.search(reader, Asked(parse_query(text), 50)).hits}


def holding(*words: str) -> set[str]:
    return {path for path, text in NOTES.items() if all(word in text for word in words)}


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("heron AND otter", holding("heron", "otter")),
        ("heron NOT otter", holding("heron") - holding("otter")),
        ("heron AND NOT otter", holding("heron") - holding("otter")),
        ("(heron OR otter) AND newt", holding("heron", "newt") | holding("otter", "newt")),
        ("newt AND (heron OR otter)", holding("heron", "newt") | holding("otter", "newt")),
        ("(heron AND otter) OR (heron AND newt)", holding("heron", "otter") | holding("heron", "newt")),
        ("heron AND NOT (otter OR newt)", holding("heron") - holding("otter") - holding("newt")),
        ("heron OR otter AND newt", holding("heron") | holding("otter", "newt")),
        ("((heron)) AND ((otter OR (newt)))", holding("heron", "otter") | holding("heron", "newt")),
        ('"never feed" AND heron', {"Signs.md"}),
        ('heron NOT "never feed"', holding("heron") - {"Signs.md"}),
        ("heron AND tag:pond", {"tagged.md"}),
        ("heron AND NOT #pond", holding("heron") - {"tagged.md"}),
        ("heron AND NOT NOT otter", holding("heron", "otter")),
        ("herons AND otters", holding("heron", "otter")),
        ("heron AND ott", holding("heron", "otter")),
        ("ott* AND heron", holding("heron", "otter")),
        ("heron NOT ott*", holding("heron") - holding("otter")),
        ("heron AND -newt", holding("heron") - holding("newt")),
        ("(heron NOT otter) OR (newt NOT otter)", (holding("heron") | holding("newt")) - holding("otter")),
        ("NOT (otter OR newt) AND heron", holding("heron") - holding("otter") - holding("newt")),
        ("-(otter OR newt) heron", holding("heron") - holding("otter") - holding("newt")),
        ("(#pond OR path:Signs) heron", {"tagged.md", "Signs.md"}),
        ("(tag:pond OR path:signs) -feed", {"tagged.md"}),
        ("#pond OR path:signs", {"tagged.md", "Signs.md"}),
        ("heron AND NOT (tag:pond OR otter)", holding("heron") - holding("otter") - {"tagged.md"}),
        ("(heron tag:pond) OR (otter AND newt)", {"tagged.md"} | holding("otter", "newt")),
        ('(title:"heron newt" OR "never feed") AND heron', {"Signs.md"}),
        ("(title:tagged OR (path:signs AND feed)) AND heron", {"tagged.md", "Signs.md"}),
        ("(links:[[no such note]] OR #pond) AND heron", {"tagged.md"}),
        ("heron AND NOT (created:2031 OR otter)", holding("heron") - holding("otter")),
        ("heron AND NOT (& OR otter)", holding("heron") - holding("otter")),
    ],
)
def test_notes_are_those_that_fulfil_it(reader: Reader, text: str, notes: set[str]) -> None:
    """NOT binds most, then AND, then OR; words count in all their forms, a phrase as it stands."""
    assert found(reader, text) == notes


def test_not_alone_shows_no_note_with_the_word(reader: Reader) -> None:
    """Others may be listed."""
    assert not found(reader, "NOT heron") & holding("heron")


@pytest.mark.parametrize("text", ["heron AND", "heron NOT", "heron AND NOT", "heron OR "])
def test_an_operator_that_is_just_typed_hides_nothing(reader: Reader, text: str) -> None:
    """Its word is still to come."""
    assert holding("heron") <= found(reader, text)


@pytest.mark.parametrize(
    "text",
    [
        "AND gate", "salt and pepper", "pepper not salt", "this or that", "f(x) AND", "(2019) remaster",
        "heron (otter AND", "heron AND) otter", "(heron AND otter", "AND OR NOT", "heron OR otter", "",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_text(text: str) -> None:
    """Nothing that people type is an error."""
    assert understood(text) is None or text == "f(x) AND"


@pytest.mark.parametrize(
    "text",
    [
        "DO NOT DISTURB", "TRICK OR TREAT", "ROCK AND ROLL", "HERON NOT OTTER!", "FORTRAN 77 AND ALGOL 68",
        "A AND B", "the DO NOT DISTURB sign", "to READ AND WRITE", "ÜBER NOT UNTER", "WHAT, AND WHY?",
    ],
)  # fmt: skip
def test_an_operator_among_words_in_capitals_is_a_word(text: str) -> None:
    """Who writes everything in capitals sets none apart."""
    query = parse_query(text)

    assert (query.demands, query.excluded) == ((), ())
    assert max(map(len, query.groups)) == 1
    assert query.text == text


@pytest.mark.parametrize(
    "text",
    [
        "heron AND OTTER", "NASA NOT heron", "(NASA OR ESA) AND MOON", '"NASA" AND MOON', "NASA AND #pond",
        "NASA AND type:note", "猫 AND 犬", "1970 AND 1971", "vitamin C AND iron", "HERON AND -OTTER",
    ],
)  # fmt: skip
def test_an_operator_that_its_capitals_set_apart_is_one(text: str) -> None:
    """So is one beside brackets, quotes and filters."""
    assert capitals_as_text(text) == text


def test_a_filter_within_brackets_that_names_nothing_is_told(reader: Reader) -> None:
    """With the nearest name, as one outside of them; behind a NOT it leaves nothing out."""

    def unheard(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
        answer = engine.search(reader, Asked(parse_query(text), 10))
        return [(one.kind, one.value, one.nearest) for one in answer.unheard]

    assert unheard("(tag:pnd OR otter) AND heron") == [("tag", "pnd", ("pond",))]
    assert unheard("heron AND NOT (#pnd OR newt)") == [("-tag", "pnd", ("pond",))]
    assert unheard("((path:nowhere/ OR #pond) AND heron) OR newt") == [("path", "nowhere/", ())]
    assert unheard("NOT NOT (heron OR tag:pond)") == []


def test_an_expression_of_too_many_parts_is_said_to_be_text() -> None:
    """It does not count silently for less than it says."""
    long = " OR ".join(f"(w{number} AND x)" for number in range(MOST_PARTS // 6))

    assert parse_query(long).demands
    assert not parse_query(long).too_long
    assert parse_query(f"{long} OR y OR z AND x").too_long
    assert not parse_query("word " * 2 * MOST_PARTS).too_long


def test_a_name_that_begins_with_an_operator_is_found(reader: Reader) -> None:
    """With nothing before it, AND is a word."""
    assert next(iter(engine.search(reader, Asked(parse_query("AND gate"), 5)).hits))["path"] == "AND gate.md"


def test_words_for_dates_count_within_brackets_too(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """From the same day as outside."""
    reader = indexed({"2031-03-04.md": "heron\n", "2031-01-04.md": "heron\n", "x.md": "heron otter\n"})
    query = parse_query("heron AND (created:yesterday OR otter)", date(2031, 3, 5))

    assert {hit["path"] for hit in engine.search(reader, Asked(query, 5)).hits} == {"2031-03-04.md", "x.md"}


def test_what_a_note_lacks_is_told(reader: Reader) -> None:
    """The demand is named as it was typed."""
    from notesd.index import notes

    note = notes.by_path(reader, "heron.md")
    assert note is not None
    verdict = why.judge(reader, Asked(parse_query("heron AND otter"), 10), note)

    assert verdict.reason == "filtered"
    assert "otter" in verdict.sentence


OPERATORS = ["AND", "OR", "NOT", "(", ")", "(("]
PIECES = st.lists(
    st.sampled_from(
        [
            *OPERATORS,
            "heron",
            "otter ",
            '"never feed"',
            "-newt",
            "#pond",
            "tag:x",
            "f(x)",
            '"',
            "&",
            "-(",
            "ott*",
            "path:signs",
            "links:[[no note]]",
            "created:2031",
            "-tag:pond",
            "2031-02-03",
        ]
    ),
    max_size=24,
)


@settings(max_examples=200, deadline=None)
@given(PIECES)
def test_whatever_is_typed_there_is_an_answer(reader: Reader, pieces: list[str]) -> None:
    """Operators, brackets and quotes in any order."""
    text = " ".join(pieces)
    engine.search(reader, Asked(parse_query(text), 5))
    engine.search(reader, Asked(parse_query(text.replace(" ", "")), 5))


def test_a_text_of_very_many_operators_is_read_in_time() -> None:
    """Beyond the bound it is text; within it brackets may be as deep as they like."""
    assert understood("a AND " * MOST_PARTS + "a") is None
    deep = "(" * 60 + "a AND b" + ")" * 60
    assert understood(deep) is not None


@pytest.mark.parametrize("leaf", ["heron", "tag:pond", "links:Signs", '-"never feed"', "2031-02-03"])
def test_operators_as_deep_as_fit_are_understood_and_answered(reader: Reader, leaf: str) -> None:
    """The index takes every expression that is read as one."""
    text = leaf
    for level in range(MOST_PARTS // 5):
        text = f"{leaf} {'OR' if level % 2 else 'AND'} NOT ({text})"
    assert understood(f"({text})") is None
    text = text.replace("NOT (", "(", 10)
    assert understood(text) is not None
    engine.search(reader, Asked(parse_query(text), 5))
