"""How does the live index of a space keep up with its folder, and when is it built anew?

All of this runs in the space's one thread. A pass goes step by step and calls ``between`` after each:
there the space can be stopped, is seen to move, and lets small changes in while a long build goes on.
"""

import contextlib
import ctypes
import gc
import logging
import os
import time
from collections.abc import Callable, Generator, Iterable, Sequence

from notesd.errors import MassDeletion, NotesdError, SpaceUnavailable, StoreCorrupt, StoreError
from notesd.files.ignore import Ignore
from notesd.files.pool import Pool
from notesd.files.reading import Limits
from notesd.files.scan import RootId, Scan, root_id, scan
from notesd.index import damage, index_files, keys, notes, schema
from notesd.index.store import Store
from notesd.ingest.ingest import Ingest, Progress, choose_stemmer
from notesd.ingest.vanish import Vanishing, root_mark
from notesd.model import NotePath
from notesd.settings import Config

log = logging.getLogger("notesd")


class Follower:
    """A folder and the index that follows it."""

    def __init__(self, root: str, folder: str, ignore: Ignore, settings: Config) -> None:
        """Describe it; ``open`` begins.

        Args:
            root: Folder of notes, absolute; links in it are followed anew at each look.
            folder: Folder of state; made when missing.
            ignore: What is left out.
            settings: What all spaces share.
        """
        self.root = root
        self.store: Store | None = None
        """The index that answers; read from any thread, written by one."""
        self.ingest: Ingest | None = None
        self.between: Callable[[], None] = lambda: None
        self.admit: Callable[[], None] = lambda: None
        """Called before another folder is taken for the root; raises SpaceUnavailable when it must not be."""
        self.on_new_root: Callable[[], None] = lambda: None
        """Called when another folder stands where the root was: watches on the old one are blind."""
        self.remembered: Callable[[], Iterable[keys.Row]] = tuple
        """Keys of notes that something else remembers, see ``index.keys.take_over``."""
        self.on_change: list[Callable[[int, Sequence[NotePath] | None], None]] = []
        """Told of each commit that questions see: generation and notes it changed, None: perhaps all."""
        self.on_progress: Callable[[Progress], None] = lambda _: None
        """Told after each step of a pass. Both are called in the space's thread and must not wait."""
        self.progress: Progress | None = None
        self.began = time.monotonic()
        """When the present pass began."""
        self.moved = time.time()
        """When anything last got done."""
        self.anew = False
        """An index is being built."""
        self.beside = False
        """It is built beside a complete one, which answers meanwhile and has to follow the folder too."""
        self.suspicion: StoreCorrupt | None = None
        """What somebody met who read the index, or wrote to it; looked into before the next pass."""
        self.ignore = ignore
        """What is left out."""
        self.folder = folder
        """Folder of state."""
        self._settings = settings
        self._vanishing = Vanishing(settings.index.deletion_grace_s)
        self._root_id: RootId | None = None
        """The folder that is followed."""
        self._was_away = False
        """The last walk found no folder to follow."""
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
        self.store = index_files.create(self.folder, fingerprint="", stemmer="none")

    def close(self) -> None:
        """Let go of everything; the index is left as one file."""
        if self.ingest:
            self.ingest.pool.close()
        if self.store:
            with contextlib.suppress(NotesdError):
                self.store.harden()
            self.store.close()

    def rest(self) -> None:
        """Give back what only work needs."""
        if self.ingest:
            self.ingest.pool.close()
        _give_back_memory()

    def in_doubt(self) -> bool:
        """Whether something changed that makes no event: the folder at the root, or the file of the index."""
        if self.store and not self.store.intact():
            return True
        return self._root_id is not None and not self._stands()

    def follows(self) -> bool:
        """Whether a folder is followed now; False while it is away or has not been looked at yet."""
        return self._root_id is not None and self._stands()

    def _stands(self) -> bool:
        """Whether the folder at the root is the one that was walked."""
        try:
            return root_id(self.root) == self._root_id
        except SpaceUnavailable:
            return False

    def look_at(self, dirty: set[str]) -> None:
        """Bring the index up to date for some paths.

        Raises:
            NotesdError: See ``scan``.
        """
        self._trust_or_replace()
        if self.store is None or self.ingest is None or not self._stands():
            self.scan()  # in another folder, nothing says that what is not there is deleted
        else:
            self._run(self.ingest.look_at(self.store, dirty))
            self._purge()
            self._fit()

    def scan(self, *, anew: bool = False, confirmed: bool = False) -> None:
        """Walk the folder and bring the index up to it, by a new one where the old one will not do.

        Args:
            anew: Build a new one in any case.
            confirmed: Somebody says that all that is missing is deleted.

        Raises:
            SpaceUnavailable: The folder is missing, or so much of it that it need not be a deletion
                (``vanish``); the index keeps what is missing.
            StoreError: The index cannot be read or written.
        """
        self._trust_or_replace()
        found = self._walk()
        most = None if confirmed else self._most_missing(found)
        try:
            if anew or self.store is None or self._outdated(self.store, found):
                self._refuse_to_lose(found, most)
                self._rebuild(found)
            else:
                self.ingest = self.ingest or self._new_ingest(found)
                self._run(self.ingest.reconcile(self.store, found, most_missing=most))
        except MassDeletion as error:
            raise self._vanishing.hold(error) from None
        self._vanishing.over()
        self._purge()
        if self.store and self.store.peek().meta("root") != root_mark(found):
            with self.store.write() as writer:
                writer.set_meta("root", root_mark(found))
        self._fit()

    def _most_missing(self, found: Scan) -> int | None:
        """How many missing notes are believed to be deleted; None: any number."""
        if self.store is None:
            return None
        reader = self.store.peek()
        return self._vanishing.most_missing(found, notes.count(reader), reader.meta("root"))

    def _refuse_to_lose(self, found: Scan, most: int | None) -> None:
        """A new index would leave out what is missing."""
        if most is None or self.store is None:
            return
        missing = len(notes.known(self.store.peek()).keys() - found.notes.keys())
        if missing > most:
            raise MassDeletion(f"{missing} notes are missing in {self.root}")

    def catch_up(self, dirty: set[str], *, whole: bool) -> None:
        """Between two steps of a build: let the live index follow the folder.

        Raises:
            NotesdError: See ``scan``.
        """
        if not (self.store and self.ingest):
            return
        if whole or not self._stands():
            found = self._walk()
            steps = self.ingest.reconcile(self.store, found, most_missing=self._most_missing(found))
        else:
            steps = self.ingest.look_at(self.store, dirty)
        for step in steps:
            self.moved = time.time()
            self._tell(step.paths)

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

    def _walk(self) -> Scan:
        """Walk the folder and notice when it is another one than last time."""
        self.ignore.refresh()
        was_away, self._was_away = self._was_away, True
        now = root_id(self.root)
        if now != self._root_id:
            self.admit()
        found = scan(self.root, self.ignore)
        if found.root != now:
            raise SpaceUnavailable(f"{self.root} became another folder; it is looked at again")
        was, self._root_id, self._was_away = self._root_id, now, False
        if was_away or was not in (None, now):
            self.on_new_root()
        return found

    def _new_ingest(self, found: Scan) -> Ingest:
        index = self._settings.index
        limits = Limits(index.max_file_bytes, found.dendron)
        pool = Pool(self.root, limits, workers=index.workers, timeout_s=index.parse_timeout_s)
        return Ingest(self.root, self.ignore, pool)

    def _fingerprint(self, found: Scan) -> str:
        settings = (
            *self.ignore.patterns, str(self._settings.index.max_file_bytes), self._settings.search.stemmer,
            f"dendron={found.dendron}", type(self.ignore).__name__,
        )  # fmt: skip
        return schema.fingerprint(settings)

    def _outdated(self, store: Store, found: Scan) -> bool:
        """Whether the live index was made by other rules, or was never finished."""
        reader = store.peek()
        return reader.meta("fingerprint") != self._fingerprint(found) or not reader.meta("complete")

    def _fit(self) -> None:
        """Build anew where so many notes have come or gone that another stemmer suits them."""
        if self.store is None or self._settings.search.stemmer != "auto":
            return
        reader = self.store.peek()
        number, chosen = notes.count(reader), int(reader.meta("chosen_from") or 0)
        if number == 0 or chosen / 2 < number < 2 * chosen:
            return
        found = self._walk()
        if self._most_missing(found) is not None:
            return  # a new index would lose what is missing
        if choose_stemmer("auto", self.root, found) == reader.meta("stemmer"):
            _chosen(self.store)
        else:
            self._rebuild(found)

    def _rebuild(self, found: Scan) -> None:
        """Build an index beside the live one, then let it answer.

        Where there is no complete one the new one answers as it grows, and says so; a build that was
        interrupted goes on where it was.
        """
        old, fingerprint = self.store, self._fingerprint(found)
        whole = old is not None and bool(old.peek().meta("complete"))
        if old is not None and not whole and old.peek().meta("fingerprint") == fingerprint:
            new = old
        else:
            stemmer = choose_stemmer(self._settings.search.stemmer, self.root, found)
            generation = old.peek().generation + 1 if old else 0
            new = index_files.create(
                self.folder, fingerprint=fingerprint, stemmer=stemmer, generation=generation
            )
            with new.write() as writer:
                writer.set_meta("root", root_mark(found))
                if not whole:
                    keys.take_over(writer, self.remembered())
        if not whole:
            self._swap(new)
        ingest = self._new_ingest(found)
        self.anew, self.beside = True, whole and self.ingest is not None
        try:
            self._run(ingest.build(new, found, old if whole else None))
            self._run(ingest.reconcile(new, self._walk()))  # what changed meanwhile
            _chosen(new)
        except BaseException:
            if whole:
                new.close(delete=True)
            raise
        finally:
            self.anew = self.beside = False
            ingest.pool.close()
            _give_back_memory()
        if self.ingest:
            self.ingest.pool.close()
        self.ingest = ingest
        self._swap(new)
        index_files.clear_aside(self.folder)

    def _purge(self) -> None:
        """A note that wishes not to be indexed any more leaves no trace in the files of the index."""
        if self.store and self.store.peek().meta("unpurged"):
            self._swap(index_files.purged(self.store, self.folder))

    def _swap(self, new: Store) -> None:
        old, self.store = self.store, new
        if old is not None and old is not new:
            old.close(delete=True)
        self._tell(None)

    def _tell(self, paths: Sequence[NotePath] | None) -> None:
        """Pass on that the live index has changed, if it has."""
        generation = self.store.peek().generation if self.store else self._told
        if generation != self._told:
            self._told = generation
            for tell in self.on_change:
                tell(generation, paths)

    def _run(self, steps: Generator[Progress]) -> None:
        """Take a pass to its end, or as far as ``between`` lets it go."""
        self.began = time.monotonic()
        try:
            for step in steps:
                self.progress = step
                self.moved = time.time()
                self._tell(step.paths)
                self.on_progress(step)
                self.between()
            self._tell(())
        finally:
            self.progress = None
            steps.close()


def _chosen(store: Store) -> None:
    """Remember from how many notes the stemmer was chosen."""
    with store.write() as writer:
        writer.set_meta("chosen_from", notes.count(writer))


def _give_back_memory() -> None:
    """After a build, let the system have what only the build needed; glibc would keep it for ever."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
