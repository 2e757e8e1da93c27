"""Starting, finding, restricting and stopping a real daemon from the command line."""

import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notesd.cli import run
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
            out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def plain(
        self,
        *words: str,
        stdout: Any = subprocess.DEVNULL,
        stderr: Any = subprocess.DEVNULL,
        before: Callable[[], None] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command with its streams as given.

        Args:
            words: The command.
            stdout: As for ``subprocess``.
            stderr: As for ``subprocess``.
            before: Called in the new process before the command begins.
        """
        return subprocess.run(
            [sys.executable, "-m", "notesd", *words],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=self.environment,
            cwd=self.home,
            preexec_fn=before,
            check=False,
            timeout=300,
        )

    def pid(self) -> int:
        """Return the process of the daemon that answers."""
        client = Client(self.socket)
        pid = client.call("ping")["pid"]
        client.close()
        assert isinstance(pid, int)
        return pid


def allow_no_file_to_grow() -> None:
    """Have every write to a file fail, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


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
    status, out, err = shell.run("query", "nothing-like-this")
    assert (status, out) == (0, "")
    assert err.startswith("notesd: nothing found; the index is complete")


def test_many_at_once_start_one_daemon(shell: Shell) -> None:
    """All are answered, by the same process."""
    begun = [shell.begin("query", "flour", "--vault", shell.vault, "--format", "paths") for _ in range(4)]
    ended = [process.communicate(timeout=300) for process in begun]

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


@pytest.mark.parametrize("where", ["", "/.notesd"], ids=["the notes", "below them"])
def test_nothing_is_written_into_the_notes_by_who_starts_a_daemon(shell: Shell, where: str) -> None:
    """A state folder among the notes is refused before anything of ours lies there; their mode stays."""
    before = _standing(shell.vault)
    status, _, err = shell.run("query", "flour", "--vault", shell.vault, "--state-dir", shell.vault + where)

    assert status == 69
    assert "lies inside the notes" in err
    assert "--state-dir" in err
    assert _standing(shell.vault) == before


def _standing(folder: str) -> dict[str, tuple[int, float]]:
    """Mode and time of a folder and all in it."""
    paths = [Path(folder), *Path(folder).rglob("*")]
    return {str(path): (path.stat().st_mode, path.stat().st_mtime) for path in paths}


def test_a_configuration_that_is_named_has_to_be_there(shell: Shell) -> None:
    """Also where a daemon answers already, by another one."""
    for _ in range(2):
        status, _, err = shell.run("query", "flour", "--vault", shell.vault, "--config", "/nowhere.toml")
        assert (status, "/nowhere.toml: no such configuration file" in err) == (2, True)
        shell.run("status", "--vault", shell.vault)


def test_help_takes_a_verb(shell: Shell) -> None:
    """As ``notesd VERB --help`` does; one that does not exist is said."""
    assert shell.run("help", "query") == shell.run("query", "--help")
    assert "usage: notesd query" in shell.run("help", "query")[1]
    status, _, err = shell.run("help", "quary")
    assert (status, "did you mean query?" in err) == (2, True)


def test_rescan_reads_everything_again(shell: Shell) -> None:
    """And says how much that was."""
    shell.run("status", "--vault", shell.vault)
    status, out, _ = shell.run("rescan")

    assert status == 0
    assert out.startswith("1 note read in ")


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


@pytest.mark.parametrize(
    "words", [["query", "flour"], ["export"], ["--version"], ["--help"], ["query", "--help"]], ids="_".join
)
def test_an_answer_that_cannot_be_written(shell: Shell, words: list[str]) -> None:
    """A file under the output that may not grow is one line and status 1."""
    shell.run("status", "--vault", shell.vault)
    with open(f"{shell.home}/out", "wb") as file:
        done = shell.plain(*words, stdout=file, stderr=subprocess.PIPE, before=allow_no_file_to_grow)

    said = f"notesd: the answer could not be written: {os.strerror(errno.EFBIG)}\n"
    assert (done.returncode, done.stderr.decode()) == (1, said)


def test_a_remark_that_cannot_be_written_changes_nothing(shell: Shell) -> None:
    """Standard error on a full disk or closed: the answer and the status are the same."""
    shell.run("status", "--vault", shell.vault)
    with open(f"{shell.home}/err", "wb") as file:
        done = shell.plain("query", "zzz", stdout=subprocess.PIPE, stderr=file, before=allow_no_file_to_grow)
    assert (done.returncode, done.stdout) == (0, b"")
    closed = shell.plain("query", "flour", stdout=subprocess.PIPE, before=lambda: os.close(2))
    assert (closed.returncode, b"Country loaf" in closed.stdout) == (0, True)


@pytest.mark.parametrize("streams", [(0,), (1,), (0, 1), (0, 1, 2)], ids=str)
def test_closed_streams(shell: Shell, streams: tuple[int, ...]) -> None:
    """With any standard stream closed the verb is carried out all the same, also one that starts a daemon."""

    def close() -> None:
        for number in streams:
            os.close(number)

    done = shell.plain("query", "flour", "--vault", shell.vault, before=close)

    assert done.returncode == 0
    assert shell.pid() > 0


def test_paths_that_a_query_prints_name_notes(shell: Shell) -> None:
    """``notesd query --format paths ... | xargs notesd show`` works; a file elsewhere is no note."""
    shell.run("status", "--vault", shell.vault)
    path = shell.run("query", "flour", "--format", "paths")[1].strip()

    assert "Country loaf" in shell.run("show", path)[1]
    assert shell.run("links", path)[0] == 0
    status, _, err = shell.run("show", "/etc/passwd")
    where = f"'/etc/passwd' lies in none of the folders of notes that were asked: {shell.vault} (space vault)"
    assert (status, err) == (1, f"notesd: {where}\n")


def test_a_daemon_that_could_not_even_say_why(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk takes no log either, the reason is told by looking at the disk."""
    with open(f"{shell.home}/log", "wb+") as log:
        monkeypatch.setattr(os, "fstatvfs", lambda _file: SimpleNamespace(f_bavail=0))
        full = run._last_line(log.fileno(), 0, 1)
        monkeypatch.setattr(os, "fstatvfs", lambda _file: SimpleNamespace(f_bavail=1))
        silent = run._last_line(log.fileno(), 0, -9)

    assert "the disk of its state folder is full" in full
    assert silent == "it ended with status -9 and said nothing"


def test_a_daemon_that_is_just_ending_is_waited_for(shell: Shell) -> None:
    """Until it lets go of the state folder another one is refused; a question does not fail for that."""
    import fcntl

    os.makedirs(shell.state)
    with open(f"{shell.state}/daemon.lock", "w", encoding="ascii") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        asked = shell.begin("query", "flour", "--vault", shell.vault)
        with pytest.raises(subprocess.TimeoutExpired):
            asked.wait(0.7)
    out, err = asked.communicate(timeout=300)

    assert (asked.returncode, "Country loaf" in out) == (0, True), err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["query", "flour", "--vault", "VAULT"], 0, "Country loaf"),
        (["rescan", "--vault", "VAULT"], 0, "1 note read in"),
        (
            ["rescan"],
            69,
            "hung up before it answered; ask again; the daemon could not start: no folder of notes",
        ),
    ],
    ids=["query", "rescan", "nothing says what to serve"],
)
def test_a_daemon_that_hangs_up_is_asked_once_more(
    shell: Shell, words: list[str], status: int, said: str
) -> None:
    """What reaches one in its last moment is done by the next; if none can be had, both reasons are told."""
    import socket

    os.makedirs(os.path.dirname(shell.socket), mode=0o700)
    with socket.socket(socket.AF_UNIX) as ending:
        ending.bind(shell.socket)
        ending.listen()
        asked = shell.begin(*(shell.vault if word == "VAULT" else word for word in words))
        connected, _ = ending.accept()
        os.unlink(shell.socket)
        connected.close()
        out, err = asked.communicate(timeout=300)

    assert (asked.returncode, said in out + err) == (status, True), err


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
                _, err = process.communicate(timeout=300)

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
