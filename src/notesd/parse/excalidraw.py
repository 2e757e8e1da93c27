"""What does a drawing of Excalidraw say? Its text elements, and the note on its back.

The plugin of Obsidian keeps a drawing in a note: the texts as Markdown, then the scene in a fence, compressed
or as JSON. Elsewhere a drawing is the JSON of its scene.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import structs

from notesd.errors import Unparsable
from notesd.model import Link, Note, NotePath, Observation
from notesd.parse.cursor import Cursor, text_of
from notesd.parse.note import parse_note
from notesd.parse.pieces import pieces
from notesd.parse.wikilinks import whole_wikilink

MAX_ELEMENTS: Final = 100_000
"""Elements of a scene that count."""

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
_HASH: Final = re.compile(r"^[0-9a-f]{32,64}: ", re.MULTILINE)
"""What the plugin knows an embedded file by."""


def read_excalidraw(text: str, path: NotePath) -> Note:
    """Say what an Excalidraw drawing says: its text elements, and the note on its back.

    The drawing itself, compressed or not, is left out, and so are the headings that the plugin puts in.
    """
    note = parse_note(_without_drawing(text), path)
    passages, links = _drawn(text)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    title = note.title.removesuffix(".excalidraw") if note.title == stem else note.title
    return structs.replace(
        note, title=title, observations=(*note.observations, *passages), links=(*note.links, *links)
    )


def is_excalidraw(text: str) -> bool:
    """Whether the front matter of a note says that it is a drawing."""
    head = text[:_HEAD]
    return head.startswith("---\n") and "excalidraw-plugin" in head and _PLUGIN.search(head) is not None


def read_scene(text: str, path: NotePath) -> Note:
    """Say what the JSON of a scene says: a passage for each text, a relation for each link to a note.

    Args:
        text: The decoded file; lines end with LF.
        path: Where it lies; its name is the title.

    Raises:
        Unparsable: It cannot be read.
    """
    title = path.rpartition("/")[2].rpartition(".")[0]
    if not text.strip():
        return Note(path, title)
    passages, links = _scene(text, 1)
    return Note(path, title, observations=tuple(passages), links=tuple(links))


def _scene(text: str, line: int) -> tuple[list[Observation], list[Link]]:
    """Read a scene whose JSON begins in a line of the file."""
    cursor = Cursor(text)
    if cursor.sign() != "{":
        raise Unparsable("it is no drawing, which is one JSON object")
    passages: list[Observation] = []
    links: list[Link] = []
    for key in cursor.members():
        if key != "elements":
            cursor.value()
            continue
        for _ in cursor.elements(MAX_ELEMENTS):
            at = line + cursor.line() - 1
            element = cursor.value()
            if isinstance(element, dict) and element.get("isDeleted") is not True:
                said = text_of(element, "originalText") or text_of(element, "text")
                passages += _passages(said, at)
                links += _links(text_of(element, "link"), at)
    return passages, links


def _passages(text: str, line: int) -> Iterator[Observation]:
    if text.strip():
        lines = [line] * (text.count("\n") + 1)
        for piece, _, _ in pieces(text, lines, line):
            yield Observation(piece, line, line, (), "paragraph")


def _links(text: str, line: int) -> Iterator[Link]:
    found = whole_wikilink(text.strip()) if text else None
    if found:
        yield Link(found[0].raw, found[0].target, "wiki", None, "link", line)


def _drawn(text: str) -> tuple[list[Observation], list[Link]]:
    """Read the scene in the fence of a note that does not name its texts: nothing where it is compressed."""
    if _DATA.search(text):
        return [], []
    found = None
    for found in _DRAWING.finditer(text):  # noqa: B007 -- the last one
        pass
    if found is None or found[0].endswith("compressed-json"):
        return [], []
    end = text.find("\n```", found.end())
    try:
        return _scene(
            text[found.end() : end if end >= 0 else len(text)], text.count("\n", 0, found.end()) + 1
        )
    except Unparsable:  # the note is one all the same
        return [], []


def _without_drawing(text: str) -> str:
    drawn = max((found.start() for found in _DRAWING.finditer(text)), default=len(text))
    rest = "\n" * text.count("\n", drawn)
    data = _DATA.search(text, 0, drawn)
    written = data.start() if data else drawn
    elements = _HASH.sub("", _BLOCK_ID.sub("", _SECTION.sub("", text[written:drawn])))
    return _WARNING.sub("", text[:written]) + elements + rest
