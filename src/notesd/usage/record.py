"""Who may add to the record of use, who may ask it, and when is it written?

Whoever answers a question only leaves word of what was shown; one thread writes it down, some moments
later and together with what else came in. Asking takes in what is still waiting, so nobody sees an old
record. When it cannot be opened or written, questions are answered without it and ``state`` says why.
"""

import contextlib
import functools
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, TypeVar

from notesd.duty import Duty
from notesd.errors import Busy, NotesdError, StoreCorrupt, StoreFull
from notesd.index.store import Reader, Store, Writer, translated
from notesd.rank.limbic import Together
from notesd.rank.tune import Event
from notesd.usage import events, signals
from notesd.usage.events import Log, Tuned
from notesd.usage.file import NAME
from notesd.usage.forget import Forgotten, Scope, forget
from notesd.usage.keeper import Keeper, State
from notesd.usage.ledger import Ledger
from notesd.usage.mirror import Mirror
from notesd.usage.signals import Company, Opening, Trace
from notesd.usage.words import Notes, Opened, Shown, Word, write

log = logging.getLogger("notesd")

BATCH_S = 0.5
"""Pause before what came in is written, so that a burst is one transaction."""
LONGEST_PAUSE_S = 60.0
"""The same while the file cannot be written, at most."""
LOOK_PAUSE_S = 5.0
"""The same while a space cannot be looked at, at most."""
MOST_WAITING = 2_000
"""Words left while nothing can be written; beyond, the oldest go."""
ASK_S = 0.25
"""So long a question waits for who uses the record; then it is answered without."""
TIDY_EVERY = 200
"""Transactions between two looks at the size."""

Answer = TypeVar("Answer")


Column = Literal["key", "path"]
Look = Callable[[Column, Collection[str]], Iterable[Trace]]
"""The notes with some keys, or at some paths, as they are now."""


class Record:
    """The record of use of all spaces; any thread may call."""

    def __init__(self, state: str, clock: Callable[[], float] = time.time) -> None:
        """Do nothing yet; ``start`` begins, and the first question opens the file if it must.

        Args:
            state: The folder of state.
            clock: Seconds since 1970.
        """
        self.path = os.path.join(state, NAME)
        self.clock = clock
        self.lookups: dict[str, Look] = {}
        """For each space, by its key: what its notes look like now."""
        self._keeper = Keeper(self.path)
        self._write_at = 0.0
        """When, by the monotonic clock, the file may be written to again."""
        self._writes = 0
        self._looked_at: tuple[Ledger | None, float] = (None, 0.0)
        """Whose times were compared with the clock last, and what that said."""
        self._mirrors: dict[str, Mirror] = {}
        self._keeper.on_loss = self._mirrors.clear
        self._wake = threading.Condition()
        self._waiting: list[Word] = []
        self._stale: dict[tuple[str, Column], set[str] | None] = {}
        self._stopping = False
        self.duty = Duty("usage")
        """How the thread that writes goes."""
        self._pause_s = BATCH_S
        self._thread = threading.Thread(target=self._loop, name=self.duty.name, daemon=True)

    # ---- leave word --------------------------------------------------------------------------

    def start(self) -> None:
        """Write what comes in from now on."""
        self._thread.start()

    def shown(self, space: str, notes: Notes, log: Log | None = None) -> None:
        """These notes were shown, best first.

        Args:
            space: Key of the space.
            notes: Nothing but what the user saw.
            log: The search behind it, where use had a say or wants one.
        """
        self._leave(Shown(space, notes, self.clock(), log))

    def opened(self, space: str, notes: Notes) -> None:
        """These notes were opened, all at once."""
        self._leave(Opened(space, list(dict.fromkeys(notes)), self.clock()))

    def changed(self, space: str, paths: Collection[str] | None) -> None:
        """Notes have come to these paths, or have other words there; None: perhaps all of them."""
        if paths is None:
            self._look_soon(space, "key", None)
        else:
            self._look_soon(space, "path", paths)

    def _look_soon(self, space: str, column: Column, values: Collection[str] | None) -> None:
        with self._wake:
            before = self._stale.get((space, column), set())
            known = None if values is None or before is None else before | set(values)
            self._stale[space, column] = known
            self._wake.notify()

    def close(self) -> None:
        """Write what is waiting and let go; the indexes have to be there still."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self.duty.end()
        if self._thread.is_alive():
            self._thread.join(10)
        with self.duty.attempt():
            self._write_waiting()
            self._look_again()
        self._keeper.close()

    # ---- ask ---------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """How the record is; opens it when nobody has so far."""
        self.unusable()
        return self._keeper.state

    def unusable(self) -> str | None:
        """Why nothing can be asked of it at this moment, None: it can."""
        try:
            with self._usable(ASK_S):
                return None
        except NotesdError as error:
            return error.message

    @property
    def salt(self) -> str:
        """A random text that stays with the record; raises as ``openings`` does."""
        return self._asked(lambda reader: str(reader.meta("salt")))

    def openings(self, space: str, keys: Collection[str]) -> dict[str, Opening]:
        """Those of some notes that were ever opened, by key.

        Raises:
            NotesdError: The record cannot be read, or not soon enough; so too for ``company`` and ``tuned``.
        """
        return self._asked(lambda reader: self._mirror(space, reader).openings(keys))

    def company(
        self, space: str, of: Collection[str], among: Collection[str], *, opened: bool
    ) -> dict[str, list[Together]]:
        """See ``search.learnt.Memory``; an entry for every note of ``of``."""
        return self._asked(
            lambda reader: self._mirror(space, reader).company(reader, of, among, opened=opened)
        )

    def _mirror(self, space: str, reader: Reader) -> Mirror:
        now = self.clock()
        if space not in self._mirrors or self._mirrors[space].now > now:  # the clock was set back
            self._mirrors[space] = Mirror(space, reader, now)
        self._mirrors[space].now = now
        return self._mirrors[space]

    def companions(self, space: str, key: str, limit: int) -> dict[str, Company]:
        """The notes most often used together with one, most often first; raises as ``openings`` does."""
        return self._asked(lambda reader: signals.companions(reader, space, key, self.clock(), limit))

    def traces(self, space: str) -> list[Trace]:
        """Every note of a space that anything is known of; empty when it cannot be read.

        It waits for the file as long as it takes: what an index begins without is lost to it for good.
        """
        with contextlib.suppress(NotesdError), self._usable() as store:
            return signals.traces(store.peek(), space)
        return []

    def events(self, space: str) -> list[Event]:
        """Every logged search of a space, oldest first; waits for the file as long as it takes.

        Raises:
            NotesdError: The record cannot be read; so too for ``spaces_named``.
        """
        with self._usable() as store:
            logged = events.logged(store.peek(), space)
        return events.events(logged)

    def tuned(self, space: str) -> list[Tuned]:
        """The constants ever taken for a space; raises as ``openings`` does."""
        return self._asked(lambda reader: events.tuned(reader, space))

    def spaces_named(self, name: str) -> list[str]:
        """Keys of the recorded spaces of some name; waits as ``events`` does."""
        with self._usable() as store:
            return signals.spaces_named(store.peek(), name)

    def counts(self) -> dict[str, int]:
        """Notes, notes ever opened, pairs and logged searches; raises as ``openings`` does."""
        return self._asked(lambda reader: dict(signals.counts(reader)))

    # ---- change what is known ----------------------------------------------------------------

    def name_space(self, key: str, name: str, root: str) -> None:
        """Remember how a space is called; one whose folder was moved or has another path keeps its record."""

        def work(writer: Writer) -> None:
            real = os.path.realpath(root)
            left = [
                was
                for was in signals.roots(writer)
                if not os.path.isdir(was) or os.path.realpath(was) == real
            ]
            signals.name_space(writer, key, name, root, left)

        with contextlib.suppress(NotesdError):
            self._change(work)

    def take(self, space: str, constants: Tuned) -> None:
        """Take constants for a space.

        Raises:
            NotesdError: The record cannot be written.
        """
        self._change(lambda writer: events.take(writer, signals.space_id(writer, space), constants))

    def revert(self, space: str) -> bool:
        """Go back to the constants before; False: there are none.

        Raises:
            NotesdError: The record cannot be written.
        """
        now = self.clock()
        return self._change(lambda writer: events.revert(writer, signals.space_id(writer, space), now))

    def forget(self, scope: Scope) -> Forgotten:
        """Erase what is meant, in the file and in what still waits to be written.

        Raises:
            NotesdError: The record cannot be written.
        """
        with self._keeper.at_length() as store:
            self._write_down(store, all_of_it=True)
            forgotten = forget(store, scope)
            store.complete()
        return forgotten

    # ---- the file ----------------------------------------------------------------------------

    def _asked(self, ask: Callable[[Reader], Answer]) -> Answer:
        with self._usable(ASK_S) as store:
            return ask(store.peek())

    def _change(self, work: Callable[[Writer], Answer]) -> Answer:
        with self._usable() as store:
            with store.write() as writer:
                answer = work(writer)
            store.complete()
        return answer

    @contextlib.contextmanager
    def _usable(self, patience: float = -1) -> Iterator[Ledger]:
        """The file, alone, with all that was waiting in it, as far as it could be written.

        Raises:
            NotesdError: See ``Keeper.alone``.
        """
        with self._keeper.alone(patience) as store:
            now = self.clock()
            if store is not self._looked_at[0] or now < self._looked_at[1]:
                self._looked_at = store, now
                with contextlib.suppress(StoreFull, Busy), store.write() as writer:
                    signals.notice_future(writer, now)
            self._write_down(store)
            yield store

    # ---- writing down ------------------------------------------------------------------------

    def _leave(self, word: Word) -> None:
        if not word.notes:
            return
        with self._wake:
            self._waiting.append(word)
            if len(self._waiting) > MOST_WAITING:
                del self._waiting[: len(self._waiting) - MOST_WAITING]
            self._wake.notify()

    def _loop(self) -> None:
        with self.duty.attempt():
            self.unusable()  # opens it, so that whoever asks first need not wait for that
        self.duty.keep(self._take_turn)

    def _take_turn(self) -> bool:
        """Wait for words, let some more come, and write them down; False when the daemon ends."""
        with self._wake:
            while not (self._waiting or self._stale or self._stopping):
                self._wake.wait()
            self._wake.wait_for(lambda: self._stopping, self._pause_s)
            if self._stopping:
                return False
        self._write_waiting()
        self._look_again()
        with (
            self._wake
        ):  # what could not be written or looked at will be tried again, but less and less often
            longest = LONGEST_PAUSE_S if self._waiting else LOOK_PAUSE_S if self._stale else BATCH_S
            self._pause_s = min(2 * self._pause_s, longest)
        return True

    def _write_waiting(self) -> None:
        with contextlib.suppress(NotesdError), self._usable() as store:
            try:
                store.complete()  # whoever asks writes without waiting for the disk: that is done here
            except NotesdError as error:
                self._not_recorded(error)

    def _write_down(self, store: Store, *, all_of_it: bool = False) -> None:
        """Write all that is waiting, in one transaction; what cannot be written waits on.

        Raises:
            StoreCorrupt: A damaged page was met.
            NotesdError: It cannot be written, where ``all_of_it`` has to be.
        """
        if time.monotonic() < self._write_at and not all_of_it:
            return  # it could not be written a moment ago
        with self._wake:
            words, self._waiting = self._waiting, []
        if not words:
            return
        try:
            with translated(self.path), store.write() as writer:
                earlier = [write(writer, word) for word in words]
                self._writes += 1
                tidied = self._writes % TIDY_EVERY == 0 and signals.shrink(writer)
        except NotesdError as error:
            with self._wake:
                self._waiting = [*words, *self._waiting][-MOST_WAITING:]
            if all_of_it or isinstance(error, StoreCorrupt):
                raise
            self._write_at = time.monotonic() + BATCH_S / 2
            self._not_recorded(error)
            return
        if self._keeper.state.problem == "usage_unavailable":
            self._keeper.state = State()
        if tidied:
            self._mirrors.clear()
        for word, before in zip(words, earlier, strict=True):
            self._reflect(word, before)
            # By key: it may have moved since it was shown, and then its path there is the old one.
            self._look_soon(word.space, "key", [key for key, _ in word.notes])

    def _not_recorded(self, error: NotesdError) -> None:
        if not isinstance(error, Busy) and self._keeper.state.problem is None:
            log.warning("use is not recorded: %s", error.message)
            self._keeper.state = State("usage_unavailable", error.message)

    def _reflect(self, word: Word, earlier: Sequence[str]) -> None:
        mirror = self._mirrors.get(word.space)
        if mirror:
            keys = [key for key, _ in word.notes]
            if isinstance(word, Opened):
                mirror.opened(keys, earlier, word.at)
            else:
                mirror.shown(keys, word.at)

    def _look_again(self) -> None:
        """Remember where notes are now, for an index that starts anew; who cannot tell yet is asked later."""
        with self._wake:
            stale, self._stale = self._stale, {}
        for (space, column), values in stale.items():
            try:
                self._trace(space, column, values)
            except NotesdError:
                self._look_soon(space, column, values)

    def _trace(self, space: str, column: Column, values: set[str] | None) -> None:
        look = self.lookups.get(space)
        if look is None:
            return
        with self._usable() as store:
            if not signals.knows_any(store.peek(), space):
                return
            every = [one.key for one in signals.traces(store.peek(), space)] if values is None else []
        found = list(look(column, every if values is None else values))  # nobody waits meanwhile
        self._change(functools.partial(signals.retrace, space=space, found=found))
