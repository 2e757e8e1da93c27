"""Dates: what is read, and what is left alone."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse.dates import parse_date


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-15", "2024-01-15"),
        (" 2024/1/5 ", "2024-01-05"),
        ("2024-01-15T10:30:00", "2024-01-15T10:30:00"),
        ("2024-01-15 9:05", "2024-01-15T09:05:00"),
        ("2024-01-15t10:30:00.123z", "2024-01-15T10:30:00Z"),
        ("2024-01-15T23:30:00+05:30", "2024-01-15T23:30:00+05:30"),
        ("2024-01-15 23:30 -0800", "2024-01-15T23:30:00-08:00"),
        ("2024-01-15 23:30:00 +02", "2024-01-15T23:30:00+02:00"),
        ("2024-01-15 11:30 PM", "2024-01-15T23:30:00"),
        ("20240115", "2024-01-15"),
        ("20240115T103000Z", "2024-01-15T10:30:00Z"),
        ("202401151030", "2024-01-15T10:30:00"),
        ("20240115103005", "2024-01-15T10:30:05"),
        ("1700000000", "2023-11-14T22:13:20Z"),
        ("1700000000123", "2023-11-14T22:13:20Z"),
        ("946684800000", "2000-01-01T00:00:00Z"),
        ("Friday, March 1st 2024, 12:05:09 am", "2024-03-01T00:05:09"),
        ("15 Jan 2024", "2024-01-15"),
        ("Jan. 15, 2024", "2024-01-15"),
        ("the 3rd of September 2023", "2023-09-03"),
        ("2024 Feb 29", "2024-02-29"),
        ("15-Jan-2024 8:15 p.m.", "2024-01-15T20:15:00"),
        ("Mon, 15 Jan 2024 10:30:00 GMT", "2024-01-15T10:30:00Z"),
        ("Mon Jan 15 2024 10:30:00 GMT+0100 (Central European Standard Time)", "2024-01-15T10:30:00+01:00"),
        ("May 5 2024 at 5 pm", "2024-05-05T17:00:00"),
        ("[[2024-01-15]]", "2024-01-15"),
        ("[[Daily/2024-01-15|today]]", "2024-01-15"),
    ],
)
def test_unmistakable_forms_are_read(text: str, moment: str) -> None:
    """A day or time that can be read in one way is read, zone and all."""
    assert moment == parse_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2024-02-30",
        "2024-13-01",
        "0000-01-01",
        "03/04/2024",
        "15.01.2024",
        "2024",
        "2024-01",
        "12345678",
        "2024-01/15",
        "2024-01-15T25:00",
        "2024-01-15T10",
        "2024-01-15 10:61",
        "2024-01-15 13:00 pm",
        "99999999999",
        "2024-01-15T10:00+25:00",
        "2024-01-15T10:00+01:75",
        "<% tp.date.now() %>",
        "Febuary 30 2024",
        "31 Nov 2024",
        "20241345",
        "[[Note]]",
        "2024-01-15 or so",
        "1" * 5000,
        "٢٠٢٤-٠١-٣٥",
    ],
)
def test_everything_else_is_left_alone(text: str) -> None:
    """Impossible days, words and forms with two readings give nothing."""
    assert parse_date(text) is None


@given(st.dates())
def test_every_day_is_read(day: date) -> None:
    """ISO days of all years come back as they are."""
    assert parse_date(day.isoformat()) == day.isoformat()


@given(st.text(alphabet="0123456789-/:T Zapmjn+.,", max_size=40))
def test_what_is_read_is_iso(text: str) -> None:
    """Any text is answered, and each answer is a moment that Python can read back."""
    moment = parse_date(text)

    assert moment is None or isinstance(datetime.fromisoformat(moment), datetime)
