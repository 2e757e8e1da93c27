"""A child process seen from the parent: frames to it, frames from it, and how it ended.

Nothing here waits for a child, except ``exchange`` for as long as it is told, and its end for a moment: a
child that is stopped or does not read holds nobody up.
"""

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Final

from notesd.children.frames import PIECE_BYTES, FrameError, frame, take_frame

_GRACE_S: Final = 10.0
"""So long the system may take to say how a process ended that closed its output: on a busy machine a killed
one is not to be taken for one that misbehaved."""
_END_S: Final = 0.5
"""So long a process that we kill is waited for."""
_OWN_SIGNALS: Final = frozenset({
    signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGPROF, signal.SIGSEGV,
    signal.SIGSYS, signal.SIGTRAP, signal.SIGXCPU, signal.SIGXFSZ,
})  # fmt: skip
"""What a program brings upon itself; every other signal is sent by somebody."""


class ChildLost(Exception):
    """The process ended, said something that makes no sense, or let its time pass."""

    def __init__(self, reason: str, *, from_outside: bool = False, signal_number: int = 0) -> None:
        """Keep how it ended.

        Args:
            reason: For people; fits behind "the process".
            from_outside: Somebody else ended it, as far as one can tell: a person, or a system out of memory.
            signal_number: The signal that ended it; 0: none.
        """
        super().__init__(reason)
        self.reason = reason
        self.from_outside = from_outside
        self.signal_number = signal_number


class Child:
    """A running process. Any thread may send; the rest belongs to one."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Start it; its ends of the two pipes are named by the last two arguments.

        Args:
            command: Program and arguments.
            environment: Set beside what we have ourselves.

        Raises:
            OSError: The system does not let us.
        """
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            its_source, self._sink = _pipe(theirs, ours)
            self._source, its_sink = _pipe(ours, theirs)
            for end in (self._sink, self._source):
                os.set_blocking(end, False)
            self._process = subprocess.Popen(
                [*command, str(its_source), str(its_sink)], pass_fds=(its_source, its_sink), cwd="/",
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})},
            )  # fmt: skip
            self._ends = ours.pop_all()
        self.pid = self._process.pid
        self._lock = threading.Lock()
        self._out = bytearray()  # what could not be written at once
        self._in = bytearray()
        self._reads = self._writes = True
        self.heard_at = time.monotonic()
        """When the last bytes came, by the monotonic clock."""

    def send(self, value: object) -> None:
        """Write a frame, or what of it can be written now; ``exchange`` writes the rest.

        Raises:
            FrameError: It is too long; nothing has been written.
        """
        data = frame(value)
        with self._lock:
            self._out += data
            self._write()

    def take(self) -> bytes | None:
        """Return the next frame that has arrived whole; None: there is none yet.

        Raises:
            ChildLost: There will be none: it ended, or what came is no frame.
        """
        try:
            data = take_frame(self._in)
        except FrameError:
            raise ChildLost("gave an answer that cannot be read") from None
        if data is None and not self._writes:
            raise self._ended()
        return data

    def is_stopped(self) -> bool:
        """Say whether somebody stopped it, as a debugger does; False where the system does not tell."""
        with contextlib.suppress(OSError), open(f"/proc/{self.pid}/stat", "rb") as source:
            return source.read().rpartition(b") ")[2][:1] in {b"T", b"t"}
        return False

    def end(self) -> None:
        """End it and give everything back."""
        self._process.kill()
        with self._lock:
            self._reads = self._writes = False
            self._out.clear()
            self._ends.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # it waits for a hung disk, and ends after that
            self._process.wait(_END_S)

    def waits_for(self) -> dict[int, int]:
        """Descriptors to be waited for, and what is waited for there: for ``exchange``."""
        events = {self._source: select.POLLIN} if self._writes else {}
        if self._out:  # what another thread adds now has been written now, or that thread rings
            events[self._sink] = select.POLLOUT
        return events

    def serve(self, descriptor: int) -> None:
        """Write or read what can be at a descriptor that is ready: for ``exchange``."""
        if descriptor == self._sink:
            with self._lock:
                self._write()
            return
        try:
            data = os.read(self._source, PIECE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.heard_at = time.monotonic()
        self._in += data
        self._writes = bool(data)

    def _write(self) -> None:
        """Write what the pipe takes; the caller holds the lock."""
        try:
            while self._out and self._reads:
                del self._out[: os.write(self._sink, memoryview(self._out)[:PIECE_BYTES].tobytes())]
        except BlockingIOError:
            return
        except OSError:  # it does not read any more; what it has written may still be read
            self._reads = False
        if not self._reads:
            self._out.clear()

    def _ended(self) -> ChildLost:
        try:
            status = self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            return ChildLost("closed its output")
        if status >= 0:
            return ChildLost(f"ended with status {status}")
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return ChildLost(
            f"was ended by {name}", from_outside=-status not in _OWN_SIGNALS, signal_number=-status
        )


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Make a pipe; each end is closed with its owner."""
    ends = os.pipe()
    for owner, end in zip((reader, writer), ends, strict=True):
        owner.callback(os.close, end)
    return ends


def exchange(children: Sequence[Child], timeout_s: float, wake: int | None = None) -> None:
    """Write and read what can be; wait at most so long for anything to come or go.

    Args:
        children: Those to be served; what has arrived is theirs to ``take``.
        timeout_s: 0 or more.
        wake: Descriptor whose readiness ends the wait too; it is not read.
    """
    poll = select.poll()  # unlike epoll it needs no descriptor, of which there may be none left
    owners: dict[int, Child] = {}
    if wake is not None:
        poll.register(wake, select.POLLIN)
    for child in children:
        for descriptor, event in child.waits_for().items():
            owners[descriptor] = child
            poll.register(descriptor, event)
    for descriptor, _ in poll.poll(max(0.0, timeout_s) * 1000):
        if descriptor in owners:
            owners[descriptor].serve(descriptor)
