"""What does a Jupyter notebook say: its Markdown, its code, and none of what the code gave out?

Formats 4, 3 and 2 (nbformat.readthedocs.io); in the older two cells stand in worksheets, and headings are
cells of their own.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from msgspec import structs

from notesd.errors import Unparsable
from notesd.model import Note, NotePath, Problem
from notesd.parse.addresses import addresses
from notesd.parse.cursor import Cursor, clean, number_of, text_of
from notesd.parse.frontmatter import FrontMatter, read_properties
from notesd.parse.note import note_of
from notesd.parse.parts import MAX_COST, cost_of
from notesd.parse.passages import Cell, read_cells

MAX_CELLS: Final = 20_000
MAX_CELLS_COST: Final = MAX_COST // 5
"""Microseconds of reading cells, estimated; of further ones only the words are kept."""
_SOURCES: Final = ("source", "input")
MAX_LINES: Final = 1_000_000
"""Lines of one cell."""


class _Found(NamedTuple):
    """One cell as it stands in the file."""

    kind: str
    level: int
    text: str
    lines: list[int]


def read_notebook(text: str, path: NotePath) -> Note:
    """Say what a notebook says.

    Markdown cells are read as notes are, code cells are passages of code. Front matter counts in a first cell
    that consists of it, raw or Markdown.

    Args:
        text: The decoded file; lines end with LF.
        path: Where it lies; its name is the title of last resort.

    Raises:
        Unparsable: Nothing of it can be read.
    """
    problems: list[Problem] = []
    found: list[_Found] = []
    if text.strip():
        _read(text, found, problems)
    head = FrontMatter((), (), "", 0, 1)
    first = found[0] if found else None
    if first and first.kind in {"raw", "markdown"} and first.text.startswith("---\n"):
        head = _head(first)
        skipped = first.text.count("\n", 0, head.body_start)
        rest = first.lines[skipped:] or first.lines[-1:]
        found[0] = first._replace(text=first.text[head.body_start :], lines=rest)
    body = read_cells(_cells(found))
    said = "\n\n".join(cell.text for cell in found if cell.kind == "markdown")
    return note_of(
        path, first.text if first else "", head, body, addresses=addresses(said), problems=tuple(problems)
    )


def _read(text: str, found: list[_Found], problems: list[Problem]) -> None:
    cursor = Cursor(text)
    if cursor.sign() != "{":
        raise Unparsable("it is no notebook, which is one JSON object")
    try:
        _sheet(cursor, found)
        cursor.end()
    except Unparsable as error:
        if not found:
            raise
        problems.append(Problem(error.kind, f"Only the head of the notebook was read: {error.message}."))


def _sheet(cursor: Cursor, found: list[_Found], *, within: bool = False) -> None:
    """Take an object with cells, or with worksheets that have some."""
    for key in cursor.members():
        if key == "cells":
            found.extend(_cell(cursor) for _ in cursor.elements(MAX_CELLS - len(found)))
        elif key == "worksheets" and not within:
            for _ in cursor.elements(MAX_CELLS):
                _sheet(cursor, found, within=True)
        else:
            cursor.value()


def _cell(cursor: Cursor) -> _Found:
    kind, level, text = "", 1, ""
    lines: list[int] = []
    for key in cursor.members():
        if key in _SOURCES and not lines:
            text, lines = _source(cursor)
        elif key == "cell_type":
            kind = text_of({key: cursor.value()}, key)
        elif key == "level":
            level = int(min(6.0, max(1.0, number_of({key: cursor.value()}, key))))
        else:
            cursor.value()
    return _Found(kind, level, text, lines or [1])


def _source(cursor: Cursor) -> tuple[str, list[int]]:
    """Take the text of a cell, one string or a list of lines, and the line in the file of each line."""
    parts: list[str] = []
    lines: list[int] = []
    begins = True
    places = cursor.elements(MAX_LINES) if cursor.sign() == "[" else (0,)
    line = cursor.line()
    for _ in places:
        line = cursor.line()
        value = cursor.value()
        if isinstance(value, str) and value:
            part = clean(value)
            count = part.count("\n")
            lines += [line] * (count + begins - part.endswith("\n"))
            begins = part.endswith("\n")
            parts.append(part)
    return "".join(parts), [*lines, line] if begins else lines


def _head(cell: _Found) -> FrontMatter:
    """Read the front matter that a cell begins with, with the lines of the file."""
    head = read_properties(cell.text)

    def at(line: int) -> int:
        return cell.lines[min(line, len(cell.lines)) - 1]

    return head._replace(
        properties=tuple(
            one._replace(line=at(one.line), line_end=at(one.line_end)) for one in head.properties
        ),
        problems=tuple(structs.replace(one, line=at(one.line or 1)) for one in head.problems),
    )


def _cells(found: Iterable[_Found]) -> Iterator[Cell]:
    cost = 0
    for cell in found:
        if cell.kind == "heading":
            yield Cell("#" * cell.level + " " + " ".join(cell.text.split()), cell.lines[:1])
        elif cell.kind == "markdown":
            cost += cost_of(cell.text)
            yield Cell(cell.text, cell.lines, "markdown" if cost <= MAX_CELLS_COST else "raw")
        else:
            yield Cell(cell.text, cell.lines, "code" if cell.kind == "code" else "raw")
