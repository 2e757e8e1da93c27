"""What stands at a path of a space now? Looks at one file or folder, never through a link on the way."""

import errno
import os
import stat

from msgspec import Struct

from notesd.errors import SpaceUnavailable
from notesd.files import offline
from notesd.files.links import Targets
from notesd.files.paths import path_parts
from notesd.model import NotePath, Problem, Stamp

ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
"""What the system says of a path that has nothing of ours: nothing there, a file or a link where
a folder should be, a name no file can have. Everything else means that we could not look."""
_HALF = 1 << 63
"""What a column of the index and a frame of a worker can hold: -2^63 .. 2^63 - 1."""
_STEP = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_KINDS = {
    stat.S_IFLNK: "a symbolic link; links are not followed",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class RootId(Struct, frozen=True, gc=False):
    """Which folder stands at a space's path; another one was mounted or moved there otherwise."""

    device: int
    inode: int


class Scan(Struct, frozen=True):
    """What one walk of a space, or of a part of it, saw."""

    notes: dict[NotePath, Stamp]
    files: set[NotePath]
    """Attachments: every other regular file that is not left out."""
    unlisted: dict[str, Problem]
    """Folders that could not be listed (to the end), notes that could not be looked at and notes that
    a cloud service put away. What was known there is kept."""
    odd: dict[NotePath, Problem]
    """Things with a note's name that are no regular files: links, FIFOs, sockets, devices; and links
    to folders, or to nothing."""
    root: RootId
    folders: int
    """Folders listed, the root included."""
    dendron: bool
    """``dendron.yml`` lies at the root. False when only a part without the root was walked."""
    mounts: dict[str, int] = {}
    """Folders that lie on another device than the folder above them, and that device."""
    disk: int = 0
    """The file system at the root by its own word, which may stay when devices get other numbers and
    differ where another disk got the same; 0 when it has none, or only a part was walked."""
    links: frozenset[NotePath] = frozenset()
    """Links that lead to folders, to notes or to nothing, followed or not."""
    targets: Targets = {}
    """Links that were followed; what lies behind them is among the others. Empty of a part of a space."""


def lstat_note(root: str, path: NotePath) -> Stamp | Problem | None:
    """Say what stands at a note's path now.

    Returns:
        Its stamp; a problem when something odd stands there (``not_regular``) or when we could
        not look (``unreadable``); None when it is proven absent. A folder is no note: None.

    Raises:
        SpaceUnavailable: The root itself is missing, no folder, or cannot be looked at.
    """
    root_id(root)
    try:
        found = stat_below(root, path)
    except OSError as error:
        return unreadable(path, error)
    if found is None or stat.S_ISDIR(found.st_mode):
        return None
    if not stat.S_ISREG(found.st_mode):
        return not_regular(path, found.st_mode)
    return offline.offline(path) if offline.HAS_FLAGS and offline.is_dataless(found) else stamp_of(found)


def root_id(root: str) -> RootId:
    """Say which folder stands at a space's path.

    Raises:
        SpaceUnavailable: It is missing, no folder, or cannot be looked at.
    """
    try:
        found = os.stat(root)
    except OSError as error:
        raise SpaceUnavailable(root_reason(root, error)) from error
    if not stat.S_ISDIR(found.st_mode):
        raise SpaceUnavailable(root_reason(root, NotADirectoryError(errno.ENOTDIR, "it is not a folder")))
    return RootId(found.st_dev, found.st_ino)


def is_another_root(root: str, known: RootId | None) -> bool:
    """Say whether a folder stands at a space's path that is not the known one.

    False while nothing stands there: that is for the scan to say.
    """
    try:
        return root_id(root) != known
    except SpaceUnavailable:
        return False


def stamp_of(found: os.stat_result) -> Stamp:
    """Keep of a stat what tells one state of a file from another, in numbers of 64 bits with a sign.

    The system's can be larger: ext4 knows times until 2446, and the numbers of files have no sign.
    """
    written, changed, number, device = found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev
    # All but always: a walk asks for every file.
    if 0 <= written < _HALF and 0 <= changed < _HALF and 0 <= number < _HALF and 0 <= device < _HALF:
        return Stamp(found.st_size, written, changed, number, device)
    return Stamp(
        found.st_size,
        min(max(written, -_HALF), _HALF - 1),
        min(max(changed, -_HALF), _HALF - 1),
        (number + _HALF) % (2 * _HALF) - _HALF,
        (device + _HALF) % (2 * _HALF) - _HALF,
    )


def open_folder(root: str, parts: list[bytes]) -> int:
    """Open a folder of a space step by step, so that no link on the way leads out of it.

    Returns:
        A descriptor to be closed by the caller, fit to be a ``dir_fd``.

    Raises:
        OSError: As for ``open``; a link on the way is ENOTDIR or ELOOP.
    """
    folder = os.open(root, _STEP & ~os.O_NOFOLLOW)
    for part in parts:
        try:
            below = os.open(part, _STEP, dir_fd=folder)
        finally:
            os.close(folder)
        folder = below
    return folder


def unreadable(path: str, error: OSError) -> Problem:
    """Describe what the system did not let us see."""
    return Problem("unreadable", f"{path or 'the folder'} could not be read: {error.strerror or error}")


def linked(path: str, *, to_folder: bool) -> Problem:
    """Describe a link that is not followed to the notes it may lead to."""
    if to_folder:
        reason = f"{path} is a symbolic link to a folder; links are not followed, so nothing below it is read"
        return Problem("not_regular", f"{reason} here, only where it really is, if that is in a space")
    return Problem("not_regular", f"{path} is a symbolic link that leads nowhere; it is left out")


def not_regular(path: str, mode: int) -> Problem:
    """Describe what stands where a note is expected."""
    kind = _KINDS.get(stat.S_IFMT(mode), "not a regular file")
    return Problem("not_regular", f"{path} is {kind}; it is left out")


def stat_below(root: str, path: str) -> os.stat_result | None:
    """Return the lstat of a path, or None when it is proven absent.

    Raises:
        OSError: We could not look.
    """
    try:
        *folders, name = path_parts(path)
    except ValueError:
        return None
    try:
        folder = open_folder(root, folders)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise
    finally:
        os.close(folder)


def root_reason(root: str, error: OSError) -> str:
    """Say why a space's folder cannot be listed."""
    real = os.path.realpath(root)
    place = root if real == root else f"{root}, which leads to {real},"
    return f"{place} cannot be listed: {error.strerror or error}; what is known of its notes is kept"
