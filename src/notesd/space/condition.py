"""How is a space? What it says of itself, as values."""

from collections.abc import Mapping

from msgspec import Struct

from notesd.errors import SpaceUnavailable, StoreError, StoreFull
from notesd.model import NotePath, Problem

BACK_OFF_S = (1.0, 60.0)
"""First and longest pause before a failed pass is tried again."""
SICK_DISK_S = 4.0
"""The longest where the index could not be read: it may be over in a moment, and nobody tells."""


class WatchState(Struct, frozen=True):
    """What the watcher says of itself."""

    kind: str = "polling"
    """``inotify``, ``fsevents``, ... or ``polling``: only a walk finds changes."""
    heartbeat: str | None = None
    """When a change made on purpose was last seen by it, ISO 8601; None: never yet."""
    illness: str | None = None
    """What is wrong with it, None while nothing is."""
    used: int = 0
    limit: int = 0
    """Watches used and allowed; 0 when unknown."""
    shortfall: str | None = None
    """What no event will come of, and why."""
    overflows: int = 0
    """How often events were lost because they came too fast, and the folder had to be walked."""
    overflowed: float | None = None
    """When that was last, in seconds since the epoch."""


class Freshness(Struct, frozen=True):
    """How far an answer may be behind the folder."""

    generation: int
    fresh: bool
    """Nothing is known to be missing."""
    lag_ms: float
    """What the last change took from its event to its commit."""
    pending: dict[str, int]
    building: bool
    """The index does not hold all notes yet."""
    counted: bool = True
    """False while the folder was not walked yet: ``pending`` is the least that it can be."""


class OutOfSight(Struct, frozen=True):
    """What could not be looked at when the folder was looked at last; the index keeps what it knew of it."""

    unlisted: Mapping[str, Problem] = {}
    """Folders, and notes that a cloud service has put away."""
    odd: Mapping[NotePath, Problem] = {}
    """What stands where a note is expected and is no regular file."""
    unread: Mapping[NotePath, Problem] = {}
    """Notes whose file could not be read."""

    def named(self) -> list[tuple[str, Problem]]:
        """All of it, by path within each kind."""
        return [one for group in (self.unlisted, self.odd, self.unread) for one in sorted(group.items())]


def pause_after(error: Exception, failures: int) -> float:
    """Seconds until a pass is tried again that failed, after so many failures before it."""
    first, longest = BACK_OFF_S
    if isinstance(error, SpaceUnavailable):
        return first
    if isinstance(error, StoreError) and not isinstance(error, StoreFull):
        longest = SICK_DISK_S
    return float(min(longest, first * 2**failures))
