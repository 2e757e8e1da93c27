"""Which links in a folder of notes are followed, where its owner wishes that, and where do they lead?

A walk judges them all anew: what a link leads to is read as if it lay at the link's path, once, and never
what is ours, another space's, or in the space anyway. Whatever is read later is read from the folder that
was judged, so a link that is pointed elsewhere meanwhile leads nowhere until it has been judged again.
"""

import bisect
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from notesd.files.paths import decode_name, path_parts, within
from notesd.model import NotePath, Problem
from notesd.resolve.names import folder_of

DEPTH = 4
"""A link in a folder that is itself behind so many links is not followed."""
MOST = 200
"""Links of one space that are followed: each costs a look every two seconds."""
_SYSTEM = ("/proc", "/sys", "/dev")


class Target(Struct, frozen=True, gc=False):
    """A folder or a file outside a space that a link in it leads to, and that is read."""

    path: NotePath
    """Of the link, below the root of the space."""
    real: str
    """Of what it leads to, absolute, without links."""
    device: int
    inode: int
    """Of a folder; of a file 0, since whoever saves it may put another one in its place."""
    is_folder: bool

    def holds(self, path: str) -> bool:
        """Whether a path of the space is the link, or lies behind it."""
        return within(path, self.path)

    def stands(self) -> bool:
        """Whether what was judged still lies there."""
        try:
            found = os.stat(self.real, follow_symlinks=False)
            straight = os.path.realpath(self.real) == self.real
        except OSError:
            return False
        if not self.is_folder:
            return straight and stat.S_ISREG(found.st_mode)
        return straight and (found.st_dev, found.st_ino) == (self.device, self.inode)

    def place(self, path: str) -> tuple[str, NotePath]:
        """The folder from which what is at a path behind the link is reached, and its path below that."""
        if self.is_folder:
            return self.real, NotePath(path[len(self.path) + 1 :])
        folder, name = os.path.split(os.fsencode(self.real))
        return os.fsdecode(folder), NotePath(decode_name(name))


Targets = Mapping[str, Target]
"""By the paths of the links."""


def target_of(targets: Targets, path: str) -> Target | None:
    """The link that a path of a space leads through, the last one of several; None: it leads through none."""
    while targets and path:
        if found := targets.get(path):
            return found
        path = folder_of(path)
    return None


class Judged(Struct, frozen=True):
    """What came of some links."""

    targets: list[Target]
    refused: dict[NotePath, Problem]
    lost: dict[str, Problem]
    """Links that lead to nothing now: what was known behind them is kept."""


class Links:
    """The links of one space."""

    def __init__(self, root: str, *, follow: bool) -> None:
        """Follow none yet.

        Args:
            root: Of the space, absolute.
            follow: Whether any is to be followed.
        """
        self.follow = follow
        self.targets: Targets = {}
        """Those that are followed, as the last walk has judged; replaced as a whole."""
        self.fences: Callable[[], Iterable[tuple[str, str]]] = tuple
        """What no link may lead into or around: how it is called, and its path."""
        self._root = root
        self._seen: dict[str, tuple[int, int] | str | None] = {}
        """What every link led to when it was judged."""
        self._order: list[str] = []
        """Their paths, sorted."""
        self._watched: tuple[str, ...] = ()
        """Those that are followed, and the first of those that lead nowhere."""

    def target_of(self, path: str) -> Target | None:
        """The followed link that a path leads through; None: it lies in the space itself."""
        return target_of(self.targets, path)

    def place(self, path: NotePath) -> tuple[str, NotePath]:
        """The folder and the path below it at which a file really lies: the root, or behind a link."""
        target = self.target_of(path)
        return target.place(path) if target else (self._root, path)

    def concerns(self, path: str) -> bool:
        """Whether a change at a path may be one of links, which a walk of the whole space has to judge."""
        if path in self._seen:
            return not self._is_file(path)
        inside = path + "/" if path else ""
        at = bisect.bisect_left(self._order, inside)
        return at < len(self._order) and self._order[at].startswith(inside)

    def are_new(self, links: Iterable[str]) -> bool:
        """Whether any of some links that were met has not been judged yet."""
        return self.follow and not self._seen.keys() >= set(links)

    def moved(self) -> bool:
        """Whether a link leads elsewhere than it did when it was judged; that makes no event everywhere."""
        return any(self._end(link) != self._seen.get(link) for link in self._watched)

    def take(self, targets: Targets, links: Iterable[str]) -> bool:
        """Follow these from now on, and remember what all links lead to; says whether they are others."""
        before, self.targets = self.targets, targets
        self._seen = {link: self._end(link) for link in links}
        self._order = sorted(self._seen)
        lost = (link for link in self._order if link not in targets and self._seen[link] is None)
        self._watched = (*targets, *islice(lost, MOST))
        return before != targets

    def judge(self, links: Iterable[NotePath], taken: Targets) -> Judged:
        """Say which of some links may be followed beside others.

        A folder goes before one below it, and before files; among equals the smaller path of a link.
        """
        judged = Judged([], {}, {})
        wanted: list[tuple[bool, int, NotePath, Target]] = []
        for link in links:
            try:
                target = self._look(link, taken)
            except OSError as error:
                why = error.strerror or str(error)
                judged.lost[link] = Problem(
                    "unlinked",
                    f"{link} is a symbolic link that leads nowhere now ({why}); what is known behind it is "
                    "kept, until it leads somewhere again or the link is removed",
                )
                continue
            if isinstance(target, str):
                judged.refused[link] = _refused(link, target)
            else:
                wanted.append((not target.is_folder, target.real.count("/"), link, target))
        own, fences = _Fence.around("this space", self._root), self._fences(taken)
        for *_, link, target in sorted(wanted, key=lambda one: one[:3]):
            here = _Fence.around(_read_as(target), target.real)
            if own.itself in here.above:
                why = "in this space itself, where it is read anyway unless it is left out"
            else:
                why = next(filter(None, (here.overlaps(one) for one in (own, *fences))), "")
            if why:
                judged.refused[link] = _refused(link, f"leads to {target.real}, {why}")
            elif len(taken) + len(judged.targets) >= MOST:
                judged.refused[link] = _refused(link, f"is one of more than {MOST} links")
            else:
                fences.append(here)
                judged.targets.append(target)
        return judged

    def too_deep(self, link: NotePath) -> Problem:
        """Describe a link that lies behind too many others."""
        return _refused(link, f"lies behind {DEPTH} other links")

    def _look(self, link: NotePath, taken: Targets) -> Target | str:
        """What a link leads to, or why that cannot be followed."""
        raw = self._raw(link, taken)
        owner = os.lstat(raw).st_uid
        if owner not in {os.geteuid(), 0, os.stat(self._root).st_uid}:
            return f"belongs to another user (uid {owner})"
        real = os.path.realpath(raw, strict=True)
        found = os.stat(real)
        if not (stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)):
            return "leads to a device, a socket or a FIFO"
        is_folder = stat.S_ISDIR(found.st_mode)
        return Target(link, os.fsdecode(real), found.st_dev, found.st_ino if is_folder else 0, is_folder)

    def _fences(self, taken: Targets) -> list["_Fence"]:
        """What no link may lead into or around now."""
        named = [*self.fences(), *(("the system's own files", path) for path in _SYSTEM)]
        named += [(_read_as(target), target.real) for target in taken.values()]
        return [_Fence.around(name, path) for name, path in named]

    def _raw(self, link: str, targets: Targets) -> bytes:
        """Where a link lies."""
        above = target_of(targets, folder_of(link))
        base, below = above.place(link) if above else (self._root, link)
        return os.path.join(os.fsencode(base), *path_parts(below))

    def _end(self, link: str) -> tuple[int, int] | str | None:
        """What tells where a link leads: a folder by what it is, a file by its path, it may be replaced."""
        try:
            raw = self._raw(link, self.targets)
            if not stat.S_ISLNK(os.lstat(raw).st_mode):
                return None
            found = os.stat(raw)
            if stat.S_ISDIR(found.st_mode):
                return found.st_dev, found.st_ino
            return os.fsdecode(os.path.realpath(raw))
        except (OSError, ValueError):
            return None

    def _is_file(self, link: str) -> bool:
        """Whether a followed link leads to the same file as when it was judged."""
        target = self.targets.get(link)
        return target is not None and not target.is_folder and self._end(link) == target.real


class _Fence(Struct, frozen=True, gc=False):
    """A folder or file by what it is, so that links, bind mounts and other names do not hide it."""

    name: str
    itself: tuple[int, int] | None
    """Device and inode; None: nothing is there."""
    above: frozenset[tuple[int, int] | None]
    """Of itself and of every folder above it."""

    @classmethod
    def around(cls, name: str, path: str) -> "_Fence":
        real = os.path.realpath(path)
        return cls(name, _identity(real), frozenset(_identities(real)))

    def overlaps(self, other: "_Fence") -> str:
        """Say how it overlaps with another one, "" when it does not."""
        if other.itself and other.itself in self.above:
            return f"which is, or lies in, {other.name}"
        return f"which holds {other.name}" if self.itself in other.above else ""


def _read_as(target: Target) -> str:
    return f"what {target.path} leads to, where it is read"


def _refused(link: NotePath, why: str) -> Problem:
    return Problem("not_regular", f"{link} is a symbolic link that is not followed: it {why}")


def _identities(path: str) -> Iterator[tuple[int, int] | None]:
    """What a path and every folder above it are."""
    while True:
        yield _identity(path)
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _identity(path: str) -> tuple[int, int] | None:
    """Device and inode, None where nothing is."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
