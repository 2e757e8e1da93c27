"""What changed between the folder as it is and the folder as it is remembered?"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from notesd.files.paths import within
from notesd.files.scan import Scan
from notesd.model import NotePath, Problem, Stamp


class Changes(Struct, frozen=True):
    """What has to be done to make the memory equal to the folder. All in order of path."""

    read: tuple[NotePath, ...]
    """New notes and notes whose stamp is another one."""
    removed: tuple[NotePath, ...]
    """Notes proven absent: the folder was listed, and they were not in it."""
    files_added: tuple[NotePath, ...]
    files_removed: tuple[NotePath, ...]
    kept: tuple[NotePath, ...]
    """Notes that were not seen because we could not look."""

    def __bool__(self) -> bool:
        """Say whether anything has to be done."""
        return bool(self.read or self.removed or self.files_added or self.files_removed)


def diff(
    scan: Scan,
    stored: Mapping[NotePath, Stamp],
    stored_files: AbstractSet[NotePath],
    below: str = "",
) -> Changes:
    """Compare a scan with what is remembered of the notes (with stamps) and the attachments.

    ``below``: the scan covers only this path and what lies below it; nothing else is judged.
    Stamps differ when any field does: an older time is a change as well as a newer one.
    """
    unseen = _unseen(scan.unlisted)
    missing = [path for path in stored.keys() - scan.notes.keys() if within(path, below)]
    lost_files = [path for path in stored_files - scan.files if within(path, below)]
    return Changes(
        read=tuple(sorted(path for path, stamp in scan.notes.items() if stored.get(path) != stamp)),
        removed=tuple(sorted(path for path in missing if path in scan.odd or not unseen(path))),
        files_added=tuple(sorted(scan.files - stored_files)),
        files_removed=tuple(sorted(path for path in lost_files if not unseen(path))),
        kept=tuple(sorted(path for path in missing if path not in scan.odd and unseen(path))),
    )


def united(several: Sequence[Changes]) -> Changes:
    """Put together what has to be done in several parts of a folder."""
    return Changes(
        *(tuple(p for one in several for p in getattr(one, field)) for field in Changes.__struct_fields__)
    )


def _unseen(unlisted: Mapping[str, Problem]) -> Callable[[str], bool]:
    """Return a test whether a path, or a folder above it, could not be looked at."""
    if not unlisted:
        return lambda _path: False

    def unseen(path: str) -> bool:
        while path:
            if path in unlisted:
                return True
            path = path.rpartition("/")[0]
        return False

    return unseen
