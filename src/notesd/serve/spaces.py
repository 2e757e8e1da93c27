"""Which spaces is a request about, and how are they read without holding up the event loop?"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreError, UnknownSpace
from notesd.index.store import Reader
from notesd.serve import params
from notesd.serve.turns import Turns
from notesd.space.space import Space

READERS = 4
"""Threads that answer queries; SQLite works outside of Python's lock, so more than cores is enough."""

MEND_S = 5.0
"""So long a question waits for an index that seemed damaged; then it takes what there is."""

Answer = TypeVar("Answer")


class Unasked(NamedTuple):
    """A space that could not be asked, and why."""

    space: Space
    error: NotesdError

    @property
    def gap(self) -> str:
        """The same as a sentence."""
        return f"it could not be asked: {self.error.message}"

    def told(self) -> dict[str, str]:
        """The same as an entry of ``degraded``."""
        reason = f"space {self.space.name} could not be asked: {self.error.message}"
        return {"channel": "lexical", "space": self.space.name, "reason": reason}


class Heard(Struct, Generic[Answer], frozen=True):
    """What some spaces have to say, in the order of the configuration."""

    answers: Sequence[tuple[Space, Answer]]
    unasked: Sequence[Unasked]

    def told(self) -> list[dict[str, str]]:
        """Who could not be asked, as entries of ``degraded``."""
        return [one.told() for one in self.unasked]


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

        Raises:
            StoreError: The index cannot be read now.
            Busy: There is none.
        """
        try:
            return await self.look(space, ask)
        except StoreCorrupt:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.wrap_future(space.settled()), MEND_S)
        return await self.look(space, ask)

    async def look(self, space: Space, ask: Callable[[Reader, Space], Answer]) -> Answer:
        """The same, without waiting for anything to be mended."""

        def work() -> Answer:
            with space.reading() as reader:
                return ask(reader, space)

        try:
            return await self.run(work)
        except StoreCorrupt as error:
            space.report_damage(error)
            raise

    async def each(
        self, names: str | list[str] | None, ask: Callable[[Reader, Space], Answer]
    ) -> Heard[Answer]:
        """Run something that reads an index, for each space that is chosen, as far as they can be asked.

        Raises:
            UnknownSpace: See ``chosen``.
            NotesdError: What ``ask`` raises; that no space can be asked.
        """
        return await heard((space, self.read(space, ask)) for space in self.chosen(names))

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Run something that takes a moment."""
        async with self._turns.turn():
            return await asyncio.get_running_loop().run_in_executor(self._readers, work)


async def heard(asking: Iterable[tuple[Space, Awaitable[Answer]]]) -> Heard[Answer]:
    """Wait for what several spaces say; one that cannot be asked is named, and the others answer.

    Raises:
        StoreError, Busy: None can be asked.
        NotesdError: Any other, of any of them.
    """
    spaces, every = zip(*asking, strict=True)
    answers: list[tuple[Space, Answer]] = []
    unasked: list[Unasked] = []
    for space, answer in zip(spaces, await asyncio.gather(*every, return_exceptions=True), strict=True):
        if isinstance(answer, StoreError | Busy):
            unasked.append(Unasked(space, answer))
        elif isinstance(answer, BaseException):
            raise answer
        else:
            answers.append((space, answer))
    if not answers:
        raise unasked[0].error
    return Heard(answers, unasked)
