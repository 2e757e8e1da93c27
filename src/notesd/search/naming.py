"""Which notes does a question name? Their whole title, alias or file name stands in it, among other words.

Who asks for "keyboard shortcuts and hotkeys" is well served by the note "Hotkeys", though its title holds but
one of the words. A name counts by how much of the question it is: one that is mentioned in passing says
little about what is asked.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from notesd.index import fulltext, notes, standing
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import DENSE_RUN, fold_name
from notesd.parse.terms import Term, phrase
from notesd.rank.fuse import NAMED_WEIGHT, Ranking
from notesd.search.query import Query

LEAST: Final = 0.4
"""Share of a question that a name has to be, each word counted by how rare it is: with .2, questions that
mention the title of another note lost 0.007 nDCG@10, with .5 link texts gained as much."""
LONGEST: Final = 8
"""Words of a name that is looked for, or twice as many characters of writing without blanks."""
MOST_WORDS: Final = 24
"""Words of a question in which names are looked for: of a longer one no name is a large part."""
MOST_BEARERS: Final = 3
"""A name that more notes bear tells none of them."""

_EDGES: Final = " \t\n.,;:!?()[]{}\"'«»…¡¿。、，；：！？「」『』（）"  # noqa: RUF001 -- those are what other writings end with


def named(
    reader: Reader, query: Query, terms: Sequence[Term], rarity: fulltext.Rarity | None,
    called: Sequence[NoteId], narrowed: Narrowing | None,
) -> list[Ranking[NoteId]]:  # fmt: skip
    """Return the list of notes that a question names, or none.

    Args:
        reader: The index.
        query: As parsed.
        terms: The words that rank.
        rarity: Of these.
        called: Notes of whose names all words of the question are a part; where there are some, what names
            less of it is not meant.
        narrowed: The only notes that may answer.
    """
    if rarity is None or not query.plain or len(terms) < 2:  # noqa: PLR2004 -- one word names what `exact` finds
        return []
    bearers = standing.bearers(reader, list(_parts(fold_name(query.text))))
    shares: dict[NoteId, float] = {}
    for name, some in bearers.items():
        share = _share(name, terms, rarity)
        if share >= LEAST and len(some) <= MOST_BEARERS:
            for note in notes.among(reader, some, narrowed):
                if not called or note in called:
                    shares[note] = max(share, shares.get(note, 0.0))
    order = sorted(shares, key=lambda note: (-shares[note], note))
    return [Ranking("named", order, 2 * NAMED_WEIGHT, shares, tied=True)] if order else []


def _parts(folded: str) -> Iterator[str]:
    """Yield what may be a name in a folded text, without the text as a whole."""
    words = folded.split()
    if len(words) > MOST_WORDS:
        return
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + LONGEST) + 1):
            part = " ".join(words[start:end]).strip(_EDGES)
            if part and part != folded:
                yield part
    for run in DENSE_RUN.findall(folded):
        for start in range(min(len(run), 2 * MOST_WORDS)):
            for end in range(start + 2, min(len(run), start + 2 * LONGEST) + 1):
                if run[start:end] != folded:
                    yield run[start:end]


def _share(name: str, terms: Sequence[Term], rarity: fulltext.Rarity) -> float:
    """How much of a question is a name, by the rarity of the words."""
    whole = phrase(name)
    held = set(whole.tokens) if whole else set()
    weights: Mapping[Term, float] = dict(zip(terms, rarity.idfs, strict=True))
    said = [weight for term, weight in weights.items() if term.tokens and held.issuperset(term.tokens)]
    return math.fsum(said) / rarity.idf_sum if rarity.idf_sum else 0.0
