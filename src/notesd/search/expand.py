"""Which notes do links lead to from those that were found, and how far up do they belong?

A stage of its own, after the channels are fused: it needs their first hits. What it may do depends on
the question. Links of a note that was asked for by its name, or that a whole passage fits, lead to what
belongs with it, so its neighbours are a list that is fused with the fused list. For any other question
such a list lowered nDCG@10 by 0.25; there links only smooth: a note that is linked with the first hits
gets a share of their scores.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from notesd.index import neighbours, notes
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import NotePath
from notesd.parse.characters import word_count
from notesd.rank.fuse import RRF_K, Contribution, Fused, accounted, places_in
from notesd.rank.spread import (
    BACK_WEIGHT,
    OUT_WEIGHT,
    SMOOTHED_FROM,
    Reached,
    Step,
    smooth,
    spread,
)
from notesd.search.query import Query

MOST_NAMED = 3
"""Notes of one name that links are followed from."""
PASSAGE = 40
"""Words from which on a question is a passage, and its first hit the note it fits."""
CANDIDATES = 200
"""Notes whose links are counted, those that may get most first; all that hubs lead to would take too long."""
Gate = Literal["name", "passage", "closed"]
"""Why links may bring notes of their own: the query is a note's name, or a passage; ``closed``: they only
smooth the order."""
Order = Sequence[Fused[NoteId]]

_CERTAIN = ("exact", "phrase", "near")


class Place(Struct, frozen=True):
    """Where a note stands among those that links lead to."""

    rank: int
    """From 1."""
    via: tuple[NotePath, ...]
    """Notes that are linked with it, those that gave most first."""


class Expansion(Struct, frozen=True):
    """The order with what links had to say."""

    order: Order
    """Best first; each score is the sum of its account."""
    gate: Gate
    seeds: tuple[NotePath, ...]
    """Notes that links were followed from, best first."""
    places: Mapping[NoteId, Place]
    """Of every note that links lead to."""
    before: Mapping[NoteId, Fused[NoteId]]
    """The accounts that the channels gave, where ``order`` has another account in their place."""


def expand(
    reader: Reader, query: Query, fused: Order, narrowed: Narrowing | None, weights: Mapping[str, float],
    only: Collection[str] = (), k: int = RRF_K,
) -> Expansion:  # fmt: skip
    """Follow links from the first notes of a fused list.

    Args:
        reader: The index.
        query: As parsed.
        fused: What the channels found together, best first.
        narrowed: The only notes that may answer; neighbours, too.
        weights: How much links of a relation count, by its loose name; 1 without an entry.
        only: Relations that are asked for, by their loose names: no other link is followed; empty: all are.
        k: See ``rank.fuse``.
    """
    named = [fused[at].note for at in places_in(fused, ("exact",))]
    if named:
        gate: Gate = "name"
        seeds = named[:MOST_NAMED]
    elif word_count(query.text) >= PASSAGE:
        gate, seeds = "passage", [one.note for one in fused[:1]]
    else:
        gate, seeds = "closed", [one.note for one in fused[:SMOOTHED_FROM]]
    back = {"name": 0.0, "passage": BACK_WEIGHT, "closed": 1.0}[gate]
    steps = _steps(reader, seeds, narrowed, weights, only, back)
    everyone = dict.fromkeys([*seeds, *(step.note for step in steps)])
    standings = neighbours.standings(reader, everyone)
    degrees = {note: one.degree for note, one in standings.items()}
    paths = {note: one.path for note, one in standings.items()}
    scores = {one.note: one.score for one in fused} if gate == "closed" else {}
    reached = (
        smooth(seeds, scores, steps, degrees, paths)
        if gate == "closed"
        else spread(seeds, steps, degrees, paths)
    )
    places = {
        one.note: Place(rank, tuple(paths[seed] for seed in one.via)) for rank, one in enumerate(reached, 1)
    }
    followed = tuple(paths[seed] for seed in seeds)
    if gate == "closed":
        return Expansion(_smoothed(fused, reached), gate, followed, places, {})
    certain = [fused[at].note for at in places_in(fused, _CERTAIN)]
    before = {one.note: one for one in fused}
    return Expansion(_joined(fused, seeds, reached, certain, k), gate, followed, places, before)


def _steps(
    reader: Reader, seeds: Sequence[NoteId], narrowed: Narrowing | None, weights: Mapping[str, float],
    only: Collection[str], back: float,
) -> list[Step[NoteId]]:  # fmt: skip
    """The links of the seeds with notes that may answer."""
    never = tuple(name for name, weight in weights.items() if weight <= 0)
    followed = neighbours.Followed(tuple(only), never)
    steps = [
        Step(seed, one.note, weight)
        for seed, one in neighbours.neighbours(reader, seeds, followed)
        if (weight := (OUT_WEIGHT if one.outgoing else back) * _weight(one, weights)) > 0
    ]
    linked = dict.fromkeys(step.note for step in steps)
    if narrowed is None and len(linked) <= CANDIDATES:
        return steps
    links = Counter(step.seed for step in steps)
    standings = neighbours.standings(reader, linked) if len(linked) > CANDIDATES else {}

    def likeliest(step: Step[NoteId]) -> tuple[float, str]:
        path = standings[step.note].path if step.note in standings else ""
        return -step.weight / math.log2(2 + links[step.seed]), path

    linked = dict.fromkeys(step.note for step in sorted(steps, key=likeliest))
    allowed = set(notes.among(reader, list(linked), narrowed)[:CANDIDATES])
    return [step for step in steps if step.note in allowed]


def _weight(link: neighbours.Neighbour, weights: Mapping[str, float]) -> float:
    name = link.relation or (neighbours.EMBED if link.embed else None)
    return weights.get(name, 1.0) if name else 1.0


def _joined(
    fused: Order, seeds: Sequence[NoteId], reached: Sequence[Reached[NoteId]], certain: Sequence[NoteId],
    k: int,
) -> Order:  # fmt: skip
    """Fuse the fused list and the neighbours by rank; the seeds come first, then what is as certain.

    These have the first place of a list of their own, which no neighbour can make up for, and get nothing
    from links, so that they stay as they were.
    """
    kept = dict.fromkeys([*seeds, *certain])
    places: dict[NoteId, None] = dict.fromkeys([*kept, *(one.note for one in fused)])
    accounts = {note: [_vote("fused", rank, k)] for rank, note in enumerate(places, 1)}
    for note in kept:
        accounts[note].append(_vote("seed", 1, k))
    for rank, one in enumerate(reached, 1):
        if one.note not in kept:
            accounts.setdefault(one.note, []).append(_vote("graph", rank, k))
    # Sorting is stable: equals stay as they were fused, and before those that links alone have brought.
    return sorted((accounted(*one) for one in accounts.items()), key=lambda one: -one.score)


def _vote(name: str, rank: int, k: int) -> Contribution:
    return Contribution(name, rank, 1.0 / (k + rank), 1.0, 1.0)


def _smoothed(fused: Order, reached: Sequence[Reached[NoteId]]) -> Order:
    """Add to each note what linked hits give it.

    Notes that are called like the query or quote it keep their place, and those before them.
    """
    first = max(places_in(fused, _CERTAIN), default=-1) + 1
    kept, rest = fused[:first], fused[first:]
    shares = {
        one.note: Contribution("graph", rank, one.strength, 1.0, one.strength)
        for rank, one in enumerate(reached, 1)
    }
    known = {one.note for one in fused}
    raised = [
        accounted(one.note, (*one.contributions, shares[one.note])) if one.note in shares else one
        for one in rest
    ]
    raised += [accounted(one.note, (shares[one.note],)) for one in reached if one.note not in known]
    return [*kept, *sorted(raised, key=lambda one: -one.score)]
