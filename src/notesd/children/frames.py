"""How do two processes hand each other values through pipes without losing a byte?

A frame is four bytes of length (big-endian), then msgpack. A pipe may take or give fewer bytes than it was
asked to, whenever the process is stopped, or the other one slow: here nothing counts on one call.
"""

import os
import select
from typing import Final

import msgspec

LONGEST_FRAME: Final = 128 << 20
"""Bytes. More is noise: the first four bytes of any text stand for more than this."""
PIECE_BYTES: Final = 1 << 18
"""Bytes asked of a pipe at once."""
_HEAD_BYTES: Final = 4

_encode = msgspec.msgpack.Encoder().encode


class FrameError(ValueError):
    """Bytes that cannot be a frame, or a value that is too long for one."""


def frame(value: object) -> bytes:
    """Write a value as one frame.

    Raises:
        FrameError: It would be longer than ``LONGEST_FRAME``.
    """
    data = _encode(value)
    if len(data) > LONGEST_FRAME:
        raise FrameError(f"{len(data):,} bytes do not fit into one frame")
    return len(data).to_bytes(_HEAD_BYTES, "big") + data


def take_frame(buffer: bytearray) -> bytes | None:
    """Take the first whole frame off a buffer, without its length; None when it has not all arrived.

    Raises:
        FrameError: What stands there cannot be a frame.
    """
    if len(buffer) < _HEAD_BYTES:
        return None
    end = _HEAD_BYTES + int.from_bytes(buffer[:_HEAD_BYTES], "big")
    if end > _HEAD_BYTES + LONGEST_FRAME:
        raise FrameError(f"a frame of {end - _HEAD_BYTES:,} bytes")
    if len(buffer) < end:
        return None
    data = bytes(memoryview(buffer)[_HEAD_BYTES:end])
    del buffer[:end]
    return data


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, however few the pipe takes at a time.

    Raises:
        OSError: Nobody reads at the other end any more.
    """
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # somebody made the pipe non-blocking
            _wait(descriptor, select.POLLOUT)


def read_some(descriptor: int) -> bytes:
    """Wait for bytes and return what is there; empty at the end.

    Raises:
        OSError: It cannot be read.
    """
    while True:
        try:
            return os.read(descriptor, PIECE_BYTES)
        except BlockingIOError:
            _wait(descriptor, select.POLLIN)


def _wait(descriptor: int, event: int) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    poll.poll()
