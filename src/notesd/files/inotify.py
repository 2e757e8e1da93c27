"""How does Linux tell what happened in a folder? One watch per directory, kept honest.

watchdog's reader thread delivers the kernel's events; its own recursive emitter is not used,
because it loses its place when directories are swapped, moved out or trashed, follows them out
of the folder, stays silent after an overflow, and watches ``.git`` to the limit. Here every event
on a directory means: forget what was watched there, see what is there now, watch that. An event
on a file means: look at that file again.
"""

import errno
import os
import threading
import warnings
from collections import defaultdict, deque
from collections.abc import Callable
from time import monotonic

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchDescriptor,
)

from notesd.errors import counted
from notesd.files.ignore import Ignore
from notesd.files.links import Links, Targets, target_of
from notesd.files.offline import stands_for
from notesd.files.paths import decode_name, path_parts
from notesd.files.scan import RootId, is_another_root, root_id
from notesd.resolve.names import folder_of

Report = Callable[[str | None], None]
"""Called with a path below the folder, or None when anything may have happened."""

_CHANGES = (
    InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_MOVE
    | InotifyConstants.IN_DELETE_SELF
    | InotifyConstants.IN_MOVE_SELF
)
_EDITS = InotifyConstants.IN_MODIFY | InotifyConstants.IN_CLOSE_WRITE | InotifyConstants.IN_ATTRIB
# No open and no close-without-write: our own reading would make events without end.
_MASK = Mask(_CHANGES | _EDITS | InotifyConstants.IN_DONT_FOLLOW | InotifyConstants.IN_ONLYDIR)
_FILE_MASK = Mask(_EDITS | InotifyConstants.IN_DELETE_SELF | InotifyConstants.IN_MOVE_SELF)
"""For a file that a followed link leads to."""
_REPLACED = InotifyConstants.IN_ATTRIB
"""Another file was put in the place of a watched one: it lost a name."""
_LOST = InotifyConstants.IN_DELETE_SELF | InotifyConstants.IN_MOVE_SELF | InotifyConstants.IN_UNMOUNT

_STORM = 3
_STORM_SECONDS = 60.0
_LIMIT_FILE = "/proc/sys/fs/inotify/max_user_watches"


class Tree:
    """The watches on one folder and all folders in it that are not left out."""

    def __init__(
        self,
        reader: InotifyFD,
        root: str,
        ignore: Ignore,
        report: Report,
        on_overflow: Callable[[], None] = lambda: None,
        links: Links | None = None,
    ) -> None:
        self.root = root
        self._links = links
        self.identity: RootId | None = None
        """Of the root that is watched; None: its watch is gone."""
        self._reader = reader
        self._raw_root = os.fsencode(root)
        self._ignore = ignore
        self._report = report
        self._on_overflow = on_overflow
        self._lock = threading.Lock()
        self._by_path: dict[str, WatchDescriptor] = {}
        self._by_watch: dict[WatchDescriptor, str] = {}
        self._inside: defaultdict[str, set[str]] = defaultdict(set)
        """Folders directly in a folder that we ever tried to watch."""
        self._refused: set[str] = set()
        self._id = CallbackId(id(self))
        self._overflows: deque[float] = deque(maxlen=_STORM)

    def plant(self) -> None:
        """Watch the root and everything in it.

        Raises:
            OSError: The root itself cannot be watched.
            SpaceUnavailable: It is not there.
        """
        with self._lock:
            self._uproot("")
            identity = root_id(self.root)
            self._watch("")
            self.identity = identity
            self._grow("")

    def uproot(self) -> None:
        """Stop watching."""
        with self._lock:
            self._uproot("")

    @property
    def watches(self) -> int:
        """Directories that are watched."""
        return len(self._by_watch)

    @property
    def refused(self) -> int:
        """Folders that could not be watched because the system's limit is reached; at least so many."""
        return len(self._refused)

    @property
    def storming(self) -> bool:
        """The kernel's queue ran over time and again within a minute."""
        return len(self._overflows) == _STORM and monotonic() - self._overflows[0] < _STORM_SECONDS

    # What the reader thread calls. Nothing may be raised there: it would end the thread.

    def on_event(self, event: InotifyEvent) -> None:
        """Turn one event of the kernel into a report."""
        try:
            self._take(event)
        except Exception:  # noqa: BLE001  # an unforeseen event must not blind all spaces
            self._report(None)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Forget a watch that the kernel dropped."""
        with self._lock:
            path = self._by_watch.pop(wd, None)
            if path is not None and self._by_path.get(path) == wd:
                del self._by_path[path]
            lost = path == "" and "" not in self._by_path
            if lost:
                self.identity = None
        if lost:
            self._report(None)

    def on_queue_overflow(self) -> None:
        """Events were lost: watch what is there now, and have everything looked at again."""
        self._overflows.append(monotonic())
        self._on_overflow()
        try:
            if not self.storming:
                self.plant()
        except Exception:  # noqa: BLE001  # as in on_event; the next look at the root's identity mends it
            self.identity = None
        self._report(None)

    def _take(self, event: InotifyEvent) -> None:
        with self._lock:
            folder = self._by_watch.get(event.wd)
        if folder is None:
            return
        if not event.name:
            self._take_own(folder, event)
            return
        name, is_folder = decode_name(event.name), bool(event.mask & InotifyConstants.IN_ISDIR)
        if not is_folder:
            name = stands_for(name) or name
        path = f"{folder}/{name}" if folder else name
        if is_folder:
            if self._ignore.leaves_out_folder(path, name):
                return
            self._replant(path)
        elif self._ignore.leaves_out_file(path, name):
            return
        elif not event.mask & _CHANGES and not self._ignore.is_note(path):
            return  # what an attachment holds is nobody's business
        self._report(path)

    def _take_own(self, folder: str, event: InotifyEvent) -> None:
        """Something happened to a watched folder itself; its parent tells the rest, the root has none."""
        if not folder:
            if event.mask & _LOST:
                with self._lock:
                    self.identity = None
            self._report(None)
        elif folder in self._targets():
            if event.mask & (_LOST | _REPLACED):
                self._replant(folder)
            self._report(folder)  # what lies above it tells of the link, not of what it leads to
        elif event.mask & InotifyConstants.IN_UNMOUNT:
            self._replant(folder)
            self._report(folder)

    def _replant(self, path: str) -> None:
        """Something happened to a folder: whatever was watched there, watch what is there now."""
        with self._lock:
            self._uproot(path)
            try:
                self._watch(path)
            except OSError:
                return  # gone again, a link, or not ours to see: the scan decides
            self._grow(path)

    # All below is called with the lock held.

    def _uproot(self, path: str) -> None:
        """Stop watching a folder and all folders in it."""
        watches = []
        waiting = [path]
        while waiting:
            folder = waiting.pop()
            waiting += self._inside.pop(folder, ())
            self._refused.discard(folder)
            wd = self._by_path.pop(folder, None)
            if wd is not None:
                watches.append(wd)
        for wd in watches:
            self._by_watch.pop(wd, None)
        self._reader.remove_callbacks([(wd, self._id) for wd in watches])

    def _targets(self) -> Targets:
        return self._links.targets if self._links else {}

    def _raw(self, path: str) -> bytes:
        target = target_of(self._targets(), path)
        base, below = target.place(path) if target else (self._raw_root, path)
        return os.path.join(os.fsencode(base), *path_parts(below)) if below else os.fsencode(base)

    def _watch(self, path: str) -> None:
        raw, target = self._raw(path), self._targets().get(path)
        mask = _FILE_MASK if target and not target.is_folder else _MASK
        if path:
            self._inside[folder_of(path)].add(path)
        try:
            wd = self._reader.add_callback(raw, mask, self, self._id)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                self._refused.add(path)
            raise
        if wd == -1:  # watchdog's way to say EACCES
            self._reader.remove_callbacks([(wd, self._id)])
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        # A directory can be met twice, under an old and a new name; the new one counts.
        old = self._by_watch.get(wd)
        if old is not None and self._by_path.get(old) == wd:
            del self._by_path[old]
        self._by_path[path] = wd
        self._by_watch[wd] = path

    def _grow(self, start: str) -> None:
        """Watch all folders in a watched one. Watch first, then list: nothing is made unseen."""
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            prefix = folder + "/" if folder else ""
            targets = self._targets()
            try:
                with os.scandir(self._raw(folder)) as entries:
                    names = [
                        name
                        for entry in entries
                        if (name := decode_name(entry.name))
                        and (entry.is_dir(follow_symlinks=False) or prefix + name in targets)
                    ]
            except OSError:
                continue
            for name in names:
                path = prefix + name
                if path not in targets and self._ignore.leaves_out_folder(path, name):
                    continue
                try:
                    self._watch(path)
                except OSError:
                    continue
                waiting.append(path)


class Trees:
    """All watched folders of this process, on one inotify instance."""

    kind = "inotify"

    def __init__(self) -> None:
        """Start the reader.

        Raises:
            OSError: The user has too many inotify instances.
        """
        # A directory met under its old and its new name; we keep the books, watchdog only warns.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._reader = InotifyFD()
        self._reader.start()
        self._trees: dict[str, Tree] = {}

    def add(
        self,
        name: str,
        root: str,
        ignore: Ignore,
        report: Report,
        on_overflow: Callable[[], None] = lambda: None,
        links: Links | None = None,
    ) -> None:
        """Watch a folder, and what the followed links in it lead to.

        Raises:
            OSError: The root itself cannot be watched: no watches left, not readable.
            SpaceUnavailable: It is not there.
        """
        tree = Tree(self._reader, root, ignore, report, on_overflow, links)
        tree.plant()
        self._trees[name] = tree

    def remove(self, name: str) -> None:
        """Stop watching a folder."""
        tree = self._trees.pop(name, None)
        if tree:
            tree.uproot()

    def illness(self) -> str | None:
        """Say what starting again would mend; None while all is well."""
        if not self._reader.is_alive():
            return "the thread that reads file events has died"
        for name, tree in self._trees.copy().items():
            if tree.storming:
                return f"space {name}: file events came faster than they could be read, again and again"
            if is_another_root(tree.root, tree.identity):
                return f"space {name}: another folder stands at {tree.root} than the one that is watched"
        return None

    def shortfall(self) -> str | None:
        """Say what is not watched for want of watches."""
        refused = sum(tree.refused for tree in self._trees.copy().values())
        if not refused:
            return None
        folders = counted(refused, "folder is", "folders are")
        limit = "the limit fs.inotify.max_user_watches is reached; raise it with sysctl"
        return f"{folders} not watched: {limit}"

    def watches(self) -> tuple[int, int]:
        """Return the directories watched here and the limit for all programs of this user."""
        used = sum(tree.watches for tree in self._trees.copy().values())
        try:
            with open(_LIMIT_FILE, encoding="ascii") as file:
                return used, int(file.read())
        except (OSError, ValueError):
            return used, 0

    def close(self) -> None:
        """Stop watching; no report comes afterwards."""
        for name in list(self._trees):
            self.remove(name)
        self._reader.stop()
        self._reader.join(timeout=5)
