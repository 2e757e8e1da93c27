"""How is a space? What it says of itself, as values."""

from msgspec import Struct


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


class Rebuilt(Struct, frozen=True):
    """What a finished rescan answers."""

    generation: int
    notes: int
    seconds: float
