"""Waiting for spaces to be up to date: who stops waiting leaves nothing behind."""

import asyncio
import contextlib
import gc
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, cast

import pytest

from notesd.errors import StoreError
from notesd.serve.freshness import settle

if TYPE_CHECKING:
    from notesd.space.space import Space


class Slow:
    """A space that is up to date when the test says so."""

    name = "notes"

    def __init__(self) -> None:
        self.future: Future[None] = Future()
        self.future.set_running_or_notify_cancel()

    def settled(self) -> Future[None]:
        return self.future


@pytest.mark.parametrize("how", ["in time", "too late", "left"])
def test_what_nobody_waits_for_any_more_is_no_trouble(how: str) -> None:
    """A space that fails afterwards is a matter of the space; the event loop has nothing to say of it."""
    space, blamed = Slow(), list[dict[str, Any]]()

    async def ask() -> list[dict[str, str]]:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: blamed.append(context))
        waiting = asyncio.ensure_future(settle([cast("Space", space)], 0 if how == "too late" else True))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if how == "left":
            waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await waiting
        elif how == "too late":
            await waiting
        space.future.set_exception(StoreError("the disk is away"))
        answer = [] if how == "left" else await waiting
        del waiting, space.future
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gc.collect()
        return answer

    told = asyncio.run(ask())

    assert blamed == []
    assert [one["reason"] for one in told] == {
        "in time": ["the disk is away"], "too late": ["space notes was not up to date within 0 ms"],
        "left": [],
    }[how]  # fmt: skip
