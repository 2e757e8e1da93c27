"""The parent's end: nothing a child does holds us up, and how it ended is told."""

import contextlib
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

import msgspec
import pytest

from notesd.children import child as module
from notesd.children.child import Child, ChildLost, exchange

DEADLINE_S = 300.0
"""Far beyond what anything takes on a busy machine: it ends what hangs."""
ECHO = """
import sys, os, time, signal
from notesd.children.parent import Parent
parent = Parent()
{before}
while (data := parent.receive()) is not None:
    {each}
    os.write(1, b'noise'); print('noise', flush=True)
    parent.send(__import__('msgspec').msgpack.decode(data))
"""
Start = Callable[..., Child]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a child that sends back what it gets, with more to do before, and for each."""
    made: list[Child] = []

    def one(before: str = "", each: str = "pass") -> Child:
        made.append(Child([sys.executable, "-c", ECHO.format(before=before, each=each)]))
        return made[-1]

    yield one
    for each in made:
        each.end()


def received(child: Child, number: int) -> list[object]:
    """Exchange until so many frames have come."""
    found: list[object] = []
    end = time.monotonic() + DEADLINE_S
    while len(found) < number:
        assert time.monotonic() < end
        exchange([child], 0.2)
        while (data := child.take()) is not None:
            found.append(msgspec.msgpack.decode(data))
    return found


def lost(child: Child) -> ChildLost:
    """Exchange until the child is lost."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        exchange([child], 0.2)
        try:
            while child.take() is not None:
                pass
        except ChildLost as loss:
            return loss
    raise AssertionError("it is still there")


def test_large_values_go_both_ways(start: Start) -> None:
    """Values many times larger than a pipe arrive whole, in both directions at once."""
    child = start()
    values = ["x" * size for size in (3_000_000, 0, 1, 65_536, 131_072, 2_000_000)]
    for value in values:
        child.send(value)

    assert received(child, len(values)) == values


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_child_that_is_stopped_again_and_again_loses_no_byte(
    start: Start, unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the midst of a write, a child goes on with the next byte; so do we."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    child = start()
    values = [os.urandom(400_000) for _ in range(30)]
    for value in values:
        child.send(value)
    found: list[object] = []
    end = time.monotonic() + DEADLINE_S
    while len(found) < len(values):
        assert time.monotonic() < end
        os.kill(child.pid, signal.SIGSTOP)
        exchange([child], 0.001)
        os.kill(child.pid, signal.SIGCONT)
        exchange([child], 0.001)
        while (data := child.take()) is not None:
            found.append(msgspec.msgpack.decode(data))

    assert found == values


def test_a_child_that_does_not_read_holds_nobody_up(start: Start) -> None:
    """Sending to a stopped child comes back at once, however much it is; it arrives when it goes on."""
    child = start()
    child.send("up")
    assert received(child, 1) == ["up"]
    os.kill(child.pid, signal.SIGSTOP)
    for _ in range(20):
        child.send("x" * 1_000_000)
    exchange([child], 0)

    assert child.is_stopped() or not os.path.exists("/proc/self/stat")
    assert child.take() is None
    os.kill(child.pid, signal.SIGCONT)
    assert received(child, 20) == ["x" * 1_000_000] * 20


def test_what_came_before_the_noise_is_kept(start: Start) -> None:
    """Frames that arrived whole are given out, then the child is lost."""
    child = start(each="data == b'\\xa3bad' and os.write(int(sys.argv[-1]), b'oh, an error')")
    for value in ("one", "two", "bad"):
        child.send(value)
    while len(child._in) < len(b"....one....two.....") + 8:  # all has come before the first is taken
        exchange([child], 0.2)

    assert [msgspec.msgpack.decode(child.take() or b"") for _ in range(2)] == ["one", "two"]
    assert "cannot be read" in lost(child).reason


@pytest.mark.parametrize(
    ("how", "reason", "from_outside"),
    [
        ("os._exit(3)", "ended with status 3", False),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV", False),
        ("os.kill(os.getpid(), signal.SIGPROF)", "was ended by SIGPROF", False),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by SIGKILL", True),
        ("os.kill(os.getpid(), signal.SIGTERM)", "was ended by SIGTERM", True),
        ("os.close(int(sys.argv[-1])); time.sleep(3600)", "closed its output", False),
    ],
)
def test_how_it_ended_is_told(
    start: Start, monkeypatch: pytest.MonkeyPatch, how: str, reason: str, from_outside: bool
) -> None:
    """What a program does to itself is told from what somebody does to it."""
    if "closed" in reason:
        monkeypatch.setattr(module, "_GRACE_S", 0.05)
    child = start(before=how)
    child.send("hello")

    loss = lost(child)

    assert (loss.reason, loss.from_outside) == (reason, from_outside)


def test_one_that_was_killed_and_takes_its_time_to_end_is_not_blamed(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine closes its output some moments before it says how it ended."""
    child = start(before="os.close(int(sys.argv[-1])); signal.pause()")
    wait, asked = child._process.wait, threading.Event()

    def slow(timeout: float | None = None) -> int:
        asked.set()
        return wait(timeout)

    monkeypatch.setattr(child._process, "wait", slow)

    def kill() -> None:
        asked.wait(DEADLINE_S)
        threading.Event().wait(1)
        os.kill(child.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    loss = lost(child)
    killer.join()

    assert (loss.reason, loss.from_outside) == ("was ended by SIGKILL", True)


def test_a_child_that_closed_its_input_may_still_answer(start: Start) -> None:
    """It is not given up, and not waited for in a busy circle either."""
    child = start(
        before="signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1]); parent.receive(); "
        "os.close(int(sys.argv[-2])); parent.send(4); signal.sigwait([signal.SIGUSR1]); parent.send(5)"
    )
    child.send("a")
    assert received(child, 1) == [4]
    child.send("b" * 1_000_000)
    exchange([child], 0)
    os.kill(child.pid, signal.SIGUSR1)

    assert received(child, 1) == [5]
    assert lost(child).reason


def test_sending_to_a_child_that_is_gone_is_no_error(start: Start) -> None:
    """Who sends does not hear of it; who takes does."""
    child = start(before="os._exit(0)")
    child._process.wait(DEADLINE_S)
    child.send("x" * 1_000_000)

    assert lost(child).reason == "ended with status 0"


def test_nothing_is_left_open(start: Start) -> None:
    """A child that ended costs no descriptor, and neither does one that could not be started."""
    before = len(os.listdir("/dev/fd"))
    start().end()
    with pytest.raises(FileNotFoundError):
        Child(["/does/not/exist"])

    assert len(os.listdir("/dev/fd")) == before


def test_a_full_table_of_descriptors_does_not_keep_us_from_listening(start: Start) -> None:
    """Waiting for a child needs no descriptor of its own."""
    child = start()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open(os.devnull, os.O_RDONLY)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/dev/fd"))) + 1, hard))
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        child.send("hello")
        found = received(child, 1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in taken:
            os.close(each)

    assert found == ["hello"]
