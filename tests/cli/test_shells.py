"""What is completed in bash, zsh and fish, each really run; the page of the manual in ``man``."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from running import DEADLINE_S, Running, running

from notesd.cli import main, shells
from notesd.cli.shell_options import SHELLS

pytestmark = pytest.mark.process

HOSTILE = '"stop\\e[2J $(touch pwned)"'
NOTES = {
    "salt.md": "# Bread and salt\n",
    "tom.md": '---\ntags: [ovens, deep/down]\n---\n# Tom\'s "best" $oup\n',
    "plan.md": "# Re: plan\n",
    "run.md": "---\ntitle: run $(touch pwned) `id`; x\n---\n",
    "hostile.md": f"---\ntitle: {HOSTILE}\n---\nstop\n",
    "-dash.md": "# --all about dashes\n",
    "secret.md": "---\nprivate: true\n---\n# Quiet diary\n",
}
TYPED = {
    "show Bre": ["show", "Bread and salt"],
    "show 'Bre": ["show", "Bread and salt"],
    'show "Tom': ["show", 'Tom\'s "best" $oup'],
    "show 'Tom": ["show", 'Tom\'s "best" $oup'],
    "show Tom": ["show", 'Tom\'s "best" $oup'],
    "show Re": ["show", "Re: plan"],
    "show Re:": ["show", "Re: plan"],
    "show Re:\\ p": ["show", "Re: plan"],
    "show Bread\\ an": ["show", "Bread and salt"],
    "show plan.md Bre": ["show", "plan.md", "Bread and salt"],
    "links run": ["links", "run $(touch pwned) `id`; x"],
    "show Quiet": ["show", "Quiet diary"],
    "show stop": ["show", "stop"],
    "query --tag ov": ["query", "--tag", "ovens"],
    "show --space not": ["show", "--space", "notes"],
    "query --tag=ov": ["query", "--tag=ovens"],
    "query --tag=deep/": ["query", "--tag=deep/down"],
    "query --mode=lex": ["query", "--mode=lexical"],
    "show --space=notes Bre": ["show", "--space=notes", "Bread and salt"],
    "show '[[--al": ["show", "[[--all about dashes]]"],
    "show '[[Bre": ["show", "[[Bread and salt]]"],
    "que": ["query"],
    "query --mode lex": ["query", "--mode", "lexical"],
    "uninstall mod": ["uninstall", "models"],
}
"""What is typed before the key is pressed, and the words that stand there after it."""


def installed(program: str) -> str:
    """The program; a test that needs it is left out, aloud, where it is missing."""
    return shutil.which(program) or pytest.skip(f"{program} is not installed")


def made(name: str) -> Path:
    """A file that is made when the package is built."""
    file = Path(shells.MADE, name)
    return file if file.exists() else pytest.skip(f"{name} was not made: install the package again")


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    vault = tmp_path_factory.mktemp("completion") / "notes"
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / name).write_text(text, encoding="utf-8")
    with running(vault) as daemon:
        assert daemon.paths("bread")
        yield daemon


def around(daemon: Running) -> dict[str, str]:
    """An environment in which the shell finds our program and this daemon."""
    programs = daemon.home / "bin"
    programs.mkdir(exist_ok=True)
    ours = programs / "notesd"
    ours.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m notesd "$@"\n', encoding="utf-8")
    ours.chmod(0o755)
    return daemon.environment() | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "NOTESD_STATE_DIR": str(daemon.state),
        "NOTESD_SOCKET": str(daemon.socket),
        "TERM": "dumb",
        "ZDOTDIR": str(daemon.home),
    }


def at_terminal(command: Sequence[str], begin: str, daemon: Running) -> dict[str, list[str]]:
    """Type into a shell, press the key, and read which words its line has then."""
    environment, found = around(daemon), {}
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(daemon.home)
        os.execvpe(command[0], [*command], environment)

    def until(mark: bytes) -> str:
        said, end = b"", time.monotonic() + DEADLINE_S
        while mark not in said:
            assert time.monotonic() < end, said
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 65536)
        return said.decode("utf-8", "replace")

    try:
        shown = """words() { printf '<%s>' "$@"; printf '%s\\n' E''ND; }"""  # the echo of it is no end
        os.write(terminal, f"{shown}; {begin}; words RE''ADY\n".encode())
        until(b"<READY>END")
        for typed in TYPED:
            os.write(terminal, f"notesd {typed}\t\x01words \x05\r".encode())
            said = until(b">END").replace("\r\n", "")
            found[typed] = re.findall("<([^<>]*)>", said.rpartition("<notesd>")[2])
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return found


def test_bash_completes_words_and_names(notes: Running) -> None:
    """Names with blanks, quotes, colons and dollars become one word each, within quotes and without."""
    script = made("notesd.bash")
    plain = "bind 'set enable-bracketed-paste off'"
    bash = [installed("bash"), "--norc", "--noprofile", "-i"]

    assert at_terminal(bash, f"{plain}; source {script}", notes) == TYPED
    assert not (notes.home / "pwned").exists()


def test_zsh_completes_words_and_names(notes: Running) -> None:
    """The same in zsh, from a folder of its function path."""
    folder = made("_notesd").parent
    plain = "unsetopt zle_bracketed_paste; bindkey -e"
    begin = f"{plain}; fpath=({folder} $fpath); autoload -U compinit; compinit -u"

    assert at_terminal([installed("zsh"), "-f", "-i"], begin, notes) == TYPED
    assert not (notes.home / "pwned").exists()


def test_fish_completes_words_and_names(notes: Running) -> None:
    """Fish is asked for its candidates, which it quotes by itself."""
    script, fish = made("notesd.fish"), installed("fish")
    found = {}
    for typed in TYPED:
        said = subprocess.run(
            [fish, "--no-config", "-c", f"source {script}; complete -C $argv[1]", f"notesd {typed}"],
            env=around(notes), cwd=notes.home, capture_output=True, text=True, timeout=DEADLINE_S, check=True,
        ).stdout  # fmt: skip
        found[typed] = [line.partition("\t")[0] for line in said.splitlines()]

    assert found == {typed: [] if typed == "show stop" else words[-1:] for typed, words in TYPED.items()}


def test_a_completion_starts_no_daemon_and_says_nothing(tmp_path: Path) -> None:
    """Where none runs, or the line makes no sense, a key brings neither names nor errors."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("NOTESD_", "XDG_"))}
    for line in ("notesd show B", "notesd show --limit x --socket ", f"notesd show --vault {tmp_path}/no "):
        done = subprocess.run(
            [sys.executable, "-m", "notesd", "names", "note", "bash", "--", line, ""],
            env=keep | {"HOME": str(tmp_path)}, capture_output=True, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_names_begin_as_typed_and_are_bounded(notes: Running) -> None:
    """Case and accents aside; a tag above others counts; what does not fit is told."""
    assert notes.ask("names", kind="note", begins="BREAD")["names"] == ["Bread and salt"]
    assert notes.ask("names", kind="tag")["names"] == ["deep", "deep/down", "ovens"]
    few = notes.ask("names", kind="note", limit=2)
    assert (len(few["names"]), few["has_more"]) == (2, True)
    assert "Quiet diary" not in notes.ask("names", kind="note", audience="agent")["names"]


@pytest.mark.parametrize("verb", ["show", "links"])
def test_a_name_like_an_option_is_completed_to_what_opens_it(notes: Running, verb: str) -> None:
    """From nothing, too."""
    asked = [sys.executable, "-m", "notesd", "names", "note", "fish", f"notesd {verb} "]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=DEADLINE_S, env=around(notes))
    told = done.stdout.splitlines()
    (name,) = [one for one in told if "dashes" in one]
    shown = notes.run(verb, name)

    assert name == "[[--all about dashes]]"
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell_is_printed(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It is the file of the package, and knows every verb that is not hidden."""
    file = made(SHELLS[shell])

    assert main.main(["completion", shell]) == 0
    printed = capfd.readouterr().out
    assert printed == file.read_text(encoding="utf-8")
    assert all(verb in printed for verb in main.VERBS)


def test_a_script_that_was_not_made_is_no_riddle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is said how the package is built."""
    monkeypatch.setattr(shells, "MADE", str(tmp_path))

    assert main.main(["completion", "zsh"]) == 2
    assert "pip install ." in capfd.readouterr().err


def test_man_shows_the_page_without_a_warning() -> None:
    """Every verb and option of the tables stands in it as it is typed."""
    page, man = made("notesd.1"), installed("man")
    done = subprocess.run(
        [man, "--warnings", "-E", "UTF-8", "-l", str(page)], capture_output=True, text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANROFFOPT": "-c"},
        timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    if "has been minimized" in done.stdout:
        pytest.skip("man shows no pages on this minimized system")
    said = re.sub(".\b", "", done.stdout)

    assert done.stderr == ""
    assert [verb for verb in main.VERBS if f"notesd {verb}" not in said] == []
    assert "--confirm-deletions" in said
    assert "names" not in re.findall("notesd (\\w+)", said)


def test_only_the_command_that_is_completed_counts(notes: Running) -> None:
    """Words of another command on the same line are not taken for options of ours."""
    line = "ls --color x && notesd show --space notes Bre"
    done = subprocess.run(
        [sys.executable, "-m", "notesd", "names", "note", "zsh", "--", line],
        env=around(notes), capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip

    assert (done.stdout, done.stderr) == ("Bread and salt\n", "")
