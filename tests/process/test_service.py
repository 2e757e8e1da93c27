"""The daemon as a service manager runs it: a socket that is there before it, word of how it is, an end."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import DEADLINE_S

from notesd.serve.client import Client

pytestmark = pytest.mark.process

PASSING = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""
"""What a service manager does between fork and exec."""


class Managed:
    """A daemon that is begun by the first client."""

    def __init__(self, home: Path, notes: Path) -> None:
        self.home, self.notes = home, notes
        self.socket, self.told = (
            socket.socket(socket.AF_UNIX),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        )
        self.socket.bind(str(home / "s"))
        self.socket.listen()
        self.told.bind(str(home / "n"))
        self.told.settimeout(DEADLINE_S)

    def start(self) -> subprocess.Popen[bytes]:
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("NOTESD_", "XDG_"))}
        environment = keep | {
            "HOME": str(self.home), "LISTEN_FDS": "1", "NOTIFY_SOCKET": str(self.home / "n"),
            "WATCHDOG_USEC": "2000000",
        }  # fmt: skip
        number = self.socket.fileno()
        return subprocess.Popen(
            [
                sys.executable, "-c", PASSING, str(number), "-m", "notesd", "serve", str(self.notes),
                "--state-dir", str(self.home / "state"),
            ],
            env=environment, pass_fds=(number,), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def hear(self, word: str) -> None:
        """Wait until the daemon says so."""
        while self.told.recv(200).decode() != word:
            pass


@pytest.fixture
def managed(tmp_path: Path) -> Iterator[Managed]:
    (tmp_path / "kiln.md").write_text("A kiln for clay.\n")
    with tempfile.TemporaryDirectory(prefix="nd", dir="/tmp") as home:
        one = Managed(Path(home), tmp_path)
        yield one
        one.socket.close()
        one.told.close()


def test_who_asks_before_it_runs_is_answered(managed: Managed) -> None:
    """The first question waits at the socket; so does one that comes between two lives."""
    for _ in range(2):
        early = Client(str(managed.home / "s"), DEADLINE_S)
        process = managed.start()
        found = early.call("search", query="kiln", wait=True)["results"]
        assert isinstance(found, list)
        assert len(found) == 1
        managed.hear("READY=1")
        managed.hear("WATCHDOG=1")
        managed.hear("WATCHDOG=1")
        early.close()
        process.terminate()
        managed.hear("STOPPING=1")
        assert process.wait(DEADLINE_S) == 0
        assert (managed.home / "s").is_socket()  # it belongs to the service manager


def test_verbs_find_it_where_it_was_told_to_listen(managed: Managed) -> None:
    """By the lock of the state folder, without an option for the socket."""
    process = managed.start()
    managed.hear("READY=1")
    done = subprocess.run(
        [sys.executable, "-m", "notesd", "query", "kiln", "--wait", "--state-dir", f"{managed.home}/state"],
        capture_output=True, text=True, env={"HOME": str(managed.home), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert "kiln.md" in done.stdout
    process.terminate()
    assert process.wait(DEADLINE_S) == 0
