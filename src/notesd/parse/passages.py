"""What stands in the body of a note: headings, passages, links and tags, each with its line?"""

import re
from typing import NamedTuple

from markdown_it.token import Token

from notesd.model import Heading, Link, Observation, ObservationKind
from notesd.parse.blocks import BLOCK_DEPTH, Env, parse_blocks
from notesd.parse.fields import Place, relations
from notesd.parse.inline import Reading, read_inline, strip_html
from notesd.parse.parts import parts
from notesd.parse.pieces import pieces

TABLE_ROWS = 50
"""Rows of a table in one passage."""

_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+\s*\Z")
_CALLOUT = re.compile(r"\[!([^\[\]\n|]{1,40})(?:\|[^\[\]\n]{0,40})?\][+-]?")


class Body(NamedTuple):
    """What the body of a note says."""

    headings: tuple[Heading, ...]
    observations: tuple[Observation, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    """As written, repeats included."""
    unread: int | None
    """Line in the file from which on only words were kept, None when all was read."""


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
    return Body(tuple(walk.headings), tuple(walk.observations), tuple(walk.links), tuple(walk.tags), unread)


class _Walk:
    """Walks the block tokens of one body."""

    def __init__(self, env: Env) -> None:
        self.headings: list[Heading] = []
        self.observations: list[Observation] = []
        self.links: list[Link] = []
        self.tags: list[str] = []
        self._base = 1
        self._env = env
        self._path: list[Heading] = []
        self._inside: list[ObservationKind] = []

    def read(self, text: str, line: int) -> None:
        """Take in a text that starts in a line of the file, from 1."""
        self._base = line
        try:
            tokens = parse_blocks(text, self._env)
        except RecursionError:  # the caller's own stack is deep; every line is kept one by one
            self._uncovered(text, [])
            return
        self._inside.clear()
        deepest = self._blocks(tokens)
        if deepest >= BLOCK_DEPTH - 2:
            self._uncovered(text, tokens)

    def words(self, text: str, line: int) -> None:
        """Take in only the words of a text."""
        self._base = line
        self._keep(text, range(text.count("\n") + 1), text.count("\n") + 1, "raw")

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
            elif kind in ("blockquote_close", "list_item_close"):
                self._inside.pop()
            elif kind in ("fence", "code_block", "math_block", "html_block"):
                self._verbatim(token, kind)
        return deepest

    def _read(self, content: str, line: int, place: Place, *, exact: bool = False) -> Reading:
        """Read a text that starts in a line of the body, from 0, and keep its links and tags."""
        reading = read_inline(content, self._env, exact=exact)
        self.tags += reading.tags
        if reading.links:
            names = relations(reading, place)
            for link, name in zip(reading.links, names, strict=True):
                at = self._base + line + link.line
                self.links.append(Link(link.raw, link.target, link.style, name, link.kind, at))
        return reading

    def _paragraph(self, token: Token) -> None:
        start, end = _span(token)
        kind = self._inside[-1] if self._inside else "paragraph"
        reading = self._read(token.content, start, "item" if kind == "item" else "text")
        text = reading.text
        if "^" in text:
            text = _BLOCK_ID.sub("", text)
        if kind == "quote" and text.startswith("[!"):
            text = _CALLOUT.sub(r"\1", text, count=1)
        self._keep(text, [start + line for line in reading.lines], end, kind)

    def _heading(self, token: Token, inline: Token) -> None:
        start, end = _span(token)
        reading = self._read(inline.content, start, "cell", exact=True)
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
                self._behind_comment(text, comment_end + 3, start)
                text = text[: comment_end + 3]
            text = strip_html(text)
        elif kind == "fence":
            text = f"{token.info.strip()}\n{text}"
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

    def _uncovered(self, text: str, tokens: list[Token]) -> None:
        """Read line by line what is nested so deeply that no rule saw it."""
        covered: set[int] = set()
        for token in tokens:
            if token.map and (token.type == "inline" or not token.nesting):
                covered.update(range(*token.map))
        for reference in (*self._env.get("references", {}).values(), *self._env.get("duplicate_refs", ())):
            covered.update(range(*reference["map"]))
        for number, source in enumerate(text.split("\n")):
            content = source.strip("> \t-+*=|") if number not in covered else ""
            if content:
                self._keep(self._read(content, number, "cell").text, [number], number + 1, "raw")
        self.observations.sort(key=lambda passage: passage.line_start)

    def _keep(self, text: str, starts: list[int] | range, end: int, kind: ObservationKind) -> None:
        """Keep a passage.

        ``starts`` are the lines of its text's lines, from 0; ``end`` is the one after its last.
        """
        if not text or text.isspace():
            return
        path = tuple(heading.text for heading in self._path)
        for piece, first, last in pieces(text, starts, end - 1):
            self.observations.append(Observation(piece, self._base + first, self._base + last, path, kind))


def _span(token: Token) -> tuple[int, int]:
    """Return the lines of a token in the body, from 0, the end exclusive."""
    if token.map is None:  # markdown-it maps every block; a rule of ours that forgot is our mistake
        raise ValueError(token.type)
    return token.map[0], token.map[1]
