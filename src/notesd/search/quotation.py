"""Is a query a quotation, and which notes does it quote?

Who quotes from memory leaves words out, so a note in which all the words stand close together is as good as
one that holds the text word by word.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from notesd.index import fulltext
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import DENSE
from notesd.parse.terms import Term, match, phrase
from notesd.search.query import Query, wanted

PHRASE_WORDS = 5
"""Words from which on a query may be a quotation."""
NEAR_WORDS = 4
"""Words from which on it may be one with gaps, where two of them or more are no stop words."""
SPANS = (1.2, 2.0)
"""How far apart its words may stand, in lengths of the query: the first that finds a note counts."""
MOST_HITS = 3
"""A text that more notes hold is a figure of speech, not a quotation."""


class Quotation(Struct, frozen=True):
    """A way in which notes may hold the query."""

    name: str
    """``phrase``: word by word; ``near``: all the words, close together."""
    expression: str
    """What the full-text index was asked."""
    notes: list[NoteId]
    """Best first; empty: none, or more than ``MOST_HITS``."""


def quoted(reader: Reader, query: Query, narrowed: Narrowing | None) -> list[Quotation]:
    """Look for the notes that a query quotes: word by word, else with gaps.

    Returns:
        All that was asked for, in turn; only the last can have found notes.
    """
    asked: list[Quotation] = []
    for name, expression in expressions(query):
        some = fulltext.first_matching(reader, expression, MOST_HITS + 1, narrowed)
        if 1 < len(some) <= MOST_HITS:
            some = [note for note, _ in fulltext.ranked(reader, expression, MOST_HITS, narrowed)]
        asked.append(Quotation(name, expression, some if len(some) <= MOST_HITS else []))
        if some:
            break
    return asked


def expressions(query: Query) -> Iterator[tuple[str, str]]:
    """What to ask FTS5 for, the surest first, each with its name.

    Nothing where the query has an operator or is too short; two characters of writing without blanks count
    as a word.
    """
    whole = phrase(query.text) if query.plain else None
    if whole is None:
        return
    words = sum(len(token) > 1 or not DENSE.match(token) for token in whole.tokens)
    if words >= PHRASE_WORDS:
        yield "phrase", match(whole)
    parts = dict.fromkeys(_as_written(term) for term, *_ in wanted(query) if term.tokens)
    if words >= NEAR_WORDS and len(parts) > 1:
        for span in SPANS:
            yield "near", f"NEAR({' '.join(parts)}, {int(span * len(whole.tokens))})"


def _as_written(term: Term) -> str:
    """The expression for a finished word; signs stand in a column of their own, near to nothing."""
    return match(replace(term, prefix=False, sign=None))
