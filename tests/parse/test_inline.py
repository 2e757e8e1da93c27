"""Text inside a block: what is read at once says the same as what the rules read."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse import inline
from notesd.parse.blocks import parse_inline
from notesd.parse.inline import Reading, read_inline

PIECES = (
    *(
        "a",
        "word",
        "x1",
        "é",
        "日",
        "🙂",
        "a\u0301",
        "\u00a0",
        " ",
        "  ",
        "\t",
        "\n",
        " \n ",
        "key:: ",
        ":",
        "(",
    ),
    *(")", ".", "|", "1", "[", "]", "`", "``", "*", "**", "_", "__", "~", "~~", "$", "$$", "#tag", "#", "\\"),
    *("[[T]]", "[x](b.md)", "![p](q.png)", "<br>", "&amp;", "!", "http://a.b", "==", "%%", "^[", "[^1]"),
)
MARKS = ("a", "é", "1", " ", "\n", ".", "(", "🙂", "`", "*", "**", "_", "~~", "$", ":")

_TABS = re.compile(r"[ \t]+\n")


def by_rules(content: str, *, heading: bool = False) -> Reading:
    """Read a text by markdown-it's inline rules alone."""
    return inline._Reader(content, heading=heading).read(parse_inline(content, {}))


def seen(reading: Reading) -> tuple[object, ...]:
    """Return what anybody can tell of a reading.

    Its ``scan`` is asked for fields and links alone. Tabs at the end of a line, which markdown-it leaves
    and the other way takes off, are no text.
    """
    text, scan = (_TABS.sub("\n", each) for each in (reading.text, reading.scan))
    asked = "::" in scan or reading.links
    return text, reading.lines, reading.links, reading.tags, scan if asked else ""


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.booleans())
def test_text_read_at_once_says_what_the_rules_say(pieces: list[str], heading: bool) -> None:
    """Whatever a text is put together of: words, lines, links, tags and fields are equal both ways."""
    content = "".join(pieces).strip(" \t\n")

    assert seen(by_rules(content, heading=heading)) == seen(read_inline(content, {}, heading=heading))


@pytest.mark.parametrize("pieces", [PIECES, MARKS])
def test_marks_in_any_order_say_what_the_rules_say(pieces: tuple[str, ...]) -> None:
    """Thousands of short runs of marks, the same ones each time."""
    draw = random.Random(15)
    for _ in range(4000):
        content = "".join(draw.choices(pieces, k=draw.randint(2, 9))).strip(" \t\n")

        assert seen(by_rules(content)) == seen(read_inline(content, {})), content


@pytest.mark.parametrize(
    ("content", "text", "lines"),
    [
        ("say ` a ` now", "say a now", (0,)),  # CommonMark: one blank at each end goes
        ("say `  ` now", "say    now", (0,)),
        ("say `a\nb` now\nc", "say a b now\nc", (0, 2)),
        ("a __b_ c", "a _b c", (0,)),
        ("a*)*b", "a*)*b", (0,)),
        ("**Note:** b", "Note: b", (0,)),
        ("$a\nb$ c", "$a b$ c", (0,)),
    ],
)
def test_code_and_emphasis_are_commonmarks(content: str, text: str, lines: tuple[int, ...]) -> None:
    """Blanks around code, code over the end of a line, and uneven marks."""
    reading = read_inline(content, {})

    assert (text, lines) == (reading.text, reading.lines)


@pytest.mark.parametrize(
    ("content", "names_a_field"),
    [("`key:: value`", False), ("**key**:: value", True), ("a `x:: y`\nkey:: v", True)],
)
def test_fields_in_code_are_none(content: str, names_a_field: bool) -> None:
    """Code hides ``key:: value``, and emphasis around a key does not."""
    assert names_a_field == ("::" in read_inline(content, {}).scan)
