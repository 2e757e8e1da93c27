"""What kind of question is it, and so how much may use say?

Key words are data, a list a kind and language; whole words, whatever their case and accents.

Source: the published routing of MCP Memory v2. Its lists are Spanish; the English ones say the same.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from notesd.parse.characters import word_count
from notesd.resolve.names import fold_accents
from notesd.settings import Routing

Strategy = Literal["cosine_heavy", "hybrid_balanced", "limbic_heavy"]

COSINE_WEIGHT: dict[Strategy, float] = {"cosine_heavy": 0.7, "hybrid_balanced": 0.5, "limbic_heavy": 0.3}
"""Share of relevance in the published blend; the rest is the limbic score's."""

FACTUAL = {
    "es": ("qué es", "definición", "cómo funciona", "es un", "es una"),
    "en": ("what is", "definition", "how does ... work", "is a"),
}
INTERMEDIATE = {
    "es": ("relación", "diferencia", "ejemplos", "comparar"),
    "en": ("relation", "difference", "examples", "compare"),
}
EXPLORATORY = {
    "es": ("explícame", "relación entre", "dime todo", "qué piensas"),
    "en": ("explain", "relation between", "tell me everything", "what do you think"),
}

FEW_WORDS, MANY_WORDS = 3, 10
FEW_RESULTS, MANY_RESULTS = 3, 10
_BETWEEN = 12
"""Words that ``...`` may stand for at most."""
_DECIDED = 2
"""Points from which on, either way, the question is not balanced."""


class Route(Struct, frozen=True):
    """The kind of a question, and why."""

    strategy: Strategy
    score: int
    """Positive: it asks for a fact; negative: it looks around."""


def detect_query_type(text: str, limit: int, more: Routing) -> Route:
    """Say which blend a question gets.

    Each group of key words counts once: factual 2, intermediate 1, exploratory -2. At most 3 words 1, at
    least 10 words -1; at most 3 results wanted 1, at least 10 wanted -1. From 2 on ``cosine_heavy``, from
    -2 down ``limbic_heavy``.

    Args:
        text: As typed.
        limit: Results wanted, 1 or more.
        more: Key words beside the built-in ones.
    """
    folded = fold_accents(text)
    words = word_count(text)
    groups = (
        (FACTUAL, more.factual, 2),
        (INTERMEDIATE, more.intermediate, 1),
        (EXPLORATORY, more.exploratory, -2),
    )
    score = 0
    for built_in, added, points in groups:
        phrases = (*(phrase for language in built_in.values() for phrase in language), *added)
        score += points if _pattern(phrases).search(folded) else 0
    score += (words <= FEW_WORDS) - (words >= MANY_WORDS)
    score += (limit <= FEW_RESULTS) - (limit >= MANY_RESULTS)
    if score >= _DECIDED:
        return Route("cosine_heavy", score)
    return Route("limbic_heavy" if score <= -_DECIDED else "hybrid_balanced", score)


@lru_cache(maxsize=16)
def _pattern(phrases: Sequence[str]) -> re.Pattern[str]:
    """Any of some phrases as whole words; ``...`` stands for at least one word between."""
    parts = []
    for phrase in phrases:
        around = [r"\s+".join(map(re.escape, part.split())) for part in fold_accents(phrase).split("...")]
        parts.append(rf"\s+(?:\S+\s+){{1,{_BETWEEN}}}?".join(part for part in around if part))
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)")
