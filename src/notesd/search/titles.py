"""Which notes are called by the words of a query, and which of them is meant?

What a note is called counts for what it is: a name is as good in a long note as in a short one.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from notesd.index import fulltext, standing
from notesd.index.filters import Narrowing, among
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import fold, fold_name
from notesd.parse.expressions import match
from notesd.parse.terms import Term
from notesd.search.query import Query

_TOKEN = re.compile(r"[^\W_]+")

MOST_NAMED = 200
"""Notes with the words in their names that are put in order; the rest follows by score."""

Groups = tuple[tuple[Term, ...], ...]
"""One a word, its alternatives together."""

_WHOLE, _BEGUN, _OTHER = range(3)


def called(reader: Reader, query: Query, groups: Groups, narrowed: Narrowing | None) -> list[NoteId]:
    """Return the notes whose title or aliases hold all words of a query, the likeliest first.

    Whole words come before beginnings of words, those before other forms. Among these, first come the names
    that begin with the query, then those that hold it as it stands, then those that hold its words. Among
    equals come the notes that more others link to, then those with shorter names, then the newer ones.
    """
    languages = fulltext.languages(reader)
    if len(groups) > 1 and query.text[-1:].isalnum():  # an initial: in names alone a letter is a beginning
        *first, last = groups
        groups = (*first, tuple(_begun(term) for term in last))
    whole = " AND ".join(
        f"({' OR '.join(match(term, languages, 'name aliases') for term in group)})" for group in groups
    )
    found = [note for note, _ in fulltext.ranked(reader, whole, MOST_NAMED, narrowed)]
    if len(found) < 2:  # noqa: PLR2004 -- nothing to put in order
        return found
    typed = " ".join(_TOKEN.findall(fold(query.text)))
    wanted = [[token for term in group for token in term.tokens[:1]] for group in groups]
    names = standing.names_of(reader, found)
    links = standing.in_degrees(reader, found)
    newest = standing.newest_first(reader, found)

    def place(note: NoteId) -> tuple[int, int, int, int, int]:
        form, kind, length = min(_likeness(typed, wanted, name) for name in names[note])
        return form, kind, -links.get(note, 0), length, newest[note]

    return sorted(found, key=place)


def called_by_signs(reader: Reader, text: str) -> Narrowing | None:
    """Return the notes whose name is a text without any word (``?!``); None where there are none."""
    found = standing.named_exactly(reader, fold_name(text))
    return among(found) if found else None


def _begun(term: Term) -> Term:
    alone = len(term.tokens) == 1 and len(term.tokens[0]) == 1 and not term.sign
    return replace(term, prefix=True) if alone else term


@lru_cache(maxsize=5_000)
def _words_of(name: str) -> tuple[tuple[str, ...], str]:
    """Return the words of a name, and all of it with a blank around each."""
    tokens = tuple(_TOKEN.findall(fold(name)))
    return tokens, f" {' '.join(tokens)} "


def _likeness(typed: str, wanted: Sequence[Sequence[str]], name: str) -> tuple[int, int, int]:
    """Say how near a name is to what was typed, 0 is nearest: by the forms of its words, and by their order.

    Returns also how many words it has.
    """
    tokens, spaced = _words_of(name)
    order = 0 if spaced.startswith(f" {typed}") else 1 if f" {typed}" in spaced else 2
    if all(any(token in tokens for token in group) for group in wanted):
        form = _WHOLE
    else:
        begun = all(any(f" {token}" in spaced for token in group) for group in wanted)
        form = _BEGUN if begun else _OTHER
    return form, order, len(tokens)
