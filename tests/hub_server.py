"""A hub on this machine: it names commits and hashes, and another host sends the bytes of large files."""

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGE_BYTES = 4096
"""Files from this size on come from the other host."""


@dataclass
class Hub:
    """A repository, and how well it is served."""

    repository: str
    files: dict[str, bytes]
    commit: str = "1" * 40
    lies: str = ""
    """Commit that it says its files are of, if that is not the true one."""
    announces: bool = True
    """It says what files must be."""
    damage: bool = False
    """The other host sends other bytes."""
    break_after: list[int] = field(default_factory=list)
    """Bytes after which each of the other host's next answers ends."""
    on_request: list[str] = field(default_factory=list)
    """Path and range of each request."""
    before: list[object] = field(default_factory=list)
    """Called, one each, before the next answers of the hub itself."""
    tokens: list[str | None] = field(default_factory=list)
    """The Authorization header of each request, of both hosts."""
    statuses: list[int] = field(default_factory=list)
    """What the next requests of the hub itself are refused with."""
    url: str = ""
    other: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer as the hub."""
        self.on_request.append(f"{handler.command} {handler.path}")
        self.tokens.append(handler.headers.get("Authorization"))
        if self.statuses:
            handler.send_error(self.statuses.pop(0))
            return
        if self.before and callable(change := self.before.pop(0)):
            change()
        prefix, _, rest = handler.path.partition("/resolve/")
        revision, _, path = rest.partition("/")
        if prefix != f"/{self.repository}" or revision not in {"main", self.commit} or path not in self.files:
            handler.send_error(404)
            return
        data = self.files[path]
        large = len(data) >= LARGE_BYTES
        handler.send_response(302 if large else 200)
        if self.announces:
            handler.send_header("X-Repo-Commit", self.lies or self.commit)
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            handler.send_header("ETag", f'"{blob}"')
        if large:
            if self.announces:
                handler.send_header("X-Linked-ETag", f'"{hashlib.sha256(data).hexdigest()}"')
                handler.send_header("X-Linked-Size", str(len(data)))
            handler.send_header("Location", f"{self.other}/{path}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        body = bytes(len(data)) if self.damage else data
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(body)

    def answer_elsewhere(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer as the host that has the bytes; what it says of them does not count."""
        wanted = handler.headers.get("Range")
        self.on_request.append(f"{handler.path} {wanted or ''}".strip())
        self.tokens.append(handler.headers.get("Authorization"))
        data = self.files[handler.path.removeprefix("/")]
        sent = data[:-1] + bytes([data[-1] ^ 1]) if self.damage else data
        start = int(wanted[6:-1]) if wanted else 0
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(sent) - 1}/{len(sent)}")
        handler.send_header("Content-Length", str(len(sent) - start))
        handler.send_header("X-Linked-ETag", f'"{hashlib.sha256(sent).hexdigest()}"')
        handler.send_header("X-Repo-Commit", "f" * 40)
        handler.end_headers()
        body = sent[start:]
        handler.wfile.write(body[: self.break_after.pop(0)] if self.break_after else body)


@contextlib.contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve a hub and its other host until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]  # 3.12 has it
            """Say nothing."""

    class Front(Handler):
        def do_GET(self) -> None:
            hub.answer(self)

        def do_HEAD(self) -> None:
            hub.answer(self)

    class Store(Handler):
        def do_GET(self) -> None:
            hub.answer_elsewhere(self)

    servers = [ThreadingHTTPServer(("127.0.0.1", 0), kind) for kind in (Front, Store)]
    hub.url, hub.other = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    for server in servers:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield hub
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def files_of(folder: str, below: str) -> dict[str, bytes]:
    """Return the files of a folder, as a repository has them in a folder called ``below``."""
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as source:
            found[f"{below}/{name}"] = source.read()
    return found
