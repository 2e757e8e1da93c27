"""How do the passages of a note lie in the index?

Compressed: on short notes they take 52 % of the pages that they would take as they are, on pasted logs 7 %.
A note of a kilobyte costs 22 us when it is written and 7 us when it is read (2 cores of 3 GHz). Higher levels
save another 1 % for a fifth more time. Another way to pack them is another layout (``index.schema``).
"""

import zlib
from collections.abc import Sequence

import msgspec

from notesd.model import Observation

_LEVEL = 1
_encode = msgspec.msgpack.Encoder().encode
_passages = msgspec.msgpack.Decoder(tuple[Observation, ...])


def packed(passages: Sequence[Observation]) -> bytes:
    """Pack the passages of a note."""
    return zlib.compress(_encode(passages), _LEVEL)


def unpacked(data: bytes | None) -> tuple[Observation, ...]:
    """Return the passages of a note in the order of the file; none for None.

    Raises:
        zlib.error: The data is damaged.
        msgspec.DecodeError: The same.
    """
    return () if data is None else _passages.decode(zlib.decompress(data))


def unpacked_within(data: bytes, most_bytes: int) -> tuple[Observation, ...] | None:
    """Return the passages of a note; None where they take more than so many bytes before they are packed.

    Raises:
        zlib.error: The data is damaged.
        msgspec.DecodeError: The same.
    """
    plain = zlib.decompressobj().decompress(data, most_bytes + 1)
    return None if len(plain) > most_bytes else _passages.decode(plain)
