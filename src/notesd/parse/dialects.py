"""How do the kin of Markdown differ from it: MDX, Quarto, R Markdown, Excalidraw?

What is no text to its reader is made blank, line for line, and the rest is read as a note.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from msgspec import structs

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
_DATA: Final = re.compile(r"^(?:%%[ \t]*\n)?# (?:Excalidraw Data|Text Elements)[ \t]*$", re.MULTILINE)
"""Where the part begins that the plugin writes."""
_SECTION: Final = re.compile(
    r"^(?:#{1,2} (?:Excalidraw Data|Text Elements|Element Links|Embedded [Ff]iles)|%%)[ \t]*$", re.MULTILINE
)
_DRAWING: Final = re.compile(r"^#{1,2} Drawing[ \t]*\n+[ \t]*```(?:compressed-)?json", re.MULTILINE)
_WARNING: Final = re.compile(r"^==.{0,20}Switch to EXCALIDRAW VIEW.*$", re.MULTILINE)
_BLOCK_ID: Final = re.compile(r"[ \t]\^[A-Za-z0-9_-]{1,40}[ \t]*$", re.MULTILINE)
_PLUGIN: Final = re.compile(r"^excalidraw-plugin[ \t]*:", re.MULTILINE)
_HEAD: Final = 4_000


def read_mdx(text: str, path: NotePath) -> Note:
    """Say what an MDX file says; imports, exports and comments are no words of it."""
    return parse_note("\n".join(_without_statements("".join(_without_comments(text)))), path)


def read_quarto(text: str, path: NotePath) -> Note:
    """Say what a Quarto or R Markdown file says; options, divisions and short codes are no words."""
    return parse_note("\n".join(_without_options(text)), path)


def read_excalidraw(text: str, path: NotePath) -> Note:
    """Say what an Excalidraw drawing says: its text elements, and the note on its back.

    The drawing itself, compressed or not, is left out, and so are the headings that the plugin puts in.
    """
    note = parse_note(_without_drawing(text), path)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    title = note.title.removesuffix(".excalidraw") if note.title == stem else note.title
    return structs.replace(note, title=title)


def is_excalidraw(text: str) -> bool:
    """Whether the front matter of a note says that it is a drawing."""
    head = text[:_HEAD]
    return head.startswith("---\n") and "excalidraw-plugin" in head and _PLUGIN.search(head) is not None


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


def _without_drawing(text: str) -> str:
    drawn = max((found.start() for found in _DRAWING.finditer(text)), default=len(text))
    rest = "\n" * text.count("\n", drawn)
    data = _DATA.search(text, 0, drawn)
    written = data.start() if data else drawn
    elements = _BLOCK_ID.sub("", _SECTION.sub("", text[written:drawn]))
    return _WARNING.sub("", text[:written]) + elements + rest
