"""The lexical channel: which notes hold the words, and how sure are the words of them?"""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from notesd.index import fulltext, notes, standing
from notesd.index.budget import OverBudget
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import fold_name
from notesd.parse.expressions import match, quoted_word, written
from notesd.parse.terms import Term, finish
from notesd.rank.evidence import lexical_evidence
from notesd.rank.fuse import EVERY_WEIGHT, EXACT_WEIGHT, PHRASE_WEIGHT, Ranking
from notesd.search import documents
from notesd.search.documents import NOTHING as NO_DOCUMENTS
from notesd.search.documents import Answering as Documents
from notesd.search.naming import named
from notesd.search.query import Query
from notesd.search.quotation import quoted
from notesd.search.spelling import Spelled, continued, spelled
from notesd.search.titles import Groups, called
from notesd.search.wanted import dropped_terms, ranking_terms, wanted

DEPTH = 100
"""Notes the channel offers, unless a later page needs more."""
SHORT_QUERY = 4
"""Up to so many words, notes that hold them all come first; in a longer question no note has to
hold every word, and asking for it cost 0.02 nDCG@10."""
ALWAYS = 1e6
WRITTEN_LIFT = 1.15
"""How much better a note counts that holds the words of a query as they are typed: on link texts 1.1 to 1.3
gained 0.005 to 0.01 over none, 1.6 nothing."""
WRITTEN_SHARE = 0.1
"""How much better a note counts that says all the words of a query as they are typed, each by how rare it is,
than one that says other forms of them: .05 to .2 gained up to 0.01 nDCG@10 and lost none, .4 lost 0.004."""
NAMED_SHARE = 0.2
"""The same of the words that its title and aliases say as typed: .05 to .3 gained up to 0.006 nDCG@10, .2 the
most and lost none. By these alone, questions in Spanish lost 0.003."""
MOST_WHOLE_HITS = 10
"""Every word of a query in more notes than that says nothing about one of them."""

ANOTHER_WHOLE = 0.25
"""How much it counts that a note other than the first holds every word. With 1, three words drawn from a note
lost 0.025 nDCG@10, with 0 they lost 0.003 more on sentences."""


class Lexical(Struct, frozen=True):
    """What the channel found."""

    rankings: tuple[Ranking[NoteId], ...]
    """``lexical``, then ``exact``, ``named``, ``phrase`` or ``near``, and ``every`` where they found any."""
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
    corrected: tuple[tuple[str, str], ...] = ()
    """Words that were taken for near ones, as typed and as the folder spells them."""
    standing: tuple[str, ...] = ()
    """Words that were not, though they might have been: a note holds them."""
    answered: bool = False
    """Words other than common ones have found something."""
    documents: Documents = NO_DOCUMENTS
    """The documents that hold the words; none of them is in a list."""
    titled: Collection[NoteId] = ()
    """Notes whose names hold all words, where these are few."""
    whole: Collection[NoteId] = ()
    """Notes that hold all words: the best of them, or of many words a few."""
    both: int | None = None
    """Notes that hold both of two words, where all of these were found."""


class _Looked(Struct, frozen=True):
    """What is known once any word was looked for."""

    query: Query
    """With what each of its words may mean."""
    terms: tuple[Term, ...]
    groups: Groups
    """Of which a note that has all the words holds one term each."""
    languages: Sequence[str]
    matches: Sequence[str]
    """What FTS5 is asked for each term."""
    expressions: dict[str, str]
    found: Sequence[tuple[NoteId, float]]
    documents: Documents
    spelled: Spelled
    answered: bool


def recall(reader: Reader, query: Query, narrowed: Narrowing | None, depth: int) -> Lexical:
    """Rank the notes that hold any word of the query.

    Of a few words, notes that are called so come first, then those that hold all of them; among equals
    those that hold them as typed. Where that takes more than it may, the order is that of any word.

    Args:
        reader: The index.
        query: As parsed; it has words or phrases.
        narrowed: The only notes to look at.
        depth: Notes to offer at most, 1 or more.
    """
    looked = _any_word(reader, query, narrowed, depth)
    total = len(looked.found) + looked.documents.total(reader) if len(looked.found) < depth else None
    try:
        return _every_list(reader, looked, narrowed, depth, total)
    except OverBudget:
        reader.meter.wind_up()
    plain = Ranking("lexical", [note for note, _ in looked.found], 1.0)
    return _lexical(looked, [plain], dict(looked.found), total, None)


def _lexical(
    looked: _Looked, rankings: Sequence[Ranking[NoteId]], bm25: Mapping[NoteId, float], total: int | None,
    rarity: fulltext.Rarity | None,
) -> Lexical:  # fmt: skip
    """What the channel found, with how the words were meant."""
    return Lexical(
        tuple(rankings), bm25, looked.terms, total, looked.expressions, rarity,
        looked.spelled.corrected, looked.spelled.standing, looked.answered, looked.documents,
    )  # fmt: skip


def _any_word(reader: Reader, query: Query, narrowed: Narrowing | None, depth: int) -> _Looked:
    """Look for any word; for common ones, too, only where nothing else answers."""
    query, meant = _meant(reader, query)
    looked = _looked(reader, query, narrowed, depth, meant, stop_words=False)
    if looked.answered or query.elsewhere.answered or not dropped_terms(query):
        return looked
    return _looked(reader, query, narrowed, depth, meant, stop_words=True)


def _meant(reader: Reader, query: Query) -> tuple[Query, Spelled]:
    """Add what else words may mean, where that may be afforded."""
    try:
        meant = spelled(reader, query.groups, fulltext.languages(reader), query.elsewhere.standing)
    except OverBudget:
        reader.meter.wind_up()
        return query, Spelled(query.groups)
    return structs.replace(query, groups=meant.groups), meant


def meant_terms(reader: Reader, query: Query) -> tuple[Term, ...]:
    """Return the words that rank, each with what else it may mean in this index."""
    return ranking_terms(_meant(reader, query)[0])


def holders(reader: Reader, terms: Sequence[Term], note_ids: Sequence[NoteId]) -> list[set[NoteId]]:
    """Return which of some notes hold each word, in any of its forms."""
    spoken = fulltext.languages(reader)
    return [fulltext.matching(reader, match(term, spoken), note_ids) for term in terms]


def _looked(
    reader: Reader, query: Query, narrowed: Narrowing | None, depth: int, meant: Spelled,
    *, stop_words: bool,
) -> _Looked:  # fmt: skip
    languages = fulltext.languages(reader)
    terms = ranking_terms(query, stop_words=stop_words)
    matches = [match(term, languages) for term in terms]
    expressions = {"any": " OR ".join(matches)} if matches else {}
    found = fulltext.ranked(reader, expressions["any"], depth, narrowed) if matches else []
    groups = wanted(query, stop_words=stop_words)
    short = len(groups) <= SHORT_QUERY
    books = documents.answering(reader, groups, terms, narrowed, short=short)
    answered = not stop_words and (bool(found) or books.total(reader) > 0)
    return _Looked(query, terms, groups, languages, matches, expressions, found, books, meant, answered)


def _every_list(
    reader: Reader, looked: _Looked, narrowed: Narrowing | None, depth: int, total: int | None
) -> Lexical:
    """All lists of the channel, the first one being there already."""
    query, groups, languages, expressions = looked.query, looked.groups, looked.languages, looked.expressions
    bm25 = dict(looked.found)
    every = _every(groups, languages)
    if len(groups) > 1:
        expressions["every"] = every
    order: dict[NoteId, None] = {}
    whole: Sequence[tuple[NoteId, float]] | None = None
    titled: Sequence[NoteId] = ()
    if 0 < len(groups) <= SHORT_QUERY and len(looked.found) > 1:
        alike = every == f"({expressions['any']})"
        whole = looked.found if alike else fulltext.ranked(reader, every, depth, narrowed)
        bm25 |= {note: score for note, score in whole if note not in bm25}
        titled = called(reader, query, _alone(groups), narrowed)
        order.update(dict.fromkeys(titled))
        order.update(dict.fromkeys(_as_typed(reader, groups, whole)))
    rarity = fulltext.rarity(reader, looked.matches) if looked.found else None
    order.update(dict.fromkeys(_said(reader, looked, rarity)))
    ranked = [note for note in order if note in bm25][:depth]
    rankings = [Ranking("lexical", ranked, 1.0, _evidence(ranked, bm25, rarity))]
    rankings += _exact(reader, query, narrowed)
    rankings += named(reader, query, looked.terms, rarity, titled, narrowed)
    for one in quoted(reader, query, narrowed):
        expressions[one.name] = one.expression
        if one.notes:
            rankings.append(Ranking(one.name, one.notes, 2 * PHRASE_WEIGHT, doubtful=one.doubtful))
    holding = [note for note, _ in whole or ()]
    if len(groups) > 1 and ranked:
        if whole is None:
            holding = fulltext.first_matching(reader, every, MOST_WHOLE_HITS + 1, narrowed)
        rankings += _whole(holding, ranked)
    two = len(groups) == 2 and looked.terms == tuple(itertools.chain(*groups))  # noqa: PLR2004 -- without other ways to say them
    both = len(whole) if two and whole is not None and len(whole) < depth else None
    made = _lexical(looked, rankings, bm25, total, rarity)
    titled_, whole_ = _fitting(reader, looked, every, titled, holding if len(groups) > 1 or whole else None)
    return structs.replace(made, both=both, titled=titled_, whole=whole_)


def unheld(reader: Reader, words: Lexical) -> list[str]:
    """Return what matches each word that ranks and that no note holds."""
    if words.rarity is None:
        return []
    languages = fulltext.languages(reader)
    counted = zip(words.terms, words.rarity.holding, strict=True)
    return [match(term, languages) for term, holding in counted if not holding]


def _fitting(
    reader: Reader, looked: _Looked, every: str, titled: Sequence[NoteId], holding: Sequence[NoteId] | None
) -> tuple[Collection[NoteId], Collection[NoteId]]:
    """Return the notes that documents come after: those named so, and those that hold every word.

    Args:
        reader: The index.
        looked: What was looked for.
        every: What matches every word.
        titled: The notes whose names hold every word, where the query is short and has found several.
        holding: Notes that hold every word; None: nobody has looked for them.
    """
    books = looked.documents
    if not books.any_word or not looked.found:
        return (), ()
    known = len(looked.groups) <= SHORT_QUERY and len(looked.found) > 1
    notes = [note for note, _ in looked.found]
    if not known and books.called(reader):
        titled = [*fulltext.matching(reader, f"{{name aliases}} : ({every})", notes)]
    if holding is None or (not known and len(holding) > MOST_WHOLE_HITS):
        holding = [*fulltext.matching(reader, every, notes)]
    return frozenset(titled), frozenset(holding)


def _as_typed(reader: Reader, groups: Groups, whole: Sequence[tuple[NoteId, float]]) -> list[NoteId]:
    """Put notes that hold the words as they are typed before those that hold other forms of them.

    A single word always, of several words where they are about equally good: between two forms people
    seldom choose on purpose, but who asks for "Rechnungen" sees them before a "Rechnung". A whole word
    counts for more than the beginning of one; for a single word then come its forms with more letters, then
    compounds with it.
    """
    score = dict(whole)
    notes = [*score]
    finished = tuple(tuple(map(finish, group)) for group in groups)
    if len(groups) == 1:
        ways, lift = [*map(_written, dict.fromkeys((finished, groups))), *_instead(reader, groups)], ALWAYS
    else:
        ways, lift = [_written(finished)], WRITTEN_LIFT
    factor = dict.fromkeys(notes, 1.0)
    for note in itertools.chain(*(fulltext.writing(reader, way, notes) for way in ways)):
        factor[note] *= lift
    return sorted(notes, key=lambda note: score[note] * factor[note])


def _said(reader: Reader, looked: _Looked, rarity: fulltext.Rarity | None) -> list[NoteId]:
    """Put notes that say more of several words as they are typed a little before those with other forms."""
    score = dict(looked.found)
    notes = [*score]
    if rarity is None or len(looked.groups) < 2 or len(notes) < 2:  # noqa: PLR2004 -- nothing to put in order
        return notes
    said = dict.fromkeys(notes, 0.0)
    for term, idf in zip(looked.terms, rarity.idfs, strict=True):
        as_typed, share = written(finish(term)), idf / rarity.idf_sum
        for note in fulltext.writing(reader, as_typed, notes):
            said[note] += WRITTEN_SHARE * share
        for note in fulltext.writing(reader, as_typed, notes, "names"):
            said[note] += NAMED_SHARE * share
    return sorted(notes, key=lambda note: score[note] * (1 + said[note]))


def _alone(groups: Groups) -> Groups:
    """Return the words without the compounds that they are a part of."""
    return tuple(tuple(structs.replace(term, compounds=()) for term in group) for group in groups)


def _written(groups: Groups) -> str:
    """Return the expression for notes that say the words as they are typed."""
    ways = [" OR ".join(f"({one})" for term in group if (one := written(term))) for group in groups]
    return " AND ".join(f"({way})" for way in ways if way)


def _instead(reader: Reader, groups: Groups) -> Iterator[str]:
    """Yield the expressions for what stands for words that no note says: their longer forms, or compounds.

    Both are better than forms in which the word itself is not seen; the longer forms are best.
    """
    longer, whole = [], []
    for term in itertools.chain(*groups):
        if term.compounds:
            forms = continued(reader, term.tokens[0], fulltext.languages(reader))
            longer += [quoted_word(form) for form in forms]
            whole += [quoted_word(word) for word in (*forms, *term.compounds)]
    yield " OR ".join(longer)
    yield " OR ".join(whole)


def _every(groups: Groups, languages: Sequence[str]) -> str:
    """Return the expression for notes that hold one term of each group."""
    return " AND ".join("(" + " OR ".join(match(term, languages) for term in group) + ")" for group in groups)


def _evidence(
    order: Sequence[NoteId], bm25: Mapping[NoteId, float], rarity: fulltext.Rarity | None
) -> dict[NoteId, float]:
    """Evidence of each note, never less than that of a note further down.

    A note that holds every word may score below one that repeats a single rare word; it is the
    surer answer all the same.
    """
    if rarity is None:
        return {}
    notes_ = order[::-1]
    evidence = lexical_evidence([bm25[note] for note in notes_], rarity.idf_sum, len(rarity.holding))
    return dict(zip(notes_, itertools.accumulate(evidence, max), strict=True))


def _exact(reader: Reader, query: Query, narrowed: Narrowing | None) -> list[Ranking[NoteId]]:
    """Notes that are called like the query.

    This list and those after it have twice the weight that they have beside a second channel, because the
    words alone vote with twice theirs.
    """
    name = fold_name(query.text) if query.plain else ""
    exact = notes.among(reader, standing.named_exactly(reader, name), narrowed) if name else []
    return [Ranking("exact", exact, 2 * EXACT_WEIGHT, tied=True)] if exact else []


def _whole(whole: Sequence[NoteId], ranked: Sequence[NoteId]) -> list[Ranking[NoteId]]:
    """Notes that hold all the words, where they are few, in the order of the channel.

    Fully it counts only for the note that the words rank first: of two or three words that stand somewhere
    in ten notes the others say little.
    """
    held = [note for note in ranked if note in whole] if len(whole) <= MOST_WHOLE_HITS else []
    evidence = {note: 1.0 if note == ranked[0] else ANOTHER_WHOLE for note in held}
    return [Ranking("every", held, 2 * EVERY_WEIGHT, evidence)] if held else []
