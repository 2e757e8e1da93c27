"""A record that is damaged, of a later version, or gone."""

import os
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from notesd.errors import Busy, NotesdError
from notesd.index.store import Writer, translated
from notesd.usage import schema
from notesd.usage.forget import Scope
from notesd.usage.keeper import State
from notesd.usage.ledger import Ledger
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
    with pytest.raises(NotesdError, match="damaged"):
        record.companions("s", "key-0001", 5)
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
    """What was there is lost, and that is said."""
    path.write_bytes(content)
    record, keys = opened(path)
    assert keys == set()
    assert record.state.problem == "usage_reset"
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
    with pytest.raises(NotesdError, match="9999"):
        record.openings("s", ["key-0001"])
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
    """Deleted on purpose is deleted, and said."""
    record, _ = opened(path)
    path.unlink()
    record.opened("s", [("new", "new.md")])
    assert record.openings("s", ["new", "key-0001"]).keys() == {"new"}
    assert record.state.problem == "usage_reset"
    assert "deleted" in record.state.reason
    record.close()


def test_a_file_put_in_its_place_is_used_as_it_is(path: Path, tmp_path: Path) -> None:
    """A record restored under the running daemon: nothing of the old one's log gets into it."""
    backup = tmp_path / "backup.db"
    shutil.copy(path, backup)
    record, _ = opened(path)
    for _ in range(30):
        record.opened("s", [("key-0000", "x.md")])
        assert record.openings("s", ["key-0000"])
    os.replace(backup, path)
    assert record.openings("s", ["key-0000"])["key-0000"].opened == 1
    assert record.state.problem == "usage_reset"
    assert "replaced" in record.state.reason
    record.close()
    again, keys = opened(path)
    assert (again.openings("s", ["key-0000"])["key-0000"].opened, len(keys)) == (1, 400)
    again.close()


def test_one_that_could_not_be_opened_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No restart is needed; a folder and a pipe in its place are no reason to wait."""
    monkeypatch.setattr("notesd.usage.keeper.RETRY_S", 0.0)
    kept = path.rename(path.with_suffix(".kept"))
    for odd, away in ((os.mkdir, os.rmdir), (os.mkfifo, os.unlink)):
        odd(path)
        record = Record(str(path.parent))
        with pytest.raises(NotesdError, match="cannot be used"):
            record.openings("s", ["key-0001"])
        assert record.state.problem == "usage_unavailable"
        away(path)
        shutil.copy(kept, path)
        assert record.openings("s", ["key-0001"]).keys() == {"key-0001"}
        assert record.state == State()
        record.close()
        path.unlink()


def test_another_program_that_writes_keeps_nobody_waiting(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers come from what is written, what is new waits, and is written later."""
    record, _ = opened(path)
    db = apsw.Connection(str(path))
    db.execute("BEGIN IMMEDIATE").fetchall()
    tries: list[Ledger] = []
    write = Ledger.write

    def counted(store: Ledger) -> AbstractContextManager[Writer]:
        tries.append(store)
        return write(store)

    monkeypatch.setattr(Ledger, "write", counted)
    now = [1e9]
    monkeypatch.setattr("notesd.usage.record.time", SimpleNamespace(monotonic=lambda: now[0]))
    for _ in range(10):
        record.opened("s", [("key-0001", "x.md")])
        assert record.openings("s", ["key-0001"])["key-0001"].opened == 1
    assert len(tries) == 1, "the lock is waited for once, and not again at the same moment"
    assert record.state.problem is None
    with pytest.raises(Busy):
        record.forget(Scope())
    db.execute("ROLLBACK").fetchall()
    db.close()
    now[0] += 1
    assert record.openings("s", ["key-0001"])["key-0001"].opened == 11
    record.close()


def test_forgetting_keeps_the_locks(path: Path) -> None:
    """Another program that opens and closes the file takes no log away from under us."""
    record, _ = opened(path)
    assert record.forget(Scope("s", frozenset({"key-0007"}))).proved
    code = f"import apsw; db = apsw.Connection({str(path)!r}); db.execute('SELECT * FROM note').fetchall()"
    record.opened("s", [("key-0001", "x.md")])
    record.counts()
    subprocess.run([sys.executable, "-c", code], check=True)
    record.opened("s", [("key-0001", "x.md")])
    record.counts()
    other, _ = opened(path)
    assert other.openings("s", ["key-0001"])["key-0001"].opened == 3
    other.close()
    record.close()


@pytest.mark.parametrize(
    "damage", ["ALTER TABLE note DROP COLUMN opened_at", "DROP TABLE tuned", "CREATE TABLE more (x)"]
)
def test_tables_that_are_not_ours_are_moved_aside(path: Path, damage: str) -> None:
    """A column or table less or more: no question meets it."""
    db = apsw.Connection(str(path))
    db.execute("DROP INDEX note_opened").fetchall()
    db.execute(damage).fetchall()
    db.close()
    record, _ = opened(path)
    assert record.state.problem == "usage_reset"
    record.close()


def test_a_value_of_the_wrong_kind_cannot_be_in_it(path: Path) -> None:
    """SQLite itself refuses it."""
    db = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError):
        db.execute("UPDATE note SET opened_at = 'soon'").fetchall()
    db.close()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Said, and nobody is kept from an answer."""
    record = Record(str(tmp_path / "not" / "there"))
    record.opened("s", [("x", "x.md")])
    with pytest.raises(NotesdError, match="cannot be used"):
        record.openings("s", ["x"])
    with pytest.raises(NotesdError, match="cannot be used"):
        record.counts()
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
