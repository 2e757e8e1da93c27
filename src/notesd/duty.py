"""How does what the daemon does all its life survive what nobody foresaw, and say so?

Each thread and task that is to run until the daemon stops has a duty. It works in turns; an exception ends
the turn and not the thread, is logged once, stands in ``status`` until a turn goes well, and delays the next.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct

from notesd.errors import NotesdError

PAUSE_S: Final = (1.0, 30.0)
"""Before the turn after one that failed: first, doubled each time, and at most."""
WELL_S: Final = 45.0
"""A turn that goes on for so long, perhaps waiting for work, goes well: none of them works so long on end."""
QUIET_S: Final = 600.0
"""The same trouble is logged once in this time."""

log = logging.getLogger("notesd")


class Duty:
    """One thing that is done as long as the daemon lives. Questions may come from any thread."""

    def __init__(self, name: str, on_fail: Callable[[], None] = lambda: None) -> None:
        """Nothing is done yet.

        Args:
            name: For people and for ``status``.
            on_fail: Called after a turn that failed; it must not fail.
        """
        self.name = name
        self._on_fail = on_fail
        self.pause_s = 0.0
        """What to wait before the next turn, because the last one failed; 0: it did not."""
        self._left = False
        self._said: dict[str, float] = {}
        """What was logged, and when."""
        self._trouble: tuple[str, str] | None = None
        self._began = time.monotonic()
        self._over = threading.Event()

    def keep(self, turn: Callable[[], bool]) -> None:
        """Take turn after turn until one says that there is no more to do, in the thread that calls.

        Args:
            turn: Does some of the work, may wait for it, and returns whether there will be more.
        """
        with self.on_duty():
            more = True
            while more:
                with self.attempt():
                    more = turn()
                if self.pause_s:
                    more = not self._over.wait(self.pause_s)

    def end(self) -> None:
        """Take no more turns after one that fails; from any thread."""
        self._over.set()

    @contextlib.contextmanager
    def on_duty(self) -> Iterator[None]:
        """Say that nobody takes turns any more once the block is left."""
        try:
            yield
        finally:
            self._left = True

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """Take one turn: no exception leaves the block."""
        self._began = time.monotonic()
        try:
            yield
        except Exception as error:  # noqa: BLE001 -- that is what this is for
            self.fail(error)
            self._on_fail()
        else:
            self._recover()

    def fail(self, error: BaseException) -> None:
        """Say that something failed, once: in the log for some time, in ``status`` until a turn goes well."""
        self._began = time.monotonic()
        first, most = PAUSE_S
        self.pause_s = min(most, 2 * self.pause_s or first)
        reason = told(error).message
        if self._trouble is None or self._trouble[0] != reason:
            self._trouble = reason, datetime.now().astimezone().isoformat()
        now = time.monotonic()
        if now - self._said.get(reason, -QUIET_S) >= QUIET_S:
            self._said = {what: when for what, when in self._said.items() if now - when < QUIET_S}
            self._said[reason] = now
            log.error("%s: %s", self.name, reason, exc_info=None if _is_told(error) else error)

    def _recover(self) -> None:
        self._trouble, self.pause_s = None, 0.0

    def state(self) -> "DutyState":
        """How it goes."""
        trouble = self._trouble
        if trouble and time.monotonic() - self._began > WELL_S:
            trouble = None
        return DutyState(self.name, not self._left, *(trouble or (None, None)))


class DutyState(Struct, frozen=True):
    """How a duty goes."""

    name: str
    alive: bool
    """Somebody takes turns: from the start of the daemon to its stop."""
    trouble: str | None
    """What ended the last turn, until one goes well; None: nothing."""
    since: str | None
    """When that began, ISO 8601."""


def say_thread_died(args: threading.ExceptHookArgs) -> None:
    """Only a thread of a library can die of an exception; the watcher's is missed by the next look at it."""
    name = args.thread.name if args.thread else "?"
    log.error("the thread %s died: %r", name, args.exc_value)


def _is_told(error: BaseException) -> bool:
    """Whether the sentence says all there is to say."""
    return isinstance(error, NotesdError | OSError)


def told(error: BaseException) -> NotesdError:
    """Return an error as people are told of it."""
    if isinstance(error, NotesdError):
        return error
    if isinstance(error, OSError) and error.strerror:
        return NotesdError(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    what = f"{type(error).__name__}: {error}".removesuffix(": ")
    return NotesdError(f"internal error: {what}; please report this")
