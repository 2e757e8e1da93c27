"""Which notes belong with a note: by what they mean, by links, by tags, by use, and why each of them?

Four lists, each with its own evidence, fused like the lists of a search. Reasons are told from the note that
was asked about: ``out`` means that it has the link.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from notesd.index import around, notes
from notesd.index.neighbours import Standing, standings
from notesd.index.notes import NoteId, StoredNote
from notesd.index.store import Reader
from notesd.rank.evidence import POSITION_COST, semantic_evidence
from notesd.rank.fuse import Ranking, reciprocal_rank_fusion
from notesd.rank.related import (
    PLAIN_LINK,
    Together,
    either,
    link_evidence,
    shared_links_evidence,
    tag_evidence,
)
from notesd.resolve.names import last_part, without_extension
from notesd.search.demoted import demoted, folder_of, marked
from notesd.search.hits import Shower, modified_text
from notesd.search.semantic import Near
from notesd.search.template import cosine, direction_of, mean, template_of, without

DEPTH = 100
"""Notes that each list holds, unless more are wanted."""
PASSAGES = 4
"""Passages of the note that others are compared with, the first ones: each costs a look at every vector."""
BETWEEN = 50
"""Linked notes whose own links are followed, those with the fewest first."""
HUB = 100
"""A note with more links than that stands between too many to connect any two of them."""
MOST_CANDIDATES = 500
"""Notes linked with the same notes that are weighed, those that share most first."""
FEW = 10
"""With fewer neighbours than that nothing can be said of how near is usual."""
MOST_LINK_REASONS = 5
"""Links between two notes that are told of."""
MOST_SHARED_SHOWN = 3
"""Notes in between, or tags, that a sentence names."""

Reason = dict[str, Any]
Reasons = dict[NoteId, list[Reason]]
_Listed = tuple[dict[NoteId, float], Reasons]
"""Evidence for each note of a list, and why."""


class Vectors(Protocol):
    """The vectors of one space."""

    def passages_of(self, key: str, most: int) -> Sequence[tuple[int, bytes]]:
        """Position and vector of the first passages of a note, float32."""

    def nearest(self, query: bytes, k: int) -> Sequence[Near]:
        """Up to ``k`` notes, best first."""

    def lines(self, near: Sequence[Any]) -> Sequence[int]:
        """Where the nearest passage of each note begins, from 1; 0: not known."""


class Wish(Struct, frozen=True):
    """What is wanted of the notes around a note, and what there is to tell them by."""

    limit: int
    """1 or more."""
    vectors: Vectors | None = None
    """None: meaning has no say."""
    evidence: tuple[float, float] = (0.0, 1.0)
    """Cosine from which on a note counts as near, and how far above it counts fully."""
    together: Together | None = None
    """None: use has no say."""
    demote: tuple[str, ...] = ()
    """Folders whose notes come after all others, unless the note lies in one of them itself."""


class Around(Struct, frozen=True):
    """The notes around a note."""

    results: list[dict[str, Any]]
    """Best first: hits as of a search, with ``reasons`` and a ``sentence``."""
    has_vectors: bool
    """Whether the note has vectors to be compared by; False where nobody asked for meaning."""
    took_ms: dict[str, float]


def related(reader: Reader, note: StoredNote, wish: Wish) -> Around:
    """Say which notes of an index belong with one of them; the note itself is never among them.

    Equal scores fall to the smaller path. A note without any tie has no result.

    Args:
        reader: The index.
        note: One of its notes.
        wish: How many, and by what.

    Raises:
        StoreError: Index or vectors cannot be read.
    """
    depth = max(DEPTH, wish.limit)
    laps, begun = {}, time.perf_counter()
    distances: dict[NoteId, float] = {}
    lines: dict[NoteId, int] = {}
    ways: dict[str, Callable[[], _Listed]] = {
        "meaning": lambda: _by_meaning(reader, note, wish, depth, distances, lines),
        "links": lambda: _by_links(reader, note.id),
        "tags": lambda: _by_tags(reader, note.id),
        "use": lambda: _by_use(reader, note, wish.together),
    }
    reasons: Reasons = {}
    rankings = []
    for name, way in ways.items():
        evidence, why = way()
        rankings.append(_ranking(reader, name, evidence, depth))
        for other in rankings[-1].notes:
            reasons.setdefault(other, []).extend(why[other])
        laps[name] = round((time.perf_counter() - begun) * 1000, 3)
        begun = time.perf_counter()
    fused = reciprocal_rank_fusion(rankings, paths=around.paths_of(reader, reasons))
    folders = () if folder_of(note.path, wish.demote) else wish.demote
    later = demoted(reader, [one.note for one in fused], folders)
    order = sorted(fused, key=lambda one: one.note in later)[: wish.limit]
    show = Shower(reader, (), [one.note for one in order], lines)
    scores: list[tuple[NoteId, dict[str, Any]]] = []
    for one in order:
        scored: dict[str, Any] = {"score": one.score}
        if one.note in distances:
            scored["distance"] = distances[one.note]
        surest = [c.name for c in sorted(one.contributions, key=lambda c: -c.share)]
        why_ = sorted(reasons[one.note], key=lambda reason: surest.index(reason["by"]))
        scores.append((one.note, {**scored, "reasons": why_, "sentence": sentence(why_)}))
    results = marked(show.each(scores), (one.note for one in order), later)
    laps["show"] = round((time.perf_counter() - begun) * 1000, 3)
    has_vectors = bool(wish.vectors and wish.vectors.passages_of(note.key, 1))
    return Around(results, has_vectors, laps)


def _ranking(reader: Reader, name: str, evidence: Mapping[NoteId, float], depth: int) -> Ranking[NoteId]:
    """A list in the order of its evidence, equals by path; without evidence no place."""
    paths = around.paths_of(reader, evidence)
    order = sorted((n for n in paths if evidence[n] > 0), key=lambda n: (-evidence[n], paths[n]))[:depth]
    return Ranking(name, order, evidence={one: evidence[one] for one in order})


def _by_meaning(
    reader: Reader, note: StoredNote, wish: Wish, depth: int, distances: dict[NoteId, float],
    lines: dict[NoteId, int],
) -> _Listed:  # fmt: skip
    """The nearest notes, by the best pair of passages; a passage further down costs at either end.

    What a template says, that the note and many of its neighbours were filled into, makes nobody near.
    """
    best: dict[str, tuple[float, float, Near]] = {}
    for position, near, score, raw in _near(reader, note.key, wish.vectors, depth) if wish.vectors else ():
        better = score - POSITION_COST * math.log2(1.0 + position)
        if near.note != note.key and (near.note not in best or best[near.note][0] < better):
            best[near.note] = (better, 1.0 - raw, near)
    ids = notes.by_keys(reader, best, embedded=True)
    nearest = [best[key] for key in ids]
    found = wish.vectors.lines([near for *_, near in nearest]) if wish.vectors else ()
    floor = _usual([score for score, *_ in nearest], notes.count(reader), wish.evidence[0])
    evidence, why = {}, {}
    for note_id, (score, distance, _), line in zip(ids.values(), nearest, found, strict=True):
        evidence[note_id] = min(1.0, semantic_evidence(score, floor, wish.evidence[1] / 2))
        distances[note_id] = distance
        lines[note_id] = line
        why[note_id] = [{"by": "meaning", "distance": distance, "line": line or None}]
    return evidence, why


def _near(reader: Reader, key: str, vectors: Vectors, depth: int) -> Iterator[tuple[int, Near, float, float]]:
    """For each of the first passages of a note, by its position, what is near to it.

    Yields:
        Position, a note, its score without what the template of the note that was asked about says, and
        the cosine of the two passages as they are.
    """
    passages = vectors.passages_of(key, PASSAGES)
    looks = [vectors.nearest(vector, depth + 1) for _, vector in passages[:1]]
    neighbours = [near.note for look in looks for near in look if near.note != key]
    template = template_of(reader, key, neighbours)
    if template is None:
        looks += [vectors.nearest(vector, depth + 1) for _, vector in passages[1:]]
        for (position, _), look in zip(passages, looks, strict=True):
            yield from ((position, near, near.score, near.cosine) for near in look)
        return
    of_mates = (
        vector for mate in (key, *template.mates) for _, vector in vectors.passages_of(mate, PASSAGES)
    )
    common = tuple(template.share * number for number in mean(of_mates))
    for position, vector in passages:
        own = direction_of(vector)
        rest, length = without(own, common)
        for near in vectors.nearest(rest, depth + 1):
            *_, (_, other) = vectors.passages_of(near.note, near.position + 1)
            score = length * near.cosine + near.score - near.cosine
            yield position, near, score, cosine(own, direction_of(other))


def _usual(scores: Sequence[float], every: int, low: float) -> float:
    """How near a note is that is near to nothing in particular: no evidence yet.

    Two notes are nearer to each other than a question is to a note, by how much depends on the folder. So the
    hundredth neighbour says it, or where notes are few the one in the middle; with hardly any, the model.
    """
    if len(scores) < FEW:
        return low
    return sorted(scores, reverse=True)[min(DEPTH - 1, every // 2, len(scores) - 1)]


def _by_links(reader: Reader, note_id: NoteId) -> _Listed:
    """Notes that are linked with the note, and those that are linked with the same notes."""
    tied: dict[NoteId, list[around.Tie]] = {}
    for tie in around.ties(reader, note_id):
        tied.setdefault(tie.note, []).append(tie)
    known = standings(reader, [note_id, *tied])
    shared = _shared(reader, note_id, known, tied)
    known |= standings(reader, [one for one in shared if one not in known])
    evidence, why = {}, {}
    for other in (*tied, *(one for one in shared if one not in tied)):
        if other not in known:
            continue
        some = tied.get(other, [])
        between = shared.get(other, [])
        weights = [1.0 if one.embed or one.relation else PLAIN_LINK for one in _different(some)]
        degree = known[other].degree
        evidence[other] = either(
            (
                link_evidence(weights, known[note_id].degree, degree),
                shared_links_evidence([known[one].degree for one in between], degree),
            )
        )
        why[other] = [_link_reason(one) for one in _different(some)[:MOST_LINK_REASONS]]
        if between:
            via = [known[one].path for one in between[:MOST_SHARED_SHOWN]]
            shared_ = {"by": "links", "relation": None, "direction": "shared"}
            why[other].append({**shared_, "via": via, "count": len(between)})
    return evidence, why


def _different(some: Sequence[around.Tie]) -> list[around.Tie]:
    """The first of those links that say the same; a plain one says nothing beside one that says why."""
    first: dict[tuple[bool, str | None, bool], around.Tie] = {}
    for one in some:
        first.setdefault((one.outgoing, one.relation, one.embed), one)
    telling = {one.outgoing for one in first.values() if one.relation or one.embed}
    return [one for one in first.values() if one.relation or one.embed or one.outgoing not in telling]


def _link_reason(tie: around.Tie) -> Reason:
    return {
        "by": "links", "relation": tie.relation, "direction": "out" if tie.outgoing else "in",
        "kind": "embed" if tie.embed else "link", "line": tie.line,
    }  # fmt: skip


def _shared(
    reader: Reader, note_id: NoteId, known: Mapping[NoteId, Standing], tied: Mapping[NoteId, object]
) -> dict[NoteId, list[NoteId]]:
    """Notes linked with the same notes, each with those in between, which say most first."""
    few = [one for one in tied if one in known and known[one].degree <= HUB]
    few.sort(key=lambda one: (known[one].degree, known[one].path))
    found = around.linked_with(reader, few[:BETWEEN])
    found.pop(note_id, None)
    if len(found) <= MOST_CANDIDATES:
        return found
    paths = around.paths_of(reader, found)
    strength = {
        one: math.fsum(1.0 / math.log2(2 + known[y].degree) for y in between)
        for one, between in found.items()
    }
    order = sorted(paths, key=lambda one: (-strength[one], paths[one]))
    return {one: found[one] for one in order[:MOST_CANDIDATES]}


def _by_tags(reader: Reader, note_id: NoteId) -> _Listed:
    """Notes that share tags or parents of tags, each counted where it says most."""
    own = around.own_tags(reader, note_id)
    every = notes.count(reader)
    having: dict[NoteId, list[str]] = {}
    worth: dict[str, float] = {}
    for folded in own:
        some = around.holders(reader, folded)
        worth[folded] = tag_evidence(len(some), every) if some else 0.0
        if some and worth[folded] > 0:
            for other in some:
                having.setdefault(other, []).append(folded)
    having.pop(note_id, None)
    evidence, why = {}, {}
    for other, shared in having.items():
        telling = [tag for tag in shared if not any(one.startswith(f"{tag}/") for one in shared)]
        telling.sort(key=lambda tag: (-worth[tag], tag))
        evidence[other] = either(worth[tag] for tag in telling)
        why[other] = [{"by": "tags", "tags": [own[tag] for tag in telling]}]
    return evidence, why


def _by_use(reader: Reader, note: StoredNote, together: Together | None) -> _Listed:
    """Notes that were shown or opened together with the note."""
    companions = {one.key: one for one in (together(note.key) if together else ()) if one.key != note.key}
    evidence, why = {}, {}
    for key, note_id in notes.by_keys(reader, companions).items():
        one = companions[key]
        evidence[note_id] = min(1.0, max(0.0, one.strength))
        last = modified_text(int(one.last * 1_000_000_000))
        why[note_id] = [{"by": "use", "count": one.count, "last": last}]
    return evidence, why


def sentence(reasons: Sequence[Reason]) -> str:
    """The reasons for people, without the names of the two notes: "linked as needs; shares #bread"."""
    return "; ".join(_WORDS[reason["by"]](reason) for reason in reasons)


def _links_in_words(reason: Reason) -> str:
    if reason["direction"] == "shared":
        more = reason["count"] - len(reason["via"])
        named = ", ".join(without_extension(last_part(path)) for path in reason["via"])
        return f"linked with the same: {named}" + (f" and {more} more" if more else "")
    does = "embeds" if reason["kind"] == "embed" else "links to"
    way = f"{does} it" if reason["direction"] == "out" else f"it {does} this note"
    return way + (f" as {reason['relation']}" if reason["relation"] else "")


def _tags_in_words(reason: Reason) -> str:
    named = " ".join(f"#{tag}" for tag in reason["tags"][:MOST_SHARED_SHOWN])
    more = len(reason["tags"]) - MOST_SHARED_SHOWN
    return f"shares {named}" + (f" and {more} more" if more > 0 else "")


def _meaning_in_words(reason: Reason) -> str:
    return f"near in meaning (distance {reason['distance']:.3f})"


def _use_in_words(reason: Reason) -> str:
    times = "once" if reason["count"] == 1 else f"{reason['count']} times"
    day = f", last on {reason['last'][:10]}" if reason["last"] else ""
    return f"used together {times}{day}"


_WORDS: Mapping[str, Callable[[Reason], str]] = {
    "links": _links_in_words,
    "tags": _tags_in_words,
    "meaning": _meaning_in_words,
    "use": _use_in_words,
}
