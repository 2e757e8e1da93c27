"""Which properties does a note have, for filters to compare: keys, and values one by one?

A property may stand in front matter or in a field of the text. Its value counts as its writer sees it; a
list as its entries, a link as what it shows and the note it names, a mapping by the keys inside it.
"""

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from notesd.parse.characters import fold_name
from notesd.parse.dates import parse_date
from notesd.parse.frontmatter import Value
from notesd.parse.wikilinks import read_brackets

MOST_VALUES: Final = 1_000
"""Values of one note that count."""
LONGEST_VALUE: Final = 200
"""Characters of a value that count."""
_LONGEST_KEY: Final = 200
_MOST_PARTS: Final = 50
"""Parts of a text with commas between them."""

ELSEWHERE: Final = frozenset({"title", "alias", "aliases", "tag", "tags", "type", "created"})
"""Keys whose values are remembered as facts of the note, with filters of their own."""

_NUMBER: Final = re.compile(
    r"[$€£¥]?\s?(?P<sign>[+-]?)(?P<whole>0|[1-9]\d{0,2}(?:,\d{3}){1,4}(?!\d)|[1-9]\d{0,14})(?:[.,](?P<part>\d{1,12}))?\s?[%$€£¥]?",
    re.ASCII,
)
_MONTH: Final = re.compile(r"([12]\d{3})(?:-(0[1-9]|1[0-2]))?", re.ASCII)
_SAID: Final = {
    **dict.fromkeys(("true", "yes", "on"), "true"),
    **dict.fromkeys(("false", "no", "off"), "false"),
}


class Comparable(NamedTuple):
    """What of one value is compared."""

    text: str
    """Folded; a number or a yes or no always written the same way."""
    number: float | None
    """None: it is none."""
    day: str | None
    """The day, or the time, in ISO 8601, of a month or a year the first one; None: it is no date."""


class Wanted(Struct, frozen=True):
    """What somebody asks of a property: that one of its values is one of some texts, or lies in a range."""

    key: str
    """Folded."""
    texts: tuple[str, ...] = ()
    """As ``Comparable`` has them."""
    numbers: tuple[float, float] | None = None
    """Both ends are in the range; None: numbers are not asked for."""
    days: tuple[str, str] | None = None
    """The second one is the first that is not in the range."""
    between: tuple[str, str] | None = None
    """The same for texts that are neither numbers nor dates; the empty one never is."""
    words: bool = False
    """Where no note has the text itself, values will do in which it stands as words."""


def fold_key(key: str) -> str:
    """Write a key the one way the index knows: without case and accents; ``-`` and ``_`` are blanks."""
    return fold_name(key.replace("-", " ").replace("_", " "))[:_LONGEST_KEY]


@lru_cache(maxsize=1 << 14)
def comparable(value: str) -> Comparable:
    """Say what of a value is compared; whatever the value, it never raises."""
    text = fold_name(value[:LONGEST_VALUE])
    if text[:1].isalpha() and text in _SAID:
        return Comparable(_SAID[text], None, None)
    number = read_number(text)
    if number is not None:
        text = str(int(number)) if number.is_integer() else repr(number)
    return Comparable(text, number, _day(value.strip()) if any(map(str.isdecimal, text)) else None)


def read_number(text: str) -> float | None:
    """Read a number with decimals after a point or a comma; signs of money and per cent do not matter.

    None: it is none, or one that begins with 0 as codes do, or has more digits than numbers have.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    number = float(f"{found['sign']}{found['whole'].replace(',', '')}.{found['part'] or 0}")
    return number if math.isfinite(number) else None


def _day(text: str) -> str | None:
    if found := _MONTH.fullmatch(text):
        return f"{found[1]}-{found[2] or '01'}-01"
    return parse_date(text)


def properties(pairs: Iterable[tuple[str, Value]]) -> tuple[tuple[str, str], ...]:
    """Return key and value of each property, as written, each once; a value that is nothing is empty.

    Args:
        pairs: Of front matter and of fields, in the order of the file.
    """
    found: dict[tuple[str, str], None] = {}
    for key, value in pairs:
        name = key.strip()
        if not name or name.casefold() in ELSEWHERE:
            continue
        for inner, text in _each(name, value):
            for part in _values(text):
                if len(found) >= MOST_VALUES:
                    return tuple(found)
                found[inner[:_LONGEST_KEY], part[:LONGEST_VALUE]] = None
    return tuple(found)


def _each(key: str, value: Value) -> Iterator[tuple[str, str]]:
    """Yield every text of a value; what stands within a mapping has its key behind a dot."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for entry in value:
            yield from _each(key, entry)
    elif isinstance(value, dict):
        for inner, entry in value.items():
            yield from _each(f"{key}.{inner.strip()}", entry)
    else:
        yield key, ""


def _values(text: str) -> Iterator[str]:
    """Yield what a text says as a value: itself, and its parts where links or commas part it."""
    text = " ".join(text[: 5 * LONGEST_VALUE].split())
    if "[[" in text:
        text, targets = _shown(text)
        yield text
        yield from targets
    else:
        yield text
    if ", " in text:
        yield from filter(None, (part.strip() for part in text.split(",", _MOST_PARTS)))


def _shown(text: str) -> tuple[str, list[str]]:
    """Return a text as a reader sees it, and the names of the notes that it links to."""
    shown, names, at = [], [], 0
    while (start := text.find("[[", at)) >= 0:
        found = read_brackets(text, start, len(text))
        if found is None:
            shown.append(text[at : start + 2])
            at = start + 2
            continue
        shown += [text[at:start].removesuffix("!"), found.shown]
        name = found.target.rpartition("/")[2].removesuffix(".md")
        names += [name] if name else []
        at = found.end
    return "".join([*shown, text[at:]]), names
