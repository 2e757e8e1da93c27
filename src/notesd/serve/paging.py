"""How is a page filled from several indexes, one after the other?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from notesd.errors import Busy, StaleCursor, StoreError, TooCostly
from notesd.index.store import Reader
from notesd.serve import pages
from notesd.serve.bounds import Bound
from notesd.serve.pages import Cursor, Entry, Room, Taken
from notesd.serve.spaces import Spaces, Unasked
from notesd.space.space import Space

Entries = Callable[[Reader, Space, int], Iterable[Entry]]
"""All entries that a space has for the answer, from one number on; always in the same order."""


class Page(Struct, frozen=True):
    """One page of what some spaces have to say."""

    taken: Mapping[str, Taken]
    """What each space adds to it."""
    unasked: Sequence[Unasked]
    following: Cursor | None
    """Where the next one begins."""

    def ended(self, answer: dict[str, Any]) -> dict[str, Any]:
        """An answer with word of how it goes on, if it does."""
        return pages.ended(answer, self.following)

    def merged(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """The lists of these names, each with what every space adds to it."""
        lists = [taken.lists(names) for taken in self.taken.values()]
        return {name: [row for one in lists for row in one[name]] for name in names}

    def told(self) -> list[dict[str, str]]:
        """Who could not be asked, as entries of ``degraded``."""
        return [one.told() for one in self.unasked]


async def page(
    spaces: Spaces, chosen: Sequence[Space], bound: Bound, cursor: Cursor, entries: Entries
) -> Page:
    """Fill a page; a space that cannot be asked is named, and the others answer.

    Args:
        spaces: Those that run.
        chosen: Those that are meant.
        bound: What the page may hold.
        cursor: Where it begins.
        entries: What a space has to say.

    Raises:
        StaleCursor: An index, or the choice of spaces, has changed since the page before.
        TooCostly: It took all that it may, and nothing was found by then.
        StoreError, Busy: None can be asked.
    """
    if cursor.part >= len(chosen):
        raise StaleCursor("the earlier pages are of other spaces; ask again from the first page")
    found: dict[str, Taken] = {}
    unasked: list[Unasked] = []
    room = Room(bound.items)
    for part in range(cursor.part, len(chosen)):
        here = cursor if part == cursor.part else Cursor(part)
        space, begins = chosen[part], not any(one.entries for one in found.values())
        try:
            taken, state = await _take(spaces, space, entries, here, room, begins=begins)
        except TooCostly:
            if begins:
                raise
            return Page(found, unasked, here)
        except (StoreError, Busy) as error:
            unasked.append(Unasked(space, error))
            continue
        found[space.name] = taken
        room = room.less(taken)
        if not taken.whole:
            return Page(found, unasked, Cursor(part, here.place + len(taken.entries), state))
    if unasked and not found and not cursor.part:
        raise unasked[0].error
    return Page(found, unasked, None)


async def _take(
    spaces: Spaces, space: Space, entries: Entries, here: Cursor, room: Room, *, begins: bool
) -> tuple[Taken, str]:
    def work(reader: Reader, space: Space) -> tuple[Taken, str]:
        state = f"{reader.generation:x}"
        here.see_it_holds(state)
        return pages.take(entries(reader, space, here.place), room, reader.meter, begins=begins), state

    return await spaces.read(space, work)
