"""Ranges of dates as people write them."""

import pytest

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
