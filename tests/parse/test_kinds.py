"""Kinds of files: by the longest suffix, and what a reader says beyond the golden text."""

import pytest

from notesd.model import NotePath, Problem
from notesd.parse.kinds import KINDS, name_only, read_file, suffix_of


@pytest.mark.parametrize(
    ("path", "suffix"),
    [
        ("a.md", ".md"),
        ("A/B.CANVAS", ".canvas"),
        ("a.excalidraw.md", ".excalidraw.md"),
        ("a.b.md", ".md"),
        ("x.excalidraw/a.md", ".md"),
        ("a.canvas.txt", ".txt"),
        ("canvas", ""),
        ("a.docx", ""),
        ("a.", ""),
        (".md", ".md"),
        ("", ""),
    ],
)
def test_the_longest_suffix_decides(path: str, suffix: str) -> None:
    """In any case of letters; folders do not count."""
    assert suffix_of(path) == suffix


def test_a_file_of_no_known_kind_is_plain_text() -> None:
    """Its words are found, its marks mean nothing."""
    note = read_file("# no heading\n\n[[no link]]", NotePath("a.log"))

    assert [one.text for one in note.observations] == ["# no heading", "[[no link]]"]
    assert (note.headings, note.links, note.entity_type) == ((), (), None)


def test_a_note_keeps_the_type_that_it_says() -> None:
    """The kind gives a type only where the note has none."""
    text = "---\nexcalidraw-plugin: parsed\ntype: plan\n---\n"

    assert read_file(text, NotePath("a.excalidraw.md")).entity_type == "plan"
    assert read_file(text.replace("type: plan\n", ""), NotePath("a.md")).entity_type == "excalidraw"


@pytest.mark.parametrize("suffix", sorted(KINDS))
def test_the_name_is_known_of_every_kind(suffix: str) -> None:
    """Title and type come from the name; problems are kept."""
    problem = Problem("x", "y")
    note = name_only(NotePath(f"A/On roofs{suffix}"), (problem,))

    assert (note.title, note.entity_type or "", note.problems) == ("On roofs", KINDS[suffix].name, (problem,))


def test_a_wish_to_be_private_is_taken_from_what_cannot_be_read() -> None:
    """Better once too often: a notebook that is broken may have said it."""
    broken = '{"cells": ["---\\nprivate: true\\n---", '

    assert read_file("x" + broken, NotePath("a.ipynb")).private
    assert not read_file("x{}", NotePath("a.ipynb")).private


def test_problems_of_reading_are_kept() -> None:
    """What was wrong with the bytes stands before what is wrong with the text."""
    note = read_file("x", NotePath("a.canvas"), problems=(Problem("not_utf8", "bytes"),))

    assert [one.kind for one in note.problems] == ["not_utf8", "unparsable"]


def test_properties_of_org_are_compared() -> None:
    """Keywords of tasks, days that are planned, properties of the file and of headings."""
    drawer = ":PROPERTIES:\n:Effort: 1:00\n:END:\n"
    text = f"#+AUTHOR: Ann\n* TODO Buy\nDEADLINE: <2024-02-03 Sat 9:30>\n{drawer}"
    text += "* DONE Sell\n* NEXT Go\n* NEXT\n* Next week"
    found = read_file(text, NotePath("a.org")).properties

    assert found == (
        ("author", "Ann"),
        ("todo", "TODO"),
        ("deadline", "2024-02-03T09:30"),
        ("Effort", "1:00"),
        ("todo", "DONE"),
        ("todo", "NEXT"),
    )


def test_carriage_returns_and_marks_make_no_difference() -> None:
    """A file of Windows, or of an old Mac, with a byte-order mark, says the same."""
    text = "#+TITLE: T\n* H\nwords\n"

    assert read_file("\ufeff" + text.replace("\n", "\r\n"), NotePath("a.org")) == read_file(
        text, NotePath("a.org")
    )


def test_what_stands_behind_cards_is_found() -> None:
    """Addresses, and the names of the notes on a canvas."""
    nodes = '[{"file": "Boats/Gaviota.md"}, {"url": "https://example.org/x"}, {"text": "[a](b/c.md)"}]'
    org = "[[file:Boats/Gaviota.org][it]] [[https://example.org/x][there]]"

    assert read_file(f'{{"nodes": {nodes}}}', NotePath("a.canvas")).addresses == (
        "Boats/Gaviota",
        "https://example.org/x",
        "b/c.md",
    )
    assert read_file(org, NotePath("a.org")).addresses == ("Boats/Gaviota.org", "https://example.org/x")


def test_vectors_are_made_of_other_kinds_only_where_they_ask() -> None:
    """A canvas cannot ask, a drawing can; texts are notes like any other."""
    drawing = "---\nexcalidraw-plugin: parsed\nembed: true\n---\n"

    assert not read_file('{"nodes": []}', NotePath("a.canvas")).embed
    assert not read_file(drawing.replace("embed: true\n", ""), NotePath("a.md")).embed
    assert read_file(drawing, NotePath("a.md")).embed
    assert all(read_file("x", NotePath(f"a{suffix}")).embed for suffix in (".md", ".org", ".txt", ".log"))
    assert not read_file("---\nembed: false\n---\n", NotePath("a.md")).embed
