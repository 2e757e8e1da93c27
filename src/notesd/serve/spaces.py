"""Which spaces is a request about, and how are they read without holding up the event loop?"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from notesd.errors import StoreCorrupt, UnknownSpace
from notesd.index.store import Reader
from notesd.serve import params
from notesd.serve.turns import Turns
from notesd.space.space import Space

READERS = 4
"""Threads that answer queries; SQLite works outside of Python's lock, so more than cores is enough."""

Answer = TypeVar("Answer")


class Spaces:
    """The running spaces, read by a few threads in a fair order."""

    def __init__(self, spaces: Mapping[str, Space]) -> None:
        """Take them in the order of the configuration."""
        self.by_name = spaces
        self._readers = ThreadPoolExecutor(READERS, "reader")
        self._turns = Turns(READERS)

    def close(self) -> None:
        """Let no thread hold the end up."""
        self._readers.shutdown(wait=False, cancel_futures=True)

    def chosen(self, names: str | list[str] | None) -> list[Space]:
        """The spaces a request is about, in the order of the configuration; all when it names none.

        Raises:
            UnknownSpace: The message names the nearest one, or all there are.
        """
        wanted = [names] if isinstance(names, str) else names
        for name in wanted or ():
            if name not in self.by_name:
                near = params.nearest(name, self.by_name)
                hint = f"did you mean {near!r}?" if near else f"there is {', '.join(map(repr, self.by_name))}"
                raise UnknownSpace(
                    f"no space is called {name!r}; {hint}", space=name, nearest=[near] if near else []
                )
        return [space for name, space in self.by_name.items() if not wanted or name in wanted]

    async def read(self, space: Space, ask: Callable[[Reader, Space], Answer]) -> Answer:
        """Run something that reads an index.

        A question that meets a damaged page waits until the index is mended, and is asked again.
        """

        def work() -> Answer:
            with space.reading() as reader:
                return ask(reader, space)

        try:
            return await self.run(work)
        except StoreCorrupt:
            space.report_damage()
        await asyncio.wrap_future(space.settled())
        return await self.run(work)

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Run something that takes a moment."""
        async with self._turns.turn():
            return await asyncio.get_running_loop().run_in_executor(self._readers, work)
