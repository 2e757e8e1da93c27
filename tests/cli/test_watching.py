"""The state of the daemon as somebody watches it: on a terminal, through a pipe, and until Ctrl-C."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import DEADLINE_S, Running, running

from notesd.cli import report, watching
from notesd.cli.render import Style


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Running]:
    vault = tmp_path / "notes"
    vault.mkdir()
    (vault / "a.md").write_text("# A\n", encoding="utf-8")
    with running(vault) as daemon:
        assert daemon.paths("a")
        yield daemon


def state(**changes: Any) -> dict[str, Any]:
    """An answer to ``status`` of one space, with a hostile name."""
    return {"spaces": [{"name": "v\x1b[2J", "state": "ready", "notes": 3, **changes}]}


def test_only_what_has_changed_is_told() -> None:
    """A build, vectors and a space that goes each have their line; the same twice has none."""
    told, building = watching.Told(json=False), {"done": 1, "total": 9}

    assert told.news(state(progress=building)) == "v\\x1b[2J: ready, 3 notes, indexed 1 of 9\n"
    assert told.news(state(progress=building)) == ""
    vectors = {"state": "making", "done": 2, "total": 4}
    assert told.news(state(vectors=vectors)) == "v\\x1b[2J: ready, 3 notes, vectors making, 2 of 4\n"
    assert told.news({"spaces": []}) == "v\\x1b[2J: is served no more\n"
    assert told.news({"spaces": []}) == ""


def test_long_work_has_a_bar_on_a_terminal_alone() -> None:
    """It stands before what is under way, and goes when that is done."""
    terminal, half = Style(colour=False, columns=80), state(progress={"done": 5, "total": 10})

    assert "[##########----------] indexed 5 of 10" in report.status(half, terminal)
    assert "[" not in report.status(half, Style(colour=False)).replace("\\x1b[2J", "")
    assert "#" not in report.status(state(progress={"done": 10, "total": 10}), terminal)


@pytest.mark.process
def test_a_pipe_gets_a_line_at_each_change_until_ctrl_c(notes: Running) -> None:
    """One line at first, one when a note has come, and the end is no error."""
    with subprocess.Popen(
        [*notes.program, "status", "--watch", *notes.options()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=notes.environment(), cwd=notes.home,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "notes: ready, 1 note\n"
        (notes.vault / "b.md").write_text("# B\n", encoding="utf-8")
        while "2 notes" not in (line := process.stdout.readline()):
            assert line.startswith("notes: ")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE_S)

    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.process
def test_a_terminal_is_drawn_again_until_ctrl_c(notes: Running) -> None:
    """Each drawing begins at the top; at the end lines wrap again."""
    command, environment = [*notes.program, "status", "--watch", *notes.options()], notes.environment()
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(notes.home)
        os.execvpe(command[0], command, {**environment, "TERM": "xterm"})
    said, end, stopped = b"", time.monotonic() + DEADLINE_S, False
    while b"\x1b[?7h" not in said:
        assert time.monotonic() < end, said
        if select.select([terminal], [], [], 1)[0]:
            said += os.read(terminal, 65536)
        if said.count(b"\x1b[H") == 2 and not stopped:
            stopped = bool(os.write(terminal, b"\x03"))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)

    assert status == 0
    assert said.startswith(b"\x1b[?7l\x1b[2J\x1b[H")
    assert b"notes: ready, 1 note" in said


@pytest.mark.process
def test_who_watches_starts_no_second_daemon(notes: Running) -> None:
    """When the daemon ends, that is said."""
    with subprocess.Popen(
        [*notes.program, "status", "--watch", *notes.options()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=notes.environment(), cwd=notes.home,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline()
        notes.stop()
        _, err = process.communicate(timeout=DEADLINE_S)

    assert process.returncode == 69
    assert "the daemon has ended" in err
    assert not notes.socket.exists()


def test_ctrl_c_while_modules_are_imported_is_silent(tmp_path: Path) -> None:
    """The process ends by the signal, as shells expect it, and prints no line of Python's."""
    (tmp_path / "argparse.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [sys.executable, "-m", "notesd", "query", "x"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")
