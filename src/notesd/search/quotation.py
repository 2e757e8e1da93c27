"""Is a query a quotation, and which notes does it quote?

Who quotes from memory leaves words out, so a note in which all the words stand close together is as good as
one that holds the text word by word.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from notesd.index import fulltext
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import DENSE
from notesd.parse.expressions import match, near
from notesd.parse.terms import Term, is_stop_term, phrase
from notesd.search.query import Query

PHRASE_WORDS = 5
"""Words from which on a query may be a quotation."""
NEAR_WORDS = 4
"""Words from which on it may be one with gaps, two of them or more being no stop words."""
SENTENCE = 0.3
"""Share of stop words from which on a text is taken for a sentence, not for key words: three of four texts
drawn from English and Spanish notes have as many."""
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
    doubtful: bool = False
    """The words may be what a question is about, rather than a sentence: hardly any is a stop word."""


def quoted(reader: Reader, query: Query, narrowed: Narrowing | None) -> list[Quotation]:
    """Look for the notes that a query quotes: word by word, else with gaps.

    Where its words stand close together in no note, they stand no closer in one: the widest is asked for
    first, as most questions quote nothing.

    Returns:
        What was looked for, in turn; only the last can have found notes.
    """
    asked: list[Quotation] = []
    nowhere: set[str] = set()
    for name, expression, within in expressions(query, fulltext.languages(reader)):
        if within and within not in nowhere and not fulltext.first_matching(reader, within, 1, narrowed):
            nowhere.add(within)
        missing = {expression, within} & nowhere
        some = [] if missing else fulltext.first_matching(reader, expression, MOST_HITS + 1, narrowed)
        if 1 < len(some) <= MOST_HITS:
            some = [note for note, _ in fulltext.ranked(reader, expression, MOST_HITS, narrowed)]
        doubtful = name == "near" and not _is_sentence(query)
        asked.append(Quotation(name, expression, some if len(some) <= MOST_HITS else [], doubtful))
        if some:
            break
    return asked


def expressions(query: Query, languages: Sequence[str] = ()) -> Iterator[tuple[str, str, str]]:
    """What to ask FTS5 for, the surest first, each with its name and what holds wherever it does.

    Nothing where the query has an operator or is too short; of writing without blanks each pair that the
    index holds counts as a word. The last word may be half typed, so at last it may be missing; else the
    notes would come and go with every letter.
    """
    whole = phrase(query.text) if query.plain else None
    if whole is None:
        return
    typed = [term for term, *_ in query.groups]
    close = list(_close(typed, languages))
    if _length(whole) >= PHRASE_WORDS:
        yield "phrase", match(whole, languages), close[-1] if close and _is_all(typed, whole) else ""
    shorter = list(_close(typed[:-1], languages)) if typed and typed[-1].prefix else []
    for ways in (close, shorter):
        yield from (("near", one, ways[-1]) for one in ways)


def _close(words: Sequence[Term], languages: Sequence[str]) -> Iterator[str]:
    """Yield the expressions for words that stand close together, and not so close; none for few words."""
    meant = {term.tokens for term in words if term.tokens and not is_stop_term(term)}
    if sum(map(_length, words)) >= NEAR_WORDS and len(meant) > 1:
        yield from (_near(words, span, languages) for span in SPANS)


def _is_all(words: Sequence[Term], whole: Term) -> bool:
    """Say whether words are all that a text is, so that they are close together where it stands."""
    tokens = [token for term in words for token in term.tokens]
    odd = any(term.sign for term in words) or any(map(DENSE.match, tokens)) or all(map(str.isdecimal, tokens))
    return not odd and tuple(tokens) == whole.tokens


def _is_sentence(query: Query) -> bool:
    """Say whether a text has as many stop words as sentences have; writing without blanks has none."""
    typed = [term for term, *_ in query.groups if term.tokens]
    stops = sum(map(is_stop_term, typed))
    return stops >= SENTENCE * len(typed) or any(DENSE.match(term.tokens[0]) for term in typed)


def _length(term: Term) -> int:
    """Words of a term, or pairs of characters."""
    return sum(len(token) > 1 or not DENSE.match(token) for token in term.tokens)


def _near(words: Sequence[Term], span: float, languages: Sequence[str]) -> str:
    """The expression for words that stand close together; their signs are in a column of their own.

    Stop words, too: who quotes them has read them there, those of a question are there by chance. Without
    them 28 of 431 questions put a note that happens to have their other two words before the one about both.
    """
    most = int(span * sum(len(term.tokens) for term in words))
    ways = dict.fromkeys(near([term for term in words if term.tokens], most, languages))
    signs = dict.fromkeys(
        match(replace(term, tokens=(), prefix=False), languages) for term in words if term.sign
    )
    whole = next(iter(ways)) if len(ways) == 1 else f"({' OR '.join(ways)})"
    return " AND ".join([whole, *signs])
