"""How are the fields of a protocol buffer written?

Networks and vocabularies are kept as such; each message is the bytes of its fields, one after the other, so
no library is needed to write one.
"""

import struct
from typing import Final

_VARINT: Final = 0
_BYTES: Final = 2
_FIXED32: Final = 5


def number(field: int, value: int) -> bytes:
    """Write a whole number, of 64 bits at most."""
    return _key(field, _VARINT) + _varint(value)


def real(field: int, value: float) -> bytes:
    """Write a number of single precision."""
    return _key(field, _FIXED32) + struct.pack("<f", value)


def text(field: int, value: str) -> bytes:
    """Write a text."""
    return message(field, value.encode())


def message(field: int, content: bytes) -> bytes:
    """Write bytes, or another message."""
    return _key(field, _BYTES) + _varint(len(content)) + content


def _key(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _varint(value: int) -> bytes:
    """Write a number in groups of seven bits, the lowest first; negative ones as 64-bit complements."""
    value &= (1 << 64) - 1
    groups = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)
