"""What do the daemon and its embedding process say to each other?

Frames on the process's standard input and output: four bytes of length (big-endian), then msgpack. In: one
``Hello``, then ``Ask``. Out: one ``Ready`` or ``Refused``, then an ``Answer`` for each ``Ask``, in any order.
"""

from typing import BinaryIO, Final, Literal

import msgspec
from msgspec import Struct

LONGEST_FRAME: Final = 64 << 20
"""Bytes; more is not an answer but noise."""
_HEAD_BYTES: Final = 4

TokenizerName = Literal["tokenizers", "sentencepiece"]
AskKind = Literal["query", "passage", "count"]


class Hello(Struct, frozen=True, array_like=True):
    """What to load, and how."""

    folder: str
    files: tuple[tuple[str, str], ...]
    """Name and sha256 of every file that the daemon expects there."""
    threads: int
    pad_to: int | None
    tokenizer: TokenizerName = "tokenizers"
    """What is to cut texts."""


class Ask(Struct, frozen=True, array_like=True):
    """One thing to do."""

    number: int
    kind: AskKind
    texts: tuple[str, ...]
    """One, or several to be counted."""


class Ready(Struct, frozen=True, array_like=True, tag=True):
    """The model is loaded."""

    dimensions: int
    tokenizer: TokenizerName = "tokenizers"
    """What cuts texts."""
    remark: str = ""
    """Why it is not what was wanted."""


class Refused(Struct, frozen=True, array_like=True, tag=True):
    """The model cannot be loaded, and trying again changes nothing."""

    reason: str


class Answer(Struct, frozen=True, array_like=True, tag=True):
    """The result of one ``Ask``."""

    number: int
    vector: bytes = b""
    """Little-endian float32; empty for counts and failures."""
    counts: tuple[int, ...] = ()
    failure: str = ""
    """Why there is neither."""


Reply = Ready | Refused | Answer

encode = msgspec.msgpack.Encoder().encode


def frame(value: Struct) -> bytes:
    """Write a value as one frame."""
    data = encode(value)
    return len(data).to_bytes(_HEAD_BYTES, "big") + data


def take_frame(buffer: bytearray) -> bytes | None:
    """Take the first whole frame off a buffer; None when it has not all arrived.

    Raises:
        ValueError: What stands there cannot be a frame.
    """
    if len(buffer) < _HEAD_BYTES:
        return None
    size = int.from_bytes(buffer[:_HEAD_BYTES], "big")
    if size > LONGEST_FRAME:
        raise ValueError(f"a frame of {size} bytes")
    if len(buffer) < _HEAD_BYTES + size:
        return None
    data = bytes(buffer[_HEAD_BYTES : _HEAD_BYTES + size])
    del buffer[: _HEAD_BYTES + size]
    return data


def receive(pipe: BinaryIO) -> bytes | None:
    """Read one frame from a pipe that blocks, None at its end."""
    head = pipe.read(_HEAD_BYTES)
    if len(head) < _HEAD_BYTES:
        return None
    size = int.from_bytes(head, "big")
    data = pipe.read(size)
    return data if len(data) == size else None
