"""Where answers are cut, and that their pages are the whole."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from notesd.cli.asking import joined
from notesd.errors import InvalidParams, StaleCursor
from notesd.index.budget import FREE, Budget, Meter, OverBudget
from notesd.serve import pages
from notesd.serve.bounds import BOUNDS
from notesd.serve.methods import TABLE
from notesd.serve.pages import Cursor, Entry, Room, Taken, cursor_of, fitted, take


def plain(values: object) -> Any:
    """What a client reads of encoded values."""
    return json.loads(b"[" + b",".join(bytes(one) for one in values) + b"]")  # type: ignore[attr-defined]  # any series of them


def entries(count: int, size: int = 10) -> list[Entry]:
    return [Entry("rows", f"{number:0{size}}", size) for number in range(count)]


def test_every_method_has_its_bound() -> None:
    """What no table names would have none."""
    assert set(BOUNDS) == set(TABLE)


def test_so_many_fit_as_have_room() -> None:
    """Of a list too long the first, and one at least, however large it is."""
    assert plain(fitted(["a" * 40, "b" * 40, "c" * 40], 100)) == ["a" * 40, "b" * 40]
    assert plain(fitted(["a" * 400, "b"], 100)) == ["a" * 400]


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        pytest.param(Room(3), 3, id="items"),
        pytest.param(Room(100, 40), 3, id="bytes"),
        pytest.param(Room(100, chars=25), 2, id="characters"),
        pytest.param(Room(100), 9, id="all"),
    ],
)
def test_pages_of_any_kind_are_the_whole(room: Room, expected: int) -> None:
    """Each goes on where the one before ended; the last says that it is the last."""
    place, got = 0, []
    while True:
        taken = take(entries(9)[place:], room, FREE, begins=True)
        got += plain(taken.lists(["rows"])["rows"])
        assert len(taken.entries) <= expected
        place += len(taken.entries)
        if taken.whole:
            break
        assert len(taken.entries) == expected
    assert got == [entry.value for entry in entries(9)]


def test_a_page_begins_with_one_entry_whatever_its_size() -> None:
    """Else it would never be reached; on a page that has something, it waits."""
    assert len(take(entries(3), Room(9, 5), FREE, begins=True).entries) == 1
    assert take(entries(3), Room(9, 5), FREE, begins=False).entries == []


def test_a_page_ends_where_the_budget_does() -> None:
    """What is there is the page; nothing at all is said."""
    now = 0.0

    def made() -> Iterator[Entry]:
        nonlocal now
        for entry in entries(9):
            now += 0.4
            yield entry

    assert len(take(made(), Room(9), Meter(Budget(1.0), clock=lambda: now), begins=True).entries) == 3

    def none(entry: Entry) -> Entry:
        raise OverBudget

    with pytest.raises(OverBudget):
        take(map(none, entries(9)), Room(9), FREE, begins=True)


def test_an_entry_beyond_all_measure_is_cut() -> None:
    """Its texts and lists, at every depth; it says so."""
    (part,) = plain(fitted([{"name": "n" * 3_000_000, "tags": ["t"] * 5_000, "deep": {"x": "é" * 9_999}}]))
    assert (len(part["name"]), len(part["tags"]), len(part["deep"]["x"])) == (1_001, 1_000, 1_001)
    assert part["truncated"]


def test_cursors_come_back_as_they_were_given() -> None:
    """And nothing else is one."""
    cursor = Cursor(2, 345, "beef")
    assert cursor_of(cursor.told()["cursor"]) == cursor
    assert cursor_of(None) == Cursor()
    for odd in ("", "1.2", "1.2.xyz", "-1.0.", "9" * 400 + ".1.", "1.2.3\n"):
        with pytest.raises(InvalidParams):
            cursor_of(odd)


def test_a_page_of_what_has_changed_is_refused() -> None:
    """Two halves of different wholes must not be put together."""
    Cursor(0, 5, "a").see_it_holds("a")
    Cursor(0, 0, "").see_it_holds("b")
    with pytest.raises(StaleCursor):
        Cursor(0, 5, "a").see_it_holds("b")


def test_ended_says_how_to_go_on() -> None:
    """And a whole answer says nothing."""
    assert pages.ended({"a": 1}, None) == {"a": 1}
    assert pages.ended({"a": 1}, Cursor(0, 7, "c")) == {
        "a": 1, "truncated": True, "next": {"cursor": "0.7.c"}
    }  # fmt: skip


def test_room_that_is_taken_is_gone() -> None:
    """Also where it was too little."""
    left = Room(10, 100, 50).less(Taken([("rows", pages.written("x"))] * 4, 30, 20, whole=False))
    assert (left.items, left.bytes, left.chars) == (6, 70, 30)


def test_pages_are_joined_to_the_whole() -> None:
    """Lists one after the other, at every depth; a note that goes on is one note."""
    first = {
        "spaces": {"a": {"notes": [1], "links": []}}, "truncated": True, "next": {"cursor": "x"},
        "entities": [{"path": "p", "relations": [1]}, {"path": "q", "tags": ["t"], "relations": [2],
                                                     "truncated": True}],
    }  # fmt: skip
    second = {
        "spaces": {"a": {"notes": [2], "links": [3]}, "b": {"notes": []}},
        "entities": [{"path": "q", "tags": [], "relations": [4], "continued": True}, {"path": "r"}],
    }
    assert joined(first, second) == {
        "spaces": {"a": {"notes": [1, 2], "links": [3]}, "b": {"notes": []}},
        "entities": [
            {"path": "p", "relations": [1]}, {"path": "q", "tags": ["t"], "relations": [2, 4]}, {"path": "r"},
        ],
    }  # fmt: skip
