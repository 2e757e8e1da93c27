"""Who works where: quick questions pass costly ones by, and nobody works for those who have left."""

import asyncio
import functools
import threading
from collections.abc import Callable
from typing import Any

import pytest

from notesd.errors import TooCostly
from notesd.index.budget import Budget, Meter, NotQuick, OverBudget
from notesd.serve.listener import Peer
from notesd.serve.outlet import CALLER, Caller
from notesd.serve.spaces import COSTLY, READERS, Spaces
from notesd.serve.turns import PEER


class Client:
    """The other end of a connection, there or not."""

    def __init__(self) -> None:
        self.gone = False

    def is_gone(self) -> bool:
        return self.gone

    def offer(self, line: bytes) -> bool:
        return True

    async def send(self, line: bytes) -> None:
        pass

    def follow(self, has_room: Callable[[], None], is_over: Callable[[], None]) -> None:
        pass


def caller(**more: Any) -> Caller:
    return Caller(Client(), None, Budget(1.0), **more)


async def ask(spaces: Spaces, who: Caller, work: Callable[[Meter], Any]) -> Any:
    PEER.set(Peer(0, None))
    CALLER.set(who)
    return await spaces._work(work)


def test_what_is_not_quick_is_begun_anew_among_the_costly() -> None:
    """Once; what follows of the same request stays there."""
    spaces, who, threads = Spaces({}), caller(), []

    def work(meter: Meter) -> str:
        threads.append(threading.current_thread().name.split("_")[0])
        if len(threads) == 1:
            raise NotQuick
        return "done"

    async def both() -> list[str]:
        return [await ask(spaces, who, work), await ask(spaces, who, work)]

    assert asyncio.run(both()) == ["done", "done"]
    assert threads == ["reader", "costly", "costly"]


def test_costly_work_leaves_all_quick_places_free() -> None:
    """However much of it there is."""
    spaces, gate = Spaces({}), threading.Event()

    async def crowd() -> list[str]:
        slow = [
            asyncio.ensure_future(ask(spaces, caller(costly=True), lambda _: gate.wait(60)))
            for _ in range(COSTLY + READERS + 3)
        ]
        quick = [await ask(spaces, caller(), lambda _: "quick") for _ in range(READERS * 2)]
        gate.set()
        await asyncio.gather(*slow)
        return quick

    assert asyncio.run(crowd()) == ["quick"] * READERS * 2


def test_costly_work_is_done_in_the_order_in_which_it_was_asked_for() -> None:
    """A crowd that comes again and again keeps nobody waiting for ever."""
    spaces, gate = Spaces({}), threading.Event()
    done: list[int] = []

    def note(number: int, _: Meter) -> None:
        done.append(number)

    async def crowd() -> None:
        holding = [
            asyncio.ensure_future(ask(spaces, caller(costly=True), lambda _: gate.wait(30)))
            for _ in range(COSTLY)
        ]
        await asyncio.sleep(0)
        waiting = []
        for number in range(6):
            work = functools.partial(note, number)
            waiting.append(asyncio.ensure_future(ask(spaces, caller(costly=True), work)))
            await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*holding, *waiting)

    asyncio.run(crowd())
    assert max(abs(place - number) for place, number in enumerate(done)) < COSTLY


def test_the_work_of_one_who_has_left_is_not_begun() -> None:
    """When its turn comes, the client is looked for; what changes something is done all the same."""
    spaces, done = Spaces({}), []
    leaving, bound = caller(), caller(binding=True)
    for one in (leaving, bound):
        one.outlet.gone = True  # type: ignore[attr-defined]  # a Client

    async def both() -> None:
        with pytest.raises(asyncio.CancelledError):
            await ask(spaces, leaving, lambda _: done.append("leaving"))
        await ask(spaces, bound, lambda _: done.append("bound"))

    asyncio.run(both())
    assert done == ["bound"]


def test_the_work_of_one_who_leaves_ends() -> None:
    """The next look at the meter ends it."""
    spaces, who = Spaces({}), caller()

    def work(meter: Meter) -> None:
        who.budget.abandoned = True
        meter.check()
        raise AssertionError("it went on")

    async def one() -> None:
        with pytest.raises(asyncio.CancelledError):
            await ask(spaces, who, work)

    asyncio.run(one())


def test_what_costs_too_much_is_said() -> None:
    """As an error of its own, with what to do."""
    spaces = Spaces({})

    def work(_: Meter) -> None:
        raise OverBudget

    async def one() -> None:
        with pytest.raises(TooCostly, match="less at a time"):
            await ask(spaces, caller(costly=True), work)

    asyncio.run(one())
