"""One look at everything: what is well, what is not, and what to do."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from notesd.locations import Paths, locate
from notesd.setup import doctor
from notesd.setup.doctor import Finding, examine

DEADLINE_S = 300


class Desk:
    """A home with a folder of notes that is configured."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        (home / "notes").mkdir()
        (home / "notes" / "kiln.md").write_text("A kiln.\n")
        self.configure("")

    def configure(self, more: str, folder: str = "notes") -> None:
        file = self.home / ".config" / "notesd" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'[spaces.notes]\npath = "~/{folder}"\n{more}')

    @property
    def paths(self) -> Paths:
        return locate(self.environ)

    def ill(self) -> dict[str, str]:
        """What is not well, and how."""
        return {found.what: found.text for found in examine(self.paths, self.environ) if not found.ok}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "notesd", *words], capture_output=True, text=True, env=self.environ,
            timeout=DEADLINE_S,
        )  # fmt: skip


@pytest.fixture
def desk() -> Iterator[Desk]:
    with tempfile.TemporaryDirectory(prefix="nd", dir="/tmp") as home:
        one = Desk(Path(home))
        yield one
        one.run("stop")


def test_all_is_well(desk: Desk) -> None:
    """With a daemon and without one, which is not started for it."""
    assert desk.ill() == {}
    assert not (desk.home / ".local").exists()
    assert desk.run("query", "kiln", "--wait").returncode == 0
    found = {found.what: found for found in examine(desk.paths, desk.environ)}
    assert all(one.ok for one in found.values())
    assert found["index of notes"].text.startswith("ready, 1 note, followed by ")
    done = desk.run("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(found)


def test_each_fault_says_what_to_do(desk: Desk) -> None:
    """A folder that is gone, a model that is wanted, a state folder that is open, a key that is none."""
    desk.configure("[search]\nvector_search = true\n", folder="elsewhere")
    os.makedirs(desk.paths.state, mode=0o755)
    ill = desk.ill()
    assert "mount it, or correct the path" in ill["space notes"]
    assert "notesd model install multilingual-e5-small" in ill["model"]
    assert "chmod 700" in ill["permissions"]
    desk.configure("[search]\nvector_serch = true\n")
    assert "did you mean vector_search?" in desk.ill()["configuration"]


def test_a_daemon_that_is_ill_is_told(desk: Desk) -> None:
    """Whatever it says of itself that is not well, and how the verb ends."""
    assert desk.run("query", "kiln", "--wait").returncode == 0
    desk.configure("nonsense\n")
    answer = json.loads(desk.run("doctor", "--json").stdout)["findings"]
    assert "configuration" in {one["what"] for one in answer if not one["ok"]}
    assert desk.run("doctor").returncode == 1


def test_little_room_and_few_watches_are_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they become a fault."""
    monkeypatch.setattr(doctor, "ROOM", 1 << 60)
    monkeypatch.setattr(doctor, "FEW_WATCHES", 1 << 60)
    ill = desk.ill()
    assert "make room" in ill["disk"]
    if os.path.exists("/proc/sys/fs/inotify/max_user_watches"):
        assert "fs.inotify.max_user_watches" in ill["watches"]


def test_what_cannot_be_looked_at_is_not_well(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """And keeps nothing else from being looked at."""

    def fail(*_: object) -> Finding:
        raise OSError(5, "Input/output error", "/a/disk")

    monkeypatch.setattr(doctor, "_disk", fail)
    assert "Input/output error" in desk.ill()["disk"]
    assert "daemon" in [found.what for found in examine(desk.paths, desk.environ)]


def test_the_extra_that_reads_pdfs_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """With it its version; without it all is well too, and the line says how to get their text."""
    found = {one.what: one for one in examine(desk.paths, desk.environ)}
    monkeypatch.setattr(doctor, "_version", lambda _: None)
    without = {one.what: one for one in examine(desk.paths, desk.environ)}

    assert "pypdfium2" in found["pdf"].text
    assert without["pdf"].ok
    assert "pip install 'notesd[pdf]'" in without["pdf"].text
