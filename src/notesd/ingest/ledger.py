"""What is still to be taken in, from the event to the commit of the index that answers?

Each index that is kept has an account: the marks of what may have changed in the folder, until a pass
has looked there; the notes that were found to differ, until they are committed. While an index is
built beside the one that answers, both have an account, and a mark is owed to both: what the one has
taken in the other has not. Whether an answer is fresh is read from here and from nothing else.
"""

import collections
import contextlib
import math
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator

from msgspec import Struct

from notesd.files.paths import within

CROWD = 5_000
"""So many marked paths are found faster by a walk of the folder."""

Clock = Callable[[], float]


class Debt(Struct, frozen=True):
    """How far an index is behind its folder, at one moment."""

    files: int
    """Notes and marks that are still to be taken in; 0 only when nothing is."""
    counted: bool
    """False while nobody has looked yet how many there are: ``files`` is the least it can be."""
    generation: int
    """Whoever reads an older generation does not see all that was taken in."""


class Account:
    """What one index lacks. One pass at a time works it off; marks come from any thread."""

    def __init__(self, lock: threading.Lock, clock: Clock) -> None:
        """Nobody has looked at the folder yet: everything is owed."""
        self._lock = lock
        self._clock = clock
        self._marks: dict[str, float] = {}
        """Paths that nobody has looked at since, and when each was marked first."""
        self._last = 0.0
        self._doubt = True
        self._hand: dict[str, float] = {}
        """Marks that a pass has taken; it has not compared them with the index yet."""
        self._hand_doubt = False
        self._walked = False
        """The pass looks at the whole folder."""
        self._under_way = False
        """The pass has found something and is not over yet."""
        self._since: float | None = None
        """When the oldest mark was left that the pass has taken."""
        self._found: set[str] = set()
        self._files: set[str] = set()
        """Attachments among what was found; nobody reads them, so they do not count."""
        self._generation = 0
        self.outdated = False
        """The index was made by rules that hold no more: only another one can pay."""

    # ---- what a pass does --------------------------------------------------------------------

    def take(self, *, whole: bool) -> frozenset[str]:
        """Take in hand the marked paths, before the look at the folder that is to settle them.

        Args:
            whole: The whole folder will be looked at, which settles every doubt, too.
        """
        with self._lock:
            self._hand = self._marks | self._hand
            self._marks = {}
            self._since = min((self._since or math.inf, *self._hand.values())) if self._hand else self._since
            if whole:
                self._hand_doubt |= self._doubt
                self._doubt, self._walked = False, True
            return frozenset(self._hand)

    def found(
        self,
        notes: Iterable[str],
        files: Iterable[str] = (),
        below: Iterable[str] = (),
        late: Collection[str] = (),
    ) -> None:
        """The pass has compared: of what it took these notes and attachments are owed, nothing else.

        Args:
            notes: Those that differ.
            files: The attachments that do.
            below: Paths that were compared, each with all below it, ``""`` for the whole folder. Of what
                earlier passes found there only what is late is owed still.
            late: Notes that are being read.
        """
        with self._lock:
            for top in below:
                self._found -= {path for path in self._found if within(path, top) and path not in late}
            self._found.update(notes)
            self._files.update(files)
            self._under_way |= bool(self._hand or self._hand_doubt or self._found or self._files)
            self._hand, self._hand_doubt = {}, False

    def look_again(self, paths: Iterable[str | None]) -> None:
        """What is about to be committed of these was read a while ago: owe another look at each.

        None: the whole folder has to be looked at.
        """
        with self._lock:
            for path in paths:
                self.mark(path, self._clock())

    def committed(self, paths: Iterable[str], generation: int) -> None:
        """Notes and attachments are in the index as they were when the pass looked.

        What is not, when the pass is over, is still being read, and owed until it is.
        """
        with self._lock:
            self._found.difference_update(paths)
            self._files.difference_update(paths)
            self._generation = max(self._generation, generation)

    def done(self) -> float | None:
        """The pass is over; returns how many seconds its oldest mark waited, None: it had no mark."""
        with self._lock:
            since = self._since
            self._over()
            return None if since is None else self._clock() - since

    def give_back(self) -> None:
        """The pass failed or was interrupted: what it did not commit is owed as before."""
        with self._lock:
            now = self._clock()
            left = self._hand | dict.fromkeys((*self._found, *self._files), now)
            self._found.clear()
            self._files.clear()
            self._return(left, doubt=self._walked)

    def put_back(self) -> None:
        """The pass will not look for this index after all: what it took is owed as before."""
        with self._lock:
            self._return(self._hand, doubt=self._hand_doubt)

    def _return(self, left: dict[str, float], *, doubt: bool) -> None:
        self._doubt |= doubt or len(left) > CROWD
        if len(left) <= CROWD:
            self._marks = left | self._marks
        self._over()

    def _over(self) -> None:
        self._hand, self._since = {}, None
        self._hand_doubt = self._walked = self._under_way = False

    # ---- what others ask ---------------------------------------------------------------------

    def ripe(self, settle: float, bound: float) -> float | None:
        """When the marked paths are to be looked at, by the clock; None: there are none.

        Args:
            settle: Seconds without another mark.
            bound: Seconds after the first mark at the latest.
        """
        with self._lock:
            if not self._marks:
                return None
            return min(self._last + settle, min(self._marks.values()) + bound)

    @property
    def doubtful(self) -> bool:
        """Whether the whole folder has to be looked at."""
        return self._doubt

    @property
    def marked(self) -> bool:
        """Whether something is marked that no pass has taken."""
        return self._doubt or bool(self._marks)

    def owes(self, path: str) -> bool:
        """Whether a path, or a folder above it, may be another than the index knows it."""
        with self._lock:
            if path in self._found:
                return True
            while path:
                if path in self._marks or path in self._hand:
                    return True
                path = path.rpartition("/")[0]
            return False

    def debt(self, but: Collection[str] = frozenset()) -> Debt:
        """Say how much is owed, not counting some paths."""
        with self._lock:
            marks = (self._marks.keys() | self._hand.keys() | self._found).difference(but)
            unknown = self._doubt or self._hand_doubt
            files = len(marks) + unknown
            rest = bool(self._files or self._under_way or self.outdated)
            return Debt(files or int(rest), not unknown, self._generation)

    # ---- for the ledger, which holds the lock -----------------------------------------------

    def mark(self, path: str | None, now: float) -> None:
        """Owe a look at a path, None: at the whole folder."""
        if path is None or len(self._marks) >= CROWD:
            self._doubt = True
        else:
            self._marks.setdefault(path, now)
            self._last = now

    def copied(self) -> "Account":
        """An account that owes what nobody has taken from this one."""
        copy = Account(self._lock, self._clock)
        copy._marks, copy._last, copy._doubt = dict(self._marks), self._last, self._doubt
        return copy

    def moved(self, generation: int) -> None:
        """The index goes on answering under this generation."""
        self._generation = generation


class Ledger:
    """The accounts of one space."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        """Open the account of the index that answers."""
        self._lock = threading.Lock()
        self._clock = clock
        self.answering = Account(self._lock, clock)
        """Of the index that answers."""
        self._successor: Account | None = None
        self.lags: collections.deque[float] = collections.deque(maxlen=200)
        """What the last changes took from their mark to their commit, in seconds."""

    def mark(self, path: str | None) -> None:
        """Something may have happened to ``path``, None: anywhere; every index has to look."""
        with self._lock:
            now = self._clock()
            self.answering.mark(path, now)
            if self._successor:
                self._successor.mark(path, now)

    @contextlib.contextmanager
    def working_off(self, account: Account) -> Iterator[None]:
        """Let a pass pay from an account; when it fails, what it did not commit is owed as before."""
        try:
            yield
        except BaseException:
            account.give_back()
            raise
        lag = account.done()
        if lag is not None:
            self.lags.append(lag)

    def debt(self, but: Collection[str] = frozenset()) -> Debt:
        """Say how far the index that answers is behind, and its successor where only that can catch up.

        Args:
            but: Paths that are not to count.
        """
        owed, successor = self.answering.debt(but), self._successor
        if not (self.answering.outdated and successor):
            return owed
        new = successor.debt(but)
        return Debt(max(owed.files, new.files), new.counted, owed.generation)

    def lags_ms(self) -> tuple[float, float]:
        """Median and 95th percentile of the last changes, mark to commit, in milliseconds."""
        lags = sorted(1000 * lag for lag in self.lags.copy())
        return (lags[len(lags) // 2], lags[int(len(lags) * 0.95)]) if lags else (0.0, 0.0)

    def begin_successor(self) -> Account:
        """Open an account for an index that is built beside the one that answers, from a walk just made.

        It owes every mark that was left while the folder was walked, and every one from now on.
        """
        with self._lock:
            self._successor = self.answering.copied()
            return self._successor

    def drop_successor(self) -> None:
        """The index that was being built is given up."""
        with self._lock:
            self._successor = None

    def succeed(self, generation: int) -> None:
        """Let the new index answer, from a generation on; what it owes is what is owed now."""
        with self._lock:
            if self._successor:
                self.answering, self._successor = self._successor, None
            self.answering.moved(generation)
