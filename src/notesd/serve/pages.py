"""Where does a long answer end, and how does the next one go on?

An answer that was cut says ``truncated: true`` and, as ``next``, the parameters that are to take the place of
those of the same name in the same request. The lists of all pages, one after the other, are the whole.
"""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct

from notesd.errors import InvalidParams, StaleCursor
from notesd.index.budget import Meter, OverBudget
from notesd.serve import wire
from notesd.serve.bounds import MOST_BYTES

_CURSOR = re.compile(r"([0-9]{1,6})\.([0-9]{1,9})\.([0-9a-f]{0,16})")


_LARGE_ENTRY = 1 << 20
"""Bytes of one entry beyond which its texts and lists are cut."""
_TEXT_SHOWN, _ENTRIES_SHOWN = 1_000, 1_000
"""What is left of them then: characters of a text, entries of a list."""


def written(value: object) -> Raw:
    """One entry as it will be written; one that is larger than any person's note makes it, in a part.

    A dict of which something was cut says ``truncated``.
    """
    part = wire.encode_part(value)
    if len(bytes(part)) <= _LARGE_ENTRY:
        return part
    short = shortened(value)
    return wire.encode_part({**short, "truncated": True} if isinstance(short, dict) else short)


def shortened(value: object) -> object:
    """A value with long texts and long lists cut, at every depth."""
    if isinstance(value, str):
        return value if len(value) <= _TEXT_SHOWN else f"{value[:_TEXT_SHOWN]}…"
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(one) for one in value[:_ENTRIES_SHOWN]]
    return value


def fitted(items: Iterable[object], most_bytes: int = MOST_BYTES) -> list[Raw]:
    """As many of the first items as fit into an answer, at least one, as they will be written."""
    found: list[Raw] = []
    size = 0
    for item in items:
        part = written(item)
        size += len(bytes(part)) + 1
        if found and size > most_bytes:
            break
        found.append(part)
    return found


def with_results_fitted(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with as many of its ``results`` as fit."""
    results = fitted(answer["results"])
    cut = len(results) < len(answer["results"])
    return {**answer, "results": results, **({"truncated": True} if cut else {})}


class Cursor(Struct, frozen=True):
    """Where a page begins."""

    part: int = 0
    """Which of the things that were asked about, from 0."""
    place: int = 0
    """So many entries of it are on earlier pages."""
    state: str = ""
    """What it was like then, in hexadecimal; empty: nothing of it was shown yet."""

    def told(self) -> dict[str, str]:
        """The parameter that asks for the page."""
        return {"cursor": f"{self.part}.{self.place}.{self.state}"}

    def see_it_holds(self, state: str) -> None:
        """See to it that the pages before were of what is there now.

        Raises:
            StaleCursor: They were not.
        """
        if self.state not in ("", state):
            raise StaleCursor("what the earlier pages are of has changed; ask again from the first page")


def cursor_of(text: str | None) -> Cursor:
    """Read the parameter of a request; None: the first page.

    Raises:
        InvalidParams: It is none of ours.
    """
    if text is None:
        return Cursor()
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise InvalidParams('the parameter "cursor" has to be one that an answer gave', param="cursor")
    return Cursor(int(found[1]), int(found[2]), found[3])


class Entry(Struct, frozen=True):
    """One entry of a list of an answer."""

    list: str
    value: object
    chars: int = 0
    """Characters of text that a person reads in it."""


class Room(Struct, frozen=True):
    """What still fits into an answer."""

    items: int
    bytes: int = MOST_BYTES
    chars: int | None = None
    """None: as many as there are bytes for."""

    def less(self, taken: "Taken") -> "Room":
        """What is left of it."""
        chars = None if self.chars is None else self.chars - taken.chars
        return Room(self.items - len(taken.entries), self.bytes - taken.bytes, chars)


class Taken(Struct, frozen=True):
    """What one thing that was asked about adds to a page."""

    entries: list[tuple[str, Raw]]
    """Name of the list, and the entry as it will be written."""
    bytes: int
    chars: int
    whole: bool
    """Nothing of it is left for a later page."""

    def lists(self, names: Iterable[str]) -> dict[str, list[Raw]]:
        """The entries of each list."""
        return {name: [value for own, value in self.entries if own == name] for name in names}


def take(entries: Iterable[Entry], room: Room, meter: Meter, *, begins: bool) -> Taken:
    """Take as many entries as fit and may be afforded.

    Args:
        entries: Those that are not on earlier pages; costly ones are best made one by one.
        room: What fits.
        meter: What it may cost.
        begins: The page has nothing yet, so that it gets one entry whatever its size.

    Raises:
        OverBudget: It may cost no more, and not one entry is there.
    """
    taken: list[tuple[str, Raw]] = []
    size = chars = 0
    try:
        for entry in entries:
            part = written(entry.value)
            more = len(bytes(part)) + 1
            full = len(taken) >= room.items or size + more > room.bytes
            full = full or (room.chars is not None and chars + entry.chars > max(0, room.chars))
            if full and (taken or not begins):
                return Taken(taken, size, chars, whole=False)
            taken.append((entry.list, part))
            size, chars = size + more, chars + entry.chars
            meter.check()
    except OverBudget:
        if not taken:
            raise
        return Taken(taken, size, chars, whole=False)
    return Taken(taken, size, chars, whole=True)


def ended(answer: dict[str, Any], following: Cursor | None) -> dict[str, Any]:
    """An answer with word of how it goes on, if it does."""
    return {**answer, "truncated": True, "next": following.told()} if following else answer
