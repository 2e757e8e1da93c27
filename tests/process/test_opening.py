"""What was found is opened: by number, by choosing, in whatever a person opens notes with."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import DEADLINE_S, Running, running

pytestmark = pytest.mark.process

needs_fzf = pytest.mark.skipif(
    not (shutil.which("fzf") and shutil.which("tmux")), reason="there is no fzf or no tmux here"
)


class Desk:
    """A daemon, and programs that write down how they were called."""

    def __init__(self, daemon: Running, config: Path) -> None:
        self.daemon, self.config, self.called = daemon, config, daemon.home / "called"
        self.programs = daemon.home / "bin"
        self.programs.mkdir()
        for name in ("vim", "code", "xdg-open", "open", "mine"):
            program = self.programs / name
            program.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name}" "$@" > {self.called}.new\n'
                               f"mv {self.called}.new {self.called}\n")  # fmt: skip
            program.chmod(0o755)
        # Two more ways for the shell of a terminal to find this program.
        self.environment = daemon.environment() | {
            "PATH": f"{self.programs}:{os.environ['PATH']}", "EDITOR": "vim -u NONE",
        }  # fmt: skip

    def open_with(self, how: str) -> None:
        space = f'[spaces.notes]\npath = "{self.daemon.vault}"\n'
        self.config.write_text(f"{space}[terminal]\nopen_with = '{how}'\n")

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        self.called.unlink(missing_ok=True)
        return subprocess.run(
            [sys.executable, "-m", "notesd", *words, *self.daemon.options()], capture_output=True, text=True,
            env=self.environment | more, timeout=DEADLINE_S,
        )  # fmt: skip

    def words(self) -> list[str]:
        """How the last program was called."""
        end = time.monotonic() + DEADLINE_S
        while not self.called.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        return self.called.read_text().splitlines()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    notes = tmp_path / "my notes"
    notes.mkdir()
    (notes / "Kiln é.md").write_text("# Kiln\n\nNothing.\n\nA kiln for clay.\n")
    (notes / "Oven.md").write_text("# Oven\n\nAn oven is no kiln.\n")
    config = tmp_path / "config.toml"
    config.write_text(f'[spaces.notes]\npath = "{notes}"\n')
    with running(notes, NOTESD_CONFIG=str(config)) as daemon:
        daemon.paths("settle")
        yield Desk(daemon, config)


def test_a_result_is_opened_by_its_number(desk: Desk) -> None:
    """At its line, in the editor; it counts as opened, unless that is not wished."""
    path = f"{desk.daemon.vault}/Kiln é.md"
    done = desk.run("query", "kiln", "--open", "1")
    assert (done.returncode, done.stdout) == (0, f"{path}:5\n"), done.stderr
    assert desk.words() == ["vim", "-u", "NONE", "+5", path]
    assert desk.daemon.ask("status")["usage"]["opened"] == 1
    assert desk.run("query", "kiln", "--open", "2", "--no-record").returncode == 0
    assert desk.words()[-1].endswith("Oven.md")
    assert desk.daemon.ask("status")["usage"]["opened"] == 1
    for number in ("3", "0", "-1"):
        assert desk.run("query", "kiln", "--open", number).returncode == 2


@pytest.mark.parametrize(
    ("how", "editor", "words"),
    [
        ("editor", "code -w", ["code", "-w", "--goto", "PATH:5"]),
        ("editor", "", ["xdg-open", "PATH"]),
        ("obsidian", "vim", ["xdg-open", "obsidian://open?path=QUOTED"]),
        ("mine --at {line} {path}", "vim", ["mine", "--at", "5", "PATH"]),
        ("x://{line}/{path}", "vim", ["xdg-open", "x://5/QUOTED"]),
    ],
)
def test_it_is_opened_as_people_wish(desk: Desk, how: str, editor: str, words: list[str]) -> None:
    """Names with blanks and accents arrive whole."""
    desk.open_with(how)
    desk.daemon.ask("status")
    done = desk.run("query", "kiln", "--open", "1", EDITOR=editor)
    assert done.returncode == 0, done.stderr
    path = f"{desk.daemon.vault}/Kiln é.md"
    quoted = path.replace("/", "%2F").replace(" ", "%20").replace("é", "%C3%A9")
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    assert desk.words() == [
        word.replace("PATH", path).replace("QUOTED", quoted).replace("xdg-open", opener) for word in words
    ]


def test_what_cannot_be_opened_is_said(desk: Desk) -> None:
    """The program is not there, or the setting is none."""
    desk.open_with("nothere {path}")
    assert "there is no program 'nothere'" in desk.run("query", "kiln", "--open", "1").stderr
    desk.open_with("vim")
    assert "open_with" in desk.run("query", "kiln", "--open", "1").stderr


def test_without_a_chooser_there_is_a_list(desk: Desk) -> None:
    """Of what answers, or of the newest; no record is left of it."""
    assert "Kiln" in desk.run("pick", "clay").stdout
    assert "Oven" in desk.run("pick").stdout
    assert desk.daemon.ask("status")["usage"]["notes"] == 0


def test_results_can_be_had_with_tabs(desk: Desk) -> None:
    """Path, line, title, passage."""
    done = desk.run("query", "clay", "--format", "tsv")
    assert done.stdout == f"{desk.daemon.vault}/Kiln é.md\t5\tKiln\tA kiln for clay.\n"


@needs_fzf
def test_a_note_is_chosen_while_one_types(desk: Desk) -> None:
    """In a real terminal, with the real chooser: what is typed is searched, Return opens it at its line."""
    server = ["tmux", "-S", str(desk.daemon.home / "tmux")]
    command = f"'{sys.executable}' -m notesd pick {' '.join(desk.daemon.options())}"
    environment = desk.environment | {"TERM": "xterm", "SHELL": "/bin/sh"}
    subprocess.run(
        [*server, "-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "30", f"{command}; sleep 300"],
        check=True, env=environment,
    )  # fmt: skip

    def screen() -> str:
        done = subprocess.run([*server, "capture-pane", "-p"], capture_output=True, text=True, check=True)
        return done.stdout

    def await_on_screen(*texts: str) -> None:
        end = time.monotonic() + DEADLINE_S
        while not all(text in screen() for text in texts):
            assert time.monotonic() < end, screen()
            time.sleep(0.1)

    try:
        await_on_screen("Kiln", "Oven")
        subprocess.run([*server, "send-keys", "-l", "clay"], check=True)
        await_on_screen("1/1", "A kiln for clay.")
        subprocess.run([*server, "send-keys", "Enter"], check=True)
        assert desk.words() == ["vim", "-u", "NONE", "+5", f"{desk.daemon.vault}/Kiln é.md"]
    finally:
        subprocess.run([*server, "kill-server"], check=False)
    assert desk.daemon.ask("status")["usage"]["opened"] == 1
