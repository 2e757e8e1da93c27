"""Which stretch of time is meant by a range like ``2024-05..2025``, or by ``last week``?"""

import re
from calendar import monthrange
from datetime import date, datetime, time, timedelta
from typing import Final

from msgspec import Struct


class DateRange(Struct, frozen=True, gc=False):
    """A stretch of time in local ISO notation; compares with ISO texts letter by letter."""

    start: str | None
    """First moment in it, a day or a time; None: open."""
    end: str | None
    """First moment after it; None: open."""


_MOMENT: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d))?)?)?)?", re.ASCII)
_AGO: Final = re.compile(r"(\d{1,4})([dwmy])", re.ASCII)
_NEAR: Final = {"yesterday": -1, "today": 0, "tomorrow": 1}
_PERIOD: Final = re.compile(r"(this|last|next)[ _-](week|month|year)")


def parse_range(text: str, today: date | None = None) -> DateRange | None:
    """Understand ``A..B`` with either side open, or one year, month, day or time; else None.

    Days that no calendar has, and ranges that end before they start, are None.

    Args:
        text: Dates, or, in any case, ``today``, ``yesterday``, ``tomorrow``, ``this week``, ``last month``,
            ``next year`` and the like, with a blank or a hyphen; ``7d``, ``2w``, ``3m``,
            ``1y`` ago: by itself from that day until today, as a side of a range that day.
        today: The day from which words count; None: words are no dates.
    """
    if today and _AGO.fullmatch(text.strip().lower()):
        text = f"{text}..{today}"
    before, dots, after = text.strip().partition("..")
    first, last = before.strip(), (after if dots else before).strip()
    if not first and not last:
        return None
    lower, upper = _moments(first, today), _moments(last, today)
    if (first and lower is None) or (last and upper is None):
        return None
    start = lower[0] if lower else None
    end = upper[1] if upper else None
    if start is not None and end is not None and start >= end:
        return None
    return DateRange(start, end) if start is not None or end is not None else None


def _moments(text: str, today: date | None) -> tuple[str, str | None] | None:
    """Return the first moment of a year, month, day or time and the first one after it."""
    if today and (meant := _in_words(text.lower(), today)):
        return meant
    found = _MOMENT.fullmatch(text)
    if not found:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups())
    try:
        start = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0)  # noqa: DTZ001 - days of a calendar, no zone
    except ValueError:
        return None
    try:
        if month is None:
            end = start.replace(year=start.year + 1)
        elif day is None:
            end = (start + timedelta(days=31)).replace(day=1)
        elif hour is None:
            end = start + timedelta(days=1)
        else:
            end = start + (timedelta(minutes=1) if second is None else timedelta(seconds=1))
    except (ValueError, OverflowError):
        return _iso(start, timed=hour is not None), None
    return _iso(start, timed=hour is not None), _iso(end, timed=hour is not None)


def _in_words(text: str, today: date) -> tuple[str, str | None] | None:
    """Return the same for a text that counts from today; None: it is none, or no calendar goes so far."""
    try:
        if text in _NEAR:
            return _days(today + timedelta(days=_NEAR[text]), days=1)
        if ago := _AGO.fullmatch(text):
            return _days(_before(today, int(ago[1]), ago[2]), days=1)
        if period := _PERIOD.fullmatch(text):
            back = {"this": 0, "last": 1, "next": -1}[period[1]]
            if period[2] == "week":
                return _days(today - timedelta(days=today.weekday() + 7 * back), days=7)
            first = _before(today.replace(day=1), back, period[2][0])
            return _moments(first.isoformat()[: 7 if period[2] == "month" else 4], None)
    except (ValueError, OverflowError):
        pass
    return None


def _days(first: date, *, days: int) -> tuple[str, str]:
    return first.isoformat(), (first + timedelta(days=days)).isoformat()


def _before(day: date, many: int, unit: str) -> date:
    """Go back by days, weeks, months or years; where the month is shorter, to its last day."""
    if unit in "dw":
        return day - timedelta(days=many * (7 if unit == "w" else 1))
    years, month = divmod(day.year * 12 + day.month - 1 - many * (12 if unit == "y" else 1), 12)
    return date(years, month + 1, min(day.day, monthrange(years, month + 1)[1]))


def _iso(moment: datetime, *, timed: bool) -> str:
    """Write a moment; midnight is written as its day, which compares as less than any time of it."""
    timed = timed and moment.time() != time.min
    return moment.isoformat(timespec="seconds") if timed else moment.date().isoformat()


def both(one: DateRange | None, other: DateRange) -> DateRange:
    """Return what lies in both ranges."""
    if one is None:
        return other
    starts = [start for start in (one.start, other.start) if start is not None]
    ends = [end for end in (one.end, other.end) if end is not None]
    return DateRange(max(starts, default=None), min(ends, default=None))
