"""Which notes of one space have vectors, and which still want them?"""

import contextlib
import logging
import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from notesd.errors import BadVector, StoreError
from notesd.index import notes
from notesd.index.store import Writer
from notesd.index.vector_rows import line_of, places, vectors_of
from notesd.index.vectors import Piece, VectorStore
from notesd.model import NotePath
from notesd.space.space import Space

if TYPE_CHECKING:
    from notesd.search.matrix import Matrix, Near
    from notesd.search.voices import Voice

log = logging.getLogger("notesd")

OUTLINES_FROM: Final = 200
"""Of so many new notes title and headings come first: then all can be found by meaning, after a hundredth of
the work. Fewer have their passages as soon."""
_OUTLINE: Final = b"outline "
"""Before the digest of a note of which there is only an outline."""

StateName = Literal["off", "building", "ready", "unavailable"]


class VectorState(Struct, frozen=True):
    """How far the vectors of one space are."""

    state: StateName = "off"
    reason: str = ""
    model: str | None = None
    done: int = 0
    total: int = 0
    """Notes; those that are not to be embedded do not count."""
    per_s: float | None = None
    """Notes a second in the present pass, None when there is none."""
    outlined: int = 0
    """Notes beside those done of which title and headings can be found."""

    @property
    def eta_s(self) -> float | None:
        """Seconds the present pass may still take, None when nobody knows."""
        return round((self.total - self.done) / self.per_s, 1) if self.per_s else None


class Wanted(Struct, frozen=True):
    """One note as the index has it."""

    key: str
    path: NotePath
    digest: bytes
    """Of everything its vectors are made from."""
    mtime_ns: int
    embed: bool


class Pace(Struct, frozen=True):
    """Where a pass began."""

    began: float = 0.0
    before: int = 0
    """Notes that were done then."""
    total: int = 0
    """Notes that will be done in the end."""


class SpaceVectors:
    """The vectors of one space; written by the thread of ``Meaning`` alone."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.wanted = False
        """Somebody asks for meaning in this space."""
        self.store: VectorStore | None = None
        """Read from any thread once it is there."""
        self._matrix: Matrix | None = None
        self._headings: Matrix | None = None
        self._companion = False
        self.state = VectorState()
        self.anew = False
        """Somebody wants all vectors made again."""
        self.making_anew = False
        """They are being made again, whatever is known of their texts."""
        self.todo: list[Wanted] = []
        """Notes to embed, the next one first."""
        self.unoutlined: list[Wanted] = []
        """Those of them that get an outline before."""
        self._outlined: dict[str, bytes] = {}
        """Digest of the notes of which there is an outline alone, by key."""
        self.pace = Pace()
        self.not_before = 0.0
        """When it is tried again, on the monotonic clock."""
        self.trouble = ""
        """What somebody met who read them; until it is looked into, they are not to be had."""
        self._left_out = 0
        self.all_known = False
        """The index holds all notes there are."""
        self._generation: tuple[int, bool] | None = None
        self.finished: dict[str, bytes] = {}
        """Digest of what was embedded of each note, or could not be, by key."""
        self._failed: set[str] = set()

    def open(self, fingerprint: str, dimensions: int, model: str, *, companion: bool = False) -> None:
        """Open what there is, unless it is open; called in the thread that writes.

        Args:
            fingerprint: Of everything the vectors are made from.
            dimensions: Numbers in a vector.
            model: Its name.
            companion: A second encoder's vector stands behind the model's own.
        """
        if self.store is not None:
            return
        from notesd.search.matrix import Matrix  # noqa: PLC0415  # numpy: only where meaning is wanted

        self.store = VectorStore.open(self.space.folder, fingerprint, dimensions)
        self._matrix, self._headings = Matrix(self.store), Matrix(self.store, "headings")
        self._companion = companion
        self.trouble = ""
        self.state = VectorState("building", "building search index", model)
        for sentence in self.store.damage:
            log.warning("%s", sentence)
        states = self.store.state()
        self._failed = {key for key, state in states.items() if state.failed is not None}
        self.finished = {
            key: digest
            for key, state in states.items()
            if (digest := state.digest if state.failed is None else state.failed) is not None
        }
        self._outlined = {
            key: digest.removeprefix(_OUTLINE)
            for key, digest in self.finished.items()
            if digest.startswith(_OUTLINE)
        }
        for key in self._outlined:
            del self.finished[key]

    def report(self, error: StoreError) -> None:
        """The vectors could not be read or written; from any thread. They are looked into, and mended."""
        self.trouble = self.trouble or error.message

    def mend(self) -> None:
        """Let go of a file with which something is wrong; ``open`` finds out what, or begins another."""
        store = self.store
        if store is None:
            return
        if store.intact():
            if not self.trouble:
                return
            log.warning("%s is looked into: %s", store.path, self.trouble)
        else:
            log.warning("%s is gone; its vectors are made anew", store.path)
        self.store = self._matrix = self._headings = None
        store.close()
        self.look_again()

    @property
    def whole(self) -> bool:
        """Whether all notes have their vectors."""
        return self.state.state == "ready"

    def knows(self, generation: int) -> bool:
        """Whether all notes have their vectors, as the index has them at a generation; from any thread."""
        return self.whole and self._generation == (generation, True)

    def progress(self) -> str:
        """Say how many notes are known by what, while some have but an outline; from any thread."""
        outlined = len(self._outlined)
        if not outlined:
            return ""
        return f" ({self.done} of {self.pace.total} by their text, {outlined} by title and headings)"

    def nearest(
        self, query: bytes, k: int, allowed: Collection[str] | None = None, heard: Sequence["Voice"] = (),
        *, by_headings: bool = False,
    ) -> Sequence["Near"]:  # fmt: skip
        """Up to ``k`` notes, best first; from any thread. See ``Matrix.nearest``.

        Args:
            query: The vector of the question.
            k: How many.
            allowed: Keys of the notes to look at; None: all.
            heard: Languages that the question may be in.
            by_headings: A heading may be what is nearest, its position is below 0 then.

        Raises:
            StoreError: The vectors cannot be read, or somebody else could not a moment ago.
        """
        if self.trouble:
            raise StoreError(self.trouble)
        passages, headings = self._matrix, self._headings  # the thread that writes may let go of them
        if passages is None or headings is None:
            return []
        foreign = (by_headings or self._companion) and not passages.speaks(heard)
        among = passages, headings
        if self._companion and heard and not foreign:
            from notesd.models.companion import as_beside, unheard  # noqa: PLC0415 - as above

            near = self._nearest(among, unheard(query), k, allowed, heard)
            return [one._replace(score=as_beside(one.score), cosine=as_beside(one.cosine)) for one in near]
        return self._nearest(among, query, k, allowed, heard, by_headings=by_headings and foreign)

    def _nearest(
        self, among: tuple["Matrix", "Matrix"], query: bytes, k: int, allowed: Collection[str] | None,
        heard: Sequence["Voice"], *, by_headings: bool = False,
    ) -> Sequence["Near"]:  # fmt: skip
        """Look at passages, and at headings: all of them, or those of notes that have no passages yet."""
        passages, headings = among
        near = passages.nearest(query, k, allowed, heard)
        if not by_headings:
            outlined = set(self._outlined)
            if not outlined:
                return near
            allowed = outlined if allowed is None else outlined.intersection(allowed)
        from notesd.search.matrix import best_of  # noqa: PLC0415 - as above

        return best_of((near, headings.nearest(query, k, allowed, heard)), k)

    def lines(self, near: Sequence["Near"]) -> list[int]:
        """Where the nearest passage of each note begins, from 1; 0 where that is not known."""
        store = self.store
        if store is None:
            return [0] * len(near)
        with store.read() as reader:
            return [line_of(reader, one.note, one.position) for one in near]

    def passages_of(self, key: str, most: int) -> list[tuple[int, bytes]]:
        """Position and vector of the first passages of a note, in their order; from any thread."""
        store = self.store
        if store is None:
            return []
        with store.read() as reader:
            first = sorted(places(reader, "passages", [key]), key=lambda place: place.position)[:most]
            vectors = vectors_of(reader, [place.id for place in first])
        return [(place.position, vectors[place.id]) for place in first if place.id in vectors]

    def look(self) -> None:
        """Find out what is to be embedded, newest first, unless nothing has changed.

        Notes that are gone, or that ask not to be embedded, lose their vectors here.
        """
        if self.store is None or self.space.fault:
            return
        with self.space.reading() as reader:
            generation, complete = reader.generation, bool(reader.meta("complete"))
            if (generation, complete) == self._generation and not self.anew:
                return
            found = [Wanted(*row) for row in notes.embeddable(reader)]
            left_out = len(notes.left_out(reader))
        if self.anew:
            self.anew, self.making_anew = False, True
            self.finished.clear()
            self._outlined.clear()
        wanted = {one.key: one for one in found if one.embed}
        if complete:
            known = (*self.finished, *self._outlined)
            self._remove([key for key in known if key not in wanted], left_out)
        todo = [one for one in wanted.values() if self.finished.get(one.key) != one.digest]
        self.todo = sorted(todo, key=lambda one: (-one.mtime_ns, one.path))
        new = [
            one
            for one in self.todo
            if one.key not in self.finished and self._outlined.get(one.key) != one.digest
        ]
        self.unoutlined = new if len(new) >= OUTLINES_FROM and not self.making_anew else []
        self.all_known = complete
        total = self.done + sum(one.key not in self.finished for one in self.todo)
        self.pace = Pace(time.monotonic(), self.done, total)
        self.tell_building()  # whatever was said before, until the pass is over
        self._generation = (generation, complete)

    def _remove(self, gone: Sequence[str], left_out: int) -> None:
        """Take out the vectors of some notes; those that ask not to be indexed leave no trace here either."""
        if self.store and gone:
            with self.store.write() as writer:
                self.store.remove(writer, gone)
            for key in gone:
                self.finished.pop(key, None)
                self._outlined.pop(key, None)
            self._failed.difference_update(gone)
            if left_out > self._left_out:
                self.store.compact(force=True)
        self._left_out = left_out

    def tell_building(self) -> None:
        """Say how far the present pass is."""
        took = time.monotonic() - self.pace.began
        paced = took > 1 and not self.unoutlined  # how fast outlines are says nothing of the passages
        per_s = round((self.done - self.pace.before) / took, 1) if paced else None
        self.state = VectorState(
            "building", "building search index", self.state.model, self.done, self.pace.total, per_s,
            len(self._outlined),
        )  # fmt: skip

    def look_again(self) -> None:
        """What was found missing could not be made: find it again next time."""
        self._generation = None
        self.todo, self.unoutlined = [], []

    def next_notes(self, most: int) -> list[Wanted]:
        """Take the notes to go on with: those that want an outline, then those that want their passages."""
        for waiting in (self.unoutlined, self.todo):
            while waiting:
                some, waiting[:] = waiting[:most], waiting[most:]
                # A short note was done when others got their outline.
                if left := [one for one in some if self.finished.get(one.key) != one.digest]:
                    return left
        return []

    def outline(
        self, writer: Writer, one: Wanted, words: int, pieces: Sequence[Piece], language: str | None
    ) -> None:
        """Store title and headings of a note; its passages are still to be made."""
        if self.store:
            with contextlib.suppress(BadVector):  # its passages may be better
                self.store.put(writer, one.key, _OUTLINE + one.digest, words, pieces, language)
            self._outlined[one.key] = one.digest

    def remember(self, one: Wanted, *, failed: bool) -> None:
        """This note is done; where the model failed on it, it is not tried again as it is."""
        self.finished[one.key] = one.digest
        self._outlined.pop(one.key, None)
        (self._failed.add if failed else self._failed.discard)(one.key)

    @property
    def set_aside(self) -> int:
        """Notes that the model failed on, in all or in part; from any thread."""
        return len(self._failed)

    @property
    def done(self) -> int:
        """Notes that are done."""
        return len(self.finished)
