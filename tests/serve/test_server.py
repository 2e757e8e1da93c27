"""A real server on a real socket: framing, limits, peers, shutdown."""

import asyncio
import json
import os
import socket
import stat
import threading
from collections.abc import Callable
from typing import Any, Self

import pytest
from msgspec import Raw

from notesd.errors import Busy, ConfigError, UnknownNote
from notesd.serve import connection, listener, server, wire
from notesd.serve.listener import Listener, Peer
from notesd.serve.outlet import CALLER

LIMIT = 1 << 16


class Wire:
    """A client that can do everything wrong."""

    def __init__(self, path: str) -> None:
        """Connect."""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self._stream = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self.socket.close()

    def send(self, *lines: bytes, end: bytes = b"\n") -> None:
        """Send lines in one piece."""
        self.socket.sendall(b"".join(line + end for line in lines))

    def answer(self) -> Any:
        """Return the next answer, None at the end of the stream."""
        try:
            line = self._stream.readline()
        except ConnectionResetError:
            return None
        return json.loads(line) if line else None

    def ask(self, method: str, id_: object = 1, **params: object) -> Any:
        """Send a request and return the next answer."""
        self.send(request(method, id_, **params))
        return self.answer()


def request(method: str, id_: object = 1, **params: object) -> bytes:
    """Return the line of a request."""
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode()


class Handler:
    """Answers ``echo``; ``hold`` waits until the test lets go."""

    def __init__(self) -> None:
        """Note what is asked."""
        self.asked: list[str] = []
        self.seen = threading.Condition()
        self.peers: list[Peer] = []
        self.gate = asyncio.Event()
        self.most = 0
        self._now = 0

    async def __call__(self, asked: wire.Request, peer: Peer) -> object:
        """Do what the method says."""
        with self.seen:
            self.asked.append(asked.method)
            self.seen.notify_all()
        self.peers.append(peer)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            return await self._answer(asked)
        finally:
            self._now -= 1

    async def _answer(self, asked: wire.Request) -> object:
        match asked.method:
            case "echo":
                return asked.params
            case "hold":
                await self.gate.wait()
                return "let go"
            case "big":
                return "x" * 4_000_000
            case "known":
                raise UnknownNote("no such note", nearest=["a"])
            case "unknown":
                raise ValueError("line\nbreak")
            case "unwritable":
                return object()
            case _:
                pass
        raise wire.UnknownMethod(f'no method is called "{asked.method}"')

    def wait_for(self, method: str, times: int = 1) -> None:
        """Wait until a method was asked so often."""
        with self.seen:
            assert self.seen.wait_for(lambda: self.asked.count(method) >= times, 300)


@pytest.fixture
def handler() -> Handler:
    """The handler of the server under test."""
    return Handler()


Serving = Callable[..., Any]


def test_a_request_is_answered(serving: Serving, handler: Handler) -> None:
    """The result comes back under the request's id."""
    with Wire(serving(handler).path) as client:
        assert client.ask("echo", "x", a=1) == {"jsonrpc": "2.0", "id": "x", "result": {"a": 1}}


def test_the_peer_is_known(serving: Serving, handler: Handler) -> None:
    """The handler is told which user and process asks."""
    with Wire(serving(handler).path) as client:
        client.ask("echo")

    assert handler.peers[0].uid == os.geteuid()
    assert handler.peers[0].pid in {os.getpid(), None}


def test_another_user_is_not_served(
    serving: Serving, handler: Handler, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A connection of somebody else is closed without a word, and that is logged once."""
    running = serving(handler)
    monkeypatch.setattr(server, "peer_of", lambda _: Peer(uid=os.geteuid() + 1, pid=None))
    for _ in range(3):
        with Wire(running.path) as client:
            assert client.answer() is None

    assert handler.asked == []
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_requests_may_be_sent_in_one_piece_and_in_many(serving: Serving, handler: Handler) -> None:
    """Lines are cut where they end, wherever the pieces do."""
    with Wire(serving(handler).path) as client:
        client.send(*(request("echo", number) for number in range(300)))
        assert sorted(client.answer()["id"] for _ in range(300)) == list(range(300))
        for byte in request("echo", "slow") + b"\n":
            client.socket.sendall(bytes([byte]))
        assert client.answer()["id"] == "slow"


def test_blank_lines_are_passed_over(serving: Serving, handler: Handler) -> None:
    """Empty lines are no requests."""
    with Wire(serving(handler).path) as client:
        client.send(b"", b"\r", b"  ", b"\t", request("echo", "next"))
        assert client.answer()["id"] == "next"


def test_a_bad_line_does_not_end_the_connection(serving: Serving, handler: Handler) -> None:
    """A refused line is answered, and the next request is served."""
    with Wire(serving(handler).path) as client:
        for bad, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"null", -32600)):
            client.send(bad)
            answer = client.answer()
            assert (answer["id"], answer["error"]["code"]) == (None, code)
            assert client.ask("echo")["id"] == 1


def test_errors_of_the_handler_are_answers(serving: Serving, handler: Handler) -> None:
    """A known failure keeps its code, kind and facts."""
    with Wire(serving(handler).path) as client:
        assert client.ask("known")["error"] == {
            "code": -32004,
            "message": "no such note",
            "data": {"kind": "unknown_note", "nearest": ["a"]},
        }
        assert client.ask("nope")["error"]["code"] == -32601


@pytest.mark.parametrize("method", ["unknown", "unwritable"])
def test_an_unforeseen_failure_is_an_internal_error(
    serving: Serving, handler: Handler, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    """The client learns that it failed, the log on one line why, however often."""
    with Wire(serving(handler).path) as client:
        errors = [client.ask(method)["error"] for _ in range(5)]

    assert {error["code"] for error in errors} == {-32603}
    assert "Traceback" not in json.dumps(errors)
    assert len(caplog.records) == 1
    assert "\n" not in caplog.records[0].getMessage()


def test_notifications_are_carried_out_and_not_answered(serving: Serving, handler: Handler) -> None:
    """A request without an id gets no answer, not even when it fails."""
    with Wire(serving(handler).path) as client:
        client.send(b'{"jsonrpc":"2.0","method":"echo"}', b'{"jsonrpc":"2.0","method":"known"}')
        client.send(b'{"jsonrpc":"2.0","method":"unknown"}', b'{"jsonrpc":"2.0","method":"nope"}')
        assert client.ask("echo", "last")["id"] == "last"

    assert handler.asked == ["echo", "known", "unknown", "nope", "echo"]


def test_a_closed_sending_side_still_gets_its_answers(serving: Serving, handler: Handler) -> None:
    """Half a connection is enough to read; a last line needs no line end."""
    with Wire(serving(handler).path) as client:
        client.send(*(request("echo", number) for number in range(5)))
        client.send(request("echo", "last"), end=b"")
        client.socket.shutdown(socket.SHUT_WR)
        answers = [client.answer() for _ in range(6)]

        assert [answer["id"] for answer in answers] == [0, 1, 2, 3, 4, "last"]
        assert client.answer() is None


def test_clients_that_leave_at_once_do_no_harm(serving: Serving, handler: Handler) -> None:
    """Nobody to read an answer is nobody's trouble, and no descriptor stays open."""
    running = serving(handler)
    for _ in range(100):
        with Wire(running.path) as client:
            client.send(request("big"))
    handler.wait_for("big", 100)
    with Wire(running.path) as client:
        assert client.ask("echo")["id"] == 1


def test_half_a_line_blocks_nobody(serving: Serving, handler: Handler) -> None:
    """A client that stops in the middle waits alone, and may go on later."""
    running = serving(handler)
    with Wire(running.path) as lazy, Wire(running.path) as other:
        lazy.send(b'{"jsonrpc":"2.0","id":7,"meth', end=b"")
        assert other.ask("echo")["id"] == 1
        lazy.send(b'od":"echo"}')
        assert lazy.answer()["id"] == 7


def test_a_long_request_does_not_hold_up_the_next(serving: Serving, handler: Handler) -> None:
    """Answers come in the order they are ready."""
    running = serving(handler)
    with Wire(running.path) as client:
        client.send(request("hold", "slow"), request("echo", "quick"))
        assert client.answer()["id"] == "quick"
        running.loop.call_soon_threadsafe(handler.gate.set)
        assert client.answer() == {"jsonrpc": "2.0", "id": "slow", "result": "let go"}


def test_requests_of_one_client_are_worked_on_one_after_the_other(serving: Serving, handler: Handler) -> None:
    """A client that sends much at once does not take the machine."""
    with Wire(serving(handler).path) as client:
        client.send(*(request("echo", number) for number in range(50)))
        for _ in range(50):
            client.answer()

    assert handler.most == 1


def test_so_many_are_under_way_and_the_next_wait(serving: Serving, handler: Handler) -> None:
    """Beyond the limit of one connection its stream is not read; others do not notice."""
    running = serving(handler, in_flight_per_client=2)
    with Wire(running.path) as client, Wire(running.path) as other:
        client.send(request("hold", 1), request("hold", 2), request("echo", 3))
        handler.wait_for("hold", 2)
        assert other.ask("echo", "other")["id"] == "other"
        assert handler.asked == ["hold", "hold", "echo"]
        running.loop.call_soon_threadsafe(handler.gate.set)
        assert sorted(client.answer()["id"] for _ in range(3)) == [1, 2, 3]


# ---- limits --------------------------------------------------------------------------------------


def test_a_line_of_the_limit_is_served(serving: Serving, handler: Handler) -> None:
    """The limit counts the line without its end."""
    line = request("echo", text="")
    line = line.replace(b'""', b'"' + b"x" * (LIMIT - len(line)) + b'"')
    with Wire(serving(handler, max_request_bytes=LIMIT).path) as client:
        client.send(line)
        assert len(line) == LIMIT
        assert "result" in client.answer()


@pytest.mark.parametrize("end", [pytest.param(b"\n", id="ended"), pytest.param(b"", id="endless")])
@pytest.mark.parametrize("size", [LIMIT + 1, 40 * LIMIT])
def test_a_longer_line_is_refused_and_ends_the_connection(
    serving: Serving, handler: Handler, size: int, end: bytes
) -> None:
    """The client can read why, also when it sends everything before it reads."""
    with Wire(serving(handler, max_request_bytes=LIMIT).path) as client:
        client.send(b"x" * size, end=end)
        answer = client.answer()

        assert answer["id"] is None
        assert answer["error"]["data"]["kind"] == "too_large"
        assert str(LIMIT) in answer["error"]["message"]
        assert client.answer() is None


def test_what_was_asked_before_a_too_long_line_is_answered(serving: Serving, handler: Handler) -> None:
    """Hanging up waits for the answers that are under way."""
    running = serving(handler, max_request_bytes=LIMIT)
    with Wire(running.path) as client:
        client.send(request("hold", "before"), b"x" * (LIMIT + 1))
        assert client.answer()["error"]["data"]["kind"] == "too_large"
        running.loop.call_soon_threadsafe(handler.gate.set)
        assert client.answer()["id"] == "before"
        assert client.answer() is None


def test_one_client_too_many_is_told_so(serving: Serving, handler: Handler) -> None:
    """Beyond the limit a client reads that it is to come back, and can once another has left."""
    running = serving(handler, max_clients=2)
    with Wire(running.path) as first, Wire(running.path) as second:
        first.ask("echo")
        second.ask("echo")
        with Wire(running.path) as third:
            assert third.answer()["error"]["data"]["kind"] == "busy"
            assert third.answer() is None
    with Wire(running.path) as client:
        answer = client.ask("echo")
        while answer is None or "error" in answer:
            with Wire(running.path) as again:
                answer = again.ask("echo")
        assert answer["id"] == 1


def test_many_clients_too_many_are_all_told_so(serving: Serving, handler: Handler) -> None:
    """Also those for whom there is no place to wait."""
    running = serving(handler, max_clients=1)
    with Wire(running.path) as first:
        first.ask("echo")
        others = [Wire(running.path) for _ in range(40)]
        kinds = {other.answer()["error"]["data"]["kind"] for other in others}
        for other in others:
            other.__exit__()

    assert kinds == {"busy"}


def test_a_client_that_does_not_read_is_cut_off(serving: Serving, handler: Handler) -> None:
    """An answer that lies unread ends the connection after the timeout; meanwhile no more are worked out."""
    running = serving(handler, send_timeout_s=0.2)
    with Wire(running.path) as client, Wire(running.path) as other:
        other.ask("echo")
        client.send(*(request("big", number) for number in range(20)))
        handler.wait_for("big")
        while len(running.server._connections) > 1:
            assert other.ask("echo")["id"] == 1

    assert handler.asked.count("big") == 1


def test_a_slow_reader_that_reads_is_not(handler: Handler) -> None:
    """Progress counts, not speed."""

    class Pipe:
        """A transport whose reader takes what the test says."""

        unsent, aborted = 4_000_000, False

        def set_write_buffer_limits(self, high: int) -> None:
            """Any size will do."""

        def get_write_buffer_size(self) -> int:
            """Return what the reader has not taken."""
            return self.unsent

        def abort(self) -> None:
            """Note that the reader was given up."""
            self.aborted = True

    async def read_a_little() -> list[bool]:
        pipe, states = Pipe(), []
        limits = connection.ConnectionLimits(LIMIT, 1, send_timeout_s=60)
        service = connection.Service(handler, limits, lambda *_: None, lambda _: None)
        served = connection.Connection(service, Peer(0, None))
        served.connection_made(pipe)  # type: ignore[arg-type]  # it does what is needed of one here
        served.pause_writing()
        for taken in (100_000, 70_000, 10):
            pipe.unsent -= taken
            served._check_reader()
            states.append(pipe.aborted)
        served.connection_lost(None)
        return states

    assert asyncio.run(read_a_little()) == [False, False, True]


def test_no_free_descriptor_is_no_busy_loop(
    serving: Serving, handler: Handler, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without descriptors the door is left alone for a moment, said once, and opened again."""

    class Exhausted:
        """A listening socket of a process that has no descriptor left."""

        def __init__(self, real: socket.socket) -> None:
            self.real, self.tries = real, 0

        def accept(self) -> tuple[socket.socket, Any]:
            self.tries += 1
            if self.tries <= 2:
                raise OSError(24, "Too many open files")
            return self.real.accept()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

    running = serving(handler)
    door = Exhausted(running.server._listener.socket)
    monkeypatch.setattr(running.server._listener, "socket", door)
    with Wire(running.path) as client:
        assert client.ask("echo")["id"] == 1

    assert door.tries <= 4
    assert [record.getMessage() for record in caplog.records] == [
        "cannot take in more clients: Too many open files"
    ]


# ---- the end -------------------------------------------------------------------------------------


def test_stopping_answers_or_refuses_everything(serving: Serving, handler: Handler) -> None:
    """What is under way may end, what waits is refused, and then the connection ends."""
    running = serving(handler, in_flight_per_client=1)
    with Wire(running.path) as client:
        client.send(*(request("hold", number) for number in range(10)))
        handler.wait_for("hold")
        running.close()
        answers = [client.answer() for _ in range(10)]

        assert sorted(answer["id"] for answer in answers) == list(range(10))
        assert {answer["error"]["data"]["kind"] for answer in answers} == {"busy"}
        assert client.answer() is None


def test_stopping_lets_a_quick_one_end(serving: Serving, handler: Handler) -> None:
    """A request that ends within the grace time is answered."""
    running = serving(handler)
    with Wire(running.path) as client:
        client.send(request("hold"))
        handler.wait_for("hold")
        # Both times are of one loop, so that a busy machine cannot let the grace time end first.
        running.loop.call_soon_threadsafe(running.loop.call_later, 0.05, handler.gate.set)
        closing = threading.Thread(target=running.close)
        closing.start()

        assert client.answer()["result"] == "let go"
        closing.join(60)


def test_stopping_removes_the_socket(serving: Serving, handler: Handler) -> None:
    """Nobody finds the door of a daemon that is gone."""
    running = serving(handler)
    running.close()

    assert not os.path.lexists(running.path)


def test_a_lost_socket_is_noticed_and_bound_anew(serving: Serving, handler: Handler) -> None:
    """A removed socket file does not leave a daemon that nobody can reach."""
    running = serving(handler)
    with Wire(running.path) as old:
        os.unlink(running.path)
        assert not running.server.holds_path()
        asyncio.run_coroutine_threadsafe(_later(running.server.rebind), running.loop).result(300)
        assert running.server.holds_path()
        with Wire(running.path) as new:
            assert new.ask("echo")["id"] == 1
        assert old.ask("echo")["id"] == 1


async def _later(call: Callable[[], None]) -> None:
    """Call something in the loop."""
    call()


# ---- the socket file -----------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_socket_and_folder_are_private_whatever_the_umask(short_folder: str, umask: int) -> None:
    """0600 in 0700, also for the folders above that had to be made."""
    before = os.umask(umask)
    try:
        door = Listener(f"{short_folder}/a/b/s")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(os.lstat(f"{short_folder}/{path}").st_mode) for path in ("a", "a/b", "a/b/s")]
    door.close()

    assert modes == [0o700, 0o700, 0o600]


def test_a_folder_of_our_name_is_made_private(short_folder: str) -> None:
    """An own folder that was left open is closed; anybody else's is left alone."""
    for name in ("notesd", "other"):
        os.mkdir(f"{short_folder}/{name}")
        os.chmod(f"{short_folder}/{name}", 0o755)
        Listener(f"{short_folder}/{name}/s").close()
    modes = [stat.S_IMODE(os.stat(f"{short_folder}/{name}").st_mode) for name in ("notesd", "other")]

    assert modes == [0o700, 0o755]


def test_a_dead_socket_is_replaced(short_folder: str) -> None:
    """A killed daemon leaves a socket; the next one takes its place."""
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(f"{short_folder}/s")
    dead.close()
    door = Listener(f"{short_folder}/s")

    assert door.holds_path()
    door.close()


def test_a_live_socket_is_never_taken_over(short_folder: str) -> None:
    """A second daemon is told, and the first goes on."""
    door = Listener(f"{short_folder}/s")
    with pytest.raises(ConfigError, match="another daemon listens"):
        Listener(f"{short_folder}/s")

    assert door.holds_path()
    door.close()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_anything_else_at_the_path_stays(short_folder: str, kind: str) -> None:
    """Only sockets are removed."""
    path = f"{short_folder}/s"
    match kind:
        case "file":
            os.close(os.open(path, os.O_CREAT))
        case "folder":
            os.mkdir(path)
        case _:
            os.symlink("nowhere", path)
    with pytest.raises(ConfigError, match="is not a socket"):
        Listener(path)

    assert os.path.lexists(path)


def test_a_path_too_long_is_named(short_folder: str) -> None:
    """The system's own error would not say what to do."""
    with pytest.raises(ConfigError, match="too long"):
        Listener(f"{short_folder}/{'x' * 200}")


def test_a_folder_that_cannot_be_made_is_named(short_folder: str) -> None:
    """A file where a folder is needed is an error with a sentence."""
    os.close(os.open(f"{short_folder}/f", os.O_CREAT))
    with pytest.raises(ConfigError, match="cannot listen at"):
        Listener(f"{short_folder}/f/s")


def test_only_its_own_file_is_removed(short_folder: str) -> None:
    """A socket that another daemon bound at the same place meanwhile stays."""
    first = Listener(f"{short_folder}/s")
    os.unlink(first.path)
    second = Listener(f"{short_folder}/s")
    first.close()

    assert second.holds_path()
    second.close()


def test_two_that_start_at_once_do_not_remove_each_others_socket(short_folder: str) -> None:
    """While one looks and binds, another one waits for its turn by asking again later."""
    with listener._Locked(short_folder), pytest.raises(Busy, match="just starting"):
        Listener(f"{short_folder}/s")


def test_a_raw_result_is_not_written_twice(serving: Serving) -> None:
    """What a thread has encoded goes out as it is."""

    async def handle(_request: wire.Request, _peer: Peer) -> object:
        return Raw(b'{"a": [1, 2]}')

    with Wire(serving(handle).path) as client:
        assert client.ask("any")["result"] == {"a": [1, 2]}


def test_what_a_client_asked_for_ends_when_it_leaves(serving: Serving, handler: Handler) -> None:
    """The handler is told within moments, whether the client was read from just then or not."""
    ended = threading.Event()

    async def handle(asked: wire.Request, peer: Peer) -> object:
        with handler.seen:
            handler.asked.append(asked.method)
            handler.seen.notify_all()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.set()
            raise
        return None

    with Wire(serving(handle).path) as client:
        client.send(*[request("hold")] * 5)
        handler.wait_for("hold")
    assert ended.wait(60)


def test_who_leaves_altogether_is_missed_at_once(
    serving: Serving, handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for does not go on until the next look: a crowd of them would fill every place."""
    monkeypatch.setattr(connection, "_OUTLOOK_S", 1e6)
    test_what_a_client_asked_for_ends_when_it_leaves(serving, handler)


def test_what_changes_something_goes_on_when_its_client_leaves(serving: Serving, handler: Handler) -> None:
    """Half a change helps nobody."""
    begun, done = threading.Event(), threading.Event()

    async def handle(asked: wire.Request, peer: Peer) -> object:
        CALLER.get().binding = True
        begun.set()
        while not CALLER.get().outlet.is_gone():  # noqa: ASYNC110 - nothing tells of it but a look
            await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        done.set()
        return None

    with Wire(serving(handle).path) as client:
        client.send(request("change"))
        assert begun.wait(60)
    assert done.wait(60)


def test_an_answer_beyond_all_bounds_is_refused(
    serving: Serving, handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a method gives, no client gets more."""
    monkeypatch.setattr(connection, "LONGEST_ANSWER", 1_000_000)
    with Wire(serving(handler).path) as client:
        assert client.ask("big")["error"]["data"]["kind"] == "too_costly"
        assert client.ask("echo")["result"] == {}


def test_the_longest_silent_client_gives_way(
    serving: Serving, handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is locked out by connections that say nothing; one that waits for its answer stays."""
    monkeypatch.setattr(server, "SILENT_S", 0.0)
    served = serving(handler, max_clients=3)
    with Wire(served.path) as busy, Wire(served.path) as first, Wire(served.path) as second:
        busy.send(request("hold"))
        handler.wait_for("hold")
        assert first.ask("echo")["result"] == {}
        second.send(b'{"half a line', end=b"")
        for _ in range(2):
            with Wire(served.path) as owner:
                assert owner.ask("echo")["result"] == {}
        told = first.answer()
        assert (told["id"], told["error"]["data"]["kind"], first.answer()) == (None, "busy", None)


def test_whoever_has_just_come_keeps_its_place(serving: Serving, handler: Handler) -> None:
    """A crowd that comes at once does not push itself out."""
    served = serving(handler, max_clients=1)
    with Wire(served.path) as client, Wire(served.path) as late:
        assert late.answer()["error"]["data"]["kind"] == "busy"
        assert client.ask("echo")["result"] == {}
