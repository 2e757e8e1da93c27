# ruff: noqa: RUF001 -- dates of many languages are meant
"""Which days does a text name, however a person writes them?

``5 January 2031``, ``Jan 5, 2031``, ``5. Januar 2031``, ``05.01.2031``, ``2031-1-5``, ``20310105``,
``2031年1月5日``. Only dates with a year of four digits count; ``January 2031`` and ``2031-01``
are a whole month. Where the order of two numbers cannot be
told (``5/1/2031``), either day is meant. ``parse.dates`` reads the single values of properties and is
stricter.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Final

from msgspec import Struct

from notesd.parse.calendar_words import MONTHS, WEEKDAYS

_AROUND: Final = 48
"""Characters before and behind a year that may belong to the date."""
_FOUR_DIGITS: Final = re.compile(r"\d{4}")
_YEAR: Final = re.compile(r"(?<!\d)(?:1[6-9]|20|21)\d\d(?!\d)")
_COMPACT: Final = re.compile(r"(?<![\w.,-])((?:1[6-9]|20|21)\d\d)(\d\d)(\d\d)(?![\w.,]\d|\d)")
_LINK: Final = r"(?:\s+(?:of|de|del|di|d)\b)?"
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|re|º|ª|°|\.|-?го|e)?"
_DAY_MONTH: Final = re.compile(
    rf"(?<![\d.,])(?:the\s+)?{_DAY}{_LINK}[\s-]{{1,3}}(?P<month>[^\W\d_]{{3,13}})\.?,?{_LINK}[\s-]{{1,3}}\Z"
)
_MONTH_DAY: Final = re.compile(
    r"(?<![^\W\d_])(?P<month>[^\W\d_]{3,13})\.?\s{1,3}(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?,?\s{1,3}\Z"
)
_NUMBERS: Final = re.compile(r"(?<![\d.,/-])(?P<one>\d{1,2})(?P<sign>[./-])\s?(?P<two>\d{1,2})(?P=sign)\s?\Z")
_BEHIND: Final = re.compile(r"(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?!\d)")
_CJK: Final = re.compile(
    r"\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日号號일]"
    r"(?:\s?[(（]?(?:星期|周|週)?[一二三四五六日月火水木金土월화수목금토일](?:曜日|요일)?[)）])?"
)
_WEEKDAY: Final = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{2,13})(?:-feira)?\.?,?\s{1,3}(?:(?:el|le|den|der|the|dnia)\s+)?\Z"
)
_TAIL: Final = re.compile(r"\s{0,2}(?:г\b\.?|года\b|r\b\.?|roku\b)")
_MONTH: Final = re.compile(rf"(?<![^\W\d_])(?P<month>[^\W\d_]{{3,13}})\.?,?{_LINK}\s{{1,3}}\Z")
_MONTH_BEHIND: Final = re.compile(r"-(?P<month>0[1-9]|1[0-2])(?![\w.,/-]*\d)")


class WrittenDay(Struct, frozen=True, gc=False):
    """A date in a text."""

    start: int
    end: int
    """Place in the text, the end exclusive."""
    days: tuple[str, ...]
    """What it may mean, a day or a month in ISO 8601; never empty."""


def written_days(text: str) -> Iterator[WrittenDay]:
    """Yield the dates of a text in their order; none overlap."""
    if not _FOUR_DIGITS.search(text):
        return
    plain = _plain(text)
    end = 0
    for year in sorted([*_YEAR.finditer(plain), *_COMPACT.finditer(plain)], key=re.Match.start):
        found = _compact(year) if year.re is _COMPACT else _around(plain, year)
        if found and found.start >= end:
            end = found.end
            yield found


def day_token(day: str) -> str:
    """Return the word that stands for a day in the index."""
    return f"day{day.replace('-', '')}"


def _plain(text: str) -> str:
    """Return a text in small letters without accents, character for character."""
    if text.isascii():
        return text.lower()
    return text.translate(_BASES)


class _Bases(dict[int, str]):
    """Characters and what each is without accents; a character is looked at once."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _base(chr(code))
        return found


_BASES: Final = _Bases()


def _base(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if "\uac00" <= letter <= "\ud7a3":  # a Korean syllable is no letter with an accent
        return letter
    bare = unicodedata.normalize("NFD", letter.lower())[:1]
    return bare if len(bare) == 1 else letter


def _compact(found: re.Match[str]) -> WrittenDay | None:
    days = _days(found[1], found[2], found[3])
    return WrittenDay(found.start(), found.end(), days) if days else None


def _around(text: str, year: re.Match[str]) -> WrittenDay | None:
    """Read the date that a year belongs to."""
    start, end = year.span()
    before, behind = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    for way in (_CJK, _BEHIND):
        if found := way.match(behind):
            days = _days(year[0], found["month"], found["day"])
            return WrittenDay(start, end + found.end(), days) if days else None
    for way in (_DAY_MONTH, _MONTH_DAY):
        if (found := way.search(before)) and (month := MONTHS.get(found["month"])):
            days = _days(year[0], str(month), found["day"])
            return _whole(text, start - len(before) + found.start(), end, days)
    if found := _NUMBERS.search(before):
        one, two = found["one"], found["two"]
        days = _days(year[0], two, one)
        if found["sign"] != ".":
            days = tuple(dict.fromkeys((*days, *_days(year[0], one, two))))
        return _whole(text, start - len(before) + found.start(), end, days)
    return _month(year, before, behind)


def _month(year: re.Match[str], before: str, behind: str) -> WrittenDay | None:
    """Read a year and its month."""
    start, end = year.span()
    if (found := _MONTH.search(before)) and (month := MONTHS.get(found["month"])):
        start -= len(before) - found.start()
    elif found := _MONTH_BEHIND.match(behind):
        month, end = int(found["month"]), end + found.end()
    else:
        return None
    return WrittenDay(start, end, (f"{year[0]}-{month:02}",))


def _whole(text: str, start: int, end: int, days: tuple[str, ...]) -> WrittenDay | None:
    """Take in the day of the week before a date, and what some languages write behind a year."""
    if not days:
        return None
    weekday = _WEEKDAY.search(text[max(0, start - _AROUND) : start])
    if weekday and weekday[1] in WEEKDAYS:
        start = start - len(text[max(0, start - _AROUND) : start]) + weekday.start()
    tail = _TAIL.match(text, end)
    return WrittenDay(start, tail.end() if tail else end, days)


def _days(year: str, month: str, day: str) -> tuple[str, ...]:
    try:
        return (date(int(year), int(month), int(day)).isoformat(),)
    except ValueError:
        return ()
