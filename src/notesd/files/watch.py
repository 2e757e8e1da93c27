"""Where did something happen? Events of the system -> paths to look at again, or "scan again"."""

import errno
import functools
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from importlib import metadata
from typing import Protocol

from msgspec import Struct

from notesd.errors import SpaceUnavailable
from notesd.files.ignore import Ignore
from notesd.files.links import Links

log = logging.getLogger("notesd")

POLLING = "polling"


class Backend(Protocol):
    """What one way of hearing of changes has to offer. Reports come from its own threads."""

    @property
    def kind(self) -> str:
        """Its name in ``status``."""

    def add(
        self,
        name: str,
        root: str,
        ignore: Ignore,
        report: Callable[[str | None], None],
        on_overflow: Callable[[], None],
        links: Links | None = None,
    ) -> None:
        """Watch a folder and what ``links`` in it lead to; OSError or SpaceUnavailable when that cannot be.

        ``on_overflow`` is called when events were lost, beside the report that anything may have happened.
        """

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


class Overflow(Struct, frozen=True):
    """How often events of a space were lost because they came faster than they could be read."""

    count: int
    last: float
    """When the last time was, in seconds since the epoch."""


class _Space(Struct):
    """A folder to watch, and how that went."""

    root: str
    ignore: Ignore
    links: Links | None = None
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
        self.overflows: dict[str, Overflow] = {}
        """By space, since the start; a space that lost nothing is not in it."""
        self._ways = list(_WAYS)
        """How we may still hear of changes, the best first."""
        self._backend: Backend | None = None
        self._lost_way: str | None = None
        """Why it is not the best."""
        self._refused: str | None = None
        """Why there is none now."""
        self._start()

    def add(self, name: str, root: str, ignore: Ignore, links: Links | None = None) -> str:
        """Watch a space; links in its path are followed now and at each ``restart``.

        What ``links`` lead to is watched as it is now: when they change, the space has to be added anew.

        Returns:
            How: ``inotify``, ``fsevents``, ``kqueue``, ``windows``, or ``polling`` when the system
            does not tell us anything about this folder, so that only a scan will.
        """
        with self._lock:
            space = self._spaces[name] = _Space(root, ignore, links)
            self._plant_all([name])
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
        reasons = [self._lost_way, self._refused, self._backend.shortfall() if self._backend else None]
        reasons += [space.reason for space in self._spaces.copy().values()]
        return "; ".join(dict.fromkeys(filter(None, reasons))) or None

    def restart(self, not_again: str = "") -> None:
        """Begin anew for all spaces; each of them is in doubt afterwards.

        Args:
            not_again: Why the present way of hearing of changes is not to be tried again; empty: it is.
        """
        with self._lock:
            if not_again:
                self._give_up(not_again)
            else:
                self._close()
                self._start()
            self._plant_all(list(self._spaces))
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
            self._close()

    # All below is called with the lock held.

    def _start(self) -> None:
        """Take the best way that works."""
        self._refused = None
        while self._backend is None and self._ways:
            try:
                self._backend = self._ways[0]()
            except OSError as error:  # another time it may work
                self._refused = f"file events are not available: {error.strerror or error}"
                return
            except Exception as error:  # noqa: BLE001  # whatever a library of another version comes up with
                self._lose_way(error)

    def _give_up(self, error: Exception | str) -> None:
        """Never take the present way again, but the next best."""
        self._close()
        self._lose_way(error)
        self._start()

    def _lose_way(self, error: Exception | str) -> None:
        del self._ways[:1]
        what = "do not tell everything" if self._ways else "are not available"
        how = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else error
        self._lost_way = f"file events {what}, watchdog {_version()} is not as expected ({how})"
        log.warning("%s; folders are walked more often instead", self._lost_way)

    def _close(self) -> None:
        backend, self._backend = self._backend, None
        if backend:
            try:
                backend.close()
            except Exception:  # it is given up because it does not work
                log.exception("a watcher could not be closed")

    def _plant_all(self, names: list[str]) -> None:
        """Watch spaces; a way that does not work is given up, and all are watched by the next."""
        try:
            for name in names:
                self._plant(name, self._spaces[name])
        except Exception as error:  # noqa: BLE001  # as in _start
            self._give_up(error)
            self._plant_all(list(self._spaces))

    def _plant(self, name: str, space: _Space) -> None:
        space.kind, space.reason, space.may_return = POLLING, None, False
        if self._backend is None:
            return
        try:
            root, report = os.path.realpath(space.root), self._reporter(name, space)
            on_overflow = functools.partial(self._overflowed, name)
            self._backend.add(name, root, space.ignore, report, on_overflow, space.links)
        except SpaceUnavailable as error:
            space.reason, space.may_return = error.message, True
        except OSError as error:
            space.reason = f"space {name} is not watched: {error.strerror or error}"
            space.may_return = error.errno in {errno.EACCES, errno.ENOENT, errno.ENOTDIR}
        else:
            space.kind = self._backend.kind

    def _overflowed(self, name: str) -> None:
        """Events of a space were lost; what happened meanwhile is found by a walk alone."""
        before = self.overflows.get(name)
        self.overflows[name] = Overflow(before.count + 1 if before else 1, time.time())

    def _reporter(self, name: str, space: _Space) -> Callable[[str | None], None]:
        def report(path: str | None) -> None:
            if self._spaces.get(name) is not space:
                return  # the last events of a removed space come late
            try:
                self._on_dirty(name, path)
            except Exception:  # an exception would end the thread that reads for all spaces
                log.exception("a change in space %s could not be passed on", name)

        return report


def _trees() -> Backend:
    from notesd.files.inotify import Trees  # noqa: PLC0415  # loads what only Linux has

    return Trees()


def _observed() -> Backend:
    from notesd.files.observer import Observed  # noqa: PLC0415  # loads what this system has

    return Observed()


def _version() -> str:
    try:
        return metadata.version("watchdog")
    except metadata.PackageNotFoundError:
        return "(unknown)"


_WAYS: tuple[Callable[[], Backend], ...] = (_trees, _observed) if sys.platform == "linux" else (_observed,)
"""How changes are heard of, the best first. ``_trees`` follows the inside of one version of a library."""
