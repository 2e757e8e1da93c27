"""The watcher proves that it delivers; where nothing can be asked of it, it is not called ill."""

import threading
from pathlib import Path
from typing import cast

import pytest

from notesd.errors import ConfigError
from notesd.files.ignore import Ignore
from notesd.files.watch import POLLING, Watcher
from notesd.space.pulse import NAME, Pulse


class Told:
    """A watcher that is asked to watch one folder."""

    def __init__(self, kind: str = "inotify", *, full: bool = False) -> None:
        self.kind, self.full = kind, full
        self.folder: Path | None = None

    def add(self, name: str, folder: str, ignore: Ignore) -> str:
        if self.full:
            raise ConfigError("no watch is left")
        assert name == NAME
        self.folder = Path(folder)
        return self.kind


def begun(tmp_path: Path, told: Told) -> tuple[Pulse, bool]:
    pulse = Pulse(str(tmp_path))
    return pulse, pulse.begin(cast("Watcher", told))


def test_a_beat_that_is_heard(tmp_path: Path) -> None:
    """It says when, and it changed nothing but the time of its own file."""
    told = Told()
    pulse, watched = begun(tmp_path, told)
    assert watched
    assert told.folder is not None
    before = (told.folder / "pulse.md").stat().st_mtime_ns
    threading.Timer(0.05, pulse.heard).start()

    assert pulse.beats(10)
    assert pulse.last is not None
    assert (told.folder / "pulse.md").stat().st_mtime_ns >= before
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pulse", "pulse.md"]


def test_silence_is_told(tmp_path: Path) -> None:
    """An old event does not pass for the answer."""
    pulse, _ = begun(tmp_path, Told())
    pulse.heard()

    assert not pulse.beats(0.01)
    assert pulse.last is None


@pytest.mark.parametrize("told", [Told(POLLING), Told(full=True)], ids=["no events", "no watch left"])
def test_where_there_is_nothing_to_wait_for(tmp_path: Path, told: Told) -> None:
    """It says so at the beginning."""
    assert begun(tmp_path, told)[1] is False


def test_a_disk_that_takes_nothing_says_nothing_of_the_watcher(tmp_path: Path) -> None:
    """The file is gone: no change can be made, so none is missed."""
    told = Told()
    pulse, _ = begun(tmp_path, told)
    assert told.folder is not None
    (told.folder / "pulse.md").unlink()

    assert pulse.beats(0.01)
