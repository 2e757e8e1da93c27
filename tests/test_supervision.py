"""What a service manager hands us is taken for what it is."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from notesd import supervision
from notesd.errors import ConfigError


@pytest.fixture
def listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "s"))
        one.listen()
        yield one


def passed(one: socket.socket, **more: str) -> dict[str, str]:
    """The environment in which a socket is passed."""
    return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "x", "HOME": "/h"} | more


def test_the_socket_is_ours_and_not_our_childrens(listening: socket.socket) -> None:
    """Neither the variables nor the descriptor go on to them."""
    environ, copy = passed(listening), os.dup(listening.fileno())
    found = supervision.inherited_socket(environ, copy)
    assert found is not None
    assert not found.ours
    with found.socket as one:
        assert found.path == listening.getsockname()
        assert not os.get_inheritable(one.fileno())
        assert not one.getblocking()
    assert environ == {"HOME": "/h"}


def test_another_process_is_meant(listening: socket.socket) -> None:
    """A parent of ours got it; nothing is passed, or nothing at all is said."""
    assert supervision.inherited_socket(passed(listening, LISTEN_PID="1"), listening.fileno()) is None
    assert supervision.inherited_socket(passed(listening, LISTEN_FDS="0"), listening.fileno()) is None
    assert supervision.inherited_socket({}, listening.fileno()) is None


def test_what_cannot_be_answered_at_is_refused(listening: socket.socket) -> None:
    """Several sockets, one of the network, one that does not listen."""
    with pytest.raises(ConfigError, match="passes 2 sockets"):
        supervision.inherited_socket(passed(listening, LISTEN_FDS="2"), listening.fileno())
    for family in (socket.AF_INET, socket.AF_UNIX):
        one = socket.socket(family)
        with pytest.raises(ConfigError, match="something else than a listening Unix socket"):
            supervision.inherited_socket(passed(one), one.detach())


def test_it_hears_from_us_twice_as_often_as_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """And only where it waits for us."""
    for name, value, seconds in (("", "", None), ("30000000", "", 15), ("0", "", None), ("x", "", None)):
        monkeypatch.setenv("WATCHDOG_USEC", name)
        monkeypatch.setenv("WATCHDOG_PID", value)
        assert supervision.heartbeat_s() == seconds
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert supervision.heartbeat_s() is None
