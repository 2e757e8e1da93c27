"""One space from outside: leave word, read, ask how it is.

Whatever calls from outside only leaves word (``mark``, ``settled``, ``rescan``); one thread a space
does all the looking and writing, so an index has one writer. Queries read beside it.
"""

import collections
import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from msgspec import Struct

from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreError
from notesd.files.ignore import Ignore
from notesd.index import notes
from notesd.index.store import Reader, translated
from notesd.ingest.follow import Follower
from notesd.model import NotePath, Problem
from notesd.settings import Config, SpaceConfig
from notesd.space.condition import Freshness, Rebuilt, WatchState, pause_after
from notesd.space.lapse import Lapse

log = logging.getLogger("notesd")

ROOT_CHECK_S = 2.0
"""How often the folder itself is looked at: an unmount or a rename of it makes no event."""
SETTLE_BOUND = 10
"""A stream of events without a pause is read after so many settle times all the same."""
CROWD = 5_000
"""So many dirty paths are found faster by a walk of the folder."""
POOL_IDLE_S = 20.0
"""Parsers that nobody needed for so long are ended."""

Answer = TypeVar("Answer")


class _Work(Struct):
    """What was left for the thread when it looked."""

    dirty: set[str]
    since: float
    """When the first of the dirty paths was marked, by the monotonic clock."""
    scan: bool
    """The whole folder is to be looked at."""
    waiters: list[Future[None]]
    rescans: list[Future[Rebuilt]]

    def asked(self) -> list[Future[None] | Future[Rebuilt]]:
        return [*self.waiters, *self.rescans]


class _Stopping(Exception):
    """The daemon is ending."""


def _refuse(futures: list[Future[None] | Future[Rebuilt]], error: Exception) -> None:
    for future in futures:
        future.set_exception(error)


def _ignore(root: str, config: SpaceConfig) -> Ignore:
    if not config.gitignore:
        return Ignore(config.ignore)
    from notesd.files.gitignore import Gitignored  # noqa: PLC0415  # its library costs 50 ms that few need

    return Gitignored(root, config.ignore)


class Space:
    """A folder, its index and the thread that keeps them together."""

    def __init__(self, config: SpaceConfig, folder: str, settings: Config) -> None:
        """Describe it; ``start`` begins the work.

        Args:
            config: The space's own settings.
            folder: Its folder of state; made when missing.
            settings: What all spaces share.
        """
        self.name, self.path = config.name, config.path
        self.key = folder.rpartition("/")[2]
        """Tells the folder of notes from all others, whatever the space is called."""
        self.vector_search = config.vector_search
        """Whether meaning is asked for here; None: as for all spaces."""
        self.graph_boost = config.graph_boost
        """Whether links are asked here; None: as for all spaces."""
        self.watch_state: Callable[[], WatchState] = WatchState
        """What the watcher says of itself."""
        self._settings = settings.index
        self.follower = Follower(self.path, folder, _ignore(self.path, config), settings)
        self.follower.between = self._between
        self._fault: Problem | None = None
        self._failures = 0
        self._lags: collections.deque[float] = collections.deque(maxlen=200)
        self._reconciled = self._rested = False
        self._last_work = time.monotonic()
        self._lapse = Lapse()
        self._wake = threading.Condition()
        self._dirty: set[str] = set()
        self._dirty_since = self._dirty_last = 0.0
        self._doubt = True
        self._stopping = self._confirmed = False
        self._next_scan = 0.0
        self._waiters: list[Future[None]] = []
        self._rescans: list[Future[Rebuilt]] = []
        self._thread = threading.Thread(target=self._loop, name=f"space {config.name}", daemon=True)

    # ---- leave word, from any thread ---------------------------------------------------------

    def start(self) -> None:
        """Open what is there, so that it answers at once, and follow the folder from now on.

        Raises:
            StoreError: The state folder cannot be used.
        """
        try:
            self.follower.open()
        except StoreError as error:
            if not os.path.isdir(self.follower.folder):
                raise
            self._failed(error)  # the others can answer, and our thread tries again
        self._thread.start()

    def mark(self, path: str | None) -> None:
        """Something may have happened to ``path``; None: anywhere."""
        with self._wake:
            now = time.monotonic()
            if not self._dirty:
                self._dirty_since = now
            self._dirty_last = now
            if path is None or len(self._dirty) > CROWD:
                self._doubt = True
            else:
                self._dirty.add(path)
            self._wake.notify()

    def settled(self) -> Future[None]:
        """Done once everything that is on disk now is in the index."""
        return self._ask(self._waiters)

    def rescan(self, *, confirmed: bool = False) -> Future[Rebuilt]:
        """Done once the index has been built anew from the files.

        Args:
            confirmed: Notes that are missing are deleted, however many they are.
        """
        self._confirmed = self._confirmed or confirmed
        return self._ask(self._rescans)

    def report_damage(self, error: StoreCorrupt) -> None:
        """A query met what seems to be a damaged page: look into it, and build the index anew if it is."""
        with self._wake:
            self.follower.suspicion, self._doubt = error, True
            self._wake.notify()

    def stop(self) -> None:
        """Finish the step at hand and let go of everything."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join(10)

    def _ask(self, line: list[Future[Answer]]) -> Future[Answer]:
        future: Future[Answer] = Future()
        future.set_running_or_notify_cancel()  # a client that leaves must not cancel it
        with self._wake:
            if self._stopping:
                future.set_exception(Busy("the daemon is stopping; try again"))
            else:
                line.append(future)
                self._wake.notify()
        return future

    # ---- read, from any thread ---------------------------------------------------------------

    @property
    def root(self) -> str:
        """Where its folder is now: links in its path are followed at each look."""
        return os.path.realpath(self.path)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Reader]:
        """Read the live index; one generation for as long as the block lasts.

        Raises:
            Busy: There is no index yet.
        """
        for _ in range(5):
            store = self.follower.store
            if store is None:
                break
            with contextlib.ExitStack() as stack:
                try:
                    reader = stack.enter_context(store.read())
                except Busy:
                    continue  # it was replaced under our hands
                yield reader
                return
        why = self._fault.reason if self._fault else "it is being built; try again"
        raise Busy(f"space {self.name} has no index yet: {why}")

    def freshness(self, reader: Reader) -> Freshness:
        """How current the index is at this moment."""
        with self._wake:
            waiting = len(self._dirty) + self._doubt
        now = self.follower.progress
        building = not reader.meta("complete")
        fresh = self._reconciled and not waiting and not building and now is None and self._fault is None
        pending = {"files": waiting + (now.total - now.done if now else 0), "embeddings": 0}
        return Freshness(reader.generation, fresh, self._lags[-1] if self._lags else 0.0, pending, building)

    @property
    def fault(self) -> Problem | None:
        """What keeps the index from following the folder now, None when nothing does."""
        return self._fault

    @property
    def state(self) -> str:
        """``ready``, ``indexing`` (an index is being built) or ``degraded``."""
        return (
            "degraded"
            if self._fault
            else "indexing"
            if self.follower.anew or not self.follower.store
            else "ready"
        )

    def problems(self, reader: Reader) -> list[tuple[str, Problem]]:
        """Everything that is wrong, with the path it is wrong with; ``""`` is the space itself."""
        return self.troubles() + list(notes.with_problems(reader))

    def troubles(self) -> list[tuple[str, Problem]]:
        """The part of it that stands in no index."""
        found: list[tuple[str, Problem]] = [("", self._fault)] if self._fault else []
        ingest = self.follower.ingest
        if ingest:
            for group in (ingest.unlisted, ingest.odd, ingest.unread):
                found += sorted(group.copy().items())
        return found

    def is_stale(self, path: NotePath) -> bool:
        """Whether the file of a note may say something else by now."""
        ingest = self.follower.ingest
        if self._fault or path in self._dirty:
            return True
        return ingest is not None and ingest.is_hidden(path)

    def lags_ms(self) -> tuple[float, float]:
        """Median and 95th percentile of the last changes, event to commit, in milliseconds."""
        lags = sorted(self._lags)
        return (lags[len(lags) // 2], lags[int(len(lags) * 0.95)]) if lags else (0.0, 0.0)

    def eta_s(self) -> float | None:
        """Seconds that the present pass may still take, None when there is none or nobody knows."""
        now = self.follower.progress
        if not now or not now.done:
            return None
        return round((time.monotonic() - self.follower.began) / now.done * (now.total - now.done), 1)

    # ---- the thread --------------------------------------------------------------------------

    def _loop(self) -> None:
        try:
            while work := self._await_work():
                self._turn(work)
        finally:
            with self._wake:
                self._stopping = True
                left: list[Future[None] | Future[Rebuilt]] = [*self._waiters, *self._rescans]
            _refuse(left, Busy("the daemon is stopping; try again"))
            self.follower.close()

    def _await_work(self) -> _Work | None:
        """Sleep until there is something to do; None when the daemon ends."""
        settle = self._settings.settle_ms / 1000
        with self._wake:
            while not self._stopping:
                now = time.monotonic()
                held_back = self._fault is not None and now < self._next_scan
                if (
                    self._waiters
                    or self._rescans
                    or ((self._doubt or now >= self._next_scan) and not held_back)
                ):
                    return self._take()
                wait = min(ROOT_CHECK_S, max(0.0, self._next_scan - now))
                if self._dirty and not held_back:
                    ripe = min(self._dirty_last + settle, self._dirty_since + settle * SETTLE_BOUND)
                    if now >= ripe:
                        return self._take()
                    wait = min(wait, ripe - now)
                elif not held_back and (self.follower.in_doubt() or self._lapse.happened()):
                    self._doubt = True
                    continue
                self._wake.wait(max(wait, 0.001))
                self._rest()
        return None

    def _rest(self) -> None:
        """Give back what only work needs, once it has been quiet for a while."""
        if not self._rested and not self._dirty and time.monotonic() - self._last_work > POOL_IDLE_S:
            self.follower.rest()
            self._rested = True

    def _take(self) -> _Work:
        """Take all that was left for us; the caller holds the lock."""
        scan = bool(self._doubt or self._waiters or self._rescans or time.monotonic() >= self._next_scan)
        work = _Work(self._dirty, self._dirty_since, scan, self._waiters, self._rescans)
        self._dirty, self._waiters, self._rescans = set(), [], []
        if scan:
            self._doubt = False
            self._next_scan = time.monotonic() + self._interval()
        return work

    def _interval(self) -> float:
        """Seconds until the next walk: soon where events do not tell everything."""
        watch, settings = self.watch_state(), self._settings
        if watch.kind == "polling" or watch.shortfall:
            return min(settings.poll_interval_s, settings.rescan_interval_s)
        return settings.rescan_interval_s

    def _turn(self, work: _Work) -> None:
        """Do what was left for us, and say how it went to those who asked."""
        began = time.monotonic()
        try:
            with translated(self.follower.folder):
                if work.scan:
                    confirmed, self._confirmed = self._confirmed and bool(work.rescans), False
                    self.follower.scan(anew=bool(work.rescans), confirmed=confirmed)
                else:
                    self.follower.look_at(work.dirty)
        except _Stopping:
            _refuse(work.asked(), Busy("the daemon is stopping; try again"))
        except Exception as error:  # noqa: BLE001 -- the thread outlives whatever happens; it is said in status
            self._failed(error)
            _refuse(
                work.asked(),
                error if isinstance(error, NotesdError) else NotesdError(f"internal error: {error!r}"),
            )
        else:
            self._succeeded(work, began)

    def _succeeded(self, work: _Work, began: float) -> None:
        self._fault, self._failures, self._reconciled = None, 0, self._reconciled or work.scan
        self._rested = False
        self._last_work = time.monotonic()
        if work.dirty:
            self._lags.append((self._last_work - work.since) * 1000)
        for waiter in work.waiters:
            waiter.set_result(None)
        if work.rescans and self.follower.store:
            reader = self.follower.store.peek()
            rebuilt = Rebuilt(reader.generation, notes.count(reader), self._last_work - began)
            with self._wake:  # whoever asked for the same meanwhile gets the same
                late, self._rescans = self._rescans, []
            for rescan in (*work.rescans, *late):
                rescan.set_result(rebuilt)

    def _failed(self, error: Exception) -> None:
        """Say it in status, keep the index, try again later."""
        known = error if isinstance(error, NotesdError) else None
        if isinstance(error, StoreCorrupt):
            self.follower.suspicion = error
        reason = known.message if known else f"internal error: {type(error).__name__}: {error}"
        problem = Problem(known.kind if known else "internal", reason)
        if self._fault != problem:
            log.warning("space %s: %s", self.name, reason, exc_info=None if known else error)
        self._fault = problem
        pause = pause_after(error, self._failures)
        self._failures = min(self._failures + 1, 10)
        with self._wake:
            self._doubt = True
            self._next_scan = time.monotonic() + pause

    def _between(self) -> None:
        """After each step of a pass: stop when we have to; during a build, let small changes in."""
        if self._stopping:
            raise _Stopping
        follower = self.follower
        if not follower.beside:
            return
        with self._wake:
            if not (self._dirty or self._waiters):
                return
            work = self._take()
            self._rescans += work.rescans
        try:
            follower.catch_up(work.dirty, whole=work.scan)
        except NotesdError as error:
            _refuse([*work.waiters], error)
        else:
            for waiter in work.waiters:
                waiter.set_result(None)
