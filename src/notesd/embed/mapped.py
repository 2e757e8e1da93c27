"""Which memory of the weights can be given back, and when?

onnxruntime maps the file of weights, and its pages count as ours from the first time they are read. Most of
them are the table of words, of which a text needs a few rows: over many texts the whole table gathers. The
pages are as they are in the file, so the system may have them back at any time; read again, they come from
its cache of files.
"""

import contextlib
import ctypes
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

TOKENS: Final = 64
"""So many tokens are encoded between two times. With 512 the process takes 6 to 9 MB more, and is 1 % faster:
where the system keeps the file in large pages, a text of 500 tokens reads most of the table."""
LEAST_BYTES: Final = 1 << 20
"""Smaller parts of the file are read with every text, and stay."""
_DONT_NEED: Final = 4
"""MADV_DONTNEED, which Linux alone defines to drop pages at once."""
_LIBC: Final = ctypes.CDLL(None)
_HEAD: Final = re.compile(rb"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)\n")
_CHANGED: Final = re.compile(rb"(?:Anonymous|Swap): +([0-9]+) kB\n")


class _Mapping(NamedTuple):
    start: int
    size: int
    """Bytes."""


class MappedWeights:
    """The mapping of one file of weights in this process; any thread may use it."""

    def __init__(self, path: str) -> None:
        """Find the mapping; call this once the model has run, for what is written to shows only then.

        Args:
            path: The file. When it is not mapped, or this is not Linux, nothing is ever given back.
        """
        linux = sys.platform == "linux"
        # Loading has read far more of the libraries than encoding does: 17 MB that need not stay.
        _drop(_untouched(None, 0) if linux else ())
        self._mappings = tuple(_untouched(path, LEAST_BYTES)) if linux else ()
        self._lock = threading.Lock()
        self._tokens = 0

    @property
    def size(self) -> int:
        """Bytes that can be given back."""
        return sum(mapping.size for mapping in self._mappings)

    def used(self, tokens: int) -> None:
        """Say that so many tokens were encoded; now and then this gives the pages back."""
        with self._lock:
            self._tokens += tokens
            due = self._tokens >= TOKENS
            if due:
                self._tokens = 0
        if due:
            _drop(self._mappings)


def _drop(mappings: Iterable[_Mapping]) -> None:
    # Another thread may be reading there: it finds the same bytes, a moment later.
    for mapping in mappings:
        _LIBC.madvise(ctypes.c_void_p(mapping.start), ctypes.c_size_t(mapping.size), _DONT_NEED)


def _untouched(path: str | None, least: int) -> Iterator[_Mapping]:
    """Yield the parts of a file, or of every file, that are mapped here and that nobody has written to.

    What was written to is a copy, and its changes would be lost.

    Args:
        path: The file; None: every file.
        least: Bytes of a part that is worth it.
    """
    wanted = None if path is None else os.fsencode(os.path.realpath(path))
    with contextlib.suppress(OSError), open("/proc/self/smaps", "rb") as maps:
        mapping, changed = None, 0
        for line in maps:
            if head := _HEAD.fullmatch(line):
                if mapping and mapping.size >= least and not changed:
                    yield mapping
                start, end = int(head[1], 16), int(head[2], 16)
                # Of files in general only what nobody can write to: another thread may be about to.
                meant = head[4] == wanted if wanted else b"w" not in head[3] and head[4].startswith(b"/")
                mapping, changed = (_Mapping(start, end - start) if meant else None), 0
            elif found := _CHANGED.fullmatch(line):
                changed += int(found[1])
        if mapping and mapping.size >= least and not changed:
            yield mapping
