"""How did an answer come about? Put into words from what the channels and the fusion say of themselves.

Nothing here is computed a second time: scores, shares and evidence come out of the lists that were
fused. Only in which columns a word stands is asked of the index, because no score needs it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from notesd.index import fulltext
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.expressions import match
from notesd.parse.terms import Term
from notesd.rank.fuse import Fused, Ranking
from notesd.search.conditions import Condition
from notesd.search.expand import Expansion
from notesd.search.learnt import Learnt
from notesd.search.lexical import Lexical
from notesd.search.query import Query
from notesd.search.wanted import dropped_terms


def understood(query: Query) -> dict[str, Any]:
    """What a text was taken to ask for; its conditions are told by ``demands``."""
    return {
        "text": query.text,
        "words": [[_shown(term) for term in group] for group in query.groups],
        "phrases": [term.text for term in query.phrases],
        "quotes": [term.text for term in query.quotes],
        "stop_words_dropped": [term.text for term in dropped_terms(query)],
        "truncated": query.truncated,
    }


def demands(every: Sequence[Condition]) -> list[dict[str, Any]]:
    """What a note had to fulfil."""
    return [{"filter": one.name, "value": one.value, "by": one.by} for one in every]


def of_space(
    reader: Reader, words: Lexical, rankings: Sequence[Ranking[NoteId]], narrowed: Narrowing | None, k: int
) -> dict[str, Any]:
    """How one index was asked, and what each channel brought."""
    rarity = words.rarity
    holding = rarity.holding if rarity else (None,) * len(words.terms)
    return {
        "stemmer": reader.meta("stemmer"),
        "expressions": dict(words.expressions),
        "filtered": narrowed is not None,
        "terms": [
            {"word": _shown(term), "notes": number} for term, number in zip(words.terms, holding, strict=True)
        ],
        "notes": rarity.notes if rarity else None,
        "idf_sum": rarity.idf_sum if rarity else None,
        "lists": [
            {"list": one.name, "weight": one.weight, "notes": len(one.notes), "tied": one.tied}
            for one in rankings
        ],
        "k": k,
    }


def of_links(links: Expansion) -> dict[str, Any]:
    """What links were allowed to do, and from which notes they were followed."""
    return {"gate": links.gate, "seeds": list(links.seeds), "neighbours": len(links.places)}


def of_use(said: Learnt) -> dict[str, Any]:
    """How use was heard."""
    use = said.use
    return {
        "mode": use.mode,
        "blend": use.blend,
        "treatment": use.treatment,
        "routing_strategy": use.route.strategy,
        "routing_score": use.route.score,
        "constants": structs.asdict(use.constants),
        "candidates": len(said.judged),
        "opened": len(said.openings),
        "held": said.held,
    }


def scoring(said: Learnt, note: NoteId) -> dict[str, Any]:
    """What use says of a hit, as every answer carries it."""
    judged = said.judged[note]
    return {
        "limbic_score": judged.limbic_score,
        "scoring": {
            "importance": judged.importance,
            "temporal_factor": judged.temporal_factor,
            "cooc_boost": judged.cooc_boost,
        },
        "routing_strategy": said.use.route.strategy,
    }


def of_use_in(said: Learnt, note: NoteId) -> dict[str, Any]:
    """How a limbic score came about, and what the blend made of it."""
    judged, opening = said.judged[note], said.openings.get(note)
    before, after = said.ranks[note]
    return {
        "base": judged.base,
        "opened_boost": judged.opened_boost,
        "opened": opening.opened if opening else 0,
        "factor": said.placed[note].factor,
        "rank_before": before,
        "rank_after": after,
        "score_after": said.placed[note].score,
    }


def of_score(one: Fused[NoteId]) -> list[dict[str, Any]]:
    """What each list gave a note; the score is their sum.

    ``share = weight * evidence / (k + rank)``, but for what links give where they only smooth the order
    (gate ``closed``), what documents get and what use gives: ``weight * evidence``, the evidence being what
    is added.
    """
    return [
        {
            "list": share.name,
            "rank": share.rank,
            "weight": share.weight,
            "evidence": share.evidence,
            "share": share.share,
        }
        for share in one.contributions
    ]


def words_in(
    reader: Reader, terms: Sequence[Term], note_ids: Sequence[NoteId]
) -> Mapping[NoteId, list[dict[str, Any]]]:
    """For some notes: of each word of the query, in which columns it stands; none: the note has it not."""
    languages = fulltext.languages(reader)
    found: dict[NoteId, list[dict[str, Any]]] = {note: [] for note in note_ids}
    for term in terms:
        reader.meter.check()
        columns = fulltext.columns_holding(reader, match(term, languages), note_ids) if note_ids else {}
        for note, rows in found.items():
            rows.append({"word": _shown(term), "columns": columns.get(note, [])})
    return found


def _shown(term: Term) -> str:
    """A term as typed, with ``*`` where it may be the beginning of a word."""
    text = term.text.rstrip("*")
    return f"{text}*" if term.prefix else text
