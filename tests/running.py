"""A real daemon on a real folder, for tests: started by its command line, asked over its socket."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from notesd.errors import NoDaemon
from notesd.serve.client import Client

DEADLINE_S = 300.0
"""Far beyond what anything takes on a busy machine: it ends what hangs."""
PROGRAM = (sys.executable, "-m", "notesd")
Answer = TypeVar("Answer")


class Running:
    """One daemon process and what it works on."""

    def __init__(self, vault: Path, home: Path, program: Sequence[str] = PROGRAM, **environment: str) -> None:
        self.vault, self.home, self.program = vault, home, program
        self._more = environment
        self.state = home / "state"
        self.socket = home / "run" / "notesd.sock"
        self.log = home / "log"
        self.process = self._start()

    def environment(self) -> dict[str, str]:
        """An environment in which nothing of the person running the tests is found."""
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("NOTESD_", "XDG_"))}
        for flag in ("VECTOR_SEARCH", "GRAPH_BOOST", "NOTIFY_SOCKET"):
            keep.pop(flag, None)
        return keep | {"HOME": str(self.home), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"} | self._more

    def options(self) -> list[str]:
        return ["--state-dir", str(self.state), "--socket", str(self.socket)]

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*self.program, "serve", str(self.vault), *self.options()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment(), cwd=self.home,
            )  # fmt: skip

    def ask(self, method: str, **params: Any) -> Any:
        """Ask once on a connection of its own; waits until the daemon listens."""
        answers: list[Any] = []

        def is_answered() -> bool:
            with contextlib.suppress(NoDaemon), contextlib.closing(self._client()) as client:
                answers.append(client.call(method, **params))
            return bool(answers)

        self.until(is_answered, pause_s=0.005)
        return answers[0]

    def _client(self) -> Client:
        return Client(str(self.socket), DEADLINE_S)

    def until(self, what: Callable[[], Answer], pause_s: float = 0.05) -> Answer:
        """Ask again until the answer is true; only what the daemon does by itself brings that about."""
        end = time.monotonic() + DEADLINE_S
        while not (answer := what()):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, (answer, self.log.read_text())
            time.sleep(pause_s)
        return answer

    def problems(self) -> list[tuple[str, str]]:
        """Path and kind of what status says is wrong with the first space."""
        return [(one["path"], one["kind"]) for one in self.ask("status")["spaces"][0]["problems"]]

    def heard(self, method: str, **params: Any) -> Any:
        """Ask until the record of use has time to answer, which a busy machine may not give it at once."""

        def answer() -> Any:
            found = self.ask(method, **params)
            usage = [found["usage"]] if "usage" in found else found["degraded"]
            return {} if any("use is busy" in (one["reason"] or "") for one in usage) else found

        return self.until(answer)

    def paths(self, query: str, **params: Any) -> list[str]:
        """Paths of the hits once everything on disk is known."""
        answer = self.ask("search", query=query, wait=True, record=False, **params)
        return [hit["path"] for hit in answer["results"]]

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a client verb of the command line."""
        return subprocess.run(
            [*self.program, *arguments, *self.options()],
            capture_output=True, text=True, input=stdin, timeout=DEADLINE_S,
            env=self.environment(), cwd=self.home,
        )  # fmt: skip

    def restart(self, number: int = signal.SIGTERM) -> int:
        """End the daemon with a signal and start it again; returns its exit status."""
        self.process.send_signal(number)
        status = self.process.wait(DEADLINE_S)
        self.process = self._start()
        return status

    def stop(self) -> int:
        """End the daemon as a service manager does; returns its exit status."""
        self.process.terminate()
        return self.process.wait(DEADLINE_S)


@contextlib.contextmanager
def running(vault: Path, program: Sequence[str] = PROGRAM, **environment: str) -> Iterator[Running]:
    """Run a daemon over ``vault`` in a home of its own, short enough for a socket's path."""
    with tempfile.TemporaryDirectory(prefix="nd", dir="/tmp") as home:
        daemon = Running(vault, Path(home), program, **environment)
        try:
            yield daemon
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
