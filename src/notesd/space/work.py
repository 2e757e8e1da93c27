"""What was asked of a space, until it is answered?"""

from collections.abc import Callable
from concurrent.futures import Future

from msgspec import Struct

from notesd.errors import NotesdError
from notesd.model import NotePath
from notesd.space.condition import Rebuilt


class Rescan(Struct, frozen=True):
    """Somebody wants the index built anew."""

    future: Future[Rebuilt]
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

    def release(self, owes: Callable[[str], bool], rebuilt: Callable[[float], Rebuilt]) -> None:
        """Tell everybody whose notes are in the index by now.

        Args:
            owes: Whether the index still lacks a note.
            rebuilt: What to tell of a rescan that began then.
        """
        parked, self._parked = self._parked, []
        for work, began, late in parked:
            if any(map(owes, late)):
                self._parked.append((work, began, late))
                continue
            for waiter in work.waiters:
                waiter.set_result(None)
            for rescan in work.rescans:
                try:
                    rescan.future.set_result(rebuilt(began))
                except NotesdError as error:
                    rescan.future.set_exception(error)

    def refuse(self, error: Exception) -> None:
        """Tell everybody that it did not come true."""
        for work, *_ in self._parked:
            work.refuse(error)
