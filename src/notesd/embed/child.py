"""One embedding process seen from outside: bytes to it, replies from it, and how it ended."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Final, cast

import msgspec

from notesd.embed.frames import Reply, frame, take_frame

COMMAND: Final = (sys.executable, "-P", "-m", "notesd.embed.worker")
"""``-P``: a package called notesd in the current folder must not be taken for ours."""
_PIPE_BYTES: Final = 1 << 18
_GRACE_S: Final = 0.5
_ENVIRONMENT: Final = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "MALLOC_ARENA_MAX": "2",  # every further one is memory that comes back late
}

_replies = msgspec.msgpack.Decoder(Reply)


class ChildLost(Exception):
    """The process ended, or said something that makes no sense."""

    def __init__(self, reason: str, *, from_outside: bool = False) -> None:
        """Keep how it ended.

        Args:
            reason: For people; fits behind "the embedding process".
            from_outside: Somebody else may have ended it: a person, or a system out of memory.
        """
        super().__init__(reason)
        self.reason = reason
        self.from_outside = from_outside


class Child:
    """A running process. Any thread may send; the rest belongs to one."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it.

        Raises:
            OSError: The system does not let us.
        """
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            cwd="/", env={**os.environ, **_ENVIRONMENT},
        )  # fmt: skip
        self.pid = self._process.pid
        self._sink = cast("int", self._process.stdin and self._process.stdin.fileno())
        self._source = cast("int", self._process.stdout and self._process.stdout.fileno())
        os.set_blocking(self._sink, False)
        os.set_blocking(self._source, False)
        self._lock = threading.Lock()
        self._out = bytearray()  # what could not be written at once
        self._in = bytearray()

    def send(self, value: msgspec.Struct) -> None:
        """Write a frame, or what of it can be written now; ``exchange`` writes the rest.

        A process that does not read holds nobody up.
        """
        with self._lock:
            self._out += frame(value)
            with contextlib.suppress(OSError):  # full, or gone: exchange finds out
                self._write()

    def exchange(self, wake: int, timeout_s: float) -> list[Reply]:
        """Write and read what can be, and wait at most so long for anything to read.

        Args:
            wake: Descriptor whose readiness ends the wait too; it is not read.
            timeout_s: 0 or more.

        Returns:
            The replies that have arrived, perhaps none.

        Raises:
            ChildLost: It ended or spoke nonsense.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(wake, selectors.EVENT_READ)
            selector.register(self._source, selectors.EVENT_READ)
            if self._out:  # a frame that is added now has been written now, or rings ``wake``
                selector.register(self._sink, selectors.EVENT_WRITE)
            ready = {key.fd for key, _ in selector.select(timeout_s)}
        try:
            if self._sink in ready:
                with self._lock:
                    self._write()
            if self._source in ready:
                data = os.read(self._source, _PIPE_BYTES)
                if not data:
                    raise self._ended()
                self._in += data
        except BlockingIOError:
            return []
        except OSError:
            raise self._ended() from None
        return self._take()

    def _write(self) -> None:
        del self._out[: os.write(self._sink, self._out[:_PIPE_BYTES])]

    def _take(self) -> list[Reply]:
        replies: list[Reply] = []
        try:
            while (data := take_frame(self._in)) is not None:
                replies.append(_replies.decode(data))
        except (ValueError, msgspec.DecodeError):
            raise ChildLost("gave an answer that cannot be read") from None
        return replies

    def _ended(self) -> ChildLost:
        try:
            status = self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            return ChildLost("closed its output")
        if status >= 0:
            return ChildLost(f"ended with status {status}")
        with contextlib.suppress(ValueError):
            return ChildLost(
                f"was ended by {signal.Signals(-status).name}", from_outside=-status == signal.SIGKILL
            )
        return ChildLost(f"was ended by signal {-status}")

    def end(self) -> None:
        """End it and give everything back."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()
