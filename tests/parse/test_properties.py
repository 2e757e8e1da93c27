"""Front matter and fields are properties: keys with values, one by one, that can be compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.model import NotePath
from notesd.parse.note import parse_note
from notesd.parse.properties import LONGEST_VALUE, MOST_VALUES, Comparable, comparable, fold_key


def read(text: str) -> list[tuple[str, str]]:
    return list(parse_note(text, NotePath("note.md")).properties)


@pytest.mark.parametrize(
    ("front", "pairs"),
    [
        ("status: Active", [("status", "Active")]),
        ("genre: [Jazz, Soul]", [("genre", "Jazz"), ("genre", "Soul")]),
        ("genre: Jazz, Soul", [("genre", "Jazz, Soul"), ("genre", "Jazz"), ("genre", "Soul")]),
        ('by: "[[People/Iain Banks|Banks]]"', [("by", "Banks"), ("by", "Iain Banks")]),
        ("up: [[Boss]]", [("up", "Boss")]),
        ("a: {b: {c: x}, d: [1, 2]}", [("a.b.c", "x"), ("a.d", "1"), ("a.d", "2")]),
        ("due date: 2031-02-05", [("due date", "2031-02-05")]),
        ("empty:", [("empty", "")]),
        ("done: yes", [("done", "yes")]),
        ("title: T\ntags: [a]\naliases: [b]\ntype: c\ncreated: 2031-02-05", []),
    ],
)
def test_front_matter_is_properties(front: str, pairs: list[tuple[str, str]]) -> None:
    """Lists count by their entries, links by what they show and mean, mappings by their inner keys."""
    assert read(f"---\n{front}\n---\n") == pairs


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("status:: in work", [("status", "in work")]),
        ("**Pages**:: 300", [("Pages", "300")]),
        ("- mood:: good", [("mood", "good")]),
        ("read [pages:: 300] and (by:: [[Iain Banks]])", [("pages", "300"), ("by", "Iain Banks")]),
        ("- [ ] call [due:: 2031-01-01]", [("due", "2031-01-01")]),
        ("| a |\n|---|\n| [x:: 1] |", [("x", "1")]),
        ("one:: 1\ntwo:: 2 and [[A|B]] too", [("one", "1"), ("two", "2 and A too"), ("two", "A")]),
        ("`key:: value`, std::vector and a \\[key:: value\\]", []),
        ("```\nkey:: value\n```", []),
    ],
)
def test_fields_are_properties(text: str, pairs: list[tuple[str, str]]) -> None:
    """On a line of their own, in brackets, in lists, tasks and tables; not in code."""
    assert read(text) == pairs


def test_properties_of_a_note_are_bounded() -> None:
    """No note makes the index large by its properties alone."""
    many = read("---\na: [" + ", ".join(map(str, range(3 * MOST_VALUES))) + "]\n---\n")
    assert len(many) == MOST_VALUES
    assert read("---\na: " + "x" * 9_999 + "\n---\n") == [("a", "x" * LONGEST_VALUE)]


@pytest.mark.parametrize(
    ("value", "compared"),
    [
        ("Ａctive  Façade", Comparable("active facade", None, None)),
        ("4.50", Comparable("4.5", 4.5, None)),
        ("4,5", Comparable("4.5", 4.5, None)),
        ("1,300", Comparable("1300", 1300.0, None)),
        ("-3", Comparable("-3", -3.0, None)),
        ("$12", Comparable("12", 12.0, None)),
        ("12 %", Comparable("12", 12.0, None)),
        ("007", Comparable("007", None, None)),
        ("Yes", Comparable("true", None, None)),
        ("false", Comparable("false", None, None)),
        ("2031-02-05", Comparable("2031-02-05", None, "2031-02-05")),
        ("2031-02", Comparable("2031-02", None, "2031-02-01")),
        ("2031", Comparable("2031", 2031.0, "2031-01-01")),
        ("5 Feb 2031 10:30", Comparable("5 feb 2031 10:30", None, "2031-02-05T10:30:00")),
        ("2024-02-30", Comparable("2024-02-30", None, None)),
        ("", Comparable("", None, None)),
    ],
)
def test_a_value_is_text_number_and_day(value: str, compared: Comparable) -> None:
    """What of a value is compared: folded text, and a number and a day where it is one."""
    assert comparable(value) == compared


@given(st.text(max_size=50))
def test_any_value_and_any_key_can_be_compared(text: str) -> None:
    """No value raises, and each one written the same way is the same."""
    assert comparable(text).text == comparable(f" {text.upper().lower()} ").text or not text.isascii()
    assert fold_key(fold_key(text)) == fold_key(text) or not text.isascii()


def test_keys_fold_as_people_write_them() -> None:
    """Case, accents, and what stands for a blank, do not matter."""
    assert {fold_key(key) for key in ("Due Date", "due-date", "DUE_DATE", "düe  date")} == {"due date"}
