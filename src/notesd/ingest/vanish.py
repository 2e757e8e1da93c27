"""Are the notes that are missing deleted, or is the folder not there?

An unmounted disk leaves an empty folder, a restored backup or another checkout puts another folder in
the place of the old one, a synchroniser takes notes away and brings them back. None of these says that
anybody deleted a note. So a loss is doubted, and nothing that is missing is taken out meanwhile:

- An empty folder where notes were. Is it the very folder that held them, the loss is believed after the
  grace time. Is it another one (a mount point without its disk), never by itself.
- Another folder with less than half as many notes as are missing, on another disk or after it had been
  empty for the grace time: a mount point into which something was written. Never believed by itself
  either.
- Another folder in which more than half of the notes are missing, of at least 50 where it lies on the
  same disk: believed after the grace time. What is there is followed at once.
- The very folder, from which nearly all of at least 20 notes have gone within a minute, in one go or one
  by one, and did not come back under other names: believed after the grace time. While notes are going,
  from the first few on, it is waited until no more do; who asks for what is there now need not wait.

Everything else is believed at once. A doubt lasts until the notes are back, the loss is believed, or
somebody says that they are deleted; what comes to lie in the folder meanwhile does not end it.
"""

import time
from collections import deque
from collections.abc import Callable

from notesd.errors import MassDeletion
from notesd.files.scan import Scan

MANY = 50
"""Notes from which on the loss of more than half is doubtful in another folder of the same disk."""
SWEPT = 20
"""Notes from which on the loss of nearly all is doubtful in the same folder."""
NEARLY = 20
"""One of so many notes is left where nearly all have gone."""
WINDOW_S = 60.0
"""Notes that went within this time went together."""
FEW = 5
"""So many notes, or one of ``NEARLY``, go without a second look."""
QUIET_S = 3.0
"""When no more notes have gone for so long, no more are going."""


def root_mark(found: Scan) -> str:
    """Say which folder was walked, in a form that can be remembered."""
    return f"{found.root.device}:{found.root.inode}:{found.disk}"


class Vanishing:
    """Judges what is missing in one space, and remembers since when."""

    def __init__(self, grace_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Take how long a doubtful loss is waited for, in seconds."""
        self._grace_s = grace_s
        self._clock = clock
        self._since: float | None = None
        self._believable = True
        self._going: deque[tuple[float, int]] = deque()
        """When notes went, and how many, within the window."""
        self._missing, self._missing_since = 0, 0.0
        self.left_alone = False
        """An empty folder stood there for the grace time; worth remembering over a restart."""

    def most_missing(
        self, found: Scan, known: int, root: str | None, missing: Callable[[], int]
    ) -> int | None:
        """Return how many missing notes are believed to be deleted: 0, or None for any number.

        Args:
            found: What a walk has found.
            known: Notes in the index.
            root: ``root_mark`` of the folder they were in.
            missing: Counts those that were not found.
        """
        # A mark that was written by an earlier version lacks its end.
        same = root is None or all(
            is_now == was for is_now, was in zip(root_mark(found).split(":"), root.split(":"), strict=False)
        )
        empty = not (found.notes or found.files or found.unlisted)
        if not known or (same and not empty):
            return None
        self._believable = same or not empty
        if empty:
            if not same and self._waited():
                self.left_alone = True
            return None if same and self._waited() else 0
        lost = missing()
        was_device, _, rest = (root or "").partition(":")
        other_disk = was_device != str(found.root.device) or rest.partition(":")[2] not in (
            "",
            str(found.disk),
        )
        next_to_nothing = 2 * len(found.notes) < lost
        if next_to_nothing and (other_disk or self.left_alone):
            self._believable = False
            return 0
        many = max(known // 2, 0 if other_disk else MANY - 1)
        return 0 if lost > many and not self._waited() else None

    def believes(self, gone: int, known: int, *, asked: bool) -> bool:
        """Say whether notes that went from the folder itself are deleted, and count them if so.

        Args:
            gone: So many were not found, not under another name either.
            known: Notes in the index, these included.
            asked: Somebody waits for what is there now.
        """
        now = self._clock()
        while self._going and now - self._going[0][0] > WINDOW_S:
            self._going.popleft()
        earlier = sum(count for _, count in self._going)
        before, lost = known + earlier, gone + earlier
        if gone != self._missing:
            self._missing, self._missing_since = gone, now
        nearly_all = before >= SWEPT and (before - lost) * NEARLY <= before
        quiet = asked or now - self._missing_since >= QUIET_S
        few = before < SWEPT or lost <= max(FEW, before // NEARLY)
        self._believable = True
        if self._waited() if nearly_all else few or quiet:
            self._going.append((now, gone))
            self._missing = 0
            return True
        return False

    def leaves_too_little(self, found: Scan, known: int) -> bool:
        """Say whether nearly all notes have gone from the folder, and the grace time is not over."""
        self._believable = True
        return known >= SWEPT and len(found.notes) * NEARLY <= known and not self._waited()

    def _waited(self) -> bool:
        """Whether the grace time is over."""
        return self._since is not None and self._clock() - self._since >= self._grace_s

    def hold(self, error: MassDeletion) -> MassDeletion:
        """Note that a loss is being held back; returns the error with what will come of it."""
        if self._since is None:
            self._since = self._clock()
        outcome = (  # the same each time, so that it is logged once
            f"they are taken out when they have been missing for {self._grace_s:.0f} s"
            if self._believable
            else "they are kept"
        )
        return MassDeletion(
            f"{error.message}: {outcome}; `notesd rescan --confirm-deletions` takes them out now"
        )

    def over(self) -> None:
        """Forget the doubt: all that is missing was followed."""
        self._since, self.left_alone = None, False
