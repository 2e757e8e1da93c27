"""A record that is damaged, of a later version, or gone."""

import os
import shutil
from pathlib import Path

import apsw
import pytest

from notesd.index.store import translated
from notesd.usage import schema
from notesd.usage.record import Record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record with 400 notes, some pages long, closed in good order."""
    record = Record(str(tmp_path))
    for number in range(400):
        record.opened("s", [(f"key-{number:04}", f"folder/of/notes/number-{number:04}.md")])
    record.close()
    return tmp_path / "usage.db"


def opened(path: Path) -> tuple[Record, set[str]]:
    record = Record(str(path.parent))
    return record, set(record.openings("s", [f"key-{number:04}" for number in range(400)]))


def aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob("usage.db.corrupt-*"))


def test_a_good_one_is_left_alone(path: Path) -> None:
    """Nothing is said, nothing is moved."""
    record, keys = opened(path)
    assert (record.state.problem, len(keys), aside(path)) == (None, 400, [])
    record.close()


@pytest.mark.parametrize("where", ["header", "middle", "half"])
def test_damage_is_moved_aside_said_and_salvaged(path: Path, where: str) -> None:
    """Never deleted; answers go on."""
    whole = path.read_bytes()
    size = len(whole)
    if where == "header":
        path.write_bytes(os.urandom(8 * 1024) + whole[8 * 1024 :])
    elif where == "middle":
        at = size // 2 // 4096 * 4096
        path.write_bytes(whole[:at] + os.urandom(4096) + whole[at + 4096 :])
    else:
        path.write_bytes(whole[: size // 2])
    damaged = path.read_bytes()
    record, keys = opened(path)
    assert record.state.problem == "usage_reset"
    (kept,) = aside(path)
    assert kept.read_bytes() == damaged
    assert kept.name in record.state.reason
    if where != "header":
        assert len(keys) > 100, "the rows of the other pages are saved"
        assert "of its rows could be saved" in record.state.reason
    record.opened("s", [("new", "new.md")])
    assert record.openings("s", ["new"]).keys() == {"new"}
    record.close()
    again, _ = opened(path)
    assert again.state.problem is None
    again.close()


def test_damage_met_while_running(path: Path) -> None:
    """The same, at the first damaged page; no question fails."""
    record, keys = opened(path)
    assert len(keys) == 400
    with record._usable() as store:
        store.harden()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with record._usable() as store:
        store.peek().rows("PRAGMA shrink_memory")  # or it would answer from what it holds in memory
        store.peek().rows("PRAGMA user_version")
    assert record.companions("s", "key-0001", 5) == {}
    assert record.state.problem == "usage_reset"
    record.opened("s", [("new", "new.md")])
    assert record.openings("s", ["new"]).keys() == {"new"}
    record.close()


def test_several_copies_get_names_of_their_own(path: Path) -> None:
    """Two damages in one second keep both."""
    for _ in range(2):
        path.write_bytes(b"no database at all" * 300)
        record, _ = opened(path)
        record.close()
    assert len(aside(path)) == 2


@pytest.mark.parametrize("content", [b"", b"\0" * 10])
def test_an_empty_or_tiny_file(path: Path, content: bytes) -> None:
    """A file that holds nothing loses nothing: it is begun, or moved aside, and answers."""
    path.write_bytes(content)
    record, keys = opened(path)
    assert keys == set()
    assert record.state.problem in (None, "usage_reset")
    record.close()


def test_a_later_version_is_not_touched(path: Path) -> None:
    """Not a byte; it is said, nothing is recorded, questions are answered without it."""
    db = apsw.Connection(str(path))
    db.execute("PRAGMA user_version = 9999").fetchall()
    db.close()
    before = path.read_bytes()
    record = Record(str(path.parent))
    record.start()
    record.opened("s", [("x", "x.md")])
    assert record.openings("s", ["key-0001"]) == {}
    assert record.state.problem == "usage_newer"
    assert "9999" in record.state.reason
    record.close()
    assert path.read_bytes() == before
    assert aside(path) == []


def test_a_later_version_in_the_log_alone(path: Path, tmp_path: Path) -> None:
    """The version may stand in the write-ahead log; that is not merged either."""
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode = wal").fetchall()
    db.execute("PRAGMA user_version = 9999").fetchall()
    copy = tmp_path / "copy"
    copy.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", copy / f"usage.db{suffix}")
    db.close()
    before = (copy / "usage.db").read_bytes()
    record = Record(str(copy))
    assert record.state.problem == "usage_newer"
    record.close()
    assert (copy / "usage.db").read_bytes() == before


def test_a_foreign_database_is_moved_aside(path: Path) -> None:
    """Whoever put it there gets it back."""
    path.unlink()
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE note (x); PRAGMA user_version = 1").fetchall()
    db.close()
    record, _ = opened(path)
    assert record.state.problem == "usage_reset"
    assert len(aside(path)) == 1
    record.close()


def test_a_file_taken_away_is_begun_again(path: Path) -> None:
    """Deleted on purpose is deleted."""
    record, _ = opened(path)
    path.unlink()
    record.opened("s", [("new", "new.md")])
    assert record.openings("s", ["new", "key-0001"]).keys() == {"new"}
    record.close()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Said, and nobody is kept from an answer."""
    record = Record(str(tmp_path / "not" / "there"))
    record.opened("s", [("x", "x.md")])
    assert record.openings("s", ["x"]) == {}
    assert record.state.problem == "usage_unavailable"
    record.close()


def test_every_older_version_can_be_brought_up_to_date(tmp_path: Path) -> None:
    """Forwards, one step after the other, from nothing on."""
    for old in range(schema.VERSION + 1):
        folder = tmp_path / str(old)
        folder.mkdir()
        db = apsw.Connection(str(folder / "usage.db"))
        with translated("usage.db"), db:
            for number, statements in enumerate(schema.MIGRATIONS[:old], 1):
                for statement in statements:
                    db.execute(statement).fetchall()
                db.execute(f"PRAGMA user_version = {number}").fetchall()
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}").fetchall()
        db.close()
        record = Record(str(folder))
        record.opened("s", [("x", "x.md")])
        assert record.openings("s", ["x"]).keys() == {"x"}
        assert record.state.problem is None
        record.close()
