"""Which properties does a note begin with, and where does its body start?

Our own splitter finds the block; python-frontmatter reads it through a handler of ours. The handler
keeps every scalar as it was typed, so ``1.10``, ``007``, ``yes`` and ``2024-02-30`` are text, one odd
value costs no other, and nothing in a block is ever run. YAML is composed to nodes and turned into
values under a budget: an alias bomb is a small graph until somebody expands it.
"""

import re
import tomllib
from collections.abc import Callable, Iterable
from datetime import date, time
from typing import NamedTuple, TypeAlias

import frontmatter
import yaml
from frontmatter.default_handlers import BaseHandler

from notesd.model import Problem

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"

MAX_BLOCK = 256 * 1024
"""Characters; real front matter has some hundred, and YAML costs about 0.4 s per megabyte."""
MAX_DEPTH = 40
"""Levels of lists and mappings; libyaml itself allows far more."""
MAX_REPEATS = 1000
"""Nodes visited again through aliases, in one block."""

_YAML_END = re.compile(r"^---[ \t]*$", re.MULTILINE)
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"(?![-+*>] |!?\[)[^\s:][^:\n]{0,200}:(?:[ \t]|$)", re.MULTILINE)
_TOML_KEY_LINE = re.compile(r"""[\w"'.\- ]{1,200}=""")
_UNQUOTED_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]")


class Property(NamedTuple):
    """One key of the front matter with its value."""

    key: str
    value: Value
    line: int
    """Line of the key in the file, from 1."""
    line_end: int
    """Last line of the value, inclusive."""


class FrontMatter(NamedTuple):
    """The head of a note, and where the rest begins."""

    properties: tuple[Property, ...]
    """In order of the file; a key written twice is there twice."""
    problems: tuple[Problem, ...]
    broken: str
    """Text of a block that could not be read, empty otherwise; it starts in line 2."""
    body_start: int
    """Offset of the body in the text."""
    body_line: int
    """Line in the file where the body starts, from 1."""


class _Refused(Exception):
    """The block cannot be used; the message says why."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class _TextLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # libyaml may be missing
    """Composes nodes whose plain scalars stay text, but for null."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 -- PyYAML's own shape


_NULL = "tag:yaml.org,2002:null"
_TextLoader.add_implicit_resolver(_NULL, re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_STANDARD_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in (
        "str", "int", "float", "bool", "null", "timestamp", "binary", "seq", "map", "set", "omap", "pairs",
    )
) | {"!"}  # fmt: skip


class _Handler(BaseHandler):
    """Reads one block for python-frontmatter; made anew for each note."""

    def __init__(self, read: "Callable[[str, _Handler], dict[str, list[Property]]]") -> None:
        super().__init__(fm_boundary=_YAML_END)
        self._read = read
        self.problems: list[Problem] = []
        self.is_mapping = True

    def split(self, text: str) -> tuple[str, str]:  # type: ignore[explicit-override]  # new in Python 3.12
        """Take the fences off; ``read_properties`` has found them already."""
        return text[text.index("\n") + 1 : text.rindex("\n") + 1], ""

    def load(self, fm: str) -> dict[str, list[Property]]:  # type: ignore[explicit-override]  # new in Python 3.12
        """Return the properties by key, an empty dict when the block is no mapping."""
        return self._read(fm, self)

    def report(self, reason: str, line: int) -> None:
        """Note a problem that leaves the rest of the block usable."""
        self.problems.append(Problem("frontmatter", f"Front matter, line {line}: {reason}.", line))


def _read_yaml(block: str, handler: _Handler) -> dict[str, list[Property]]:
    """Read what stands between ``---`` lines; JSON is YAML, too."""
    if block.lstrip().startswith("{"):
        block = block.replace("\t", " ")  # JSON may be indented with tabs, YAML may not
    root = _compose(block)
    if not isinstance(root, yaml.MappingNode):
        handler.is_mapping = False
        return {}
    return _Values(block, handler).properties(root)


def _read_toml(block: str, _: _Handler) -> dict[str, list[Property]]:
    """Read what stands between ``+++`` lines."""
    try:
        table = tomllib.loads(block, parse_float=str)
    except (ValueError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        raise _Refused(f"this is not TOML ({error})", int(found[1]) + 1 if found else 1) from error
    lines: dict[str, int] = {}
    for line, text in enumerate(block.split("\n"), 2):  # tomllib keeps no lines; the first look-alike will do
        lines.setdefault(text.partition("=")[0].strip("[] \t\"'"), line)
    return {
        key: [Property(key, _toml_value(value), lines.get(key, 2), lines.get(key, 2))]
        for key, value in table.items()
    }


def _compose(block: str) -> yaml.Node | None:
    """Return the root of a block's node graph.

    Raises:
        _Refused: PyYAML cannot read it. Besides its own errors it raises ValueError for numbers,
            RecursionError for nesting and UnicodeEncodeError for half characters.
    """
    try:
        loader = _TextLoader(block)
        try:
            node: yaml.Node | None = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Refused(
            f"this is not YAML ({error.problem or error.context})", (mark.line if mark else 0) + 2
        ) from error
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise _Refused(f"this is not YAML ({reason})", 1) from error
    return node


class _Values:
    """Turns nodes into values and reports what is odd on the way."""

    def __init__(self, text: str, handler: _Handler) -> None:
        self._text = text
        self._handler = handler
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._repeats = 0

    def properties(self, root: yaml.MappingNode) -> dict[str, list[Property]]:
        found: dict[str, list[Property]] = {}
        for key_node, value_node in root.value:
            key = self._key(key_node)
            line = key_node.start_mark.line + 2
            if key in found:
                self._report_twice(key, line)
            value = self._value(value_node, 1)
            end = max(line, self._last_line(value_node))
            found.setdefault(key, []).append(Property(key, value, line, end))
        return found

    def _last_line(self, node: yaml.Node) -> int:
        """Return the last line of a value; a block value ends at the start of the line after it."""
        end = node.end_mark.index
        begin = self._text.rfind("\n", 0, end) + 1
        return int(node.end_mark.line) + (2 if self._text[begin:end].strip() else 1)

    def _report_twice(self, key: str, line: int) -> None:
        self._handler.report(f"the key {key!r} is written twice; keep one of them", line)

    def _key(self, node: yaml.Node) -> str:
        if isinstance(node, yaml.ScalarNode):
            return _clean(str(node.value))
        # What an unquoted {{placeholder}} is to YAML: a mapping as the key of a mapping.
        raise _Refused(
            "a list or mapping stands for a key; put placeholders in quotes", node.start_mark.line + 2
        )

    def _value(self, node: yaml.Node, depth: int) -> Value:
        line = node.start_mark.line + 2
        if node.tag not in _STANDARD_TAGS:
            self._handler.report(f"the YAML tag {node.tag!r} is unknown; its value is left out", line)
            return None
        if isinstance(node, yaml.ScalarNode):
            return None if node.tag == _NULL else _clean(node.value)
        self._enter(node, depth, line)
        try:
            if isinstance(node, yaml.SequenceNode):
                return self._sequence(node, depth)
            return self._mapping(node, depth) if isinstance(node, yaml.MappingNode) else None
        finally:
            self._open.discard(id(node))

    def _enter(self, node: yaml.Node, depth: int, line: int) -> None:
        if depth > MAX_DEPTH:
            raise _Refused("lists and mappings are nested too deeply", line)
        if id(node) in self._open:
            raise _Refused("an alias holds itself", line)
        if id(node) in self._seen:
            self._repeats += 1 + len(node.value)
            if self._repeats > MAX_REPEATS:
                raise _Refused("its aliases expand to too many values", line)
        self._seen.add(id(node))
        self._open.add(id(node))

    def _sequence(self, node: yaml.SequenceNode, depth: int) -> Value:
        if node.flow_style:
            # ``up: [[Note]]`` without quotes is a list in a list to YAML and a link to its writer.
            written = self._text[node.start_mark.index : node.end_mark.index]
            if _UNQUOTED_LINK.fullmatch(written):
                return written
        return [self._value(child, depth + 1) for child in node.value]

    def _mapping(self, node: yaml.MappingNode, depth: int) -> Value:
        values: dict[str, Value] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key in values:
                self._report_twice(key, key_node.start_mark.line + 2)
            values.setdefault(key, self._value(value_node, depth + 1))
        return values


def _clean(text: str) -> str:
    """Replace half characters, which an escape in quotes can make and nothing can store."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _toml_value(value: object) -> Value:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list):
        return [_toml_value(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _toml_value(entry) for key, entry in value.items()}
    return str(value)


def read_properties(text: str) -> FrontMatter:
    """Read the front matter of a text whose lines end with LF.

    A block that holds no mapping is body, but for comments alone: that is a mapping with nothing in it yet.
    One that cannot be read is reported and left out; the body after it goes on.
    """
    is_yaml = text.startswith("---")
    if not is_yaml and not text.startswith("+++"):
        return FrontMatter((), (), "", 0, 1)
    fence, _, rest = text.partition("\n")
    if fence[3:].strip(" \t"):
        return FrontMatter((), (), "", 0, 1)
    start = len(fence) + 1
    end = (_YAML_END if is_yaml else _TOML_END).search(text, start)
    if end is None:
        return FrontMatter((), _never_closed(fence[:3], rest), "", 0, 1)
    block = text[start : end.start()]
    body_start = min(end.end() + 1, len(text))
    body_line = block.count("\n") + 3
    if _says_nothing(block):
        return FrontMatter((), (), "", body_start, body_line)
    handler = _Handler(_read_yaml if is_yaml else _read_toml)
    try:
        if len(block) > MAX_BLOCK:
            raise _Refused(f"the block is longer than {MAX_BLOCK} characters", 1)  # noqa: TRY301 -- one way out
        metadata, _ = frontmatter.parse(f"{fence[:3]}\n{block}{fence[:3]}", handler=handler)
    except _Refused as refusal:
        if is_yaml and not _looks_like_mapping(block):
            return FrontMatter((), (), "", 0, 1)
        handler.report(f"{refusal.reason}; the block is left out", refusal.line)
        return FrontMatter((), tuple(handler.problems), block, body_start, body_line)
    if not handler.is_mapping:
        return FrontMatter((), (), "", 0, 1)
    return FrontMatter(_flat(metadata.values()), tuple(handler.problems), "", body_start, body_line)


def _says_nothing(block: str) -> bool:
    """Whether a block is blank or holds comments alone, which both notations begin with ``#``."""
    return all(not text or text.startswith("#") for text in map(str.strip, block.split("\n")))


def _flat(groups: Iterable[object]) -> tuple[Property, ...]:
    """Return all properties in order of the file."""
    found = [entry for group in groups if isinstance(group, list) for entry in group]
    return tuple(sorted(found, key=lambda entry: entry.line))


def _never_closed(fence: str, rest: str) -> tuple[Problem, ...]:
    key_line = _KEY_LINE if fence == "---" else _TOML_KEY_LINE
    if not key_line.match(rest):
        return ()
    reason = f"Front matter is opened in line 1 and never closed; end it with a line {fence}."
    return (Problem("frontmatter", reason, 1),)


def _looks_like_mapping(block: str) -> bool:
    """Tell broken YAML from prose between two rules by the first line that says something."""
    for line in block.split("\n"):
        text = line.strip()
        if text and not text.startswith("#"):
            return text.startswith(("{", "? ")) or _KEY_LINE.match(text) is not None
    return False
