"""How are notes opened, page by page, however many and however long they are?"""

import functools
from collections.abc import Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from notesd.errors import TooCostly
from notesd.index import attachments, notes
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.resolve.find import nearest
from notesd.serve import attached, freshness, graph, naming, pages, params, parts, wire
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


class _Unfit(Struct, frozen=True):
    """Why a note that is there cannot be shown as it was asked for."""

    reason: str
    nearest: list[str]


class Opening:
    """One request to open notes."""

    def __init__(self, spaces: Spaces, asked: params.OpenParams, max_bytes: int) -> None:
        """Take the request, and how much of a file is indexed.

        Raises:
            InvalidParams: Its lines are no range, or its cursor is none of ours.
        """
        self.begun: list[dict[str, Any]] = []
        """Header of each note whose first page this is."""
        self._spaces = spaces
        self._asked = asked
        self._max_bytes = max_bytes
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
            "entities": self._entities, "missing": self._absent, "degraded": list(self._unasked.values()),
            "index": await self._index(),
        }  # fmt: skip
        return pages.ended(answer, following)

    async def _index(self) -> dict[str, Any]:
        """How current and complete the indexes are that were asked."""
        heard = await self._spaces.each(self._asked.space, freshness.state_of)
        states = {space.name: state for space, state in heard.answers}
        return freshness.joined(
            states | {one.space.name: freshness.unknown(one.gap) for one in heard.unasked}
        )

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
        if not isinstance(opened, _Opened):
            told = (
                {"note": name, "nearest": opened.nearest, "reason": opened.reason}
                if opened
                else await naming.missing(self._spaces, self._asked.space, name, found)
            )
            self._absent.append(told)
            self._charge(told)
            return None
        lists = (name for name in graph.LISTS if name != "text" or self._asked.text)
        entity = {**opened.header, **opened.taken.lists(lists)}
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

    def _look(self, reader: Reader, space: Space, *, path: NotePath, here: Cursor) -> _Opened | _Unfit | None:
        """Read what fits of a note; None: it has just gone."""
        note, identity = notes.by_path(reader, path), notes.identity(reader, path)
        if note is None or identity is None:
            return self._look_at_file(reader, space, path, here)
        state = identity[1].hex()[:16]
        here.see_it_holds(state)
        header, lines = graph.header(space.name, note), self._lines
        if self._asked.part is not None:
            headings = notes.headings(reader, note.id)
            under = parts.lines_of(headings, self._asked.part)
            if under is None:
                near = nearest(self._asked.part, [heading.text for heading in headings])
                return _Unfit("it has no heading of this name", near)
            header["part"] = next(one.text for one in headings if one.line == under.start)
            lines = range(max(lines.start, under.start), min(lines.stop, under.stop))
        text = None
        if self._asked.text:
            whole = parts.text_of(space, path, identity[1], self._max_bytes)
            if whole is None:
                space.mark(path)
                return _Unfit("its file is another one than was read, and is read again; ask once more", [])
            text = [*parts.pieces(whole, lines)]
        every = graph.entries(reader, note, lines, None if text is None else [piece for _, piece in text])
        taken = pages.take(islice(every, here.place, None), self._room, reader.meter, begins=self._is_empty())
        if text is not None:
            header |= _place_of(reader, note, text, here)
        return _Opened(header, taken, state)

    def _look_at_file(self, reader: Reader, space: Space, path: NotePath, here: Cursor) -> _Opened | None:
        """Say what is known of a file that is no note; None: it has just gone."""
        file = attachments.by_path(reader, path)
        if file is None:
            return None
        every = islice(attached.entries(reader, file), here.place, None)
        taken = pages.take(every, self._room, reader.meter, begins=self._is_empty())
        return _Opened(attached.header(space, file), taken, "")


def _place_of(
    reader: Reader, note: notes.StoredNote, text: Sequence[tuple[int, str]], here: Cursor
) -> dict[str, int]:
    """Which line the text of this page begins with, from 1; nothing where it has none."""
    before = len(notes.aliases(reader, note.id)) + len(notes.tags(reader, note.id))
    rest = text[max(0, here.place - before) :]
    return {"line": rest[0][0]} if rest else {}
