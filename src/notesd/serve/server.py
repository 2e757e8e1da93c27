"""How do many clients at once get their answers, and no more of the machine than their share?

One event loop accepts, reads and writes; what a request means is somebody else's business
(``methods``). A client beyond the limit is told so and let go; a server without free file
descriptors waits a moment instead of spinning; at the end every request is answered or refused.
"""

import asyncio
import errno
import logging
import os
import resource
import socket
import traceback
from typing import cast

from notesd.errors import Busy, ConfigError
from notesd.serve import wire
from notesd.serve.connection import Connection, ConnectionLimits, Handle, Service
from notesd.serve.listener import Listener, peer_of
from notesd.supervision import Inherited

MAX_REQUEST_BYTES = 1 << 20
MAX_CLIENTS = 256
SEND_TIMEOUT_S = 30.0
IN_FLIGHT_PER_CLIENT = 32
SILENT_S = 5.0
"""So long a client may say nothing and still keep its place when all are taken."""

_log = logging.getLogger(__name__)

_ACCEPT_AT_ONCE = 64
_RETRY_S = 0.25
"""Pause after the system had no file descriptor for a new connection."""
_QUIET_S = 600.0
"""The same trouble is logged once in this time."""
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_REFUSED_AT_ONCE = 16
"""Clients beyond the limit that are told so without haste; more are told and cut off."""


class Server:
    """Serves one socket."""

    def __init__(
        self,
        path: str,
        handle: Handle,
        *,
        max_request_bytes: int = MAX_REQUEST_BYTES,
        max_clients: int = MAX_CLIENTS,
        send_timeout_s: float = SEND_TIMEOUT_S,
        in_flight_per_client: int = IN_FLIGHT_PER_CLIENT,
        inherited: Inherited | None = None,
    ) -> None:
        """Take the limits; nothing happens before ``start``.

        Args:
            path: Of the socket, absolute.
            handle: Called in the event loop for each request, also for notifications. What it
                returns is written by msgspec (a ``Raw`` as it is); a ``NotesdError`` becomes
                that error; anything else it raises an internal error.
            max_request_bytes: Longer lines are refused and end their connection.
            max_clients: Connections at a time. A process that may open few files serves
                fewer: a third of its limit, so that the others are left for the notes.
            send_timeout_s: A client that reads nothing for so long is cut off.
            in_flight_per_client: Requests of one connection worked on at once; the next ones
                wait unread.
            inherited: A socket that listens at the path already.
        """
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        bounded = files != resource.RLIM_INFINITY
        self._path = path
        self._max_clients = max(1, min(max_clients, files // 3)) if bounded else max_clients
        self._max_refused = max(1, min(_REFUSED_AT_ONCE, files // 16)) if bounded else _REFUSED_AT_ONCE
        self._service = Service(
            handle,
            ConnectionLimits(max_request_bytes, in_flight_per_client, send_timeout_s),
            self._report,
            self._lost,
        )
        self._listener: Listener | None = None
        self._inherited = inherited
        self._connections: set[Connection] = set()
        self._refused: set[Connection] = set()
        self._attaching: set[asyncio.Task[None]] = set()
        self._logged: dict[object, float] = {}
        self._retry: asyncio.TimerHandle | None = None
        self._all_gone: asyncio.Future[None] | None = None

    def start(self) -> None:
        """Listen; has to be called in the event loop.

        Raises:
            ConfigError, Busy: As for ``Listener``.
        """
        found, self._inherited = self._inherited, None
        self._listener = (
            Listener(self._path, found.socket, ours=found.ours) if found else Listener(self._path)
        )
        asyncio.get_running_loop().add_reader(self._listener.socket.fileno(), self._accept)

    def holds_path(self) -> bool:
        """Whether clients that connect now still reach this server."""
        return self._listener is not None and self._listener.holds_path()

    def hand_over(self) -> Inherited | None:
        """Take nobody in any more, and leave the socket open for who takes our place; None: there is none."""
        listener = self._listener
        if listener is None:
            return None
        self._accept()
        self._let_go()
        self._listener = None
        return Inherited(listener.socket, listener.ours)

    def rebind(self) -> None:
        """Listen anew after somebody removed the socket file; connections go on.

        Raises:
            OSError: The path cannot be reached now; the server listens no more until it can be.
            Busy: As for ``Listener``; so too.
            ConfigError: Something else stands there.
        """
        self._stop_listening()
        try:
            self.start()
        except ConfigError as error:
            if isinstance(error.__cause__, OSError):
                raise error.__cause__ from None
            raise

    async def close(self, grace_s: float = 2.0) -> None:
        """Stop: requests under way may end within the grace time, all others are refused.

        The socket file goes first, so that a client that comes later finds no daemon.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + grace_s
        if self._listener:
            self._accept()  # who knocked before now is told as well
        self._stop_listening()
        if self._attaching:
            await asyncio.wait(self._attaching, timeout=1)
        for connection in tuple(self._connections):
            connection.stop()
        await self._settle(end)
        tasks = self._tasks()
        for connection in self._connections:
            connection.give_up(binding=True)
        if tasks:
            await asyncio.wait(tasks, timeout=1)
        for connection in (*self._connections, *self._refused):
            connection.close()
        await self._until_gone(seconds=0.5)
        for connection in (*self._connections, *self._refused):
            connection.abort()
        await self._until_gone(seconds=0.5)

    # ---- connections -------------------------------------------------------------------------

    def _accept(self) -> None:
        """Take in who waits at the door."""
        for _ in range(_ACCEPT_AT_ONCE):
            if self._listener is None:
                return
            try:
                connected, _ = self._listener.socket.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._wait_for_descriptors(error)
                    return
                continue  # that client is gone already
            self._admit(connected)

    def _admit(self, connected: socket.socket) -> None:
        """Serve a client, or send it away."""
        connected.setblocking(False)  # noqa: FBT003 - the name of the method says it
        try:
            peer = peer_of(connected)
        except OSError:
            connected.close()
            return
        if peer.uid != os.geteuid():
            self._say_once(("peer", peer.uid), f"refused a client of another user (uid {peer.uid})")
            connected.close()
            return
        if len(self._connections) < self._max_clients or self._make_room():
            connection = Connection(self._service, peer)
            self._connections.add(connection)
        else:
            full = Busy(f"notesd serves {self._max_clients} clients already; try again when one has left")
            if len(self._refused) >= self._max_refused:
                _tell_and_close(connected, wire.encode_error(wire.NULL, full))
                return
            connection = Connection(self._service, peer, refusal=full)
            self._refused.add(connection)
        task = asyncio.get_running_loop().create_task(self._attach(connection, connected))
        self._attaching.add(task)
        task.add_done_callback(self._attaching.discard)

    def _make_room(self) -> bool:
        """Let the client go that has been silent for longest and has nothing under way, if there is one."""
        longest = min(
            (one for one in self._connections if one.is_idle()),
            key=lambda one: one.silent_since, default=None,
        )  # fmt: skip
        if longest is None or asyncio.get_running_loop().time() - longest.silent_since < SILENT_S:
            return False
        self._connections.discard(longest)
        self._refused.add(longest)
        longest.give_way(
            Busy("notesd serves many clients, and this one was silent for longest; connect again")
        )
        return True

    async def _attach(self, connection: Connection, connected: socket.socket) -> None:
        """Let the event loop drive a connection."""
        protocol = cast("asyncio.Protocol", connection)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: protocol, connected)
        except OSError:
            connected.close()
            self._lost(connection)

    def _lost(self, connection: Connection) -> None:
        """Forget a connection that is over."""
        self._connections.discard(connection)
        self._refused.discard(connection)
        if self._all_gone and not self._all_gone.done() and not self._connections and not self._refused:
            self._all_gone.set_result(None)

    def _wait_for_descriptors(self, error: OSError) -> None:
        """Leave the door alone for a moment: asking again at once would spin."""
        self._say_once(("accept", error.errno), f"cannot take in more clients: {error.strerror}")
        if self._listener and self._retry is None:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._listener.socket.fileno())
            self._retry = loop.call_later(_RETRY_S, self._listen_again)

    def _listen_again(self) -> None:
        """Look at the door again."""
        self._retry = None
        if self._listener:
            asyncio.get_running_loop().add_reader(self._listener.socket.fileno(), self._accept)

    # ---- the end -----------------------------------------------------------------------------

    def _stop_listening(self) -> None:
        """Take nobody in any more."""
        self._let_go()
        if self._listener:
            self._listener.close()
            self._listener = None

    def _let_go(self) -> None:
        """Look at the door no more."""
        if self._retry:
            self._retry.cancel()
            self._retry = None
        if self._listener:
            asyncio.get_running_loop().remove_reader(self._listener.socket.fileno())

    async def _settle(self, end: float) -> None:
        """Wait until nothing is worked on and nothing more comes in, at most until ``end``."""
        loop = asyncio.get_running_loop()
        heard = -1
        while loop.time() < end:
            if tasks := self._tasks():
                await asyncio.wait(tasks, timeout=end - loop.time())
            before, heard = heard, sum(connection.heard for connection in self._connections)
            if heard == before and not self._tasks():
                return
            for _ in range(3):  # turns of the loop: what the system holds for us has been read then
                await asyncio.sleep(0)

    def _tasks(self) -> set[asyncio.Task[None]]:
        """Return the requests that are worked on."""
        return {task for connection in self._connections for task in connection.tasks}

    async def _until_gone(self, seconds: float) -> None:
        """Wait until all connections are over, at most so long."""
        if self._connections or self._refused:
            self._all_gone = asyncio.get_running_loop().create_future()
            await asyncio.wait({self._all_gone}, timeout=seconds)

    # ---- the log -----------------------------------------------------------------------------

    def _report(self, method: str, error: BaseException) -> None:
        """Log a failure nobody foresaw, on one line, once in a while for each kind."""
        frames = traceback.extract_tb(error.__traceback__)
        where = " < ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames[:-5:-1])
        self._say_once(
            ("internal", method[:80], type(error).__name__, where),
            f"internal error in {method[:80]!a}: {type(error).__name__}: {str(error)[:300]!a} at {where}",
        )

    def _say_once(self, key: object, text: str) -> None:
        """Log a line unless the same was logged not long ago."""
        now = asyncio.get_running_loop().time()
        if now - self._logged.get(key, -_QUIET_S) >= _QUIET_S:
            if len(self._logged) > 1000:  # noqa: PLR2004 - so that odd method names cannot grow it for ever
                self._logged.clear()
            self._logged[key] = now
            _log.error("%s", text)


def _tell_and_close(connected: socket.socket, line: bytes) -> None:
    """Send a line if it fits into the system's buffer, as it does for all but the strangest, and hang up."""
    try:
        connected.send(line)
    except OSError:
        pass
    finally:
        connected.close()
