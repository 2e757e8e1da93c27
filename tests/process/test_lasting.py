"""Everything that the daemon does all its life goes on, whatever happens to it, until it stops."""

import sys
from pathlib import Path
from typing import Any

import failing_daemon
import pytest
from running import Running, running

pytestmark = pytest.mark.process
PROGRAM = (sys.executable, failing_daemon.__file__)
LASTING = {"watcher", "state folder", "socket", "event loop", "configuration", "space notes", "usage"}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder with one note."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nbread\n", encoding="utf-8")
    return folder


def duties(daemon: Running) -> dict[str, dict[str, Any]]:
    return {duty["name"]: duty for duty in daemon.ask("status")["background"]}


def test_all_that_lasts_is_named(vault: Path) -> None:
    """Status names every thread and task that is to last, and that it does."""
    with running(vault) as daemon:
        assert daemon.paths("bread") == ["a.md"]
        found = duties(daemon)

        assert set(found) == LASTING
        assert all(duty["alive"] and duty["trouble"] is None for duty in found.values())
        assert daemon.stop() == 0


def test_what_fails_is_said_and_goes_on(vault: Path) -> None:
    """Each of them fails in a way that nobody foresaw; each goes on, and the daemon does its work."""
    with running(vault, PROGRAM, FAILING=",".join(failing_daemon.ALL)) as daemon:
        assert daemon.paths("bread") == ["a.md"]
        daemon.ask("open", notes=["A"])
        (vault / "b.md").write_text("# B\n\nbread\n", encoding="utf-8")

        assert sorted(daemon.paths("bread")) == ["a.md", "b.md"]
        daemon.until(lambda: daemon.ask("status")["usage"].get("opened") == 1)
        daemon.until(lambda: daemon.ask("status")["spaces"][0]["watch"]["heartbeat"])
        daemon.until(lambda: daemon.ask("status")["state"] == "ready")
        assert set(duties(daemon)) == LASTING
        assert daemon.stop() == 0, daemon.log.read_text()
        for name in failing_daemon.ALL:
            assert daemon.log.read_text().count(f"internal error: RuntimeError: {name} has an idea") == 1


def test_a_state_folder_that_cannot_be_reached_for_a_while(vault: Path) -> None:
    """It is said in status while it lasts, questions are answered, and afterwards all is well."""
    with running(vault, PROGRAM) as daemon:
        assert daemon.paths("bread") == ["a.md"]
        pid, away = daemon.ask("ping")["pid"], daemon.state.with_name("away")
        daemon.state.rename(away)
        daemon.state.symlink_to(daemon.state)  # a circle: like a folder above it that may not be entered

        daemon.until(lambda: duties(daemon)["state folder"]["trouble"])
        status = daemon.ask("status")
        assert status["state"] == "degraded"
        assert str(daemon.state) in duties(daemon)["state folder"]["trouble"]
        assert daemon.run("status").stdout.count("! state folder: ") == 1
        daemon.state.unlink()
        away.rename(daemon.state)

        daemon.until(lambda: daemon.ask("status")["state"] == "ready")
        assert daemon.ask("ping")["pid"] == pid


def test_a_socket_that_cannot_be_reached_for_a_while(vault: Path) -> None:
    """The daemon goes on looking, and is found again when its folder can be reached."""
    with running(vault, PROGRAM) as daemon:
        assert daemon.paths("bread") == ["a.md"]
        pid, folder = daemon.ask("ping")["pid"], daemon.socket.parent
        away = folder.with_name("away")
        folder.rename(away)
        folder.symlink_to(folder)

        daemon.until(lambda: f"socket: {daemon.socket}: " in daemon.log.read_text())
        folder.unlink()
        away.rename(folder)

        daemon.until(lambda: duties(daemon)["socket"]["trouble"] is None)
        assert daemon.ask("ping")["pid"] == pid
        daemon.socket.unlink()
        assert daemon.ask("ping")["pid"] == pid


def test_a_socket_s_folder_that_cannot_be_made_for_a_while(vault: Path) -> None:
    """Its place cannot be had at first; the daemon does not end, and listens there as soon as it can."""
    with running(vault, PROGRAM) as daemon:
        pid, folder = daemon.ask("ping")["pid"], daemon.socket.parent
        daemon.socket.unlink()
        folder.rmdir()
        folder.write_text("in the way", encoding="utf-8")

        daemon.until(lambda: "listening anew" in daemon.log.read_text())
        daemon.until(lambda: "socket: " in daemon.log.read_text())
        folder.unlink()

        assert daemon.ask("ping")["pid"] == pid
