"""The real program that reads notes, with whatever fault the name of a note asks for.

Run as a program, like the real one.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from notesd.children import frames
from notesd.files import reading, worker
from notesd.files.reading import Job, Limits, Reading

FRAMES_OUT = -1
"""Where the command line names the pipe to the parent."""


def _spin() -> None:
    while True:
        pass


def _out_of_memory() -> None:
    raise MemoryError


def _write_raw(data: bytes) -> None:
    os.write(int(sys.argv[FRAMES_OUT]), data)


def _cut_off() -> None:
    _write_raw(b"\0\0\1\0cut off")
    os._exit(0)


def _print() -> None:
    print("a library says hello", flush=True)
    os.write(1, b"and so does C\n")


FAULTS: dict[str, Callable[[], object]] = {
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: os._exit(3),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "terminated": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "sleep": lambda: time.sleep(3600),
    "spin": _spin,
    "memory": _out_of_memory,
    "endless": lambda: _write_raw(b"\xff\xff\xff\xffno frame"),
    "half": _cut_off,
    "undecodable": lambda: _write_raw(b"\0\0\0\2\xc1\xc1"),
    "wrong": lambda: _write_raw(b"\0\0\0\1\x07"),
    "prints": _print,
    "asks": sys.stdin.readline,
}


def read_one(root: str, job: Job, limits: Limits, **more: Any) -> Reading:
    """Read a file like the real one, after the fault that its name asks for.

    ``once-FAULT`` stands for a fault that is over at the second try; a ``slow`` note takes until there is a
    file ``.go`` beside it.
    """
    _, killed, file = os.environ.get("FAKE_WORKER", "").partition("killed while ")
    if killed and os.path.exists(file):
        os.kill(os.getpid(), signal.SIGKILL)
    name = job.path.rpartition("/")[2].removesuffix(".md").rstrip("0123456789")
    once = name.startswith("once-")
    with contextlib.suppress(FileExistsError):
        if once:
            os.mkdir(os.path.join(root, f".{name}"))
        while name == "slow" and not os.path.exists(os.path.join(root, ".go")):
            time.sleep(0.01)
        FAULTS.get(name.removeprefix("once-"), lambda: None)()
    return reading.read_one(root, job, limits, **more)


if __name__ == "__main__":
    vars(worker)["read_one"] = read_one
    how = os.environ.get("FAKE_WORKER")
    if how == "never up":
        os._exit(1)
    if how == "short frames":
        frames.LONGEST_FRAME = 8000  # type: ignore[misc]  # the real one takes minutes to fill
    with contextlib.suppress(BrokenPipeError):
        worker.main()
