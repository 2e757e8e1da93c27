"""A child process that reads and parses: a note that takes it down takes nothing else with it.

First frame in: what all jobs have in common; first frame out: the same, as a sign that it is up. Then jobs
in, one reading out for each, in order. The end of input ends it.
"""

import contextlib
import os
import resource
import signal

import msgspec

from notesd.children.frames import FrameError
from notesd.children.parent import Parent
from notesd.files.reading import Job, Limits, Reading, read_one
from notesd.model import Problem
from notesd.parse.packing import packed

MEMORY_BYTES = 2 << 30
"""Address space of one worker; a note that wants more is reported instead of swapping the machine."""
OUT_OF_TIME = signal.SIGPROF
"""What ends a worker whose note has used up its processor time."""


class Hello(msgspec.Struct, frozen=True, array_like=True):
    """What all jobs of this worker have in common."""

    root: str
    limits: Limits
    processor_s: float
    """Processor time that one note may take."""


def main() -> None:
    """Serve jobs until the parent closes the pipe."""
    parent = Parent()
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what takes it down is somebody's text
    with contextlib.suppress(OSError):
        os.nice(5)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is meant for the daemon
    signal.signal(OUT_OF_TIME, signal.SIG_DFL)  # we may have been started with it ignored or held back
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {OUT_OF_TIME})
    first = parent.receive()
    if first is None:
        return
    hello = msgspec.msgpack.decode(first, type=Hello)
    parent.send(hello)
    jobs = msgspec.msgpack.Decoder(Job)
    while (data := parent.receive()) is not None:
        job = jobs.decode(data)
        # The kernel counts and ends us, whatever the parser is in the midst of; time that others had, or
        # that we were stopped for, does not count.
        signal.setitimer(signal.ITIMER_PROF, hello.processor_s)
        reading = _read(hello, job)
        signal.setitimer(signal.ITIMER_PROF, 0)
        try:
            parent.send(reading)
        except (FrameError, MemoryError, UnicodeEncodeError) as error:
            parent.send(_failed(job, error))


def _read(hello: Hello, job: Job) -> Reading:
    try:
        return _lighter(read_one(hello.root, job, hello.limits))
    except (MemoryError, RecursionError) as error:
        return _failed(job, error)


def _lighter(reading: Reading) -> Reading:
    """Pack the passages, which nobody looks at before they lie in the index."""
    if not reading.note or not reading.note.observations:
        return reading
    bare = msgspec.structs.replace(reading.note, observations=())
    return msgspec.structs.replace(reading, note=bare, passages=packed(reading.note.observations))


def _failed(job: Job, error: Exception) -> Reading:
    return Reading(job.path, problem=Problem("parse_failed", f"{type(error).__name__} while parsing"))


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        main()
