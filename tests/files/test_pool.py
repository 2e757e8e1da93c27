"""Notes are read by child processes: each note is judged by what it does, not by what befalls the process."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import fake_worker
import pytest

from notesd.files import pool as module
from notesd.files.pool import FEW, Pool
from notesd.files.reading import Job, Limits, Reading, read_one
from notesd.model import NotePath
from notesd.parse.packing import unpacked

LIMITS = Limits(1 << 20, dendron=False)
GOOD = [f"good{at}.md" for at in range(FEW + 1)]
POISON = ["segfault", "exit", "endless", "half", "undecodable", "wrong", "memory"]
Reads = Callable[..., dict[str, Reading]]


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the faulty program started, and lost ones replaced soon."""
    monkeypatch.setattr(module, "COMMAND", (sys.executable, "-P", fake_worker.__file__))


@pytest.fixture
def pools(tmp_path: Path) -> Iterator[Callable[..., Pool]]:
    """Make pools on a folder; they are closed when the test ends."""
    made: list[Pool] = []

    def one(**options: float) -> Pool:
        settings: dict[str, float] = {"workers": 2, "timeout_s": 20.0, **options}
        made.append(Pool(str(tmp_path), LIMITS, **settings))  # type: ignore[arg-type]  # workers is whole
        return made[-1]

    yield one
    for pool in made:
        pool.close()


@pytest.fixture
def reads(tmp_path: Path, pools: Callable[..., Pool]) -> Reads:
    """Write notes with a link each and read them; says what came of each."""

    def one(*names: str, pool: Pool | None = None, **options: float) -> dict[str, Reading]:
        write(tmp_path, *GOOD, *names)
        return read_all(pool or pools(**options), *names, *GOOD)

    return one


def read_all(pool: Pool, *names: str) -> dict[str, Reading]:
    """Read notes; says what came of each."""
    found = list(pool.read([Job(NotePath(name), None) for name in names]))
    assert sorted(reading.path for reading in found) == sorted(names)
    return {str(reading.path): reading for reading in found}


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(f"# {name}\n\nbread [[Butter]]\n", encoding="utf-8")


def is_whole(reading: Reading) -> bool:
    """Whether the note was parsed."""
    note = reading.note
    return note is not None and len(note.links) == 1 and not note.problems and reading.problem is None


def is_set_aside(reading: Reading) -> bool:
    """Whether the note's words are kept, and it is not tried again until it changes."""
    note = reading.note
    if note is None or note.links or [problem.kind for problem in note.problems] != ["parse_failed"]:
        return False
    assert "twice" in note.problems[0].reason
    assert "bread" in note.observations[0].text
    return True


def is_undecided(reading: Reading) -> bool:
    """Whether the note's words are kept, and the next walk tries it again."""
    note = reading.note
    if note is None or note.links or not note.problems:
        return False
    assert "tried again" in note.problems[0].reason
    return reading.racy


def test_a_poisonous_note_costs_only_itself(reads: Reads) -> None:
    """A note that breaks its process, or what the process says, is set aside; all others are read whole."""
    names = [f"{fault}.md" for fault in POISON]

    found = reads(*names)

    assert [name for name in names if not is_set_aside(found.pop(name))] == []
    assert all(map(is_whole, found.values()))


def test_one_mishap_is_forgiven(reads: Reads) -> None:
    """A note that is read at the second try, alone, is as good as any."""
    found = reads(*(f"once-{fault}.md" for fault in POISON))

    assert [name for name, reading in found.items() if not is_whole(reading)] == []


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_a_library_prints_or_asks_is_no_answer(
    reads: Reads, monkeypatch: pytest.MonkeyPatch, unbuffered: str
) -> None:
    """Standard input and output are not what parent and child speak through."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)

    assert all(map(is_whole, reads("prints.md", "asks.md").values()))


def test_a_slow_note_is_judged_by_its_processor_time(reads: Reads) -> None:
    """A note that computes without end is set aside with its words, and the limit is named."""
    found = reads("spin.md", timeout_s=0.5)

    assert is_set_aside(found["spin.md"])
    note = found.pop("spin.md").note
    assert note is not None
    assert "within 0.5 s of processor time" in note.problems[0].reason
    assert all(map(is_whole, found.values()))


def test_a_process_that_waits_is_not_slow(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time in which a process had no processor is no fault of its note; it is not waited for without end."""
    monkeypatch.setattr(module, "WALL", 1)
    monkeypatch.setattr(module, "WALL_S", 1.5)

    found = reads("sleep.md", timeout_s=1.0)

    held_up = found.pop("sleep.md")
    assert held_up.problem is not None
    assert (held_up.problem.kind, held_up.note) == ("unreadable", None)
    assert all(map(is_whole, found.values()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells that a process is stopped")
def test_a_stopped_process_is_replaced(reads: Reads) -> None:
    """A process that somebody stopped is found by its silence; its notes are read by another one."""
    assert all(map(is_whole, reads("once-stop.md", timeout_s=0.3).values()))


def test_who_ends_a_process_says_nothing_about_its_note(reads: Reads) -> None:
    """Notes whose processes were killed are read whole afterwards."""
    assert all(map(is_whole, reads("once-killed.md", "once-terminated.md").values()))


def test_processes_that_are_killed_for_a_while_cost_no_note_its_links(
    pools: Callable[..., Pool], reads: Reads
) -> None:
    """Somebody kills every process for a time: the pass takes longer, that is all."""
    pool, over = pools(), threading.Event()

    def kill() -> None:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            for worker in pool._workers.copy():
                if worker.child._process.returncode is None:
                    os.kill(worker.child.pid, signal.SIGKILL)
            over.wait(0.002)

    killer = threading.Thread(target=kill)
    killer.start()
    found = reads(*(f"more{at}.md" for at in range(300)), pool=pool)
    killer.join()

    assert all(map(is_whole, found.values()))


def test_a_note_whose_process_is_always_killed_is_tried_again_later(reads: Reads) -> None:
    """When patience ends, its words are kept for now, under a digest that its file does not have."""
    found = reads("killed.md", "good.md", patience_s=0.2)

    killed = found.pop("killed.md")
    assert is_undecided(killed)
    assert killed.digest != found["good.md"].digest
    assert all(map(is_whole, found.values()))


@pytest.mark.parametrize("how", ["no program", "never up"])
def test_without_processes_small_notes_are_read_and_large_ones_tried_again_later(
    tmp_path: Path, reads: Reads, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """No process can be started: nothing is judged, nothing is lost."""
    if how == "no program":
        monkeypatch.setattr(module, "COMMAND", ("/does/not/exist",))
    monkeypatch.setenv("FAKE_WORKER", how)
    monkeypatch.setattr(module, "LARGE_BYTES", 1000)
    (tmp_path / "large.md").write_text("bread [[Butter]]\n" * 100, encoding="utf-8")
    pool = Pool(str(tmp_path), LIMITS, workers=2, patience_s=0.3)
    write(tmp_path, *GOOD)

    found = read_all(pool, "large.md", *GOOD)
    monkeypatch.undo()
    (again,) = pool.read([Job(NotePath("large.md"), found["large.md"].digest)])

    assert is_undecided(found.pop("large.md"))
    assert all(map(is_whole, found.values()))
    assert again.note is not None
    assert len(again.note.links) == 100
    pool.close()


def test_a_fault_that_lasts_makes_no_changes(tmp_path: Path) -> None:
    """A note that is undecided again is the same as before, and is parsed as soon as it can be."""
    write(tmp_path, "a.md")

    def read(digest: bytes | None, *, plain: str = "") -> Reading:
        return read_one(
            str(tmp_path), Job(NotePath("a.md"), digest), LIMITS, plain=plain, provisional=bool(plain)
        )

    first = read(None, plain="a fault")
    second = read(first.digest, plain="a fault")

    assert (second.same, second.racy) == (True, True)
    assert is_whole(read(first.digest))


def test_a_pass_that_is_given_up_leaves_no_answers_behind(tmp_path: Path, pools: Callable[..., Pool]) -> None:
    """The next pass gets its own answers, not those of the one before."""
    write(tmp_path, *GOOD)
    pool = pools()
    readings = pool.read([Job(NotePath(name), None) for name in GOOD])
    next(readings)
    readings.close()

    assert all(map(is_whole, read_all(pool, *GOOD).values()))


def test_notes_that_are_long_come_back_whole(tmp_path: Path, pools: Callable[..., Pool]) -> None:
    """A reading many times the size of a pipe is as good as a short one."""
    names = [f"long{at}.md" for at in range(4)]
    text = "bread and butter " * 20 + "\n\n"
    for name in names:
        (tmp_path / name).write_text(text * 2000, encoding="utf-8")

    found = read_all(pools(), *names).values()

    said = [unpacked(reading.passages) for reading in found if reading.passages]
    assert [len(passages) for passages in said] == [2000] * 4


def test_a_reading_that_fits_no_frame_is_kept_as_words(
    tmp_path: Path, pools: Callable[..., Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be handed over costs that note its links, not the pass its readings."""
    monkeypatch.setenv("FAKE_WORKER", "short frames")
    write(tmp_path, *GOOD)
    (tmp_path / "long.md").write_text("bread and butter [[Knife]] words\n" * 300, encoding="utf-8")

    found = read_all(pools(), "long.md", *GOOD)

    assert is_set_aside(found.pop("long.md"))
    assert all(map(is_whole, found.values()))


def left(pool: Pool, *names: str) -> list[str]:
    """Read notes, but for those that take long; returns the names of those that were read."""
    found = list(pool.read([Job(NotePath(name), None) for name in names], leave_slow=True))
    assert all(map(is_whole, found))
    return sorted(reading.path for reading in found)


def arrivals(pool: Pool) -> list[str]:
    """Wait for everything that is under way."""
    found: list[Reading] = []
    while pool.under_way():
        found += pool.arrived(0.1)
    assert all(map(is_whole, found))
    return sorted(reading.path for reading in found)


def test_slow_notes_hold_up_no_other(tmp_path: Path, pools: Callable[..., Pool]) -> None:
    """All others are read while they are parsed, also those that stood behind them, and in later passes."""
    slow = ["slow1.md", "slow2.md"]
    write(tmp_path, *GOOD, *slow)
    pool = pools()

    assert left(pool, *slow, *GOOD) == sorted(GOOD)
    assert pool.under_way() == set(slow)
    assert pool.arrived() == []
    assert left(pool, *GOOD) == sorted(GOOD)
    assert pool.under_way() == set(slow)
    (tmp_path / ".go").touch()
    assert arrivals(pool) == slow


def test_more_slow_notes_than_processes_hold_up_no_small_one(
    tmp_path: Path, pools: Callable[..., Pool]
) -> None:
    """However many there are, the rest is under way and a pass of few notes goes on."""
    slow = [f"slow{at}.md" for at in range(7)]
    write(tmp_path, *GOOD, *slow)
    pool = pools(workers=1)
    read = left(pool, *slow, *GOOD)
    (tmp_path / "small.md").write_text("# small\n\nbread [[Butter]]\n")

    assert pool.under_way() == {*slow, *GOOD} - set(read)
    assert len(pool._workers) <= 2
    assert left(pool, "small.md") == ["small.md"]
    (tmp_path / ".go").touch()
    assert sorted([*arrivals(pool), *read]) == sorted([*slow, *GOOD])


def test_a_note_that_nobody_wants_any_more_takes_no_processor(
    tmp_path: Path, pools: Callable[..., Pool]
) -> None:
    """Its process ends, and its answer never comes; those behind it are read all the same."""
    write(tmp_path, *GOOD, "slow1.md", "slow2.md")
    pool = pools()
    assert left(pool, "slow1.md", "slow2.md", *GOOD) == sorted(GOOD)
    ended = [
        worker.child for worker in pool._workers if worker.owed and worker.owed[0].job.path == "slow1.md"
    ]
    pool.forget("slow1.md")

    assert pool.under_way() == {"slow2.md"}
    assert all(child._process.poll() is not None for child in ended)
    (tmp_path / ".go").touch()
    assert arrivals(pool) == ["slow2.md"]
    assert left(pool, *GOOD, "slow1.md") == sorted([*GOOD, "slow1.md"])


def test_a_closed_pool_has_nothing_under_way(tmp_path: Path, pools: Callable[..., Pool]) -> None:
    """Whoever closes it wants no answers."""
    write(tmp_path, *GOOD, "slow1.md")
    pool = pools()
    left(pool, "slow1.md", *GOOD)
    pool.close()

    assert (pool.under_way(), pool.arrived(0.1)) == (set(), [])


def test_without_processes_nobody_waits_for_what_needs_one(
    tmp_path: Path, pools: Callable[..., Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small notes are read at once; a large one is under way, and kept as words when patience ends."""
    monkeypatch.setattr(module, "COMMAND", ("/does/not/exist",))
    write(tmp_path, *GOOD)
    (tmp_path / "large.md").write_text("bread " * 20_000)
    pool = pools(patience_s=0.5)

    assert left(pool, "large.md", *GOOD) == sorted(GOOD)
    assert pool.under_way() == {"large.md"}
    found: list[Reading] = []
    while not found:
        found = pool.arrived(0.1)
    assert is_undecided(found[0])
    assert found[0].provisional
