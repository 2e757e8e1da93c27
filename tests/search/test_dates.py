"""Ranges of dates as people write them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.search.dates import DateRange, parse_range

RANGES = {
    "year": ("2024", ("2024-01-01", "2025-01-01")),
    "month": ("2024-05", ("2024-05-01", "2024-06-01")),
    "December": ("2024-12", ("2024-12-01", "2025-01-01")),
    "leap day": ("2024-02-29", ("2024-02-29", "2024-03-01")),
    "minute": ("2024-05-06T10:59", ("2024-05-06T10:59:00", "2024-05-06T11:00:00")),
    "second": ("2024-05-06 10:30:59", ("2024-05-06T10:30:59", "2024-05-06T10:31:00")),
    "both": ("2024-05..2024-07", ("2024-05-01", "2024-08-01")),
    "same day": ("2024-05-06..2024-05-06", ("2024-05-06", "2024-05-07")),
    "mixed": ("2023..2024-01-15", ("2023-01-01", "2024-01-16")),
    "from": ("2024..", ("2024-01-01", None)),
    "until": ("..2024", (None, "2025-01-01")),
    "from midnight": ("2024-01-15T00:00..2024-01-16", ("2024-01-15", "2024-01-17")),
    "until midnight": ("..2024-01-15 23:59", (None, "2024-01-16")),
    "last year of all": ("9999", ("9999-01-01", None)),
    "open": ("..", None),
    "empty": ("", None),
    "no such day": ("2023-02-29", None),
    "no such month": ("2024-13", None),
    "year nought": ("0000", None),
    "backwards": ("2025..2024", None),
    "half nonsense": ("2024..x", None),
    "other digits": ("２０２４", None),
    "short": ("24-5-6", None),
    "three": ("2022..2023..2024", None),
}


@pytest.mark.parametrize(("text", "expected"), RANGES.values(), ids=RANGES.keys())
def test_ranges(text: str, expected: tuple[str | None, str | None] | None) -> None:
    """Dates that exist make ranges from the first moment to the first one after."""
    assert parse_range(text) == (DateRange(*expected) if expected else None)


TODAY = date(2031, 3, 5)
"""A Wednesday."""

WORDS = {
    "today": ("2031-03-05", "2031-03-06"),
    "Yesterday": ("2031-03-04", "2031-03-05"),
    "7d": ("2031-02-26", "2031-03-06"),
    "0d": ("2031-03-05", "2031-03-06"),
    "2w": ("2031-02-19", "2031-03-06"),
    "1M": ("2031-02-05", "2031-03-06"),
    "3y": ("2028-03-05", "2031-03-06"),
    "7d..": ("2031-02-26", None),
    "..7d": (None, "2031-02-27"),
    "2w..yesterday": ("2031-02-19", "2031-03-05"),
    "2031-01..today": ("2031-01-01", "2031-03-06"),
    "this week": ("2031-03-03", "2031-03-10"),
    "last-week": ("2031-02-24", "2031-03-03"),
    "Last Month": ("2031-02-01", "2031-03-01"),
    "this_month": ("2031-03-01", "2031-04-01"),
    "last year": ("2030-01-01", "2031-01-01"),
    "this-year": ("2031-01-01", "2032-01-01"),
    "last-year..last-month": ("2030-01-01", "2031-03-01"),
    "today..yesterday": None,
    "9999y": None,
    "7": None,
    "last": None,
    "todays": None,
}


@pytest.mark.parametrize(("text", "expected"), WORDS.items(), ids=WORDS.keys())
def test_words_count_from_the_day_that_is_handed_in(
    text: str, expected: tuple[str | None, str | None] | None
) -> None:
    """By itself a time ago reaches until today; without a day no word is a date."""
    assert parse_range(text, TODAY) == (DateRange(*expected) if expected else None)
    assert parse_range(text) is None


def test_a_month_ago_is_its_last_day_where_it_is_shorter() -> None:
    """No month is skipped."""
    assert parse_range("1m", date(2031, 3, 31)) == DateRange("2031-02-28", "2031-04-01")
    assert parse_range("1y", date(2032, 2, 29)) == DateRange("2031-02-28", "2032-03-01")
    assert parse_range("last month", date(2031, 1, 31)) == DateRange("2030-12-01", "2031-01-01")


@given(st.dates(), st.integers(0, 9999), st.sampled_from("dwmy"))
def test_a_time_ago_holds_today_and_longer_ones_hold_shorter_ones(day: date, many: int, unit: str) -> None:
    """Whatever the day, there is a range or none, never an error."""
    longer, shorter = parse_range(f"{many}{unit}", day), parse_range(f"{many // 2}{unit}", day)
    parse_range("this-year", day)
    parse_range("last-month..", day)
    parse_range("last week", day)
    if longer and day < date.max:
        assert longer.start is not None
        assert longer.start <= day.isoformat()
        assert longer.end == (day + timedelta(days=1)).isoformat()
        assert shorter is not None
        assert longer.start <= str(shorter.start)
