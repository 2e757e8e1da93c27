"""How does one client's stream of bytes become requests, and its answers a stream again?

Everything a client can make grow is bounded: the line it sends, the requests it has open, the
answers it does not read. At a bound its stream is no longer read, which only it can feel.
"""

import asyncio
import select
import sys
from collections.abc import Awaitable, Callable

from msgspec import Struct

from notesd.errors import Busy, NotesdError, ProtocolError, TooCostly, TooLarge
from notesd.index.budget import Budget
from notesd.serve import wire
from notesd.serve.bounds import LONGEST_ANSWER
from notesd.serve.listener import Peer
from notesd.serve.outlet import CALLER, Caller
from notesd.serve.turns import PEER

_LINGER_S = 2.0
"""How long a refused client may go on sending before the connection ends under it."""
_PATIENCE_S = 0.25
"""How long a request holds up the next one of its connection, twice as long for each that is
under way. One after the other keeps the answers of a client that does not read from piling up;
but a long one must not block a short one."""
_OUTLOOK_S = 0.5
"""Pause between two looks whether a client that waits for an answer is still there."""
_PROGRESS = 64 * 1024
"""Bytes a slow reader has to take within the send timeout to be given another one."""

Handle = Callable[[wire.Request, Peer], Awaitable[object]]


class ConnectionLimits(Struct, frozen=True):
    """What one client may ask of the server."""

    max_request_bytes: int
    """Length of a request line without its line end."""
    in_flight: int
    """Requests of one connection that are worked on at once."""
    send_timeout_s: float
    """How long an answer may lie unread."""


class Service(Struct, frozen=True):
    """What a connection needs of the server it belongs to."""

    handle: Handle
    limits: ConnectionLimits
    report: Callable[[str, BaseException], None]
    """Told of a failure of the handler that nobody foresaw: the method and what it raised."""
    lost: Callable[["Connection"], None]
    """Told once, when the connection is over."""


class Connection:
    """One client. An ``asyncio.Protocol`` in all but name."""

    def __init__(self, service: Service, peer: Peer, refusal: NotesdError | None = None) -> None:
        """Take the server's side of it.

        Args:
            service: What to do with requests.
            peer: Who connected.
            refusal: Answer this at once and serve nothing.
        """
        self.tasks: dict[asyncio.Task[None], Caller] = {}
        """One for each request that is worked on, and what is known of it."""
        self._holding: asyncio.Task[None] | None = None
        """The request that the next one waits for."""
        self._patience: asyncio.TimerHandle | None = None
        self.heard = 0
        """Chunks that were received; to see whether a client has gone quiet."""
        self.silent_since = asyncio.get_running_loop().time()
        """When it last asked something or was answered."""
        self._service = service
        self._peer = peer
        self._followers: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self._refusal = refusal
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._searched = 0
        """So many bytes of the buffer are known to hold no line end."""
        self._paused = False
        self._ended = False
        """The client will send no more, or nothing that counts."""
        self._turned_away = False
        """It may still send, but nothing of it is looked at."""
        self._stopping = False
        """Requests are refused from now on."""
        self._writable = asyncio.Event()
        self._writable.set()
        self._timer: asyncio.TimerHandle | None = None
        self._outlook: asyncio.TimerHandle | None = None
        self._unsent = 0

    # ---- what asyncio calls ------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin; asyncio calls this once."""
        self._transport = transport
        transport.set_write_buffer_limits(high=0)  # any answer that lies unread counts
        if self._refusal:
            self._turn_away(self._refusal)

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
        self.heard += 1
        self.silent_since = asyncio.get_running_loop().time()
        if self._ended:
            return
        self._buffer += data
        self._take_lines()

    def eof_received(self) -> bool:
        """Take note that the client sends no more; True: it may still read."""
        if self._ended:
            return False
        self._ended = True
        self._take_lines()
        self._end_if_idle()
        if self.tasks and not self._buffer:  # once they have begun, and said whether they change anything
            asyncio.get_running_loop().call_soon(self.is_gone)
        return True

    def pause_writing(self) -> None:
        """Hold answers back: the client does not read those it has."""
        self._writable.clear()
        self._watch_reader()

    def resume_writing(self) -> None:
        """Go on: the client has read everything."""
        self._stop_timer()
        self._writable.set()
        for has_room, _ in self._followers:
            asyncio.get_running_loop().call_soon(has_room)  # after the answers that wait already
        self._take_lines()
        self._end_if_idle()

    def connection_lost(self, _error: Exception | None) -> None:
        """Forget the client; what it asked for ends with it, but for what changes something."""
        self._stop_timer()
        self._transport = None
        self._ended = True
        self._buffer.clear()
        self._writable.set()
        self.give_up(binding=False)
        self._service.lost(self)
        for _, is_over in self._followers:
            is_over()
        self._followers.clear()

    # ---- what has news for the client calls (``outlet.Outlet``) ------------------------------

    def offer(self, line: bytes) -> bool:
        """Send a line now, or say that the client has not read what it got before."""
        if self._writable.is_set():
            self._write(line)
            return True
        return False

    async def send(self, line: bytes) -> None:
        """Send a line once the client has read what it got before."""
        while not self._writable.is_set():
            await self._writable.wait()
        self._write(line)

    def follow(self, has_room: Callable[[], None], is_over: Callable[[], None]) -> None:
        """Have something called each time the client has read everything, and once when it is gone."""
        self._followers.append((has_room, is_over))

    def is_gone(self) -> bool:
        """Whether nobody is at the other end any more; then the connection ends now.

        A client that sends no more may still read. Whether it has left altogether only the system tells.
        """
        gone = self._transport is None
        if self._transport and sys.platform == "linux":  # elsewhere both look alike
            poll = select.poll()
            poll.register(self._transport.get_extra_info("socket").fileno(), 0)
            gone = bool(poll.poll(0))
        if gone:
            self.abort()
        return gone

    def _look_out(self) -> None:
        """Look from time to time whether the client has left, as long as something is done for it."""
        self._outlook = None
        if self.tasks and not self.is_gone():
            self._outlook = asyncio.get_running_loop().call_later(_OUTLOOK_S, self._look_out)

    # ---- what the server calls ---------------------------------------------------------------

    def stop(self) -> None:
        """Refuse every further request, also those that wait in the buffer."""
        self._stopping = True
        self._take_lines()

    def give_up(self, *, binding: bool) -> None:
        """End the work on its requests, and on those that change something where ``binding`` says so."""
        for task, caller in list(self.tasks.items()):
            if binding or not caller.binding:
                caller.budget.abandoned = True
                task.cancel()

    def is_idle(self) -> bool:
        """Whether nothing is done for it, nothing waits to be read by it, and it wants no news."""
        busy = self.tasks or self._followers or self._turned_away or self._transport is None
        return not busy and self._writable.is_set()

    def give_way(self, why: NotesdError) -> None:
        """End an idle connection, because another one needs its place."""
        self._ended = self._turned_away = True
        self._buffer.clear()
        self._write(wire.encode_error(wire.NULL, why))
        self.close()

    def close(self) -> None:
        """End the connection once what was answered is sent."""
        if self._transport:
            self._transport.close()

    def abort(self) -> None:
        """End the connection now."""
        if self._transport:
            self._transport.abort()

    # ---- requests ----------------------------------------------------------------------------

    def _take_lines(self) -> None:
        """Begin as many of the requests in the buffer as the limits allow."""
        limit, end = self._service.limits.max_request_bytes, -1
        while self._may_begin():
            end = self._buffer.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._buffer)
                break
            if end > limit:
                break
            self._cut_line(end)
        else:
            self._pause()
            return
        if (end if end >= 0 else len(self._buffer)) > limit:
            self._turn_away(TooLarge(f"a request line may have at most {limit} bytes"))
        elif self._ended and self._buffer:
            self._cut_line(len(self._buffer))
        else:
            self._resume()

    def _may_begin(self) -> bool:
        """Whether another request may be taken up now."""
        if self._transport is None or not self._writable.is_set():
            return False
        free = self._holding is None and len(self.tasks) < self._service.limits.in_flight
        return free or self._stopping

    def _cut_line(self, end: int) -> None:
        """Take a line out of the buffer and begin what it asks."""
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        if not line.strip():
            return
        try:
            request = wire.decode(line)
        except ProtocolError as error:
            self._write(wire.encode_error(wire.salvage_id(line), error))
            return
        if self._stopping:
            self._write(_refusal(request))
            return
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(_PATIENCE_S * 2 ** len(self.tasks), self._hold_no_more)
        caller = Caller(self, request.id, Budget())
        self._holding = task = loop.create_task(self._serve(request, caller))
        self.tasks[task] = caller
        task.add_done_callback(self._served)
        if self._outlook is None:
            self._outlook = loop.call_later(_OUTLOOK_S, self._look_out)

    def _hold_no_more(self) -> None:
        """Let the next request begin."""
        self._holding = None
        if self._patience:
            self._patience.cancel()
            self._patience = None
        self._take_lines()

    async def _serve(self, request: wire.Request, caller: Caller) -> None:
        """Answer one request."""
        PEER.set(self._peer)
        CALLER.set(caller)
        await self.send(await self._answer(request))

    async def _answer(self, request: wire.Request) -> bytes:
        """Return the line that answers a request, empty for a notification."""
        failure: NotesdError
        try:
            value = await self._service.handle(request, self._peer)
            if request.id is None:
                return b""
            line = wire.encode_result(request.id, value)
            if len(line) <= LONGEST_ANSWER:
                return line
            failure = TooCostly(
                f"the answer would be longer than {LONGEST_ANSWER} bytes; ask for less at a time"
            )
        except NotesdError as error:
            failure = error
        except asyncio.CancelledError:
            return _refusal(request)
        except Exception as error:  # noqa: BLE001 - whatever it was, the client gets an answer
            self._service.report(request.method, error)
            failure = wire.Internal(
                f"notesd failed at this request ({type(error).__name__}); its log says more"
            )
        return b"" if request.id is None else wire.encode_error(request.id, failure)

    def _served(self, task: asyncio.Task[None]) -> None:
        """Go on with what waited for this request to end."""
        del self.tasks[task]
        self.silent_since = asyncio.get_running_loop().time()
        if not task.cancelled() and (error := task.exception()):
            self._service.report("(answering)", error)
        if task is self._holding:
            self._hold_no_more()
        else:
            self._take_lines()
        self._end_if_idle()

    # ---- the stream --------------------------------------------------------------------------

    def _write(self, line: bytes) -> None:
        """Send a line if there is still somebody to send it to."""
        if line and self._transport and not self._transport.is_closing():
            self._transport.write(line)

    def _turn_away(self, why: NotesdError) -> None:
        """Say why no more is served, send what is under way, then hang up.

        What the client still sends is thrown away for a while, so that one that reads only
        after it has sent everything gets to read the reason.
        """
        self._ended = self._turned_away = True
        self._buffer.clear()
        self._resume()
        self._write(wire.encode_error(wire.NULL, why))
        self._end_if_idle()

    def _end_if_idle(self) -> None:
        """Hang up when nothing more will come and everything is answered."""
        waits = not self._ended or self.tasks or self._buffer or not self._writable.is_set()
        if waits or not self._transport or self._transport.is_closing():
            return
        if not self._turned_away:
            self._transport.close()
        elif not self._timer:
            self._transport.write_eof()
            self._timer = asyncio.get_running_loop().call_later(_LINGER_S, self.close)

    def _pause(self) -> None:
        """Read no more for now."""
        if self._transport and not self._paused and not self._ended:
            self._paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        """Read on."""
        if self._transport and self._paused:
            self._paused = False
            self._transport.resume_reading()

    def _watch_reader(self) -> None:
        """See after a while whether the client has read anything."""
        if self._transport:
            self._unsent = self._transport.get_write_buffer_size()
            delay = self._service.limits.send_timeout_s
            self._timer = asyncio.get_running_loop().call_later(delay, self._check_reader)

    def _check_reader(self) -> None:
        """Cut a client off that does not read."""
        if self._transport and self._unsent - self._transport.get_write_buffer_size() >= _PROGRESS:
            self._watch_reader()
        else:
            self.abort()

    def _stop_timer(self) -> None:
        """End whatever was waited for."""
        if self._timer:
            self._timer.cancel()
            self._timer = None


def _refusal(request: wire.Request) -> bytes:
    """Return the answer to a request that came too late, empty for a notification."""
    why = Busy("notesd is being stopped; ask again when it runs")
    return b"" if request.id is None else wire.encode_error(request.id, why)
