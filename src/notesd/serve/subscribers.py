"""Who is told what changed, without anybody waiting for anybody?

A space's thread only leaves word with the event loop. A client that reads slowly gets fewer, larger
messages: changes are put together until it has room, progress is left out. One that does not read at
all is cut off like any other slow reader.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from notesd.ingest.ingest import Progress
from notesd.model import NotePath
from notesd.serve import report, wire
from notesd.serve.outlet import Outlet
from notesd.space.space import Space

MOST_PATHS = 1_000
"""Paths named in one message; beyond that it says that there are more."""
PROGRESS_EVERY_S = 0.25
"""Pause between two messages on the progress of one space."""


class _Listener:
    """Leaves word with the event loop of what one space tells."""

    def __init__(self, subscribers: "Subscribers", space: Space) -> None:
        self._subscribers, self._space = subscribers, space

    def changed(self, generation: int, paths: Sequence[NotePath] | None, /) -> None:
        self._subscribers.leave_change(self._space.name, generation, paths)

    def progressed(self, now: Progress, /) -> None:
        self._subscribers.leave_progress(self._space, now)

    def replaced(self) -> None:
        """No matter."""


class Subscribers:
    """The clients that want to be told, and what they are told of."""

    def __init__(self, spaces: Mapping[str, Space]) -> None:
        """Take the spaces; nothing is listened to before somebody subscribes."""
        self._spaces = spaces
        self._members: dict[Outlet, _Member] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._latest: dict[str, dict[str, Any]] = {}
        """Progress of each space that is not told yet."""
        self._resting: set[str] = set()
        """Spaces whose last progress was told less than a pause ago."""

    async def add(self, outlet: Outlet, names: Sequence[str]) -> list[str]:
        """Tell a client of these spaces too, from now on; returns all that it is told of, by name."""
        await outlet.send(b"")  # whoever has room now gets the answer before the first message
        if self._loop is None:
            self._listen(asyncio.get_running_loop())
        if outlet not in self._members:
            self._members[outlet] = member = _Member(outlet)
            outlet.follow(member.flush, lambda: self._forget(outlet))
        self._members[outlet].spaces |= set(names)
        return sorted(self._members[outlet].spaces)

    def _forget(self, outlet: Outlet) -> None:
        self._members.pop(outlet, None)

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have the spaces leave word here."""
        self._loop = loop
        for space in self._spaces.values():
            self.hear(space)

    def hear(self, space: Space) -> None:
        """Have a space leave word here, once somebody subscribes."""
        if self._loop:
            space.hear(_Listener(self, space))

    # ---- in the thread of a space ------------------------------------------------------------

    def leave_change(self, name: str, generation: int, paths: Sequence[NotePath] | None) -> None:
        """A space has changed."""
        self._leave_word(self._changed, name, generation, paths)

    def leave_progress(self, space: Space, progress: Progress) -> None:
        """A pass of a space goes on; nobody is told more often than ``PROGRESS_EVERY_S``."""
        if self._members:
            self._leave_word(self._progressed, space.name, report.progress_of(space, progress))

    def _leave_word(self, what: Callable[..., None], *facts: object) -> None:
        if self._members and self._loop:
            with contextlib.suppress(RuntimeError):  # the loop has ended before the space
                self._loop.call_soon_threadsafe(what, *facts)

    # ---- in the event loop -------------------------------------------------------------------

    def _changed(self, name: str, generation: int, paths: Sequence[NotePath] | None) -> None:
        for member in self._of(name):
            member.changes.setdefault(name, _Change()).add(generation, paths)
            member.flush()

    def _progressed(self, name: str, facts: dict[str, Any]) -> None:
        self._latest[name] = facts
        if name not in self._resting:
            self._tell_progress(name)

    def _tell_progress(self, name: str) -> None:
        """Tell the latest progress of a space, and again after a pause if there is more by then."""
        facts = self._latest.pop(name, None)
        if facts is None or self._loop is None:
            self._resting.discard(name)
            return
        line = wire.encode_notification("index.progress", {"space": name, **facts})
        for member in self._of(name):
            member.outlet.offer(line)
        self._resting.add(name)
        self._loop.call_later(PROGRESS_EVERY_S, self._tell_progress, name)

    def _of(self, name: str) -> list["_Member"]:
        return [member for member in self._members.values() if name in member.spaces]


class _Member:
    """One client that is told."""

    def __init__(self, outlet: Outlet) -> None:
        self.outlet = outlet
        self.spaces: set[str] = set()
        self.changes: dict[str, _Change] = {}
        """What it was not told yet, by space."""

    def flush(self) -> None:
        """Tell it as much as it has room for."""
        for name, change in list(self.changes.items()):
            if not self.outlet.offer(
                wire.encode_notification("index.changed", {"space": name, **change.told()})
            ):
                return
            del self.changes[name]


class _Change:
    """One change of a space, or several put together."""

    def __init__(self) -> None:
        self._generation = 0
        self._paths: dict[NotePath, None] = {}
        self._truncated = False

    def add(self, generation: int, paths: Sequence[NotePath] | None) -> None:
        """Put another change to it."""
        self._generation = generation
        self._paths |= dict.fromkeys(paths or ())
        self._truncated = self._truncated or paths is None or len(self._paths) > MOST_PATHS
        for path in list(self._paths)[MOST_PATHS:]:
            del self._paths[path]

    def told(self) -> dict[str, Any]:
        """Put it as the protocol does."""
        facts = {"generation": self._generation, "paths": list(self._paths)}
        return {**facts, "paths_truncated": True} if self._truncated else facts
