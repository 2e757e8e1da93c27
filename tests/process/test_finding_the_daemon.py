"""One daemon is found from everywhere: the state folder says where, whatever an environment says."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notesd.cli import pages
from notesd.ownership import NAME, owner_of

pytestmark = pytest.mark.process


class Person:
    """Somebody with a home, a folder of notes that the configuration names, and several environments."""

    def __init__(self, top: str) -> None:
        self.top = Path(top)
        self.home, self.notes = self.top / "h", self.top / "v"
        self.state = self.home / ".local/state/notesd"
        self.config = self.home / ".config/notesd/config.toml"
        for folder in (self.home, self.notes, self.config.parent):
            folder.mkdir(parents=True)
        for name in ("rt", "other"):
            (self.top / name).mkdir(mode=0o700)
        (self.notes / "a.md").write_text("# Alpha\n\nzebra\n")
        self.configure(notes=self.notes)

    def configure(self, **spaces: Path) -> None:
        self.config.write_text("".join(f'[spaces.{name}]\npath = "{at}"\n' for name, at in spaces.items()))

    def run(self, *words: str, runtime: str | None = None, **more: str) -> tuple[int, str, str]:
        """Run a command; status, output, errors. ``runtime`` is a folder, None for none."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8", **more}
        if runtime:
            environment["XDG_RUNTIME_DIR"] = str(self.top / runtime)
        done = subprocess.run(
            [sys.executable, "-m", "notesd", *words],
            capture_output=True, text=True, timeout=300, env=environment, cwd=self.top,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def pid(self) -> int:
        owner = owner_of(str(self.state))
        assert owner is not None
        return owner.pid


@pytest.fixture
def person(short_folder: str) -> Iterator[Person]:
    """Their daemon, if any, is stopped when the test ends."""
    one = Person(short_folder)
    yield one
    one.run("stop")


@pytest.mark.parametrize(
    ("begun", "asked"),
    [("rt", None), (None, "rt"), ("rt", "other"), ("rt", "gone"), ("gone", None)],
    ids=["cron", "login", "su", "logout", "tmux"],
)
def test_every_environment_reaches_the_one_daemon(
    person: Person, begun: str | None, asked: str | None
) -> None:
    """Questions, verbs about it and its end; nobody starts a second one."""
    status, out, err = person.run("query", "zebra", runtime=begun)
    assert (status, "Alpha" in out) == (0, True), err
    pid = person.pid()

    for verb in (["query", "zebra"], ["feed", "zebra"], ["show", "a"], ["links", "a"]):
        status, out, err = person.run(*verb, runtime=asked)
        assert (status, err) == (0, ""), (verb, err)
    assert json.loads(person.run("status", "--json", runtime=asked)[1])["pid"] == pid
    assert person.run("rescan", runtime=asked)[0] == 0
    assert person.run("stop", runtime=asked) == (0, "", "notesd: the daemon has ended\n")
    assert person.run("stop", runtime=begun)[0] == 69


def test_a_socket_that_is_named_is_taken_at_that_word(person: Person) -> None:
    """Nobody else's answer is passed off for it, and the way to the daemon is told."""
    person.run("status", runtime="rt")
    for words, more in ((["--socket", "other/s"], {}), ([], {"NOTESD_SOCKET": "other/s"})):
        status, out, err = person.run("stop", *words, **more)
        assert (status, out) == (69, "")
        assert f"no daemon answers at {person.top}/other/s" in err
    status, out, err = person.run("query", "zebra", "--socket", "other/s")

    assert (status, out) == (69, "")
    assert f"listens at {person.top}/rt/notesd/notesd.sock, not at {person.top}/other/s" in err


def test_what_a_killed_daemon_left_is_harmless(person: Person) -> None:
    """The next question starts another one, elsewhere, and is answered."""
    person.run("status", runtime="rt")
    os.kill(person.pid(), signal.SIGKILL)
    assert "rt/notesd/notesd.sock" in (person.state / NAME).read_text()
    status, out, err = person.run("query", "zebra")

    assert (status, "Alpha" in out) == (0, True), err
    assert str(person.state / "notesd.sock") in (person.state / NAME).read_text()


def test_a_lock_that_nobody_holds_sends_nobody_elsewhere(person: Person) -> None:
    """The socket in it leads to another program now: what that says is no answer."""
    person.state.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(person.top / "s"))
        other.listen()
        (person.state / NAME).write_text(f"1\n{person.top}/s\n")
        status, out, err = person.run("query", "zebra")

    assert (status, "Alpha" in out) == (0, True), err


def test_a_second_state_folder_has_a_daemon_of_its_own(person: Person) -> None:
    """Its name is enough; the usual socket stays with the first."""
    (person.top / "w").mkdir()
    (person.top / "w" / "b.md").write_text("zebra of the other\n")
    person.run("status", runtime="rt")
    own = ["--state-dir", "second", "--config", "/dev/null"]
    try:
        status, out, err = person.run("query", "zebra", "--vault", "w", *own, runtime="rt")
        assert (status, "b.md" in out, "Alpha" in out) == (0, True, False), err
        assert "b.md" in person.run("query", "zebra", *own)[1]
        assert "Alpha" in person.run("query", "zebra", runtime="rt")[1]
    finally:
        person.run("stop", *own, runtime="rt")


def test_a_daemon_that_cannot_be_reached_can_be_stopped(person: Person) -> None:
    """Its socket is gone until it looks again; its lock says which process it is."""
    person.run("status", runtime="rt")
    (person.top / "rt/notesd/notesd.sock").unlink()

    assert person.run("stop") == (0, "", "notesd: the daemon has ended\n")


def test_the_python_of_the_manual_finds_the_daemon(person: Person) -> None:
    """The example works as it stands, without a variable."""
    person.run("status", runtime="rt")
    page = pages.read("protocol")
    example = page.split("```python\n", 1)[1].split("```", 1)[0].replace('"bowline"', '"zebra"')
    done = subprocess.run(
        [sys.executable, "-c", example],
        capture_output=True, text=True, timeout=300, env={"HOME": str(person.home)},
    )  # fmt: skip

    assert done.stdout.startswith("a.md 3 "), done.stderr


# ---- who is it that answers, and for what? -------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
@pytest.mark.parametrize(
    "verb", [["query", "secret"], ["status"], ["stop"], ["forget", "--all"]], ids="_".join
)
def test_a_program_of_another_user_is_told_nothing(person: Person, verb: list[str]) -> None:
    """At the socket's path listens somebody else: no byte goes there, and none of theirs is believed."""
    person.top.chmod(0o755)
    (person.top / "pub").mkdir()
    (person.top / "pub").chmod(0o1777)
    path, heard = person.top / "pub" / "s", person.top / "pub" / "heard"
    code = (
        "import os, socket, sys; os.setgid(65534); os.setuid(65534); s = socket.socket(socket.AF_UNIX);"
        "s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777); s.listen(); print('ready', flush=True);"
        "c = s.accept()[0]; open(sys.argv[2], 'wb').write(c.recv(1000))"
    )
    with subprocess.Popen([sys.executable, "-c", code, path, heard], stdout=subprocess.PIPE) as foreign:
        assert foreign.stdout
        foreign.stdout.readline()
        status, out, err = person.run(*verb, "--socket", str(path))
        foreign.wait(30)

    assert (status, out) == (69, "")
    assert "listens a program of another user (uid 65534, and this is uid 0); nothing was sent to it" in err
    assert heard.read_bytes() == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_runtime_folder_of_another_user_is_not_used(person: Person) -> None:
    """As after ``su``: the daemon listens in the state folder, and nothing is made in the other's."""
    for folder in (person.top / "rt", person.top / "rt" / "notesd"):
        folder.mkdir(exist_ok=True)
        os.chown(folder, 65534, 65534)
    status, out, err = person.run("query", "zebra", runtime="rt")

    assert (status, "Alpha" in out) == (0, True), err
    assert os.listdir(person.top / "rt/notesd") == []
    assert (person.state / "notesd.sock").exists()


def test_a_configuration_that_comes_later_is_followed(person: Person) -> None:
    """A daemon was started for one folder, then came the configuration: the next answer goes by it."""
    person.config.unlink()
    (person.top / "sample").mkdir()
    (person.top / "sample" / "s.md").write_text("zebra in a sample\n")
    person.run("query", "zebra", "--vault", "sample")
    pid = person.pid()
    person.configure(notes=person.notes)
    status, out, err = person.run("query", "zebra", "--wait", "--format", "paths")

    assert (status, err) == (0, "")
    assert sorted(out.splitlines()) == sorted([f"{person.notes}/a.md", f"{person.top}/sample/s.md"])
    assert person.pid() == pid
    assert person.run("remove", "notes")[0] == 0
    assert person.run("query", "zebra", "--format", "paths")[1] == f"{person.top}/sample/s.md\n"
    assert person.pid() == pid


def test_a_setting_that_changes_is_followed_by_the_same_process(person: Person) -> None:
    """It begins anew at the same socket; nobody who asks meanwhile is sent away."""
    person.run("status")
    pid = person.pid()
    (person.notes / "b.md").write_text("zebra again\n")
    assert len(person.run("query", "zebra", "--wait", "--format", "paths")[1].splitlines()) == 2
    person.config.write_text(f"{person.config.read_text()}\n[search]\nlimit = 1\n")
    for _ in range(3):
        status, out, err = person.run("query", "zebra", "--wait", "--format", "paths")
        assert (status, len(out.splitlines()), "daemon" in err) == (0, 1, False)
    assert person.pid() == pid
    assert person.run("stop")[0] == 0
    assert not (person.state / "notesd.sock").exists()


def test_a_configuration_that_is_wrong_changes_nothing(person: Person) -> None:
    """It is said at each answer and in the status, until it is right."""
    person.run("status")
    good = person.config.read_text()
    person.config.write_text("nonsense\n")
    status, out, err = person.run("query", "zebra", "--format", "paths")

    assert (status, out) == (0, f"{person.notes}/a.md\n")
    assert "older configuration" in err
    assert "! configuration: " in person.run("status")[1]
    person.config.write_text(good)
    person.configure(other=person.notes)
    assert person.run("query", "zebra")[2] == ""
    assert "other: ready" in person.run("status")[1]


def test_a_daemon_of_another_version_is_said(person: Person) -> None:
    """One that a verb had started is started anew; of another one is said what to do, on one plain line."""
    person.run("status")
    lock = person.state / NAME
    pid, where, facts = lock.read_text().splitlines()
    other: dict[str, Any] = {**json.loads(facts), "version": "0.0.1\x1b[2J", "started_by": "hand"}
    lock.write_text(f"{pid}\n{where}\n{json.dumps(other)}\n")
    status, out, err = person.run("query", "zebra")

    assert (status, "Alpha" in out) == (0, True)
    assert "is version 0.0.1\\x1b[2J, and this is" in err
    assert len(err.splitlines()) == 1
    lock.write_text(f"{pid}\n{where}\n")
    assert "another version" in person.run("query", "zebra")[2]
    lock.write_text(f"{pid}\n{where}\n{json.dumps({**other, 'started_by': 'verb'})}\n")
    status, out, err = person.run("query", "zebra")
    assert (status, "Alpha" in out, "it is started anew" in err) == (0, True, True)
    assert person.pid() != int(pid)
    assert person.run("query", "zebra")[2] == ""


def test_a_daemon_that_cannot_listen_any_more_fails(person: Person) -> None:
    """It ends with a status that a service manager takes for a failure, and says why."""
    code = (
        "import sys; from notesd import daemon; from notesd.cli.main import main;"
        "daemon.SELF_CHECK_S = .05; sys.exit(main(['serve', '--socket', sys.argv[1]]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(person.top / "s")], stderr=subprocess.PIPE, text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(person.home)},
    ) as begun:  # fmt: skip
        assert begun.stderr
        said = []
        for line in begun.stderr:
            said.append(line)
            if "is ready" in line:
                (person.top / "s").unlink()
                (person.top / "s").mkdir()
        status = begun.wait(30)

    assert status == 1
    assert "cannot listen anew, ending" in said[-1]
    assert [
        word in "".join(said)
        for word in (
            f"listens at {person.top}/s",
            f"space notes: {person.notes}",
            "space notes is ready: 1 note",
        )
    ] == [True] * 3
