"""What stands in the body of a note: headings, passages, links and tags, each with its line?"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from markdown_it.token import Token
from msgspec import structs

from notesd.model import Heading, Link, Observation, ObservationKind
from notesd.parse.blobs import is_drawing, without_blobs
from notesd.parse.blocks import BLOCK_DEPTH, Env, parse_blocks
from notesd.parse.fields import Place, inline_properties, relations
from notesd.parse.inline import Reading, read_inline, strip_html
from notesd.parse.parts import parts
from notesd.parse.pieces import pieces

TABLE_ROWS = 50
"""Rows of a table in one passage."""

MAX_RESUMES = 5
"""Times that reading starts anew behind a stretch nested beyond ``BLOCK_DEPTH``."""

_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+\s*\Z")
_CALLOUT = re.compile(r"\[!([^\[\]\n|]{1,40})(?:\|[^\[\]\n]{0,40})?\][+-]?")


class Body(NamedTuple):
    """What the body of a note says."""

    headings: tuple[Heading, ...]
    observations: tuple[Observation, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    """As written, repeats included."""
    fields: tuple[tuple[str, str], ...]
    """Key and value of ``key:: value``, on a line or in brackets."""
    unread: int | None
    """Line in the file from which on only words were kept, None when all was read."""


class Cell(NamedTuple):
    """A text that is one of many in its file, each read by itself."""

    text: str
    """Lines end with LF."""
    lines: Sequence[int]
    """Line in the file of each of its lines, from 1, never falling."""
    kind: Literal["markdown", "code", "raw"] = "markdown"


def read_body(text: str, line: int, *, shown_first: bool = False) -> Body:
    """Read the Markdown of a note.

    Args:
        text: The body; lines end with LF.
        line: Line in the file where it starts, from 1.
        shown_first: Wiki-links are written ``[[shown|target]]``.
    """
    walk = _Walk({"shown first": shown_first})
    unread = None
    for part in parts(text):
        if part.readable:
            walk.read(part.text, line + part.line)
        else:
            unread = line + part.line
            walk.words(part.text, unread)
    return Body(
        tuple(walk.headings), tuple(walk.observations), tuple(walk.links), tuple(walk.tags),
        tuple(walk.fields), unread,
    )  # fmt: skip


def read_cells(cells: Iterable[Cell]) -> Body:
    """Read texts one after another; a heading stands above all that follows it, in whichever cell."""
    walk = _Walk({})
    table = [1]
    for cell in cells:
        first = len(table)
        table += cell.lines
        if cell.kind == "markdown":
            walk.read(cell.text, first)
        else:
            walk.words(cell.text, first, cell.kind)
    return Body(
        tuple(structs.replace(heading, line=table[heading.line]) for heading in walk.headings),
        tuple(
            structs.replace(one, line_start=table[one.line_start], line_end=table[one.line_end])
            for one in walk.observations
        ),
        tuple(structs.replace(link, line=table[link.line]) for link in walk.links),
        tuple(walk.tags), tuple(walk.fields), None,
    )  # fmt: skip


class _Walk:
    """Walks the block tokens of one body."""

    def __init__(self, env: Env) -> None:
        self.headings: list[Heading] = []
        self.observations: list[Observation] = []
        self.links: list[Link] = []
        self.tags: list[str] = []
        self.fields: list[tuple[str, str]] = []
        self._base = 1
        self._env = env
        self._path: list[Heading] = []
        self._inside: list[ObservationKind] = []
        self._begins_item = False

    def read(self, text: str, line: int) -> None:
        """Take in a text that starts in a line of the file, from 1."""
        for _ in range(MAX_RESUMES):
            self._base = line
            self._inside.clear()
            earlier = len(self._env.get("references", ()))
            try:
                tokens = parse_blocks(text, self._env)
            except RecursionError:  # the caller's own stack is deep
                break
            if self._blocks(tokens) < BLOCK_DEPTH - 2:
                return
            # Something is nested so deeply that markdown-it gave up, perhaps on all that follows.
            lines = text.split("\n")
            covered = self._covered(tokens, earlier)
            resume = _resume(lines, max(covered, default=0) + 1)
            self._lines(lines[:resume], covered)
            self.observations.sort(key=lambda passage: passage.line_start)
            text, line = "\n".join(lines[resume:]), line + resume
            if not text:
                return
        self._base = line
        self._lines(text.split("\n"), set())

    def words(self, text: str, line: int, kind: ObservationKind = "raw") -> None:
        """Take in only the words of a text."""
        self._base = line
        text = without_blobs(text)
        self._keep(text, range(text.count("\n") + 1), text.count("\n") + 1, kind)

    def _blocks(self, tokens: list[Token]) -> int:
        """Take in every token, and return the deepest level of them."""
        deepest = 0
        walk = iter(tokens)
        for token in walk:
            kind = token.type
            deepest = max(deepest, token.level)
            if kind == "inline":
                self._paragraph(token)
            elif kind == "heading_open":
                self._heading(token, next(walk))
            elif kind == "table":
                self._table(token)
            elif kind == "blockquote_open":
                self._inside.append("quote")
            elif kind == "list_item_open":
                self._inside.append("item")
                self._begins_item = True
            elif kind in ("blockquote_close", "list_item_close"):
                self._inside.pop()
            elif kind in ("fence", "code_block", "math_block", "html_block"):
                self._verbatim(token, kind)
        return deepest

    def _read(self, content: str, line: int, place: Place, *, heading: bool = False) -> Reading:
        """Read a text that starts in a line of the body, from 0, and keep its links and tags."""
        reading = read_inline(content, self._env, heading=heading)
        self.tags += reading.tags
        if "::" in reading.scan:
            self.fields += inline_properties(reading, place)
        if reading.links:
            names = relations(reading, place)
            for link, name in zip(reading.links, names, strict=True):
                at = self._base + line + link.line
                self.links.append(Link(link.raw, link.target, link.style, name, link.kind, at))
        return reading

    def _paragraph(self, token: Token) -> None:
        start, end = _span(token)
        kind = self._inside[-1] if self._inside else "paragraph"
        # What an item goes on with is no "word [[T]]" by itself.
        place: Place = "item" if kind == "item" and self._begins_item else "text"
        self._begins_item = False
        reading = self._read(token.content, start, place)
        text = reading.text
        if "^" in text:
            text = _BLOCK_ID.sub("", text)
        if kind == "quote" and text.startswith("[!"):
            text = _CALLOUT.sub(r"\1", text, count=1)
        self._keep(text, [start + line for line in reading.lines], end, kind)

    def _heading(self, token: Token, inline: Token) -> None:
        start, end = _span(token)
        reading = self._read(inline.content, start, "cell", heading=True)
        text = " ".join(_BLOCK_ID.sub("", reading.text).split())
        if token.level:
            self._keep(text, [start], end, self._inside[-1] if self._inside else "paragraph")
            return
        heading = Heading(int(token.tag[1]), text, self._base + start)
        self.headings.append(heading)
        while self._path and self._path[-1].level >= heading.level:
            self._path.pop()
        self._path.append(heading)

    def _table(self, token: Token) -> None:
        rows = token.meta["rows"]
        texts = []
        for line, cells in rows:
            readings = [self._read(cell, line, "cell") for cell in cells]
            texts.append(" | ".join([reading.text for reading in readings]))
        numbers = [line for line, _ in rows]
        for first in range(0, len(rows), TABLE_ROWS):
            last = first + TABLE_ROWS
            end = numbers[last] if last < len(rows) else _span(token)[1]
            self._keep("\n".join(texts[first:last]), numbers[first:last], end, "table")

    def _verbatim(self, token: Token, kind: str) -> None:
        start, end = _span(token)
        text = token.content.rstrip()
        if kind == "html_block":
            comment_end = text.find("-->") if text.startswith("<!--") else -1
            if comment_end >= 0 and text[comment_end + 3 :].strip():
                self._keep(strip_html(text[: comment_end + 3]), range(start, end), end, "raw")
                self._behind_comment(text, comment_end + 3, start)
                return
            text = strip_html(text)
        elif kind == "fence":
            if is_drawing(token.info, text):
                return
            text = f"{token.info.strip()}\n{without_blobs(text)}"
        elif kind == "code_block":
            text = without_blobs(text)
        count = text.count("\n") + 1
        shown: ObservationKind = "raw" if kind in ("html_block", "math_block") else "code"
        self._keep(text, range(start, start + count), end, shown)

    def _behind_comment(self, text: str, place: int, start: int) -> None:
        """Read what follows a comment in its last line; to CommonMark it is HTML, to its writer text."""
        line = start + text.count("\n", 0, place)
        reading = self._read(text[place:].strip(), line, "text")
        self._keep(
            reading.text, [line + more for more in reading.lines], line + len(reading.lines), "paragraph"
        )

    def _covered(self, tokens: list[Token], earlier: int) -> set[int]:
        """Return the lines that are in a token or a definition, but for the ``earlier`` ones."""
        covered: set[int] = set()
        for token in tokens:
            if token.map and (token.type == "inline" or not token.nesting):
                covered.update(range(*token.map))
        for reference in list(self._env.get("references", {}).values())[earlier:]:
            covered.update(range(*reference["map"]))
        return covered

    def _lines(self, lines: list[str], covered: set[int]) -> None:
        """Read one by one the lines that are not covered."""
        for number, source in enumerate(lines):
            content = source.strip("> \t-+*=|") if number not in covered else ""
            if content:
                self._keep(self._read(content, number, "cell").text, [number], number + 1, "raw")

    def _keep(self, text: str, starts: list[int] | range, end: int, kind: ObservationKind) -> None:
        """Keep a passage.

        ``starts`` are the lines of its text's lines, from 0; ``end`` is the one after its last.
        """
        if not text or text.isspace():
            return
        path = tuple(heading.text for heading in self._path)
        for piece, first, last in pieces(text, starts, end - 1):
            self.observations.append(Observation(piece, self._base + first, self._base + last, path, kind))


def _resume(lines: list[str], start: int) -> int:
    """Return the first line from ``start`` on that stands by itself: not indented, below a blank line."""
    for number in range(start, len(lines)):
        if lines[number][:1].strip() and (not lines[number - 1].strip() or lines[number].startswith("#")):
            return number
    return len(lines)


def _span(token: Token) -> tuple[int, int]:
    """Return the lines of a token in the body, from 0, the end exclusive; every block has them."""
    start, end = token.map or (0, 1)
    return start, end
