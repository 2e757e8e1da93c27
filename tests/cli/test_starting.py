"""Starting, finding, restricting and stopping a real daemon from the command line."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notesd.errors import NoDaemon
from notesd.serve.client import Client

pytestmark = pytest.mark.process


class Shell:
    """Runs ``notesd`` as a person with an empty home would."""

    def __init__(self, home: str, vault: Path) -> None:
        """Take a short folder for everything of ours, and the notes."""
        self.home, self.vault = home, str(vault)
        self.state = f"{home}/state/notesd"
        self.socket = f"{home}/run/notesd/notesd.sock"
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("NOTESD_", "XDG_"))}
        self.environment = keep | {
            "HOME": home,
            "XDG_STATE_HOME": f"{home}/state",
            "XDG_RUNTIME_DIR": f"{home}/run",
            "XDG_CONFIG_HOME": f"{home}/config",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
        }

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Start a command."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-m", "notesd", *words],
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
            env=self.environment,
            cwd=self.home,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command; status, output, errors."""
        with self.begin(*words) as process:
            out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def pid(self) -> int:
        """Return the process of the daemon that answers."""
        client = Client(self.socket)
        pid = client.call("ping")["pid"]
        client.close()
        assert isinstance(pid, int)
        return pid


@pytest.fixture
def shell(short_folder: str, tmp_path: Path) -> Iterator[Shell]:
    """A shell whose daemon, if any, is stopped when the test ends."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "bread.md").write_text("# Country loaf\n\nMix flour and water.\n", encoding="utf-8")
    one = Shell(short_folder, vault)
    yield one
    one.run("stop")


def test_a_question_starts_a_daemon_and_is_answered(shell: Shell) -> None:
    """One command is enough: the first answer comes from a whole index; the second finds the daemon."""
    status, out, err = shell.run("query", "flour", "--vault", shell.vault)

    assert (status, "Country loaf\n  bread.md:3" in out) == (0, True), err
    assert err.startswith(f"notesd: no daemon runs at {shell.socket}; starting one for {shell.vault}")
    assert shell.run("query", "water", "--format", "paths") == (0, f"{shell.vault}/bread.md\n", "")
    assert shell.run("query", "nothing-like-this") == (0, "", "notesd: nothing found\n")


def test_many_at_once_start_one_daemon(shell: Shell) -> None:
    """All are answered, by the same process."""
    begun = [shell.begin("query", "flour", "--vault", shell.vault, "--format", "paths") for _ in range(4)]
    ended = [process.communicate(timeout=60) for process in begun]

    assert [out for out, _ in ended] == [f"{shell.vault}/bread.md\n"] * 4, ended
    assert sum("starting one" in err for _, err in ended) == 1


def test_the_daemon_outlives_its_client_and_leaves_no_trace_open(shell: Shell) -> None:
    """It leads a session of its own, and its log is nobody else's to read."""
    shell.run("status", "--vault", shell.vault)
    pid = shell.pid()

    assert os.getsid(pid) == pid
    assert os.stat(f"{shell.state}/daemon.log").st_mode & 0o777 == 0o600


def test_stop_waits_until_it_is_gone(shell: Shell) -> None:
    """Afterwards nothing answers, and a second stop says so."""
    shell.run("status", "--vault", shell.vault)
    pid = shell.pid()
    status, out, err = shell.run("stop")

    assert (status, out, err) == (0, "", "notesd: the daemon has ended\n")
    with pytest.raises(NoDaemon):
        Client(shell.socket)
    with pytest.raises(ProcessLookupError):
        _signal_nothing(pid)
    assert shell.run("stop")[0] == 69


def _signal_nothing(pid: int) -> None:
    """Fail when the process is gone; collect it first where it is our orphan."""
    with (
        open(f"/proc/{pid}/stat", "rb")
        if os.path.exists(f"/proc/{pid}/stat")
        else open(os.devnull, "rb") as file
    ):
        if file.read().rpartition(b")")[2].split()[:1] == [b"Z"]:
            raise ProcessLookupError
    os.kill(pid, 0)


def test_another_folder_than_the_daemons_is_refused(shell: Shell, tmp_path: Path) -> None:
    """Asking about a folder that is not served says which are."""
    shell.run("status", "--vault", shell.vault)
    status, out, err = shell.run("query", "flour", "--vault", str(tmp_path))

    assert (status, out) == (2, "")
    assert f"serves {shell.vault}, not {tmp_path}" in err


def test_a_daemon_that_cannot_start_says_why(shell: Shell) -> None:
    """The reason reaches the person who asked, with the status for no daemon."""
    status, out, err = shell.run("query", "flour")

    assert (status, out) == (69, "")
    assert "the daemon could not start: " in err
    assert "no folder of notes" in err


def test_a_state_folder_that_cannot_be_used_is_named(shell: Shell) -> None:
    """A file where the state should be is said, not shown as a traceback."""
    Path(f"{shell.home}/file").touch()
    status, _, err = shell.run(
        "query", "x", "--vault", shell.vault, "--state-dir", f"{shell.home}/file/state"
    )

    assert status == 69
    assert f"{shell.home}/file/state" in err
    assert "Traceback" not in err


def test_rescan_reads_everything_again(shell: Shell) -> None:
    """And says how much that was."""
    shell.run("status", "--vault", shell.vault)
    status, out, _ = shell.run("rescan")

    assert status == 0
    assert out.startswith("1 notes read in ")


def test_export_needs_no_daemon(shell: Shell) -> None:
    """One JSON document, with what each query finds, and nothing left behind."""
    import json

    status, out, err = shell.run("export", "--vault", shell.vault, "--query", "flour", "--query", "zzz")

    assert (status, err) == (0, "")
    assert json.loads(out)["search"] == [{"q": "flour", "paths": ["bread.md"]}, {"q": "zzz", "paths": []}]
    assert not os.path.exists(shell.socket)


def test_a_reader_that_leaves_is_no_error(shell: Shell) -> None:
    """``notesd query ... | head -1`` ends without a traceback."""
    shell.run("status", "--vault", shell.vault)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "notesd", "query", "flour"],
        stdout=write,
        stderr=subprocess.PIPE,
        env=shell.environment,
        cwd=shell.home,
        check=False,
    )
    os.close(write)

    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupt_is_quiet(shell: Shell, short_folder: str) -> None:
    """Ctrl-C while a question waits ends with the shell's status for it and no traceback."""
    import socket

    path = f"{short_folder}/s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        # A shell starts what it puts in the background with interrupts ignored, CI perhaps among it.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        with shell.begin("query", "x", "--socket", path) as process:
            signal.signal(signal.SIGINT, before)
            connected, _ = listening.accept()
            with connected:
                connected.recv(4096)
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=30)

    assert (process.returncode, err) == (130, "")


def test_colour_only_on_a_terminal(shell: Shell) -> None:
    """A terminal gets colours unless it or the person does not want them; a pipe never."""
    shell.run("status", "--vault", shell.vault)

    assert "\x1b[1m" in _on_terminal(shell, {"TERM": "xterm"})
    assert "\x1b" not in _on_terminal(shell, {"TERM": "xterm", "NO_COLOR": "1"})
    assert "\x1b" not in _on_terminal(shell, {"TERM": "dumb"})


def _on_terminal(shell: Shell, environment: dict[str, str]) -> str:
    """Return what a query writes to a terminal."""
    ours, theirs = os.openpty()
    plain: dict[str, Any] = {name: value for name, value in shell.environment.items() if name != "NO_COLOR"}
    subprocess.run(
        [sys.executable, "-m", "notesd", "query", "flour"],
        stdout=theirs,
        stderr=theirs,
        env=plain | environment,
        cwd=shell.home,
        check=True,
    )
    written = os.read(ours, 1 << 16).decode()
    os.close(theirs)
    os.close(ours)
    return written
