"""How sure is a channel of a note? Raw scores of one query turned into evidence between 0 and about 1."""

from collections.abc import Sequence

SATURATION = 2.2
"""Most that one term can give in BM25 with k1 = 1.2, in units of its idf: ``k1 + 1``."""
SURE = 0.9
"""Share of the best possible score that counts as certain."""
LONG_QUERY = 8
"""Terms from which on a note need not hold them all to be a sure answer."""


def lexical_evidence(scores: Sequence[float], idf_sum: float, terms: int) -> list[float]:
    """Turn BM25 scores into evidence in [0, 1].

    ``min(1, strength * max(1, terms / 8) / 0.9)`` with ``strength = -bm25 / (2.2 * idf_sum)``.

    Args:
        scores: As FTS5 gives them: negative, lower is better.
        idf_sum: Sum of the idf of the query's terms, positive.
        terms: Number of terms, 1 or more.
    """
    best, length = SATURATION * idf_sum, max(1.0, terms / LONG_QUERY)
    return [max(0.0, min(1.0, -bm25 / best * length / SURE)) for bm25 in scores]


MOST_SEMANTIC = 1.2
"""A note nearer than any usual answer is a little surer than sure."""


def semantic_evidence(score: float, low: float, span: float) -> float:
    """Turn a cosine into evidence in [0, 1.2]: ``(score - low) / span``, clamped.

    Args:
        score: Cosine less the costs of position and shortness.
        low: Of the model: about the cosine of unrelated texts.
        span: Of the model, positive: how far above ``low`` the best hit usually is.
    """
    return max(0.0, min(MOST_SEMANTIC, (score - low) / span))


WEAK = 0.4
"""Evidence of its meaning below which a note that holds no word of the question is a guess. Of questions in
the notes' language 95 in 100 had a note above .41 to .50 (four collections); of those about something else
half had one above .20 to .38, in one trade .51."""
ANOTHER_LANGUAGE = 0.01, 0.015
"""Lift from which on a note may be written in another language than the question, and how much more makes it
sure: between Spanish and English 0.029 to 0.042 were seen, up to 0.008 where the language was mistaken."""


def across_evidence(semantic: float, lexical: float, lift: float) -> float:
    """How much surer meaning is of a note than words can be that are written in another language.

    Args:
        semantic: Evidence of its meaning.
        lexical: Evidence of its words; 0: they did not find it.
        lift: What its language lacks compared with that of the question, as a cosine.
    """
    low, span = ANOTHER_LANGUAGE
    return max(0.0, semantic - lexical) * max(0.0, min(1.0, (lift - low) / span))


POSITION_COST = 0.005
"""Taken off a cosine for each doubling of the passage's place in its note: without it, long notes win
because they have more passages to be lucky with (nDCG@10 .545 without, .575 with)."""
