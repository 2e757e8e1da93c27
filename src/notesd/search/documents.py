"""Which documents answer, and where do they stand among the notes?

A book holds any few words somewhere, so that it does says less than of a note. Documents come after those of
the first notes that fit as well, and are a few of ten answers in a row, however many there are. One that is
called like the query, or holds what no note holds, has no such notes before it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from notesd.index import documents, fulltext
from notesd.index.budget import OverBudget
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId, is_document
from notesd.index.store import Reader
from notesd.parse.expressions import match, near
from notesd.parse.terms import Term
from notesd.rank.fuse import Contribution, Fused, accounted

AMONG = 3
"""Documents among ten answers in a row, at most."""
COMPARED = 10
"""First notes that are looked through for those that fit as well."""
PAGE = 300
"""Words between which all those of a query stand on about one page."""
LIST = "documents"
"""What their list is called in an account."""

Groups = Sequence[Sequence[Term]]
"""One a word, its alternatives together."""


class Answering(Struct, frozen=True):
    """Documents that answer, in no order; looked for where they are wanted, as most pages end before them."""

    every: str = ""
    """What matches those that hold every word, of many words on about one page; as FTS5 writes it."""
    close: str = ""
    """What matches where the words are on about one page; empty: there is but one, or they have to be."""
    any_word: str = ""
    """What matches those that hold some word; empty: there are no documents."""
    narrowed: Narrowing | None = None
    """The only ones that answer."""
    _known: dict[str, list[NoteId]] = {}

    def called(self, reader: Reader) -> list[NoteId]:
        """Those whose names hold every word."""
        return self._matching(reader, f"{{name aliases}} : ({self.every})")

    def whole(self, reader: Reader) -> list[NoteId]:
        """Others that hold every word."""
        called = {*self.called(reader)}
        return [one for one in self._matching(reader, self.every) if one not in called]

    def others(self, reader: Reader) -> list[NoteId]:
        """Those that hold some of the words."""
        if self.any_word == self.every:
            return []
        known = {*self._matching(reader, self.every)}
        return [one for one in self._matching(reader, self.any_word) if one not in known]

    def total(self, reader: Reader) -> int:
        """How many they are, all of them."""
        return len(self._matching(reader, self.any_word))

    def _matching(self, reader: Reader, expression: str) -> list[NoteId]:
        if not self.any_word:
            return []
        if expression not in self._known:
            try:
                self._known[expression] = documents.matching(reader, expression, self.narrowed)
            except OverBudget:
                reader.meter.wind_up()
                self._known[expression] = []
        return self._known[expression]


class Placed(Struct, frozen=True):
    """An order of notes with documents among them."""

    order: Sequence[Fused[NoteId]]
    accounts: Mapping[NoteId, Fused[NoteId]]
    """Of the documents that were put there."""
    bm25: Mapping[NoteId, float]
    """FTS5's score of them; among documents, never compared with notes."""


NOTHING = Answering()


def answering(
    reader: Reader, groups: Groups, terms: Sequence[Term], narrowed: Narrowing | None, *, short: bool
) -> Answering:
    """Say which documents answer some words.

    Args:
        reader: The index.
        groups: Of which a document that has all the words holds one term each.
        terms: The words that rank.
        narrowed: The only notes and documents to look at.
        short: They are so few that a document has to hold all of them, not close together.
    """
    if not terms or not documents.any_here(reader):
        return NOTHING
    languages = fulltext.languages(reader)
    any_word = " OR ".join(match(term, languages) for term in terms)
    every = _every(groups, languages) or any_word
    close = _close(groups, languages)
    if close and not short:
        every, close = f"({every}) AND ({close})", ""
    return Answering(every, close, any_word, narrowed)


def _every(groups: Groups, languages: Sequence[str]) -> str:
    return " AND ".join("(" + " OR ".join(match(term, languages) for term in group) + ")" for group in groups)


def _close(groups: Groups, languages: Sequence[str]) -> str:
    words = [term for term, *_ in groups if term.tokens]
    return " OR ".join(dict.fromkeys(near(words, PAGE, languages))) if len(words) > 1 else ""


def placed(
    reader: Reader, found: Answering, order: Sequence[Fused[NoteId]], fitting: Sequence[Collection[NoteId]],
    unheld: Sequence[str], wanted: int, k: int, *, last: bool,
) -> Placed:  # fmt: skip
    """Put documents among notes.

    What names, links or meaning have put further up stays there. A document gets the score of what it
    follows. Documents that stand beyond the wanted places are not put in order, which is most of the work.

    Args:
        reader: The index.
        found: The documents.
        order: The notes, best first, as far as they are known.
        fitting: Notes whose names hold every word, and notes that hold every word.
        unheld: What matches each word of the query that no note holds.
        wanted: Places that are wanted at most.
        k: Of the fusion; where there are no notes, a document gets the score of a first place.
        last: There are no more notes after these.
    """
    standing = {one.note: at for at, one in enumerate(order)}
    bm25: dict[NoteId, float] = {}
    places: dict[NoteId, int] = {}
    for at, note in _wishes(reader, found, order, fitting, unheld, wanted, bm25):
        number = len(places)
        place = at + number + number // AMONG * (COMPARED - AMONG)
        if place > len(order) + number:
            if not last:
                break
            place = len(order) + number
        if place >= wanted:
            break
        if standing.get(note, place + 1) > place:
            places[note] = place
    merged = [one for one in order if one.note not in places]
    accounts: dict[NoteId, Fused[NoteId]] = {}
    for rank, (note, place) in enumerate(places.items(), 1):
        beside = merged[min(place, len(merged)) - 1] if merged and place else next(iter(merged), None)
        share = beside.score if beside else 1.0 / (k + 1)
        accounts[note] = accounted(note, [Contribution(LIST, rank, share, 1.0, share)])
        merged.insert(place, accounts[note])
    return Placed(merged, accounts, bm25)


def _wishes(
    reader: Reader, found: Answering, order: Sequence[Fused[NoteId]], fitting: Sequence[Collection[NoteId]],
    unheld: Sequence[str], wanted: int, bm25: dict[NoteId, float],
) -> Iterator[tuple[int, NoteId]]:  # fmt: skip
    """Yield each document with the number of notes that it comes after, rising; ``bm25`` is filled."""
    first = [one.note for one in order if not is_document(one.note)][:COMPARED]
    at_called, at_whole = (
        max((at for at, note in enumerate(first, 1) if note in some), default=0) for some in fitting
    )
    others = found.others(reader) if unheld or len(first) < wanted else []
    alone = fulltext.matching(reader, " OR ".join(unheld), others) if unheld and others else set()
    groups: Sequence[tuple[int, Callable[[], list[NoteId]], str]] = (
        (0, lambda: [one for one in others if one in alone], found.any_word),
        (at_called, lambda: found.called(reader), found.every),
        (max(at_called, at_whole), lambda: found.whole(reader), found.every),
        (len(first), lambda: [one for one in others if one not in alone], found.any_word),
    )
    for at, looked_for, expression in groups:
        if at >= wanted or not (some := looked_for()):
            continue
        in_order, scores = documents.ranked(reader, expression, some)
        bm25 |= scores
        if found.close and expression == found.every:
            together = fulltext.matching(reader, found.close, in_order[: documents.MOST_RANKED])
            in_order.sort(key=lambda one: one not in together)
        yield from ((at, one) for one in in_order)
