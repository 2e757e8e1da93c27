"""How do the kin of Markdown differ from it: MDX, Quarto, R Markdown?

What is no text to its reader is made blank, line for line, and the rest is read as a note.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from notesd.model import Note, NotePath
from notesd.parse.note import parse_note

_FENCE: Final = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*(.*)")
_ESM: Final = re.compile(
    r"import[ \t]+(?:[\w*{$][^'\"]{0,500}[ \t}]from[ \t]*)?[\"']|import[ \t]*(?:\{|\w+[ \t]*,[ \t]*\{|\*)"
    r"|export[ \t]+(?:const|let|var|function|default|class|async|type|interface)\b|export[ \t]*[{*]"
)
MAX_STATEMENT: Final = 500
"""Lines of one import or export."""
_CHUNK: Final = re.compile(r"\{[ \t]*([A-Za-z][\w+-]*)\b.*")
_OPTION: Final = re.compile(r"[ \t]*(?:#|//|%%|--)\|")
_DIV: Final = re.compile(r":{3,}")
_SHORTCODE: Final = re.compile(r"\{\{<.{0,500}?>\}\}")


def read_mdx(text: str, path: NotePath) -> Note:
    """Say what an MDX file says; imports, exports and comments are no words of it."""
    return parse_note("\n".join(_without_statements("".join(_without_comments(text)))), path)


def read_quarto(text: str, path: NotePath) -> Note:
    """Say what a Quarto or R Markdown file says; options, divisions and short codes are no words."""
    return parse_note("\n".join(_without_options(text)), path)


class _Line(NamedTuple):
    """A line of Markdown, and what it is to a fence of code."""

    text: str
    place: Literal["text", "opens", "code", "closes"]
    fence: str
    """The signs of the fence."""
    info: str
    """What stands behind them where it opens."""


def _lines(text: str) -> Iterator[_Line]:
    fence, info = "", ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if not fence and found and "`" not in found[2]:
            fence, info = found[1], found[2]
            yield _Line(line, "opens", fence, info)
        elif fence and found and found[1].startswith(fence) and not found[2].strip():
            yield _Line(line, "closes", fence, info)
            fence, info = "", ""
        else:
            yield _Line(line, "code" if fence else "text", fence, info)


def _without_comments(text: str) -> Iterator[str]:
    """Yield a text in pieces; of a comment only its lines are left."""
    at = 0
    while (start := text.find("{/*", at)) >= 0 and (end := text.find("*/}", start)) >= 0:
        yield text[at:start]
        yield "\n" * text.count("\n", start, end)
        at = end + 3
    yield text[at:]


def _without_statements(text: str) -> Iterator[str]:
    """Yield the lines of MDX; a statement begins behind a blank line and ends at one, its brackets closed."""
    inside, depth, begins = 0, 0, True
    for line in _lines(text):
        if inside or (begins and line.place == "text" and _ESM.match(line.text)):
            depth += sum(map(line.text.count, "{[(")) - sum(map(line.text.count, ")]}"))
            begins = (not line.text.strip() and depth <= 0) or inside >= MAX_STATEMENT
            inside, depth = (0, 0) if begins else (inside + 1, depth)
            yield ""
        else:
            begins = not line.text.strip()
            yield line.text


def _without_options(text: str) -> Iterator[str]:
    options = False
    for line in _lines(text):
        if line.place == "opens":
            chunk = _CHUNK.match(line.info)
            options = chunk is not None
            yield line.text.partition(line.fence)[0] + line.fence + (chunk[1] if chunk else line.info)
        elif line.place == "code" and options and _OPTION.match(line.text):
            yield ""
        elif line.place == "text":
            yield "" if _DIV.match(line.text) else _SHORTCODE.sub("", line.text)
        else:
            options = False
            yield line.text
