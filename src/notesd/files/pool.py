"""Many files read at once, each within its time.

Few small files are read right here; many, or large ones, go to child processes, which use all cores
and can be ended when a note takes them too long.
"""

import collections
import contextlib
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from typing import BinaryIO, cast

import msgspec

from notesd.files.paths import full_path
from notesd.files.reading import Job, Limits, Reading, read_one
from notesd.files.worker import Hello, receive, send

FEW = 48
"""So many files are read sooner than a child process starts."""
LARGE_BYTES = 64 << 10
"""A file of this size may take a parser whole seconds if it wants to."""
_AHEAD = 8
"""Jobs given to a worker before its first answer: it never waits for us."""

_readings = msgspec.msgpack.Decoder(Reading)


class _Worker:
    """One child process and the jobs it still owes an answer for."""

    def __init__(self, hello: Hello, timeout_s: float) -> None:
        # -P: a package called notesd in the current folder must not be taken for ours.
        command = [sys.executable, "-P", "-m", "notesd.files.worker"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/",
            bufsize=0,  # what we buffered would be invisible to the selector
        )  # fmt: skip
        self.sink = cast("BinaryIO", self._process.stdin)
        self.source = cast("BinaryIO", self._process.stdout)
        self.owed: collections.deque[Job] = collections.deque()
        self._timeout_s = timeout_s
        self.deadline = 0.0
        send(self.sink, hello)

    def give(self, job: Job) -> None:
        if not self.owed:
            self.renew()
        self.owed.append(job)
        send(self.sink, job)

    def renew(self) -> None:
        self.deadline = time.monotonic() + self._timeout_s

    def end(self) -> None:
        self._process.kill()
        for pipe in (self.sink, self.source):
            with contextlib.suppress(OSError):
                pipe.close()
        self._process.wait()


class Pool:
    """Reads files for one space; workers start when they are worth it and end with ``close``."""

    def __init__(self, root: str, limits: Limits, *, workers: int = 0, timeout_s: float = 20.0) -> None:
        """Nothing is started yet.

        Args:
            root: Absolute folder of the space.
            limits: How files are read.
            workers: Child processes at most; 0: one a core, four at most.
            timeout_s: What one note may take, from when its turn comes.
        """
        self._hello = Hello(root, limits)
        self._size = workers or min(4, os.cpu_count() or 1)
        self._timeout_s = timeout_s
        self._workers: list[_Worker] = []

    def read(self, jobs: Iterable[Job]) -> Iterator[Reading]:
        """Read all jobs; answers come as they are ready, in no order."""
        todo = collections.deque(jobs)
        large = [job for job in todo if self._is_large(job)] if len(todo) <= FEW else list(todo)
        taken = {job.path for job in large}
        for job in todo:
            if job.path not in taken:
                yield read_one(self._hello.root, job, self._hello.limits)
        if large:
            yield from self._spread(collections.deque(large))

    def _is_large(self, job: Job) -> bool:
        try:
            return os.lstat(full_path(self._hello.root, job.path)).st_size > LARGE_BYTES
        except OSError:
            return False

    def _spread(self, todo: collections.deque[Job]) -> Iterator[Reading]:
        """Keep every worker busy; a worker that dies or stalls gives its note a second try alone."""
        doubtful: list[Job] = []
        while todo or any(worker.owed for worker in self._workers):
            self._hand_out(todo)
            if not self._workers:  # without helpers it takes longer, that is all
                yield read_one(self._hello.root, todo.popleft(), self._hello.limits)
                continue
            for worker in self._ready():
                frame = self._receive(worker)
                if frame is None:
                    doubtful.append(worker.owed.popleft())
                    todo.extendleft(reversed(worker.owed))
                    self._drop(worker)
                else:
                    worker.owed.popleft()
                    worker.renew()
                    yield self._accepted(_readings.decode(frame))
        for job in doubtful:
            yield self._second_try(job)

    def _accepted(self, reading: Reading) -> Reading:
        """Take a note that could not be parsed as plain text."""
        if reading.problem and reading.problem.kind == "parse_failed":
            return self._as_text(Job(reading.path, None), reading.problem.reason)
        return reading

    def _hand_out(self, todo: collections.deque[Job]) -> None:
        while todo and len(self._workers) < min(self._size, len(todo) + len(self._workers)):
            try:
                self._workers.append(_Worker(self._hello, self._timeout_s))
            except OSError:  # no descriptor, no memory, no leave to run a program
                break
        for worker in list(self._workers):
            while todo and len(worker.owed) < _AHEAD:
                job = todo.popleft()
                try:
                    worker.give(job)
                except OSError:  # it died; what it owes comes back when its pipe is read
                    if worker.owed and worker.owed[-1] is job:
                        worker.owed.pop()
                    todo.appendleft(job)
                    if not worker.owed:
                        self._drop(worker)
                    break

    def _ready(self) -> list[_Worker]:
        """Workers with an answer or past their time."""
        busy = [worker for worker in self._workers if worker.owed]
        if not busy:
            return []
        with selectors.DefaultSelector() as selector:
            for worker in busy:
                selector.register(worker.source, selectors.EVENT_READ, worker)
            wait = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
            found = [key.data for key, _ in selector.select(wait)]
        return found or [worker for worker in busy if worker.deadline <= time.monotonic()]

    def _receive(self, worker: _Worker) -> bytes | None:
        """The worker's next answer; None when it died or let its time pass."""
        if worker.deadline <= time.monotonic():
            return None
        try:
            return receive(worker.source)
        except OSError:
            return None

    def _second_try(self, job: Job) -> Reading:
        """A note that took its worker down may have been unlucky; twice is no luck."""
        with contextlib.suppress(OSError):
            worker = _Worker(self._hello, self._timeout_s)
            self._workers.append(worker)
            worker.give(job)
            if self._ready() and (frame := self._receive(worker)) is not None:
                worker.owed.popleft()
                return self._accepted(_readings.decode(frame))
            self._drop(worker)
        within = f"within {self._timeout_s:g} s, twice"
        why = f"{job.path} could not be parsed {within}: its words are found, its links are not"
        return self._as_text(job, why)

    def _as_text(self, job: Job, why: str) -> Reading:
        return read_one(self._hello.root, Job(job.path, None), self._hello.limits, plain=why)

    def _drop(self, worker: _Worker) -> None:
        worker.end()
        self._workers.remove(worker)

    def close(self) -> None:
        """End the workers; the pool can be used again."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
