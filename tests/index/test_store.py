"""Index files: what is trusted, what is thrown away, what readers see."""

import os
import shutil
from pathlib import Path

import pytest

from notesd.errors import Busy
from notesd.index import store as stores
from notesd.index.store import Store


def made(folder: Path, *, complete: bool = True, fact: str = "") -> Store:
    store = stores.create(str(folder), fingerprint="f", stemmer="none")
    with store.write() as writer:
        writer.set_meta("complete", int(complete))
        writer.set_meta("fact", fact)
    return store


def reopened(folder: Path) -> tuple[Store | None, list[str]]:
    return stores.open_newest(str(folder))


def test_newest_complete_file_wins(tmp_path: Path) -> None:
    """A build that never finished does not replace an index that did."""
    made(tmp_path, fact="old").close()
    made(tmp_path, fact="new").close()
    made(tmp_path, complete=False, fact="half").close()

    store, damage = reopened(tmp_path)

    assert store is not None
    assert (store.peek().meta("fact"), damage) == ("new", [])
    assert len(stores.index_files(str(tmp_path))) == 1


def test_unfinished_file_is_taken_up_when_there_is_no_other(tmp_path: Path) -> None:
    """Work of an interrupted first build is kept."""
    made(tmp_path, complete=False, fact="half").close()

    store, _ = reopened(tmp_path)

    assert store is not None
    assert store.peek().meta("fact") == "half"


@pytest.mark.parametrize("size", [0, 100, 5000], ids=["empty", "header", "half"])
def test_cut_file_is_thrown_away(tmp_path: Path, size: int) -> None:
    """An index that lost its end is rebuilt, and a sentence says so."""
    store = made(tmp_path)
    store.harden()
    store.close()
    os.truncate(store.path, size)

    found, damage = reopened(tmp_path)

    assert found is None
    assert store.path in damage[0]
    assert os.listdir(tmp_path) == []


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


def test_readers_see_one_generation(tmp_path: Path) -> None:
    """A reader that has begun does not see what is committed meanwhile."""
    store = made(tmp_path, fact="before")
    with store.read() as reader:
        before = reader.generation
        with store.write() as writer:
            writer.set_meta("fact", "after")

        assert (reader.meta("fact"), reader.generation) == ("before", before)

    with store.read() as reader:
        assert (reader.meta("fact"), reader.generation) == ("after", before + 1)


def change_and_fail(store: Store) -> None:
    with store.write() as writer:
        writer.set_meta("fact", "after")
        raise ZeroDivisionError


def test_nothing_changed_is_no_generation(tmp_path: Path) -> None:
    """An empty transaction is not a change."""
    store = made(tmp_path)
    before = store.peek().generation
    with store.write():
        pass

    assert store.peek().generation == before


def test_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    """What raised half way is as if it had never begun."""
    store = made(tmp_path, fact="before")
    with pytest.raises(ZeroDivisionError):
        change_and_fail(store)

    assert store.peek().meta("fact") == "before"


def test_replaced_store_lets_its_readers_finish(tmp_path: Path) -> None:
    """Closing waits for no reader and takes the file from none."""
    store = made(tmp_path, fact="old")
    with store.read() as reader:
        store.close(delete=True)

        assert reader.meta("fact") == "old"
        with pytest.raises(Busy), store.read():
            pass

    assert os.listdir(tmp_path) == []


def test_deleted_file_is_noticed(tmp_path: Path) -> None:
    """Writing on into an unlinked file would be writing for nobody."""
    store = made(tmp_path)
    assert store.intact()

    os.unlink(store.path)

    assert not store.intact()
