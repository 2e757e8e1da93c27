"""Which index of a space answers, and when does another one take its place?"""

import contextlib
import logging
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from notesd.errors import NotesdError, StoreCorrupt, StoreError
from notesd.index import damage, index_files
from notesd.index.store import Store
from notesd.ingest.ingest import Progress
from notesd.ingest.ledger import Ledger
from notesd.ingest.public import Public
from notesd.model import NotePath

if TYPE_CHECKING:
    from notesd.ingest.events import Events

log = logging.getLogger("notesd")


class Answering:
    """The index that answers, what it owes, and who is told that it has changed."""

    def __init__(self, folder: str) -> None:
        """Take the folder of state; ``open`` begins."""
        self.folder = folder
        """Folder of state."""
        self.store: Store | None = None
        """The index that answers; read from any thread, written by one."""
        self.public = Public(folder)
        """The same without the private notes, for who may not know of them."""
        self.ledger = Ledger()
        """What is still to be taken in: marks are left there, from any thread."""
        self.events: list[Events] = []
        """Who listens."""
        self.suspicion: StoreCorrupt | None = None
        """What somebody met who read the index, or wrote to it; looked into before the next pass."""
        self._told = -1
        """The generation that was told last."""

    def open(self) -> None:
        """Open the newest index there is, so that it answers at once.

        Raises:
            StoreError: The state folder cannot be used.
        """
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self.folder} cannot be made ({error.strerror}); choose another --state-dir"
            ) from error
        self.store, damaged = index_files.open_newest(self.folder)
        for sentence in damaged:
            log.warning("%s", sentence)
        if self.store is None:
            self._begin()
        self._told = self.store.peek().generation if self.store else -1

    def _begin(self) -> None:
        """Have an empty index, so that there is always one to ask; it says that it is not complete."""
        self.store = index_files.create(
            self.folder, fingerprint="", stemmer="none", generation=self._told + 1
        )
        self.ledger.mark(None)

    def _judge(self, old: Store, suspicion: StoreCorrupt) -> None:
        """Look at the whole index, and begin another if it is damaged.

        Raises:
            StoreError: It cannot be read now, so nobody can tell; it is kept.
        """
        try:
            self.store = index_files.reopened(old.path, suspicion)
        except StoreCorrupt as error:
            log.warning("%s", error.message)
            self._replace()
        else:
            log.warning("%s is sound, though a part of it could not be read for a moment", old.path)
            old.close()

    def _replace(self) -> None:
        """Put an empty index in the place of one that is of no use; the next pass fills it.

        The old one is moved aside, and goes when its successor is complete.
        """
        old = self.store
        try:
            self._begin()
        except NotesdError:
            self.store = None
        if old is not None:
            old.close()
            damage.set_aside(old.path)

    def _trust_or_replace(self) -> None:
        """Have an index to write to: not a file that somebody deleted, nor one that is damaged.

        Raises:
            StoreError: There is one, and it cannot be read now.
        """
        if self.store is None:
            self.open()
        elif not self.store.intact():
            log.warning("%s is gone; it is rebuilt from the notes", self.store.path)
            self._replace()
        elif suspicion := self.suspicion:
            self._judge(self.store, suspicion)
        self.suspicion = None

    def _purge(self) -> None:
        """A note that wishes not to be indexed any more leaves no trace in the files of the index."""
        if self.store and self.store.peek().meta("unpurged"):
            self._swap(index_files.purged(self.store, self.folder))

    def _swap(self, new: Store) -> None:
        """Let another index answer; its generation is a later one, so that a look at the old one tells."""
        old = self.store
        if old is not None and old is not new:
            before = self._told
            with contextlib.suppress(StoreError):  # a damaged one need not say
                before = max(before, old.peek().generation)
            if new.peek().generation <= before:
                with new.write() as writer:
                    writer.set_meta("generation", before)  # and one more, as with every change
        self.ledger.succeed(new.peek().generation)
        self.store = new
        if old is not None and old is not new:
            self.public.drop()  # what is purged from the one is not to stay in the other
            old.close(delete=True)
        self._tell(None)

    def _tell(self, paths: Sequence[NotePath] | None) -> None:
        """Pass on that the live index has changed, if it has."""
        generation = self.store.peek().generation if self.store else self._told
        if generation != self._told:
            self._told = generation
            for one in self.events:
                one.changed(generation, paths)

    def _replaced(self) -> None:
        """Pass on that another folder stands there."""
        for one in self.events:
            one.replaced()

    def _progressed(self, now: Progress) -> None:
        """Pass on that a step of a pass is over."""
        for one in self.events:
            one.progressed(now)
