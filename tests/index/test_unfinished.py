"""An index that was not finished is taken up again only where nothing of it can be lost."""

from pathlib import Path

import pytest

from notesd.index import index_files


def left_behind(folder: Path, **facts: object) -> Path:
    """Begin an index and let go of it as a process that is killed does."""
    store = index_files.create(str(folder), fingerprint="f", stemmer="none")
    with store.write() as writer:
        for key, value in facts.items():
            writer.set_meta(key, value)
    path = Path(store.path)
    store.close()
    return path


def test_it_goes_on_after_a_process_was_killed(tmp_path: Path) -> None:
    """The system has every byte that was written."""
    path = left_behind(tmp_path)
    store, damage = index_files.open_newest(str(tmp_path))

    assert store is not None
    assert (store.path, damage) == (str(path), [])
    store.close()


@pytest.mark.parametrize("boot", ["another", "", None])
def test_it_is_begun_anew_after_the_machine_went_down(tmp_path: Path, boot: str | None) -> None:
    """A build is not synced before it is complete: any page of it may be missing."""
    path = left_behind(tmp_path, boot=boot)
    store, damage = index_files.open_newest(str(tmp_path))

    assert store is None
    assert not path.exists()
    assert "begun anew" in damage[0]


def test_a_complete_one_is_kept_over_a_restart_of_the_machine(tmp_path: Path) -> None:
    """It was synced before it was called so."""
    path = left_behind(tmp_path, boot="another", complete=1)
    store, damage = index_files.open_newest(str(tmp_path))

    assert store is not None
    assert (store.path, damage) == (str(path), [])
    store.close()


def test_syncing_leaves_no_page_to_the_system_alone(tmp_path: Path) -> None:
    """Also where the log was emptied into the file, unsynced, just before."""
    store = index_files.create(str(tmp_path), fingerprint="f", stemmer="none")
    with store.write() as writer:
        writer.set_meta("x", 1)
    log = Path(store.path + "-wal")
    store._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert log.stat().st_size == 0
    frames: list[int] = []

    def written(_db: object, _name: str, pages: int) -> int:
        frames.append(pages)
        return 0

    store._writer.set_wal_hook(written)
    store.harden()

    assert frames, "without a frame in the log, the file is not synced"
    assert log.stat().st_size == 0
    store.close()
