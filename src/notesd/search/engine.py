"""Ask the channels, fuse what they say, and make a page of hits with each one's own account."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, structs

from notesd.index import fulltext
from notesd.index.attachments import StoredFile
from notesd.index.budget import OverBudget
from notesd.index.filters import Narrowing, fixed, narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.expressions import match
from notesd.rank.fuse import Fused
from notesd.rank.joining import Offer, Offers, Word
from notesd.search import account, attached, demoted, documents, lexical, titles
from notesd.search.conditions import Asked, Condition, conditions, joined, over
from notesd.search.hits import Shower
from notesd.search.learnt import Learnt
from notesd.search.order import Channel, Level, Ordered, levels, ordered, reaching, with_documents
from notesd.search.unheard import Unheard, unheard
from notesd.search.wanted import ranking_terms

COUNTED = 1_000
"""Matching notes counted before the answer says "more than"."""


_BY_WORDS = ("lexical", documents.LIST)
"""Lists of what holds the words."""


class Found(Struct, frozen=True):
    """One space's answer."""

    hits: list[dict[str, Any]]
    """Shaped as the protocol says, best first; without ``space`` and ``stale``."""
    total: int
    """Found so far, where it is not exact."""
    total_is_exact: bool
    took_ms: dict[str, float]
    more: bool = False
    """There are more than the total, and after this page."""
    cut: bool = False
    """The page ends before its last hit, because it took all the work that it may."""
    costly: bool = False
    """Something else was left out for the same reason: there may be more hits, or in a better order."""
    explain: dict[str, Any] | None = None
    """How this index was asked, where the question wanted to know."""
    keys: tuple[str, ...] = ()
    """Stable key of the note of each hit; empty for a file that is no note."""
    learnt: Learnt | None = None
    """What use had to say, where it was asked."""
    corrected: tuple[tuple[str, str], ...] = ()
    """Words that were taken for near ones, as typed and as the folder spells them."""
    standing: tuple[str, ...] = ()
    """Words that were not, though they might have been: a note holds them."""
    answered: bool = False
    """Words other than common ones have found something."""
    unheard: tuple[Unheard, ...] = ()
    """Filters that name nothing here."""
    over: tuple[tuple[str, int, int], ...] = ()
    """Kinds of filters of which too many are asked for, as ``conditions.over`` says."""
    offers: Offers | None = None
    """What compares the hits with those of other spaces, where that was wanted; None: they are by date."""


Early = Callable[[Found], None]
"""Told what the words alone have found."""


class SearchPlan(Struct, frozen=True):
    """How one space is asked."""

    asked: Asked
    """The search as the settings of the space want it."""
    channels: Sequence[Channel] = ()
    """Asked after the words, and fused with them."""
    sort: str | None = None
    """By which date the answer is ordered; None: by rank."""

    def run(self, reader: Reader, early: Early | None = None) -> Found:
        """Ask the index of the space; ``early`` as for ``search``."""
        if self.sort is not None:
            return feed(reader, self.asked, self.sort)
        return search(reader, self.asked, early, self.channels)


def search(reader: Reader, asked: Asked, early: Early | None = None, slow: Sequence[Channel] = ()) -> Found:
    """Answer one query from one space, best first.

    Args:
        reader: The index.
        asked: The question.
        early: Called once, before the slow channels are asked; without any it is told what is returned.
        slow: Channels that are asked after the words, and fused with them.
    """
    clock = _Clock()
    try:
        found = _searched(reader, asked, early, slow, clock)
    except OverBudget:
        found = Found([], 0, total_is_exact=False, took_ms=clock.laps, cut=True)
    return structs.replace(found, costly=reader.meter.over)


def _searched(
    reader: Reader, asked: Asked, early: Early | None, slow: Sequence[Channel], clock: "_Clock"
) -> Found:
    """As ``search``, as long as it may take.

    Raises:
        OverBudget: Nothing was found by then.
    """
    every = conditions(reader, asked)
    narrowed = fixed(reader, narrowing(joined(every)))
    named, beyond = unheard(reader, every), tuple(over(asked))
    clock.lap("filter")

    def whole(found: Found) -> Found:
        return _explained(structs.replace(found, unheard=named, over=beyond), asked, every)

    if not ranking_terms(asked.query):
        nothing = Found([], 0, total_is_exact=True, took_ms=clock.laps)
        narrowed = narrowed or titles.called_by_signs(reader, asked.query.text)
        found = _listed(reader, asked, narrowed, "-modified", clock, every) if narrowed else nothing
        found = whole(found)
        if early:
            early(found)
        return found

    wanted = asked.offset + asked.limit
    files = attached.answering(reader, asked, every)
    clock.lap("files")

    def heard(words: lexical.Lexical) -> None:
        if early and slow:
            plain = structs.replace(asked, relation_weights=None, use=None)
            made = ordered(reader, plain, words.rankings, narrowed, clock.lap)
            words, made = with_documents(
                reader, plain, words, made, wanted, last=words.exact_total is not None
            )
            level = Level(words, words.rankings, made, lexical.DEPTH)
            short = (
                len(made.order) < wanted and words.exact_total is None
            )  # a page far down, rarely asked for
            if short or asked.demote:
                level = reaching(reader, levels(reader, plain, narrowed, (), clock.lap), wanted)
            early(whole(_page(reader, plain, level, narrowed, clock, files)))

    level = reaching(reader, levels(reader, asked, narrowed, slow, clock.lap, heard), wanted)
    found = whole(_page(reader, asked, level, narrowed, clock, files))
    if early and not slow:
        early(found)
    return found


def _explained(found: Found, asked: Asked, every: Sequence[Condition]) -> Found:
    """Add what a note had to fulfil, where the question wants to know."""
    if not asked.explain:
        return found
    return structs.replace(found, explain={"filters": account.demands(every), **(found.explain or {})})


def _page(
    reader: Reader, asked: Asked, level: Level, narrowed: Narrowing | None, clock: "_Clock",
    files: attached.Answering,
) -> Found:  # fmt: skip
    """Show the wanted page of an answer: notes, and files among them."""
    if not files.total:
        return _of_notes(reader, asked, level, narrowed, clock)
    words = level.words
    every = None if words.corrected else words.expressions.get("every", words.expressions.get("any"))
    notes, span = [one.note for one in level.made.order], range(asked.offset, asked.offset + asked.limit)
    page = attached.paged(reader, files, notes, every, span, cut=level.cut)
    only = structs.replace(asked, offset=page.start, limit=page.end - page.start)
    found = _of_notes(reader, only, level, narrowed, clock)
    exact = found.total_is_exact and files.total < attached.MOST
    found = structs.replace(found, total=found.total + files.total, total_is_exact=exact)
    return _woven(reader, found, page.files, asked.rrf_k)


def _woven(reader: Reader, found: Found, files: Sequence[tuple[int, StoredFile]], k: int) -> Found:
    """Put files at their places among the notes of a page; none after the end of one that was cut."""
    hits, keys = list(found.hits), list(found.keys)
    offers = list(found.offers.hits) if found.offers else []
    for at, file in files:
        if at > len(hits):
            break
        beside = hits[at - 1] if at else hits[0] if hits else None
        score = beside["score"] if beside else 1 / (k + 1)
        hit = attached.hit(reader, file, score)
        hits.insert(at, {**hit, "explain": {"lists": [], "words": []}} if found.explain else hit)
        keys.insert(at, "")
        offers.insert(at, Offer(score, 0.0, None))
    joined_offers = structs.replace(found.offers, hits=offers) if found.offers else None
    return structs.replace(found, hits=hits, keys=tuple(keys), offers=joined_offers)


def _of_notes(
    reader: Reader, asked: Asked, level: Level, narrowed: Narrowing | None, clock: "_Clock"
) -> Found:  # fmt: skip
    """Show the wanted page of the notes."""
    words, rankings, made = level.words, level.rankings, level.made
    total, exact = _counted(reader, level, narrowed)
    more = level.cut and len(made.order[asked.offset :]) >= asked.limit
    clock.lap("count")
    page = made.order[asked.offset : asked.offset + asked.limit]
    lines = {note: line for ranking in rankings for note, line in (ranking.lines or {}).items()}
    show = Shower(reader, words.terms, [one.note for one in page], lines)
    hits = show.hits((one.note, _scored(one, words.bm25.get(one.note), level)) for one in page)
    ids = [one.note for one in page]
    hits = demoted.marked(hits, ids, demoted.demoted(reader, ids, asked.demote))
    cut, page = len(hits) < len(page), page[: len(hits)]
    keys = tuple(show.key(one.note) for one in page)
    offers = _offers(reader, level, page, asked.rrf_k) if asked.joined else None
    clock.lap("snippet")
    laps = dict(clock.laps)
    found = Found(
        hits, total, exact and not cut, laps, more, cut,
        keys=keys, learnt=made.use, offers=offers,
        corrected=words.corrected, standing=words.standing, answered=words.answered,
    )  # fmt: skip
    return _told(reader, asked, found, level, narrowed, clock) if asked.explain else found


def _told(
    reader: Reader, asked: Asked, found: Found, level: Level, narrowed: Narrowing | None, clock: "_Clock"
) -> Found:
    """A page with the account of how it came about, as far as that may be afforded."""
    words, rankings, made = level.words, level.rankings, level.made
    page = made.order[asked.offset : asked.offset + len(found.hits)]
    try:
        held = account.words_in(reader, words.terms, [one.note for one in page])
    except OverBudget:
        reader.meter.wind_up()
        held = {}
    for hit, one in zip(found.hits, page, strict=True):
        hit["explain"] = {
            "lists": account.of_score(one), "words": held.get(one.note, []), **_stages(one, made)
        }  # fmt: skip
        if "demoted" in hit:
            hit["explain"]["demoted"] = demoted.folder_of(hit["path"], asked.demote)
    clock.lap("explain")
    told = account.of_space(reader, words, rankings, narrowed, asked.rrf_k)
    if asked.demote:
        told["demoted"] = list(asked.demote)
    if made.links:
        told["links"] = account.of_links(made.links)
    if made.use:
        told["use"] = account.of_use(made.use)
    return structs.replace(found, took_ms=dict(clock.laps), explain=told)


def _counted(reader: Reader, level: Level, narrowed: Narrowing | None) -> tuple[int, bool]:
    """How many notes answer, and whether that is all of them."""
    words, made = level.words, level.made
    if made.by_distance:
        return len(made.order), not level.cut
    total, exact = max(len(made.order), words.exact_total or 0), words.exact_total is not None
    if not exact:
        try:
            counted = _counted_to(reader, words, narrowed)
            counted += words.documents.total(reader) if counted < COUNTED else 0
        except OverBudget:
            reader.meter.wind_up()
            return total, False
        total, exact = max(total, min(counted, COUNTED)), counted < COUNTED
    by_meaning = any(one.name == "semantic" for one in level.rankings)
    return total, exact and not (level.cut and by_meaning)


def _counted_to(reader: Reader, words: lexical.Lexical, narrowed: Narrowing | None) -> int:
    """How many notes hold any word, counted up to ``COUNTED``."""
    most = max(words.rarity.holding, default=0) if words.rarity and not narrowed else 0
    if most >= COUNTED or (most and len(words.terms) == 1):  # any word is in as many as one of them
        return min(most, COUNTED)
    if words.rarity and not narrowed and words.both is not None:
        return min(sum(words.rarity.holding) - words.both, COUNTED)
    return fulltext.count_to(reader, words.expressions["any"], COUNTED, narrowed)


def _stages(one: Fused[NoteId], made: Ordered) -> dict[str, Any]:
    """The accounts of the stages before the last, where they differ, and what use said."""
    told: dict[str, Any] = {}
    plain = made.use.before.get(one.note) if made.use else None
    if plain and plain is not one and made.use and made.use.use.blend == "published":
        told["without_use"] = account.of_score(plain)
    if made.links and one.note in made.links.before:
        told["fused"] = account.of_score(made.links.before[one.note])
    if made.use and one.note in made.use.judged:
        told["use"] = account.of_use_in(made.use, one.note)
    return told


def feed(reader: Reader, asked: Asked, sort: str) -> Found:
    """Return only notes in which every term really occurs, by date."""
    try:
        found = _fed(reader, asked, sort)
    except OverBudget:
        found = Found([], 0, total_is_exact=False, took_ms={}, cut=True)
    return structs.replace(found, costly=reader.meter.over)


def _fed(reader: Reader, asked: Asked, sort: str) -> Found:
    """As ``feed``, as long as it may take."""
    every = conditions(reader, asked)
    filters, named = joined(every), unheard(reader, every)
    languages = fulltext.languages(reader)
    groups = [" OR ".join(match(term, languages) for term in group) for group in asked.query.groups]
    narrowed = narrowing(structs.replace(filters, matches=(*filters.matches, *groups)))
    if narrowed is None and asked.query.text.strip():
        return Found([], 0, total_is_exact=True, took_ms={})  # a text without a word occurs nowhere
    found = _listed(reader, asked, narrowed, sort, _Clock(), every, tuple(groups))
    return structs.replace(found, unheard=named, over=tuple(over(asked)))


def _listed(
    reader: Reader, asked: Asked, narrowed: Narrowing | None, sort: str, clock: "_Clock",
    every: Sequence[Condition], matches: tuple[str, ...] = (),
) -> Found:  # fmt: skip
    """Notes that pass the filters, by date; then files by path, where a filter asks for kinds of them."""
    ids, total = demoted.by_date(reader, narrowed, sort, asked.limit, asked.offset, asked.demote)
    show = Shower(reader, ranking_terms(asked.query), ids)
    hits = show.hits((note, {"score": 0.0, "channels": {}}) for note in ids)
    hits = demoted.marked(hits, ids, demoted.demoted(reader, ids, asked.demote))
    keys = tuple(show.key(note) for note in ids[: len(hits)])
    start = max(0, asked.offset - total)
    files, some = attached.listed(reader, every, range(start, start + asked.limit - len(ids)), matches)
    clock.lap("list")
    found = Found(
        hits, total + some, total_is_exact=True, took_ms=clock.laps, cut=len(hits) < len(ids), keys=keys
    )
    return _woven(reader, found, [*enumerate(files, len(ids))], asked.rrf_k)


def _offers(reader: Reader, level: Level, page: Sequence[Fused[NoteId]], k: int) -> Offers:
    """What compares the hits of a page with those of other spaces."""
    words, made = level.words, level.made
    ids = [one.note for one in page]
    keys: list[Word] = [" ".join((*term.tokens, term.sign or "")) for term in words.terms]
    rarity, held = words.rarity, None
    try:
        held = dict(zip(keys, lexical.holders(reader, words.terms, ids), strict=True))
    except OverBudget:  # then scores alone compare them
        reader.meter.wind_up()
        rarity = None
    hits = []
    for note in ids:
        found = made.channels.get(note)  # None: links alone have brought it
        shares = [share.share for share in found.contributions if share.name in _BY_WORDS] if found else []
        score = found.score if found else 0.0
        if made.by_distance:
            score = (1 - made.distances[note]) / (k + 1)  # as if it were a first place
        own = None if held is None else frozenset(key for key, some in held.items() if note in some)
        hits.append(Offer(score, math.fsum(shares), own))
    notes_in, holding = (rarity.notes, dict(zip(keys, rarity.holding, strict=True))) if rarity else (0, {})
    channels = [one for one in level.rankings if one.name in {"lexical", "semantic"}]
    return Offers(hits, notes_in, holding, max(1, len(channels)))


def _scored(one: Fused[NoteId], bm25: float | None, level: Level) -> dict[str, Any]:
    """The score of a hit, by which channels it came, and what use says of it."""
    made = level.made
    channels: dict[str, Any] = {}
    scored: dict[str, Any] = {"score": one.score, "channels": channels}
    plain = made.use.before.get(one.note, one) if made.use else one
    if not made.by_distance:
        scored["rrf_score"] = plain.score
    found = made.channels.get(one.note)
    for share in found.contributions if found else ():
        if share.name in _BY_WORDS:
            channels["lexical"] = {"rank": share.rank, "bm25": bm25}
        elif share.name == "semantic":
            scored["distance"] = made.distances[one.note]
            channels["semantic"] = {"rank": share.rank, "distance": made.distances[one.note]}
    if one.note in level.far:
        scored["evidence"] = "low"
    if made.links and any(share.name == "graph" for share in plain.contributions):
        place = made.links.places[one.note]
        channels["graph"] = {"rank": place.rank, "via": list(place.via)}
    if made.use and one.note in made.use.judged:
        scored |= account.scoring(made.use, one.note)
    return scored


class _Clock:
    """What each stage took."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._last = now()
        self.laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = self._now()
        self.laps[stage] = round(self.laps.get(stage, 0.0) + (now - self._last) * 1000, 3)
        self._last = now
