"""The process that started us, seen from the child: frames from it, frames to it."""

import os
import sys
import threading
from typing import Final

from notesd.children.frames import frame, read_some, take_frame, write_all

_DESCRIPTORS: Final = slice(-2, None)
"""Where ``Child`` names our two ends of the pipes among the arguments."""


class Parent:
    """Our ends of the pipes. One thread receives; any may send."""

    def __init__(self) -> None:
        """Take the two ends that stand at the end of the command line.

        They are no standard streams: what a library prints, at any time, does not look like a frame.
        """
        self._source, self._sink = map(int, sys.argv[_DESCRIPTORS])
        for end in (self._source, self._sink):  # a program that a library starts must not keep them open
            os.set_inheritable(end, False)  # noqa: FBT003 -- it takes no name
        self._lock = threading.Lock()
        self._in = bytearray()

    def receive(self) -> bytes | None:
        """Wait for the next frame; None when the parent has closed the pipe or is gone.

        Raises:
            FrameError: What came is no frame.
            OSError: The pipe cannot be read.
        """
        while (data := take_frame(self._in)) is None:
            piece = read_some(self._source)
            if not piece:
                return None
            self._in += piece
        return data

    def send(self, value: object) -> None:
        """Write one frame, whole, however long the parent takes to read it.

        Raises:
            FrameError: It is too long; nothing has been written.
            OSError: The parent is gone.
        """
        data = frame(value)
        with self._lock:
            write_all(self._sink, data)
