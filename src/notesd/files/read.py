"""What do the bytes of one file say? Regular files only, bounded, never through a link."""

import codecs
import errno
import os
import stat

from msgspec import Struct

from notesd.errors import NotRegular, Unreadable
from notesd.files.paths import path_parts
from notesd.files.scan import not_regular, open_folder, stamp_of
from notesd.model import NotePath, Problem, Stamp

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0)
_BLOCK = 1 << 16

# Longest first: the mark of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Content(Struct, frozen=True):
    """The bytes of a file, and what the file was when they were read."""

    data: bytes
    stamp: Stamp
    """Taken before the first byte was read: a write during the read makes the next look differ."""
    truncated: bool
    """The file goes on beyond these bytes."""


def read_note(root: str, path: NotePath, max_bytes: int) -> Content:
    """Read the head of a file, at most so many bytes, in bounded time.

    Raises:
        FileNotFoundError: Nothing of that name is there, or a folder is.
        NotRegular: A link, FIFO, socket or device stands there.
        Unreadable: The system did not let us, or the space itself is gone.
    """
    try:
        *folders, name = path_parts(path)
        file = _open(root, folders, name)
    except ValueError as error:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from error
    except OSError as error:
        raise _open_error(root, path, error) from error
    try:
        return _content(file, path, max_bytes)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, error.strerror) from error
    finally:
        os.close(file)


def has_mark(data: bytes) -> bool:
    """Whether a text begins with a byte-order mark, as every one in UTF-16 or UTF-32 has to."""
    return data.startswith(tuple(mark for mark, _ in _MARKS))


def decode(data: bytes) -> tuple[str, tuple[Problem, ...]]:
    """Turn the bytes of a note into text, and say where they were no text.

    A byte-order mark decides and goes (without one: UTF-8), NULs go, every line ends with a line
    feed. The text is always valid Unicode: what cannot be decoded becomes U+FFFD.
    """
    encoding = "utf-8"
    for mark, name in _MARKS:
        # A UTF-16 text may begin with a NUL and then looks like UTF-32; its length or its
        # characters give it away.
        if data.startswith(mark) and not (
            name.startswith("utf-32") and not _decodes(data[len(mark) :], name)
        ):
            data, encoding = data[len(mark) :], name
            break
    try:
        return _plain(data.decode(encoding)), ()
    except UnicodeDecodeError as error:
        line = _plain(data[: error.start].decode(encoding, "replace")).count("\n") + 1
        reason = (
            f"the bytes {data[error.start : error.end][:4].hex(' ')} in line {line} "
            f"are not {encoding.upper()}; "
            "save the note as UTF-8"
        )
    return _plain(data.decode(encoding, "replace")), (Problem("not_utf8", reason, line),)


def _plain(text: str) -> str:
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _open(root: str, folders: list[bytes], name: bytes) -> int:
    folder = open_folder(root, folders)
    try:
        return os.open(name, _FLAGS, dir_fd=folder)
    finally:
        os.close(folder)


def _open_error(root: str, path: NotePath, error: OSError) -> Exception:
    """Tell a note that is gone from one that we could not open."""
    if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}:
        if os.path.isdir(root):
            return FileNotFoundError(error.errno, error.strerror, path)
        return Unreadable(
            f"{path} could not be read: {root} is not there; what is known of it is kept", path=path
        )
    if error.errno in {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP}:
        return NotRegular(f"{path} is a link, a socket or a device; it is left out", path=path)
    return _unreadable(path, error.strerror)


def _unreadable(path: NotePath, why: str | None) -> Unreadable:
    return Unreadable(f"{path} could not be read: {why}; what is known of it is kept", path=path)


def _content(file: int, path: NotePath, max_bytes: int) -> Content:
    """Read an open file."""
    found = os.fstat(file)
    if stat.S_ISDIR(found.st_mode):
        raise FileNotFoundError(errno.ENOENT, "a folder stands there", path)
    if not stat.S_ISREG(found.st_mode):
        raise NotRegular(not_regular(path, found.st_mode).reason, path=path)
    # One byte more than allowed tells whether the file goes on; sizes can lie (/proc says 0).
    data = _read(file, min(found.st_size, max_bytes) + 1, max_bytes + 1)
    truncated = len(data) > max_bytes
    return Content(_whole_characters(data[:max_bytes]) if truncated else data, stamp_of(found), truncated)


def _read(file: int, expected: int, limit: int) -> bytes:
    """Read to the end or to the limit; a file of the expected size takes two calls."""
    data = os.read(file, expected)
    if not data:
        return data
    blocks = [data]
    size = len(data)
    while size < limit and (data := os.read(file, min(_BLOCK, limit - size))):
        blocks.append(data)
        size += len(data)
    return b"".join(blocks)


def _whole_characters(data: bytes) -> bytes:
    """Leave out a UTF-8 character that was cut in two at the end of a head."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return data[: error.start]
    return data
