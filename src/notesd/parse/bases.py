"""What does a base of Obsidian speak of: folders, tags, properties, notes, and the names of its views?

A base is YAML: filters and formulas are expressions, views are tables of what passes them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from notesd.errors import Unparsable
from notesd.model import Heading, Link, Note, NotePath, Observation
from notesd.parse.frontmatter import Property, Value, read_properties
from notesd.parse.pieces import pieces

MAX_EXPRESSIONS: Final = 5_000
"""Texts of a base that count."""
_LONGEST: Final = 10_000
"""Characters of an expression that count."""

_CALL: Final = re.compile(
    r"\b(?P<name>inFolder|hasTag|taggedWith|hasLink|linksTo|link|file)[ ]?\((?P<said>[^()]{0,1000})\)"
)
_FOLDER: Final = re.compile(
    r"\bfile\.(?:folder|path)(?:\.startsWith\(|[ ]{0,3}[=!]=)[ ]{0,3}(?P<said>\"[^\"]{0,500}\"|'[^']{0,500}')"
)
_QUOTED: Final = re.compile(r"\"((?:[^\"\\]|\\.){0,500})\"|'((?:[^'\\]|\\.){0,500})'")
_NAMED: Final = re.compile(
    r"\b(?:note|formula)(?:\.([^\W\d][\w-]*)|\[(?:\"([^\"\]]{1,200})\"|'([^'\]]{1,200})')\])"
)
_WORD: Final = re.compile(r"(?<![\w.])([^\W\d][\w-]*)(?![\w(]|[ ]?\()")
_BUILT_IN: Final = frozenset(
    {"and", "or", "not", "true", "false", "null", "file", "note", "formula", "this", "if", "values"}
)
_WIKI: Final = re.compile(r"\[\[([^\[\]|]{1,500})(?:\|[^\[\]]{0,500})?\]\]")
_OWN: Final = re.compile(r"(?:note|formula)\.[^\W\d][\w-]*\Z")
_VIEW_KEYS: Final = ("order", "groupBy", "group_by", "sort", "image", "property", "column")


class _Said:
    """What a base speaks of, in the order of the file, each once."""

    def __init__(self) -> None:
        self.folders: dict[str, int] = {}
        self.tags: dict[str, int] = {}
        self.notes: dict[str, int] = {}
        self.properties: dict[str, int] = {}
        self.titles: dict[str, int] = {}
        """Display names, formulas, texts compared with."""

    def expression(self, text: str, line: int) -> None:
        """Take in a filter or a formula."""
        text = text[:_LONGEST]
        for found in _CALL.finditer(text):
            said = [first or second for first, second in _QUOTED.findall(found["said"])]
            if found["name"] == "inFolder":
                self._all(self.folders, said, line)
            elif found["name"] in {"hasTag", "taggedWith"}:
                self._all(self.tags, [tag.lstrip("#") for tag in said], line)
            else:
                self._all(self.notes, [name for name in said if "://" not in name and "[[" not in name], line)
        for found in _FOLDER.finditer(text):
            self._all(self.folders, [found["said"][1:-1]], line)
        self._all(self.notes, _WIKI.findall(text), line)
        bare = _QUOTED.sub('""', _WIKI.sub("", text))
        for one, two, three in _NAMED.findall(text):
            self.property(one or two or three, line)
        for name in _WORD.findall(bare):
            if name not in _BUILT_IN:
                self.property(name, line)
        self._all(self.titles, [first or second for first, second in _QUOTED.findall(text)], line)

    def property(self, name: str, line: int) -> None:
        """Take in the name of a property; what a file has anyway is none."""
        if not name.startswith("file."):
            self._all(self.properties, [name.removeprefix("note.").removeprefix("formula.")], line)

    def title(self, text: str, line: int) -> None:
        """Take in words that its readers see."""
        self._all(self.titles, [text], line)

    @staticmethod
    def _all(where: dict[str, int], names: Iterable[str], line: int) -> None:
        for name in names:
            if name.strip():
                where.setdefault(name.strip(), line)


def read_base(text: str, path: NotePath) -> Note:
    """Say what a base speaks of; its views are headings.

    Args:
        text: The decoded file; lines end with LF.
        path: Where it lies; its name is the title.

    Raises:
        Unparsable: It is no YAML, or no mapping.
    """
    block = text.removeprefix("---\n")
    head = read_properties(f"---\n{block}\n---\n")
    if head.broken or (not head.properties and text.strip("-. \n")):
        line = head.problems[0].line if head.problems else None
        where = f" (line {line - 1})" if line and line > 1 else ""
        raise Unparsable(f"it is no YAML mapping{where}; open it in Obsidian and save it again")
    said = _Said()
    views: list[Heading] = []
    for number, (key, value, line) in enumerate(_texts(head.properties)):
        if number >= MAX_EXPRESSIONS:
            break
        _take(said, views, key, value, line)
    title = path.rpartition("/")[2].removesuffix(".base")
    links = tuple(
        Link(name, name.partition("#")[0].strip(), "wiki", None, "link", line)
        for name, line in said.notes.items()
    )
    return Note(path, title, headings=tuple(views), observations=tuple(_passages(said)), links=links)


def _take(said: _Said, views: list[Heading], key: tuple[str, ...], text: str, line: int) -> None:
    """Take in one text by the keys that stand above it."""
    top = key[0]
    if top in {"filters", "formulas"} or "filters" in key:
        if top == "formulas" and len(key) > 1:
            said.property(key[1], line)
        said.expression(text, line)
    elif top == "properties" and len(key) > 1:
        said.property(key[1], line)
        if key[-1] == "displayName":
            said.title(text, line)
    elif top == "views" and key[-1] == "name":
        views.append(Heading(1, " ".join(text.split())[:200], line))
    elif top == "views" and (key[-1] in _VIEW_KEYS or _OWN.match(text)):
        said.property(text, line)
    elif top == "views" and "columnSize" in key:
        said.property(key[-1], line)
    elif top == "summaries":
        said.expression(text, line)


def _texts(properties: Iterable[Property]) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Yield every text with the keys above it, outermost first, and the line of the first of them."""
    for one in properties:
        yield from _below((one.key,), one.value, max(1, one.line - 1))


def _below(keys: tuple[str, ...], value: Value, line: int) -> Iterator[tuple[tuple[str, ...], str, int]]:
    if isinstance(value, str):
        yield keys, value, line
    elif isinstance(value, list):
        for entry in value:
            yield from _below(keys, entry, line)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _below((*keys, key), entry, line)
    else:
        yield keys, "", line


def _passages(said: _Said) -> Iterator[Observation]:
    elsewhere = {*said.folders, *said.tags, *said.notes, *said.properties}
    for name, found in (
        ("Folders", said.folders), ("Tags", said.tags), ("Notes", said.notes),
        ("Properties", said.properties), ("Text", said.titles),
    ):  # fmt: skip
        known = [one for one in found if name != "Text" or one not in elsewhere]
        if known:
            line = found[known[0]]
            for piece, _, _ in pieces(
                f"{name}: {', '.join(known)}", [line] * (1 + sum(map(_lines, known))), line
            ):
                yield Observation(piece, line, line, (), "raw")


def _lines(text: str) -> int:
    return text.count("\n")
