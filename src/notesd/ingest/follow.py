"""How does the live index of a space keep up with its folder, and when is it built anew?

All of this runs in the space's one thread. A pass goes step by step and calls ``between`` after each:
there the space can be stopped, is seen to move, and lets small changes in while a long build goes on.
"""

import contextlib
import ctypes
import gc
import logging
import time
from collections.abc import Callable, Generator, Iterable
from itertools import chain

from notesd.errors import MassDeletion, NotesdError
from notesd.files import pdf
from notesd.files.ignore import Ignore
from notesd.files.place import Place
from notesd.files.pool import Pool
from notesd.files.reading import Limits
from notesd.files.scan import Scan
from notesd.index import fulltext, index_files, keys, notes, schema
from notesd.index.store import Store
from notesd.ingest.answering import Answering
from notesd.ingest.ingest import Ingest, Progress
from notesd.ingest.ledger import Account
from notesd.ingest.retry import Retry
from notesd.ingest.stemmer import choose_stemmer
from notesd.ingest.vanish import Vanishing, root_mark
from notesd.model import NotePath
from notesd.settings import Config

log = logging.getLogger("notesd")

LATE_CHECK_S = 0.1
"""How often it is looked whether a note that takes long has been read."""
_ROUNDS = 3
"""So often a build that is all but over waits for slow notes while others are let into the old index."""


class Follower(Answering):
    """A folder and the index that follows it."""

    def __init__(
        self, root: str, folder: str, ignore: Ignore, settings: Config, *, follow_links: bool = False
    ) -> None:  # fmt: skip
        """Describe it; ``open`` begins.

        Args:
            root: Folder of notes, absolute; links in it are followed anew at each look.
            folder: Folder of state; made when missing.
            ignore: What is left out.
            settings: What all spaces share.
            follow_links: Read what links in the folder lead to, too.
        """
        super().__init__(folder)
        self.public.fits = settings.search.stemmer == "auto"
        self.root = root
        self.place = Place(root, ignore, follow_links=follow_links, on_new=self._replaced)
        self.ingest: Ingest | None = None
        self.between: Callable[[], None] = lambda: None
        """Called after each step of a pass, where the index is consistent."""
        self.breathe: Callable[[], None] = lambda: None
        """Called often while something long is done; what it raises ends the pass."""
        self.remembered: Callable[[], Iterable[keys.Row]] = tuple
        """Keys of notes that something else remembers, see ``index.keys.take_over``."""
        self.progress: Progress | None = None
        self.began = time.monotonic()
        """When the present pass began."""
        self.moved = time.time()
        """When anything last got done."""
        self.anew = False
        """An index is being built."""
        self.beside = False
        """It is built beside a complete one, which answers meanwhile and has to follow the folder too."""
        self.ignore = ignore
        """What is left out."""
        self._settings = settings
        self._vanishing = Vanishing(settings.index.deletion_grace_s)
        self._asked = True
        """Somebody waits for what the present pass finds, see ``vanish``."""
        self.retry = Retry()
        """What could not be looked at."""
        self._new: Store | None = None
        """An index that is being built."""

    def close(self) -> None:
        """Let go of everything; a complete index is left as one file."""
        self.public.drop()
        if self.ingest:
            self.ingest.pool.close()
        if self.store:
            with contextlib.suppress(NotesdError):
                if self.store.peek().meta("complete"):  # to sync another one takes long, and helps nobody
                    self.store.harden()
            self.store.close()

    def interrupt(self) -> None:
        """End what an index is in the midst of, from any thread; the pass fails."""
        for store in filter(None, (self.store, self._new)):
            store.interrupt()

    def rest(self) -> None:
        """Give back what only work needs."""
        if self.ingest:
            self.ingest.pool.close()
        _give_back_memory()

    def late(self) -> frozenset[NotePath]:
        """Notes that take long to read: they are under way, and owed."""
        return frozenset(self.ingest.pool.under_way()) if self.ingest else frozenset()

    def again_in_s(self) -> float | None:
        """Seconds until ``has_more`` is to be asked again, whatever is marked; None: it need not be."""
        waits = (LATE_CHECK_S if self.late() else None, self.retry.in_s())
        return min((wait for wait in waits if wait is not None), default=None)

    def has_more(self) -> bool:
        """Whether a slow note has been read, or a path is to be tried again: ``look_at`` takes it in."""
        return (self.ingest is not None and self.ingest.has_collected()) or bool(self.retry.due())

    def in_doubt(self) -> bool:
        """Whether something changed that makes no event: the folder at the root, or the file of the index."""
        if self.store and not self.store.intact():
            return True
        return self.place.in_doubt()

    def look_at(self, paths: Iterable[str] = ()) -> None:
        """Bring the index up to date for what is marked and for other paths; raises as ``scan`` does."""
        self._trust_or_replace()
        usable = self.store is not None and self.store.peek().meta("complete") and self.place.stands()
        if self.store is None or self.ingest is None or not usable:
            self.scan(asked=False)  # in another folder, nothing says that what is not there is deleted
            return
        account = self.ledger.answering
        with self.ledger.working_off(account):
            self._asked = False
            dirty = account.take(whole=False).union(paths, self.retry.due())
            try:
                self._run(self.ingest.look_at(self.store, dirty))
            except MassDeletion as error:
                raise self._vanishing.hold(error) from None
            self._tidy()
        self._plan_retry()

    def scan(self, *, anew: bool = False, confirmed: bool = False, asked: bool = True) -> None:
        """Walk the folder and bring the index up to it, by a new one where the old one will not do.

        Args:
            anew: Build a new one in any case.
            confirmed: Somebody says that all that is missing is deleted.
            asked: Somebody waits for what is there now, see ``vanish``.

        Raises:
            SpaceUnavailable: The folder is missing, or so much of it that it need not be a deletion
                (``vanish``); the index keeps what is missing.
            StoreError: The index cannot be read or written.
        """
        self._trust_or_replace()
        self._asked = asked
        account = self.ledger.answering
        with self.ledger.working_off(account):
            account.take(whole=True)
            found = self._walk()
            most = None if confirmed else self._most_missing(found)
            account.outdated = self.store is None or self._outdated(self.store, found)
            try:
                if self.store is None or anew or account.outdated:
                    if not confirmed:
                        self._refuse_to_lose(found, most)
                    self._rebuild(found, confirmed=confirmed)
                else:
                    self.ingest = self.ingest or self._new_ingest(found, account, self.store)
                    self._run(self.ingest.reconcile(self.store, found, most_missing=most))
            except MassDeletion as error:
                raise self._vanishing.hold(error) from None
            self._vanishing.over()
            if self.store and self.store.peek().meta("root") != root_mark(found):
                with self.store.write() as writer:
                    writer.set_meta("root", root_mark(found))
                    writer.set_meta("left_alone", 0)
            self._tidy()
        self._plan_retry()

    def _plan_retry(self) -> None:
        if self.ingest:
            unread = (path for path, problem in self.ingest.unread.items() if problem.kind == "unreadable")
            # What a cloud service has put away makes an event, and links are looked at all the time.
            lost = (path for path, p in self.ingest.unlisted.items() if p.kind not in {"offline", "unlinked"})
            self.retry.after([*lost, *unread])

    def _most_missing(self, found: Scan, store: Store | None = None) -> int | None:
        """How many of an index's missing notes are believed to be deleted; None: any number."""
        store = store or self.store
        if store is None:
            return None
        reader = store.peek()
        self._vanishing.left_alone |= bool(reader.meta("left_alone"))
        most = self._vanishing.most_missing(
            found, notes.count(reader), reader.meta("root"), lambda: _missing(store, found)
        )
        if self._vanishing.left_alone and not reader.meta("left_alone"):
            with store.write() as writer:
                writer.set_meta("left_alone", 1)
        return most

    def _believes(self, gone: int) -> bool:
        """Whether notes that went from the folder that was walked are deleted."""
        known = notes.count(self.store.peek()) if self.store else 0
        return self._vanishing.believes(gone, known, asked=self._asked)

    def _refuse_to_lose(self, found: Scan, most: int | None) -> None:
        """A new index would leave out what is missing."""
        if self.store is None:
            return
        if most is None and self._vanishing.leaves_too_little(found, notes.count(self.store.peek())):
            most = 0
        if most is not None and (missing := _missing(self.store, found)) > most:
            raise MassDeletion.of(missing, self.root)

    def catch_up(self, *, whole: bool) -> None:
        """Between two steps of a build: let the index that answers follow the folder.

        Args:
            whole: Walk the folder; its successor will have to look everywhere, too.

        Raises:
            NotesdError: See ``scan``.
        """
        if not (self.store and self.ingest):
            return
        account = self.ledger.answering
        whole = whole or not self.place.stands()
        if whole:
            self.ledger.mark(None)
        with self.ledger.working_off(account):
            dirty = account.take(whole=whole)
            if whole:
                found = self._walk()
                steps = self.ingest.reconcile(self.store, found, most_missing=self._most_missing(found))
            else:
                steps = self.ingest.look_at(self.store, dirty)
            for step in chain(steps, self._fitted(self.store, self.ingest)):
                self.moved = time.time()
                self._tell(step.paths)
                self.breathe()

    def _walk(self) -> Scan:
        return self.place.walk()

    def _new_ingest(self, found: Scan, account: Account, store: Store) -> Ingest:
        index = self._settings.index
        languages = fulltext.languages(store.peek())
        limits = Limits(index.max_file_bytes, found.dendron, languages, self.ignore.embed)
        pool = Pool(self.root, limits, workers=index.workers, timeout_s=index.parse_timeout_s)
        ingest = Ingest(self.root, self.ignore, pool, account, self.place.links, self._believes)
        ingest.breathe = self.breathe
        return ingest

    def _fingerprint(self, found: Scan) -> str:
        settings = (
            *self.ignore.settings(), str(self._settings.index.max_file_bytes),
            self._settings.search.stemmer, f"dendron={found.dendron}",
            f"pdf={pdf.has_reader() and self.ignore.ends_so('a.pdf')}",
        )  # fmt: skip
        return schema.fingerprint(settings)

    def _outdated(self, store: Store, found: Scan) -> bool:
        """Whether the live index was made by other rules, or was never finished."""
        reader = store.peek()
        return reader.meta("fingerprint") != self._fingerprint(found) or not reader.meta("complete")

    def _tidy(self) -> None:
        """After a pass: fit the index to the languages of the notes, leave no trace of what wishes none."""
        if self.store and self.ingest:
            self._run(self._fitted(self.store, self.ingest))
        self._purge()

    def _fitted(self, store: Store, ingest: Ingest) -> Generator[Progress]:
        """Fit an index to the languages of its notes, unless they are given."""
        if self._settings.search.stemmer != "auto":
            return
        try:
            yield from ingest.fit(store)
        except MassDeletion as error:
            raise self._vanishing.hold(error) from None

    def _rebuild(self, found: Scan, *, confirmed: bool = False) -> None:
        """Build an index beside the live one, then let it answer.

        Where there is no complete one the new one answers as it grows, and says so; a build that was
        interrupted goes on where it was.

        Args:
            found: A walk; what was marked before it is in it.
            confirmed: See ``scan``.
        """
        old, fingerprint = self.store, self._fingerprint(found)
        whole = old is not None and bool(old.peek().meta("complete"))
        if old is not None and not whole and old.peek().meta("fingerprint") == fingerprint:
            new = old
        else:
            new = self._create(found, fingerprint, old, whole=whole)
        if whole:
            account = self.ledger.begin_successor()
            self.ledger.answering.put_back()  # the live index follows the folder by itself
        else:
            account = self.ledger.answering
            self._swap(new)
        ingest, self._new = self._new_ingest(found, account, new), new
        self.anew, self.beside = True, whole and self.ingest is not None
        try:
            with self.ledger.working_off(account):
                self._run(ingest.build(new, found, old if whole else None, confirmed=confirmed))
                self._complete(ingest, new, confirmed=confirmed)
        except BaseException:
            if whole:
                self.ledger.drop_successor()
                new.close(delete=True)
            raise
        finally:
            self.anew, self.beside, self._new = False, False, None
            ingest.pool.close()
            _give_back_memory()
        if self.ingest:
            self.ingest.pool.close()
        self.ingest = ingest
        account.outdated = False
        self._swap(new)
        index_files.clear_aside(self.folder)

    def _create(self, found: Scan, fingerprint: str, old: Store | None, *, whole: bool) -> Store:
        """Make the file of a new index."""
        stemmer = choose_stemmer(self._settings.search.stemmer, self.root, found)
        generation = old.peek().generation + 1 if old else self._told + 1
        new = index_files.create(self.folder, fingerprint=fingerprint, stemmer=stemmer, generation=generation)
        with new.write() as writer:
            writer.set_meta("root", root_mark(found))
            if not whole:
                keys.take_over(writer, self.remembered())
        return new

    def _complete(self, ingest: Ingest, new: Store, *, confirmed: bool) -> None:
        """Take in what changed while an index was built, until it may answer.

        It may when it owes nothing that the one beside it has taken in: nobody is to see a change go
        away again. So that this has an end, the last round lets nothing into the other one.
        """
        account = ingest.account
        account.take(whole=True)
        self._run(self._reconciled(ingest, new, confirmed=confirmed))
        beside = self.beside
        for _ in range(_ROUNDS):
            self.beside = beside
            self._run(ingest.wait(new))
            self.beside = False
            if account.doubtful:
                account.take(whole=True)
                self._run(self._reconciled(ingest, new, confirmed=confirmed))
            elif account.marked:
                self._run(ingest.look_at(new, account.take(whole=False)))
            if not ingest.pool.under_way():
                break
        self._run(ingest.wait(new))
        self._run(self._fitted(new, ingest))
        self._run(ingest.wait(new))

    def _reconciled(self, ingest: Ingest, new: Store, *, confirmed: bool) -> Generator[Progress]:
        found = self._walk()
        most = None if confirmed else self._most_missing(found, new)
        return ingest.reconcile(new, found, most_missing=most)

    def _run(self, steps: Generator[Progress]) -> None:
        """Take a pass to its end, or as far as ``between`` lets it go."""
        self.began = time.monotonic()
        try:
            for step in steps:
                self.progress = step
                self.moved = time.time()
                self._tell(step.paths)
                self._progressed(step)
                self.between()
            self._tell(())
        finally:
            self.progress = None
            steps.close()


def _missing(store: Store, found: Scan) -> int:
    """How many notes that are known were not found."""
    return len(notes.known(store.peek()).keys() - found.notes.keys())


def _give_back_memory() -> None:
    """After a build, let the system have what only the build needed; glibc would keep it for ever."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
