"""What a program and everything it starts take: wall time, processor time and memory."""

import contextlib
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

EVERY_S = 0.1
"""Pause between two looks at memory."""
_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


class Taken(NamedTuple):
    """What one run took."""

    wall_s: float
    cpu_s: float
    """User and system time of the program and of all children that it waited for."""
    peak_mb: float
    """Largest sum of the proportional set sizes of the tree, seen every 100 ms; 0 if it ended before."""


def parents() -> dict[int, int]:
    """The parent of every process."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError), open(f"/proc/{name}/stat", "rb") as stat:
                found[int(name)] = int(stat.read().rpartition(b")")[2].split()[1])
    return found


def tree(root: int) -> list[int]:
    """``root`` and all that descend from it."""
    above, found = parents(), [root]
    for at in found:
        found += [one for one, parent in above.items() if parent == at]
    return found


def memory_mb(root: int) -> float:
    """Sum of the proportional set sizes of a tree; shared pages count once."""
    kilobytes = 0
    for one in tree(root):
        with contextlib.suppress(OSError), open(f"/proc/{one}/smaps_rollup", "rb") as rollup:
            found = _PSS.search(rollup.read())
            kilobytes += int(found[1]) if found else 0
    return kilobytes / 1024


class Run:
    """A program at work; ``taken`` once it has ended."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self._began = time.monotonic()
        self._peak = 0.0
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        while not self._over.wait(EVERY_S):
            self._peak = max(self._peak, memory_mb(self.process.pid))

    def taken(self, wall_s: float | None = None) -> Taken:
        """Wait for the end; ``wall_s`` is used instead of the time until then.

        Raises:
            RuntimeError: It ended with a status other than 0.
        """
        _, status, usage = os.wait4(self.process.pid, 0)
        wall = time.monotonic() - self._began
        self._over.set()
        self._watcher.join()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode:
            raise RuntimeError(f"{self.process.args!r} ended with status {self.process.returncode}")
        return Taken(wall if wall_s is None else wall_s, usage.ru_utime + usage.ru_stime, self._peak)

    def elapsed_s(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._began

    def __enter__(self) -> Self:
        """Run until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what is still running."""
        self._over.set()
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()


def run(command: Sequence[str], env: Mapping[str, str]) -> Taken:
    """Run a program to its end.

    Raises:
        RuntimeError: It ended with a status other than 0.
    """
    with Run(command, env) as running:
        return running.taken()


def files(folder: str) -> Iterator[str]:
    """All files below a folder."""
    for at, _, names in os.walk(folder):
        yield from (os.path.join(at, name) for name in names)


def size(folder: str, suffix: str = "") -> int:
    """Bytes of all files below a folder whose names end so."""
    return sum(os.path.getsize(one) for one in files(folder) if one.endswith(suffix))
