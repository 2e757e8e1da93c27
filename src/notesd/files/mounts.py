"""On which disk does a folder lie, and did anybody mount or unmount something below the root?"""

import os
import re
import stat

from notesd.files.paths import path_parts
from notesd.files.scan import root_id
from notesd.resolve.names import folder_of

_TABLE = "/proc/self/mountinfo"
_OCTAL = re.compile(rb"\\([0-7]{3})")


class Disks:
    """Says of folders of a space where their disk begins; each folder is looked at once."""

    def __init__(self, root: str) -> None:
        """Take the root.

        Raises:
            SpaceUnavailable: It is missing, no folder, or cannot be looked at.
        """
        self._known = {"": ("", root_id(root).device)}
        self._raw_root = os.path.realpath(os.fsencode(root))

    def of(self, folder: str) -> tuple[str, int]:
        """Return the folder at which a folder's disk is mounted, "" for the root's, and that disk's device.

        For a folder that is not there, of the nearest one above it that is.
        """
        unknown: list[str] = []
        while folder not in self._known:
            unknown.append(folder)
            folder = folder_of(folder)
        mount, device = self._known[folder]
        for inner in reversed(unknown):
            own = self._device(inner)
            if own is not None and own != device:
                mount, device = inner, own
            self._known[inner] = mount, device
        return mount, device

    def _device(self, folder: str) -> int | None:
        """The device of a folder, None when no folder is there or it cannot be looked at."""
        try:
            found = os.lstat(os.path.join(self._raw_root, *path_parts(folder)))
        except (OSError, ValueError):
            return None
        return found.st_dev if stat.S_ISDIR(found.st_mode) else None


class MountTable:
    """Notices mounts at or below a folder, of which no event tells; on Linux, elsewhere it sees none."""

    def __init__(self, root: str) -> None:
        """Take the folder; links in it are followed at each look."""
        self._root = root
        self._table = b""
        self._below: frozenset[bytes] = frozenset()

    def look(self) -> bool:
        """Say whether anything was mounted or unmounted there since the last look."""
        try:
            with open(_TABLE, "rb") as file:
                table = file.read()
        except OSError:
            return False
        if table == self._table:  # all but always, and cheap to tell
            return False
        self._table = table
        before, self._below = self._below, frozenset(self._lines(table))
        return before != self._below

    def _lines(self, table: bytes) -> list[bytes]:
        root = os.path.realpath(os.fsencode(self._root))
        start = root.rstrip(b"/") + b"/"
        return [line for line in table.splitlines() if (_mount_point(line) + b"/").startswith(start)]


def _mount_point(line: bytes) -> bytes:
    """The folder that a line of the table is about; blanks in it are written as octal numbers."""
    return _OCTAL.sub(lambda number: bytes((int(number[1], 8) & 0xFF,)), line.split(b" ", 5)[4])
