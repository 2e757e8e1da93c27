"""Wiki-links and destinations: what is a target, what is text, what is an address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse.wikilinks import bare, markdown_target, read_brackets, whole_wikilink


@pytest.mark.parametrize(
    ("text", "raw", "target", "shown"),
    [
        ("[[T]]", "T", "T", "T"),
        ("[[ T |x]]", "T", "T", "x"),
        ("[[T|]]", "T", "T", "T"),
        ("[[T|a|b]]", "T", "T", "a|b"),
        ("[[T\\|x]]", "T", "T", "x"),
        ("[[T\\\\|x]]", "T", "T", "x"),
        ("[[T#a#b|x]]", "T#a#b", "T", "x"),
        ("[[T #a]]", "T #a", "T", "T #a"),
        ("[[#part]]", "#part", "", "#part"),
        ("[[T#]]", "T#", "T", "T#"),
        ("[[T.md]]", "T.md", "T.md", "T.md"),
        ("[[Row [3] of]]", "Row [3] of", "Row [3] of", "Row [3] of"),
        ("[[Row [3]]]", "Row [3]", "Row [3]", "Row [3]"),
        ("[[T|see [1]]]", "T", "T", "see [1]"),
        ("[[a\\]b]]", "a\\]b", "a]b", "a\\]b"),
        ("[[Meeting: x]]", "Meeting: x", "Meeting: x", "Meeting: x"),
        ("[[data: the book]]", "data: the book", "data: the book", "data: the book"),
        ("[[A%20B]]", "A%20B", "A%20B", "A%20B"),
    ],
)
def test_a_link_is_read_as_written(text: str, raw: str, target: str, shown: str) -> None:
    """Target, part and shown text come apart, and nothing of them changes."""
    found = read_brackets(text, 0, len(text))

    assert found is not None
    assert (raw, target, shown, len(text)) == (found.raw, found.target, found.shown, found.end)


@pytest.mark.parametrize(
    "text",
    [
        "[[]]",
        "[[ ]]",
        "[[|x]]",
        "[[T",
        "[[T]",
        "[[T] ]",
        "[[T\\]]",
        "[[a\nb]]",
        "[[a [[T]]",
        "[[[T]]]",
        "[[https://e.org]]",
        "[[mailto:a@b.c]]",
        "[[tel:1]]",
        "[[obsidian://x]]",
        "[[MAILTO:a]]",
    ],
)
def test_other_brackets_are_text(text: str) -> None:
    """Empty, open, split, outer and address brackets are no links."""
    assert read_brackets(text, 0, len(text)) is None


def test_the_third_of_three_brackets_may_be_text() -> None:
    """A bracket behind a link belongs to the text when none is open in the name."""
    found = read_brackets("[[T]]]", 0, 6)

    assert found is not None
    assert (found.raw, found.end) == ("T", 5)


@pytest.mark.parametrize(
    ("text", "raw", "shown"),
    [("[[s|T]]", "T", "s"), ("[[T]]", "T", "T"), ("[[T|]]", "T", "T"), ("[[|T]]", "T", "T")],
)
def test_dendron_writes_the_shown_text_first(text: str, raw: str, shown: str) -> None:
    """With the other order the target is what follows the pipe."""
    found = read_brackets(text, 0, len(text), shown_first=True)

    assert found is not None
    assert (raw, shown) == (found.raw, found.shown)


@given(st.text(alphabet="[]|#\\!ab \n", max_size=40))
def test_a_link_lies_between_its_brackets(text: str) -> None:
    """Whatever is read starts and ends with a pair, on one line, and holds no other pair."""
    found = read_brackets("[[" + text, 0, len(text) + 2)

    if found:
        inner = ("[[" + text)[2 : found.end - 2]
        assert ("[[" + text)[: found.end].endswith("]]")
        assert "\n" not in inner
        assert "[[" not in inner
        assert found.raw == found.raw.strip() != ""


@pytest.mark.parametrize(
    ("text", "raw", "embed"),
    [(" [[T#p|x]] ", "T#p", False), ("![[p.png|300]]", "p.png", True)],
)
def test_a_text_may_be_one_link(text: str, raw: str, embed: bool) -> None:
    """A property value that is one link is found, blanks around it or not."""
    found = whole_wikilink(text)

    assert found is not None
    assert (raw, embed) == (found[0].raw, found[1])


@pytest.mark.parametrize(
    "text", ["", "T", "see [[T]]", "[[A]], [[B]]", "[[A]][[B]]", "[[A]] x", "[[https://x]]"]
)
def test_a_text_with_more_in_it_is_no_link(text: str) -> None:
    """A value that says anything else is text."""
    assert whole_wikilink(text) is None
    assert bare(text) == text


@pytest.mark.parametrize(
    ("destination", "target"),
    [
        ("a.md", "a.md"),
        ("a%20b.md#p", "a b.md"),
        ("C%23.md", "C#.md"),
        ("50%off.md", "50%off.md"),
        ("%FF.md", "%FF.md"),
        ("caf%C3%A9", "café"),
        ("Plan:%20one.md", "Plan: one.md"),
        ("/a.md", "/a.md"),
        ("../a.md", "../a.md"),
        ("", None),
        ("#p", None),
        ("%20", None),
        ("//host/a.md", None),
        ("http://a.md", None),
        ("mailto:a", None),
        ("OBSIDIAN://x", None),
    ],
)
def test_destinations_are_paths_or_addresses(destination: str, target: str | None) -> None:
    """A path is decoded after its part is cut off; an address and a place in the note are no path."""
    assert target == markdown_target(destination)
