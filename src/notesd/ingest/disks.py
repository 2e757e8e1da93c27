"""Which notes are not seen because a disk below the root is away, or another one lies over them?

Neither says that anybody deleted a note: an unmounted disk leaves its mount point empty or takes it along,
a disk that is mounted over a folder hides what lies there. The stamp of each note says on which device it
was read, the memory of mounted folders which of them had a disk of their own. The root is the business
of ``vanish``.
"""

from collections import defaultdict
from collections.abc import Mapping

from msgspec import structs

from notesd.files.links import target_of
from notesd.files.mounts import Disks
from notesd.files.paths import within
from notesd.files.scan import Scan
from notesd.index import notes
from notesd.index.notes import Known
from notesd.index.store import Reader, Store
from notesd.model import NotePath, Problem
from notesd.resolve.names import folder_of

_OUTCOME = "are kept until they are back, or until `notesd rescan --confirm-deletions` takes them out"


def away(
    root: str, found: Scan, known: Mapping[NotePath, Known], mounts: Mapping[str, int], below: str = ""
) -> dict[str, Problem]:
    """Name the folders whose missing notes need not be deleted.

    Args:
        root: The space's folder.
        found: What a walk of it, or of a part, has found.
        known: What is remembered of the notes in that part.
        mounts: Folders that had a disk of their own, with its device.
        below: The part that was walked.
    """
    missing = known.keys() - found.notes.keys()
    if not (missing or mounts):
        return {}
    disks = Disks(root)
    gone = _behind_links(found, missing, known)
    missing = {path for path in missing if target_of(found.targets, path) is None}
    for folder in mounts:
        concerned = within(folder, below) or within(below, folder)
        if concerned and disks.of(folder)[0] != folder:
            inside = [path for path in known if within(path, folder)]
            if not inside or not missing.isdisjoint(inside):
                reason = f"{folder} was on a disk that is not there; its notes {_OUTCOME}"
                gone[folder] = Problem("unmounted", reason)
    for folder, hidden in _covered(disks, missing, known).items():
        old = [path for path, was in known.items() if within(path, folder) and _strange(disks, path, was)]
        if 2 * len(hidden) > len(old):
            reason = f"another disk lies at {folder} than before; the notes that are not on it {_OUTCOME}"
            gone.setdefault(folder, Problem("covered", reason))
    return gone


def with_disks_away(root: str, found: Scan, old: Reader, store: Store) -> Scan:
    """Let a new index know which folders had a disk of their own, and whose disk is not there.

    Args:
        root: The space's folder.
        found: What a walk of it has found.
        old: The index that is replaced.
        store: The new one.
    """
    mounts = notes.mounts(old)
    with store.write() as writer:
        notes.put_mounts(writer, mounts)
    return structs.replace(found, unlisted=found.unlisted | away(root, found, notes.known(old), mounts))


def _behind_links(found: Scan, missing: set[NotePath], known: Mapping[NotePath, Known]) -> dict[str, Problem]:
    """Followed links whose missing notes lay on another disk than the one they lead to now."""
    gone = {}
    for path in missing:
        target = target_of(found.targets, path)
        if target and known[path].stamp.device != target.device:
            reason = (
                f"{target.path} leads to another disk than before; the notes that are not on it {_OUTCOME}"
            )
            gone[str(target.path)] = Problem("covered", reason)
    return gone


def _covered(
    disks: Disks, missing: set[NotePath], known: Mapping[NotePath, Known]
) -> dict[str, list[NotePath]]:
    """Missing notes that lay on another disk than the one at their place, by where that is mounted."""
    covered = defaultdict(list)
    for path in missing:
        mount, _ = disks.of(folder_of(path))
        if mount and _strange(disks, path, known[path]):
            covered[mount].append(path)
    return covered


def _strange(disks: Disks, path: NotePath, was: Known) -> bool:
    return disks.of(folder_of(path))[1] != was.stamp.device
