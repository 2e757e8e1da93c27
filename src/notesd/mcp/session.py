"""Who talks to us, in which version of the protocol, and what is answered?

Two eras are spoken at once: with a handshake (``initialize``), and without, where each request names its
version in ``_meta``. One thread reads and answers what needs no daemon; another one asks it, one call after
the other.
"""

from __future__ import annotations

import os
import queue
import threading

from notesd import __version__
from notesd.errors import NotesdError
from notesd.mcp import tools
from notesd.mcp.lines import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    UNKNOWN_METHOD,
    Pipe,
    RefusedMessage,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from notesd.mcp.asker import Asker

MODERN = ("2026-07-28",)
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_BATCHED = "2025-03-26"
"""The one version in which several requests may come in one line."""
UNSUPPORTED_VERSION = -32022
_NO_RESOURCE = -32002
"""A resource that is not there, with a handshake."""

_META = "io.modelcontextprotocol/"
_INFO = {"name": "notesd", "title": "Notes", "version": __version__}
_CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}}
_STATIC_MS = 3_600_000
"""How long a client may keep what does not change while we run."""


class Request:
    """One request that waits for its answer."""

    def __init__(self, message: dict[str, Any], *, modern: bool, batch: Batch | None) -> None:
        """Take it as it came."""
        self.id: str | int = message["id"]
        self.method: str = message["method"]
        self.params: dict[str, Any] = message.get("params") or {}
        self.modern = modern
        self.batch = batch
        self.cancelled = False


class Batch:
    """The answers to the requests of one line."""

    def __init__(self) -> None:
        """Begin with none."""
        self.open = 0
        self.answers: list[dict[str, Any]] = []


class Session:
    """One session with an agent's program."""

    def __init__(self, pipe: Pipe, asker: Asker) -> None:
        """Take the pipe and who asks the daemon."""
        self._pipe, self._asker = pipe, asker
        self._version = HANDSHAKE[0]
        self._waiting: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pending: dict[str | int, Request] = {}
        self._at: Request | None = None
        self._static: dict[str, Callable[[Request], dict[str, Any]]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda _: {},
            "tools/list": self._tools,
            "resources/templates/list": self._templates,
        }
        self._asked: dict[str, Callable[[Request], dict[str, Any]]] = {
            "tools/call": self._call,
            "resources/list": self._resources,
            "resources/read": self._read,
        }

    def run(self) -> int:
        """Answer until the other side is gone; returns the exit status."""
        threading.Thread(target=self._work, name="daemon", daemon=True).start()
        try:
            for message in self._pipe.messages():
                self._take_line(message)
        except OSError:
            pass  # nobody reads what we write
        return 0

    # ---- what comes in -----------------------------------------------------------------------

    def _take_line(self, message: object) -> None:
        if not isinstance(message, list):
            self._take(message, None)
        elif self._version != _BATCHED or not message:
            why = "an empty batch" if not message else f"batches are of version {_BATCHED} alone"
            self._refuse(None, RefusedMessage(INVALID_REQUEST, why), None)
        else:
            batch = Batch()
            batch.open = 1  # until all of it was taken
            for one in message:
                self._take(one, batch)
            self._close(batch)

    def _take(self, message: object, batch: Batch | None) -> None:
        if isinstance(message, RefusedMessage):
            self._refuse(None, message, batch)
            return
        try:
            request = self._understood(message, batch)
        except RefusedMessage as refusal:
            self._refuse(_id_of(message), refusal, batch)
            return
        if request is None:
            return
        if batch:
            with self._lock:
                batch.open += 1
        if request.method in self._asked:
            with self._lock:
                self._pending[request.id] = request
            self._waiting.put(request)
        else:
            self._answer(request, self._static[request.method])

    def _understood(self, message: object, batch: Batch | None) -> Request | None:
        """Return the request that a message is; None: it is none, and was obeyed.

        Raises:
            RefusedMessage: It is no message of the protocol, or asks for what there is not.
        """
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise RefusedMessage(INVALID_REQUEST, 'a message is an object with "jsonrpc": "2.0"')
        method, params = message.get("method"), message.get("params")
        if "method" not in message and ("result" in message or "error" in message):
            return None  # we ask nothing
        if not isinstance(method, str):
            raise RefusedMessage(INVALID_REQUEST, '"method" has to be a text')
        if "id" not in message:
            if method == "notifications/cancelled" and isinstance(params, dict):
                self._cancel(params.get("requestId"))
            return None
        if _id_of(message) is None:
            raise RefusedMessage(INVALID_REQUEST, '"id" has to be a text or a whole number')
        if params is not None and not isinstance(params, dict):
            raise RefusedMessage(INVALID_PARAMS, '"params" has to be an object')
        modern = _is_modern(method, params or {})
        known = method in self._static or method in self._asked
        if not known or (modern and method in {"initialize", "ping"}):
            raise RefusedMessage(UNKNOWN_METHOD, f"there is no method {method[:60]!r} here")
        return Request(message, modern=modern, batch=batch)

    def _cancel(self, request_id: object) -> None:
        """Nobody waits for an answer any more."""
        with self._lock:
            request = self._pending.get(request_id) if isinstance(request_id, str | int) else None
            if request is None:
                return
            request.cancelled = True
            if request is self._at:
                self._asker.hang_up()

    # ---- what goes out -----------------------------------------------------------------------

    def _answer(self, request: Request, work: Callable[[Request], dict[str, Any]]) -> None:
        try:
            result = work(request)
        except RefusedMessage as refusal:
            self._refuse(request.id, refusal, request.batch)
        except Exception as error:  # noqa: BLE001 -- a session outlives whatever one request met
            failure = RefusedMessage(INTERNAL_ERROR, f"this failed within notesd: {error!r}")
            self._refuse(request.id, failure, request.batch)
        else:
            if request.modern:
                info = {f"{_META}serverInfo": _INFO}
                result = {"resultType": "complete", **result, "_meta": info}
            self._say({"jsonrpc": "2.0", "id": request.id, "result": result}, request.batch)
        if request.batch:
            self._close(request.batch)

    def _refuse(self, request_id: str | int | None, refusal: RefusedMessage, batch: Batch | None) -> None:
        self._say({"jsonrpc": "2.0", "id": request_id, "error": refusal.told()}, batch)

    def _say(self, message: dict[str, Any], batch: Batch | None) -> None:
        if batch is None:
            self._pipe.write(message)
        else:
            with self._lock:
                batch.answers.append(message)

    def _close(self, batch: Batch) -> None:
        """One more of a batch is answered; when it was the last, all answers go out."""
        with self._lock:
            batch.open -= 1
            if batch.open:
                return
        if batch.answers:
            self._pipe.write(batch.answers)

    # ---- the thread that asks the daemon -----------------------------------------------------

    def _work(self) -> None:
        self._asker.begin()  # so that it has read the notes by the time of the first question
        while True:
            request = self._waiting.get()
            if request is None:
                return
            with self._lock:
                self._at = request
            try:
                if not request.cancelled:
                    self._answer_unless_cancelled(request)
            except OSError:
                os._exit(0)  # nobody reads what we write
            finally:
                with self._lock:
                    self._at = None
                    if self._pending.get(request.id) is request:
                        del self._pending[request.id]
                    self._asker.again()

    def _answer_unless_cancelled(self, request: Request) -> None:
        def work(request: Request) -> dict[str, Any]:
            return self._asked[request.method](request)

        if request.batch is not None:
            self._answer(request, work)
            return
        held: list[dict[str, Any]] = []
        quiet = Batch()
        quiet.open, quiet.answers = 2, held  # collects the answer, and never sends it by itself
        request.batch = quiet
        self._answer(request, work)
        if not request.cancelled:
            for message in held:
                self._pipe.write(message)

    # ---- the methods -------------------------------------------------------------------------

    def _initialize(self, request: Request) -> dict[str, Any]:
        wanted = request.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RefusedMessage(INVALID_PARAMS, '"protocolVersion" has to be a text', supported=[*HANDSHAKE])
        self._version = wanted if wanted in HANDSHAKE else HANDSHAKE[0]
        return {
            "protocolVersion": self._version,
            "capabilities": _CAPABILITIES,
            "serverInfo": _INFO,
            "instructions": tools.INSTRUCTIONS,
        }

    def _discover(self, _request: Request) -> dict[str, Any]:
        return {
            "supportedVersions": [*MODERN, *HANDSHAKE],
            "capabilities": _CAPABILITIES,
            "instructions": tools.INSTRUCTIONS,
            **_kept(_STATIC_MS, "public"),
        }

    def _tools(self, request: Request) -> dict[str, Any]:
        _see_no_cursor(request)
        return {"tools": tools.listed(), **(_kept(_STATIC_MS, "public") if request.modern else {})}

    def _templates(self, request: Request) -> dict[str, Any]:
        from notesd.mcp import resources  # noqa: PLC0415 - few programs ask for resources

        _see_no_cursor(request)
        kept = _kept(_STATIC_MS, "public") if request.modern else {}
        return {"resourceTemplates": resources.TEMPLATES, **kept}

    def _resources(self, request: Request) -> dict[str, Any]:
        from notesd.mcp import resources  # noqa: PLC0415 - as above

        found = self._had(request, lambda: resources.listed(self._asker.ask, request.params.get("cursor")))
        return {**found, **(_kept(0, "private") if request.modern else {})}

    def _read(self, request: Request) -> dict[str, Any]:
        from notesd.mcp import resources  # noqa: PLC0415 - as above

        uri = request.params.get("uri")
        found = self._had(request, lambda: resources.read(self._asker.ask, uri), uri=str(uri)[:500])
        return {**found, **(_kept(0, "private") if request.modern else {})}

    def _had(self, request: Request, work: Callable[[], dict[str, Any]], **data: object) -> dict[str, Any]:
        """Have something of the daemon that is no tool: what goes wrong is an error of the protocol."""
        from notesd.mcp.arguments import NoNote, Wrong  # noqa: PLC0415 - as above

        gone = INVALID_PARAMS if request.modern else _NO_RESOURCE
        codes = dict.fromkeys(("unknown_note", "unknown_space", "ambiguous_note"), gone)
        codes |= dict.fromkeys(("invalid_params", "stale_cursor"), INVALID_PARAMS)
        try:
            return work()
        except Wrong as error:
            code = gone if isinstance(error, NoNote) else INVALID_PARAMS
            raise RefusedMessage(code, str(error), **data) from None
        except NotesdError as error:
            raise RefusedMessage(codes.get(error.kind, INTERNAL_ERROR), error.message, **data) from None

    def _call(self, request: Request) -> dict[str, Any]:
        tool = tools.called(request.params.get("name"))
        return self._asker.call(tool, request.params.get("arguments"))


def _id_of(message: object) -> str | int | None:
    """Return the id of a message, None when it has none that can be answered."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _is_modern(method: str, params: dict[str, Any]) -> bool:
    """Whether a request is of the era without a handshake.

    Raises:
        RefusedMessage: It names a version that is not spoken so, or lacks what every such request has.
    """
    meta = params.get("_meta")
    version = meta.get(f"{_META}protocolVersion") if isinstance(meta, dict) else None
    if version is None and method != "server/discover":
        return False
    if not isinstance(version, str):
        raise RefusedMessage(INVALID_PARAMS, f'"_meta" has to name the version as "{_META}protocolVersion"')
    if version not in MODERN:
        raise RefusedMessage(
            UNSUPPORTED_VERSION,
            f"version {version[:40]!r} of the protocol is not spoken without a handshake",
            supported=[*MODERN, *HANDSHAKE],
            requested=version,
        )
    if not isinstance(meta, dict) or not isinstance(meta.get(f"{_META}clientCapabilities"), dict):
        raise RefusedMessage(INVALID_PARAMS, f'"_meta" has to have an object "{_META}clientCapabilities"')
    return True


def _kept(milliseconds: int, scope: str) -> dict[str, Any]:
    """How long, and for whom, an answer may be kept."""
    return {"ttlMs": milliseconds, "cacheScope": scope}


def _see_no_cursor(request: Request) -> None:
    if request.params.get("cursor") is not None:
        raise RefusedMessage(INVALID_PARAMS, "this list has one page; no cursor of it was given")
