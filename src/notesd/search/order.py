"""In what order do notes answer, ever further down?"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from notesd.index import notes
from notesd.index.budget import OverBudget
from notesd.index.filters import Narrowing
from notesd.index.links import fold_relation
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.rank.evidence import WEAK
from notesd.rank.fuse import Fused, Ranking, heeded, reciprocal_rank_fusion
from notesd.search import documents, lexical
from notesd.search.conditions import Asked
from notesd.search.demoted import demoted
from notesd.search.expand import Expansion, expand
from notesd.search.learnt import Learnt, learnt
from notesd.search.query import Query

DEEPER = 8
"""How many times more notes each further level takes in."""

Channel = Callable[[Reader, Query, Narrowing | None, int, Mapping[NoteId, float]], Sequence[Ranking[NoteId]]]
"""What ranks notes beside the words and takes its time: index, query, the only notes to look at, how
many to offer, and how sure the words are of those that they have found."""


class Ordered(Struct, frozen=True):
    """The order of an answer, and what each stage had to do with it."""

    order: Sequence[Fused[NoteId]]
    """Best first."""
    channels: Mapping[NoteId, Fused[NoteId]]
    """What the channels alone gave each note that they found."""
    links: Expansion | None
    use: Learnt | None
    distances: Mapping[NoteId, float]
    """Of the notes that the semantic channel has found."""
    by_distance: bool
    """The semantic channel alone has answered."""


def ordered(
    reader: Reader, asked: Asked, rankings: Sequence[Ranking[NoteId]], narrowed: Narrowing | None,
    lap: Callable[[str], None] = lambda _: None,
) -> Ordered:  # fmt: skip
    """Fuse some lists, and let links and use have their say.

    Args:
        reader: The index.
        asked: The question.
        rankings: What the channels say.
        narrowed: The only notes that may answer.
        lap: Told the name of each stage when it is over.
    """
    paths = _Paths(reader, rankings)
    order: Sequence[Fused[NoteId]] = reciprocal_rank_fusion(rankings, paths=paths, k=asked.rrf_k)
    channels = {one.note: one for one in order}
    lap("fuse")
    links = use = None
    if asked.relation_weights is not None:
        only = {fold_relation(name) for name in (*asked.relations, *asked.query.rels)}
        links = expand(reader, asked.query, order, narrowed, asked.relation_weights, only, asked.rrf_k)
        order = links.order
        lap("links")
    meaning = [ranking for ranking in rankings if ranking.name == "semantic"]
    distances = {note: d for ranking in meaning for note, d in (ranking.raw or {}).items()}
    alone = bool(meaning) and len(meaning) == len(rankings)
    if asked.use is not None:
        wanted = asked.offset + asked.limit
        use = learnt(reader, asked.use, order, distances, wanted, alone=alone)
        order = use.order if use else order
        lap("use")
    return Ordered(order, channels, links, use, distances, alone)


class _Paths(dict[NoteId, str]):
    """Paths of the notes in some lists; read, all at once, when the first is asked for."""

    def __init__(self, reader: Reader, rankings: Sequence[Ranking[NoteId]]) -> None:
        super().__init__()
        self._reader, self._rankings = reader, rankings

    def __missing__(self, note: NoteId) -> str:
        everyone = {one for ranking in self._rankings for one in ranking.notes}
        self.update((one, known.path) for one, known in notes.stored(self._reader, everyone).items())
        return super().__getitem__(note) if note in self else ""


class Level(Struct, frozen=True):
    """An answer as far down as the channels were asked."""

    words: lexical.Lexical
    rankings: Sequence[Ranking[NoteId]]
    """The lists that were fused."""
    made: Ordered
    depth: int
    """Notes that each channel was asked for."""
    cut: bool = False
    """There are more."""
    far: frozenset[NoteId] = frozenset()
    """Notes that meaning alone has found, and that are far from the question."""


def reaching(reader: Reader, every: Iterator[Level], wanted: int) -> Level:
    """The first level with so many notes, else the last there is, or the last that may be afforded."""
    level = next(every)
    try:
        while len(level.made.order) < wanted and (deeper := next(every, None)):
            level = deeper
    except OverBudget:
        reader.meter.wind_up()
    return level


def levels(
    reader: Reader, asked: Asked, narrowed: Narrowing | None, slow: Sequence[Channel],
    lap: Callable[[str], None] = lambda _: None, heard: Callable[[lexical.Lexical], None] = lambda _: None,
    reach: int | None = None,
) -> Iterator[Level]:  # fmt: skip
    """Answer a question, and ever further down as long as there is more.

    What stands further up stays as it is: the channels are not simply asked for more, because a note that
    one of them finds only then would move onto a page that was shown already. So all pages of one size are
    cut from one order; in it scores begin anew where a level ends. Notes of folders that come later are held
    back until there are no others.

    Args:
        reader: The index.
        asked: The question; where the wanted page begins changes nothing.
        narrowed: The only notes that may answer.
        slow: Channels beside the words.
        lap: Told the name of each stage when it is over.
        heard: Told once what the words have found, before the slow channels are asked.
        reach: Places up to which documents are put among the notes; None: up to the end of the wanted page.
    """
    reach = asked.offset + asked.limit if reach is None else reach
    depth = max(lexical.DEPTH, asked.expansion * (asked.page_size or asked.limit))
    made: Ordered | None = None
    while True:
        words = lexical.recall(reader, asked.query, narrowed, depth)
        lap("lexical")
        if made is None:
            heard(words)
        rankings = list(words.rankings)
        for channel in slow:
            rankings += channel(reader, asked.query, narrowed, depth, found_by_words(asked, words))
            lap("channels")
        votes = voting(asked, rankings)
        if made is None:
            known, made = 0, ordered(reader, asked, votes, narrowed, lap)
        else:
            known = len(made.order)
            made = _continued(made, ordered(reader, structs.replace(asked, use=None), votes, narrowed, lap))
        cut = words.exact_total is None or any(len(one.notes) >= depth for one in rankings)
        last = not cut or len(made.order) == known
        known_words, whole = with_documents(reader, asked, words, made, reach, last=last)
        whole = _later_behind(reader, asked, whole, last=last)
        yield Level(known_words, votes, whole, depth, cut, _far(words, rankings))
        if last:
            return
        depth *= DEEPER


def with_documents(
    reader: Reader, asked: Asked, words: lexical.Lexical, made: Ordered, reach: int, *, last: bool
) -> tuple[lexical.Lexical, Ordered]:
    """An order of notes with the documents that hold the words among them, and what words know of these."""
    if asked.meaning_only or made.by_distance or not words.documents.any_word:
        return words, made
    try:
        placed = documents.placed(
            reader, words.documents, made.order, (words.titled, words.whole), lexical.unheld(reader, words),
            reach, asked.rrf_k, last=last,
        )  # fmt: skip
    except OverBudget:
        reader.meter.wind_up()
        return words, made
    known = structs.replace(words, bm25={**words.bm25, **placed.bm25})
    channels = {**made.channels, **placed.accounts}
    return known, structs.replace(made, order=placed.order, channels=channels)


def _far(words: lexical.Lexical, rankings: Sequence[Ranking[NoteId]]) -> frozenset[NoteId]:
    """The notes of which no list of the words speaks, and meaning but weakly."""
    known = {note for ranking in words.rankings for note in ranking.notes}
    near = (one.near or {} for one in rankings if one.name == "semantic")
    return frozenset(note for some in near for note, how in some.items() if how < WEAK and note not in known)


def _later_behind(reader: Reader, asked: Asked, made: Ordered, *, last: bool) -> Ordered:
    """An order in which the notes of demoted folders stand behind all others, or are not seen yet."""
    later = demoted(reader, [one.note for one in made.order], asked.demote)
    if not later:
        return made
    others = [one for one in made.order if one.note not in later]
    behind = [one for one in made.order if one.note in later] if last else []
    return structs.replace(made, order=[*others, *behind])


def _continued(made: Ordered, deeper: Ordered) -> Ordered:
    """An order, and after it what was found further down."""
    seen = {one.note for one in made.order}
    links = made.links
    if links and deeper.links:
        links = structs.replace(
            links,
            places={**deeper.links.places, **links.places},
            before={**deeper.links.before, **links.before},
        )
    return structs.replace(
        made,
        order=[*made.order, *(one for one in deeper.order if one.note not in seen)],
        channels={**deeper.channels, **made.channels},
        links=links,
        distances={**deeper.distances, **made.distances},
    )


def voting(asked: Asked, rankings: Sequence[Ranking[NoteId]]) -> Sequence[Ranking[NoteId]]:
    """The lists that are fused: for a question by meaning alone that one, unless it could not be had."""
    alone = [structs.replace(one, evidence=None) for one in rankings if one.name == "semantic" and one.notes]
    return alone if alone and asked.meaning_only else heeded(rankings)


def found_by_words(asked: Asked, words: lexical.Lexical) -> Mapping[NoteId, float]:
    """The notes that a slow channel is to judge, too, with their evidence; none where it answers alone."""
    return {} if asked.meaning_only else words.rankings[0].evidence or {}
