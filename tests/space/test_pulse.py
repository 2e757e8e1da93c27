"""The watcher proves that it delivers; where nothing can be asked of it, it is not called ill."""

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from notesd.errors import ConfigError
from notesd.files.ignore import Ignore
from notesd.space.pulse import NAME, Pulse

if TYPE_CHECKING:
    from notesd.files.watch import Watcher


class Told:
    """A watcher that is asked to watch one folder."""

    def __init__(self, *, full: bool = False) -> None:
        self.full = full
        self.folder: Path | None = None

    def add(self, name: str, folder: str, ignore: Ignore) -> str:
        if self.full:
            raise ConfigError("no watch is left")
        assert name == NAME
        self.folder = Path(folder)
        return "inotify"


def begun(tmp_path: Path, told: Told) -> Pulse:
    pulse = Pulse(str(tmp_path))
    pulse.begin(cast("Watcher", told))
    return pulse


def test_a_beat_that_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says when, and it changed nothing but the time of its own file."""
    told = Told()
    pulse = begun(tmp_path, told)
    assert told.folder is not None
    before = (told.folder / "pulse.md").stat().st_mtime_ns
    touch = os.utime

    def touch_and_tell(path: str) -> None:
        touch(path)
        threading.Timer(0.05, pulse.heard).start()

    monkeypatch.setattr(os, "utime", touch_and_tell)

    assert pulse.beats(300)
    assert pulse.last is not None
    assert (told.folder / "pulse.md").stat().st_mtime_ns >= before
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pulse", "pulse.md"]


def test_silence_is_told(tmp_path: Path) -> None:
    """An old event does not pass for the answer."""
    pulse = begun(tmp_path, Told())
    pulse.heard()

    assert not pulse.beats(0.01)
    assert pulse.last is None


def test_where_no_watch_is_left_it_begins_all_the_same(tmp_path: Path) -> None:
    """It is for the watcher to say so; nothing is heard."""
    pulse = begun(tmp_path, Told(full=True))

    assert not pulse.beats(0.01)


def test_a_disk_that_takes_nothing_says_nothing_of_the_watcher(tmp_path: Path) -> None:
    """The file is gone: no change can be made, so none is missed."""
    told = Told()
    pulse = begun(tmp_path, told)
    assert told.folder is not None
    (told.folder / "pulse.md").unlink()

    assert pulse.beats(0.01)
