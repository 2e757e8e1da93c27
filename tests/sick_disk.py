"""A disk that fails on purpose: reads that come back with an error, or with noise."""

import contextlib
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import apsw


class Disk:
    """What the files of a test's databases lie on."""

    def __init__(self) -> None:
        self.reads = 0
        """How many reads there were since ``fail``."""
        self.first, self.last = 1, 0
        """Those of them that fail, from 1."""
        self.code: int | None = None
        """The error; None: they bring noise instead."""
        self.synced: list[str] = []
        """Names of the files that were synced."""
        self.on_write: Callable[[], None] = lambda: None
        """Called before each write."""

    def fail(self, first: int, last: int = 1 << 60, *, code: int | None = None) -> None:
        """From now on, let these reads fail."""
        self.reads, self.first, self.last, self.code = 0, first, last, code

    def heal(self) -> None:
        """All reads are good again."""
        self.first, self.last = 1, 0


@contextlib.contextmanager
def sick_disk() -> Iterator[Disk]:
    """Let every connection that is opened meanwhile lie on a disk that can be made to fail."""
    disk, usual = Disk(), apsw.vfs_names()[0]

    # The names are SQLite's; Python 3.12 has what says that they override others.
    class File(apsw.VFSFile):
        def __init__(self, name: Any, flags: list[int]) -> None:
            super().__init__(usual, name, flags)
            self.name = str(name.filename() if isinstance(name, apsw.URIFilename) else name)

        def xRead(self, amount: int, offset: int) -> bytes:  # type: ignore[explicit-override]  # noqa: N802
            disk.reads += 1
            if not disk.first <= disk.reads <= disk.last:
                return super().xRead(amount, offset)
            if disk.code is None:
                return random.Random(offset).randbytes(amount)
            error: Any = apsw.IOError("EIO")
            error.result, error.extendedresult = apsw.SQLITE_IOERR, disk.code
            raise error

        def xWrite(self, data: Any, offset: int) -> None:  # type: ignore[explicit-override]  # noqa: N802
            disk.on_write()
            super().xWrite(data, offset)

        def xSync(self, flags: int) -> None:  # type: ignore[explicit-override]  # noqa: N802
            disk.synced.append(os.path.basename(self.name))
            super().xSync(flags)

    class Vfs(apsw.VFS):
        def xOpen(self, name: Any, flags: list[int]) -> Any:  # type: ignore[explicit-override]  # noqa: N802
            return File(name, flags)

    vfs = Vfs("sick", usual, makedefault=True)
    try:
        yield disk
    finally:
        vfs.unregister()
        assert apsw.vfs_names()[0] == usual
