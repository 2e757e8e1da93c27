"""A database of ours: what readers see and may remember, what a failed change leaves."""

import os
from pathlib import Path

import pytest
from stores import made

from notesd.errors import Busy
from notesd.index.store import Store


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


def test_what_is_known_goes_with_its_generation(tmp_path: Path) -> None:
    """Readers of one generation share it; older and newer ones and the writer do not."""
    store = made(tmp_path)
    with store.read() as older:
        older.known("colour")[1] = "red"
        with store.read() as same:
            assert same.known("colour") == {1: "red"}
            assert same.known("shape") == {}
        with store.write() as writer:
            writer.set_meta("fact", "new")
            writer.known("colour")[1] = "half done"
            assert writer.known("colour") == {}
        with store.read() as newer:
            newer.known("colour")[1] = "blue"
            with store.read() as late:
                assert late.known("colour") == {1: "blue"}
        assert older.known("colour") == {1: "red"}
    store.peek().known("colour")[1] = "unsure"
    with store.read() as reader:
        assert reader.known("colour") == {1: "blue"}


def test_a_reader_from_before_a_change_is_told_nothing_new(tmp_path: Path) -> None:
    """It began first, but asks only when newer readers have found something out."""
    store = made(tmp_path)
    with store.read() as older:
        assert older.meta("fact") is not None  # what it sees is fixed from here
        with store.write() as writer:
            writer.set_meta("fact", "new")
        with store.read() as newer:
            newer.known("colour")[1] = "blue"
        assert older.known("colour") == {}


def test_what_is_known_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts of a large folder do not pile up."""
    monkeypatch.setattr("notesd.index.store.MOST_KNOWN", 3)
    store = made(tmp_path)
    with store.read() as reader:
        for number in range(50):
            reader.known("number")[number] = number
            assert len(reader.known("number")) <= 4


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
