"""How sure are links, tags and use that two notes belong together? Each says so between 0 and 1.

With evidence on one scale the lists can be fused like those of a search: a tag that half of all notes have,
or a link among ten thousand, does not vote like a rare tag or a typed relation. Pure arithmetic over counts.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

PLAIN_LINK = 0.8
"""What a link says that gives no reason for itself; a typed relation or an embed says 1."""
SHARED_LINKS = 0.5
"""Most that notes linked with both can say: less than a link between the two."""
TAGS = 0.35
"""Most that tags can say. Where links were to be guessed from meaning and tags (nDCG@10 on cited abstracts,
a garden, linked articles) the better of the two alone was changed by -0.06, +0.06, -0.10 with
tags at 1, and by +0.01, +0.04, -0.04 with them at 0.35."""
USE = 3.0
"""Company (``rank.limbic.compute_cooc_boost``) that is half sure: notes used together seven times of late."""
_FEW = 2.0
"""``log2(2 + degree)`` of a note with two neighbours: up to there a link counts in full."""


class Companion(Struct, frozen=True):
    """A note that was used together with another one."""

    key: str
    """Its stable key, as the index has it; one that no note has any more is passed over."""
    count: int
    """How many times, 1 or more."""
    last: float
    """When last, in seconds since 1970."""
    strength: float
    """How sure it is that they belong together, in [0, 1]: counts as evidence as it is."""


Together = Callable[[str], Sequence[Companion]]
"""What was used together with the note of a stable key, in any order, no note twice."""


def either(chances: Iterable[float]) -> float:
    """Evidence of several independent signs: ``1 - product of (1 - chance)``, in [0, 1].

    The order of the signs changes nothing.
    """
    return 1.0 - math.prod(sorted(1.0 - min(1.0, max(0.0, chance)) for chance in chances))


def use_evidence(company: float) -> float:
    """Evidence of use, in [0, 1): ``company / (3 + company)``."""
    return company / (USE + company)


def link_evidence(weights: Iterable[float], degree: int, other_degree: int) -> float:
    """Evidence of links between two notes, in [0, 1].

    ``either(weights) * min(1, 2 / sqrt(log2(2 + degree) * log2(2 + other_degree)))``: a note with many links
    says little by each of them, whichever end it stands at.

    Args:
        weights: One a link, in [0, 1], both directions together.
        degree: Number of notes that the first one is linked with.
        other_degree: The same of the other one.
    """
    damping = math.sqrt(math.log2(2 + degree) * math.log2(2 + other_degree))
    return either(weights) * min(1.0, _FEW / damping)


def shared_links_evidence(degrees: Iterable[int], other_degree: int) -> float:
    """Evidence of notes that two notes are both linked with, in [0, 0.5).

    ``s = sum over them of 1 / log2(2 + degree)``; ``0.5 * s / (1 + s)``, damped where the other note has
    many links.

    Source of the sum: Adamic and Adar, "Friends and neighbors on the Web", Social Networks 2003.

    Args:
        degrees: Number of links of each note in between.
        other_degree: Number of links of the other note.
    """
    given = math.fsum(1.0 / math.log2(2 + degree) for degree in degrees)
    return SHARED_LINKS * given / (1.0 + given) * min(1.0, _FEW / math.log2(2 + other_degree))


def tag_evidence(holders: int, notes: int) -> float:
    """What a tag says of two notes that have it, in [0, 0.35]: 0 when every note has it.

    ``0.35 * (ln(notes / holders) / ln(notes)) ** 2``: its idf as a share of the greatest possible, squared
    because a tag that a tenth of all notes have is a drawer and not a subject.

    Args:
        holders: Notes that have the tag or one below it, 1 or more.
        notes: All notes.
    """
    if notes <= 1 or holders >= notes:
        return 0.0
    return TAGS * (math.log(notes / max(1, holders)) / math.log(notes)) ** 2
