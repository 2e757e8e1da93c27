"""When is what could not be read or listed looked at again?

It makes no event when a disk recovers or a permission is given back above it, and a walk of everything is
far too much to ask for one folder.
"""

import time
from collections.abc import Callable, Collection
from typing import Final

PAUSE_S: Final = (1.0, 60.0)
"""Before it is tried again: first, doubled each time that it is in vain, and at most."""


class Retry:
    """Paths that could not be looked at."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is to be tried again yet."""
        self._clock = clock
        self._paths: frozenset[str] = frozenset()
        self._pause_s = 0.0
        self._at = 0.0

    def after(self, blocked: Collection[str]) -> None:
        """A pass has left these; where others are among them than before, all are tried again soon."""
        first, most = PAUSE_S
        paths = frozenset(blocked)
        if not paths <= self._paths:
            self._pause_s = first
        elif not self.due():
            self._paths = paths
            return
        else:
            self._pause_s = min(most, 2 * self._pause_s)
        self._paths, self._at = paths, self._clock() + self._pause_s

    def in_s(self) -> float | None:
        """Seconds until they are to be tried again, None: nothing is."""
        return max(0.0, self._at - self._clock()) if self._paths else None

    def due(self) -> frozenset[str]:
        """Return what is to be tried again now."""
        return self._paths if self._clock() >= self._at else frozenset()
