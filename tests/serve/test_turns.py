"""The order in which waiting requests are worked on."""

import asyncio

from notesd.serve.listener import Peer
from notesd.serve.turns import PEER, Turns


def _order(asks: list[str], places: int = 1) -> list[str]:
    """Let named peers ask while all places are taken; return the order in which they were served."""
    served: list[str] = []
    peers = {name: Peer(0, None) for name in asks}

    async def one(turns: Turns, name: str) -> None:
        PEER.set(peers[name])
        async with turns.turn():
            served.append(name)

    async def all_of_them() -> None:
        turns = Turns(places)
        busy = Peer(0, None)
        for _ in range(places):
            await turns.take(busy)
        waiting = [asyncio.ensure_future(one(turns, name)) for name in asks]
        await asyncio.sleep(0)
        for _ in range(places):
            turns.give()
        await asyncio.gather(*waiting)

    asyncio.run(all_of_them())
    return served


def test_one_who_asks_much_waits_for_one_who_asks_little() -> None:
    """A single request goes before the second of somebody who asked earlier."""
    assert _order(["a", "a", "a", "b"]) == ["b", "a", "a", "a"]


def test_those_who_ask_much_take_turns() -> None:
    """Nobody's second comes before everybody's first."""
    order = _order(["a", "a", "b", "b", "c", "c"])

    assert [set(order[:3]), set(order[3:])] == [{"a", "b", "c"}, {"a", "b", "c"}]


def test_requests_of_one_peer_keep_their_order() -> None:
    """One after the other, as they were asked."""

    async def both() -> list[int]:
        turns, peer, served = Turns(1), Peer(0, None), []
        PEER.set(peer)
        await turns.take(peer)

        async def one(number: int) -> None:
            async with turns.turn():
                served.append(number)

        waiting = [asyncio.ensure_future(one(number)) for number in range(5)]
        await asyncio.sleep(0)
        turns.give()
        await asyncio.gather(*waiting)
        return served

    assert asyncio.run(both()) == [0, 1, 2, 3, 4]


def test_free_places_are_taken_at_once() -> None:
    """Without a queue there is no order to keep."""

    async def three() -> bool:
        turns = Turns(3)
        for _ in range(3):
            await asyncio.wait_for(turns.take(Peer(0, None)), 5)
        fourth = asyncio.ensure_future(turns.take(Peer(0, None)))
        await asyncio.sleep(0)
        waits = not fourth.done()
        turns.give()
        await asyncio.wait_for(fourth, 5)
        return waits

    assert asyncio.run(three())


def test_one_who_stops_waiting_loses_no_place() -> None:
    """A request that is cancelled, before or just after its turn came, leaves the place to the next."""

    async def cancelled() -> None:
        turns = Turns(1)
        await turns.take(Peer(0, None))
        early = asyncio.ensure_future(turns.take(Peer(0, None)))
        late = asyncio.ensure_future(turns.take(Peer(0, None)))
        await asyncio.sleep(0)
        early.cancel()
        await asyncio.sleep(0)
        turns.give()
        late.cancel()
        await asyncio.sleep(0)
        await asyncio.wait_for(turns.take(Peer(0, None)), 5)
        assert early.cancelled()
        assert late.cancelled()

    asyncio.run(cancelled())
