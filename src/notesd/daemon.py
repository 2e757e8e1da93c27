"""The only composition root: builds the parts, starts them, passes signals on, stops them."""

import asyncio
import contextlib
import functools
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import warnings
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any, Literal

from msgspec.structs import replace

from notesd import __version__, supervision
from notesd.config import find_space, load, space_from_folder
from notesd.duty import Duty
from notesd.errors import ConfigError, NotesdError, StoreLocked, counted
from notesd.files.roots import check_moved, check_spaces
from notesd.index import keys, notes, properties
from notesd.locations import SOCKET_NAME, Paths, state_of
from notesd.ownership import Ownership, stamp
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query
from notesd.serve.audiences import Audiences
from notesd.serve.listener import suitable
from notesd.serve.report import export_of
from notesd.serve.server import Server
from notesd.settings import Config, SpaceConfig
from notesd.space.meaning import Meaning
from notesd.space.space import Space
from notesd.space.watching import Watching
from notesd.usage.record import Record
from notesd.usage.signals import Trace

log = logging.getLogger("notesd")

SELF_CHECK_S = 30.0
"""How often the daemon looks at its own socket and watcher."""


def serve(paths: Paths, folders: Sequence[str] = ()) -> int:
    """Run the daemon in the foreground until a signal ends it; returns the exit status.

    Args:
        paths: Where configuration, state and socket are.
        folders: Served beside the configured spaces.

    Raises:
        ConfigError: The configuration or a folder cannot be used.
        StoreError: The state folder cannot be used, or another daemon owns it.
    """
    os.umask(0o077)
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    logging.getLogger().handlers[0].setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s"))
    # The watcher's library warns with the text of every watch it has: megabytes of it.
    warnings.filterwarnings("ignore", module=r"watchdog.*")
    known: dict[str, object] = {"version": __version__, "config": paths.config, "stamp": stamp(paths.config)}
    config = settings(paths, folders)
    with contextlib.closing(Ownership(paths.state)) as ownership:
        for path in ownership.opened_to_others:
            log.warning("%s could be written to by others; it is private now", path)
        inherited = supervision.inherited_socket(os.environ)
        if inherited:
            paths.socket = inherited.getsockname()
        elif not paths.socket_named:
            paths.socket = suitable(paths.socket, os.path.join(paths.state, SOCKET_NAME))
        known["folders"] = [space.path for space in config.spaces]
        return asyncio.run(_Daemon(paths, config, ownership, known).run(inherited))


class _OneLine(logging.Formatter):
    """One line an event: a note's name must not be able to write log lines of its own."""

    def format(self, record: logging.LogRecord) -> str:  # type: ignore[explicit-override]  # 3.12 has it
        return super().format(record).encode("unicode_escape").decode("ascii")


def settings(paths: Paths, folders: Sequence[str]) -> Config:
    """Read the configuration and add the folders of the command line.

    A folder that is missing now is served as missing when it was served before: what is known of its
    notes answers. So is a configured one, as long as there is another one: a disk that is not plugged
    in must not keep the other notes from being found.

    Raises:
        ConfigError: See ``config.load`` and ``files.roots.check_spaces``; or there is no folder at all.
    """
    config = load(paths.config, os.environ, required=paths.config_named)
    spaces = list(config.spaces)
    for folder in folders:
        added = space_from_folder(folder, [space.name for space in spaces])
        if not any(os.path.realpath(space.path) == os.path.realpath(added.path) for space in spaces):
            spaces.append(added)
    if not spaces:
        raise ConfigError(
            f"no folder of notes is known: name one (notesd serve FOLDER), or write [spaces.NAME] "
            f"with a path into {paths.config}"
        )
    known = {space.name for space in spaces if os.path.isdir(state_of(paths.state, space.path))}
    may_be_missing = known | {space.name for space in config.spaces}
    there = [space for space in spaces if space.name not in may_be_missing or os.path.isdir(space.path)]
    if not there:
        there = [space for space in spaces if space.name not in known]
    check_spaces(replace(config, spaces=tuple(there)), paths.state, paths.socket)
    return replace(config, spaces=tuple(spaces))


class _Daemon:
    """Everything that runs, and how it ends."""

    def __init__(
        self, paths: Paths, config: Config, ownership: Ownership, known: Mapping[str, object]
    ) -> None:
        self._paths = paths
        self._ownership = ownership
        self._known_to_clients = known
        self._status = 0
        self._config = config
        self._spaces = {space.name: _space(space, paths.state, config) for space in config.spaces}
        self._record = Record(paths.state)
        for space in self._spaces.values():
            self._remember(space)
            space.follower.place.admit = functools.partial(self._admit, space)
            space.follower.place.links.fences = functools.partial(self._fences, space)
        self._watching = Watching(self._spaces, paths.state, self._watched)
        self._hearing, self._owning, self._listening, self._looping = map(
            Duty, ("watcher", "state folder", "socket", "event loop")
        )
        self._done = asyncio.Event()

    async def run(self, inherited: socket.socket | None = None) -> int:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._on_loop_error)
        threading.excepthook = _say_thread_died
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._done.set)
        loop.add_signal_handler(signal.SIGHUP, self._nothing)
        limits = self._config.server
        meaning = Meaning(self._spaces, self._config.search, self._paths.models, self._paths.state)
        for name, space in self._spaces.items():
            wish = space.vector_search
            if self._config.search.vector_search if wish is None else wish:
                meaning.want(name)
        duties = functools.partial(self._duties, meaning)
        methods = Audiences(self._spaces, self._config, meaning, self._record, duties)
        server = Server(
            self._paths.socket, methods.handle, max_request_bytes=limits.max_request_bytes,
            max_clients=limits.max_clients, send_timeout_s=limits.send_timeout_s, inherited=inherited,
        )  # fmt: skip
        try:
            self._record.start()
            for space in self._spaces.values():
                space.start()
            server.start()
            self._ownership.tell(self._paths.socket, self._known_to_clients)
            self._introduce()
            supervision.tell("READY=1")
            checking = [
                loop.create_task(
                    self._keep(self._hearing, lambda: asyncio.to_thread(self._watching.look_after))
                ),
                loop.create_task(self._keep(self._owning, self._look_after_state)),
                loop.create_task(self._keep(self._listening, lambda: self._look_after_socket(server))),
                loop.create_task(_beat(duties)),
            ]
            await self._done.wait()
            supervision.tell("STOPPING=1")
            for space in self._spaces.values():
                space.halt()
            for task in checking:
                task.cancel()
            await server.close()
        finally:
            stops = [space.stop for space in self._spaces.values()]
            for together in (
                [methods.close],
                [meaning.close],
                [self._record.close],
                stops,
                [self._watching.close],
            ):
                with Duty("stop").attempt():  # what fails keeps nothing else from being let go of
                    await asyncio.gather(*map(asyncio.to_thread, together))
        return self._status

    def _admit(self, space: Space) -> None:
        """Refuse a folder that came to stand at a space's path and overlaps with another or our own files."""
        others = [
            other
            for other in self._config.spaces
            if other.name != space.name and self._spaces[other.name].follower.place.stands()
        ]
        check_moved(find_space(self._config, space.name), others, self._paths.state, self._paths.socket)

    def _fences(self, space: Space) -> list[tuple[str, str]]:
        """What no link in a space may lead into or around."""
        others = [(f"space {o.name}", o.path) for o in self._spaces.values() if o is not space]
        return [("notesd's own state", self._paths.state), ("the models", self._paths.models), *others]

    def _remember(self, space: Space) -> None:
        """Let what use teaches outlive the index, and follow notes that get another path."""

        def look(column: Literal["key", "path"], values: Collection[str]) -> list[Trace]:
            with space.reading() as reader:
                return [Trace(*row) for row in keys.traces(reader, column, values)]

        record = self._record
        record.lookups[space.key] = look
        space.follower.remembered = lambda: map(_row, self._known(space))
        record.changed(space.key, None)  # a daemon that was killed has not written down where its notes were
        space.follower.on_change.append(lambda _, paths: record.changed(space.key, paths))

    def _known(self, space: Space) -> list[Trace]:
        """What is recorded of a space, also when it is found elsewhere than before."""
        self._record.name_space(space.key, space.name, space.path)
        return self._record.traces(space.key)

    def _nothing(self) -> None:
        """A closed terminal is no reason to stop; the configuration is read at start alone."""

    def _introduce(self) -> None:
        """Say where we listen and what we serve, and later that all of it was read."""
        log.info("notesd %s listens at %s (pid %d)", __version__, self._paths.socket, os.getpid())
        for space in self._spaces.values():
            log.info("space %s: %s", space.name, space.root)
            space.settled().add_done_callback(functools.partial(_say_ready, space))

    def _watched(self, space: Space) -> None:
        """A space begins to be followed: what is recorded of it may have been moved meanwhile."""
        self._record.name_space(space.key, space.name, space.path)
        self._record.changed(space.key, None)

    def _duties(self, meaning: Meaning) -> list[Duty]:
        """All that is done as long as the daemon lives, beside answering."""
        own = (self._hearing, self._owning, self._listening, self._looping)
        spaces = (space.duty for space in self._spaces.values())
        return [*own, *spaces, self._record.duty, *meaning.duties()]

    async def _keep(self, duty: Duty, look: Callable[[], Awaitable[None]]) -> None:
        """Mend what breaks without a sound, as long as the daemon lives."""
        with duty.on_duty():
            while True:
                with duty.attempt():
                    await look()
                await asyncio.sleep(duty.pause_s or SELF_CHECK_S)

    async def _look_after_state(self) -> None:
        """Own the state folder, or end: two daemons must not write there."""
        try:
            self._ownership.renew()
        except StoreLocked as error:
            self._give_up("ending: %s", error)

    async def _look_after_socket(self, server: Server) -> None:
        """Listen anew when somebody removed the socket, or end where something else stands in its place."""
        if server.holds_path():
            return
        log.warning("the socket %s was taken away; listening anew", self._paths.socket)
        try:
            server.rebind()
        except ConfigError as error:
            self._give_up("cannot listen anew, ending: %s", error)

    def _on_loop_error(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Something failed in the event loop, which goes on."""
        error = context.get("exception")
        self._looping.fail(error if isinstance(error, Exception) else RuntimeError(context.get("message")))

    def _give_up(self, sentence: str, error: Exception) -> None:
        """End, because nobody can reach us any more: a failure, so that a service manager starts us again."""
        log.error(sentence, error)
        self._status = 1
        self._done.set()


async def _beat(duties: Callable[[], Sequence[Duty]]) -> None:
    """Let the service manager hear that the event loop turns and that no loop of ours has died."""
    pause = supervision.heartbeat_s()
    while pause is not None:
        if all(duty.state().alive for duty in duties()):
            supervision.tell("WATCHDOG=1")
        await asyncio.sleep(pause)


def _say_thread_died(args: threading.ExceptHookArgs) -> None:
    """Only a thread of a library can die of an exception; the watcher's is missed by the next look at it."""
    name = args.thread.name if args.thread else "?"
    log.error("the thread %s died: %r", name, args.exc_value)


def _say_ready(space: Space, settled: Future[None]) -> None:
    """Say that a space was read."""
    if settled.cancelled() or settled.exception():
        return
    with contextlib.suppress(NotesdError), space.reading() as reader:
        log.info("space %s is ready: %s", space.name, counted(notes.count(reader), "note"))


def _space(config: SpaceConfig, state: str, settings: Config) -> Space:
    return Space(config, state_of(state, config.path), settings)


def _row(trace: Trace) -> keys.Row:
    return trace.key, trace.path, trace.digest, trace.stable_key


def export_folder(
    folder: str, queries: Sequence[str] = (), environ: Mapping[str, str] = os.environ
) -> dict[str, Any]:
    """Build the index of a folder in a temporary state, and describe it; no daemon is needed.

    Args:
        folder: The notes.
        queries: Asked of the new index; the paths found stand under ``search``.
        environ: Read for the search flags.

    Raises:
        ConfigError: The folder cannot be used.
        SpaceUnavailable: It cannot be read.
    """
    config = load(None, environ)
    one = space_from_folder(folder, [])
    state = tempfile.mkdtemp(prefix="notesd-")
    try:
        config = check_spaces(replace(config, spaces=(one,)), state)
        space = _space(one, state, config)
        space.start()
        try:
            space.settled().result()
            with space.reading() as reader:
                document = export_of(reader)
                if queries:
                    document["search"] = [
                        {"q": text, "paths": _paths(reader, text, config)} for text in queries
                    ]
        finally:
            space.stop()
    finally:
        shutil.rmtree(state, ignore_errors=True)
    return document


def _paths(reader: Any, text: str, config: Config) -> list[str]:  # noqa: ANN401 -- the reader of an index, which is not ours to name
    query = parse_query(text, datetime.now().astimezone().date(), properties.keys(reader))
    asked = Asked(query, config.search.limit)
    return [hit["path"] for hit in engine.search(reader, asked).hits]
