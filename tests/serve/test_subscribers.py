"""News for subscribers: put together for the slow, never waiting for anybody, cut off at last."""

import asyncio
import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from notesd.ingest.ingest import Progress
from notesd.model import NotePath
from notesd.serve import subscribers, wire
from notesd.serve.listener import Peer
from notesd.serve.outlet import CALLER
from notesd.serve.subscribers import MOST_PATHS, Subscribers
from notesd.settings import Config, SpaceConfig
from notesd.space.space import Space


class Slow:
    """An outlet that has room only when the test says so."""

    def __init__(self) -> None:
        self.room = True
        self.got: list[Any] = []
        self.heard = asyncio.Event()
        self.has_room: Callable[[], None] = lambda: None
        self.is_over: Callable[[], None] = lambda: None

    def offer(self, line: bytes) -> bool:
        if self.room and line:
            self.got.append(json.loads(line))
            self.heard.set()
        return self.room

    async def send(self, line: bytes) -> None:
        self.offer(line)

    def follow(self, has_room: Callable[[], None], is_over: Callable[[], None]) -> None:
        self.has_room, self.is_over = has_room, is_over

    def is_gone(self) -> bool:
        return False

    def params(self, method: str) -> list[Any]:
        return [message["params"] for message in self.got if message["method"] == method]


class Stage:
    """Two spaces that do nothing by themselves, and who listens to them."""

    def __init__(self, tmp_path: Any) -> None:
        self.spaces = {
            name: Space(SpaceConfig(name, str(tmp_path)), str(tmp_path / name), Config())
            for name in ("home", "work")
        }
        self.subscribers = Subscribers(self.spaces)

    def commit(self, name: str, generation: int, paths: list[str] | None) -> None:
        """What a space's thread does after a commit."""
        told = None if paths is None else [NotePath(path) for path in paths]
        for one in self.spaces[name].follower.events:
            one.changed(generation, told)

    def step(self, name: str, done: int, total: int) -> None:
        """What it does after a step of a pass."""
        self.spaces[name].follower.progress = now = Progress(done, total)
        for one in self.spaces[name].follower.events:
            one.progressed(now)


@pytest.fixture
def stage(tmp_path: Any) -> Stage:
    return Stage(tmp_path)


async def turns() -> None:
    """Let the loop do what was left for it."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_each_is_told_of_its_own_spaces(stage: Stage) -> None:
    """A change is told to those who asked for that space, and a second subscription adds to the first."""

    async def play() -> None:
        one, both = Slow(), Slow()
        assert await stage.subscribers.add(one, ["home"]) == ["home"]
        assert await stage.subscribers.add(both, ["work"]) == ["work"]
        assert await stage.subscribers.add(both, ["home"]) == ["home", "work"]
        stage.commit("home", 4, ["a.md"])
        stage.commit("work", 9, [])
        await turns()

        assert one.params("index.changed") == [{"space": "home", "generation": 4, "paths": ["a.md"]}]
        assert both.params("index.changed") == [
            {"space": "home", "generation": 4, "paths": ["a.md"]},
            {"space": "work", "generation": 9, "paths": []},
        ]

    asyncio.run(play())


def test_a_slow_one_gets_changes_put_together(stage: Stage) -> None:
    """While it has no room nothing is sent; then one message a space holds all paths, each once."""

    async def play() -> None:
        slow = Slow()
        await stage.subscribers.add(slow, ["home", "work"])
        slow.room = False
        for generation, paths in ((1, ["a.md"]), (2, ["b.md", "a.md"]), (3, ["c.md"])):
            stage.commit("home", generation, paths)
        stage.commit("work", 7, ["x.md"])
        await turns()
        assert slow.got == []

        slow.room = True
        slow.has_room()

        assert slow.params("index.changed") == [
            {"space": "home", "generation": 3, "paths": ["a.md", "b.md", "c.md"]},
            {"space": "work", "generation": 7, "paths": ["x.md"]},
        ]

    asyncio.run(play())


@pytest.mark.parametrize(
    ("commits", "named"),
    [
        ([[f"{number}.md" for number in range(MOST_PATHS)]], MOST_PATHS),
        ([[f"{number}.md" for number in range(MOST_PATHS + 1)]], MOST_PATHS),
        ([[f"{number}.md" for number in range(600)], [f"x{number}.md" for number in range(600)]], MOST_PATHS),
        ([["a.md"], None, ["b.md"]], 2),
    ],
    ids=["as many as fit", "one more", "together too many", "perhaps all"],
)
def test_long_lists_say_that_there_is_more(stage: Stage, commits: list[Any], named: int) -> None:
    """At most 1,000 paths are named, and what is left out is never left out in silence."""

    async def play() -> None:
        slow = Slow()
        await stage.subscribers.add(slow, ["home"])
        slow.room = False
        for generation, paths in enumerate(commits):
            stage.commit("home", generation, paths)
        await turns()
        slow.room = True
        slow.has_room()
        (told,) = slow.params("index.changed")

        assert len(told["paths"]) == named
        assert told.get("paths_truncated", False) is (commits != [[f"{n}.md" for n in range(MOST_PATHS)]])

    asyncio.run(play())


def test_progress_is_told_four_times_a_second_and_to_its_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps within one pause become one message, the last step's."""
    monkeypatch.setattr(subscribers, "PROGRESS_EVERY_S", 0.05)

    async def play() -> None:
        one, full = Slow(), Slow()
        for outlet in (one, full):
            await stage.subscribers.add(outlet, ["home"])
        full.room = False
        for done in range(1, 101):
            stage.step("home", done, 100)
        await turns()
        assert [p["done"] for p in one.params("index.progress")] == [1]
        one.heard.clear()
        await one.heard.wait()
        full.room = True
        full.has_room()

        assert [p["done"] for p in one.params("index.progress")] == [1, 100]
        assert set(one.params("index.progress")[0]) == {"space", "done", "total", "eta_s", "rate_per_s"}
        assert full.got == []  # progress is not kept for those who cannot take it

    asyncio.run(play())


def test_who_is_gone_is_told_nothing(stage: Stage) -> None:
    """The end of a connection ends its subscription."""

    async def play() -> None:
        one = Slow()
        await stage.subscribers.add(one, ["home"])
        one.is_over()
        stage.commit("home", 1, ["a.md"])
        await turns()

        assert one.got == []

    asyncio.run(play())


def test_a_space_may_outlive_the_loop(stage: Stage) -> None:
    """A commit after the end of the event loop is no error of the space."""

    async def play() -> None:
        await stage.subscribers.add(Slow(), ["home"])

    asyncio.run(play())
    stage.commit("home", 1, ["a.md"])
    stage.step("home", 1, 2)


class Flooding:
    """A handler whose every request makes its client a listener to a flood."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.flooding: asyncio.Task[None] | None = None

    async def __call__(self, request: wire.Request, _peer: Peer) -> object:
        if request.method == "ping":
            return "pong"
        names = await self.stage.subscribers.add(CALLER.get().outlet, ["home"])
        self.flooding = asyncio.get_running_loop().create_task(self._flood())
        return {"subscribed": names}

    async def _flood(self) -> None:
        for generation in range(100_000):
            paths = [f"{'long' * 20}{generation}-{number}.md" for number in range(200)]
            self.stage.commit("home", generation, paths)
            await asyncio.sleep(0)


def test_one_that_does_not_read_is_cut_off(stage: Stage, serving: Any) -> None:
    """A subscriber that reads nothing is let go after the send timeout; the others are served meanwhile."""
    flooding = Flooding(stage)
    server = serving(flooding, send_timeout_s=0.3)
    with socket.socket(socket.AF_UNIX) as deaf, socket.socket(socket.AF_UNIX) as other:
        for client in (deaf, other):
            client.settimeout(60)
            client.connect(server.path)
        deaf.sendall(b'{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n')
        stream = other.makefile("rb")
        other.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert json.loads(stream.readline())["result"] == "pong"
        while len(server.server._connections) > 1:
            other.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            stream.readline()
        stream.close()
        first = deaf.makefile("rb").readline()
        assert json.loads(first) == {"jsonrpc": "2.0", "id": 1, "result": {"subscribed": ["home"]}}
    assert flooding.flooding is not None
    server.loop.call_soon_threadsafe(flooding.flooding.cancel)
