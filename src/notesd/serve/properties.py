"""Which properties can be asked for, and what are their values? As the protocol lists them."""

from collections.abc import Iterator
from typing import Any, Final

from notesd.index import properties
from notesd.index.store import Reader
from notesd.parse.properties import fold_key
from notesd.resolve.find import nearest
from notesd.serve.pages import Entry
from notesd.space.space import Space

LISTED: Final = ("properties", "values")
_MOST_COMMON: Final = 5
"""Values that stand beside each property."""


def entries(reader: Reader, space: Space, name: str | None) -> Iterator[Entry]:
    """What a space has for the lists ``LISTED``.

    Args:
        reader: The index.
        space: Whose index it is.
        name: One property, of which all values are listed; None: all of them, each with its commonest values.
    """
    for key in sorted(properties.keys(reader)) if name is None else (fold_key(name),):
        if one := properties.counted(reader, key):
            facts: dict[str, Any] = {"name": one.name, "notes": one.notes, "values": one.values}
            common = properties.most_common(reader, key, _MOST_COMMON)
            yield Entry("properties", {"space": space.name, **facts, "commonest": list(_told(common))})
    if name is not None:
        for row in _told(properties.most_common(reader, fold_key(name))):
            yield Entry("values", {"space": space.name, "name": name, **row})


def _told(values: Iterator[tuple[str, int]]) -> Iterator[dict[str, Any]]:
    return ({"value": value, "notes": number} for value, number in values)


def unknown(name: str, keys: frozenset[str]) -> dict[str, Any]:
    """What is said of a property that no note has, as an entry of ``degraded``."""
    near = nearest(fold_key(name), keys)
    reason = f'no note has a property "{name[:200]}"' + (f"; nearest: {', '.join(near)}" if near else "")
    return {"channel": "filter", "filter": "property", "value": name, "nearest": near, "reason": reason}
