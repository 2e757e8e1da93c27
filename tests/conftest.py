"""What several kinds of tests stand on: a short folder for sockets, a server with a handler of their own."""

import asyncio
import collections
import gc
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest

from notesd.serve.connection import Handle
from notesd.serve.server import Server

# How long an example takes, or how long one is looked for, says something of the machine alone.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")


# A shell that puts us behind other work lets us, and all that we start, know nothing of Ctrl-C.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Take what is there before the first test out of every later search for garbage."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say aloud how much was not tested on this machine, and why."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = collections.Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    if reasons:
        terminalreporter.section(f"NOT tested here: {len(reports)}", sep="!", red=True, bold=True)
    for reason, count in reasons.most_common():
        terminalreporter.line(f"NOT tested here: {count}: {reason}")


class Running:
    """A server in a thread of its own."""

    def __init__(self, path: str, handle: Handle, **limits: Any) -> None:
        """Start it and wait until it listens."""
        self.path = path
        self.loop = asyncio.new_event_loop()
        self.server = Server(path, handle, **limits)
        self._stop = asyncio.Event()
        self._listens = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._listens.wait(60)
        failure = self.failure()
        if failure:
            self.close()
            raise failure

    def failure(self) -> BaseException | None:
        """Return why it could not start."""
        return self._failure

    def _run(self) -> None:
        self.loop.run_until_complete(self._main())

    async def _main(self) -> None:
        try:
            self.server.start()
        except BaseException as error:  # noqa: BLE001 - the test that started it is to see it
            self._failure = error
            return
        finally:
            self._listens.set()
        await self._stop.wait()
        await self.server.close(grace_s=0.3)

    def close(self) -> None:
        """Stop it; a second time does nothing."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(60)
            self.loop.close()


@pytest.fixture
def short_folder() -> Iterator[str]:
    """A folder whose path leaves room for the name of a socket."""
    path = tempfile.mkdtemp(prefix="nd", dir="/tmp")
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def serving(short_folder: str) -> Iterator[Callable[..., Running]]:
    """Start servers; they are stopped when the test ends."""
    started: list[Running] = []

    def start(handle: Handle, path: str | None = None, **limits: Any) -> Running:
        started.append(Running(path or f"{short_folder}/s", handle, **limits))
        return started[-1]

    yield start
    for running in started:
        running.close()
