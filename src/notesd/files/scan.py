"""What is in a folder now? One walk, and the same for a part of it."""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator

from msgspec import Struct

from notesd.errors import SpaceUnavailable
from notesd.files import offline
from notesd.files.ignore import Ignore, is_note
from notesd.files.paths import decode_name, path_parts
from notesd.model import NotePath, Problem, Stamp
from notesd.resolve.names import folder_of, last_part

_HIDDEN = os.fsencode(offline.HIDDEN)
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
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


def scan(root: str, ignore: Ignore, breathe: Callable[[], None] = lambda: None) -> Scan:
    """Walk a whole space. Links below the root are not followed, left-out folders not entered.

    ``breathe`` is called after each folder; what it raises ends the walk.

    Raises:
        SpaceUnavailable: The root is missing, no folder, or cannot be listed to its end, or another
            folder stands there at the end: what was not seen may lie in either.
    """
    walk = _Walk(root, ignore, breathe)
    walk.go("")
    problem = walk.unlisted.get("")
    if problem:
        raise SpaceUnavailable(problem.reason)
    found = walk.result(_disk(root))
    if root_id(root) != found.root:
        raise SpaceUnavailable(f"{root} became another folder while it was walked; it is walked again")
    return found


def scan_below(root: str, path: str, ignore: Ignore, breathe: Callable[[], None] = lambda: None) -> Scan:
    """Look again at one path, whatever it is now: a folder with all in it, a file, or nothing.

    A path that is left out, leads out of the space or through a link has nothing in it.

    Raises:
        SpaceUnavailable: The root itself is missing, no folder, or cannot be looked at.
    """
    if not path:
        return scan(root, ignore, breathe)
    walk = _Walk(root, ignore, breathe)
    try:
        found = _stat_below(root, path)
    except OSError as error:
        walk.unlisted[path] = unreadable(path, error)
        return walk.result()
    if found is None:
        walk.look_for_placeholder(path)
        return walk.result()
    if stat.S_ISDIR(found.st_mode):
        if not ignore.directory(path):
            walk.go(path)
    elif not ignore.file(path):
        walk.take(NotePath(path), found)
    return walk.result()


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
        found = _stat_below(root, path)
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
        raise SpaceUnavailable(_root_reason(root, error)) from error
    if not stat.S_ISDIR(found.st_mode):
        raise SpaceUnavailable(_root_reason(root, NotADirectoryError(errno.ENOTDIR, "it is not a folder")))
    return RootId(found.st_dev, found.st_ino)


def _disk(root: str) -> int:
    """The number that the file system at a root gives itself, 0 when it has none."""
    try:
        return os.statvfs(root).f_fsid
    except OSError:
        return 0


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


def _stat_below(root: str, path: str) -> os.stat_result | None:
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
        if error.errno in _ABSENT:
            return None
        raise
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise
    finally:
        os.close(folder)


def _root_reason(root: str, error: OSError) -> str:
    real = os.path.realpath(root)
    place = root if real == root else f"{root}, which leads to {real},"
    return f"{place} cannot be listed: {error.strerror or error}; what is known of its notes is kept"


class _Walk:
    """One walk under way."""

    def __init__(self, root: str, ignore: Ignore, breathe: Callable[[], None] = lambda: None) -> None:
        self._root_path = root
        self._breathe = breathe
        self._ignore = ignore
        root_id(root)  # its error names the path as it is configured
        real = os.path.realpath(root)  # a link that is pointed elsewhere meanwhile must not mix two folders
        self._raw_root = os.fsencode(real)
        self._root = root_id(real)
        self._folders = 0
        self.notes: dict[NotePath, Stamp] = {}
        self.files: set[NotePath] = set()
        self.unlisted: dict[str, Problem] = {}
        self.odd: dict[NotePath, Problem] = {}
        self.mounts: dict[str, int] = {}
        self._put_away: set[NotePath] = set()

    def result(self, disk: int = 0) -> Scan:
        """Return what was seen so far."""
        for path in self._put_away - self.notes.keys():  # it may just be coming back
            self.unlisted[path] = offline.offline(path)
        return Scan(
            self.notes, self.files, self.unlisted, self.odd, self._root, self._folders,
            dendron=NotePath("dendron.yml") in self.files, mounts=self.mounts, disk=disk,
        )  # fmt: skip

    def go(self, start: str) -> None:
        """Take in everything below a folder; folders that cannot be listed are set aside."""
        waiting: list[tuple[str, int | None]] = [(start, None)]
        while waiting:
            folder, device_above = waiting.pop()
            raw = self._raw(folder)
            try:
                if device_above is None:  # in here, because the folder above may be gone as well
                    device_above = self._device(folder_of(folder))
                device = self._device(folder)
                if folder and device != device_above:
                    self.mounts[folder] = device
                with os.scandir(raw) as entries:
                    waiting += [
                        (name, device) for name in self._list(entries, folder + "/" if folder else "")
                    ]
                self._folders += 1
                self._breathe()
            except OSError as error:
                if not folder:
                    self.unlisted[""] = Problem("root_unavailable", _root_reason(self._root_path, error))
                elif error.errno not in _ABSENT or self._still_there(folder):
                    self.unlisted[folder] = unreadable(folder, error)

    def _still_there(self, folder: str) -> bool:
        """Whether a folder that "does not exist" when it is listed does; some disks say so of a bad one."""
        try:
            found = _stat_below(self._root_path, folder)
        except OSError:
            return True
        return found is not None and stat.S_ISDIR(found.st_mode)

    def _raw(self, folder: str) -> bytes:
        return os.path.join(self._raw_root, *path_parts(folder)) if folder else self._raw_root

    def _device(self, folder: str) -> int:
        return os.lstat(self._raw(folder)).st_dev if folder else self._root.device

    def _list(self, entries: Iterator[os.DirEntry[bytes]], prefix: str) -> Iterator[str]:
        """Take in the files of one folder and yield the folders in it."""
        leaves_out_file, leaves_out_folder = self._ignore.leaves_out_file, self._ignore.leaves_out_folder
        for entry in entries:
            raw = entry.name
            if raw.startswith(b"."):  # most of what is left out, and cheap to tell
                if raw.endswith(_HIDDEN) and entry.is_file(follow_symlinks=False):
                    self._take_placeholder(prefix, decode_name(raw))
                continue
            name = raw.decode() if raw.isascii() else decode_name(raw)
            path = prefix + name
            if entry.is_dir(follow_symlinks=False):
                if not leaves_out_folder(path, name):
                    yield path
            elif is_note(name):
                if not leaves_out_file(path, name):
                    self._stat(entry, NotePath(path))
            elif not entry.is_file(follow_symlinks=False):
                if entry.is_symlink() and not (leaves_out_file(path, name) or leaves_out_folder(path, name)):
                    self._take_link(path)
            elif not (self._take_placeholder(prefix, name) or leaves_out_file(path, name)):
                self.files.add(NotePath(path))

    def _stat(self, entry: os.DirEntry[bytes], path: NotePath) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError as error:
            if error.errno not in _ABSENT:
                self.unlisted[path] = unreadable(path, error)
        else:
            self._take_note(path, found)

    def take(self, path: NotePath, found: os.stat_result) -> None:
        """Take in one file that is not left out."""
        if is_note(path):
            self._take_note(path, found)
        elif stat.S_ISREG(found.st_mode):
            self.files.add(path)
        elif stat.S_ISLNK(found.st_mode):
            self._take_link(path)

    def _take_link(self, path: str) -> None:
        """Take in a link that may lead to notes: to a folder, or to nothing, perhaps for the moment."""
        try:
            to_folder = stat.S_ISDIR(os.stat(self._raw(path)).st_mode)
        except OSError:
            self.odd[NotePath(path)] = linked(path, to_folder=False)
        else:
            if to_folder:
                self.odd[NotePath(path)] = linked(path, to_folder=True)

    def look_for_placeholder(self, path: str) -> None:
        """Take in a file that is not there but has something that stands for it."""
        with contextlib.suppress(OSError):  # then nothing says that it was put away
            others = (_stat_below(self._root_path, other) for other in offline.placeholders(path))
            if any(found and stat.S_ISREG(found.st_mode) for found in others):
                self._take_absent(path, last_part(path))

    def _take_placeholder(self, prefix: str, name: str) -> bool:
        """Take in what a file stands for that is not there; says whether the file is such a one."""
        meant = offline.stands_for(name)
        if meant is None:
            return False
        self._take_absent(prefix + meant, meant)
        return True

    def _take_absent(self, path: str, name: str) -> None:
        """Take in a file that is elsewhere: a note cannot be read, an attachment is as good as there."""
        if not self._ignore.leaves_out_file(path, name):
            (self._put_away if is_note(name) else self.files).add(NotePath(path))

    def _take_note(self, path: NotePath, found: os.stat_result) -> None:
        if stat.S_ISREG(found.st_mode):
            if offline.HAS_FLAGS and offline.is_dataless(found):
                self._put_away.add(path)
            else:
                self.notes[path] = stamp_of(found)
        elif not stat.S_ISDIR(found.st_mode):
            self.odd[path] = not_regular(path, found.st_mode)
