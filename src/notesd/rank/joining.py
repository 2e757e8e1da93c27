"""How do the hits of several spaces become one list?

Places do not compare: the second hit of a space that knows nothing of a question stood before the third of
the one that answers it. Scores nearly do, because shares are weighted by evidence, which is between 0 and
1 in every space. What a small or distant space lacks is how rare a word is: where nobody has it, it counts
as nothing. So words count by how much of the query a note holds, each word as rare as it is in all spaces.

Measured by words on twelve pairs and triples of judged collections: nDCG@10 of the questions of one of them
.584 by place, .627 by score, .626 so, .649 where only their own collection is asked.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

SHORT_QUERY = 4
"""Up to so many words, all of them are wanted: who types two does not mean one of them."""
SHORT_POWER = 2.0
"""How much a word that is missing costs in a short query."""
LONG_POWER = 0.25
"""The same in a long one, of which no note has to hold every word."""

Word = str
"""What tells a word of the query from the others, in every space alike."""


class Offer(Struct, frozen=True, gc=False):
    """What is known of one hit of a space."""

    score: float
    """What all channels gave it."""
    words: float
    """The part of it that the words gave."""
    held: frozenset[Word] | None
    """Which words of the query it holds; None: nobody looked, so that its score alone counts."""


class Offers(Struct, frozen=True):
    """What one space has to offer."""

    hits: Sequence[Offer]
    """Best first; their order is kept."""
    notes: int = 0
    """Notes in the space; 0: none holds any of the words."""
    holding: Mapping[Word, int] = {}
    """Notes that hold each word that was looked for there."""
    channels: int = 1
    """Channels whose votes are in the scores, 1 or more: where only some spaces have vectors, they differ."""


def strengths(parts: Sequence[Offers]) -> list[list[float]]:
    """How strong the hits of each space are among those of all; never rising within a space.

    Args:
        parts: Of each space. One that had less time may have looked for fewer words.
    """
    weights = _weights(parts)
    most = max((part.channels for part in parts), default=1)
    found = []
    for part in parts:
        last, own = math.inf, []
        for one in part.hits:
            score = one.score - one.words * (1 - _share(one.held, weights))
            last = min(last, score * most / part.channels)
            own.append(last)
        found.append(own)
    return found


def _weights(parts: Sequence[Offers]) -> dict[Word, float]:
    """How much each word says in all spaces together: ``ln(1 + (N - df + .5) / (df + .5))``, above 0."""
    asked = [part for part in parts if part.notes]
    total = sum(part.notes for part in asked)
    every: Counter[Word] = Counter()
    for part in asked:
        every.update(part.holding)
    return {word: math.log1p((total - some + 0.5) / (some + 0.5)) for word, some in every.items()}


def _share(held: frozenset[Word] | None, weights: Mapping[Word, float]) -> float:
    """How much of what the words gave a note counts, by what it holds of them; 1: all of it."""
    whole = math.fsum(weights.values())
    if held is None or not whole:
        return 1.0
    power = SHORT_POWER if len(weights) <= SHORT_QUERY else LONG_POWER
    has = math.fsum(weight for word, weight in weights.items() if word in held)
    return math.pow(has / whole, power)
