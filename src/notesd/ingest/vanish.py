"""Are the notes that are missing deleted, or is the folder not there?

An unmounted disk leaves an empty folder, a restored backup or another checkout puts another folder in
the place of the old one. Neither says that anybody deleted a note. So:

- An empty folder where notes were: nothing is taken out. Is it the very folder that held them, this is
  believed after the grace time; is it another one (a mount point without its disk), never by itself.
- Another folder at the same place, in which more than half of at least 50 notes are missing: the rest is
  followed at once, the missing ones are taken out after the grace time.
- Everything else is believed at once: notes that go one by one, however many.
"""

import time
from collections.abc import Callable

from notesd.errors import MassDeletion
from notesd.files.scan import Scan

MANY = 50
"""Notes from which on the loss of more than half is worth a second look."""


def root_mark(found: Scan) -> str:
    """Say which folder was walked, in a form that can be remembered."""
    return f"{found.root.device}:{found.root.inode}"


class Vanishing:
    """Judges what is missing in one space, and remembers since when."""

    def __init__(self, grace_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Take how long a doubtful loss is waited for, in seconds."""
        self._grace_s = grace_s
        self._clock = clock
        self._since: float | None = None
        self._believable = True

    def most_missing(self, found: Scan, known: int, root: str | None) -> int | None:
        """Return how many missing notes are believed at once; None: any number.

        Args:
            found: What a walk has found.
            known: Notes in the index.
            root: ``root_mark`` of the folder they were in.
        """
        same = root in (None, root_mark(found))
        empty = not (found.notes or found.files or found.unlisted)
        if not known or (same and not empty):
            return None
        self._believable = same or not empty
        if self._believable and self._since is not None and self._clock() - self._since >= self._grace_s:
            return None
        return 0 if empty else max(known // 2, MANY - 1)

    def hold(self, error: MassDeletion) -> MassDeletion:
        """Note that a loss is being held back; returns the error with what will come of it."""
        now = self._clock()
        if self._since is None:
            self._since = now
        left = max(0.0, self._grace_s - (now - self._since))
        outcome = (
            f"they are taken out in {left:.0f} s unless they are back"
            if self._believable
            else "they are kept"
        )
        return MassDeletion(
            f"{error.message}: {outcome}; `notesd rescan --confirm-deletions` takes them out now"
        )

    def over(self) -> None:
        """Forget the doubt: all that is missing was followed."""
        self._since = None
