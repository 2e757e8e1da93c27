"""What was asked of a space, until it is answered?"""

from concurrent.futures import Future

from msgspec import Struct

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
