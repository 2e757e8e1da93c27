"""Which day or time does a text name?

Only forms that can be read in one way count: year first, a month by name, or seconds and milliseconds
since 1970. ``03/04/2024``, words and days that do not exist give nothing; there is no guess.
"""

import re
from datetime import UTC, date, datetime, timedelta, timezone

from notesd.parse.wikilinks import whole_wikilink

_TIME = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\.?)?"
    r"(?:\s?(?P<zone>z|(?:utc|gmt)?[+-]\d\d(?::?\d\d)?|utc|gmt))?(?:\s\([^()]{1,60}\))?"
)
_ISO = re.compile(
    rf"(?P<year>\d{{4}})(?P<sign>[-/])(?P<month>\d{{1,2}})(?P=sign)(?P<day>\d{{1,2}})(?:(?:t|,?\s{{1,4}}){_TIME})?",
    re.IGNORECASE,
)
_COMPACT = re.compile(
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)"
    r"(?:[t_-]?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?(?P<zone>z|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAY = r"(?:(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\.?,?\s{1,4})?"
_YEAR = r"(?P<year>\d{4})"
_GAP = r"(?:,?\s{1,4}|-)"
_TAIL = rf"(?:,?\s{{1,4}}(?:at\s)?{_TIME})?"
_NAMED = tuple(
    re.compile(_WEEKDAY + order + _TAIL, re.IGNORECASE)
    for order in (
        rf"{_MONTH}{_GAP}{_DAY}{_GAP}{_YEAR}",
        rf"(?:the\s)?{_DAY}(?:\sof)?{_GAP}{_MONTH}{_GAP}{_YEAR}",
        rf"{_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}",
    )
)
_EPOCH = re.compile(r"(\d{9,10}|\d{12,13})(?:\.\d{1,9})?")
_LONGEST = 80
"""Signs; no form is longer, and the expressions above never see more."""


def parse_date(text: str) -> str | None:
    """Return a day or time in ISO 8601, None when the text is not surely one.

    A zone is kept as it was written, fractions of a second are dropped.
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    link = whole_wikilink(text)
    if link:
        text = link[0].target.rpartition("/")[2]
    for form in (_ISO, _COMPACT, *_NAMED):
        found = form.fullmatch(text)
        if found:
            moment = _moment(found.groupdict())
            if moment or form is not _COMPACT:
                return moment
    epoch = _EPOCH.fullmatch(text)
    return _since_1970(epoch[1]) if epoch else None


_IN_NAME = re.compile(r"(?<![\d.])(\d{4})([-_./ ]?)(\d\d)\2(\d\d)(?!\d)")


def day_in_name(name: str) -> str | None:
    """Return the day that a note's name begins with or holds, in ISO 8601; None when there is none."""
    for found in _IN_NAME.finditer(name):
        day = _moment({"year": found[1], "month": found[3], "day": found[4]})
        if day:
            return day
    return None


def _moment(parts: dict[str, str | None]) -> str | None:
    name = parts.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["month"] or 0)
    try:
        day = date(int(parts["year"] or 0), month, int(parts["day"] or 0))
    except ValueError:
        return None
    if parts.get("hour") is None:
        return day.isoformat()
    return _time_of(day, parts)


def _time_of(day: date, parts: dict[str, str | None]) -> str | None:
    hour, half = int(parts["hour"] or 0), parts.get("half")
    if half:
        if not 1 <= hour <= 12:  # noqa: PLR2004 -- the hours of a half day
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    elif parts.get("minute") is None:
        return None
    try:
        moment = datetime(  # noqa: DTZ001 -- a time without a zone stays one
            day.year, day.month, day.day, hour, int(parts.get("minute") or 0), int(parts.get("second") or 0)
        )
        return moment.isoformat() + _offset(parts.get("zone"))
    except ValueError:
        return None


def _offset(zone: str | None) -> str:
    """Return a zone as ISO 8601 writes it, empty for none.

    Raises:
        ValueError: An offset of a day or more, or of sixty minutes.
    """
    if not zone:
        return ""
    digits = zone.lower().removeprefix("utc").removeprefix("gmt").replace(":", "")
    if not digits or digits == "z":
        return "Z"
    hours, minutes = int(digits[1:3]), int(digits[3:] or 0)
    if minutes > 59:  # noqa: PLR2004 -- minutes of an hour
        raise ValueError(zone)
    timezone(timedelta(hours=hours, minutes=minutes))
    return f"{digits[0]}{hours:02}:{minutes:02}"


def _since_1970(digits: str) -> str:
    seconds = int(digits) // (1000 if len(digits) > 10 else 1)  # noqa: PLR2004 -- seconds have ten digits until 2286
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat() + "Z"
