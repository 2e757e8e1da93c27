"""A child process that reads and parses: a note that takes it down takes nothing else with it.

Frames on standard input and output: four bytes of length (big-endian), then msgpack. First frame
in: root and limits; then jobs; one reading out for each job, in order. The end of input ends it.
"""

import contextlib
import os
import resource
import sys
from typing import BinaryIO

import msgspec

from notesd.files.reading import Job, Limits, Reading, read_one
from notesd.model import Problem

MEMORY_BYTES = 2 << 30
"""Address space of one worker; a note that wants more is reported instead of swapping the machine."""


class Hello(msgspec.Struct, frozen=True, array_like=True):
    """What all jobs of this worker have in common."""

    root: str
    limits: Limits


def send(pipe: BinaryIO, value: object) -> None:
    """Write one frame."""
    data = msgspec.msgpack.encode(value)
    pipe.write(len(data).to_bytes(4, "big") + data)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes | None:
    """Read one frame, None at the end of input."""
    head = _exactly(pipe, 4)
    return None if head is None else _exactly(pipe, int.from_bytes(head, "big"))


def _exactly(pipe: BinaryIO, size: int) -> bytes | None:
    """Read ``size`` bytes from a pipe that may give fewer at a time, None when it ends before."""
    data = bytearray()
    while len(data) < size:
        piece = pipe.read(size - len(data))
        if not piece:
            return None
        data += piece
    return bytes(data)


def main() -> None:
    """Serve jobs until the parent closes the pipe."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with contextlib.suppress(OSError):
        os.nice(5)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    first = receive(source)
    if first is None:
        return
    hello = msgspec.msgpack.decode(first, type=Hello)
    jobs = msgspec.msgpack.Decoder(Job)
    while (frame := receive(source)) is not None:
        job = jobs.decode(frame)
        try:
            reading = read_one(hello.root, job, hello.limits)
        except (MemoryError, RecursionError) as error:
            reading = Reading(
                job.path, problem=Problem("parse_failed", f"{type(error).__name__} while parsing")
            )
        send(sink, reading)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        main()
