"""Who leaves word with a space is never held up, and hears what became of it whatever happens."""

import threading
from pathlib import Path

import apsw
import pytest

from notesd.errors import NotesdError, StoreFull
from notesd.settings import Config, SpaceConfig
from notesd.space.space import Space

WAIT_S = 60.0


@pytest.fixture
def space(tmp_path: Path) -> Space:
    """A space of one note that nobody has begun to follow."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("bread\n")
    return Space(SpaceConfig("n", str(tmp_path / "notes")), str(tmp_path / "state"), Config())


def test_a_slow_look_at_the_folder_holds_nobody_up(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk may take its time to say which folder stands there; the watcher goes on meanwhile."""
    looks, marked, in_time = threading.Event(), threading.Event(), list[bool]()

    def look() -> bool:
        looks.set()
        in_time.append(marked.wait(WAIT_S / 4))
        return False

    space.start()
    space.settled().result(WAIT_S)
    monkeypatch.setattr(space.follower, "in_doubt", look)
    assert looks.wait(WAIT_S)
    space.mark("a.md")
    marked.set()
    space.settled().result(WAIT_S)
    space.stop()

    assert in_time[0]


@pytest.mark.parametrize(
    ("failure", "told"),
    [(apsw.FullError("database or disk is full"), StoreFull), (RuntimeError("no idea"), NotesdError)],
    ids=["of the index", "that nobody foresaw"],
)
def test_who_waits_during_a_build_hears_of_its_failure(
    space: Space, monkeypatch: pytest.MonkeyPatch, failure: Exception, told: type[NotesdError]
) -> None:
    """The index that answers meanwhile could not be brought up to date."""

    def fail(*, whole: bool) -> None:
        assert whole
        raise failure

    monkeypatch.setattr(space.follower, "catch_up", fail)
    monkeypatch.setattr(space.follower, "beside", True)
    waiter = space.settled()
    if isinstance(failure, RuntimeError):
        with pytest.raises(RuntimeError):
            space._between()
    else:
        space._between()

    assert isinstance(waiter.exception(0), told)
