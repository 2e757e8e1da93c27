"""How does another program ask? A blocking client that costs nothing to start."""

import contextlib
import json
import os
import select
import socket

from notesd import errors, ownership, trust

TYPE_CHECKING = False  # importing typing would cost every client some milliseconds
if TYPE_CHECKING:
    from notesd.locations import Paths

_CHUNK = 1 << 18


class Client:
    """One connection to the daemon."""

    def __init__(self, path: str, timeout: float | None = 60.0) -> None:
        """Connect.

        Args:
            path: Of the socket.
            timeout: Seconds that the daemon may be silent; None: for ever.

        Raises:
            NoDaemon: Nobody listens there, we may not connect, or a program of another user listens.
        """
        self.path = path
        self.pid: int | None = None
        """The process that listens, where the system tells."""
        self.owner: ownership.Owner | None = None
        """What the daemon wrote for its clients; None where it was not asked for or is another's."""
        self.timeout = timeout
        self._asked = 0
        self._received = bytearray()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise errors.NoDaemon(f"no daemon answers at {path}: {error.strerror or error}") from None
        try:
            self._check_peer()
        except errors.NoDaemon:
            self._socket.close()
            raise

    def _check_peer(self) -> None:
        """Make sure that nobody else gets our questions, or gives us answers.

        Raises:
            NoDaemon: The program at the other end is another user's.
        """
        try:
            uid, self.pid = trust.peer_of(self._socket)
        except OSError as error:
            raise errors.NoDaemon(f"no daemon answers at {self.path}: {error.strerror}") from None
        if uid != os.geteuid():
            raise errors.NoDaemon(
                f"at {self.path} listens a program of another user (uid {uid}, and this is uid "
                f"{os.geteuid()}); nothing was sent to it; name your own daemon's socket with --socket, or "
                "run notesd as that user",
                foreign=True,
            )

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def hang_up(self) -> None:
        """End the connection, so that whoever waits for an answer does so no more; from any thread."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def call(self, method: str, /, **params: object) -> dict[str, object]:
        """Ask and wait for the answer.

        Raises:
            NotesdError: What the daemon answered, as the class of ``errors`` with that
                ``data.kind``; a plain ``NotesdError`` for kinds unknown here.
            NoDaemon: The connection ended before the answer came.
            Busy: The daemon was silent for as long as the timeout.
        """
        self.send(method, params)
        return self.receive()

    def send(self, method: str, params: dict[str, object]) -> None:
        """Ask; ``receive`` has to follow before the next question.

        Raises:
            Busy: As for ``call``.
        """
        self._asked += 1
        request = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except TimeoutError:
            raise self._silence() from None
        except ConnectionError:
            return  # hung up already; the reason may still be there to read

    def answered(self, within: float) -> bool:
        """Whether something of the answer comes within so many seconds."""
        return bool(self._received or select.select([self._socket], [], [], within)[0])

    def receive(self) -> dict[str, object]:
        """Wait for the answer to what was sent last; errors as for ``call``."""
        try:
            while True:
                answer = json.loads(self._line())
                if answer.get("id") == self._asked or ("error" in answer and answer.get("id") is None):
                    break
        except TimeoutError:
            raise self._silence() from None
        except ConnectionError:
            raise errors.NoDaemon(
                f"the daemon at {self.path} hung up before it answered; ask again", hung_up=True
            ) from None
        if "error" in answer:
            raise failure(answer["error"])
        result: dict[str, object] = answer["result"]
        return result

    def _silence(self) -> errors.Busy:
        """Say that the daemon did not answer in time."""
        return errors.Busy(f"the daemon at {self.path} did not answer within {self.timeout:g} s; try again")

    def _line(self) -> bytes:
        """Return the next line, however long.

        Raises:
            ConnectionError: The stream ended.
            TimeoutError: Nothing came for so long.
        """
        start = 0
        while (end := self._received.find(b"\n", start)) < 0:
            start = len(self._received)
            chunk = self._socket.recv(_CHUNK)
            if not chunk:
                raise ConnectionError
            self._received += chunk
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line


def reach(paths: "Paths", timeout: float | None = 60.0) -> Client:
    """Connect to the daemon of a state folder, wherever it listens.

    A socket that somebody named is taken at that word. Else the state folder says where its daemon
    listens, and what it says counts when the program there is the one that wrote it, or the lock is
    held. The usual place comes last; when somebody named the state folder, only that one's daemon will do.

    Raises:
        NoDaemon: There is none.
    """
    owner = ownership.owner_of(paths.state)
    if not paths.socket_named and owner and owner.socket:
        try:
            found = Client(owner.socket, timeout)
        except errors.NoDaemon:
            pass  # it was killed, or listens where we cannot go
        else:
            if found.pid == owner.pid or ownership.is_held(paths.state):
                found.owner = owner
                return found
            found.close()
    found = Client(paths.socket, timeout)
    if owner and found.pid == owner.pid:
        found.owner = owner
    elif paths.state_named and not paths.socket_named and not _is_of(paths):
        found.close()
        raise errors.NoDaemon(f"no daemon of the state folder {paths.state} answers at {paths.socket}")
    return found


def _is_of(paths: "Paths") -> bool:
    """Whether a program at the usual place owns the state folder, though it calls itself otherwise.

    So it does from a container of its own: by another number, and in another folder that is the same.
    """
    return paths.socket.startswith(f"{paths.state}/") and ownership.is_held(paths.state)


def failure(error: dict[str, object]) -> errors.NotesdError:
    """Turn an error object of an answer into the exception that the daemon raised.

    Args:
        error: ``{"code", "message", "data": {"kind", ...}}``.
    """
    data = error.get("data")
    facts = dict(data) if isinstance(data, dict) else {}
    kind = facts.pop("kind", "")
    facts.pop("message", None)  # it would be taken for the sentence itself
    known = _by_kind(errors.NotesdError)
    return known.get(str(kind), errors.NotesdError)(str(error.get("message", "")), **facts)


def _by_kind(top: type[errors.NotesdError]) -> dict[str, type[errors.NotesdError]]:
    """Return every class of the tree by its ``kind``."""
    found = {top.kind: top}
    for below in top.__subclasses__():
        found |= _by_kind(below)
    return found
