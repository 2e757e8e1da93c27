"""Which words of a query rank, and which does a note have to hold that has them all?"""

from notesd.parse.terms import Term, is_stop_term, rank_terms, split
from notesd.search.query import MOST_WORDS, Query


def ranking_terms(query: Query, *, stop_words: bool = False) -> tuple[Term, ...]:
    """Return the words that rank, each once, at most ``MOST_WORDS``.

    Those of phrases too, runs of scripts without blanks as pairs; stop words when they are asked for, or
    when there is nothing else.
    """
    every = _every_term(query)
    return tuple((every if stop_words else _meaningful(every))[:MOST_WORDS])


def dropped_terms(query: Query) -> tuple[Term, ...]:
    """Return the stop words that stand in the query and do not rank."""
    every = _every_term(query)
    meant = _meaningful(every)
    return tuple(term for term in every if term not in meant)


def _every_term(query: Query) -> list[Term]:
    found = [part for group in query.groups for term in group for part in rank_terms(term)]
    found += [part for term in query.phrases for part in split(term)]
    unique: dict[tuple[tuple[str, ...], str | None], Term] = {}
    for term in found:
        key = (term.tokens, term.sign)
        if key not in unique or term.prefix:
            unique[key] = term
    return list(unique.values())


def _meaningful(every: list[Term]) -> list[Term]:
    return [term for term in every if term.prefix or not is_stop_term(term)] or every


def wanted(query: Query, *, stop_words: bool = False) -> tuple[tuple[Term, ...], ...]:
    """Return the groups of which one alternative each occurs in a note that has all the words.

    Groups of stop words only stand here when the query asks for nothing else.
    """
    if stop_words:
        return query.groups
    groups = tuple(
        group for group in query.groups if not all(is_stop_term(term) and not term.prefix for term in group)
    )
    return groups if groups or query.phrases else query.groups
