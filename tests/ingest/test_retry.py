"""What could not be looked at is tried again soon, and ever more seldom while it is in vain."""

import os
from pathlib import Path

import pytest

from notesd.files.ignore import Ignore
from notesd.index import notes
from notesd.ingest.follow import Follower
from notesd.ingest.retry import PAUSE_S, Retry
from notesd.settings import Config


class Clock:
    """Time as the test wants it."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_pauses_grow_while_it_is_in_vain() -> None:
    """They double, have a bound, and begin anew with something new."""
    clock = Clock()
    retry = Retry(clock)
    assert retry.in_s() is None
    retry.after(["a"])
    pauses = []
    for _ in range(8):
        pauses.append(retry.in_s())
        assert not retry.due()
        clock.now += pauses[-1] or 0
        assert retry.due() == {"a"}
        retry.after(["a"])
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    retry.after(["a", "b"])
    assert retry.in_s() == PAUSE_S[0]
    retry.after([])
    assert retry.in_s() is None


def test_what_a_cloud_service_put_away_is_not_tried_again(tmp_path: Path) -> None:
    """It comes back with an event; until then, looking again and again finds the same."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("bread\n")
    follower = Follower(str(tmp_path / "notes"), str(tmp_path / "state"), Ignore(()), Config())
    follower.open()
    follower.scan()
    (tmp_path / "notes" / "a.md").rename(tmp_path / "notes" / ".a.md.icloud")
    for walks in (True, False):
        if walks:
            follower.scan()
        else:
            follower.look_at({"a.md"})
        assert follower.ingest is not None
        assert [problem.kind for problem in follower.ingest.unlisted.values()] == ["offline"]
        assert follower.retry.in_s() is None
    follower.close()


def test_other_passes_do_not_put_it_off() -> None:
    """Only a try counts as one."""
    clock = Clock()
    retry = Retry(clock)
    retry.after(["a"])
    clock.now += 0.5
    retry.after(["a"])
    assert retry.in_s() == 0.5


def test_a_folder_that_the_disk_gives_back_is_soon_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the disk that is over makes no event."""
    real = os.scandir
    bad: list[Path] = []

    def scandir(path: bytes) -> object:
        if bad and os.fsencode(bad[0]) == path:
            raise OSError(5, "Input/output error")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found(tmp_path, lambda folder, mode: bad.clear() if mode else bad.append(folder))


def found(home: Path, let: object) -> None:
    assert callable(let)
    clock = Clock()
    folder = home / "notes" / "sub"
    folder.mkdir(parents=True)
    (home / "notes" / "a.md").write_text("a")
    (folder / "b.md").write_text("b")
    follower = Follower(str(home / "notes"), str(home / "state"), Ignore(()), Config())
    follower.retry = Retry(clock)
    follower.open()
    let(folder, 0)
    try:
        follower.scan()
        assert follower.store is not None
        assert sorted(notes.known(follower.store.peek())) == ["a.md"]
        assert not follower.has_more()
        clock.now += PAUSE_S[0]
        assert follower.has_more()
        follower.look_at()
        assert not follower.has_more()
    finally:
        let(folder, 0o755)
    clock.now += 2 * PAUSE_S[0]
    follower.look_at()

    assert sorted(notes.known(follower.store.peek())) == ["a.md", "sub/b.md"]
    assert follower.again_in_s() is None
    follower.close()
