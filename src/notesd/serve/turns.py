"""Whose request is next when more are asked than can be worked on at once?

Start-time fair queueing: each connection has its own virtual clock, which moves by one for each of
its requests, and the smallest clock goes first; among equals first a newcomer, the latest before the
others. Two hundred clients with a hundred requests each thus delay a newcomer's single one by next
to nothing, instead of by a round of theirs.

Source: Goyal, Vin and Cheng, "Start-time Fair Queueing", SIGCOMM 1996.
"""

import asyncio
import heapq
from contextvars import ContextVar
from types import TracebackType
from weakref import WeakKeyDictionary

from notesd.serve.listener import Peer

PEER: ContextVar[Peer] = ContextVar("peer")
"""Whose request the running task works on; the connection sets it."""


class Turns:
    """A number of places to work at, given out fairly."""

    def __init__(self, places: int, *, latest_first: bool = True) -> None:
        """Take the places.

        Args:
            places: How many may work at once, 1 or more.
            latest_first: Whether a newcomer goes before those who came earlier; where work takes long, a
                crowd that comes again and again would keep these waiting for ever.
        """
        self._latest_first = latest_first
        self._free = places
        self._now = 0.0
        self._asked = 0
        self._served_until: WeakKeyDictionary[Peer, float] = WeakKeyDictionary()
        """The virtual clock of each peer."""
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    def turn(self) -> "Turn":
        """Return a context that is entered when it is the asking peer's turn and gives the place back."""
        return Turn(self, PEER.get())

    async def take(self, peer: Peer) -> None:
        """Wait for a place."""
        served_until = self._served_until.get(peer, 0.0)
        newcomer = served_until <= self._now  # or one who has not asked for a while
        start = max(self._now, served_until)
        self._served_until[peer] = start + 1
        if self._free:
            self._free -= 1
            self._now = start
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked += 1
        order = -self._asked if newcomer and self._latest_first else self._asked
        heapq.heappush(self._waiting, (start, order, place))
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """Give a place back; the next one in the order gets it."""
        while self._waiting:
            start, _, place = heapq.heappop(self._waiting)
            if not place.done():
                self._now = start
                place.set_result(None)
                return
        self._free += 1


class Turn:
    """One turn, as a context."""

    def __init__(self, turns: Turns, peer: Peer) -> None:
        """Take whose turn it is and where."""
        self._turns = turns
        self._peer = peer

    async def __aenter__(self) -> None:
        """Wait until it is."""
        await self._turns.take(self._peer)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the next one work."""
        self._turns.give()
