"""The lexical channel: which notes hold the words, and how sure are the words of them?"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from notesd.index import fulltext, notes
from notesd.index.budget import OverBudget
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import fold_name
from notesd.parse.terms import Term, match
from notesd.rank.evidence import lexical_evidence
from notesd.rank.fuse import EVERY_WEIGHT, EXACT_WEIGHT, PHRASE_WEIGHT, Ranking
from notesd.search.query import Query, ranking_terms, wanted
from notesd.search.quotation import quoted

DEPTH = 100
"""Notes the channel offers, unless a later page needs more."""
SHORT_QUERY = 4
"""Up to so many words, notes that hold them all come first; in a longer question no note has to
hold every word, and asking for it cost 0.02 nDCG@10."""
MOST_WHOLE_HITS = 10
"""Every word of a query in more notes than that says nothing about one of them."""


class Lexical(Struct, frozen=True):
    """What the channel found."""

    rankings: tuple[Ranking[NoteId], ...]
    """``lexical``, then ``exact``, ``phrase`` or ``near``, and ``every`` where they found any."""
    bm25: Mapping[NoteId, float]
    """FTS5's score of each note, lower is better."""
    terms: tuple[Term, ...]
    """What was ranked by."""
    exact_total: int | None
    """Number of notes that match, None when there are more than were looked at."""
    expressions: Mapping[str, str]
    """What the full-text index was asked: ``any`` word, ``every`` word, the whole as a ``phrase``, all words
    ``near`` each other."""
    rarity: fulltext.Rarity | None
    """Of the terms; None where nothing was found that it could be asked for."""


_First = tuple[tuple[Term, ...], Sequence[str], dict[str, str], Sequence[tuple[NoteId, float]], int | None]
"""What is known once any word was looked for: terms, what FTS5 is asked for each, what it was asked, what it
found, and how many notes that are if it is all."""


def recall(reader: Reader, query: Query, narrowed: Narrowing | None, depth: int) -> Lexical:
    """Rank the notes that hold any word of the query.

    Notes with all of a few words come first, and among equals those that hold the last one as typed
    before those that share but a stem with what it may become. Where that takes more than it may, the order
    is that of any word.

    Args:
        reader: The index.
        query: As parsed; it has words or phrases.
        narrowed: The only notes to look at.
        depth: Notes to offer at most, 1 or more.
    """
    terms = ranking_terms(query)
    matches = [match(term) for term in terms]
    expressions = {"any": " OR ".join(matches)} if matches else {}
    found = fulltext.ranked(reader, expressions["any"], depth, narrowed) if matches else []
    total = len(found) if len(found) < depth else None
    try:
        return _every_list(reader, query, narrowed, depth, (terms, matches, expressions, found, total))
    except OverBudget:
        reader.meter.wind_up()
    plain = Ranking("lexical", [note for note, _ in found], 1.0)
    return Lexical((plain,), dict(found), terms, total, expressions, None)


def _every_list(
    reader: Reader, query: Query, narrowed: Narrowing | None, depth: int, begun_with: _First
) -> Lexical:
    """All lists of the channel, the first one being there already."""
    terms, matches, expressions, found, total = begun_with
    bm25 = dict(found)
    begun = " OR ".join(match(term, finished=False) for term in terms)
    tiers = [begun] if matches and begun != expressions["any"] else []
    groups = wanted(query)
    if 1 < len(groups) <= SHORT_QUERY and len(found) > 1:
        expressions["every"] = _every(groups)
        tiers = [_every(groups, finished=False), expressions["every"], *tiers]
    order: dict[NoteId, None] = {}
    for tier in dict.fromkeys(tiers):
        whole = fulltext.ranked(reader, tier, depth, narrowed)
        bm25 |= {note: score for note, score in whole if note not in bm25}
        order.update(dict.fromkeys(note for note, _ in whole))
    order.update(dict.fromkeys(note for note, _ in found))
    ranked = list(order)[:depth]
    rarity = fulltext.rarity(reader, matches) if ranked else None
    rankings = [Ranking("lexical", ranked, 1.0, _evidence(ranked, bm25, rarity))]
    rankings += _named(reader, query, narrowed)
    for one in quoted(reader, query, narrowed):
        expressions[one.name] = one.expression
        if one.notes:
            rankings.append(Ranking(one.name, one.notes, 2 * PHRASE_WEIGHT))
    if len(groups) > 1 and ranked:
        expressions["every"] = _every(groups)
        rankings += _whole(reader, expressions["every"], ranked, narrowed)
    return Lexical(tuple(rankings), bm25, terms, total, expressions, rarity)


def _every(groups: Sequence[Sequence[Term]], *, finished: bool = True) -> str:
    """Return the expression for notes that hold one term of each group."""
    return " AND ".join(
        "(" + " OR ".join(match(term, finished=finished) for term in group) + ")" for group in groups
    )


def _evidence(
    order: Sequence[NoteId], bm25: Mapping[NoteId, float], rarity: fulltext.Rarity | None
) -> dict[NoteId, float]:
    """Evidence of each note, never less than that of a note further down.

    A note that holds every word may score below one that repeats a single rare word; it is the
    surer answer all the same.
    """
    if rarity is None:
        return {}
    found: dict[NoteId, float] = {}
    least = 0.0
    for note in reversed(order):
        least = max(least, lexical_evidence(bm25[note], rarity.idf_sum, len(rarity.holding)))
        found[note] = least
    return found


def _named(reader: Reader, query: Query, narrowed: Narrowing | None) -> list[Ranking[NoteId]]:
    """Notes that are called like the query.

    This list and those after it have twice the weight that they have beside a second channel, because the
    words alone vote with twice theirs.
    """
    name = fold_name(query.text) if query.plain else ""
    exact = notes.among(reader, notes.named_exactly(reader, name), narrowed) if name else []
    return [Ranking("exact", exact, 2 * EXACT_WEIGHT, tied=True)] if exact else []


def _whole(
    reader: Reader, every: str, ranked: Sequence[NoteId], narrowed: Narrowing | None
) -> list[Ranking[NoteId]]:
    """Notes that hold all the words, where they are few, in the order of the channel."""
    whole = fulltext.first_matching(reader, every, MOST_WHOLE_HITS + 1, narrowed)
    held = [note for note in ranked if note in whole] if len(whole) <= MOST_WHOLE_HITS else []
    return [Ranking("every", held, 2 * EVERY_WEIGHT)] if held else []
