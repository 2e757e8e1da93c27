"""Change, read, parse, resolve, one write transaction: how an index follows its folder."""

import contextlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, structs

from notesd.errors import MassDeletion, SpaceUnavailable
from notesd.files.changes import Changes, diff, united
from notesd.files.ignore import Ignore
from notesd.files.links import Links
from notesd.files.paths import outermost, within
from notesd.files.pool import Pool
from notesd.files.reading import Job, Reading
from notesd.files.scan import RootId, Scan, is_another_root, lstat_note
from notesd.files.walk import look_again
from notesd.index import attachments, fulltext, keys, links, notes, spoken
from notesd.index.store import Reader, Store, Writer
from notesd.ingest.disks import away, with_disks_away
from notesd.ingest.edit import Edit
from notesd.ingest.ledger import Account
from notesd.ingest.moves import Moves
from notesd.model import NotePath, Problem, Stamp
from notesd.parse.columns import columns_of

BATCH = 400
"""Notes in one transaction: few enough that a reader of the log waits for none, many enough to be fast."""
FIRST_BATCH = 50
"""Notes in the first transaction of a build; each further one is twice as large, so that questions find
something at once."""
_PATIENCE_S = 0.2
_LOOK_AGAIN = Stamp(-1, -1, -1, -1, -1)
"""Equal to no stamp: a note that has to be read whatever its file says of itself."""


AnyPath = TypeVar("AnyPath", bound=str)


class Progress(Struct, frozen=True):
    """How far a pass over the folder has come."""

    done: int
    total: int
    paths: tuple[NotePath, ...] = ()
    """Notes that the last step changed in the index."""


class Ingest:
    """Follows one folder; remembers what it could not read, so that it can be said."""

    def __init__(
        self,
        root: str,
        ignore: Ignore,
        pool: Pool,
        account: Account,
        links_: Links,
        believes: Callable[[int], bool] = lambda _: True,
    ) -> None:
        self.root, self._links = root, links_
        self._believes = believes
        """Whether so many notes that went without coming back elsewhere are deleted."""
        self.walked: RootId | None = None
        self.ignore = ignore
        self.pool = pool
        self.account = account
        """What the index it writes still lacks."""
        self.breathe: Callable[[], None] = lambda: None
        """Called often; what it raises ends the pass."""
        self._collected: list[Reading] = []
        """Answers on notes that took long, until they are taken in."""
        self.unread: dict[NotePath, Problem] = {}
        """Notes whose file could not be read; the index keeps what it knew."""
        self.unlisted: dict[str, Problem] = {}
        """Folders that could not be listed; the index keeps what it knew below them."""
        self.odd: dict[NotePath, Problem] = {}
        """What stands where a note is expected and is no regular file."""

    def is_hidden(self, path: NotePath) -> bool:
        """Whether the file at ``path`` cannot be read or listed now: what the index says may be old."""
        return self.hidden_by(path) is not None

    def hidden_by(self, path: NotePath) -> Problem | None:
        """What keeps the file at ``path`` from being read or listed now, None when nothing does."""
        unlisted = (problem for folder, problem in self.unlisted.copy().items() if within(path, folder))
        return self.unread.get(path) or next(unlisted, None)

    def build(
        self, store: Store, found: Scan, old: Store | None = None, *, confirmed: bool = False
    ) -> Generator[Progress]:
        """Fill an index that is not complete yet, and complete it.

        Links are resolved once, at the end: until then the index answers words, and says it is building.

        Args:
            store: The index to fill.
            found: What a walk has found.
            old: The index it will replace: what cannot be read now is taken over from there.
            confirmed: What lay on a disk that is not there now is deleted, somebody says.
        """
        if old is not None:
            with store.write() as writer:
                keys.hand_over(old.peek(), writer)
            if not confirmed:
                found = with_disks_away(self.root, found, old.peek(), store)
        yield from self._follow(store, self._compare(store, found), found.notes, resolve=False)
        if old is not None:  # which has every note: nothing is to be missing when another one answers
            yield from self.wait(store, resolve=False)
        with store.write() as writer:
            if old is not None:
                self._take_over(old.peek(), writer)
            links.resolve_all(writer, self.breathe)
        store.harden()
        with store.write() as writer:
            writer.set_meta("complete", 1)

    def _take_over(self, old: Reader, writer: Writer) -> None:
        """Keep what the old index knows of notes that are there but cannot be read."""
        have = notes.known(writer).keys()
        change = _Change(self, resolve=False)
        for path in notes.known(old):
            self.breathe()
            if path not in have and self.is_hidden(path) and (read := links.recall(old, path)):
                change.put(writer, read, columns_of(read.note, self.pool.languages))
                change.put_words(writer)

    def reconcile(self, store: Store, found: Scan, *, most_missing: int | None = None) -> Generator[Progress]:
        """Bring a complete index up to what a walk has found.

        Args:
            store: The index.
            found: What a walk has found.
            most_missing: When more notes than this are missing, none of them is taken out; None: all
                that are missing are.

        Raises:
            MassDeletion: More are missing. Everything else has been followed.
        """
        changes = self._compare(store, found)
        missing = len(changes.removed)
        hold = most_missing is not None and missing > most_missing
        if hold:
            changes = structs.replace(changes, removed=(), files_removed=())
        yield from self._follow(store, changes, found.notes, below=[""])
        known = notes.mounts(store.peek())
        mounted = {path: device for path, device in found.mounts.items() if path not in self.unlisted}
        mounted |= {path: device for path, device in known.items() if path in self.unlisted}
        if mounted != known:
            with store.write() as writer:
                notes.put_mounts(writer, mounted)
        if hold:
            raise MassDeletion.of(missing, self.root)

    def _compare(self, store: Store, found: Scan, below: str = "") -> Changes:
        self.walked = found.root
        reader = store.peek()
        known = notes.known(reader, below)
        stamps = {
            path: _LOOK_AGAIN if k.racy or path in self.unread else k.stamp for path, k in known.items()
        }
        disks_away = away(self.root, found, known, notes.mounts(reader), below)
        found = structs.replace(found, unlisted=found.unlisted | disks_away)
        self.unlisted = _outside(self.unlisted, below) | found.unlisted
        self.odd = _outside(self.odd, below) | found.odd
        still = {path: problem for path, problem in self.unread.items() if path in found.notes}
        self.unread = _outside(self.unread, below) | still
        return diff(found, stamps, attachments.paths(reader, below), below)

    def look_at(self, store: Store, dirty: Iterable[str]) -> Generator[Progress]:
        """Bring the index up to date for some paths that something happened to.

        Whatever the event said, the disk decides: a path may be a note, a folder, a file or gone.

        Raises:
            SpaceUnavailable: The folder itself is missing or cannot be listed.
        """
        several: list[Changes] = []
        below: list[str] = []
        stamps: dict[NotePath, Stamp] = {}
        for path in outermost(dirty):
            found = look_again(self.root, path, self.ignore, self.breathe, self._links)
            if found is None:
                self.account.look_again((None,))
                continue
            several.append(self._compare(store, found, path))
            below.append(path)
            stamps |= found.notes
        yield from self._follow(store, united(several), stamps, below=below)

    def fit(self, store: Store) -> Generator[Progress]:
        """Give an index the languages that its notes have by now; read again what has other stems in them.

        What is being read meanwhile was to be cut as before, so it is asked for anew. When this ends in the
        midst, the next look at those notes goes on.
        """
        reader = store.peek()
        while (suited := spoken.suited(reader)) != (before := fulltext.languages(reader)):
            late = self.pool.under_way().union(reading.path for reading in self._collected)
            self._collected = []
            self.pool.speak(suited)
            with store.write() as writer:
                outdated = spoken.choose(writer, before, suited)
            self.account.found(path for path in outdated if not self.is_hidden(path))
            yield from self.look_at(store, late.union(outdated))

    def _follow(
        self,
        store: Store,
        changes: Changes,
        stamps: Mapping[NotePath, Stamp],
        *,
        resolve: bool = True,
        below: Collection[str] = (),
    ) -> Generator[Progress]:
        """Apply changes in batches, each a transaction; a pass of few changes is one transaction.

        Notes that went are taken out last, so that one that came back elsewhere is found to be moved.

        Args:
            store: The index.
            changes: How the folder differs from it.
            stamps: Of the notes that are there.
            resolve: Resolve links with each batch.
            below: What was compared, see ``Account.found``.
        """
        yield from self.collect(store, resolve=resolve)
        reader = store.peek()
        files_changed = (*changes.files_added, *changes.files_removed)
        owed = (*changes.read, *changes.removed)
        self.account.found(owed, files_changed, below, self.pool.under_way())
        for path in changes.removed:
            self.pool.forget(path)
        late = self.pool.under_way()
        asked = [path for path in changes.read if path not in late]
        moves = Moves(reader, changes, stamps)
        total = len(asked) + len(moves.left)
        done = 0
        files: Changes | None = changes
        if total > BATCH:
            yield Progress(0, total)
        jobs = (self._job(reader, path) for path in asked)
        for batch, last in _batched(self._read(jobs), BATCH if resolve else FIRST_BATCH):
            done += len(batch)
            self.account.look_again(self._behind(one for one in batch if one.path in late))
            if last:
                for unread in self.pool.under_way():
                    moves.give_up(unread)
            if batch or moves.left or files_changed:
                paths = self._commit(store, batch, files, moves, last=last, resolve=resolve)
                gone = changes.removed if last and not moves.left else ()
                settled = (*(one.path for one in batch), *files_changed, *gone)
                self.account.committed(settled, reader.generation)
                yield Progress(min(done, total), total, paths)
            files, files_changed = None, ()
        if moves.left:
            raise MassDeletion.of(len(moves.left), self.root)

    def _job(self, reader: Reader, path: NotePath) -> Job:
        return Job(path, spoken.unchanged(reader, path), self._links.target_of(path))

    def _read(self, jobs: Iterable[Job]) -> Iterator[Reading]:
        """Read some notes, without those that take long."""
        with contextlib.closing(self.pool.read(jobs, leave_slow=True)) as readings:
            for reading in readings:
                self.breathe()
                yield reading

    def has_collected(self) -> bool:
        """Whether there are answers to ``collect``."""
        self._collected += self.pool.arrived()
        return bool(self._collected)

    def collect(self, store: Store, *, resolve: bool = True, wait_s: float = 0.0) -> Generator[Progress]:
        """Take in notes that took long, as far as they have been read now or within ``wait_s`` seconds.

        Those whose file is another one by now are owed another look.
        """
        readings, self._collected = [*self._collected, *self.pool.arrived(wait_s)], []
        if readings:
            reader = store.peek()
            read = [reading.path for reading in readings]
            self.account.look_again(self._behind(readings))
            nothing = Moves(reader, united(()), {})
            paths = self._commit(store, readings, None, nothing, last=False, resolve=resolve)
            self.account.committed(read, reader.generation)
            yield Progress(len(read), len(read), paths)

    def _behind(self, readings: Iterable[Reading]) -> list[NotePath]:
        """Which notes may say something else by now than what was read of them a while ago."""
        found = []
        for reading in readings:
            if reading.problem:
                continue  # tried again as all that cannot be read
            now: Stamp | Problem | None = None
            with contextlib.suppress(SpaceUnavailable):
                now = lstat_note(*self._links.place(reading.path))
            settled = reading.provisional or not reading.racy
            if now != reading.stamp or not settled:
                found.append(reading.path)
        return found

    def wait(self, store: Store, *, resolve: bool = True) -> Generator[Progress]:
        """Take in every note that takes long; each step is short."""
        while left := len(self.pool.under_way()):
            yield Progress(0, left)
            yield from self.collect(store, resolve=resolve, wait_s=_PATIENCE_S)

    def _take(self, writer: Writer, change: "_Change", reading: Reading) -> None:
        """Store one note; what cannot be stored of it harms no other."""
        try:
            with writer.attempt():
                change.take(writer, reading)
        except (ValueError, OverflowError) as error:
            reason = f"{reading.path} could not be indexed: {error}; please report this"
            self.unread[reading.path] = Problem("not_indexed", reason)

    def _commit(
        self,
        store: Store,
        batch: Sequence[Reading],
        files: Changes | None,
        moves: Moves,
        *,
        last: bool,
        resolve: bool,
    ) -> tuple[NotePath, ...]:
        change = _Change(self, moves, resolve=resolve)
        with store.write() as writer:
            if files:
                change.follow_files(writer, files.files_removed, files.files_added)
            for reading in batch:
                self._take(writer, change, reading)
            if last and moves.left and self._believes(len(moves.left)):
                for path in sorted(moves.left):
                    change.remove(writer, path)
                moves.left.clear()
            change.put_words(writer)
            if resolve:
                links.resolve(writer, change.keys, change.sources)
        return tuple(change.paths)


class _Change(Edit):
    """One transaction's worth of what a pass has found."""

    def __init__(self, ingest: Ingest, moves: Moves | None = None, *, resolve: bool) -> None:
        super().__init__(moves, resolve=resolve)
        self._ingest = ingest

    def take(self, writer: Writer, reading: Reading) -> None:
        path = reading.path
        self._ingest.unread.pop(path, None)
        if self._moves and not (reading.note and reading.note.index):
            self._moves.give_up(path)
        if reading.problem:
            self._ingest.unread[path] = reading.problem
        elif reading.absent:
            if is_another_root(self._ingest.root, self._ingest.walked):  # since it was walked
                raise SpaceUnavailable(f"{self._ingest.root} became another folder; it is looked at again")
            self.remove(writer, path)
        elif reading.same and reading.stamp:
            notes.touch(writer, path, reading.stamp, racy=reading.racy)
        elif reading.note and reading.stamp and not reading.note.index:
            if self.remove(writer, path):
                writer.set_meta("unpurged", 1)
            notes.skip(writer, path, reading.stamp, private=reading.note.private)
        elif reading.note and reading.columns and reading.stamp:
            read = notes.Read(reading.note, reading.stamp, reading.racy, reading.digest, reading.passages)
            self.put(writer, read, reading.columns)


def _outside(problems: dict[AnyPath, Problem], below: str) -> dict[AnyPath, Problem]:
    return {path: problem for path, problem in problems.items() if not within(path, below)}


def _batched(readings: Iterator[Reading], size: int) -> Iterator[tuple[list[Reading], bool]]:
    """Put readings together, the first ``size`` of them and then twice as many each time, up to a batch.

    Yields each batch and whether it is the last one; there is always a last one, be it empty.
    """
    batch: list[Reading] = []
    for reading in readings:
        if len(batch) == size:
            yield batch, False
            batch, size = [], min(2 * size, BATCH)
        batch.append(reading)
    yield batch, True
