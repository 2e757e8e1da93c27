"""How are notes opened, page by page, however many and however long they are?"""

import functools
from itertools import islice
from typing import Any

from msgspec import Struct

from notesd.errors import TooCostly
from notesd.index import notes
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.serve import graph, naming, pages, params, wire
from notesd.serve.bounds import BOUNDS
from notesd.serve.outlet import CALLER
from notesd.serve.pages import Cursor, Room, Taken
from notesd.serve.spaces import Spaces
from notesd.space.space import Space


class _Opened(Struct, frozen=True):
    """As much of a note as fits."""

    header: dict[str, Any]
    taken: Taken
    state: str
    """Which text of the note it is."""


class Opening:
    """One request to open notes."""

    def __init__(self, spaces: Spaces, asked: params.OpenParams) -> None:
        """Take the request.

        Raises:
            InvalidParams: Its lines are no range, or its cursor is none of ours.
        """
        self.begun: list[dict[str, Any]] = []
        """Header of each note whose first page this is."""
        self._spaces = spaces
        self._asked = asked
        self._names = list(dict.fromkeys([asked.notes] if isinstance(asked.notes, str) else asked.notes))
        self._lines = params.lines("lines", asked.lines)
        self._cursor = pages.cursor_of(asked.cursor)
        self._room = Room(BOUNDS["open"].items, chars=asked.max_chars)
        self._entities: list[dict[str, Any]] = []
        self._absent: list[dict[str, Any]] = []
        self._unasked: dict[str, dict[str, str]] = {}

    async def answer(self) -> dict[str, Any]:
        """Open as much as fits into an answer; a name that is given twice counts once.

        Raises:
            StaleCursor: The note that was begun has changed.
            TooCostly: Not even one name could be looked up.
        """
        following: Cursor | None = None
        for at in range(self._cursor.part, len(self._names)):
            here = self._cursor if at == self._cursor.part else Cursor(at)
            try:
                following = await self._open(self._names[at], here)
            except TooCostly:
                if self._is_empty():
                    raise
                following = here
            if following:
                break
        answer = {
            "entities": self._entities, "missing": self._absent, "degraded": list(self._unasked.values())
        }  # fmt: skip
        return pages.ended(answer, following)

    def _is_empty(self) -> bool:
        return not (self._entities or self._absent)

    def _is_full(self) -> bool:
        budget, room = CALLER.get().budget, self._room
        return room.items <= 0 or room.bytes <= 0 or budget.spent_s > budget.cpu_s

    async def _open(self, name: str, here: Cursor) -> Cursor | None:
        """Add what a name means; returns where the next page begins if this one ends there."""
        if not self._is_empty() and self._is_full():
            return here
        found, degraded = await naming.meant(self._spaces, self._asked.space, name)
        self._unasked |= {one["space"]: one for one in degraded}
        look = functools.partial(self._look, path=found[0].path, here=here) if len(found) == 1 else None
        opened = await self._spaces.read(found[0].space, look) if look else None
        if opened is None:
            told = await naming.missing(self._spaces, self._asked.space, name, found)
            self._absent.append(told)
            self._charge(told)
            return None
        entity = {**opened.header, **opened.taken.lists(graph.LISTS)}
        self._entities.append(entity)
        self._charge(opened.header)
        self._room = self._room.less(opened.taken)
        if here.place:
            entity["continued"] = True
        else:
            self.begun.append(entity)
        if opened.taken.whole:
            return None
        entity["truncated"] = True
        return Cursor(here.part, here.place + len(opened.taken.entries), opened.state)

    def _charge(self, value: object) -> None:
        size = len(bytes(wire.encode_part(value)))
        self._room = Room(self._room.items - 1, self._room.bytes - size, self._room.chars)

    def _look(self, reader: Reader, space: Space, *, path: NotePath, here: Cursor) -> _Opened | None:
        """Read what fits of a note; None: it has just gone."""
        note, identity = notes.by_path(reader, path), notes.identity(reader, path)
        if note is None or identity is None:
            return None
        state = identity[1].hex()[:16]
        here.see_it_holds(state)
        entries = islice(graph.entries(reader, note, self._lines), here.place, None)
        taken = pages.take(entries, self._room, reader.meter, begins=self._is_empty())
        return _Opened(graph.header(space.name, note), taken, state)
