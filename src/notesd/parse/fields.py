"""Which fields has a passage, and which of its links are typed? Dataview, list relations, page properties.

All of them are looked for in ``Reading.scan``, where links, code and escapes are single signs and marks
of emphasis are gone; so nothing in code or behind a backslash is ever taken for a field.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal

from notesd.parse.inline import LINK, OPAQUE, Found, Reading
from notesd.parse.tags import BREAK, is_name_sign
from notesd.parse.wikilinks import bare

Place = Literal["text", "item", "cell"]
"""Where a passage stands; in a cell (or heading) lines have no key, in an item there are relations."""

MAX_KEY = 100
"""Signs of a field's name; what is longer is a sentence."""
MAX_VALUE = 1_000
"""Signs of a field's value; what follows is text like any other."""
MAX_FIELDS_WITHIN = 8
"""Fields in brackets inside each other."""

_BRACKET = re.compile(r"[\[\]()\n]")
_TASK = re.compile(r"\[[^\[\]\n]\]\s")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]+\s*\Z")
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_CLOSING = {"]": "[", ")": "("}
_NO_TEXT = re.compile(f"[{LINK}{OPAQUE}{BREAK}]")
_PAGE_PROPERTY = re.compile(r"([\w/-]{1,100})::(?:[ \t]+(.*))?")


def relations(reading: Reading, place: Place) -> list[str | None]:
    """Return the relation of each link of a passage that has some, None for plain links and embeds."""
    names: list[str | None] = [None] * len(reading.links)
    if "::" in reading.scan:
        if place != "cell" and not (place == "item" and _TASK.match(reading.scan)):
            _line_fields(reading, names)
        _bracket_fields(reading, names)
    if place == "item" and names[0] is None:
        names[0] = _list_relation(reading.scan, reading.links[0])
    return [None if link.kind == "embed" else name for link, name in zip(reading.links, names, strict=True)]


def _line_fields(reading: Reading, names: list[str | None]) -> None:
    """Give the links of each line ``key:: ...`` its key."""
    start, number = 0, 0
    for line in reading.scan.split("\n"):
        end = start + len(line)
        first = number
        while number < len(names) and reading.links[number].at <= end:
            number += 1
        if number > first and "::" in line:
            key = _line_key(line, {link.at - start for link in reading.links[first:number]})
            if key:
                names[first:number] = [key] * (number - first)
        start = end + 1


def _line_key(line: str, links: set[int]) -> str | None:
    place = line.find("::")
    if place > MAX_KEY + 20:
        return None
    behind = place + 2
    while behind < len(line) and (line[behind] == BREAK or line.startswith("==", behind)):
        behind += 1
    # ``std::vector`` is no field: a blank, a link or nothing follows the colons.
    if (
        behind < len(line)
        and not line[behind].isspace()
        and line[behind] not in LINK + OPAQUE
        and behind not in links
    ):
        return None
    return field_key(line[:place])


def field_key(written: str) -> str | None:
    """Return the name of a field without the marks around it, None when it cannot be a name."""
    key = written.replace(BREAK, "").strip()
    for mark in ("%%", "=="):
        key = key.removeprefix(mark).removesuffix(mark).strip()
    if not key or len(key) > MAX_KEY:
        return None
    if not all(is_name_sign(sign) or sign in " \t/\u00a0" for sign in key) or not any(map(str.isalnum, key)):
        return None
    return key


def _bracket_fields(reading: Reading, names: list[str | None]) -> None:
    """Give the links inside ``[key:: ...]`` and ``(key:: ...)`` that key; the innermost wins."""
    places = [link.at for link in reading.links]
    taken: set[int] = set()
    for key, opened, closed in _bracketed(reading.scan):
        inside = range(bisect_right(places, opened), bisect_right(places, closed))
        for number in [each for each in inside if each not in taken]:
            names[number] = key
        taken.update(inside)


def _bracketed(scan: str) -> Iterator[tuple[str, int, int]]:
    """Yield key, opening and closing bracket of each field in brackets, the inner ones first."""
    stacks: dict[str, list[tuple[int, str | None]]] = {"[": [], "(": []}
    for found in _BRACKET.finditer(scan):
        sign, place = found[0], found.start()
        if sign == "\n":
            stacks = {"[": [], "(": []}
        elif sign in stacks:
            within = sum(key is not None for _, key in stacks[sign][-MAX_FIELDS_WITHIN:])
            key = _key_behind(scan, place) if within < MAX_FIELDS_WITHIN else None
            stacks[sign].append((place, key))
        elif stacks[_CLOSING[sign]]:
            opened, key = stacks[_CLOSING[sign]].pop()
            if key:
                yield key, opened, place


def inline_properties(reading: Reading, place: Place) -> Iterator[tuple[str, str]]:
    """Yield key and value of each field of a passage, links as ``[[wiki-links]]``."""
    scan, places = reading.scan, [link.at for link in reading.links]
    if place != "cell" and not (place == "item" and _TASK.match(scan)):
        start = 0
        for line in scan.split("\n"):
            if "::" in line:
                links = {places[each] - start for each in _between(places, start, start + len(line) + 1)}
                if key := _line_key(line, links):
                    yield key, _written(reading, places, start + line.index("::") + 2, start + len(line))
            start += len(line) + 1
    for key, opened, closed in _bracketed(scan):
        yield key, _written(reading, places, scan.index("::", opened) + 2, closed)


def _between(places: Sequence[int], start: int, end: int) -> range:
    return range(bisect_left(places, start), bisect_left(places, end))


def _written(reading: Reading, places: Sequence[int], start: int, end: int) -> str:
    """Return a part of ``Reading.scan``, at most ``MAX_VALUE`` of it, as far as it is text and links."""
    parts, at, end = [], start, min(end, start + MAX_VALUE)
    for each in _between(places, start, end):
        if reading.scan.startswith(LINK, places[each]):
            parts += [reading.scan[at : places[each]], f"[[{reading.links[each].raw}]]"]
            at = places[each] + 1
    return _NO_TEXT.sub("", "".join([*parts, reading.scan[at:end]])).strip().removesuffix("==").strip()


def _key_behind(scan: str, place: int) -> str | None:
    colons = scan.find("::", place, place + MAX_KEY + 20)
    return field_key(scan[place + 1 : colons]) if colons > 0 else None


def _list_relation(scan: str, link: Found) -> str | None:
    """Return the name in ``name [[T]]`` or ``name [[T]] (remark)``, when a list item is just that."""
    if not scan.startswith(LINK, link.at):
        return None
    head, tail = scan[: link.at], _BLOCK_ID.sub("", scan[link.at + 1 :]).strip()
    name = head.rstrip(" \t\u00a0")
    if not name or name == head or "\n" in head or (tail and not _is_remark(tail)):
        return None
    closing = _QUOTES.get(name[0])
    if closing:
        inner = name[1:-1].strip()
        fits = len(name) > 2 and name[-1] == closing  # noqa: PLR2004 -- two quotes and something
        return inner if fits and inner and not set(inner) & set('[]"' + LINK + OPAQUE + BREAK) else None
    return name if all(map(is_name_sign, name)) and any(map(str.isalnum, name)) else None


def _is_remark(tail: str) -> bool:
    """Say whether a text is one pair of parentheses with something balanced in it."""
    if not (tail.startswith("(") and tail.endswith(")")):
        return False
    depth = 0
    for place, sign in enumerate(tail):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place == len(tail) - 1
    return False


def page_properties(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the ``key:: value`` lines a Logseq page starts with; brackets around a value go."""
    begun = False
    for line in lines:
        if not line.strip() and not begun:
            continue
        found = _PAGE_PROPERTY.fullmatch(line.rstrip())
        if found is None:
            return
        begun = True
        yield found[1], bare((found[2] or "").strip())
