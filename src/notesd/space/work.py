"""What was asked of a space, until it is answered?"""

import time
from collections.abc import Callable
from concurrent.futures import Future

from msgspec import Struct

from notesd.model import NotePath


class Rescan(Struct, frozen=True):
    """Somebody wants the index built anew."""

    future: Future[float]
    """Of the seconds that it took."""
    confirmed: bool
    """All that is missing is deleted."""


class Work(Struct, frozen=True):
    """What was left for the thread when it looked, beside the marks in the ledger."""

    scan: bool
    """The whole folder is to be looked at."""
    waiters: list[Future[None]]
    rescans: list[Rescan]

    def refuse(self, error: Exception) -> None:
        """Tell everybody who asked that it did not come true."""
        for waiter in self.waiters:
            waiter.set_exception(error)
        for rescan in self.rescans:
            rescan.future.set_exception(error)


class Parked:
    """What is done but for notes that are still being read."""

    def __init__(self) -> None:
        self._parked: list[tuple[Work, float, frozenset[NotePath]]] = []

    def add(self, work: Work, began: float, late: frozenset[NotePath]) -> None:
        """Take what a pass has done, when it began, and the notes that it has left under way."""
        self._parked.append((work, began, late))

    def release(self, owes: Callable[[str], bool]) -> None:
        """Tell everybody whose notes are in the index by now.

        Args:
            owes: Whether the index still lacks a note.
        """
        parked, self._parked = self._parked, []
        for work, began, late in parked:
            if any(map(owes, late)):
                self._parked.append((work, began, late))
                continue
            for waiter in work.waiters:
                waiter.set_result(None)
            for rescan in work.rescans:
                rescan.future.set_result(time.monotonic() - began)

    def refuse(self, error: Exception) -> None:
        """Tell everybody that it did not come true."""
        for work, *_ in self._parked:
            work.refuse(error)
