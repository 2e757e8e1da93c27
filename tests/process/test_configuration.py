"""Spaces come and go while a daemon runs, and nobody who is connected is sent away."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from running import DEADLINE_S

from notesd.errors import NoDaemon, UnknownSpace
from notesd.locations import state_of
from notesd.serve.client import Client

pytestmark = pytest.mark.process


class House:
    """Folders of notes, a configuration, and a daemon that was started by it."""

    def __init__(self, home: Path) -> None:
        self.home, self.config = home, home / "config.toml"
        for name in ("a", "b", "c"):
            (home / name).mkdir()
            (home / name / f"{name}.md").write_text(f"A kiln for {name}.\n")
        self.configure("a", "b")
        self.start()

    def start(self) -> None:
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "notesd", "serve", *self.options()], stdin=subprocess.DEVNULL,
                stderr=log, env={"HOME": str(self.home), "PATH": os.environ["PATH"]},
            )  # fmt: skip
        self.client = self.until(self.connect)

    def options(self) -> list[str]:
        where = {"config": self.config, "socket": self.home / "s", "state-dir": self.home / "state"}
        return [word for name, path in where.items() for word in (f"--{name}", str(path))]

    def connect(self) -> Client | None:
        with contextlib.suppress(NoDaemon):
            return Client(str(self.home / "s"), DEADLINE_S)
        return None

    def log(self) -> str:
        return (self.home / "log").read_text()

    def configure(self, *names: str, more: str = "") -> None:
        begun = self.home / "config.new"
        begun.write_text("".join(f'[spaces.{name}]\npath = "{self.home}/{name}"\n' for name in names) + more)
        begun.rename(self.config)

    def look_again(self) -> None:
        self.process.send_signal(signal.SIGHUP)

    def until(self, ask: Callable[[], Any]) -> Any:
        """Ask until there is an answer."""
        end = time.monotonic() + DEADLINE_S
        while not (answer := ask()):
            assert time.monotonic() < end, self.log()
            time.sleep(0.02)
        return answer

    def names(self) -> list[str]:
        spaces = self.client.call("status")["spaces"]
        assert isinstance(spaces, list)
        return [space["name"] for space in spaces]

    def found(self, query: str = "kiln") -> list[str]:
        results = self.client.call("search", query=query, wait=True, record=False)["results"]
        assert isinstance(results, list)
        return sorted(hit["path"] for hit in results)


@pytest.fixture
def house() -> Iterator[House]:
    with tempfile.TemporaryDirectory(prefix="nd", dir="/tmp") as home:
        one = House(Path(home))
        yield one
        one.client.close()
        one.process.kill()
        one.process.wait()


def test_a_space_comes_and_goes(house: House) -> None:
    """The same connection finds what is served now, and follows its changes."""
    assert house.found() == ["a.md", "b.md"]
    house.configure("b", "c")
    house.until(lambda: house.names() == ["b", "c"])
    assert house.found() == ["b.md", "c.md"]
    (house.home / "c" / "d.md").write_text("Another kiln.\n")
    house.until(lambda: "d.md" in house.found())
    with pytest.raises(UnknownSpace):
        house.client.call("search", query="kiln", space="a")
    house.configure("a", "b", "c")
    house.until(lambda: len(house.names()) == 3)
    assert house.found() == ["a.md", "b.md", "c.md", "d.md"]
    house.configure()
    house.until(lambda: house.names() == [])
    with pytest.raises(UnknownSpace, match="notesd add FOLDER"):
        house.found()


def test_a_space_with_other_settings_is_served_anew(house: House) -> None:
    """What is to be left out is gone from the answers."""
    for name in ("d", "e", "f"):
        (house.home / "b" / f"{name}.md").write_text("Another kiln.\n")
    house.until(lambda: len(house.found()) == 5)
    house.configure("a", "b", more='ignore = ["b.md"]\n')
    house.until(lambda: house.found() == ["a.md", "d.md", "e.md", "f.md"])
    assert house.process.poll() is None


def trouble(house: House) -> str:
    """What keeps the configuration from being followed."""
    duties = house.client.call("status")["background"]
    assert isinstance(duties, list)
    return next(one["trouble"] or "" for one in duties if one["name"] == "configuration")


def test_a_space_that_cannot_be_served_is_said_until_it_is(house: House) -> None:
    """The others come and go meanwhile, and it comes by itself once what kept it away is gone."""
    in_the_way = Path(state_of(str(house.home / "state"), str(house.home / "c")))
    in_the_way.write_text("not a folder")
    house.configure("a", "c")
    house.until(lambda: "space c is not served" in trouble(house))
    assert house.names() == ["a"]
    house.configure("b", "c")
    house.until(lambda: house.names() == ["b"])
    assert str(in_the_way) in house.until(lambda: trouble(house))
    house.configure("b")
    house.until(lambda: not trouble(house))
    house.configure("b", "c")
    house.until(lambda: trouble(house))
    in_the_way.unlink()
    house.until(lambda: house.found() == ["b.md", "c.md"])
    house.until(lambda: not trouble(house))


def test_a_pipe_is_no_configuration(house: House) -> None:
    """It holds nobody up; what was served is served, and the fault is said until a file is there."""
    os.mkfifo(house.home / "pipe", 0o600)
    (house.home / "pipe").rename(house.config)
    house.until(lambda: "no regular file" in trouble(house))
    assert house.found() == ["a.md", "b.md"]
    asked = subprocess.run(
        [sys.executable, "-m", "notesd", "doctor", *house.options()], capture_output=True, text=True,
        timeout=DEADLINE_S, env={"HOME": str(house.home), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert "no regular file" in asked.stdout + asked.stderr
    house.configure("c")
    house.until(lambda: house.names() == ["c"])
    assert house.found() == ["c.md"]
    house.until(lambda: not trouble(house))


def test_a_configuration_that_is_gone_takes_nothing_with_it(house: House) -> None:
    """Until somebody asks to look again; a file that is moved away and written anew is gone for a moment."""
    kept = house.config.read_bytes()
    house.config.unlink()
    house.until(lambda: "is gone" in trouble(house))
    assert house.found() == ["a.md", "b.md"]
    house.config.write_bytes(kept)
    house.until(lambda: not trouble(house))
    house.config.unlink()
    house.look_again()
    house.until(lambda: "no such configuration file" in trouble(house))
    assert house.found() == ["a.md", "b.md"]


def test_signals_that_come_at_any_moment_end_nothing(house: House) -> None:
    """Each asks to look at the configuration, also while one image of the daemon follows another."""
    for limit in range(1, 6):
        house.configure("a", "b", more=f"[search]\nlimit = {limit}\n")
        for _ in range(20):
            house.look_again()
            time.sleep(0.005)

    def settled() -> bool:
        results: object = None
        with (
            contextlib.suppress(NoDaemon),
            contextlib.closing(Client(str(house.home / "s"), DEADLINE_S)) as asked,
        ):
            results = asked.call("search", query="kiln", wait=True, record=False)["results"]
        assert house.process.poll() is None, house.log()
        return isinstance(results, list) and len(results) == 2

    house.until(settled)


def test_a_signal_that_comes_while_it_starts_ends_nothing(tmp_path: Path) -> None:
    """Before it has read its configuration, too."""
    script = (
        "import os, signal, sys\nfrom notesd import daemon\nfrom notesd.locations import locate\n"
        "def look(*_): os.kill(os.getpid(), signal.SIGHUP); sys.exit(7)\n"
        "daemon.configured = look\ndaemon.serve(locate(os.environ))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"HOME": str(tmp_path)},
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 7


def test_who_asks_while_it_begins_anew_is_answered(house: House) -> None:
    """By the same process, at the same socket; kept questions are answered too, before or after."""
    pid = house.process.pid
    house.configure("a", "b", more="[search]\nlimit = 1\n")
    house.look_again()

    def settled() -> bool:
        results: object = None
        asked = Client(str(house.home / "s"), DEADLINE_S)  # somebody always listens
        with contextlib.closing(asked), contextlib.suppress(NoDaemon):  # it may be just about to begin anew
            results = asked.call("search", query="kiln", wait=True, record=False)["results"]
        return isinstance(results, list) and len(results) == 1 and house.log().count("listens") > 1

    house.until(settled)
    assert house.process.pid == pid
    assert house.process.poll() is None
    house.process.terminate()
    assert house.process.wait(DEADLINE_S) == 0
    assert not (house.home / "s").exists()


def test_who_ends_it_while_it_begins_anew_ends_it(house: House) -> None:
    """A signal that comes at any moment of that is not lost."""
    for limit, moment in enumerate(("", "beginning anew", "listens")):
        said = house.log().count(moment)
        house.configure("a", "b", more=f"[search]\nlimit = {limit + 1}\n")
        house.look_again()
        while limit and house.log().count(moment) == said:
            time.sleep(0.02)
        house.process.terminate()
        assert house.process.wait(DEADLINE_S) in {0, -signal.SIGTERM}
        house.client.close()
        house.start()


def test_a_wrong_configuration_is_said_and_changes_nothing(house: House) -> None:
    """Until it is right again; a folder that is not there is wrong as well."""
    for wrong in ("[search]\nlimit = 0\n", f'[spaces.x]\npath = "{house.home}/a/../a"\n', "nonsense"):
        house.configure("a", "b", more=wrong)

        def told() -> list[Any]:
            background = house.client.call("status")["background"]
            assert isinstance(background, list)
            return [one for one in background if one["name"] == "configuration" and one["trouble"]]

        assert (
            str(house.config) in house.until(told)[0]["trouble"] or "are one folder" in told()[0]["trouble"]
        )
        assert house.names() == ["a", "b"]
        house.configure("a", "b")
        house.look_again()
        house.until(lambda: not told())
    assert house.found() == ["a.md", "b.md"]
