"""The only composition root: builds the parts, starts them, passes signals on, stops them."""

import asyncio
import contextlib
import functools
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import Future
from typing import Any, Literal

from msgspec.structs import replace

from notesd import __version__, supervision
from notesd.config import find_space
from notesd.duty import Duty, say_thread_died, told
from notesd.errors import ConfigError, NotesdError, StoreLocked, counted
from notesd.files.roots import check_moved, configured
from notesd.index import keys, notes
from notesd.locations import SOCKET_NAME, Paths, state_of
from notesd.ownership import Ownership, stamp
from notesd.serve.audiences import Audiences
from notesd.serve.listener import suitable
from notesd.serve.server import Server
from notesd.serve.using import PathsFollowed
from notesd.settings import Config, SpaceConfig
from notesd.space.meaning import Meaning
from notesd.space.space import Space
from notesd.space.watching import Watching
from notesd.supervision import Inherited
from notesd.usage.record import Record
from notesd.usage.signals import Trace

log = logging.getLogger("notesd")

CONFIGURATION_S = 2.0
"""How often the daemon looks whether its configuration has changed."""
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
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # there is nothing to read anew until the loop listens to it
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    logging.getLogger().handlers[0].setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s"))
    warnings.filterwarnings("ignore", module=r"watchdog.*")  # they hold the text of all watches: megabytes
    read = stamp(paths.config)
    config = configured(paths, folders)
    with contextlib.closing(Ownership(paths.state)) as ownership:
        for path in ownership.opened_to_others:
            log.warning("%s could be written to by others; it is private now", path)
        inherited = supervision.inherited_socket(os.environ)
        if inherited:
            paths.socket = inherited.path
        elif not paths.socket_named:
            paths.socket = suitable(paths.socket, os.path.join(paths.state, SOCKET_NAME))
        daemon = _Daemon(paths, folders, config, read, ownership)
        status = asyncio.run(daemon.run(inherited))
    if daemon.handed_over:
        supervision.begin_anew(daemon.handed_over)
    return status


class _OneLine(logging.Formatter):
    """One line an event: a note's name must not be able to write log lines of its own."""

    def format(self, record: logging.LogRecord) -> str:  # type: ignore[explicit-override]  # 3.12 has it
        return super().format(record).encode("unicode_escape").decode("ascii")


class _Daemon:
    """Everything that runs, and how it ends."""

    def __init__(
        self,
        paths: Paths,
        folders: Sequence[str],
        config: Config,
        read: list[int] | None,
        ownership: Ownership,
    ) -> None:
        self._paths = paths
        self._folders = folders
        self._ownership = ownership
        self._status = 0
        self._config = config
        self._read = read
        """What the configuration file was when it was read."""
        self.handed_over: Inherited | None = None
        """Our socket, when another image of us is to take our place."""
        self._record = Record(paths.state)
        self._spaces = {space.name: self._make(space) for space in config.spaces}
        self._served = {space.name: space for space in config.spaces}
        self._watching = Watching(self._spaces, paths.state, self._watched)
        self._hearing, self._owning, self._listening, self._looping, self._configuring = map(
            Duty, ("watcher", "state folder", "socket", "event loop", "configuration")
        )
        self._done, self._asked_to_look = asyncio.Event(), asyncio.Event()
        self._anew = self._ended = False
        """Another image of us is to take our place; nobody is, because we were told to end."""

    async def run(self, inherited: Inherited | None = None) -> int:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._on_loop_error)
        threading.excepthook = say_thread_died
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end)
        loop.add_signal_handler(signal.SIGHUP, self._look_soon)
        limits = self._config.server
        meaning = Meaning(self._spaces, self._config.search, self._paths.models, self._paths.state)
        for space in self._spaces.values():
            self._want(meaning, space)
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
            self._tell_clients()
            log.info("notesd %s listens at %s (pid %d)", __version__, self._paths.socket, os.getpid())
            for space in self._spaces.values():
                _introduce(space)
            supervision.tell("READY=1")
            checking = [
                loop.create_task(
                    self._keep(self._hearing, lambda: asyncio.to_thread(self._watching.look_after))
                ),
                loop.create_task(self._keep(self._owning, self._look_after_state)),
                loop.create_task(self._keep(self._listening, lambda: self._look_after_socket(server))),
                loop.create_task(self._follow_configuration(methods, meaning)),
                loop.create_task(_beat(duties)),
            ]
            await self._done.wait()
            self.handed_over = server.hand_over() if self._anew and not self._ended else None
            if not self.handed_over:
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
            if self._ended and self.handed_over:
                self.handed_over.let_go()
                self.handed_over = None
        return self._status

    def _admit(self, space: Space) -> None:
        """Refuse a folder that came to stand at a space's path and overlaps with another or our own files."""
        every = list(self._spaces.values())
        standing = {other.name for other in every if other is not space and other.place.stands()}
        others = [other for other in self._config.spaces if other.name in standing]
        check_moved(find_space(self._config, space.name), others, self._paths.state, self._paths.socket)
        self._judge_links_anew(space)

    def _judge_links_anew(self, space: Space) -> None:
        """Let the others look at their links: one may lead into a space that stands here from now on."""
        for other in list(self._spaces.values()):
            if other is not space and other.place.links.follow:
                other.mark(None)

    def _fences(self, space: Space) -> list[tuple[str, str]]:
        """What no link in a space may lead into or around."""
        others = [(f"space {o.name}", o.path) for o in list(self._spaces.values()) if o is not space]
        return [("notesd's own state", self._paths.state), ("the models", self._paths.models), *others]

    def _remember(self, space: Space) -> None:
        """Let what use teaches outlive the index, and follow notes that get another path."""

        def look(column: Literal["key", "path"], values: Collection[str]) -> list[Trace]:
            with space.reading() as reader:
                return [Trace(*row) for row in keys.traces(reader, column, values)]

        self._record.lookups[space.key] = look
        space.remember(lambda: map(_row, self._known(space)))
        self._record.changed(space.key, None)  # one that was killed has not written down where notes were
        space.hear(PathsFollowed(self._record, space.key))

    def _known(self, space: Space) -> list[Trace]:
        """What is recorded of a space, also when it is found elsewhere than before."""
        self._record.name_space(space.key, space.name, space.path)
        return self._record.traces(space.key)

    def _tell_clients(self) -> None:
        """Write into the lock what a client should know before it asks."""
        folders = [space.path for space in self._served.values()]
        facts: dict[str, object] = {
            "version": __version__, "stamp": self._read, "folders": folders, "follows": self._paths.config,
            "beside": list(self._folders), "started_by": supervision.starter(),
        }  # fmt: skip
        self._ownership.tell(self._paths.socket, facts)

    def _end(self) -> None:
        """Somebody wants us to end, and nobody to take our place, however far that is."""
        self._ended = True
        self._done.set()

    # ---- a configuration that changes --------------------------------------------------------

    def _look_soon(self) -> None:
        """Somebody asks us by a signal to read the configuration again."""
        self._read = []  # nothing equals it, not even that there is no file
        self._asked_to_look.set()

    async def _follow_configuration(self, methods: Audiences, meaning: Meaning) -> None:
        """Take what is written into the configuration, as long as the daemon lives."""
        with self._configuring.on_duty():
            while not self._anew:
                with self._configuring.attempt():
                    await self._look_after_configuration(methods, meaning)
                pause = max(self._configuring.pause_s, CONFIGURATION_S)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._asked_to_look.wait(), pause)
                self._asked_to_look.clear()

    async def _look_after_configuration(self, methods: Audiences, meaning: Meaning) -> None:
        """Let spaces come and go; where more than that has changed, begin anew.

        It is compared with what is served, so that what failed is tried again.

        Raises:
            ConfigError: It is wrong; all goes on as before, and this is said in ``status``.
            NotesdError: Some of its spaces cannot be served; the others are.
        """
        now = stamp(self._paths.config)
        if now == self._read and not self._configuring.pause_s:
            return
        if now is None and self._read:
            raise ConfigError(f"{self._paths.config} is gone; put it back, or run: notesd stop")
        config = await asyncio.to_thread(configured, self._paths, self._folders, may_be_none=True)
        if replace(config, spaces=()) != replace(self._config, spaces=()):
            log.info("%s has changed: beginning anew", self._paths.config)
            self._anew = True
            self._done.set()
            return
        self._config, self._read = config, now
        for name, served in list(self._served.items()):
            if served not in config.spaces:
                await self._dismiss(name, methods, meaning)
        failed: list[str] = []
        for wanted in config.spaces:
            if wanted.name not in self._served:
                try:
                    await self._welcome(wanted, methods, meaning)
                except (NotesdError, OSError) as error:  # one that cannot be served holds up no other
                    failed.append(f"space {wanted.name} is not served: {told(error).message}")
        self._tell_clients()
        if failed:
            raise NotesdError("; ".join(failed))

    async def _dismiss(self, name: str, methods: Audiences, meaning: Meaning) -> None:
        """Serve a space no more; its index stays."""
        space = self._spaces.pop(name)
        del self._served[name]
        log.info("space %s: served no more", name)
        self._record.lookups.pop(space.key, None)
        methods.dismiss(name)
        meaning.dismiss(name)
        await asyncio.to_thread(self._watching.dismiss, name)
        await asyncio.to_thread(space.stop)

    async def _welcome(self, config: SpaceConfig, methods: Audiences, meaning: Meaning) -> None:
        """Serve one more space, or one with other settings.

        Raises:
            StoreError: Its state cannot be used; nothing of it is served.
        """
        space = self._make(config)
        try:
            await asyncio.to_thread(space.start)
        except BaseException:
            self._record.lookups.pop(space.key, None)
            raise
        meaning.welcome(space)
        methods.welcome(space)
        self._spaces[space.name] = space  # from here on it is asked, and no link of others leads into it
        self._judge_links_anew(space)
        self._served[space.name] = config
        self._want(meaning, space)
        await asyncio.to_thread(self._watching.welcome, space)
        _introduce(space)

    def _make(self, config: SpaceConfig) -> Space:
        """Make a space; it does nothing before it is started."""
        space = Space(config, state_of(self._paths.state, config.path), self._config)
        self._remember(space)
        space.guard(functools.partial(self._admit, space), functools.partial(self._fences, space))
        return space

    def _want(self, meaning: Meaning, space: Space) -> None:
        """Have vectors made for a space where that is configured."""
        if self._config.search.vector_search if space.vector_search is None else space.vector_search:
            meaning.want(space.name)

    def _watched(self, space: Space) -> None:
        """A space begins to be followed: what is recorded of it may have been moved meanwhile."""
        self._record.name_space(space.key, space.name, space.path)
        self._record.changed(space.key, None)

    def _duties(self, meaning: Meaning) -> list[Duty]:
        """All that is done as long as the daemon lives, beside answering."""
        own = (self._hearing, self._owning, self._listening, self._looping, self._configuring)
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


def _say_ready(space: Space, settled: Future[None]) -> None:
    """Say that a space was read."""
    if settled.cancelled() or settled.exception():
        return
    with contextlib.suppress(NotesdError), space.reading() as reader:
        log.info("space %s is ready: %s", space.name, counted(notes.count(reader), "note"))


def _introduce(space: Space) -> None:
    """Say what we serve, and later that all of it was read."""
    log.info("space %s: %s", space.name, space.root)
    space.settled().add_done_callback(functools.partial(_say_ready, space))


def _row(trace: Trace) -> keys.Row:
    return trace.key, trace.path, trace.digest, trace.stable_key
