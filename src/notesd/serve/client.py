"""How does another program ask? A blocking client that costs nothing to start."""

import json
import select
import socket

from notesd import errors

_CHUNK = 1 << 18


class Client:
    """One connection to the daemon."""

    def __init__(self, path: str, timeout: float | None = 60.0) -> None:
        """Connect.

        Args:
            path: Of the socket.
            timeout: Seconds that the daemon may be silent; None: for ever.

        Raises:
            NoDaemon: Nobody listens there, or we may not connect.
        """
        self.path = path
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

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

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
                f"the daemon at {self.path} hung up before it answered", hung_up=True
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
