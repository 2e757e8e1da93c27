"""Whose request is worked on, what may it cost, and what may be sent to its client beside the answer?"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

from msgspec import Raw, Struct

from notesd.index.budget import Budget


class Outlet(Protocol):
    """One client's connection, as seen by what has news for it. For the event loop's thread alone."""

    def offer(self, line: bytes) -> bool:
        """Send a line now, or say that the client has not read what it got before."""

    async def send(self, line: bytes) -> None:
        """Send a line once the client has read what it got before; nothing when it is gone."""

    def follow(self, has_room: Callable[[], None], is_over: Callable[[], None]) -> None:
        """Have something called each time the client has read everything, and once when it is gone."""

    def is_gone(self) -> bool:
        """Whether nobody is at the other end any more; asks the system."""


class Caller(Struct, eq=False):
    """Whose request the running task works on, and what becomes of the work."""

    outlet: Outlet
    request_id: Raw | None
    """As in the request; None: nobody waits for an answer."""
    budget: Budget
    costly: bool = False
    """It is worked on among the costly ones."""
    binding: bool = False
    """It changes something, so it is carried out even when the client leaves."""


CALLER: ContextVar[Caller] = ContextVar("caller")
"""Set by the connection."""
