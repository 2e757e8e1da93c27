"""How are messages read from an agent's program and written to it? One JSON value a line, nothing else."""

from __future__ import annotations

import json
import os
import select
import sys
import threading

TYPE_CHECKING = False  # importing typing would cost every session some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST_LINE = 4 << 20
"""Bytes of one line; a longer one is refused, and not kept."""
LOOK_S = 1.0
"""How often it is looked whether the program that started us is still there."""
_CHUNK = 1 << 16

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700, -32600, -32601, -32602, -32603,
)  # fmt: skip


class RefusedMessage(Exception):
    """A message that is answered by an error of the protocol."""

    def __init__(self, code: int, message: str, **data: object) -> None:
        """Keep what the answer says."""
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def told(self) -> dict[str, Any]:
        """The error as the protocol writes it."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return {**error, "data": self.data} if self.data else error


class Pipe:
    """Standard input and output of a session."""

    def __init__(self) -> None:
        """Take them, so that whatever else is printed goes to standard error."""
        self._in = os.dup(0)
        self._out = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self._parent = os.getppid()
        self._lock = threading.Lock()
        self._rest = bytearray()
        self._skipping = False

    def messages(self) -> Iterator[object]:
        """Yield each message, or the ``RefusedMessage`` that answers what is none, until the end."""
        while (chunk := self._read()) is not None:
            self._rest += chunk
            while (end := self._rest.find(b"\n")) >= 0:
                line = bytes(self._rest[:end])
                del self._rest[: end + 1]
                if self._skipping:
                    self._skipping = False
                elif len(line) > LONGEST_LINE:
                    yield _too_long()
                elif line.strip():
                    yield _message(line)
            if len(self._rest) > LONGEST_LINE:
                if not self._skipping:
                    yield _too_long()
                self._skipping = True
            if self._skipping:
                self._rest.clear()

    def _read(self) -> bytes | None:
        """Wait for more; None at the end of input, or when the program that started us has died."""
        while not select.select([self._in], [], [], LOOK_S)[0]:
            if os.getppid() != self._parent:
                return None
        return os.read(self._in, _CHUNK) or None

    def write(self, message: object) -> None:
        """Write a message; from any thread.

        Raises:
            OSError: Nobody reads any more.
        """
        line = encoded(message).encode("utf-8", "replace") + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._out, line) :]


def encoded(value: object) -> str:
    """Return a value as JSON in as few characters as it takes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _message(line: bytes) -> object:
    try:
        return json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return RefusedMessage(PARSE_ERROR, "this line is not JSON")


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _too_long() -> RefusedMessage:
    return RefusedMessage(INVALID_REQUEST, f"a line may have {LONGEST_LINE} bytes, and this one is longer")
