"""Who has the file of the record at this moment, and is it still the one that was opened?

One at a time; who asks waits a moment at most, and is told when that was not enough. A file that is damaged,
deleted or replaced while it is in use is let go of, with its log, and opened anew.
"""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator

import apsw
from msgspec import Struct

from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreError, UsageNewer
from notesd.index.store import translated
from notesd.usage.file import drop_log, open_record, why
from notesd.usage.ledger import Ledger

log = logging.getLogger("notesd")

RETRY_S = 5.0
"""A record that could not be opened is tried again after so long."""


LASTING = ("usage_reset", "usage_log_refused")
"""Something happened to the record, and it goes on; this is said until the daemon ends."""


class State(Struct, frozen=True):
    """How the record is."""

    problem: str | None = None
    """Stable word: ``usage_reset``, ``usage_log_refused``, ``usage_newer``, ``usage_unavailable``; None: all
    is well."""
    reason: str = ""


class Keeper:
    """The file of the record; any thread may call."""

    def __init__(self, path: str) -> None:
        """Open nothing yet."""
        self.path = path
        self.state = State()
        """How the record was when it was last used; asking for it never waits."""
        self.on_loss: Callable[[], None] = lambda: None
        """Called when what was read from the file before is not to be trusted any more."""
        self._store: Ledger | None = None
        self._lock = threading.RLock()
        self._retry_at = 0.0
        self._long = False

    @contextlib.contextmanager
    def alone(self, patience: float = -1) -> Iterator[Ledger]:
        """The file, for nobody else.

        Args:
            patience: Seconds to wait for it; -1: as long as it takes.

        Raises:
            Busy: Somebody else has it.
            NotesdError: It cannot be had; ``state`` says the same.
        """
        if (patience >= 0 and self._long) or not self._lock.acquire(timeout=patience):
            raise Busy("the record of use is busy; this was answered without it")
        try:
            store = self._opened()
            if store is None:
                raise NotesdError(self.state.reason)
            with self._mended():
                yield store
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def at_length(self) -> Iterator[Ledger]:
        """The file for something that takes long: nobody with patience to spare waits for it."""
        with self.alone() as store:
            self._long = True
            try:
                yield store
            finally:
                self._long = False
                self.on_loss()

    def close(self) -> None:
        """Leave one file."""
        with self._lock:
            if self._store:
                with contextlib.suppress(NotesdError):
                    self._store.harden()
            self._let_go()

    @contextlib.contextmanager
    def _mended(self) -> Iterator[None]:
        """Begin again, with what can be saved, when a damaged page is met.

        Raises:
            StoreError: It was; what was to be done is not done.
        """
        try:
            with translated(self.path):
                yield
        except (StoreCorrupt, apsw.SQLError) as error:
            self._let_go()
            if self._opened() and not self.state.problem:
                raise Busy(f"{self.path} could not be read for a moment ({why(error)}); try again") from error
            log.warning("%s is damaged: %s", self.path, why(error))
            raise StoreError(f"{self.path} is damaged ({why(error)}); see notesd status") from error

    def _let_go(self) -> None:
        if self._store:
            self._store.close()
        self._store, self._retry_at = None, 0.0
        self.on_loss()

    def _opened(self) -> Ledger | None:
        lost = ""
        if self._store and not self._store.intact():
            there = os.path.exists(self.path)
            then = (
                "replaced while it was in use" if there else "deleted while it was in use; another is begun"
            )
            lost = f"{self.path} was {then}"
            self._let_go()
            drop_log(self.path)
        if self._store is None and time.monotonic() >= self._retry_at:
            self._retry_at = time.monotonic() + RETRY_S
            before, self.state = self.state, self._open(lost)
            if self.state.problem and self.state != before:
                log.warning("%s", self.state.reason)
        return self._store

    def _open(self, lost: str) -> State:
        """Open the file; returns how it is."""
        try:
            found = open_record(self.path)
        except UsageNewer as error:
            return State(error.kind, error.message)
        except (NotesdError, apsw.Error, OSError) as error:
            return State("usage_unavailable", f"{self.path} cannot be used: {error}")
        self._store = found.store
        if found.problem or lost:
            return State(found.problem or "usage_reset", found.reason or lost)
        return self.state if self.state.problem in LASTING else State()
