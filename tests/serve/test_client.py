"""The blocking client: answers of any length, errors as exceptions, nothing heavy imported."""

import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from notesd import errors
from notesd.serve import wire
from notesd.serve.client import Client, failure
from notesd.serve.listener import Peer

Serving = Callable[..., Any]


async def handle(request: wire.Request, _peer: Peer) -> object:
    """Answer some methods."""
    match request.method:
        case "echo":
            return {"params": request.params}
        case "big":
            return {"text": "é" * 3_000_000}
        case "missing":
            raise errors.UnknownNote("no note is called x", nearest=["y"])
        case _:
            pass
    raise wire.UnknownMethod("no such method")


def test_a_call_returns_the_result(serving: Serving) -> None:
    """Parameters are given by name."""
    client = Client(serving(handle).path)

    assert client.call("echo", query="é\ud800", limit=3) == {"params": {"query": "é\ufffd", "limit": 3}}
    assert client.call("echo") == {"params": {}}
    client.close()


def test_answers_may_be_long(serving: Serving) -> None:
    """There is no limit on the line of an answer."""
    client = Client(serving(handle).path)

    assert client.call("big") == {"text": "é" * 3_000_000}
    client.close()


def test_errors_are_the_exceptions_of_the_daemon(serving: Serving) -> None:
    """The kind decides the class, and with it the exit status."""
    client = Client(serving(handle).path)
    with pytest.raises(errors.UnknownNote, match="no note is called x") as caught:
        client.call("missing")

    assert caught.value.data == {"nearest": ["y"]}
    client.close()


@pytest.mark.parametrize("kind", [errors.UnknownSpace, errors.UsageNewer, errors.Busy, errors.TooLarge])
def test_every_kind_has_its_class(kind: type[errors.NotesdError]) -> None:
    """The error object is enough to know the class."""
    error = failure(
        {"code": kind.code, "message": "m", "data": {"kind": kind.kind, "message": "odd", "a": 1}}
    )

    assert type(error) is kind
    assert (error.message, error.data) == ("m", {"a": 1})


@pytest.mark.parametrize(
    "error", [{}, {"message": "m", "data": None}, {"message": "m", "data": {"kind": "new"}}]
)
def test_an_error_of_a_later_version_is_still_an_error(error: dict[str, object]) -> None:
    """An unknown kind is a plain failure."""
    assert type(failure(error)) is errors.NotesdError


def test_nobody_there(short_folder: str) -> None:
    """No socket, a dead socket and a file are all no daemon."""
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(f"{short_folder}/dead")
    dead.close()
    open(f"{short_folder}/file", "w").close()
    for name in ("none", "dead", "file", "x" * 200):
        with pytest.raises(errors.NoDaemon, match="no daemon answers"):
            Client(f"{short_folder}/{name}")


@pytest.fixture
def scripted(short_folder: str) -> Any:
    """A server that sends what the test says to its first client, once that has sent something."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"{short_folder}/s")
    listening.listen()
    threads = []

    def start(*pieces: bytes, hold: threading.Event | None = None) -> str:
        def run() -> None:
            connected, _ = listening.accept()
            with connected:
                connected.recv(1 << 16)
                for piece in pieces:
                    connected.sendall(piece)
                if hold:
                    hold.wait(300)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return f"{short_folder}/s"

    yield start
    for thread in threads:
        thread.join(300)
    listening.close()


def test_notifications_and_other_answers_are_passed_over(scripted: Any) -> None:
    """Only the answer to the question counts."""
    path = scripted(
        b'{"jsonrpc":"2.0","method":"index.changed","params":{}}\n{"jsonrpc":"2.0","id":99,"result":{}}\n{"jsonrpc"',
        b':"2.0","id":1,"result":{"a":1}}\n',
    )
    client = Client(path)

    assert client.call("any") == {"a": 1}
    client.close()


def test_a_refusal_without_id_is_the_answer(scripted: Any) -> None:
    """A server that turns everybody away cannot know our id."""
    client = Client(
        scripted(
            b'{"jsonrpc":"2.0","id":null,"error":{"code":-32051,"message":"full","data":{"kind":"busy"}}}\n'
        )
    )
    with pytest.raises(errors.Busy, match="full"):
        client.call("any")
    client.close()


def test_a_connection_that_ends_early_is_no_daemon(scripted: Any) -> None:
    """Half an answer is none."""
    client = Client(scripted(b'{"jsonrpc":"2.0"'))
    with pytest.raises(errors.NoDaemon, match="hung up"):
        client.call("any")
    client.close()


def test_silence_ends_the_wait(scripted: Any) -> None:
    """The caller decides how long."""
    done = threading.Event()
    client = Client(scripted(hold=done), timeout=0.05)
    with pytest.raises(errors.Busy, match=r"did not answer within 0\.05 s"):
        client.call("any")
    done.set()
    client.close()


def test_waiting_can_be_done_in_steps(scripted: Any) -> None:
    """One who waits long can do something else meanwhile."""
    client = Client(scripted(b'{"jsonrpc":"2.0","id":1,"result":{}}\n'))
    client.send("any", {})

    assert client.answered(within=60)
    assert client.receive() == {}
    client.close()


def test_the_client_starts_light() -> None:
    """Asking costs no more than a socket and JSON."""
    heavy = (
        "asyncio subprocess pathlib tempfile shutil logging threading msgspec apsw numpy inspect dataclasses"
    )
    code = f"import sys, notesd.serve.client; print(*(set({heavy.split()!r}) & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert out.stdout.split() == []
