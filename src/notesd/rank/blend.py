"""What becomes of an order once use has been heard? Two ways to blend relevance and limbic scores.

``bounded`` is the default: a note that was opened before may gain a tenth of its score, no other note
changes at all. ``published`` is the published blend to the letter; without any use it lets age alone
reorder an answer (nDCG@10 from 0.76 to 0.18 where notes are spread over five years), so it is there for
those who ask for it.
"""

from collections.abc import Collection, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from notesd.rank.limbic import Judged, limbic_score, normalized
from notesd.rank.route import COSINE_WEIGHT, Strategy
from notesd.settings import Limbic

PULL = 0.2
"""How much of what the limbic factors say is believed."""
LEAST, MOST = 1.0, 1.1
"""Bounds of what a score is multiplied with: use lifts a note a little, and lowers none."""

Key = TypeVar("Key")


class Placed(Struct, Generic[Key], frozen=True, gc=False):
    """A note and its score after the blend."""

    note: Key
    score: float
    factor: float
    """Bounded: what the score was multiplied with. Published: the limbic score, mapped onto [0, 1]."""


def bounded(
    order: Sequence[tuple[Key, float]],
    judged: Sequence[Judged[Key]],
    opened: Collection[Key],
    constants: Limbic,
    held: int = 0,
    named: int = 0,
) -> list[Placed[Key]]:
    """Lift notes that were opened before: ``s * clamp(1 + 0.2 * (F - 1), 1.0, 1.1)``, best first.

    ``F = (1 + BETA_SAL * importance) * (1 + GAMMA * cooc) * temporal``; exactly 1 for a note that was
    never opened. ``cooc`` counts notes opened together, not those shown together: what is shown must not
    lift what is shown. Notes of equal score keep their order.

    Args:
        order: Notes and their fused scores, 0 or more, best first.
        judged: Each of them, in any order.
        opened: Those that were ever opened.
        constants: See ``settings.Limbic``.
        held: So many first notes keep their places, and no other is lifted above the last of them.
        named: So many of these, the first ones, fit the question equally well: among themselves they are
            ordered by use, too.
    """
    factors = {
        one.note: limbic_score(1.0, one.importance, one.temporal_factor, one.opened_boost, constants)
        for one in judged
        if one.note in opened
    }
    ceiling = min((score for _, score in order[:held]), default=float("inf"))
    placed = []
    for place, (note, score) in enumerate(order):
        factor = min(MOST, max(LEAST, 1.0 + PULL * (factors.get(note, 1.0) - 1.0)))
        room = score if named <= place < held else float("inf") if place < named else ceiling
        lifted = max(score, min(score * factor, room))
        placed.append(Placed(note, lifted, lifted / score if score else 1.0))

    def best_first(some: Sequence[Placed[Key]]) -> list[Placed[Key]]:
        return sorted(some, key=lambda one: -one.score)

    return [*best_first(placed[:named]), *placed[named:held], *best_first(placed[held:])]


def published(judged: Sequence[Judged[Key]], strategy: Strategy) -> list[Placed[Key]]:
    """Blend relevance with the limbic score: ``w * base + (1 - w) * limbic_norm``, best first.

    ``limbic_norm`` is min-max over the candidates. Notes of equal score keep the order of ``judged``.

    Args:
        judged: Candidates with their limbic scores.
        strategy: Decides ``w``: 0.7, 0.5 or 0.3.
    """
    weight = COSINE_WEIGHT[strategy]
    norm = normalized([one.limbic_score for one in judged])
    placed = []
    for one in judged:
        share = norm(one.limbic_score)
        placed.append(Placed(one.note, weight * one.base + (1 - weight) * share, share))
    return sorted(placed, key=lambda one: -one.score)
