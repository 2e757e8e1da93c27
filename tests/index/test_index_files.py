"""Index files: what is trusted, what is thrown away."""

import os
import shutil
from pathlib import Path

import apsw
import pytest
from stores import made

from notesd.errors import StoreCorrupt
from notesd.index import index_files
from notesd.index.store import Store


def reopened(folder: Path) -> tuple[Store | None, list[str]]:
    return index_files.open_newest(str(folder))


def test_newest_complete_file_wins(tmp_path: Path) -> None:
    """A build that never finished does not replace an index that did."""
    made(tmp_path, fact="old").close()
    made(tmp_path, fact="new").close()
    made(tmp_path, complete=False, fact="half").close()

    store, damage = reopened(tmp_path)

    assert store is not None
    assert (store.peek().meta("fact"), damage) == ("new", [])
    assert len(index_files.index_files(str(tmp_path))) == 1


def test_unfinished_file_is_taken_up_when_there_is_no_other(tmp_path: Path) -> None:
    """Work of an interrupted first build is kept."""
    made(tmp_path, complete=False, fact="half").close()

    store, _ = reopened(tmp_path)

    assert store is not None
    assert store.peek().meta("fact") == "half"


def aside(folder: Path) -> list[Path]:
    return list(folder.glob("*.damaged"))


@pytest.mark.parametrize("size", [0, 100, 5000], ids=["empty", "header", "half"])
def test_cut_file_goes_when_its_successor_is_complete(tmp_path: Path, size: int) -> None:
    """An index that lost its end is rebuilt, and a sentence says so; until then it lies aside."""
    store = made(tmp_path)
    store.harden()
    store.close()
    os.truncate(store.path, size)

    found, damage = reopened(tmp_path)

    assert found is None
    assert store.path in damage[0]
    assert [one.name for one in aside(tmp_path)] == [os.path.basename(store.path) + ".damaged"]
    assert not os.path.exists(store.path)

    made(tmp_path, complete=False).close()
    assert reopened(tmp_path)[1] == []
    assert len(aside(tmp_path)) == 1

    made(tmp_path).close()
    reopened(tmp_path)
    assert aside(tmp_path) == []


def test_foreign_log_is_unmasked(tmp_path: Path) -> None:
    """A write-ahead log of another index beside ours would be replayed without a word: the nonce tells."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    old = made(elsewhere, fact="foreign")
    log = old.path + "-wal"
    keep = tmp_path / "kept-wal"
    shutil.copy(log, keep)
    old.close()
    mine = made(tmp_path, fact="mine")
    mine.harden()
    mine.close()
    shutil.copy(keep, mine.path + "-wal")

    found, damage = reopened(tmp_path)

    assert found is None or found.peek().meta("fact") == "mine"
    assert found is not None or damage


@pytest.mark.parametrize(
    "harm", ["DROP TABLE attached", "ALTER TABLE note ADD COLUMN later", "PRAGMA user_version = 1"]
)
def test_an_index_of_another_layout_is_not_asked(tmp_path: Path, harm: str) -> None:
    """It would lack what a question needs, so it is built anew, and that is said."""
    store = index_files.create(str(tmp_path), fingerprint="f", stemmer="none", durable=True)
    path = store.path
    store.close()
    with apsw.Connection(path) as db:
        db.execute(harm).fetchall()
        if not harm.startswith("PRAGMA"):  # as the version that had such a table wrote it
            db.execute("PRAGMA user_version = 7").fetchall()
    db.close()

    with pytest.raises(StoreCorrupt, match="written by another version of notesd; it is rebuilt"):
        index_files.opened(path)
