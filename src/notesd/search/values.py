"""What is asked for by the value of a property filter: ``active``, ``>3``, ``3..5``, ``today``?"""

import math
import re
import sys
from datetime import date
from typing import Final

from notesd.parse.characters import fold_name
from notesd.parse.dates import parse_date
from notesd.parse.properties import Wanted, comparable, read_number
from notesd.parse.wikilinks import bare
from notesd.search.dates import DateRange, parse_range

_SIGN: Final = re.compile(r"(>=|<=|=>|=<|≥|≤|>|<|=)\s*(.*)", re.DOTALL)
_LEAST_NUMBER: Final = -sys.float_info.max
_MOST_NUMBER: Final = sys.float_info.max
_LAST: Final = "\U0010ffff"
"""Greater than every text."""
_NEXT: Final = "\x01"
"""A text with this behind it is the first one that is greater than the text itself."""


def wanted(key: str, typed: str, today: date | None) -> Wanted | None:
    """Understand a value; None: it asks for nothing.

    Args:
        key: As the index knows it.
        typed: The value.
        today: The day from which words for dates count; None: they are no dates.
    """
    value = typed.strip()
    if value == "*":
        return Wanted(
            key, numbers=(_LEAST_NUMBER, _MOST_NUMBER), days=("", _LAST), between=("", _LAST)
        )  # fmt: skip
    if sign := _SIGN.fullmatch(value):
        return _compared(key, sign[1], sign[2].strip(), today) if sign[2].strip() else None
    if ".." in value and (ranged := _range(key, value, today)):
        return ranged
    if value.endswith("*") and (begins := fold_name(value.rstrip("*"))):
        return Wanted(key, between=(begins, begins + _LAST))
    value = bare(value).rpartition("/")[2] if value.startswith("[[") else value
    text = comparable(value).text
    return Wanted(key, (text,), days=_days(value, today), words=True) if text else None


def _compared(key: str, sign: str, value: str, today: date | None) -> Wanted | None:
    """Understand a value behind ``>``, ``<``, ``=`` and the like."""
    above, itself = ">" in sign or sign == "≥", sign not in {">", "<"}
    if sign == "=":
        text = comparable(value).text
        return Wanted(key, (text,)) if text else None
    text, number, span = fold_name(value), read_number(fold_name(value)), _span(value, today)
    numbers = days = between = None
    if number is not None and above:
        numbers = (number if itself else math.nextafter(number, math.inf), _MOST_NUMBER)
    elif number is not None:
        numbers = (_LEAST_NUMBER, number if itself else math.nextafter(number, -math.inf))
    if span and above:
        days = ((span.start if itself else span.end) or _LAST, _LAST)
    elif span:
        days = ("", (span.end if itself else span.start) or _LAST)
    if number is None and span is None and above:
        between = (text if itself else text + _NEXT, _LAST)
    elif number is None and span is None:
        between = ("", text + _NEXT if itself else text)
    return Wanted(key, numbers=numbers, days=days, between=between)


def _range(key: str, value: str, today: date | None) -> Wanted | None:
    """Understand ``A..B`` between numbers or dates; None: it is none."""
    first, _, last = (part.strip() for part in value.partition(".."))
    if not first and not last:
        return None
    low = read_number(fold_name(first)) if first else _LEAST_NUMBER
    high = read_number(fold_name(last)) if last else _MOST_NUMBER
    numbers = (low, high) if low is not None and high is not None and low <= high else None
    days = _days(value, today)
    return Wanted(key, numbers=numbers, days=days) if numbers or days else None


def _days(value: str, today: date | None) -> tuple[str, str] | None:
    span = parse_range(value, today) or (None if ".." in value else _span(value, today))
    return (span.start or "", span.end or _LAST) if span else None


def _span(value: str, today: date | None) -> DateRange | None:
    """Return the days of one date, in any of the forms that a value may have; not those of a range."""
    if ".." in value:
        return None
    first = parse_range(f"{value}..", today)
    last = parse_range(f"..{value}", today)
    if first and last:
        return DateRange(first.start, last.end)
    day = parse_date(value)
    return parse_range(day[:10]) if day else None
