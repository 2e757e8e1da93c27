"""How does the daemon get vectors without ever waiting for a model, or dying of it?

One child process serves all spaces. A thread of its own starts it when there is something to do, feeds it,
watches its time, starts it again when it is lost, and ends it when nobody has asked for a while, which gives
its memory back. Everybody else only waits for results, questions never beyond their time.
"""

import contextlib
import math
import os
import threading
import time
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from notesd.children.child import Child, ChildLost, exchange
from notesd.duty import Duty
from notesd.embed.child import COMMAND, ENVIRONMENT, replies
from notesd.embed.jobs import Job, Jobs, SetAside, Unavailable
from notesd.embed.messages import Answer, Ask, Hello, Ready, Refused, Reply
from notesd.models.failures import ModelDown, TextRefused
from notesd.models.manifest import Manifest

LONGEST_QUESTION: Final = 1 << 15
"""Characters; the model sees less."""
HOPELESS: Final = 4
"""Losses in a row, all before the model was loaded, after which nothing waits for the next try."""
HOPELESS_READY: Final = 16
"""Losses in a row without a result, though the model could be loaded."""
_CLOSING: Final = "notesd is shutting down"
_NOTHING: Final = Unavailable("no vector came back")

StateName = Literal["off", "loading", "ready", "down"]


class State(NamedTuple):
    """How the embedding process is."""

    name: StateName
    """``off``: not needed now; ``down``: needed, and not to be had."""
    reason: str = ""
    """One sentence when it is down, or loading after that."""
    pid: int | None = None


class Limits(NamedTuple):
    """Times in seconds."""

    load_s: float = 120.0
    """To load the model, on a slow disk too."""
    passage_s: float = 60.0
    """For one passage, behind whatever else the machine does."""
    question_s: float = 10.0
    """For one question; whoever asked has gone on long before."""
    back_off_s: float = 0.25
    """Before the first restart; doubled each time, as long as nothing is answered."""
    back_off_most_s: float = 60.0
    refused_s: float = 300.0
    """Before a model that cannot be loaded is tried again, unless its files change."""


LIMITS: Final = Limits()


class EmbeddingProcess:
    """The one embedding process. Every method may be called from any thread."""

    def __init__(
        self,
        folder: str,
        manifest: Manifest,
        *,
        threads: int = 1,
        pad_to: int | None = None,
        idle_s: float = 300.0,
        command: Sequence[str] = COMMAND,
        limits: Limits = LIMITS,
    ) -> None:
        """Nothing is started yet.

        Args:
            folder: ``.../models/NAME``.
            manifest: The model as the daemon knows it; should another one lie in the folder by the time it
                is loaded, it is refused: its vectors must not be mixed with this one's.
            threads: Cores that one text may use.
            pad_to: See ``encoder.Encoder``.
            idle_s: Time without a request after which the process is ended.
            command: The program.
            limits: Times.
        """
        self._folder = folder
        self._dimensions = manifest.dimensions
        files = tuple((file.name, file.sha256) for file in manifest.files)
        self._hello = Hello(folder, files, threads, pad_to)
        self.ready: Ready | None = None
        """What the process said when it was loaded last; None before."""
        self._idle_s, self._command, self._limits = idle_s, tuple(command), limits
        self._changed = threading.Condition()
        self._jobs = Jobs(manifest.dimensions)
        self._state = State("off")
        self._closing = False
        self.duty: Duty | None = None
        """How our thread goes; None while there is none."""
        self._thread: threading.Thread | None = None
        self._wake: tuple[int, int] | None = None
        self._child: Child | None = None
        # From here on: used by our thread alone.
        self._started_at = self._used_at = self._retry_at = 0.0
        self._settled_before = self._losses = self._unready = 0
        self._refused_files: object = None
        self._loaded_files: object = None
        self._lasting = False
        """It is down for more than being lost once."""

    def warm_up(self) -> None:
        """Start loading the model if it is not loaded, without waiting for it."""
        self._put(Job("count", ("",)))

    def encode_query(self, text: str, timeout_s: float = 1.5) -> bytes | Unavailable:
        """Return the vector of a question (little-endian float32), or why there is none in time."""
        job = Job("query", (_sound(text[:LONGEST_QUESTION]),))
        self._put(job)
        if not job.done.wait(timeout_s):
            job.abandoned = True
            busy = "is still being loaded" if self.state().name == "loading" else "gave no answer"
            return Unavailable(f"the embedding model {busy} within {timeout_s:g} s")
        return (
            job.result if isinstance(job.result, bytes | Unavailable) else Unavailable("no vector came back")
        )

    def encode_passages(self, texts: Sequence[str]) -> list[bytes | SetAside | Unavailable]:
        """Return a result for each text, in order; waits as long as it takes.

        A text gets ``Unavailable`` when the process cannot be had at all, and the rest will then too.
        """
        jobs = [Job("passage", (_sound(text),)) for text in texts]
        self._put(*jobs)
        for job in jobs:
            job.done.wait()
        results = (job.result for job in jobs)
        return [each if isinstance(each, bytes | SetAside | Unavailable) else _NOTHING for each in results]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the model's tokens of each text, behind the passages that wait already.

        Raises:
            TextRefused: The tokenizer fails on these texts.
            ModelDown: The process cannot be had.
        """
        if not texts:
            return []
        job = Job("count", tuple(map(_sound, texts)))
        self._put(job)
        job.done.wait()
        match job.result:
            case SetAside(reason):
                raise TextRefused(reason)
            case Unavailable(reason):
                raise ModelDown(reason)
            case bytes():
                raise ModelDown("no counts came back")
            case counts:
                return list(counts)

    @property
    def trouble(self) -> str:
        """Why it is not to be had, until it has loaded the model; empty: it is, or will be in a moment."""
        with self._changed:
            return self._state.reason if self._lasting else ""

    def doubtful(self) -> bool:
        """Whether ``warm_up`` would tell more: it is down, or rests and the model's files are others now."""
        with self._changed:
            if not self._jobs.is_idle() or self._state.name in ("ready", "loading"):
                return False
            known = self._loaded_files
        return self._state.name == "down" or (known is not None and known != _files(self._folder))

    def state(self) -> State:
        """Say how the process is, without starting it."""
        with self._changed:
            return self._state

    def close(self) -> None:
        """End the process; everything that waits, and every later request, gets ``Unavailable``."""
        with self._changed:
            self._closing = True
            self._ring()
            if self.duty:
                self.duty.end()
        if self._thread:
            self._thread.join()
        with self._changed:
            self._jobs.refuse_all(_CLOSING)
            wake, self._wake = self._wake, None
        for end in wake or ():
            os.close(end)

    def _put(self, *jobs: Job) -> None:
        with self._changed:
            for job in jobs:
                self._jobs.put(job)
            if self._closing:
                self._jobs.refuse_all(_CLOSING)
                return
            if self._child and self._state.name == "ready":
                self._send_due(self._child)  # a question need not wait for our thread to wake up
            if self._thread is None:
                self._wake = os.pipe()
                for end in self._wake:
                    os.set_blocking(end, False)
                self.duty = duty = Duty("embedding")
                self._thread = threading.Thread(target=self._run, args=(duty,), name=duty.name, daemon=True)
                self._thread.start()
            self._ring()

    def _ring(self) -> None:
        """Wake our thread, wherever it waits."""
        self._changed.notify_all()
        if self._wake:
            with contextlib.suppress(BlockingIOError):  # it has been rung often enough
                os.write(self._wake[1], b"!")

    def _run(self, duty: Duty) -> None:
        """Do what there is to do until the daemon closes."""
        duty.keep(self._take_turn)
        self._drop(State("off"))

    def _take_turn(self) -> bool:
        """Bring the process and the requests a step further; False when the daemon closes."""
        if self._closing:
            return False
        try:
            if self._child is None:
                self._without_child()
            else:
                self._with_child(self._child)
        except ChildLost as loss:
            self._lost(loss)
        except Exception as error:
            self._lost(ChildLost(f"could not be served ({type(error).__name__})"))
            raise
        return True

    def _without_child(self) -> None:
        """Wait for something to do, or for the next try; then start."""
        with self._changed:
            if self._closing or self._jobs.is_idle():
                self._changed.wait_for(lambda: self._closing or not self._jobs.is_idle())
                return
            wait = self._retry_at - time.monotonic()
            if wait > 0 and not self._is_mended():
                hopeless = self._unready >= HOPELESS or self._losses >= HOPELESS_READY
                if hopeless or self._refused_files is not None:
                    self._jobs.refuse_all(self._state.reason)
                else:
                    self._jobs.refuse_questions(self._state.reason)
                    self._changed.wait(wait)
                return
            self._state = State("loading", self._state.reason)
        self._refused_files = None
        self._settled_before = self._jobs.settled
        try:
            child = Child(self._command, ENVIRONMENT)
        except OSError as error:
            raise ChildLost(f"could not be started ({error.strerror or error})") from None
        self._started_at = time.monotonic()
        child.send(self._hello)
        self._child = child

    def _is_mended(self) -> bool:
        """Say whether a model that was refused has other files now."""
        return self._refused_files is not None and self._refused_files != _files(self._folder)

    def _with_child(self, child: Child) -> None:
        """Send what is due, take what has come, keep the time."""
        with self._changed:
            now = time.monotonic()
            if self._state.name == "ready":
                self._send_due(child)
                idle = self._jobs.is_idle()
                end = self._jobs.deadline(self._limits.question_s, self._limits.passage_s)
                end = self._used_at + self._idle_s if idle else end
            else:
                idle, end = False, self._started_at + self._limits.load_s
            wake = self._wake[0] if self._wake else -1
        exchange([child], max(0.0, min(end - now, 3600.0)), wake)
        with contextlib.suppress(BlockingIOError):
            os.read(wake, 4096)
        heard = False
        for reply in replies(child):
            self._accept(child, reply)
            heard = True
            if self._child is not child:
                return  # it was given up for what it said
        now = time.monotonic()
        if heard or not idle:
            self._used_at = now
        if heard or now < end:
            return
        if not idle:
            raise ChildLost("did not answer in time")
        self._drop(State("off"))

    def _send_due(self, child: Child) -> None:
        while job := self._jobs.take(time.monotonic()):
            child.send(Ask(job.number, job.kind, job.texts))

    def _accept(self, child: Child, reply: Reply) -> None:
        with self._changed:
            match reply:
                case Ready(dimensions) if dimensions == self._dimensions:
                    self.ready, self._loaded_files = reply, _files(self._folder)
                    self._retry_at, self._lasting = 0.0, False
                    self._state = State("ready", pid=child.pid)
                case Ready(dimensions):
                    self._refused(f"the model gives {dimensions} numbers instead of {self._dimensions}")
                case Refused(reason):
                    self._refused(reason)
                case Answer():
                    try:
                        self._jobs.accept(reply, time.monotonic())
                    except ValueError as error:
                        raise ChildLost(str(error)) from None

    def _refused(self, reason: str) -> None:
        """Give up until the model's files change, or for a long while."""
        self._refused_files, self._lasting = _files(self._folder), True
        self._retry_at = time.monotonic() + self._limits.refused_s
        self._jobs.refuse_all(reason)
        self._drop(State("down", reason))

    def _lost(self, loss: ChildLost) -> None:
        """Bury a process, find out who is to blame, and say when the next one starts."""
        with self._changed:
            self._jobs.lost(f"the embedding process {loss.reason}", doubtful=loss.from_outside)
            self._losses = self._losses + 1 if self._jobs.settled == self._settled_before else 1
            self._unready = 0 if self._state.name == "ready" else self._unready + 1
            self._lasting = self._lasting or self._unready > 0 or self._losses > 1
            doublings = min(self._losses - 1, 30)
            wait = min(self._limits.back_off_s * math.ldexp(1.0, doublings), self._limits.back_off_most_s)
            self._retry_at = time.monotonic() + wait
            again = f"the embedding process {loss.reason}; it is started again in {wait:.3g} s"
            self._drop(State("down", again))

    def _drop(self, state: State) -> None:
        """End the process, if there is one; from here on nobody sends to it."""
        with self._changed:
            child, self._child = self._child, None
            self._state = state
        if child:
            child.end()


def _files(folder: str) -> object:
    """Return what tells one state of a model's folder from another, without reading the files."""
    try:
        with os.scandir(folder) as entries:
            stats = [(entry.name, entry.stat()) for entry in entries]
    except OSError:
        return ()
    return tuple(sorted((name, stat.st_size, stat.st_mtime_ns, stat.st_ino) for name, stat in stats))


def _sound(text: str) -> str:
    """Replace halves of characters, which no frame can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
