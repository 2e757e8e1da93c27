"""How do the passages of a note lie in the index?

Compressed: on short notes they take 52 % of the pages that they would take as they are, on pasted logs 7 %.
A note of a kilobyte costs 22 us when it is written and 7 us when it is read (2 cores of 3 GHz). Higher levels
save another 1 % for a fifth more time.
"""

import zlib
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from notesd.model import Observation

_LEVEL = 1
_encode = msgspec.msgpack.Encoder().encode
_passages = msgspec.msgpack.Decoder(tuple[Observation, ...])


class Packed(Struct, frozen=True, gc=False, array_like=True):
    """The passages of one note."""

    size: int
    """Bytes of them before they were compressed."""
    data: bytes


def packed(passages: Sequence[Observation]) -> Packed:
    """Pack the passages of a note."""
    plain = _encode(passages)
    return Packed(len(plain), zlib.compress(plain, _LEVEL))


def unpacked(data: bytes | None) -> tuple[Observation, ...]:
    """Return the passages of a note in the order of the file; none for None.

    Raises:
        zlib.error: The data is damaged.
        msgspec.DecodeError: The same.
    """
    return _passages.decode(zlib.decompress(data)) if data else ()
