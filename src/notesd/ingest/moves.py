"""Which of the notes that went came back under another name?

A move is told by what survives it. Where both ends are seen in one pass: the file itself (its inode,
when its size and time or its name are still the same, since a freed inode is given away at once), the
id in its front matter, or its bytes. Both ends at different times: see ``index.keys``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from notesd.files.changes import Changes
from notesd.index import notes
from notesd.index.notes import Read
from notesd.index.store import Reader
from notesd.model import NotePath, Stamp
from notesd.parse.kinds import is_document
from notesd.resolve.names import last_part


class Moves:
    """The notes that are missing in one pass, until they are found again."""

    def __init__(self, reader: Reader, changes: Changes, stamps: Mapping[NotePath, Stamp]) -> None:
        """Match by the file system what can be; the rest waits for ``source``.

        Args:
            reader: The index before the pass.
            changes: What has to be done.
            stamps: Of the files to read.
        """
        self.left: set[NotePath] = set(changes.removed)
        """Paths of notes that were not found elsewhere so far."""
        self._to: dict[NotePath, NotePath] = {}
        missing = notes.traces(reader, changes.removed)
        by_inode = {(trace.stamp.device, trace.stamp.inode): trace for trace in missing}
        for path in changes.read:
            stamp = stamps.get(path)
            trace = by_inode.get((stamp.device, stamp.inode)) if stamp else None
            if (
                trace
                and stamp
                and trace.path in self.left
                and _same_file(trace.stamp, stamp, trace.path, path)
                and is_document(path) == is_document(trace.path)
                and notes.identity(reader, path) is None  # renamed over another note: that one stays itself
            ):
                self._to[path] = trace.path
                self.left.discard(trace.path)
        self._by_digest = _unique((trace.digest, trace.path) for trace in missing)
        self._by_stable_key = _unique((trace.stable_key, trace.path) for trace in missing if trace.stable_key)

    def source(self, read: Read) -> NotePath | None:
        """Return where a note new at its path was before, None when it is new altogether; asked once."""
        found = self._to.pop(read.note.path, None)
        if found:
            return found
        candidates = [self._by_stable_key.get(read.note.stable_key)] if read.note.stable_key else []
        if read.says_anything:  # blank notes are all alike
            candidates.append(self._by_digest.get(read.digest))
        for path in candidates:
            if path and path in self.left and is_document(path) == is_document(read.note.path):
                self.left.discard(path)
                return path
        return None

    def give_up(self, path: NotePath) -> None:
        """The file at a note's new path turned out to be none: its old one is missing after all."""
        found = self._to.pop(path, None)
        if found:
            self.left.add(found)


def _same_file(old: Stamp, new: Stamp, old_path: str, new_path: str) -> bool:
    untouched = (old.size, old.mtime_ns) == (new.size, new.mtime_ns)
    return untouched or last_part(old_path) == last_part(new_path)


def _unique(pairs: Iterable[tuple[object, NotePath]]) -> dict[object, NotePath]:
    """Keep what tells one note from all others."""
    every = list(pairs)
    counts = Counter(mark for mark, _ in every)
    return {mark: path for mark, path in every if counts[mark] == 1}
