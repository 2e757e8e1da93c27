"""Whatever a pipe takes and gives at a time, frames arrive whole and in order."""

import fcntl
import os
import signal
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.children import frames
from notesd.children.frames import FrameError, frame, read_some, take_frame, write_all

SMALL_PIPE_BYTES = 4096
VALUES: list[object] = ["", "a", [1, 2, {"b": None}], "x" * 70_000, "y" * 1_000_000, 0]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe that holds as little as a pipe can."""
    ends = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, SMALL_PIPE_BYTES)
    yield ends
    for end in ends:
        os.close(end)


def taken(descriptor: int, number: int) -> list[bytes]:
    """Read so many frames."""
    buffer, found = bytearray(), list[bytes]()
    while len(found) < number:
        while (data := take_frame(buffer)) is not None:
            found.append(data)
        if len(found) < number:
            buffer += read_some(descriptor)
    assert not buffer
    return found


@pytest.mark.parametrize("blocking", [True, False])
def test_frames_pass_a_small_pipe_whole(pipe: tuple[int, int], blocking: bool) -> None:
    """Values far larger than the pipe come out as they went in, even where somebody made it non-blocking."""
    for end in pipe:
        os.set_blocking(end, blocking)
    wanted = [frame(value) for value in VALUES]
    writer = threading.Thread(target=write_all, args=(pipe[1], b"".join(wanted)))
    writer.start()

    found = taken(pipe[0], len(wanted))
    writer.join()

    assert [len(data).to_bytes(4, "big") + data for data in found] == wanted


def test_a_writer_that_is_interrupted_writes_the_rest(pipe: tuple[int, int]) -> None:
    """Signals in the midst of a write, which make it a short one, cost no byte."""
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: heard.append(number))
    data = os.urandom(3_000_000)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.extend(taken(pipe[0], 1)))
    reader.start()
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        write_all(pipe[1], len(data).to_bytes(4, "big") + data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    reader.join()

    assert found == [data]
    assert heard


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 50))
def test_frames_may_arrive_in_any_pieces(values: list[bytes], size: int) -> None:
    """Cut anywhere, the stream gives the same frames in the same order."""
    stream = b"".join(map(frame, values))
    buffer, found = bytearray(), list[bytes]()
    for at in range(0, len(stream), size):
        buffer += stream[at : at + size]
        while (data := take_frame(buffer)) is not None:
            found.append(data)

    assert found == [frame(value)[4:] for value in values]
    assert not buffer


@pytest.mark.parametrize("noise", [b"Warning: an old model\n", b"\xff\xff\xff\xff", b"\n\n\n\n", b"{}\r\n"])
def test_noise_is_told_from_a_frame(noise: bytes) -> None:
    """Text where a length should stand is refused at once instead of waited for."""
    with pytest.raises(FrameError):
        take_frame(bytearray(noise))


def test_what_is_too_long_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that no reader would take is refused by the writer."""
    monkeypatch.setattr(frames, "LONGEST_FRAME", 1000)

    assert take_frame(bytearray(frame("x" * 990))) is not None
    with pytest.raises(FrameError):
        frame("x" * 1000)


def test_a_reader_that_is_gone_is_noticed(pipe: tuple[int, int]) -> None:
    """Writing to nobody is an error, no silence."""
    source, sink = os.pipe()
    os.close(source)
    with pytest.raises(BrokenPipeError):
        write_all(sink, frame("x"))
    os.close(sink)
