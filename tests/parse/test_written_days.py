"""A date is the same day however it is written."""

import pytest

from notesd.parse.calendar_words import MONTHS, WEEKDAYS
from notesd.parse.written_days import day_token, written_days

NINTH_OF_APRIL = [
    *("9 April 2032", "April 9, 2032", "9th of April 2032", "Apr 9 2032", "Friday, 9 April 2032"),
    *("9. April 2032", "Freitag, den 9. April 2032", "9 avril 2032", "9 de abril de 2032", "9 aprile 2032"),
    *("9 april 2032", "9 апреля 2032 г.", "9 kwietnia 2032", "9. dubna 2032", "9. huhtikuuta 2032"),
    *("2032年4月9日", "2032年04月09日(金)", "2032년 4월 9일", "２０３２年４月９日"),
    *("2032-04-09", "2032-4-9", "2032/04/09", "2032.4.9", "20320409", "09.04.2032", "9.4.2032", "9. 4. 2032"),
]


def days(text: str) -> list[tuple[str, ...]]:
    return [one.days for one in written_days(text)]


@pytest.mark.parametrize("text", NINTH_OF_APRIL)
def test_a_day_is_read_in_each_way_of_writing(text: str) -> None:
    """With and without the day of the week."""
    assert days(text) == [("2032-04-09",)]
    assert days(f"We met on {text}, at the kiln.") == [("2032-04-09",)]


@pytest.mark.parametrize(("name", "month"), MONTHS.items())
def test_every_name_of_a_month_makes_a_day(name: str, month: int) -> None:
    """In all languages, in small and capital letters."""
    assert days(f"17 {name} 2032") == days(f"17 {name.upper()} 2032") == [(f"2032-{month:02}-17",)]


@pytest.mark.parametrize("weekday", sorted(WEEKDAYS))
def test_every_day_of_the_week_belongs_to_the_date_behind_it(weekday: str) -> None:
    """So that it is no word of its own in a query."""
    (found,) = written_days(f"{weekday}, 17 April 2032")

    assert (found.start, found.days) == (0, ("2032-04-17",))


@pytest.mark.parametrize(
    "text",
    [
        *("31 April 2032", "2032-02-30", "30.02.2032", "2031-13-01", "20321301", "2032年13月1日"),
        *("0 April 2032", "the year 2032", "room 20320", "1.2.3", "no digits", "9 Octopus 2032", ""),
    ],
)
def test_what_is_no_day_is_none(text: str) -> None:
    """Nor is a part of it taken for another day."""
    assert days(text) == []


def test_two_numbers_whose_order_cannot_be_told_may_be_either_day() -> None:
    """Dots put the day first; above twelve there is no doubt."""
    assert days("4/9/2032") == [("2032-09-04", "2032-04-09")]
    assert days("4.9.2032") == [("2032-09-04",)]
    assert days("24/9/2032") == days("9/24/2032") == [("2032-09-24",)]


def test_a_year_and_its_month_are_the_whole_month() -> None:
    """In words and in numbers."""
    assert days("April 2032") == days("2032-04") == days("abril de 2032") == [("2032-04",)]


def test_the_places_are_those_of_the_text() -> None:
    """Letters outside ASCII count as one each."""
    text = "Über den 9. März 2032 und den 2032-04-09"

    assert [text[one.start : one.end] for one in written_days(text)] == ["9. März 2032", "2032-04-09"]


def test_the_word_for_a_day_is_one_word() -> None:
    """A month begins the words of its days."""
    assert day_token("2032-04-09") == "day20320409"
    assert day_token("2032-04-09").startswith(day_token("2032-04"))


def test_letters_that_look_accented_are_letters_of_a_name() -> None:
    """Written as people write them."""
    assert days("17 май 2032") == days("17. května 2032") == days("17 mai 2032") == [("2032-05-17",)]


@pytest.mark.parametrize("before", ["", "x" * 200 + " ", "é " * 100, "\u0665 " * 60])
@pytest.mark.parametrize(
    "text",
    ["Montag, 5. Januar 2031", "５ января ２０３１ года", "5/1/2031", "20310105", "2031年1月5日（月）"],
)
def test_where_a_date_stands_changes_nothing(before: str, text: str) -> None:
    """Behind a long text it is the same date, some places on."""
    alone = list(written_days(text))
    behind = list(written_days(before + text + " x" * 100))

    assert alone
    assert [(day.start - len(before), day.end - len(before), day.days) for day in behind] == [
        (day.start, day.end, day.days) for day in alone
    ]
