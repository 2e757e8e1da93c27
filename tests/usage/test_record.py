"""The record of use: what is left as word is written, in batches, and can be asked at once."""

import itertools
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

import apsw
import pytest

from notesd.errors import Busy
from notesd.model import NotePath
from notesd.rank.limbic import Together
from notesd.rank.tune import Component, Event
from notesd.usage import signals
from notesd.usage.events import Log, Tuned
from notesd.usage.forget import Scope
from notesd.usage.record import MOST_WAITING, Column, Record
from notesd.usage.signals import Company, Opening, Trace

A, B, C = ("a", "a.md"), ("b", "b.md"), ("c", "c.md")
NOON = 1_700_000_000.0
DAY = 86_400.0


class Clock:
    """A time that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def record(tmp_path: Path, clock: Clock) -> Iterator[Record]:
    """A record that nobody writes down but who asks it."""
    record = Record(str(tmp_path), clock)
    yield record
    record.close()


def logged(*notes: tuple[str, str], treatment: bool = True) -> Log:
    components = tuple(Component(0, 0.02, 0.5, 0, 1, 0, 0, False, n) for n in range(1, len(notes) + 1))
    return Log("on", "bounded", "hybrid_balanced", treatment, 0, 0, notes, components)


def test_openings_are_counted_showings_do_not_pass_for_them(record: Record, clock: Clock) -> None:
    """Only what was opened says that it was wanted."""
    record.shown("s", [A, B])
    record.opened("s", [A])
    clock.now += 5
    record.opened("s", [A])
    assert record.openings("s", ["a", "b", "c"]) == {"a": Opening(2, NOON + 5)}
    assert record.openings("another space", ["a"]) == {}
    assert record.counts() == {"notes": 2, "opened": 1, "pairs": 1, "searches": 0}


def test_notes_shown_together_are_company(record: Record, clock: Clock) -> None:
    """Each pair once, whichever note is asked about; among the wanted ones alone."""
    record.shown("s", [B, A])
    clock.now += 7
    record.shown("s", [A, C, B])
    found = record.company("s", ["a"], ["a", "b", "c", "unknown"], opened=False)
    assert sorted(found["a"], key=lambda one: one.count) == [Together(1, NOON + 7), Together(2, NOON + 7)]
    found = record.company("s", ["b", "nobody"], ["a"], opened=False)
    assert found == {"b": [Together(2, NOON + 7)], "nobody": []}
    assert record.company("s", ["a"], ["b"], opened=True) == {"a": []}
    assert record.companions("s", "a", 1) == {"b": Company(2, NOON + 7)}
    assert record.companions("s", "nobody", 5) == {}


def test_notes_opened_in_one_sitting_are_company(record: Record, clock: Clock) -> None:
    """Those of one request, and those opened within ten minutes."""
    record.opened("s", [A, B])
    clock.now += 599
    record.opened("s", [C])
    clock.now += 601
    record.opened("s", [("d", "d.md")])
    assert record.companions("s", "a", 9).keys() == {"b", "c"}
    assert record.companions("s", "d", 9) == {}


def test_an_opening_within_a_day_proves_the_search_right(record: Record, clock: Clock) -> None:
    """Of what it showed; not of what was merely a candidate, nor the day after."""
    record.shown("s", [A, B], logged(A, B, C))
    clock.now += DAY - 1
    record.opened("s", [B, C])
    clock.now += 2
    record.opened("s", [A])
    (event,) = record.events("s")
    ids = {one.note for one in event.components}
    assert len(ids) == 3
    assert event.reaccessed == {event.components[1].note}
    assert record.events("another space") == []


def test_openings_together_are_told_from_showings(record: Record, clock: Clock) -> None:
    """What is shown together, however often, was not opened together."""
    record.opened("s", [A, B])
    for _ in range(50):
        clock.now += 1
        record.shown("s", [A, B])
    assert record.companions("s", "a", 1)["b"] == Company(51, NOON + 50, 1, NOON)
    assert record.company("s", ["a"], ["b"], opened=False) == {"a": [Together(51, NOON + 50)]}
    assert record.company("s", ["a"], ["b"], opened=True) == {"a": [Together(1, NOON)]}


def test_a_note_named_twice_is_opened_once(record: Record) -> None:
    """One request, one opening."""
    record.opened("s", [A, A, A])
    assert record.openings("s", ["a"])["a"].opened == 1


def test_a_damaged_search_is_one_search_less(record: Record) -> None:
    """Neither tuning nor forgetting stumbles over it."""
    record.shown("s", [A], logged(A, B))
    record.shown("s", [B], logged(A, B))
    with record._usable() as store, store.write() as writer:
        writer.run("UPDATE event SET candidates = x'00' WHERE id = 1")
    assert len(record.events("s")) == 1
    found = record.forget(Scope("s", frozenset({"a"})))
    assert (found.searches, found.proved) == (2, True)


def test_a_long_answer_is_not_all_looked_through(record: Record) -> None:
    """Pairs among the first twenty."""
    record.shown("s", [(f"n{n}", f"n{n}.md") for n in range(100)])
    assert record.counts()["pairs"] == 20 * 19 / 2
    assert record.counts()["notes"] == 100


def test_what_is_held_in_memory_is_what_is_written(tmp_path: Path, clock: Clock) -> None:
    """A record asked after each word says the same as one that reads it all anew."""
    words = [
        ("shown", [A, B, C]), ("opened", [A]), ("shown", [C, A]), ("opened", [B, C]), ("opened", [B]),
        ("shown", [(f"n{n}", f"n{n}.md") for n in range(30)]), ("opened", [("n3", "n3.md"), A]),
    ]  # fmt: skip
    everyone = ["a", "b", "c", *(f"n{n}" for n in range(30))]
    record = Record(str(tmp_path), clock)
    for step, (kind, notes) in enumerate(words):
        for opened in (False, True):
            record.company("s", everyone[: step * 5], everyone, opened=opened)
        record.openings("s", everyone)
        clock.now += 200
        getattr(record, kind)("s", notes)
        fresh = Record(str(tmp_path), clock)
        assert record.openings("s", everyone) == fresh.openings("s", everyone)
        for other, opened in itertools.product(everyone, (False, True)):
            said = [one.company("s", everyone, [other], opened=opened) for one in (record, fresh)]
            assert said[0] == said[1]
        fresh.close()
    record.close()


def test_it_is_written_without_being_asked(tmp_path: Path) -> None:
    """Soon after, by a thread of its own, many words in one transaction."""
    record = Record(str(tmp_path))
    record.start()
    for _ in range(50):
        record.shown("s", [A, B])
    pause = threading.Event()
    while record._waiting:  # the test's own time limit ends this
        pause.wait(0.02)
    with record._usable():
        assert record._writes == 1
    record.close()
    again = Record(str(tmp_path))
    assert again.companions("s", "a", 1)["b"].count == 50
    again.close()


def test_what_waits_is_written_at_the_end(tmp_path: Path) -> None:
    """An orderly end loses nothing."""
    record = Record(str(tmp_path))
    record.opened("s", [A])
    record.close()
    again = Record(str(tmp_path))
    assert again.openings("s", ["a"]).keys() == {"a"}
    again.close()


def test_too_much_waiting_drops_the_oldest(record: Record) -> None:
    """Memory is bounded when nothing can be written."""
    for number in range(MOST_WAITING + 10):
        record.shown("s", [(f"k{number % 7}", "x.md")])
    assert len(record._waiting) == MOST_WAITING


def test_pairs_and_notes_are_bounded(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was unused for longest goes first."""
    monkeypatch.setattr(signals, "MOST_PAIRS", 20)
    monkeypatch.setattr(signals, "MOST_NOTES", 10)
    for number in range(15):
        record.clock.now += 1  # type: ignore[attr-defined]  # it is ours
        record.shown("s", [(f"a{number}", "x.md"), (f"b{number}", "x.md"), (f"c{number}", "x.md")])
    with record._usable() as store, store.write() as writer:
        signals.shrink(writer)
    counts = record.counts()
    assert counts["notes"] == 9
    assert counts["pairs"] <= 18
    assert record.companions("s", "c14", 9).keys() == {"a14", "b14"}
    assert record.companions("s", "a0", 9) == {}


def test_a_note_is_known_by_its_key_wherever_it_is(tmp_path: Path) -> None:
    """The path is what the index calls it, whatever an answer from before a rename says."""
    now = {"a": "a.md"}
    record = Record(str(tmp_path))
    record.lookups["s"] = lambda column, values: [
        Trace(key, NotePath(path))
        for key, path in now.items()
        if (key if column == "key" else path) in values
    ]
    record.opened("s", [A])
    assert record.openings("s", ["a"])["a"].opened == 1
    now["a"] = "moved/a.md"
    record.changed("s", ["a.md", "moved/a.md"])
    record._look_again()
    assert record.traces("s") == [Trace("a", NotePath("moved/a.md"))]
    record.opened("s", [A])
    assert record.openings("s", ["a"])["a"].opened == 2
    record._look_again()
    assert record.traces("s") == [Trace("a", NotePath("moved/a.md"))]
    record.close()


def test_a_path_that_was_old_when_it_was_shown_is_put_right(tmp_path: Path) -> None:
    """The rename came between the answer and the first word of it that was written."""
    record = Record(str(tmp_path))
    record.lookups["s"] = lambda column, values: (
        [Trace("a", NotePath("moved/a.md"))] if column == "key" and "a" in values else []
    )
    record.shown("s", [A])
    assert [one.path for one in record.traces("s")] == ["a.md"]
    record._look_again()
    assert [one.path for one in record.traces("s")] == ["moved/a.md"]
    record.close()


def test_it_looks_again_at_notes_that_changed(tmp_path: Path) -> None:
    """For an index that starts anew: path, digest, stable key."""
    now = [Trace("a", NotePath("new/a.md"), b"d", "id-a"), Trace("x", NotePath("x.md"), b"x", None)]
    record = Record(str(tmp_path))
    record.lookups["s"] = lambda column, values: [one for one in now if getattr(one, column) in values]
    record.opened("s", [A])
    record.changed("s", ["new/a.md", "x.md"])
    record.openings("s", ["a"])  # writes it down
    record._look_again()
    assert record.traces("s") == now[:1]
    now[0] = Trace("a", NotePath("newest/a.md"), b"e", "id-a")
    record.changed("s", None)
    record._look_again()
    assert record.traces("s") == now[:1]
    record.close()


def test_who_cannot_tell_yet_is_asked_later(tmp_path: Path) -> None:
    """No index, a busy one: where the notes are now is not forgotten to be asked."""
    record = Record(str(tmp_path))
    built: list[Trace] = []

    def look(column: Column, values: Collection[str]) -> list[Trace]:
        del column, values
        if not built:
            raise Busy("it is being built")
        return built

    record.lookups["s"] = look
    record.opened("s", [A])
    assert record.openings("s", ["a"])["a"].opened == 1
    record._look_again()
    assert record.traces("s") == [Trace("a", NotePath("a.md"))]
    built.append(Trace("a", NotePath("moved/a.md"), b"d"))
    record._look_again()
    assert record.traces("s") == built
    record.close()


def test_what_would_be_taken_for_nothing_waits_for_a_busy_record(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question is answered without it, and hears so; keys, searches and names are not taken for none."""
    record.name_space("s", "n", "/notes")
    record.shown("s", [A], logged(A))
    record.opened("s", [A])
    assert record.counts()["opened"] == 1
    monkeypatch.setattr("notesd.usage.record.ASK_S", 0.01)
    held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with record._keeper.alone():
            held.set()
            may_end.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(60)
    found: list[Trace] = []
    searches: list[Event] = []
    named: list[str] = []
    asking = [
        threading.Thread(target=lambda: found.extend(record.traces("s"))),
        threading.Thread(target=lambda: searches.extend(record.events("s"))),
        threading.Thread(target=lambda: named.extend(record.spaces_named("n"))),
    ]
    for one in asking:
        one.start()
    for ask in (record.counts, lambda: record.companions("s", "a", 1)):
        with pytest.raises(Busy):
            ask()
    may_end.set()
    for one in (*asking, holder):
        one.join(60)
    assert found == [Trace("a", NotePath("a.md"))]
    assert (len(searches), named) == (1, ["s"])


def test_a_moved_folder_takes_its_record_along(record: Record, tmp_path: Path) -> None:
    """The same name elsewhere, where the folder it had is gone; never one that is still there."""
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    kept.mkdir()
    record.name_space("k1", "notes", str(gone))
    record.name_space("k2", "other", str(kept))
    record.opened("k1", [A])
    record.opened("k2", [B])
    record.name_space("k3", "notes", str(tmp_path / "elsewhere"))
    record.name_space("k4", "other", str(tmp_path / "third"))
    assert record.openings("k3", ["a"]).keys() == {"a"}
    assert record.openings("k4", ["b"]) == {}
    assert record.openings("k2", ["b"]).keys() == {"b"}


def test_constants_are_taken_and_given_back(record: Record) -> None:
    """A history that can be walked back, step by step."""
    assert record.revert("s") is False
    record.take("s", Tuned(0.02, 0.6, 1.0, "set"))
    record.take("s", Tuned(0.03, 0.7, 2.0, "tuned"))
    assert [one.reverted for one in record.tuned("s")] == [False, False]
    assert record.revert("s") is True
    assert [(one.gamma, one.reverted) for one in record.tuned("s")] == [(0.02, False), (0.03, True)]
    assert record.revert("s") is True
    assert record.revert("s") is False
    assert record.tuned("another") == []


def test_no_text_of_a_query_can_be_in_it(record: Record, tmp_path: Path) -> None:
    """There is no column for one: every text column is a name of a note, a space or a setting."""
    record.counts()
    db = apsw.Connection(record.path, flags=apsw.SQLITE_OPEN_READONLY)
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    texts = {
        f"{table}.{row[1]}"
        for table in tables
        for row in db.execute(f"PRAGMA table_info({table})").fetchall()
        if row[2] in ("TEXT", "BLOB", "ANY")
    }
    db.close()
    assert texts == {
        "meta.key", "meta.value", "space.key", "space.name", "space.root", "note.key", "note.path",
        "note.digest", "note.stable_key", "event.mode", "event.blend", "event.strategy", "event.candidates",
        "tuned.why",
    }  # fmt: skip


class TestForgetting:
    """By space, by note, by age; and proved."""

    @pytest.fixture(autouse=True)
    def used(self, record: Record, clock: Clock) -> None:
        """Two spaces, three notes, an old and a new search."""
        record.shown("s", [A, B], logged(A, B))
        record.opened("s", [A])
        record.opened("t", [A])
        record.take("s", Tuned(0.02, 0.6, 1.0, "set"))
        clock.now += 10 * DAY
        record.shown("s", [B, C], logged(B, C))

    def test_everything(self, record: Record) -> None:
        """No note, pair, search or constant is left, nor a byte of their names."""
        found = record.forget(Scope())
        assert (found.notes, found.pairs, found.searches, found.left, found.proved) == (4, 2, 2, 0, True)
        assert record.counts() == {"notes": 0, "opened": 0, "pairs": 0, "searches": 0}
        assert record.tuned("s") == []

    def test_a_space(self, record: Record) -> None:
        """The other one stays."""
        assert record.forget(Scope("s")).notes == 3
        assert record.openings("t", ["a"]).keys() == {"a"}

    def test_a_note(self, record: Record) -> None:
        """With its pairs, and the searches it was a candidate of; the others stay."""
        found = record.forget(Scope("s", frozenset({"a"})))
        assert (found.notes, found.pairs, found.searches, found.proved) == (1, 1, 1, True)
        assert record.openings("s", ["a"]) == {}
        assert record.companions("s", "b", 9).keys() == {"c"}
        assert len(record.tuned("s")) == 1

    def test_by_age(self, record: Record, clock: Clock) -> None:
        """What was last used before then."""
        found = record.forget(Scope(None, None, clock.now - DAY))
        assert (found.notes, found.searches) == (2, 1)
        assert {one.key for one in record.traces("s")} == {"b", "c"}
        assert record.traces("t") == []

    def test_an_early_date_erases_nothing(self, record: Record) -> None:
        """A candidate that was never shown is as young as the search that names it."""
        record.shown("s", [B], logged(B, ("never", "never-shown.md")))
        found = record.forget(Scope(None, None, 0.0))
        assert (found.notes, found.pairs, found.searches) == (0, 0, 0)
        assert len(record.events("s")) == 3

    def test_no_name_of_a_space_is_left_but_of_those_in_use(self, record: Record) -> None:
        """Everything is everything."""
        record.name_space("s", "kept", "/notes/kept")
        record.name_space("t", "gone", "/notes/gone")
        record.forget(Scope(None, None, None, frozenset({"s"})))
        assert record.spaces_named("kept") == ["s"]
        assert record.spaces_named("gone") == []

    def test_what_still_waits_is_forgotten_too(self, record: Record) -> None:
        """A word left before counts as recorded."""
        record.opened("s", [("w", "waiting.md")])
        record.forget(Scope("s", frozenset({"w"})))
        assert record.openings("s", ["w"]) == {}

    def test_the_proof_looks_at_the_bytes(self, record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
        """Were the file not overwritten, it would be seen."""
        long = ("k-distinctive", "a-distinctive-name.md")
        record.opened("s", [long])
        record.counts()
        monkeypatch.setattr("notesd.usage.signals.drop_notes", lambda *_: None)
        found = record.forget(Scope("s", frozenset({long[0]})))
        assert (found.left, found.proved) == (1, False)

    def test_copies_that_were_moved_aside_go_too(self, record: Record) -> None:
        """They hold the same."""
        copy = Path(record.path + ".corrupt-20260101T000000")
        copy.write_bytes(b"a.md")
        assert record.forget(Scope("s")).copies == 1
        assert not copy.exists()


def test_a_time_to_come_ages_from_when_it_is_noticed(tmp_path: Path) -> None:
    """What a wrong clock dated years ahead is as old as since the clock is right, no younger."""
    clock = Clock()
    right = clock.now
    clock.now = right + 20 * 365 * DAY
    wrong = Record(str(tmp_path), clock)
    wrong.opened("s", [A, B])
    wrong.opened("s", [C])
    wrong.close()

    clock.now = right
    for later in (0.0, 30.0, 400 * DAY):
        clock.now = right + later
        record = Record(str(tmp_path), clock)
        assert {one.opened_at for one in record.openings("s", ["a", "b", "c"]).values()} == {right}
        assert {one.last for one in record.company("s", ["a"], ["b", "c"], opened=True)["a"]} == {right}
        assert record.companions("s", "a", 1)["b"].opened_last == right
        record.close()

    record = Record(str(tmp_path), clock)
    record.opened("s", [A])
    assert record.openings("s", ["a"])["a"].opened_at == clock.now
    assert record.openings("s", ["b"])["b"].opened_at == right
    record.close()


def test_a_clock_that_is_behind_spoils_no_time(tmp_path: Path) -> None:
    """A machine that begins in 1970 until it is told the time: afterwards all is as it was."""
    clock = Clock()
    right = clock.now
    record = Record(str(tmp_path), clock)
    record.opened("s", [A, B])
    assert record.openings("s", ["a"])["a"].opened_at == right
    clock.now = 5.0
    assert record.openings("s", ["a"])["a"].opened_at == 5.0
    record.close()
    clock.now = right + DAY
    again = Record(str(tmp_path), clock)
    assert again.openings("s", ["a"])["a"].opened_at == right
    assert again.companions("s", "a", 1)["b"].last == right
    again.close()
