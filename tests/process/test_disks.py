"""Disks that come and go below a folder of notes, really mounted: nothing of what they held is deleted."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import PROGRAM, Running, running

pytestmark = pytest.mark.process


def _may_mount() -> bool:
    """Whether a mount namespace of our own can be had; only root may, and not in every container."""
    if not (shutil.which("unshare") and shutil.which("nsenter")):
        return False
    tried = subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
    )
    return tried.returncode == 0


if not _may_mount():
    pytest.skip("nothing can be mounted here", allow_module_level=True)


class Mounting:
    """A namespace in which disks are mounted, and a daemon in it."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self._holder = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", "echo ready; exec sleep 1000"],
            stdout=subprocess.PIPE,
        )
        assert self._holder.stdout
        assert self._holder.stdout.readline() == b"ready\n"

    def do(self, command: str) -> None:
        """Run a command where the daemon is, in the folder of notes."""
        enter = ["nsenter", "-t", str(self._holder.pid), "-m", "sh", "-ec", command]
        subprocess.run(enter, check=True, cwd="/", env={**os.environ, "V": str(self.vault)})

    @property
    def program(self) -> list[str]:
        """What starts a daemon here."""
        return ["nsenter", "-t", str(self._holder.pid), "-m", *PROGRAM]

    def end(self) -> None:
        """Let go of the namespace and all that is mounted in it."""
        self._holder.kill()
        self._holder.wait()
        assert self._holder.stdout
        self._holder.stdout.close()


@pytest.fixture
def mounting(tmp_path: Path) -> Iterator[Mounting]:
    """A folder with a disk at usb and a plain folder beside it."""
    vault = tmp_path / "notes"
    for folder in ("usb", "plain"):
        (vault / folder).mkdir(parents=True)
    for number in range(3):
        (vault / "plain" / f"p{number}.md").write_text("plainword")
    one = Mounting(vault)
    one.do('mount -t tmpfs t "$V/usb"; for n in 0 1 2; do echo usbword > "$V/usb/u$n.md"; done')
    yield one
    one.end()


@pytest.fixture
def daemon(mounting: Mounting) -> Iterator[Running]:
    """A daemon that sees the disks."""
    with running(mounting.vault, mounting.program) as one:
        assert sorted(one.paths("usbword")) == ["usb/u0.md", "usb/u1.md", "usb/u2.md"]
        yield one


def kept(daemon: Running, word: str) -> list[tuple[bool, bool]]:
    """Whether each hit is stale, and the answer complete."""
    answer = daemon.ask("search", query=word, wait=True)
    return [(hit["stale"], answer["index"]["complete"]) for hit in answer["results"]]


@pytest.mark.parametrize("way", ["empty mount point", "no mount point"])
def test_notes_of_a_disk_that_is_away_are_kept(mounting: Mounting, daemon: Running, way: str) -> None:
    """It is noticed by itself and said, a rescan does not change it, and only a word ends it."""
    mounting.do('umount "$V/usb"' + ('; rmdir "$V/usb"' if way == "no mount point" else ""))
    daemon.until(lambda: daemon.problems() == [("usb", "unmounted")])
    assert kept(daemon, "usbword") == [(True, False)] * 3
    assert daemon.ask("rescan", wait=True)["notes"] == 6
    assert (kept(daemon, "usbword"), daemon.problems()) == ([(True, False)] * 3, [("usb", "unmounted")])
    daemon.restart()
    assert (kept(daemon, "usbword"), daemon.problems()) == ([(True, False)] * 3, [("usb", "unmounted")])

    assert daemon.ask("rescan", wait=True, confirm=True)["notes"] == 3
    assert (kept(daemon, "usbword"), daemon.problems()) == ([], [])


def test_notes_below_a_disk_that_is_mounted_over_them_are_kept(mounting: Mounting, daemon: Running) -> None:
    """What is on the disk is found and followed, what it hides is kept, and all is as before when it goes."""
    mounting.do('mount -t tmpfs t "$V/plain"')
    daemon.until(lambda: daemon.problems() == [("plain", "covered")])
    mounting.do('echo newword > "$V/plain/new.md"')
    daemon.until(lambda: daemon.ask("search", query="newword")["results"])
    assert kept(daemon, "plainword") == [(True, False)] * 3
    assert daemon.ask("rescan", wait=True)["notes"] == 7
    assert kept(daemon, "plainword") == [(True, False)] * 3

    mounting.do('umount "$V/plain"')
    daemon.until(lambda: daemon.problems() == [])
    assert (kept(daemon, "newword"), kept(daemon, "plainword")) == ([], [(False, True)] * 3)
    mounting.do('echo laterword > "$V/plain/p1.md"')
    daemon.until(lambda: daemon.ask("search", query="laterword")["results"])


def test_a_root_without_its_disk_keeps_even_a_few_notes(mounting: Mounting, daemon: Running) -> None:
    """Whatever comes to lie in the mount point, the notes wait for their disk."""
    mounting.do('mount -t tmpfs t "$V"; echo strayword > "$V/stray.md"')
    daemon.until(lambda: ("", "mass_deletion") in daemon.problems())
    assert kept(daemon, "plainword") == [(True, False)] * 3
    assert len(kept(daemon, "strayword")) == 1

    mounting.do('umount "$V"')
    daemon.until(lambda: daemon.problems() == [])
    assert (kept(daemon, "plainword"), kept(daemon, "strayword")) == ([(False, True)] * 3, [])
