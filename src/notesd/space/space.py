"""One space from outside: leave word, read, ask how it is.

Whatever calls from outside only leaves word (``mark``, ``settled``, ``rescan``); one thread a space
does all the looking and writing, so an index has one writer. Queries read beside it.
"""

import contextlib
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from notesd.duty import Duty, told
from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreError
from notesd.files.ignore import left_out
from notesd.files.scan import lstat_note
from notesd.index.budget import FREE, Meter
from notesd.index.store import Reader, Store, translated
from notesd.ingest.follow import Follower
from notesd.ingest.ledger import Debt
from notesd.model import NotePath, Problem, Stamp
from notesd.settings import Config, SpaceConfig
from notesd.space.condition import Freshness, OutOfSight, WatchState, pause_after
from notesd.space.followed import FollowedFolder
from notesd.space.lapse import Lapse
from notesd.space.work import Parked, Rescan, Work

log = logging.getLogger("notesd")

ROOT_CHECK_S = 2.0
"""How often the folder itself is looked at: an unmount or a rename of it makes no event."""
SETTLE_BOUND = 10
"""A stream of events without a pause is read after so many settle times all the same."""
STOP_S, INTERRUPT_S = 10.0, 0.1
"""How long the end of a pass is waited for, and how often it is asked for."""
POOL_IDLE_S = 20.0
"""Parsers that nobody needed for so long are ended."""

Answer = TypeVar("Answer")
Asked = TypeVar("Asked")


class _Stopping(Exception):
    """The daemon is ending."""


def _stopping() -> Busy:
    return Busy("the daemon is stopping; try again")


class Space(FollowedFolder):
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
        self.vector_search, self.graph_boost = config.vector_search, config.graph_boost
        """Whether meaning, and whether links, are asked here; None: as for all spaces."""
        self.demote = config.demote
        """Folders below it whose notes come after all others."""
        self.watch_state: Callable[[], WatchState] = WatchState
        """What the watcher says of itself; it looks at the roots of all spaces."""
        self.hears_all: Callable[[], bool] = lambda: False
        """Whether each change makes an event; this looks at nothing."""
        self._settings = settings.index
        ignore = left_out(self.path, config)
        super().__init__(Follower(self.path, folder, ignore, settings, follow_links=config.follow_links))
        self.follower.between = self._between
        self.follower.breathe = self.place.breathe = self._breathe
        self._fault: Problem | None = None
        self._failures = 0
        self._last_work = time.monotonic()
        self._lapse = Lapse()
        self._wake = threading.Condition()
        self._stopping = self._at_work = self._rested = False
        self._may_close = threading.Event()
        self._next_scan = self._next_catch_up = 0.0
        self._waiters: list[Future[None]] = []
        self._parked = Parked()
        self._rescans: list[Rescan] = []
        self.duty = Duty(f"space {config.name}", lambda: self.mark(None))
        self._thread = threading.Thread(target=self._loop, name=self.duty.name, daemon=True)

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
        self.ledger.mark(path)
        with self._wake:
            self._wake.notify()

    def settled(self) -> Future[None]:
        """Done once everything that is on disk now is in the index."""
        future: Future[None] = Future()
        self._ask(future, self._waiters, future)
        return future

    def rescan(self, *, confirmed: bool = False) -> Future[float]:
        """Done once the index has been built anew from the files as they are now; seconds that it took.

        Args:
            confirmed: Notes that are missing are deleted, however many they are.
        """
        future: Future[float] = Future()
        self._ask(future, self._rescans, Rescan(future, confirmed))
        return future

    def report_damage(self, error: StoreCorrupt) -> None:
        """A query met what seems to be a damaged page: look into it, and build the index anew if it is."""
        with self._wake:
            self.follower.suspicion = error
        self.mark(None)

    def halt(self) -> None:
        """Follow the folder no more; what is known still answers, until ``stop``."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self.duty.end()

    def stop(self) -> None:
        """Give up what is not done yet, and let go of everything."""
        self.halt()
        self._may_close.set()
        for _ in range(int(STOP_S / INTERRUPT_S)):
            if not self._thread.is_alive():
                break
            if self._at_work:
                self.follower.interrupt()
            self._thread.join(INTERRUPT_S)

    def _ask(self, future: Future[Answer], line: list[Asked], asked: Asked) -> None:
        future.set_running_or_notify_cancel()  # a client that leaves must not cancel it
        with self._wake:
            if self._stopping:
                future.set_exception(_stopping())
            else:
                line.append(asked)
                self._wake.notify()

    # ---- read, from any thread ---------------------------------------------------------------

    @property
    def root(self) -> str:
        """Where its folder is now: links in its path are followed at each look."""
        return os.path.realpath(self.path)

    @contextlib.contextmanager
    def reading(self, meter: Meter = FREE) -> Iterator[Reader]:
        """Read the live index, at what cost ``meter`` allows; one generation for as long as the block lasts.

        Raises:
            Busy: There is no index yet.
        """
        for _ in range(5):
            store = self.follower.store
            if store is None:
                break
            with contextlib.ExitStack() as stack:
                try:
                    reader = stack.enter_context(self._read(store, meter))
                except Busy:
                    continue  # it was replaced under our hands
                yield reader
                return
        why = self.fault.reason if self.fault else "it is being built; try again"
        raise Busy(f"space {self.name} has no index yet: {why}")

    def _read(self, store: Store, meter: Meter) -> contextlib.AbstractContextManager[Reader]:
        """Read one generation of an index."""
        return store.read(meter)

    def freshness(self, reader: Reader) -> Freshness:
        """How current what a reader sees is at this moment."""
        owed, building = self._owed(), not reader.meta("complete")
        generation = reader.generation
        # Who began to read before the last change has yet to see it.
        fresh = not owed.files and not building and generation >= owed.generation
        pending = {"files": owed.files or int(not fresh), "embeddings": 0}
        lags = self.ledger.lags
        return Freshness(generation, fresh, lags[-1] * 1000 if lags else 0.0, pending, building, owed.counted)

    def _owed(self) -> Debt:
        return self.ledger.debt()

    @property
    def fault(self) -> Problem | None:
        """What keeps the index from following the folder now, None when nothing does."""
        return self._fault

    @property
    def state(self) -> str:
        """``ready``, ``indexing`` (an index is being built) or ``degraded``."""
        if self._fault:
            return "degraded"
        return "indexing" if self.follower.anew or not self.follower.store else "ready"

    def out_of_sight(self, _reader: Reader | None) -> OutOfSight:
        """What the last look at the folder could not look at."""
        now = self.follower.ingest
        return OutOfSight(now.unlisted.copy(), now.odd.copy(), now.unread.copy()) if now else OutOfSight()

    def file_at(self, path: NotePath, /) -> Stamp | Problem | None:
        """What stands at a path that the index does not know, None: nothing; raises as ``lstat_note``."""
        return lstat_note(*self.place.links.place(path))

    def is_stale(self, path: NotePath) -> bool:
        """Whether the file of a note may say something else by now."""
        ingest = self.follower.ingest
        if self._fault or self.ledger.answering.owes(path):
            return True
        return ingest is not None and ingest.is_hidden(path)

    # ---- the thread --------------------------------------------------------------------------

    def _loop(self) -> None:
        try:
            self.duty.keep(self._take_turn)
        finally:
            with self._wake:
                self._stopping = True
                left = Work(scan=False, waiters=self._waiters, rescans=self._rescans)
            left.refuse(_stopping())
            self._parked.refuse(_stopping())
            self._may_close.wait()
            self.follower.close()

    def _take_turn(self) -> bool:
        """Wait for work and do it; says whether there will be more."""
        if work := self._await_work():
            self._turn(work)
        return work is not None

    def _await_work(self) -> Work | None:
        """Sleep until there is something to do; None when the daemon ends."""
        settle = self._settings.settle_ms / 1000
        while True:
            again_s = self._look_around()
            with self._wake:
                if self._stopping:
                    return None
                now, owed = time.monotonic(), self.ledger.answering
                ripe = owed.ripe(settle, settle * SETTLE_BOUND)
                wait = min(ROOT_CHECK_S, max(0.0, self._next_scan - now))
                if self._waiters or self._rescans:
                    return self._take()
                if not self._held_back():
                    if owed.doubtful or now >= self._next_scan:
                        return self._take()
                    wait = min(wait, again_s, math.inf if ripe is None else ripe - now)
                    if wait <= 0:
                        return self._take()
                self._wake.wait(max(wait, 0.001))
            self._rest()

    def _look_around(self) -> float:
        """Ask for what leaves no word; returns seconds until there is more to read, 0: now.

        It may wait for a disk or a process, so the lock is not held: who leaves word must never wait.
        """
        if self._held_back():
            return math.inf
        if not self.ledger.answering.marked and (self.follower.in_doubt() or self._lapse.happened()):
            self.ledger.mark(None)
        again_s = self.follower.again_in_s()
        if again_s is None:
            return math.inf
        return 0.0 if self.follower.has_more() else again_s

    def _held_back(self) -> bool:
        """Whether a pass that failed is not to be tried again yet."""
        return self._fault is not None and time.monotonic() < self._next_scan

    def _rest(self) -> None:
        """Give back what only work needs, once it has been quiet for a while."""
        busy = self.ledger.answering.marked or self.follower.late()
        if not (busy or self._rested) and time.monotonic() - self._last_work > POOL_IDLE_S:
            self.follower.rest()
            self._rested = True

    def _take(self) -> Work:
        """Take all that was asked of us; the caller holds the lock."""
        now = time.monotonic()
        scan = bool(self._waiters or self._rescans or now >= self._next_scan)
        scan |= self.ledger.answering.doubtful
        work = Work(scan, self._waiters, self._rescans)
        self._waiters, self._rescans = [], []
        if scan:
            self._next_scan = now + self._interval()
        return work

    def _interval(self) -> float:
        """Seconds until the next walk: soon where events do not tell everything."""
        often, seldom = self._settings.poll_interval_s, self._settings.rescan_interval_s
        return seldom if self.hears_all() else min(often, seldom)

    def _turn(self, work: Work) -> None:
        """Do what was left for us, and say how it went to those who asked."""
        began = time.monotonic()
        self._at_work = True
        try:
            with translated(self.follower.folder):
                if work.scan:
                    confirmed = any(rescan.confirmed for rescan in work.rescans)
                    asked = bool(work.waiters or work.rescans)
                    self.follower.scan(anew=bool(work.rescans), confirmed=confirmed, asked=asked)
                else:
                    self.follower.look_at()
        except Exception as error:  # noqa: BLE001 -- the thread outlives whatever happens; it is said in status
            if self._stopping:  # that is how it was ended
                work.refuse(_stopping())
                return
            self._failed(error)
            work.refuse(told(error))
        else:
            self._fault, self._failures, self._rested = None, 0, False
            self._last_work = time.monotonic()
            self._answer(work, began)
        finally:
            self._at_work = False

    def _answer(self, work: Work, began: float) -> None:
        """Tell those for whom a pass was made, and those whose notes have been read by now."""
        self._parked.add(work, began, self.follower.late())
        self._parked.release(self.ledger.answering.owes)

    def _failed(self, error: Exception) -> None:
        """Say it in status, keep the index, try again later."""
        known = told(error)
        if isinstance(error, StoreCorrupt):
            self.follower.suspicion = error
        problem = Problem(known.kind, known.message)
        if self._fault != problem:
            log.warning("space %s: %s", self.name, known.message, exc_info=None if known is error else error)
        self._fault = problem
        pause = pause_after(error, self._failures)
        self._failures = min(self._failures + 1, 10)
        self.ledger.mark(None)
        with self._wake:
            self._next_scan = time.monotonic() + pause

    def _breathe(self) -> None:
        """Stop in the midst of anything when we have to."""
        if self._stopping:
            raise _Stopping

    def _between(self) -> None:
        """After each step of a pass: stop when we have to; during a build, let small changes in."""
        self._breathe()
        if not self.follower.beside:
            return
        with self._wake:
            now, owed = time.monotonic(), self.ledger.answering
            walk_due = now >= self._next_scan
            if not self._waiters and (now < self._next_catch_up or not (owed.marked or walk_due)):
                return
            waiters, self._waiters = self._waiters, []
            whole = bool(owed.doubtful or waiters or walk_due)
            if whole:
                self._next_scan = now + self._interval()
        work = Work(scan=whole, waiters=waiters, rescans=[])
        try:
            with translated(self.follower.folder):
                self.follower.catch_up(whole=whole)
        except NotesdError as error:
            work.refuse(error)
            self._next_catch_up = now + pause_after(error, 0)
            if isinstance(error, StoreCorrupt):
                self.follower.suspicion = error
        except Exception as error:
            work.refuse(_stopping() if self._stopping else told(error))
            raise
        else:
            self._answer(work, now)
