"""Which spaces is a request about, and how are they read without holding up the event loop?"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreError, TooCostly, UnknownSpace
from notesd.index.budget import Abandoned, Meter, NotQuick, OverBudget
from notesd.index.store import Reader
from notesd.serve import params
from notesd.serve.outlet import CALLER, Caller
from notesd.serve.turns import Turns
from notesd.space.space import Space

READERS = 4
"""Threads for quick questions; SQLite works outside of Python's lock, so more than cores is enough."""
COSTLY = 2
"""Threads for what costs more; everybody else's quick questions pass them by."""

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
    """The running spaces, read by a few threads in a fair order.

    Nobody can tell beforehand what a question costs. So each begins among the quick ones, and one that is not
    done after a tenth of a second of work begins anew among the costly ones, where it has its whole budget.
    """

    def __init__(self, spaces: Mapping[str, Space], lanes: "Lanes | None" = None) -> None:
        """Take them in the order of the configuration, and the threads that read them; None: their own."""
        self.by_name = spaces
        self._lanes = lanes or Lanes()
        self._quick, self._costly = self._lanes.quick, self._lanes.costly

    def close(self) -> None:
        """Let no thread hold the end up."""
        self._lanes.close()

    def chosen(self, names: str | list[str] | None) -> list[Space]:
        """The spaces a request is about, in the order of the configuration; all when it names none.

        Raises:
            UnknownSpace: The message names the nearest one, or all there are; or there is none at all.
        """
        if not self.by_name:
            raise UnknownSpace("no folder of notes is served now; add one: notesd add FOLDER", nearest=[])
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
        """Run something that reads an index; it may be begun twice.

        A question that meets a damaged page waits until the index is mended, and is asked again.

        Raises:
            StoreError: The index cannot be read now.
            Busy: There is none.
            TooCostly: It took all that it may, and had no answer by then.
        """
        try:
            return await self.look(space, ask)
        except StoreCorrupt:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.wrap_future(space.settled()), MEND_S)
        return await self.look(space, ask)

    async def look(self, space: Space, ask: Callable[[Reader, Space], Answer]) -> Answer:
        """The same, without waiting for anything to be mended."""

        def work(meter: Meter) -> Answer:
            with space.reading(meter) as reader:
                return ask(reader, space)

        try:
            return await self._work(work)
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
        return await self._work(lambda _: work())

    async def _work(self, work: Callable[[Meter], Answer]) -> Answer:
        """Work for the caller: among the quick ones as long as that lasts, then among the costly."""
        caller = CALLER.get()
        try:
            if not caller.costly:
                try:
                    return await self._quick.work(caller, work, quick=True)
                except NotQuick:
                    caller.costly = True
            return await self._costly.work(caller, work, quick=False)
        except OverBudget:
            raise TooCostly(
                f"this takes more than {caller.budget.cpu_s:g} s of the processor; ask for less at a time"
            ) from None
        except Abandoned:
            raise asyncio.CancelledError from None


class _Lane:
    """Threads, and the order in which they are had."""

    def __init__(self, name: str, places: int, *, latest_first: bool = True) -> None:
        self._threads = ThreadPoolExecutor(places, name)
        self._turns = Turns(places, latest_first=latest_first)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def work(self, caller: Caller, work: Callable[[Meter], Answer], *, quick: bool) -> Answer:
        """Work in one of the threads when it is the caller's turn; not at all for one who has left.

        Raises:
            Interrupted: As ``Meter`` says.
        """

        def measured() -> Answer:
            meter = Meter(caller.budget, quick=quick)
            try:
                meter.check()
                return work(meter)
            finally:
                meter.end()

        async with self._turns.turn():
            if not caller.binding and caller.outlet.is_gone():
                raise Abandoned
            return await asyncio.get_running_loop().run_in_executor(self._threads, measured)


class Lanes:
    """The threads that read, shared by all who ask."""

    def __init__(self) -> None:
        """Start none before it is needed."""
        self.quick = _Lane("reader", READERS)
        self.costly = _Lane("costly", COSTLY, latest_first=False)

    def close(self) -> None:
        """Let no thread hold the end up."""
        self.quick.close()
        self.costly.close()


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
