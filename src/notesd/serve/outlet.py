"""What may be sent to a client beside the answers it waits for?"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

from msgspec import Raw, Struct


class Outlet(Protocol):
    """One client's connection, as seen by what has news for it. For the event loop's thread alone."""

    def offer(self, line: bytes) -> bool:
        """Send a line now, or say that the client has not read what it got before."""

    async def send(self, line: bytes) -> None:
        """Send a line once the client has read what it got before; nothing when it is gone."""

    def follow(self, has_room: Callable[[], None], is_over: Callable[[], None]) -> None:
        """Have something called each time the client has read everything, and once when it is gone."""


class Caller(Struct, frozen=True):
    """Whose request the running task works on."""

    outlet: Outlet
    request_id: Raw | None
    """As in the request; None: nobody waits for an answer."""


CALLER: ContextVar[Caller] = ContextVar("caller")
"""Set by the connection."""
