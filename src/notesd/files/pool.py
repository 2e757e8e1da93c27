"""Many files read at once, each within its time, and none judged for what befell the process that read it.

Few small files are read right here; many, or large ones, go to child processes, which use all cores
and can be ended when a note takes them too long. A note is blamed when the process that parses it uses up its
processor time or breaks down, twice, the second time with nothing else to do. A process that somebody ended,
that is stopped, or that cannot be started says nothing about any note. A note that takes long holds up no
other: what was queued behind it goes to another process, and who reads may leave it under way.
"""

import collections
import os
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from typing import Final

import msgspec

from notesd.children.child import Child, ChildLost, exchange
from notesd.files.paths import full_path
from notesd.files.reading import Job, Limits, Reading, needs_process, read_one, what_is_kept
from notesd.files.worker import OUT_OF_TIME, Hello
from notesd.model import NotePath, Problem

FEW = 48
"""So many files are read sooner than a child process starts."""
LARGE_BYTES = 64 << 10
"""A file of this size may take a parser whole seconds if it wants to."""
AHEAD = 8
"""Jobs given to a worker before its first answer: it never waits for us."""
COMMAND: Final = (sys.executable, "-P", "-m", "notesd.files.worker")
"""``-P``: a package called notesd in the current folder must not be taken for ours."""
STRIKES: Final = 2
"""So often to blame, and a note is set aside."""
START_S: Final = 60.0
"""Until a worker is up, on a machine with much else to do."""
WALL: Final = 10
WALL_S: Final = 60.0
"""A note may take so many times its processor time by the clock, and at least so many seconds: it is not the
note's fault that the machine is busy."""
LOOK_S: Final = 0.5
"""How often workers are looked at that say nothing."""
SLOW_S: Final = 1.0
"""A note that takes longer than this, by the clock, is not waited for by others."""
_RETRY_S: Final = (0.1, 5.0)
"""Before workers are started again after some were lost without a note's fault: first, and at most."""

_readings = msgspec.msgpack.Decoder(Reading)


class _Task(msgspec.Struct):
    """A job, and what became of it so far."""

    job: Job
    strikes: int = 0
    """How often it is to blame for the loss of a worker."""
    held_up: int = 0
    """How often a worker that had its whole time by the clock gave no answer."""
    why: str = ""
    """What became of the worker that had it last."""
    since: float = msgspec.field(default_factory=time.monotonic)
    """When it was asked for, by the monotonic clock."""
    wanted: bool = True
    """False when nobody waits for this answer any more."""

    @property
    def suspect(self) -> bool:
        """It is tried alone."""
        return bool(self.strikes or self.held_up)


class _Worker:
    """One child process and the tasks it still owes an answer for."""

    def __init__(self, hello: Hello) -> None:
        self.child = Child(COMMAND)
        self.child.send(hello)
        self.owed: collections.deque[_Task] = collections.deque()
        self.up = False
        self._processor_s = hello.processor_s
        self._since = time.monotonic()
        """When the first of them was given."""

    def has_room(self, task: _Task) -> bool:
        """Whether the task can be given: a suspect has a worker for itself."""
        if task.suspect:
            return not self.owed
        if self.is_slow():
            return False
        return len(self.owed) < AHEAD and not (self.owed and self.owed[0].suspect)

    def give(self, task: _Task) -> None:
        if not self.owed:
            self._since = time.monotonic()
        self.owed.append(task)
        self.child.send(task.job)

    def silent_s(self) -> float:
        """Seconds since it was given something to do, or last said anything."""
        return time.monotonic() - max(self._since, self.child.heard_at)

    def is_slow(self) -> bool:
        """Whether the note that it is at takes long."""
        return self.up and bool(self.owed) and self.silent_s() > SLOW_S

    def wanted(self) -> list[_Task]:
        """The tasks whose answers somebody waits for."""
        return [task for task in self.owed if task.wanted]

    def take_back(self) -> list[_Task]:
        """Take away what stands behind the task at hand; its answers will come all the same."""
        behind = [task for task in list(self.owed)[1:] if task.wanted]
        for place, task in enumerate(self.owed):
            if place and task.wanted:
                self.owed[place] = msgspec.structs.replace(task, wanted=False)
        return behind

    def readings(self) -> Iterator[Reading]:
        """Take the answers that have arrived and that somebody waits for.

        Raises:
            ChildLost: After all that can be read: there will be no more.
        """
        while (data := self.child.take()) is not None:
            if not self.up:
                self.up = True
                continue
            try:
                reading = _readings.decode(data)
            except msgspec.DecodeError:
                raise ChildLost("gave an answer that cannot be read") from None
            if not self.owed or self.owed[0].job.path != reading.path:
                raise ChildLost("gave an answer to nothing")
            if reading.problem and reading.problem.kind == "parse_failed":
                raise ChildLost(f"failed ({reading.problem.reason})")
            if self.owed.popleft().wanted:
                yield reading

    def check_time(self) -> None:
        """Look whether it still gets anywhere.

        Raises:
            ChildLost: It does not.
        """
        silent = self.silent_s()
        if not self.up:
            if silent > START_S:
                raise ChildLost(f"was not up within {START_S:g} s", from_outside=True)
        elif self.owed and silent > self._processor_s:
            if self.child.is_stopped():
                raise ChildLost("was stopped", from_outside=True)
            if silent > max(WALL_S, WALL * self._processor_s):
                self.owed[0].held_up += 1
                raise ChildLost(f"gave no answer for {silent:.0f} s", from_outside=True)


class Pool:
    """Reads files for one space; workers start when they are worth it and end with ``close``."""

    def __init__(
        self,
        root: str,
        limits: Limits,
        *,
        workers: int = 0,
        timeout_s: float = 20.0,
        patience_s: float = 20.0,
    ) -> None:
        """Nothing is started yet.

        Args:
            root: Absolute folder of the space.
            limits: How files are read.
            workers: Child processes at most; 0: one a core, four at most.
            timeout_s: Processor time that one note may take.
            patience_s: How long the rest waits when worker after worker is lost and no note is to blame.
        """
        self._hello = Hello(root, limits, timeout_s)
        self._size = workers or min(4, os.cpu_count() or 1)
        self._patience_s = patience_s
        self._workers: list[_Worker] = []
        self._todo: collections.deque[_Task] = collections.deque()
        self._trouble = ""
        """Why there are no workers."""
        self._trouble_since = self._retry_at = self._pause_s = 0.0

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages whose word endings are cut."""
        return self._hello.limits.languages

    def read(self, jobs: Iterable[Job], *, leave_slow: bool = False) -> Generator[Reading]:
        """Read all jobs; answers come as they are ready, in no order, with those of earlier jobs among them.

        Args:
            jobs: What to read; no path twice, and none that is under way.
            leave_slow: End when only notes are left that take long or have to wait for a process; they are
                under way from then on, and ``arrived`` has their answers.
        """
        tasks = list(map(_Task, jobs))
        small = [task for task in tasks if self._is_small(task)] if len(tasks) <= FEW else []
        here = {task.job.path for task in small}
        for task in small:
            yield self._read_here(task.job)
        self._todo.extend(task for task in tasks if task.job.path not in here)
        if not leave_slow:
            self._no_trouble()
        self._retry_at = self._pause_s = 0.0  # whatever was the matter before, these are to be tried
        try:
            while self._todo or any(worker.wanted() for worker in self._workers):
                yield from self._step(LOOK_S)
                if leave_slow and self._only_slow():
                    return
        except BaseException:
            self.close()  # nobody wants the answers any more
            raise

    def arrived(self, wait_s: float = 0.0) -> list[Reading]:
        """Answers on notes that were left under way, and that are there now, or within ``wait_s`` seconds."""
        return list(self._step(wait_s)) if self.under_way() else []

    def under_way(self) -> set[NotePath]:
        """Paths of the notes that are still being read."""
        owed = (task for worker in self._workers for task in worker.wanted())
        return {task.job.path for task in (*self._todo, *owed)}

    def forget(self, path: str) -> None:
        """Nobody wants to know any more what a note says that is under way."""
        self._todo = collections.deque(task for task in self._todo if task.job.path != path)
        for worker in self._workers.copy():
            if worker.owed and worker.owed[0].job.path == path:
                self._todo.extendleft(reversed(worker.take_back()))
                self._drop(worker)
            else:
                for task in worker.owed:
                    task.wanted = task.wanted and task.job.path != path

    def speak(self, languages: tuple[str, ...]) -> None:
        """From now on, cut words as in these languages, and forget what is under way."""
        self.close()
        limits = msgspec.structs.replace(self._hello.limits, languages=languages)
        self._hello = msgspec.structs.replace(self._hello, limits=limits)

    def close(self) -> None:
        """End the workers and forget what is under way; the pool can be used again."""
        self._todo.clear()
        for worker in self._workers.copy():
            self._drop(worker)

    def _step(self, wait_s: float) -> Iterator[Reading]:
        """Keep every worker busy and take what they have read, within so many seconds."""
        for worker in self._workers:
            if worker.is_slow():
                self._todo.extendleft(reversed(worker.take_back()))
        self._start_workers()
        if not self._workers:
            yield from self._go_on_without(wait_s)
            return
        self._hand_out()
        exchange([worker.child for worker in self._workers], wait_s)
        for worker in self._workers.copy():
            try:
                for reading in worker.readings():
                    self._no_trouble()
                    yield reading
                worker.check_time()
            except ChildLost as loss:
                self._drop(worker)
                yield from self._lost(worker, loss)

    def _only_slow(self) -> bool:
        """Whether nothing is left that could be read in a moment."""
        if any(worker.wanted() and not worker.is_slow() for worker in self._workers):
            return False
        if self._trouble:
            return all(task.why or not self._is_small(task) for task in self._todo)
        return not self._todo or (len(self._workers) >= 2 * self._size and all(w.owed for w in self._workers))

    def _start_workers(self) -> None:
        busy = sum(bool(worker.owed) for worker in self._workers)
        slow = sum(worker.is_slow() for worker in self._workers)
        most = self._size + min(slow, self._size)  # as if the slow ones were not there
        while len(self._workers) < min(most, len(self._todo) + busy) and self._may_try():
            try:
                self._workers.append(_Worker(self._hello))
            except OSError as error:  # no descriptor, no memory, no leave to run a program
                self._in_trouble(f"could not be started ({error.strerror or error})")

    def _hand_out(self) -> None:
        """Give tasks, evenly; one that has lost a worker waits until trouble may be over."""
        while self._todo and (not self._todo[0].why or self._may_try()):
            worker = min(self._workers, key=lambda worker: len(worker.owed))
            if not worker.has_room(self._todo[0]):
                break
            worker.give(self._todo.popleft())

    def _go_on_without(self, wait_s: float) -> Iterator[Reading]:
        """Read here what can be read here; the rest waits for workers as long as patience lasts."""
        for _ in range(len(self._todo)):
            task = self._todo.popleft()
            if not task.why and self._is_small(task):
                yield self._read_here(task.job)
                return
            if self._patience_ended(task):
                yield self._undecided(task.job)
                return
            self._todo.append(task)
        time.sleep(max(0.0, min(wait_s, self._retry_at - time.monotonic())))

    def _lost(self, worker: _Worker, loss: ChildLost) -> Iterator[Reading]:
        """Find out who is to blame; everything else that the worker had waits for another one."""
        task = worker.owed.popleft() if worker.up and worker.owed else None
        self._todo.extendleft(reversed(worker.wanted()))
        if loss.from_outside or not worker.up:
            self._in_trouble(loss.reason)
        if task is None or not task.wanted:
            return
        task.why = loss.reason
        if not loss.from_outside:
            task.strikes += 1
        if task.strikes >= STRIKES:
            yield self._read_here(task.job, self._verdict(task.job, loss))
        elif task.held_up >= STRIKES:
            reason = f"{task.job.path} could not be read: the process that tried {loss.reason}, twice"
            yield Reading(task.job.path, problem=Problem("unreadable", reason))
        elif self._patience_ended(task):
            yield self._undecided(task.job)
        else:
            self._todo.append(task)

    def _verdict(self, job: Job, loss: ChildLost) -> str:
        if loss.signal_number == OUT_OF_TIME:
            how = f"within {self._hello.processor_s:g} s of processor time"
        else:
            how = f"(the process that tried {loss.reason})"
        return f"{job.path} could not be parsed {how}, twice: {what_is_kept(job.path)}"

    def _undecided(self, job: Job) -> Reading:
        """Take the words of a note that nobody could try to parse, for now."""
        now = f"{job.path} could not be parsed now (the process that parses {self._trouble})"
        why = f"{now}: {what_is_kept(job.path)} until it is tried again"
        return self._read_here(job, why, provisional=True)

    def _read_here(self, job: Job, plain: str = "", *, provisional: bool = False) -> Reading:
        return read_one(self._hello.root, job, self._hello.limits, plain=plain, provisional=provisional)

    def _is_small(self, task: _Task) -> bool:
        if needs_process(task.job.path):
            return False
        try:
            return os.lstat(full_path(self._hello.root, task.job.path)).st_size <= LARGE_BYTES
        except OSError:
            return True

    def _in_trouble(self, reason: str) -> None:
        """A worker was lost, or could not be had, and no note is to blame."""
        now = time.monotonic()
        self._trouble_since = self._trouble_since if self._trouble else now
        self._trouble = reason
        if now >= self._retry_at:  # what is lost together counts once
            first, most = _RETRY_S
            self._pause_s = min(most, 2 * self._pause_s or first)
            self._retry_at = now + self._pause_s

    def _no_trouble(self) -> None:
        self._trouble, self._retry_at, self._pause_s = "", 0.0, 0.0

    def _may_try(self) -> bool:
        return time.monotonic() >= self._retry_at

    def _patience_ended(self, task: _Task) -> bool:
        """Whether a note has waited long enough for workers, each of which was lost."""
        since = max(self._trouble_since, task.since)
        return bool(self._trouble) and time.monotonic() - since > self._patience_s

    def _drop(self, worker: _Worker) -> None:
        worker.child.end()
        self._workers.remove(worker)
