"""What did the model mean by the arguments that it wrote?

What models write instead of an argument's name or kind is taken. What nobody can understand is refused,
with the nearest that can be.
"""

from __future__ import annotations

import json

from notesd.mcp.tools import INSTEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from notesd.mcp.tools import Tool

_SHOWN = 60
"""Characters of a wrong value that an error repeats."""


class Wrong(Exception):
    """An argument that cannot be used; the sentence is for the model, which can try again."""


class NoNote(Wrong):
    """No note, or more than one, is called so."""


def read(tool: Tool, given: object) -> dict[str, Any]:
    """Return the arguments of a call by their own names, each of its own kind.

    Args:
        tool: Whose arguments they are.
        given: As they came.

    Raises:
        Wrong: One of them is unknown, missing, of the wrong kind or out of range.
    """
    given = _decoded(given) if isinstance(given, str) else given
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise Wrong(f"the arguments of {tool.name} have to be an object with {_named(tool.takes)}")
    found: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        own = _meant(tool, name, given)
        read_ = _value(own, tool.takes[own], value)
        if own in found and found[own] != read_:
            raise Wrong(f'"{own}" is given twice, as {_shown(found[own])} and as "{name}": {_shown(read_)}')
        found[own] = read_
    for name in tool.needs:
        if name not in found:
            raise Wrong(f'{tool.name} needs "{name}"; it takes {_named(tool.takes)}')
    return found


def near(word: str, known: Iterable[str]) -> str:
    """Say which known word is the nearest to a wrong one, or which there are."""
    import difflib  # noqa: PLC0415 - only needed when something is wrong

    names = list(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"there is {_named(names)}"


def _meant(tool: Tool, name: str, given: dict[str, Any]) -> str:
    """Return the argument that a name stands for."""
    if name in tool.takes:
        return name
    for own in tool.takes:
        if own not in given and name in INSTEAD.get(own, ()):
            return own
    for own in tool.takes:  # it is there by its own name, too
        if name in INSTEAD.get(own, ()):
            return own
    raise Wrong(f'{tool.name} takes no "{name[:_SHOWN]}": {near(name[:_SHOWN], tool.takes)}')


def _value(name: str, schema: dict[str, Any], value: object) -> object:
    kind = schema["type"]
    if kind == "integer":
        return _number(name, schema, value)
    if kind == "array":
        value = _decoded(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
        texts = value if isinstance(value, list) else [value]
        return [_text(name, one) for one in texts]
    if kind == "object":
        return _pairs(name, _decoded(value) if isinstance(value, str) else value)
    if isinstance(value, str) and value.lstrip().startswith('["'):
        value = _decoded(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return _text(name, value)


def _pairs(name: str, value: object) -> dict[str, list[str]]:
    """Read properties, each with its value or values."""
    if not isinstance(value, dict):
        raise Wrong(f'"{name}" has to be an object like {{"status": "active"}}, not {_shown(value)}')
    found = {}
    for key, wanted in value.items():
        every = wanted if isinstance(wanted, list) else [wanted]
        texts = (str(one).lower() if isinstance(one, bool) else one for one in every)
        found[key] = [_text(f"{name}.{key}", one) for one in texts]
    return found


def _number(name: str, schema: dict[str, Any], value: object) -> int:
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            value = None
    low, high = schema["minimum"], schema["maximum"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or value % 1:
        raise Wrong(f'"{name}" has to be a whole number from {low} to {high}')
    return int(value)


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise Wrong(f'"{name}" has to be a text, not {_shown(value)}')


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _named(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
