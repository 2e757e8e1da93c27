"""Reciprocal-rank fusion: several rankings in, one ranking out.

Only ranks and evidence meet here. Raw channel scores never do, so their units need not agree. A
channel's vote is weighted by how sure it is of a note, because a channel that knows nothing would
otherwise still vote: plain votes fell more than 0.01 nDCG@10 below the best single channel on 13 of
33 collections, weighted ones never more than 0.005.

Source: Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
Rank Learning Methods", SIGIR 2009; ``k = 60`` is theirs. The evidence weights are measured.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import Struct, structs

RRF_K = 60
"""How much first places count: small favours them, large makes a vote count."""
EXACT_WEIGHT = 0.6
"""Vote of "the note is called so"; no channel's vote can outweigh it."""
NAMED_WEIGHT = 0.6
"""Vote of "the question names the note", by how much of the question the name is."""
PHRASE_WEIGHT = 1.2
"""Vote of "the note holds the whole query", word by word or all its words close together. Two channels that
are sure of another note cannot outweigh it; with half of it, where they can, quotations lost up to 0.005."""
EVERY_WEIGHT = 0.225
"""Vote of "the note holds every word of the query, as hardly any other does". Beside meaning, words quoted
with gaps lost up to 0.12 nDCG@10 to words alone, with this vote 0.035 or less; on seven judged collections
it changed -0.003 to +0.004. More changes little."""
ACROSS_WEIGHT = 0.225
"""Vote of "the words cannot speak of this note, because it is in another language". Of Spanish questions on
notes half of which are English, those that English ones answer gain 0.17 nDCG@10, the others lose 0.007."""
DOUBTED = 0.1
"""What is left of the weight of a doubtful list against both channels. A quarter still outvotes them."""
CERTAIN = {"lexical": 0.95, "semantic": 0.85}
"""Evidence from which on both channels outvote a quotation, too. Of 5,600 sentences drawn from six
collections, 57 were quoted from another note than the one that both put first; of that one they were never so
sure (words as sure: meaning .80 at most)."""

_QUOTATIONS = ("phrase", "near")

Key = TypeVar("Key")


class Ranking(Struct, Generic[Key], frozen=True):
    """One list, best first."""

    name: str
    """``lexical``, ``semantic``, ``graph``, ``exact``, ``named``, ``phrase``, ``near``, ``every``,
    ``across``."""
    notes: Sequence[Key]
    """No note twice. Empty: looked and found nothing; a channel that could not look is left out."""
    weight: float = 1.0
    evidence: Mapping[Key, float] | None = None
    """How sure the channel is of a note, 0 or more; None: 1 for each."""
    near: Mapping[Key, float] | None = None
    """How sure it is that a note has to do with the question at all; None: as sure as it is of the note."""
    tied: bool = False
    """All places are first places."""
    doubtful: bool = False
    """Chance may have made it; see ``heeded``."""
    raw: Mapping[Key, float] | None = None
    """What the channel says in its own unit; for display, never for fusion."""
    lines: Mapping[Key, int] | None = None
    """Where in each note the channel found what it looked for, from 1; 0: not known."""


class Contribution(Struct, frozen=True, gc=False):
    """What one list gave one note."""

    name: str
    rank: int
    """Place in that list, from 1."""
    share: float
    """``weight * evidence / (k + rank)``; no unit, comparable only within one query."""
    weight: float
    evidence: float


class Fused(Struct, Generic[Key], frozen=True, gc=False):
    """A note with the whole account of its score; ``accounted`` makes one."""

    note: Key
    contributions: tuple[Contribution, ...]
    """One for each list that holds the note, in the order the lists were given; never empty."""
    score: float
    """Exact sum of the shares and nothing else, so an explanation cannot drift from it."""


def accounted(note: Key, contributions: Sequence[Contribution]) -> Fused[Key]:
    """Add up the account of a note."""
    return Fused(note, tuple(contributions), math.fsum([one.share for one in contributions]))


def _evidence(ranking: Ranking[Key], note: Key) -> float:
    return 1.0 if ranking.evidence is None else ranking.evidence.get(note, 0.0)


def places_in(order: Sequence[Fused[Key]], names: Collection[str]) -> list[int]:
    """Places in an order, from 0, of the notes that lists of some names hold."""
    # Not any(): a generator for each of two hundred notes takes longer than all else that is done with them.
    found = {at: None for at, one in enumerate(order) for share in one.contributions if share.name in names}
    return list(found)


def heeded(rankings: Sequence[Ranking[Key]]) -> list[Ranking[Key]]:
    """Lessen the weight of doubtful lists where both channels put another note first.

    A few words that stand close together in a note may be a sentence that somebody remembers, or what a
    question is about; two channels that agree on another note tell which. Of a whole sentence they have to be
    certain: a note may hold word by word what another one is about, as the text of a link to it.
    """
    channels = [one for one in rankings if one.name in CERTAIN and one.notes]
    agreed = {one.notes[0] for one in channels} if len(channels) == len(CERTAIN) else set()
    if len(agreed) != 1:
        return list(rankings)
    certain = all(_evidence(one, note) >= CERTAIN[one.name] for one in channels for note in agreed)
    return [
        structs.replace(one, weight=DOUBTED * one.weight)
        if (one.doubtful or (certain and one.name in _QUOTATIONS)) and agreed.isdisjoint(one.notes)
        else one
        for one in rankings
    ]


def reciprocal_rank_fusion(
    rankings: Sequence[Ranking[Key]], *, paths: Mapping[Key, str], k: int = RRF_K
) -> list[Fused[Key]]:
    """Merge rankings, best first; equal scores fall to the smaller path.

    Args:
        rankings: The lists; their order changes nothing but the order of the accounts.
        paths: Path of every note that occurs; asked for those of equal scores alone.
        k: See ``RRF_K``; 1 or more.

    Raises:
        ValueError: A note twice in one list, ``k < 1`` or a negative weight: a caller's mistake.
    """
    if k < 1:
        raise ValueError(f"k is {k}, 1 or more expected")
    accounts: dict[Key, list[Contribution]] = {}
    for ranking in rankings:
        if ranking.weight < 0:
            raise ValueError(f"the weight of {ranking.name} is {ranking.weight}, 0 or more expected")
        if len(set(ranking.notes)) != len(ranking.notes):
            raise ValueError(f"{ranking.name} holds a note twice")
        for place, note in enumerate(ranking.notes, 1):
            rank = 1 if ranking.tied else place
            evidence = _evidence(ranking, note)
            share = ranking.weight * evidence / (k + rank)
            accounts.setdefault(note, []).append(
                Contribution(ranking.name, rank, share, ranking.weight, evidence)
            )
    fused = [accounted(note, account) for note, account in accounts.items()]
    often = Counter([one.score for one in fused])
    return sorted(fused, key=lambda one: (-one.score, paths[one.note] if often[one.score] > 1 else ""))
