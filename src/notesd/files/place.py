"""Which folder stands at a space's path, and is it still the one that was walked?"""

from typing import TYPE_CHECKING

from notesd.errors import SpaceUnavailable
from notesd.files.ignore import Ignore
from notesd.files.mounts import MountTable
from notesd.files.scan import RootId, Scan, root_id, scan

if TYPE_CHECKING:
    from collections.abc import Callable


class Place:
    """A path that leads to a folder of notes; where it leads to may change at any time."""

    def __init__(self, root: str, ignore: Ignore) -> None:
        """Take the path, absolute, links in it not resolved, and what is left out."""
        self.root = root
        self.ignore = ignore
        self.admit: Callable[[], None] = lambda: None
        """Called before another folder is taken for the root; raises SpaceUnavailable when it must not be."""
        self.on_new: Callable[[], None] = lambda: None
        """Called when another folder stands there, or a disk came or went below it: watches on what was
        there are blind."""
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
        return self._root_id is not None and (not self.stands() or self._mount_table.look())

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
        was, self._root_id, self._was_away = self._root_id, now, False
        mounts, self._mounts = self._mounts, found.mounts
        if was_away or (was is not None and (was, mounts) != (now, found.mounts)):
            self.on_new()
        return found
