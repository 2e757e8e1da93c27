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

from notesd.parse.calendar_words import MONTHS, WEEKDAYS, WITH_A_DAY
from notesd.parse.characters import split_letters

_AROUND: Final = 48
"""Characters before and behind a year that may belong to the date."""
_LONGEST_TAIL: Final = 12
"""Characters that are looked at behind a date; more than any ``_TAIL`` has."""
_SIGNS: Final = frozenset("./-")
"""What stands between the numbers of a date."""
_DIGITS: Final = re.compile(r"\d\d{3,}")
_YEAR: Final = re.compile(r"(?:1[6-9]|20|21)\d\d")
_COMPACT: Final = re.compile(r"(?<![\w.,-])((?:1[6-9]|20|21)\d\d)(\d\d)(\d\d)(?![\w.,]\d|\d)")
_LINK: Final = r"(?:\s+(?:of|de|del|di|d)\b)?"
_GAP: Final = r"['’\s.-]{1,3}"
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|re|º|ª|°|\.|-?го|e)?"
_DAY_MONTH: Final = re.compile(
    rf"(?<![\d.,])(?:the\s+)?{_DAY}{_LINK}{_GAP}(?P<month>[^\W\d_]{{3,13}})\.?,?{_LINK}[\s.-]{{1,3}}\Z"
)
_GLUED: Final = re.compile(r"(?<![\w.,-])(?P<day>\d{1,2})(?P<month>[^\W\d_]{3,13})\Z")
_VIETNAMESE: Final = re.compile(
    r"(?<![\w.,-])(?:ngay\s)?(?P<day>\d{1,2})\sthang\s(?P<month>\d{1,2})(?:,|\snam)?\s\Z"
)
_MONTH_DAY: Final = re.compile(
    r"(?<![^\W\d_])(?P<month>[^\W\d_]{3,13})\.?\s{1,3}(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?,?\s{1,3}\Z"
)
_NUMBERS: Final = re.compile(r"(?<![\d.,/-])(?P<one>\d{1,2})(?P<sign>[./-])\s?(?P<two>\d{1,2})(?P=sign)\s?\Z")
_BEHIND: Final = re.compile(
    r"(?P<sign>[-/.])(?:(?<=\.)\s)?(?P<month>\d{1,2})(?P=sign)(?:(?<=\.)\s)?(?P<day>\d{1,2})(?!\d)"
)
_MONTH_DAY_BEHIND: Final = re.compile(
    r"(?:\.|\sm\.|\. gada)?\s(?P<month>[^\W\d_]{3,13})\.?\s(?P<day>\d{1,2})(?!\d|[.:,]\d)(?:\.|\sd\.)?"
)
_CJK: Final = re.compile(
    r"\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日号號일]"
    r"(?:\s?[(（]?(?:星期|周|週)?[一二三四五六日月火水木金土월화수목금토일](?:曜日|요일)?[)）])?"
)
_WEEKDAY: Final = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{2,14})(?:-feira)?\.?,?\s{1,3}(?:(?:el|le|den|der|the|dnia)\s+)?\Z"
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


_SHORT_YEAR: Final = re.compile(
    r"(?<![\w.,/-])(?P<one>\d{1,2})(?P<sign>[./-])(?P<two>\d{1,2})(?P=sign)(?P<year>\d\d)(?![\w/-]|[.,]\w)"
)
_LAST_OF_2000: Final = 68
"""Of two digits, what POSIX takes for a year after 2000."""


def short_days(text: str) -> Iterator[WrittenDay]:
    """Yield the dates of a text whose years have two digits (``5.1.31``); versions look the same."""
    for found in _SHORT_YEAR.finditer(text):
        year = f"{20 if int(found['year']) <= _LAST_OF_2000 else 19}{found['year']}"
        days = _days(year, found["two"], found["one"])
        if found["sign"] != ".":
            days = tuple(dict.fromkeys((*days, *_days(year, found["one"], found["two"]))))
        if days:
            yield WrittenDay(*found.span(), days)


def written_days(text: str) -> Iterator[WrittenDay]:
    """Yield the dates of a text in their order; none overlap."""
    end = 0
    for digits in _DIGITS.finditer(text):
        found = _read(text, *digits.span())
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


_ALIKE: Final = {"ı": "i", "ł": "l", "đ": "d", "ς": "σ"}


def _base(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if "\uac00" <= letter <= "\ud7a3":  # a Korean syllable is no letter with an accent
        return letter
    bare = _ALIKE.get(letter) or unicodedata.normalize("NFD", letter.lower())[:1]
    return bare if len(bare) == 1 else letter


def _read(text: str, start: int, end: int) -> WrittenDay | None:
    """Read the date whose year, or all of which, some digits are that stand side by side."""
    digits = _plain(text[start:end])
    if _YEAR.fullmatch(digits):
        return _around(text, digits, start, end)
    first = max(0, start - 1)
    found = _COMPACT.match(_plain(text[first : end + 2]), start - first)
    days = _days(found[1], found[2], found[3]) if found else ()
    return WrittenDay(start, end, days) if days else None


def _around(text: str, year: str, start: int, end: int) -> WrittenDay | None:
    """Read the date that a year belongs to."""
    before, behind = _plain(text[max(0, start - _AROUND) : start]), _plain(text[end : end + _AROUND])
    for way in (_CJK, _BEHIND):
        if found := way.match(behind):
            days = _days(year, found["month"], found["day"])
            return WrittenDay(start, end + found.end(), days) if days else None
    names_a_month = not MONTHS.keys().isdisjoint(split_letters(before))
    for way in (_DAY_MONTH, _MONTH_DAY, _GLUED) if names_a_month else ():
        if (found := way.search(before)) and (month := MONTHS.get(found["month"])):
            days = _days(year, str(month), found["day"])
            return _whole(text, start - len(before) + found.start(), end, days)
    if "thang" in before and (found := _VIETNAMESE.search(before)):
        days = _days(year, found["month"], found["day"])
        return _whole(text, start - len(before) + found.start(), end, days)
    if before.rstrip()[-1:] in _SIGNS and (found := _NUMBERS.search(before)):
        one, two = found["one"], found["two"]
        days = _days(year, two, one)
        if found["sign"] != ".":
            days = tuple(dict.fromkeys((*days, *_days(year, one, two))))
        return _whole(text, start - len(before) + found.start(), end, days)
    if (found := _MONTH_DAY_BEHIND.match(behind)) and (month := MONTHS.get(found["month"])):
        return _whole(text, start, end + found.end(), _days(year, str(month), found["day"]))
    if names_a_month and (found := _MONTH.search(before)) and (month := _alone(found["month"])):
        start -= len(before) - found.start()
    elif found := _MONTH_BEHIND.match(behind):
        month, end = int(found["month"]), end + found.end()
    else:
        return None
    return WrittenDay(start, end, (f"{year}-{month:02}",))


def _alone(name: str) -> int | None:
    """Return the number of a month that stands without a day."""
    return MONTHS.get(name) if name not in WITH_A_DAY else None


def _whole(text: str, start: int, end: int, days: tuple[str, ...]) -> WrittenDay | None:
    """Take in the day of the week before a date, and what some languages write behind a year."""
    if not days:
        return None
    before = _plain(text[max(0, start - _AROUND) : start])
    weekday = _WEEKDAY.search(before)
    if weekday and weekday[1] in WEEKDAYS:
        start -= len(before) - weekday.start()
    tail = _TAIL.match(_plain(text[end : end + _LONGEST_TAIL]))
    return WrittenDay(start, end + tail.end() if tail else end, days)


def _days(year: str, month: str, day: str) -> tuple[str, ...]:
    try:
        return (date(int(year), int(month), int(day)).isoformat(),)
    except ValueError:
        return ()
