"""What of the record outlives a power cut, and which log is replayed into it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from sick_disk import Disk, sick_disk

from notesd.usage.record import Record


@pytest.fixture
def disk() -> Iterator[Disk]:
    with sick_disk() as sick:
        yield sick


def use(record: Record, *names: str) -> None:
    for name in names:
        record.opened("s", [(name, f"{name}.md")])


def known(folder: Path) -> tuple[set[str], str | None]:
    """The notes whose use is known, and what is said of the record, by one that is opened anew."""
    record = Record(str(folder))
    found = {trace.key for trace in record.traces("s")}
    problem = record.state.problem
    record.close()
    return found, problem


def copied(folder: Path, to: Path, *, log: bool = True) -> Path:
    """What a crash would leave: the files as they are, the shared memory gone."""
    to.mkdir()
    for name in ("usage.db", "usage.db-wal") if log else ("usage.db",):
        if (folder / name).exists():
            shutil.copy(folder / name, to / name)
    return to


def test_each_batch_is_on_the_disk(tmp_path: Path, disk: Disk) -> None:
    """A power cut that keeps nothing but what was synced keeps every batch."""
    record = Record(str(tmp_path))
    record._write_waiting()
    for number in range(3):
        use(record, f"note{number}")
        disk.synced.clear()
        record._write_waiting()
        assert "usage.db" in disk.synced
        cut = copied(tmp_path, tmp_path / f"cut{number}", log=False)
        assert known(cut) == ({f"note{one}" for one in range(number + 1)}, None)
    record.close()


def test_what_was_never_written_costs_no_sync(tmp_path: Path, disk: Disk) -> None:
    """A daemon that nobody asks lets the disk sleep."""
    record = Record(str(tmp_path))
    use(record, "a")
    record._write_waiting()
    disk.synced.clear()
    record._write_waiting()
    record.counts()
    assert disk.synced == []
    record.close()


def test_a_crash_at_any_write_loses_no_batch(tmp_path: Path) -> None:
    """Also in the midst of bringing the log into the file: the log is its own, and is replayed."""
    cuts: list[Path] = []

    def cut() -> None:
        cuts.append(copied(tmp_path, tmp_path / f"cut{len(cuts)}"))

    with sick_disk() as disk:
        record = Record(str(tmp_path))
        use(record, *(f"early{number}" for number in range(300)))
        record._write_waiting()
        disk.on_write = cut
        for number in range(3):
            use(record, *(f"late{number}-{one}" for one in range(40)))
            record._write_waiting()
        disk.on_write = lambda: None
        record.close()

    assert len(cuts) > 20
    before = 300
    for each in cuts:
        found, problem = known(each)
        assert problem is None
        assert before <= len(found)
        assert (len(found) - 300) % 40 == 0
        before = len(found)


@pytest.mark.parametrize("late", [0, 1, 5], ids=["of the batch before", "two before", "long ago"])
def test_an_older_log_is_not_replayed(tmp_path: Path, late: int) -> None:
    """A log that a backup put back beside the record takes nothing from it, and is moved aside."""
    record = Record(str(tmp_path))
    use(record, "first")
    record._write_waiting()
    use(record, "second")
    record.counts()  # written, and not brought into the file
    old = copied(tmp_path, tmp_path / "old") / "usage.db-wal"
    assert old.stat().st_size
    record._write_waiting()
    for number in range(late + 1):
        use(record, f"later{number}")
        record._write_waiting()
    record.close()
    expected = {"first", "second", *(f"later{number}" for number in range(late + 1))}
    shutil.copy(old, tmp_path / "usage.db-wal")

    assert known(tmp_path) == (expected, "usage_log_refused")
    (aside,) = tmp_path.glob("usage.db.corrupt-*")
    assert aside.read_bytes() == old.read_bytes()
    assert known(tmp_path) == (expected, None)


def test_a_log_of_another_record_is_not_replayed(tmp_path: Path) -> None:
    """Whoever mixes two folders of state loses no record by it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder in (tmp_path, elsewhere):
        record = Record(str(folder))
        use(record, folder.name)
        record._write_waiting()
        use(record, f"{folder.name} again")
        record.counts()
        copied(folder, folder / "cut")
        record.close()
    mixed = tmp_path / "cut"
    shutil.copy(elsewhere / "cut" / "usage.db-wal", mixed / "usage.db-wal")

    assert known(mixed) == ({tmp_path.name}, "usage_log_refused")


def test_a_record_of_an_earlier_version_keeps_its_log(tmp_path: Path) -> None:
    """Those had no marks; what stands in their log counts."""
    record = Record(str(tmp_path))
    use(record, "first")
    with record._usable() as store:
        store.complete()
    record.close()
    db = apsw.Connection(str(tmp_path / "usage.db"))
    db.execute("DELETE FROM meta WHERE key IN ('mark', 'since')").fetchall()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.execute("UPDATE note SET opened = 7").fetchall()
    cut = copied(tmp_path, tmp_path / "cut")
    db.close()

    record = Record(str(cut))
    assert record.state.problem is None
    assert record.openings("s", ["first"])["first"].opened == 7
    use(record, "second")
    record.close()
    assert known(cut) == ({"first", "second"}, None)


def test_somebody_who_reads_for_long_costs_no_batch(tmp_path: Path) -> None:
    """While the file cannot be completed the log is synced, and is known as its own later."""
    with sick_disk() as disk:
        record = Record(str(tmp_path))
        use(record, "a")
        record._write_waiting()
        reader = apsw.Connection(str(tmp_path / "usage.db"), flags=apsw.SQLITE_OPEN_READONLY)
        reader.execute("BEGIN").fetchall()
        reader.execute("SELECT count(*) FROM note").fetchall()
        for name in ("b", "c", "d"):
            use(record, name)
            disk.synced.clear()
            record._write_waiting()
        assert "usage.db-wal" in disk.synced
        cut = copied(tmp_path, tmp_path / "cut")
        reader.execute("COMMIT").fetchall()
        reader.close()
        use(record, "e")
        record.close()
    assert known(cut) == ({"a", "b", "c", "d"}, None)
    assert known(tmp_path) == ({"a", "b", "c", "d", "e"}, None)


def test_a_disk_that_fails_to_read_costs_no_record(tmp_path: Path, disk: Disk) -> None:
    """Whichever read fails, with an error or with noise: the record is not moved aside for it."""
    record = Record(str(tmp_path))
    use(record, *(f"note{number}" for number in range(60)))
    record.close()
    for code in (apsw.SQLITE_IOERR_READ, apsw.SQLITE_IOERR_CORRUPTFS, None):
        for number in range(1, 40):
            disk.fail(number, number if code is None else 1 << 60, code=code)
            sick = Record(str(tmp_path))
            assert sick.state.problem in (None, "usage_unavailable")
            disk.heal()
            sick.close()
            assert not list(tmp_path.glob("*.corrupt-*"))
            assert len(known(tmp_path)[0]) == 60
    assert os.path.exists(tmp_path / "usage.db")
