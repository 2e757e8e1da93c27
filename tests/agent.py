"""An agent's program, for tests: it starts ``notesd mcp`` and talks to it line by line."""

import contextlib
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from running import DEADLINE_S, PROGRAM

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""What each request has in ``_meta`` where there is no handshake."""


class Agent:
    """One session."""

    def __init__(self, options: Sequence[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "mcp", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
        self.calls = self.characters = self._last = 0

    def send(self, *lines: object) -> None:
        """Send messages, or bytes as they are, each on a line of its own."""
        assert self.process.stdin
        for line in lines:
            raw = line if isinstance(line, bytes) else json.dumps(line).encode()
            self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """The next message."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), (line, self.process.poll())
        return json.loads(line)

    def ask(self, method: str, params: dict[str, Any] | None = None, *, modern: bool = False) -> Any:
        """Send a request and return what answers it."""
        self._last += 1
        params = {**(params or {}), **({"_meta": MODERN} if modern else {})}
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        answer = self.receive()
        assert answer["id"] == self._last
        return answer

    def tool(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool and return its result; counts calls and the characters that a model reads."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        self.calls += 1
        self.characters += sum(len(one["text"]) for one in result["content"])
        return result

    def told(self, name: str, /, **arguments: Any) -> Any:
        """The structured content of a call that succeeds."""
        result = self.tool(name, **arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    def wrong(self, name: str, /, **arguments: Any) -> str:
        """The sentence of a call that fails."""
        result = self.tool(name, **arguments)
        assert result["isError"], result
        (content,) = result["content"]
        return str(content["text"])

    def close(self) -> int:
        """End the session as programs do; returns the exit status."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(DEADLINE_S)


@contextlib.contextmanager
def agent(
    options: Sequence[str], environment: Mapping[str, str], version: str = "2025-06-18"
) -> Iterator[Agent]:
    """A session that has shaken hands; without a version, one that has not."""
    started = Agent(options, environment)
    try:
        if version:
            info = {"name": "test", "version": "1"}
            hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
            started.ask("initialize", hello)
            started.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
            started.process.wait()
        for stream in (started.process.stdin, started.process.stdout, started.process.stderr):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
