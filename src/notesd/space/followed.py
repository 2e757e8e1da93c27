"""What is seen of the folder of a space and of how it is followed, and how is it heard of?"""

import time
from collections.abc import Callable, Iterable, Sequence

from notesd.files.ignore import Ignore
from notesd.files.place import Place
from notesd.index import keys
from notesd.ingest.events import Events
from notesd.ingest.follow import Follower
from notesd.ingest.ingest import Progress
from notesd.ingest.ledger import Ledger
from notesd.model import NotePath, Problem


class FollowedFolder:
    """A folder that is followed, from outside."""

    def __init__(self, follower: Follower) -> None:
        """Take what follows it; nobody else needs to know that."""
        self.follower = follower
        self.folder = follower.folder
        """Folder of state."""

    def hear(self, events: Events) -> None:
        """Have somebody listen from now on, once however often it is said."""
        if events not in self.follower.events:
            self.follower.events.append(events)

    def guard(self, admit: Callable[[], None], fences: Callable[[], Sequence[tuple[str, str]]]) -> None:
        """Have somebody judge what may be followed, see ``Place.admit`` and ``Links.fences``."""
        self.place.admit, self.place.links.fences = admit, fences

    def remember(self, rows: Callable[[], Iterable[keys.Row]]) -> None:
        """Have keys of notes that somebody remembers outlive the index, see ``index.keys.take_over``."""
        self.follower.remembered = rows

    @property
    def ignore(self) -> Ignore:
        """What is left out."""
        return self.follower.ignore

    @property
    def place(self) -> Place:
        """Where its path leads to, and the links in it."""
        return self.follower.place

    @property
    def ledger(self) -> Ledger:
        """What is still to be taken in."""
        return self.follower.ledger

    @property
    def progress(self) -> Progress | None:
        """How far the present pass is; None: there is none."""
        return self.follower.progress

    @property
    def pass_seconds(self) -> float:
        """How long ago the present or last pass began."""
        return time.monotonic() - self.follower.began

    @property
    def moved(self) -> float:
        """When anything last got done, in seconds since 1970."""
        return self.follower.moved

    def hidden_by(self, path: NotePath) -> Problem | None:
        """What keeps the last look at the folder from seeing a note; None: nothing does."""
        ingest = self.follower.ingest
        return ingest.hidden_by(path) if ingest else None
