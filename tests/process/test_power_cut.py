"""Killed or without power at any instant, the next start needs no help and answers as a fresh index does.

One daemon's whole work is recorded, operation by operation. From the record the state folder is made as it
would have been found at an instant: after a kill all that was done until then, after a power cut only what
was synced, and of the rest as much as chance leaves. A daemon that starts on it is compared with a fresh one.
"""

import os
import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from running import Running, running

CUTS = int(os.environ.get("NOTESD_TEST_CUTS", "10"))
"""Instants of each kind that are tried, spread over the whole work."""
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        not shutil.which("gcc") or not os.path.isdir("/proc/self/fd"),
        reason="recording what is written takes gcc and /proc",
    ),
]
HEAD = struct.Struct("=IIIIQ")
SECTOR = 512


class Done(NamedTuple):
    """One operation on a file or folder of the state."""

    kind: str
    """f: folder made, c: file made, w: written, t: truncated, s: synced, m: moved, d: deleted."""
    path: str
    other: str
    data: bytes
    at: int


class Worked(NamedTuple):
    """What a daemon did, and the folder that it left behind."""

    vault: Path
    done: list[Done]
    export: Any


def read_record(path: Path, state: Path) -> Iterator[Done]:
    raw, at = path.read_bytes(), 0
    while at < len(raw):
        kind, *lengths, place = HEAD.unpack_from(raw, at)
        at += HEAD.size
        parts = []
        for length in lengths:
            parts.append(raw[at : at + length])
            at += length
        one, other = (os.path.relpath(os.fsdecode(part), state) if part else "" for part in parts[:2])
        if not one.endswith("-shm"):
            yield Done(chr(kind), one, other, parts[2], place)


def write_notes(vault: Path, marker: str, numbers: range) -> None:
    for number in numbers:
        text = f"# Note {number}\n\n{marker}{number} common words [[Note {number + 1}]] #tag{number % 5}\n"
        (vault / f"n{number}.md").write_text(text)


def work(daemon: Running) -> None:
    """Everything that writes to the state: a first build, use, changes of each kind, a rebuild."""
    vault = daemon.vault
    daemon.paths("common")
    daemon.ask("open", notes=["n3.md"])
    write_notes(vault, "second", range(20))
    daemon.paths("common")
    (vault / "n4.md").unlink()
    (vault / "n5.md").rename(vault / "moved.md")
    daemon.paths("common")
    daemon.ask("rescan")
    daemon.ask("open", notes=["n7.md"])
    write_notes(vault, "third", range(10, 30))
    daemon.paths("common")
    daemon.stop()


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    folder = tmp_path_factory.mktemp("power")
    recorder, record, vault = folder / "recorder.so", folder / "record", folder / "notes"
    source = Path(__file__).with_name("recorder.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-w", "-o", recorder, source, "-ldl"], check=True)
    vault.mkdir()
    write_notes(vault, "first", range(60))
    with running(vault) as daemon:
        daemon.paths("common")  # only to have a place whose name is known before the record begins
        daemon.stop()
        shutil.rmtree(daemon.state)
        daemon._more = {
            "LD_PRELOAD": str(recorder),
            "RECORD_UNDER": str(daemon.state),
            "RECORD_TO": str(record),
        }
        daemon.process = daemon._start()
        work(daemon)
        done = list(read_record(record, daemon.state))
    with running(vault) as fresh:
        fresh.paths("common")
        export = fresh.ask("export")
    return Worked(vault, done, export)


def apply(state: Path, one: Done) -> None:
    path = state / one.path
    if one.kind == "f":
        path.mkdir(mode=0o700, exist_ok=True)
    elif one.kind == "c":
        path.touch(mode=0o600)
    elif one.kind == "w":
        with path.open("r+b") as file:
            file.seek(one.at)
            file.write(one.data)
    elif one.kind == "t":
        os.truncate(path, one.at)
    elif one.kind == "m":
        path.rename(state / one.other)
    elif one.kind == "d":
        path.rmdir() if path.is_dir() else path.unlink()


def killed(done: list[Done], rng: random.Random) -> list[Done]:
    """What is found after a kill: all that was done, the last writing perhaps in part."""
    last = done[-1]
    part = rng.randrange(len(last.data) + 1)
    return [*done[:-1], last._replace(data=last.data[:part])]


def without_power(done: list[Done], rng: random.Random) -> list[Done]:
    """What is found after a power cut, on a file system that keeps names in the order of their making.

    What was written to a file before its last sync is there; of the rest each sector is, or is not. Names and
    lengths are kept up to an instant after the last sync of anything.
    """
    synced = {one.path: place for place, one in enumerate(done) if one.kind == "s"}
    named_until = rng.randint(max(synced.values(), default=0), len(done))
    found: list[Done] = []
    for place, one in enumerate(done):
        if one.kind != "w":
            found += [one] * (place < named_until)
        elif place < synced.get(one.path, -1):
            found.append(one)
        elif place < named_until:
            for start in range(0, len(one.data), SECTOR):
                if rng.random() < 0.5:
                    piece = one.data[start : start + SECTOR]
                    found.append(one._replace(data=piece, at=one.at + start))
    return found


@pytest.mark.parametrize("cut", range(CUTS))
@pytest.mark.parametrize("fault", [killed, without_power])
def test_the_next_start_answers_as_a_fresh_index(worked: Worked, fault: Any, cut: int) -> None:
    """And the record of use is no worse for it than by what was never synced."""
    rng = random.Random(f"{fault.__name__} {cut}")
    first = next(place for place, one in enumerate(worked.done) if one.path.endswith(".db"))
    instant = first + int((cut + rng.random()) / CUTS * (len(worked.done) - first))
    with running(worked.vault) as daemon:
        daemon.stop()
        shutil.rmtree(daemon.state, ignore_errors=True)
        daemon.state.mkdir(mode=0o700)
        for one in fault(worked.done[: instant + 1], rng):
            apply(daemon.state, one)
        daemon.process = daemon._start()

        assert "moved.md" in daemon.paths("common", limit=100)
        assert daemon.ask("export") == worked.export
        assert daemon.ask("status")["spaces"][0]["problems"] == []
        usage = daemon.heard("search", query="common", record=True)
        assert usage["degraded"] == []
