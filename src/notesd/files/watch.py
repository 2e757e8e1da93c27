"""Where did something happen? Events of the system -> paths to look at again, or "scan again"."""

import errno
import logging
import os
import threading
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from notesd.errors import SpaceUnavailable
from notesd.files.ignore import Ignore

log = logging.getLogger("notesd")

POLLING = "polling"


class Backend(Protocol):
    """What one way of hearing of changes has to offer. Reports come from its own threads."""

    @property
    def kind(self) -> str:
        """Its name in ``status``."""

    def add(self, name: str, root: str, ignore: Ignore, report: Callable[[str | None], None]) -> None:
        """Watch a folder; OSError or SpaceUnavailable when that is not possible."""

    def remove(self, name: str) -> None:
        """Stop watching a folder."""

    def illness(self) -> str | None:
        """Say what starting again would mend."""

    def shortfall(self) -> str | None:
        """Say what is not watched and starting again would not mend."""

    def watches(self) -> tuple[int, int]:
        """Return watches used and allowed; 0 when unknown."""

    def close(self) -> None:
        """Stop everything."""


class _Space(Struct):
    """A folder to watch, and how that went."""

    root: str
    ignore: Ignore
    kind: str = POLLING
    reason: str | None = None
    """Why it is not watched."""
    may_return: bool = False
    """It is not watched because its root was not there or not readable."""


class Watcher:
    """OS events -> dirty paths; any doubt means "scan again".

    What is reported is only where to look: a file, a folder with all in it, both ends of a move,
    or (None) the whole space. Left-out paths are never reported.
    """

    def __init__(self, on_dirty: Callable[[str, str | None], None]) -> None:
        """Start; nothing is watched yet.

        Args:
            on_dirty: Called with a space's name and a path in it, or None for the whole space,
                from the watcher's threads. It must be quick and must not call the watcher.
        """
        self._on_dirty = on_dirty
        self._lock = threading.Lock()
        self._spaces: dict[str, _Space] = {}
        self._backend, self._reason = _start()

    def add(self, name: str, root: str, ignore: Ignore) -> str:
        """Watch a space; links in its path are followed now and at each ``restart``.

        Returns:
            How: ``inotify``, ``fsevents``, ``kqueue``, ``windows``, or ``polling`` when the system
            does not tell us anything about this folder, so that only a scan will.
        """
        with self._lock:
            space = self._spaces[name] = _Space(root, ignore)
            self._plant(name, space)
            return space.kind

    def remove(self, name: str) -> None:
        """Stop watching a space; one that is not watched is left alone."""
        with self._lock:
            if self._spaces.pop(name, None) and self._backend:
                self._backend.remove(name)

    def kinds(self) -> dict[str, str]:
        """Say how each space is watched now, in the words of ``add``."""
        return {name: space.kind for name, space in self._spaces.copy().items()}

    def healthy(self) -> str | None:
        """Say what ``restart`` would mend: a dead thread, a root that is another folder now."""
        illness = self._backend.illness() if self._backend else None
        if illness:
            return illness
        for name, space in self._spaces.copy().items():
            if space.may_return and os.path.isdir(space.root) and os.access(space.root, os.R_OK | os.X_OK):
                return f"space {name}: {space.root} is back"
        return None

    def shortfall(self) -> str | None:
        """Say what no event will come of, and why; ``restart`` helps only when that is mended."""
        reasons = [self._backend.shortfall() if self._backend else self._reason]
        reasons += [space.reason for space in self._spaces.copy().values()]
        return "; ".join(dict.fromkeys(filter(None, reasons))) or None

    def restart(self) -> None:
        """Begin anew for all spaces; each of them is in doubt afterwards."""
        with self._lock:
            if self._backend:
                self._backend.close()
            self._backend, self._reason = _start()
            for name, space in self._spaces.items():
                self._plant(name, space)
            names = list(self._spaces)
        for name in names:
            self._on_dirty(name, None)

    def watches(self) -> tuple[int, int]:
        """Return the watches used here and the limit of the system; 0 when unknown."""
        return self._backend.watches() if self._backend else (0, 0)

    def close(self) -> None:
        """Stop watching everything."""
        with self._lock:
            self._spaces.clear()
            if self._backend:
                self._backend.close()
            self._backend = None

    def _plant(self, name: str, space: _Space) -> None:
        space.kind, space.reason, space.may_return = POLLING, None, False
        if self._backend is None:
            return
        try:
            self._backend.add(name, os.path.realpath(space.root), space.ignore, self._reporter(name, space))
        except SpaceUnavailable as error:
            space.reason, space.may_return = error.message, True
        except OSError as error:
            space.reason = f"space {name} is not watched: {error.strerror or error}"
            space.may_return = error.errno in {errno.EACCES, errno.ENOENT, errno.ENOTDIR}
        else:
            space.kind = self._backend.kind

    def _reporter(self, name: str, space: _Space) -> Callable[[str | None], None]:
        def report(path: str | None) -> None:
            if self._spaces.get(name) is not space:
                return  # the last events of a removed space come late
            try:
                self._on_dirty(name, path)
            except Exception:  # an exception would end the thread that reads for all spaces
                log.exception("a change in space %s could not be passed on", name)

        return report


def _start() -> tuple[Backend | None, str | None]:
    """Return the best backend there is, or None and the reason."""
    try:
        # Only Linux has this, and only watchdog 7 has a reader that can be shared.
        from notesd.files.inotify import Trees  # noqa: PLC0415  # importing it fails elsewhere

        return Trees(), None
    except OSError as error:
        return None, f"file events are not to be had: {error.strerror or error}"
    except Exception:  # noqa: BLE001  # watchdog has an error of its own for a libc without inotify
        return _start_observer()


def _start_observer() -> tuple[Backend | None, str | None]:
    try:
        from notesd.files.observer import Observed  # noqa: PLC0415  # loads what this system has

        return Observed(), None
    except Exception as error:  # noqa: BLE001  # no events at all is a state we can live in
        return None, f"file events are not to be had: {error}"
