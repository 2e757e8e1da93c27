"""What is in a folder now? One walk, and the same for a part of it."""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator

from notesd.errors import SpaceUnavailable
from notesd.files import offline
from notesd.files.ignore import Ignore
from notesd.files.links import Links, Target
from notesd.files.paths import decode_name, path_parts
from notesd.files.scan import (
    ABSENT,
    Scan,
    linked,
    not_regular,
    root_id,
    root_reason,
    stamp_of,
    stat_below,
    unreadable,
)
from notesd.model import NotePath, Problem, Stamp
from notesd.resolve.names import folder_of, last_part

_HIDDEN = os.fsencode(offline.HIDDEN)


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


def scan_below(
    root: str, path: str, ignore: Ignore, breathe: Callable[[], None] = lambda: None,
    target: Target | None = None,
) -> Scan:  # fmt: skip
    """Look again at one path, whatever it is now: a folder with all in it, a file, or nothing.

    A path that is left out, leads out of the space or through a link has nothing in it, but for ``target``.

    Args:
        root: Of the space.
        path: Below it.
        ignore: What is left out.
        breathe: As for ``scan``.
        target: The followed link that the path leads through.

    Raises:
        SpaceUnavailable: The root itself is missing, no folder, or cannot be looked at.
    """
    if not path:
        return scan(root, ignore, breathe)
    walk = _Walk(root, ignore, breathe, target)
    try:
        found = stat_below(*(target.place(path) if target else (root, path)))
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


def look_again(
    root: str, path: str, ignore: Ignore, breathe: Callable[[], None], links: Links
) -> Scan | None:
    """Look again at one path, be it behind a followed link.

    Returns:
        None: links are concerned, which only a walk of the whole space can judge.

    Raises:
        SpaceUnavailable: As for ``scan_below``.
    """
    target = links.target_of(path)
    if links.concerns(path) or (target and not target.stands()):
        return None
    found = scan_below(root, path, ignore, breathe, target)
    return None if links.are_new(found.links) else found


def scan_behind(root: str, target: Target, ignore: Ignore, breathe: Callable[[], None]) -> Scan:
    """Walk what a followed link leads to, as if it lay at the link's path.

    Raises:
        SpaceUnavailable: The root of the space is missing, no folder, or cannot be looked at.
    """
    if not target.is_folder:
        return scan_below(root, target.path, ignore, breathe, target)
    walk = _Walk(root, ignore, breathe, target)
    if not ignore.directory(target.path):
        walk.go(target.path)
    return walk.result()


def _disk(root: str) -> int:
    """The number that the file system at a root gives itself, 0 when it has none."""
    try:
        return os.statvfs(root).f_fsid
    except OSError:
        return 0


class _Walk:
    """One walk under way."""

    def __init__(
        self, root: str, ignore: Ignore, breathe: Callable[[], None], target: Target | None = None
    ) -> None:  # fmt: skip
        self._root_path = root
        self._target = target
        """All that is walked lies behind this link."""
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
        self.links: set[NotePath] = set()
        self._put_away: set[NotePath] = set()

    def result(self, disk: int = 0) -> Scan:
        """Return what was seen so far."""
        for path in self._put_away - self.notes.keys():  # it may just be coming back
            self.unlisted[path] = offline.offline(path)
        return Scan(
            self.notes, self.files, self.unlisted, self.odd, self._root, self._folders,
            dendron=NotePath("dendron.yml") in self.files, mounts=self.mounts, disk=disk,
            links=frozenset(self.links),
        )  # fmt: skip

    def go(self, start: str) -> None:
        """Take in everything below a folder; folders that cannot be listed are set aside."""
        waiting: list[tuple[str, int | None]] = [(start, None)]
        while waiting:
            folder, device_above = waiting.pop()
            raw = self._raw(folder)
            try:
                device = self._device(folder)
                if device_above is None:  # in here, because the folder above may be gone as well
                    device_above = device if self._target else self._device(folder_of(folder))
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
                    self.unlisted[""] = Problem("root_unavailable", root_reason(self._root_path, error))
                elif error.errno not in ABSENT or self._still_there(folder):
                    self.unlisted[folder] = unreadable(folder, error)

    def _still_there(self, folder: str) -> bool:
        """Whether a folder that "does not exist" when it is listed does; some disks say so of a bad one."""
        try:
            if self._target and folder == self._target.path:
                return True  # it was there when it was judged
            found = self._stat_below(folder)
        except OSError:
            return True
        return found is not None and stat.S_ISDIR(found.st_mode)

    def _stat_below(self, path: str) -> os.stat_result | None:
        return stat_below(*(self._target.place(path) if self._target else (self._root_path, path)))

    def _raw(self, folder: str) -> bytes:
        if self._target:
            base, below = self._target.place(folder)
            return os.path.join(os.fsencode(base), *(path_parts(below) if below else ()))
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
            elif self._ignore.is_note(path):
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
            if error.errno not in ABSENT:
                self.unlisted[path] = unreadable(path, error)
        else:
            self._take_note(path, found)

    def take(self, path: NotePath, found: os.stat_result) -> None:
        """Take in one file that is not left out."""
        if self._ignore.is_note(path):
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
            to_folder = False
        else:
            if not to_folder:
                return
        self.links.add(NotePath(path))
        self.odd[NotePath(path)] = linked(path, to_folder=to_folder)

    def look_for_placeholder(self, path: str) -> None:
        """Take in a file that is not there but has something that stands for it."""
        with contextlib.suppress(OSError):  # then nothing says that it was put away
            others = (self._stat_below(other) for other in offline.placeholders(path))
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
            (self._put_away if self._ignore.is_note(path) else self.files).add(NotePath(path))

    def _take_note(self, path: NotePath, found: os.stat_result) -> None:
        if stat.S_ISREG(found.st_mode):
            if offline.HAS_FLAGS and offline.is_dataless(found):
                self._put_away.add(path)
            else:
                self.notes[path] = stamp_of(found)
        elif not stat.S_ISDIR(found.st_mode):
            self.odd[path] = not_regular(path, found.st_mode)
            if stat.S_ISLNK(found.st_mode):
                self.links.add(path)
