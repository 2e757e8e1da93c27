"""How is a file's name written as text? Any bytes become valid Unicode and come back unchanged."""

import os
import re
from collections.abc import Iterable

from notesd.model import NotePath

# Bytes that are not UTF-8 are written as characters of Unicode's private area, byte 0xE9 as
# U+EFE9. They survive JSON, SQLite and a terminal, which lone surrogates (Python's way) do not.
_FIRST_ESCAPE, _LAST_ESCAPE = 0xEF80, 0xEFFF
_PYTHON_ESCAPES = 0xDC00
_SURROGATES = {_PYTHON_ESCAPES + byte: 0xEF00 + byte for byte in range(0x80, 0x100)}
_ESCAPES = re.compile("[\uef80-\uefff]")


def decode_name(raw: bytes) -> str:
    """Write a name or path as text; UTF-8 stays as it is, composed or not."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "surrogateescape")
        return "".join(_escape_real(piece) for piece in text).translate(_SURROGATES)
    return text if text.isascii() or not _ESCAPES.search(text) else "".join(map(_escape_real, text))


def encode_name(text: str) -> bytes:
    """Return the bytes a text stands for; never fails and never makes a slash or a NUL."""
    if text.isascii():
        return text.encode()
    # A client may send a lone surrogate; it names no file that we ever named.
    return b"".join(
        bytes((ord(piece) - 0xEF00,)) if _ESCAPES.match(piece) else piece.encode("utf-8", "surrogatepass")
        for piece in re.split("([\uef80-\uefff])", text)
    )


def full_path(root: str, path: NotePath) -> bytes:
    """Return where a file of a space lies.

    Raises:
        ValueError: The path is absolute, leads out of the space or holds a NUL. Callers check
            what people send; this is the fence behind them.
    """
    return os.path.join(os.fsencode(root), *path_parts(path))


def path_parts(path: str) -> list[bytes]:
    """Return the parts of a path below a space as bytes; the same fence as ``full_path``."""
    parts = path.split("/")
    if "\0" in path or not {"", ".", ".."}.isdisjoint(parts):
        raise ValueError(f"not a path below a folder: {path!r}")
    return [encode_name(part) for part in parts]


def within(path: str, below: str) -> bool:
    """Say whether a path is another one or lies below it; everything lies below ``""``."""
    return not below or path == below or path.startswith(below + "/")


def outermost(paths: Iterable[str]) -> list[str]:
    """Paths that lie below no other one: looking at a folder looks at all in it."""
    chosen: list[str] = []
    for path in sorted(paths, key=lambda path: path.split("/")):
        if not (chosen and within(path, chosen[-1])):
            chosen.append(path)
    return chosen


def _escape_real(char: str) -> str:
    """Escape a character that a name really holds and that would be taken for an escaped byte."""
    if _FIRST_ESCAPE <= ord(char) <= _LAST_ESCAPE:
        return "".join(chr(0xEF00 + byte) for byte in char.encode())
    return char
