"""What does use say of a fused list, and does it move anything?

The last stage: it looks at the first hits alone, asks the record of use about them, and blends what that
says into the order, or only notes it (shadow, and the half of an A/B test that is shown the plain order).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from msgspec import Struct

from notesd.errors import NotesdError
from notesd.index import neighbours, notes
from notesd.index.notes import NoteId, StoredNote
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.rank import blend
from notesd.rank.blend import Placed
from notesd.rank.fuse import Contribution, Fused, accounted, places_in
from notesd.rank.limbic import Candidate, Judged, Together, rank_candidates, rank_hybrid_candidates
from notesd.rank.route import COSINE_WEIGHT, Route
from notesd.rank.tune import Component
from notesd.settings import Limbic, LimbicMode
from notesd.usage.events import Log
from notesd.usage.signals import Opening

CANDIDATES = 50
"""First hits that use may move, and among which company counts; whatever page is asked for, so that pages fit
together. Of 950 questions none had a note further down than place 24 that the bounded blend could have lifted
onto a first page of ten; a hundred candidates took twice as long."""
CERTAIN = ("exact", "phrase", "near", "seed")
"""Lists whose notes keep their place: the query is what they are called, or what they say."""
ROUNDINGS = 8
"""Attempts to write a gain so that an account adds up to the very score that made the order; the second is
all but always enough."""

Order = Sequence[Fused[NoteId]]


class Memory(Protocol):
    """What remembers use; see ``usage.record.Record``. It raises ``NotesdError`` when it cannot be asked."""

    def openings(self, space: str, keys: Collection[str]) -> Mapping[str, Opening]:
        """Those of some notes that were ever opened."""

    def company(
        self, space: str, of: Collection[str], among: Collection[str], *, opened: bool
    ) -> Mapping[str, Sequence[Together]]:
        """Of some notes, what is known of each with those of some others that it was used with.

        Args:
            space: Key of the space.
            of: Keys of the notes.
            among: Keys of the others.
            opened: Whether openings alone count.
        """


class Use(Struct, frozen=True):
    """How use is to be heard in one search of one space."""

    memory: Memory
    space: str
    """Key of the space in the record."""
    mode: LimbicMode
    blend: Literal["bounded", "published"]
    treatment: bool
    """Whether the order that use makes is the one to show."""
    route: Route
    constants: Limbic
    now: float
    """Seconds since 1970."""
    missed: Callable[[str], None] = lambda _: None
    """Told why, when memory cannot be asked; then use is not heard at all."""


class Learnt(Struct, frozen=True):
    """An order with what use had to say."""

    use: Use
    order: Order
    """The one to show, best first; each score is the sum of its account."""
    judged: Mapping[NoteId, Judged[NoteId]]
    """Of every candidate, the limbic score and its factors."""
    placed: Mapping[NoteId, Placed[NoteId]]
    ranks: Mapping[NoteId, tuple[int, int]]
    """Of every candidate, its place before and after, from 1."""
    openings: Mapping[NoteId, Opening]
    held: int
    """So many first notes keep their place whatever use says."""
    named: int
    """So many of these use may order among themselves: they are all what the query names."""
    before: Mapping[NoteId, Fused[NoteId]]
    """Of every candidate, the account without use, in that order."""
    paths: Mapping[NoteId, NotePath]
    keys: Mapping[NoteId, str]

    def log(self) -> Log:
        """What tuning will want to know of this search; never its text."""
        return Log(
            self.use.mode, self.use.blend, self.use.route.strategy, self.use.treatment, self.held, self.named,
            tuple((self.keys[note], self.paths[note]) for note in self.before),
            tuple(self._component(note) for note in self.before),
        )  # fmt: skip

    def _component(self, note: NoteId) -> Component:
        found = self.judged[note]
        factors = (found.base, found.importance, found.temporal_factor, found.cooc_boost)
        opened = (found.opened_boost, note in self.openings)
        return Component(0, self.before[note].score, *factors, *opened, self.ranks[note][1])


def learnt(
    reader: Reader, use: Use, order: Order, distances: Mapping[NoteId, float], wanted: int, *, alone: bool
) -> Learnt | None:
    """Ask use about the first hits; None: there are none, or it cannot be asked.

    Args:
        reader: The index.
        use: How it is to be heard.
        order: What the stages before have made, best first.
        distances: Of the notes that the semantic channel has found.
        wanted: How many of the first hits may be shown.
        alone: The semantic channel alone has answered.
    """
    pool = order[:CANDIDATES]
    facts = notes.stored(reader, [one.note for one in pool])
    pool = [one for one in pool if one.note in facts]
    if not pool:
        return None
    keys = {one.note: facts[one.note].key for one in pool}
    try:
        opened = use.memory.openings(use.space, keys.values())
        candidates = _candidates(reader, use, pool, facts, distances, opened, wanted)
    except NotesdError as error:
        use.missed(error.message)
        return None
    openings = {note: opened[key] for note, key in keys.items() if key in opened}
    judged = (rank_candidates if alone else rank_hybrid_candidates)(candidates, use.now, use.constants)
    certain = places_in(pool, CERTAIN)
    held = certain[-1] + 1 if certain else 0
    named = next((at for at, place in enumerate(certain) if at != place), len(certain))
    placed = _blended(use, pool, judged, openings, held, named)
    after = {one.note: at for at, one in enumerate(placed, 1)}
    by_note = {one.note: one for one in judged}
    before = {one.note: one for one in pool}
    shown = order
    if use.treatment:
        moved = [_account(use, before[one.note], one, by_note[one.note]) for one in placed]
        shown = [*moved, *order[len(moved) :]]
    return Learnt(
        use, shown, by_note, {one.note: one for one in placed},
        {one.note: (at, after[one.note]) for at, one in enumerate(pool, 1)},
        openings, held, named, before, {note: facts[note].path for note in keys}, keys,
    )  # fmt: skip


def _candidates(
    reader: Reader, use: Use, pool: Order, facts: Mapping[NoteId, StoredNote],
    distances: Mapping[NoteId, float], opened: Mapping[str, Opening], wanted: int,
) -> list[Candidate[NoteId]]:  # fmt: skip
    """What use knows of the first hits."""
    keys = [facts[one.note].key for one in pool]
    among, ask = frozenset(keys), use.memory.company
    # All company is asked for where it may move a note or be shown (only notes that were opened rise onto a
    # page), that of openings where it may move one.
    whole = keys if use.blend == "published" else dict.fromkeys([*keys[:wanted], *opened])
    company = ask(use.space, whole, among, opened=False)
    together = ask(use.space, opened.keys(), among, opened=True)
    # Links count where a note was opened, and nowhere else.
    links = neighbours.standings(reader, [one.note for one in pool if facts[one.note].key in opened])
    found = []
    for one in pool:
        fact = facts[one.note]
        opening = opened.get(fact.key)
        access, since = (opening.opened, opening.opened_at) if opening else (0, _born(fact))
        degree = links[one.note].degree if opening else 0
        found.append(
            Candidate(
                one.note, fact.path, one.score, distances.get(one.note), access, since, degree,
                company.get(fact.key, ()), together.get(fact.key, ()),
            )
        )  # fmt: skip
    return found


def _born(facts: StoredNote) -> float:
    """When a note was created, in seconds since 1970; when it was last changed, where it does not say."""
    if facts.created:
        try:
            return datetime.fromisoformat(facts.created).timestamp()
        except (ValueError, OverflowError, OSError):
            pass  # a date that no calendar has
    return facts.mtime_ns / 1e9


def _blended(
    use: Use, pool: Order, judged: Sequence[Judged[NoteId]], opened: Collection[NoteId],
    held: int, named: int,
) -> list[Placed[NoteId]]:  # fmt: skip
    if use.blend == "published":
        return blend.published(judged, use.route.strategy)
    order = [(one.note, one.score) for one in pool]
    return blend.bounded(order, judged, opened, use.constants, held, named)


def _account(use: Use, one: Fused[NoteId], placed: Placed[NoteId], judged: Judged[NoteId]) -> Fused[NoteId]:
    """The account of a score that use had a say in."""
    if use.blend == "bounded":
        gain = placed.score - one.score
        if not gain:
            return one
        lifted = _with_use(one, gain)
        for _ in range(ROUNDINGS):
            error = lifted.score - placed.score
            if not error:
                break
            gain -= error / 2
            lifted = _with_use(one, gain)
        return lifted
    weight = COSINE_WEIGHT[use.route.strategy]
    return accounted(one.note, (
        Contribution("relevance", 1, weight * judged.base, weight, judged.base),
        Contribution("use", 1, (1 - weight) * placed.factor, 1 - weight, placed.factor),
    ))  # fmt: skip


def _with_use(one: Fused[NoteId], gain: float) -> Fused[NoteId]:
    return accounted(one.note, (*one.contributions, Contribution("use", 1, gain, 1.0, gain)))
