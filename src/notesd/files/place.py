"""Which folder stands at a space's path, and is it still the one that was walked?"""

from typing import TYPE_CHECKING

from msgspec import structs

from notesd.errors import SpaceUnavailable
from notesd.files.ignore import Ignore
from notesd.files.links import DEPTH, Links, Target
from notesd.files.mounts import MountTable
from notesd.files.scan import RootId, Scan, root_id
from notesd.files.walk import scan, scan_behind
from notesd.model import NotePath

if TYPE_CHECKING:
    from collections.abc import Callable


class Place:
    """A path that leads to a folder of notes; where it leads to may change at any time."""

    def __init__(
        self, root: str, ignore: Ignore, *, follow_links: bool = False,
        on_new: "Callable[[], None]" = lambda: None,
    ) -> None:  # fmt: skip
        """Begin with a folder that nobody has walked.

        Args:
            root: Absolute; links in it are not resolved.
            ignore: What is left out.
            follow_links: Whether links in it count.
            on_new: Called when another folder stands there, a disk came or went below it, or other links are
                followed: watches on what was there are blind.
        """
        self.links = Links(root, follow=follow_links)
        """Those in the folder."""
        self.root = root
        self.ignore = ignore
        self.admit: Callable[[], None] = lambda: None
        """Called before another folder is taken for the root; raises SpaceUnavailable when it must not be."""
        self._on_new = on_new
        self.breathe: Callable[[], None] = lambda: None
        """Called often during a walk; what it raises ends it."""
        self._root_id: RootId | None = None
        """The folder that was walked last."""
        self._was_away = False
        """The last walk found no folder to follow."""
        self._mount_table = MountTable(root)
        self._mounts: dict[str, int] = {}
        """Disks below the root at the last walk."""

    def stands(self) -> bool:
        """Say whether the folder at the root is the one that was walked; False before the first walk."""
        try:
            return self._root_id is not None and root_id(self.root) == self._root_id
        except SpaceUnavailable:
            return False

    def in_doubt(self) -> bool:
        """Say whether anything changed since the last walk that makes no event."""
        return self._root_id is not None and (
            not self.stands() or self._mount_table.look() or self.links.moved()
        )

    def walk(self) -> Scan:
        """Walk the folder and notice when it is another one than last time.

        Raises:
            SpaceUnavailable: It is missing, cannot be listed, must not be followed, or became another
                one meanwhile.
        """
        self.ignore.refresh()
        was_away, self._was_away = self._was_away, True
        self._mount_table.look()
        now = root_id(self.root)
        if now != self._root_id:
            self.admit()
        found = scan(self.root, self.ignore, self.breathe)
        if found.root != now:
            raise SpaceUnavailable(f"{self.root} became another folder; it is looked at again")
        found = self._with_links(found)
        was, self._root_id, self._was_away = self._root_id, now, False
        others = self.links.take(found.targets, found.links)
        mounts, self._mounts = self._mounts, found.mounts
        if others or was_away or (was is not None and (was, mounts) != (now, found.mounts)):
            self._on_new()
        return found

    def _with_links(self, found: Scan) -> Scan:
        """Add what lies behind the links that a walk has met, and behind those that are met there."""
        if not self.links.follow:
            return structs.replace(found, links=frozenset())
        targets: dict[str, Target] = {}
        level, links = found.links, found.links
        for _ in range(DEPTH):
            judged = self.links.judge(level, targets)
            for link in (*(one.path for one in judged.targets), *judged.lost, *judged.refused):
                found.odd.pop(NotePath(link), None)
            found.odd.update(judged.refused)
            found.unlisted.update(judged.lost)
            level = frozenset()
            for target in judged.targets:
                targets[target.path] = target
                behind = scan_behind(self.root, target, self.ignore, self.breathe)
                found.notes.update(behind.notes)
                found.files.update(behind.files)
                found.unlisted.update(behind.unlisted)
                found.odd.update(behind.odd)
                level |= behind.links
            links |= level
        found.odd.update({link: self.links.too_deep(link) for link in level})
        return structs.replace(found, links=links, targets=targets)
