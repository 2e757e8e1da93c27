"""How do vectors travel from one machine to another?

A file of rows of one size, each with its own sum: one that is damaged costs itself alone. It holds numbers
and nothing that could be run, so that a file from elsewhere can do no harm but to be wrong.
"""

import contextlib
import os
import secrets
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from notesd.errors import InvalidParams, StoreError

HASH_BYTES = 16
"""Every hash of a text is so long."""

_MAGIC = b"notesd vectors 1\n"
_HEAD = struct.Struct("<HI")
"""Length of the fingerprint, which follows, and numbers in a vector."""
_SUM = struct.Struct("<I")
"""Before each row: the CRC-32 of its hash and its vector."""
_MOST_FINGERPRINT = 1_024


def write_archive(path: str, fingerprint: str, dimensions: int, rows: Iterable[tuple[bytes, bytes]]) -> int:
    """Write ``(hash, float32 vector)`` rows; the file is there as a whole or not at all. Returns how many.

    Raises:
        StoreError: It cannot be written.
    """
    beside = f"{path}.{secrets.token_hex(4)}"
    name, count = fingerprint.encode(), 0
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(_MAGIC + _HEAD.pack(len(name), dimensions) + name)
            for fingerprint_of_text, vector in rows:
                body = fingerprint_of_text + _little_endian(vector)
                file.write(_SUM.pack(zlib.crc32(body)) + body)
                count += 1
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written ({error.strerror})", path=path) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(beside)
    return count


def read_archive(path: str, fingerprint: str, dimensions: int) -> Iterator[tuple[bytes, bytes] | None]:
    """Yield each row, None for one that is damaged or cut off.

    Raises:
        InvalidParams: It is no file of vectors, or another model's.
        StoreError: It cannot be read.
    """
    try:
        with open(path, "rb") as file:
            _check_head(file, path, fingerprint, dimensions)
            size = _SUM.size + HASH_BYTES + 4 * dimensions
            while row := file.read(size):
                body = row[_SUM.size :]
                whole = len(row) == size and _SUM.unpack_from(row)[0] == zlib.crc32(body)
                yield (body[:HASH_BYTES], _little_endian(body[HASH_BYTES:])) if whole else None
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror})", path=path) from error


def _check_head(file: BinaryIO, path: str, fingerprint: str, dimensions: int) -> None:
    magic, head = file.read(len(_MAGIC)), file.read(_HEAD.size)
    if magic != _MAGIC or len(head) != _HEAD.size:
        raise InvalidParams(f"{path} holds no vectors of notesd; make one with: notesd model cache export")
    length, numbers = _HEAD.unpack(head)
    if length > _MOST_FINGERPRINT or (file.read(length), numbers) != (fingerprint.encode(), dimensions):
        raise InvalidParams(
            f"{path} holds the vectors of another model or of other settings; export it again "
            f"with the model that is used here"
        )


def _little_endian(vector: bytes) -> bytes:
    """Swap between the machine's order of bytes and the file's."""
    if sys.byteorder == "little":
        return vector
    return b"".join(vector[at : at + 4][::-1] for at in range(0, len(vector), 4))
