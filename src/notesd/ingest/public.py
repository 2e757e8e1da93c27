"""How does an index without the private notes follow the index of all notes?

It is made when somebody asks for it and there are private notes, and brought up to date each time that it
is asked for again: what differs is put in and taken out as a pass over the folder does it. So it is what
an index of a folder would be in which the private notes never were.
"""

import contextlib
import threading
from collections.abc import Iterator

from notesd.index import attachments, fulltext, links, public_files, spoken
from notesd.index.budget import FREE, Meter
from notesd.index.store import Reader, Store, Writer
from notesd.ingest.edit import Edit
from notesd.model import NotePath
from notesd.parse.columns import columns_of

MOST_CHANGED = 400
"""Where more notes differ, a new copy of the whole index is sooner made."""


class Public:
    """What may be known of a space's index where private notes may not; from any thread."""

    def __init__(self, folder: str) -> None:
        """Take the space's folder of state."""
        self.hidden: frozenset[str] = frozenset()
        """Paths of the private notes that there were when it was last read."""
        self.fits = False
        """Words are cut in the languages of the notes, not in given ones."""
        self._folder = folder
        self._lock = threading.Lock()
        self._copy: Store | None = None
        self._source = ("", -1)
        """Path and generation of the index that the copy was made from."""
        self._spoken: tuple[str, ...] = ()
        """Languages of that index."""
        self._cleared = False

    @contextlib.contextmanager
    def read(self, store: Store, meter: Meter = FREE) -> Iterator[Reader]:
        """Read one generation of an index as if its private notes were not there.

        Args:
            store: The index of all notes.
            meter: What the reading may cost; to bring the copy up to date costs nobody.

        Raises:
            StoreError: The index cannot be read, or the copy not be made.
            Busy: It is being replaced.
        """
        with store.read(meter) as whole:
            if not public_files.hides_any(whole):
                self.hidden = frozenset()
                yield whole
                return
        with meter.uncharged():
            copy = self._brought_up(store)
        with copy.read(meter) as reader:
            yield reader

    def drop(self) -> None:
        """Let go of the copy, and delete it; the next who asks makes another."""
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        copy, self._copy, self._source = self._copy, None, ("", -1)
        if copy:
            copy.close(delete=True)

    def _brought_up(self, store: Store) -> Store:
        with self._lock, store.read() as whole:
            source = (store.path, whole.generation)
            copy = self._copy
            if copy is None or self._source != source:
                self.hidden = public_files.hidden(whole)
                if copy is None or self._source[0] != source[0] or not self._follow(whole, copy):
                    copy = self._made(whole)
                self._source = source
            return copy

    def _made(self, whole: Reader) -> Store:
        """Copy the whole index, and take the private notes out."""
        self._let_go()
        if not self._cleared:
            public_files.clear(self._folder)
            self._cleared = True
        self._copy = copy = public_files.copied(whole, self._folder)
        edit = Edit()
        with copy.write() as writer:
            for path in public_files.private(whole):
                edit.remove(writer, path)
            edit.follow_files(writer, attachments.of_private_notes(whole), ())
            self._settle(whole, writer, edit)
        self._spoken = fulltext.languages(whole)
        self._fit(whole, copy)
        return copy

    def _follow(self, whole: Reader, copy: Store) -> bool:
        """Bring the copy up to date note by note; says whether that was worth it."""
        before, now = public_files.facts_of_notes(copy.peek()), public_files.facts_of_notes(whole)
        gone = [path for path in before if path not in now]
        changed = [path for path, facts in now.items() if before.get(path) != facts]
        # Links are resolved at the end of a build, for all notes at once.
        if len(gone) + len(changed) > MOST_CHANGED or not copy.peek().meta("complete"):
            return False
        if fulltext.languages(whole) != self._spoken:
            return False
        own = fulltext.languages(copy.peek())
        files_before, files_now = attachments.paths(copy.peek()), _files(whole)
        edit = Edit()
        with copy.write() as writer:
            for path in gone:
                edit.remove(writer, path)
            for path in changed:
                if path in before and before[path][1] != now[path][1]:  # another note in its place
                    edit.remove(writer, path)
            public_files.know_keys(whole, writer, changed)
            for path in changed:
                if read := links.recall(whole, path):
                    edit.put(writer, read, columns_of(read.note, own))
            edit.follow_files(writer, sorted(files_before - files_now), sorted(files_now - files_before))
            self._settle(whole, writer, edit)
        self._fit(whole, copy)
        return True

    def _fit(self, whole: Reader, copy: Store) -> None:
        """Give the copy the languages of its own notes, as an index of them alone would have."""
        if not (self.fits and whole.meta("complete")):
            return
        reader = copy.peek()
        while (suited := spoken.suited(reader)) != (before := fulltext.languages(reader)):
            edit = Edit()
            with copy.write() as writer:
                for path in spoken.choose(writer, before, suited):
                    if read := links.recall(whole, path):
                        edit.put(writer, read, columns_of(read.note, suited))
                self._settle(whole, writer, edit)

    def _settle(self, whole: Reader, writer: Writer, edit: Edit) -> None:
        edit.put_words(writer)
        if whole.meta("complete"):
            links.resolve(writer, edit.keys, edit.sources)
        public_files.know_facts(whole, writer)


def _files(whole: Reader) -> set[NotePath]:
    """Files that are no notes, without those that only private notes link to."""
    return attachments.paths(whole).difference(attachments.of_private_notes(whole))
