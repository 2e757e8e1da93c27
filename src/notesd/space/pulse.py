"""Does the watcher still deliver? Asked by making a change on purpose and waiting for its event.

The change is a file in the state folder, never in anybody's notes; it is watched by the same reader,
so a reader that has stopped, while all its threads call themselves alive, does not answer.
"""

import contextlib
import os
import threading
from datetime import datetime

from notesd.errors import ConfigError
from notesd.files.ignore import Ignore
from notesd.files.watch import Watcher

NAME = "\0pulse"
"""Name under which the watcher knows the folder; no space can be called so."""


class Pulse:
    """A folder of our own and the last time it was heard of."""

    def __init__(self, state: str) -> None:
        """Take the state folder; ``begin`` makes a folder in it."""
        self._folder = os.path.join(os.path.realpath(state), "pulse")
        self._file = os.path.join(self._folder, "pulse.md")
        self._heard = threading.Event()
        self._last: datetime | None = None

    @property
    def last(self) -> str | None:
        """When the watcher last delivered, ISO 8601; None: not yet."""
        return self._last.isoformat() if self._last else None

    def begin(self, watcher: Watcher) -> None:
        """Have the folder watched, where that is possible."""
        with contextlib.suppress(OSError, ConfigError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            os.close(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
            watcher.add(NAME, self._folder, Ignore())

    def heard(self) -> None:
        """The watcher told of the folder."""
        self._heard.set()

    def beats(self, within_s: float) -> bool:
        """Make a change and say whether it was heard of in time; True also where none can be made."""
        self._heard.clear()
        try:
            os.utime(self._file)  # no data goes to the disk: an idle machine may let it sleep
        except OSError:
            return True  # a full or read-only disk says nothing about the watcher
        if not self._heard.wait(within_s):
            return False
        self._last = datetime.now().astimezone()
        return True
