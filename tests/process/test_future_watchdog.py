"""File events come from the inside of a library: where it is not as we know it, that is made up for."""

import os
import sys
from pathlib import Path
from typing import Any

import future_watchdog
import pytest
from running import Running, running

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only its public part is used"),
]
PROGRAM = (sys.executable, future_watchdog.__file__)


def watch_of(daemon: Running) -> dict[str, Any]:
    (space,) = daemon.ask("status")["spaces"]
    return {"watching": space["watching"], **space["watch"]}


@pytest.mark.parametrize("change", future_watchdog.CHANGES)
def test_another_version_is_said_and_made_up_for(tmp_path: Path, change: str) -> None:
    """Status and the log say what is missing; changes are found all the same, by more frequent walks."""
    vault, settings = tmp_path / "notes", tmp_path / "config.toml"
    (vault / "one").mkdir(parents=True)
    (vault / "a.md").write_text("# A\n\nbread\n", encoding="utf-8")
    settings.write_text("[index]\npoll_interval_s = 1\nrescan_interval_s = 3600\n", encoding="utf-8")
    with running(vault, PROGRAM, CHANGED=change, NOTESD_CONFIG=str(settings)) as daemon:
        daemon.until(lambda: watch_of(daemon)["shortfall"])
        watch = watch_of(daemon)
        # A folder that is exchanged for another one is what the library's own way of watching loses.
        (vault / "other").mkdir()
        (vault / "other" / "b.md").write_text("# B\n\nbread\n", encoding="utf-8")
        os.rename(vault / "one", vault / "two")
        os.rename(vault / "other", vault / "one")
        (vault / "one" / "c.md").write_text("# C\n\nbread\n", encoding="utf-8")

        def found() -> list[str]:
            return sorted(hit["path"] for hit in daemon.ask("search", query="bread")["results"])

        daemon.until(lambda: found() == ["a.md", "one/b.md", "one/c.md"])
        assert "watchdog" in watch["shortfall"]
        assert "folders are walked more often" in daemon.log.read_text()
        assert daemon.log.read_text().count("is not as expected") <= 2
        assert all(duty["alive"] and not duty["trouble"] for duty in daemon.ask("status")["background"])
        assert daemon.stop() == 0


def test_the_version_we_know_falls_short_of_nothing(tmp_path: Path) -> None:
    """The best way is taken, and nothing is said."""
    (tmp_path / "a.md").write_text("bread\n", encoding="utf-8")
    with running(tmp_path) as daemon:
        assert daemon.paths("bread") == ["a.md"]
        watch = watch_of(daemon)

        assert (watch["watching"], watch["shortfall"]) == ("inotify", None)
        assert "expected" not in daemon.log.read_text()
