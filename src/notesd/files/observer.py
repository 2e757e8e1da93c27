"""How do other systems than Linux tell what happened in a folder? watchdog's observer, distrusted."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from notesd.files.ignore import Ignore
from notesd.files.links import Links
from notesd.files.offline import stands_for
from notesd.files.paths import decode_name
from notesd.files.scan import RootId, is_another_root, root_id

if TYPE_CHECKING:
    from watchdog.observers.api import ObservedWatch

_KINDS = {
    "watchdog.observers.inotify": "inotify",
    "watchdog.observers.fsevents": "fsevents",
    "watchdog.observers.kqueue": "kqueue",
    "watchdog.observers.read_directory_changes": "windows",
}
_READING = ("opened", "closed_no_write")
_EDITS = ("modified", "closed", "attrib")


class Handler(FileSystemEventHandler):
    """Turns the events below one root into reports."""

    def __init__(self, root: str, ignore: Ignore, report: Callable[[str | None], None]) -> None:
        self.root = root
        self.identity: RootId | None = root_id(root)
        self.watch: ObservedWatch | None = None
        self._raw_root = os.fsencode(root)
        self._ignore = ignore
        self._report = report

    def dispatch(self, event: FileSystemEvent) -> None:  # type: ignore[explicit-override]  # 3.12 has it
        """Take one event; nothing may be raised here, it would end the thread for all spaces."""
        try:
            # A folder is "modified" by whatever is reported of the things in it anyway.
            if event.event_type in _READING or (event.is_directory and event.event_type == "modified"):
                return
            for end in (event.src_path, event.dest_path):
                if end:
                    self._take(os.fsencode(end), event)
        except Exception:  # noqa: BLE001  # an unforeseen event must not blind all spaces
            self._report(None)

    def _take(self, end: bytes, event: FileSystemEvent) -> None:
        if end == self._raw_root:
            if event.event_type in {"deleted", "moved"}:
                self.identity = None
            self._report(None)
            return
        start = os.path.join(self._raw_root, b"")
        if not end.startswith(start):
            return  # the other end of a move lies outside
        path = decode_name(end[len(start) :]).replace(os.sep, "/")
        if not event.is_directory:
            folder, slash, name = path.rpartition("/")
            path = f"{folder}{slash}{stands_for(name) or name}"
        left_out = self._ignore.directory(path) if event.is_directory else self._ignore.file(path)
        only_edited = not event.is_directory and event.event_type in _EDITS
        if not left_out and (self._ignore.is_note(path) or not only_edited):
            self._report(path)


class Observed:
    """All watched folders of this process, on one observer."""

    def __init__(self) -> None:
        """Start the observer.

        Raises:
            OSError: The system does not give us one, or only one that looks at every file itself.
        """
        self._observer = Observer()
        self.kind = _KINDS.get(type(self._observer).__module__, "")
        if not self.kind:
            raise OSError(f"{type(self._observer).__name__} is no better than our own scan")
        self._observer.start()
        self._handlers: dict[str, Handler] = {}
        self._behind: dict[str, int] = {}
        """How many links of each space are followed."""

    def add(
        self,
        name: str,
        root: str,
        ignore: Ignore,
        report: Callable[[str | None], None],
        _on_overflow: Callable[[], None] = lambda: None,  # these do not tell
        links: Links | None = None,
    ) -> None:
        """Watch a folder.

        Raises:
            OSError: The root itself cannot be watched.
            SpaceUnavailable: It is not there.
        """
        handler = Handler(root, ignore, report)
        handler.watch = self._observer.schedule(handler, root, recursive=True)
        self._handlers[name] = handler
        self._behind[name] = len(links.targets) if links else 0

    def remove(self, name: str) -> None:
        """Stop watching a folder."""
        self._behind.pop(name, None)
        handler = self._handlers.pop(name, None)
        if handler and handler.watch:
            self._observer.unschedule(handler.watch)

    def illness(self) -> str | None:
        """Say what starting again would mend; None while all is well."""
        reader = getattr(self._observer, "_inotify_fd", None)  # it dies alone, and is not told of
        if not self._observer.is_alive() or (reader is not None and not reader.is_alive()):
            return "the thread that reads file events has died"
        if not all(emitter.is_alive() for emitter in self._observer.emitters.copy()):
            return "a thread that follows a folder has died"
        for name, handler in self._handlers.copy().items():
            if is_another_root(handler.root, handler.identity):
                return f"space {name}: another folder stands at {handler.root} than the one that is watched"
        return None

    def shortfall(self) -> str | None:
        """Say what is not watched: what followed links lead to; of watches these systems have enough."""
        behind = sum(self._behind.copy().values())
        counted = "1 followed link" if behind == 1 else f"{behind} followed links"
        return f"what lies behind {counted} is not watched, and found by walks" if behind else None

    def watches(self) -> tuple[int, int]:
        """Return the roots that are watched; these systems count no folders and have no limit."""
        return len(self._handlers), 0

    def close(self) -> None:
        """Stop watching."""
        self._handlers.clear()
        self._observer.stop()
        self._observer.join(timeout=5)
