"""What does use say of a fused list, and does it move anything?

The last stage: it looks at the first hits alone, asks the record of use about them, and blends what that
says into the order, or only notes it (shadow, and the half of an A/B test that is shown the plain order).
"""

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from msgspec import Struct

from notesd.index import neighbours, notes
from notesd.index.notes import NoteId, StoredNote
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.rank import blend
from notesd.rank.blend import Placed
from notesd.rank.fuse import Contribution, Fused
from notesd.rank.limbic import Candidate, Judged, Together, rank_candidates, rank_hybrid_candidates
from notesd.rank.route import COSINE_WEIGHT, Route
from notesd.rank.tune import Component
from notesd.settings import Limbic, LimbicMode
from notesd.usage.events import Log
from notesd.usage.signals import Company, Opening

CANDIDATES = 100
"""First hits that use may move: as many as each channel offers, whatever page is asked for, so that pages
fit together."""
LOGGED = 50
"""Of these so many are logged, those that stand first in either order."""
CERTAIN = frozenset({"exact", "phrase", "seed"})
"""Lists whose notes keep their place: the query is what they are called, or what they say word by word."""
_HOUR_S = 3600.0

Order = Sequence[Fused[NoteId]]


class Memory(Protocol):
    """What remembers use; see ``usage.record.Record``."""

    def openings(self, space: str, keys: Collection[str]) -> Mapping[str, Opening]:
        """Those of some notes that were ever opened."""

    def company(
        self, space: str, of: Collection[str], among: Collection[str]
    ) -> Mapping[str, Mapping[str, Company]]:
        """Of some notes, those of some others that each was used with."""


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
        logged = [note for note in self.before if min(self.ranks[note]) <= LOGGED]
        return Log(
            self.use.mode, self.use.blend, self.use.route.strategy, self.use.treatment, self.held, self.named,
            tuple((self.keys[note], self.paths[note]) for note in logged),
            tuple(self._component(note) for note in logged),
        )  # fmt: skip

    def _component(self, note: NoteId) -> Component:
        found = self.judged[note]
        factors = (found.base, found.importance, found.temporal_factor, found.cooc_boost)
        opened = (found.opened_boost, note in self.openings)
        return Component(0, self.before[note].score, *factors, *opened, self.ranks[note][1])


def learnt(
    reader: Reader, use: Use, order: Order, distances: Mapping[NoteId, float],
    known: Mapping[NoteId, StoredNote], wanted: int, *, alone: bool,
) -> Learnt | None:  # fmt: skip
    """Ask use about the first hits; None: there are none.

    Args:
        reader: The index.
        use: How it is to be heard.
        order: What the stages before have made, best first.
        distances: Of the notes that the semantic channel has found.
        known: Facts of notes that were looked up already.
        wanted: How many of the first hits may be shown.
        alone: The semantic channel alone has answered.
    """
    pool = order[:CANDIDATES]
    facts = dict(known) | notes.stored(reader, [one.note for one in pool if one.note not in known])
    pool = [one for one in pool if one.note in facts]
    if not pool:
        return None
    keys = {one.note: facts[one.note].key for one in pool}
    opened = use.memory.openings(use.space, keys.values())
    openings = {note: opened[key] for note, key in keys.items() if key in opened}
    company = _company(use, keys, openings, [one.note for one in pool[:wanted]])
    # Links count where a note was opened, and nowhere else.
    degrees = {note: one.degree for note, one in neighbours.standings(reader, openings).items()}
    candidates = [
        _candidate(use, one, facts[one.note], distances.get(one.note), openings, degrees) for one in pool
    ]
    judged = (rank_candidates if alone else rank_hybrid_candidates)(candidates, company, use.constants)
    held = max((at for at, one in enumerate(pool, 1) if _certain(one)), default=0)
    named = next((at for at, one in enumerate(pool) if not _certain(one)), len(pool))
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


def _certain(one: Fused[NoteId]) -> bool:
    return any(share.name in CERTAIN for share in one.contributions)


def _company(
    use: Use, keys: Mapping[NoteId, str], openings: Collection[NoteId], shown: Sequence[NoteId]
) -> dict[NoteId, dict[NoteId, Together]]:
    """Who was used with whom.

    Asked of all for the published blend, else of those alone that it may move or that may be shown.
    """
    seen = keys if use.blend == "published" else set(shown)
    of = dict.fromkeys([*openings, *seen])
    rows = {key: note for note, key in keys.items()}
    found = use.memory.company(use.space, [keys[note] for note in of if note in keys], keys.values())
    now, company = use.now, {}
    for key, others in found.items():
        note = rows[key]
        whole = note in seen  # of a note that is not shown only openings matter
        company[note] = {
            rows[other]: Together(
                one.count, (now - one.last) / _HOUR_S, one.opened, (now - one.opened_last) / _HOUR_S
            )
            for other, one in others.items()
            if whole or one.opened
        }
    return company


def _candidate(
    use: Use, one: Fused[NoteId], facts: StoredNote, distance: float | None,
    openings: Mapping[NoteId, Opening], degrees: Mapping[NoteId, int],
) -> Candidate[NoteId]:  # fmt: skip
    opening = openings.get(one.note)
    since = opening.opened_at if opening else _born(facts)
    access, hours = (opening.opened if opening else 0), max(0.0, use.now - since) / _HOUR_S
    return Candidate(one.note, facts.path, one.score, distance, access, hours, degrees.get(one.note, 0))


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
        if math.fsum((*(share.share for share in one.contributions), gain)) > placed.score:
            gain = math.nextafter(gain, 0.0)  # a rounding must not put it before one of the same score
        return Fused(one.note, (*one.contributions, Contribution("use", 1, gain, 1.0, gain))) if gain else one
    weight = COSINE_WEIGHT[use.route.strategy]
    return Fused(one.note, (
        Contribution("relevance", 1, weight * judged.base, weight, judged.base),
        Contribution("use", 1, (1 - weight) * placed.factor, 1 - weight, placed.factor),
    ))  # fmt: skip
