"""Which notes are nearest to a question, when every vector of a space is in memory?

Twice as many notes as are wanted are found in memory, where a vector is kept roughly (``codes``); their
exact vectors are then read from the store, and decide. numpy is imported here: only those who search by
meaning import this module.
"""

import math
import threading
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from notesd.embed.passages import TITLE_ALONE_WORDS
from notesd.index.store import Reader
from notesd.index.vector_rows import Kind, Place, changed_since, every_vector, places, vectors_of
from notesd.index.vectors import VectorStore, size_of
from notesd.rank.evidence import POSITION_COST
from notesd.search.codes import BLOCK, Codes, Float32, Index
from notesd.search.tongues import Centres, Tongues, Totals, numbered
from notesd.search.voices import Leanings, Voice, foreign

TITLE_ALONE_COST = 0.02
"""Taken off for a note that is its title alone, less the more words it has: such notes are near to
everything. See ``embed.passages.TITLE_ALONE_WORDS``."""
HEADING_COST = 0.03
"""Taken off for a heading, which says what is told of and not what is said."""
SPARE = 2
"""So many times the notes that are wanted are compared exactly: recall@30 is then 0.9997 or more."""
LEAST_EXACT = 32
"""At least so many are, because of one or two wanted notes twice as many leave no room for a rough score."""

_DOUBT = 0.004
"""Passages of one note that are so close are all compared exactly: six times the error of a code."""
_ALIKE = 6
"""Decimals to which rough scores are told apart; equal vectors differ in the seventh."""
_FEW = 64
_AT_ONCE = 1_024
"""Vectors read at a time; as many stay in the processor's cache."""

Costs = npt.NDArray[np.float64]


class Near(NamedTuple):
    """A note and how near it is."""

    note: str
    """Its key."""
    score: float
    """Cosine of its best passage, less what ``costs`` says, and ``lift``; in about [-1, 1]."""
    position: int
    """Which passage that is."""
    cosine: float
    lift: float = 0.0
    """Part of the score: what its language lacks compared with that of the question."""


class _Rows(NamedTuple):
    """One generation of vectors; whoever searches holds one, whatever is changed meanwhile."""

    generation: int
    codes: Codes
    ids: Index
    owners: npt.NDArray[np.int32]
    """Place of each row's note in ``names``."""
    positions: npt.NDArray[np.int32]
    costs: Costs
    """What is taken off each row's cosine; infinite: the row is gone."""
    tongues: Tongues
    """Place of each row's language in ``languages``, -1 where it is not known."""
    names: list[str]
    """Shared by all generations, and only ever added to."""
    slots: dict[str, int]
    """Where each name stands. Shared as well."""
    languages: list[str]
    """Shared as well."""
    totals: Totals
    """Of each language."""
    centres: Centres | None = None
    """None: there are not two languages."""
    lifts: Float32 | None = None
    """What a question adds for each language, once there is a question."""
    leanings: Leanings = Leanings()
    """What questions in a language take off each row, of this generation alone."""


def costs(positions: npt.NDArray[np.int32], words: npt.NDArray[np.int64]) -> Costs:
    """What is taken off a cosine, given a passage's place and the words of its note's body."""
    alone: Costs = TITLE_ALONE_COST * np.maximum(0.0, 1.0 - words / TITLE_ALONE_WORDS)
    alone += POSITION_COST * np.log2(1.0 + np.maximum(positions, 0))
    return np.where(positions < 0, HEADING_COST, alone)


def best_of(looks: Iterable[Sequence[Near]], k: int) -> list[Near]:
    """Put several looks at the same notes together: up to ``k`` notes, each as it was nearest."""
    found: dict[str, Near] = {}
    for near in chain.from_iterable(looks):
        if near.note not in found or _order(near) < _order(found[near.note]):
            found[near.note] = near
    return sorted(found.values(), key=_order)[:k]


class Matrix:
    """All vectors of a kind, in memory from the first question on, and always up to date.

    Any thread may ask. 100,000 vectors of 384 numbers take about 40 MB, and the keys of the notes.
    """

    def __init__(self, store: VectorStore, kind: Kind = "passages") -> None:
        """Take up no memory yet."""
        self._store = store
        self._kind: Kind = kind
        self._lock = threading.Lock()
        self._rows: _Rows | None = None

    def nearest(
        self, query: bytes, k: int, allowed: Collection[str] | None = None, heard: Sequence[Voice] = ()
    ) -> list[Near]:
        """Up to ``k`` notes, best first; equal scores by key.

        Args:
            query: float32, of the model's size.
            k: How many notes; fewer come only when there are no more.
            allowed: Keys of the notes to look at, whatever else is nearer; None: at all.
            heard: Languages that a question may be in, the likeliest first; none: it is no question.

        Raises:
            BadVector: The query is of the wrong size, not finite or zero.
            StoreError: The vectors cannot be read.
        """
        direction = _unit(query, self._store.dimensions)
        if k <= 0 or (allowed is not None and not allowed):
            return []
        with self._store.read() as reader:
            rows = self._current(reader)
            picked = None if allowed is None else _rows_of(rows, allowed)
            scores = rows.codes.cosines(direction.astype(np.float32), picked)
            rows = _for_question(rows, direction.astype(np.float32), heard)
            scores -= rows.costs if picked is None else rows.costs[picked]
            best = _candidates(rows, scores, picked, max(SPARE * k, LEAST_EXACT))
            exact = vectors_of(reader, rows.ids[best].tolist())
        return _scored(rows, best, exact, direction)[:k]

    def speaks(self, heard: Sequence[Voice]) -> bool:
        """Whether its notes are in a language that a question may be in, or nobody knows.

        Raises:
            StoreError: The vectors cannot be read.
        """
        with self._store.read() as reader:
            return _foreign(self._current(reader), heard) is None

    def _current(self, reader: Reader) -> _Rows:
        """The rows at the reader's generation, or at a later one."""
        generation, rows = reader.generation, self._rows
        if rows is not None and rows.generation >= generation:
            return rows
        with self._lock:
            rows = self._rows
            if rows is None or rows.generation < generation:
                changed = None if rows is None else changed_since(reader, rows.generation)
                if rows is None or changed is None:
                    rows = _load(reader, generation, self._store.dimensions, self._kind)
                else:
                    rows = _caught_up(rows, reader, generation, self._kind, changed)
                rows = self._rows = rows._replace(centres=rows.totals.centres(), leanings=Leanings())
            return rows


def _unit(vector: bytes, dimensions: int) -> npt.NDArray[np.float64]:
    """The direction of a vector, as exact as it is."""
    size_of(vector, dimensions)
    numbers = np.frombuffer(vector, np.float32).astype(np.float64)
    unit: npt.NDArray[np.float64] = numbers / np.sqrt((numbers * numbers).sum())
    return unit


def _load(reader: Reader, generation: int, dimensions: int, kind: Kind) -> _Rows:
    """Read everything there is."""
    names: list[str] = []
    slots: dict[str, int] = {}
    languages: list[str] = []
    ids, owners, positions, taken_off, tongues = _columns(places(reader, kind), names, slots, languages)
    codes, order = Codes.empty(dimensions), [np.empty(0, np.int64)]
    vectors = every_vector(reader, kind)
    while some := list(islice(vectors, _AT_ONCE)):
        codes = codes.plus(_numbers([vector for _, vector in some], dimensions))
        order.append(np.array([passage for passage, _ in some], np.int64))
    lying = np.concatenate(order)
    at = np.minimum(np.searchsorted(ids, lying), max(0, len(ids) - 1))
    if not len(ids):
        codes, totals = Codes.empty(dimensions), Totals.none(dimensions)
        return _Rows(
            generation, codes, ids, owners, positions, taken_off, tongues, names, slots, languages, totals
        )
    # A vector without a passage is a fault for `check` to tell of; here it is as good as deleted.
    owned = np.where(ids[at] == lying, taken_off[at], np.inf)
    tongues = np.where(ids[at] == lying, tongues[at], np.int16(-1))
    totals = Totals.none(dimensions).plus(codes, tongues)
    return _Rows(
        generation, codes, lying, owners[at], positions[at], owned, tongues, names, slots, languages, totals
    )


def _caught_up(rows: _Rows, reader: Reader, generation: int, kind: Kind, changed: Sequence[str]) -> _Rows:
    """Put what some notes have now in the place of what they had."""
    if not changed:
        return rows._replace(generation=generation)
    stale = np.array([rows.slots[note] for note in changed if note in rows.slots], np.int32)
    gone = np.flatnonzero(np.isin(rows.owners, stale) & np.isfinite(rows.costs))
    off = rows.costs.copy()
    off[gone] = np.inf
    found = list(places(reader, kind, changed))
    vectors = vectors_of(reader, [place.id for place in found])
    found = [place for place in found if place.id in vectors]
    ids, owners, positions, added, tongues = _columns(found, rows.names, rows.slots, rows.languages)
    codes, totals = rows.codes, rows.totals.plus(rows.codes.only(gone), rows.tongues[gone], times=-1)
    if found:
        numbers = _numbers([vectors[place.id] for place in found], codes.dimensions)
        codes, totals = codes.plus(numbers), totals.plus(Codes.empty(codes.dimensions).plus(numbers), tongues)
    after = rows._replace(
        generation=generation,
        codes=codes,
        ids=np.concatenate((rows.ids, ids)),
        owners=np.concatenate((rows.owners, owners)),
        positions=np.concatenate((rows.positions, positions)),
        costs=np.concatenate((off, added)),
        tongues=np.concatenate((rows.tongues, tongues)),
        totals=totals,
    )
    alive = np.flatnonzero(np.isfinite(after.costs))
    return _without_gaps(after, alive) if len(after.ids) - len(alive) > max(BLOCK, len(alive)) else after


def _without_gaps(rows: _Rows, alive: Index) -> _Rows:
    return rows._replace(
        codes=rows.codes.only(alive),
        ids=rows.ids[alive],
        owners=rows.owners[alive],
        positions=rows.positions[alive],
        costs=rows.costs[alive],
        tongues=rows.tongues[alive],
    )


def _for_question(rows: _Rows, direction: Float32, heard: Sequence[Voice]) -> _Rows:
    """The rows as a question in one of their languages, or in none of them, sees them."""
    if voice := _foreign(rows, heard):
        taken_off = rows.leanings.of(voice, rows.codes, rows.costs, rows.tongues, rows.languages)
        rows = rows._replace(costs=rows.costs + taken_off)
    if rows.centres is None:
        return rows
    lifts = rows.centres.lifts(direction)
    return rows._replace(costs=rows.costs - lifts[rows.tongues], lifts=lifts)


def _foreign(rows: _Rows, heard: Sequence[Voice]) -> Voice | None:
    """The language of a question where the notes are in others."""
    return foreign(heard, dict(zip(rows.languages, rows.totals.numbers.tolist(), strict=False)))


def _columns(
    found: Iterable[Place], names: list[str], slots: dict[str, int], languages: list[str]
) -> tuple[Index, npt.NDArray[np.int32], npt.NDArray[np.int32], Costs, Tongues]:
    """Ids, owners, positions, costs and languages; notes that are new get a slot."""
    ids, owners, places_in_note, words = array("q"), array("q"), array("q"), array("q")
    spoken: list[str | None] = []
    for passage, note, position, count, language in found:
        slot = slots.get(note)
        if slot is None:
            slot = len(names)
            names.append(note)
            slots[note] = slot
        ids.append(passage)
        owners.append(slot)
        places_in_note.append(position)
        words.append(count)
        spoken.append(language)
    positions = np.array(places_in_note, np.int32)
    taken_off = costs(positions, np.array(words, np.int64))
    tongues = numbered(spoken, languages)
    return np.array(ids, np.int64), np.array(owners, np.int32), positions, taken_off, tongues


def _numbers(vectors: Sequence[bytes], dimensions: int) -> Float32:
    return np.frombuffer(b"".join(vectors), np.float32).reshape(len(vectors), dimensions)


def _rows_of(rows: _Rows, notes: Collection[str]) -> Index:
    """Rows of some notes, ascending."""
    wanted = np.zeros(len(rows.names), np.bool_)
    # Another thread may add names meanwhile; no row of ours belongs to them.
    size = len(wanted)
    wanted[[slot for note in notes if 0 <= (slot := rows.slots.get(note, -1)) < size]] = True
    return np.flatnonzero(wanted[rows.owners] & np.isfinite(rows.costs))


def _candidates(rows: _Rows, scores: Float32, picked: Index | None, wanted: int) -> Index:
    """Rows worth an exact look: the best ones of the notes that seem best."""
    owners = rows.owners if picked is None else rows.owners[picked]
    take = 2 * wanted
    some = _top(scores, take)
    while take < len(scores) and len(np.unique(owners[some])) < wanted:
        take *= 4
        some = _top(scores, take)
    some = some[np.isfinite(scores[some])]
    by_note: dict[int, float] = {}
    for owner, score in zip(owners[some].tolist(), scores[some].tolist(), strict=True):
        by_note[owner] = max(score, by_note.get(owner, score))
    order = sorted(by_note, key=lambda owner: (-round(by_note[owner], _ALIKE), rows.names[owner]))
    chosen = {owner: by_note[owner] - _DOUBT for owner in order[:wanted]}
    bounds = np.array([chosen.get(owner, np.inf) for owner in owners[some].tolist()])
    some = some[scores[some] >= bounds]
    return some if picked is None else picked[some]


def _top(scores: Float32, count: int) -> Index:
    """Where the best ``count`` scores are, and some more: all that are as good as the last of them.

    The best of each few scores are looked at first: the ``count`` best of those are a limit that is safe.
    """
    if count >= len(scores):
        return np.arange(len(scores))
    whole = len(scores) // _FEW * _FEW
    firsts = scores[:whole].reshape(-1, _FEW).max(axis=1) if whole >= count * _FEW else scores
    limit = np.partition(firsts, len(firsts) - count)[len(firsts) - count]
    return np.flatnonzero(scores >= limit - 10**-_ALIKE)


def _scored(
    rows: _Rows, best: Index, exact: Mapping[int, bytes], direction: npt.NDArray[np.float64]
) -> list[Near]:
    """Score rows by their exact vectors, one result a note, in order."""
    # One that is not there was replaced between the generation in memory and the one being read.
    there = [row for row in best.tolist() if int(rows.ids[row]) in exact]
    numbers = _numbers([exact[int(rows.ids[row])] for row in there], len(direction)).astype(np.float64)
    # Summed row by row, so that equal vectors have equal cosines wherever they stand.
    cosines = (numbers * direction).sum(axis=1) / np.sqrt((numbers * numbers).sum(axis=1))
    found: dict[str, Near] = {}
    for row, cosine in zip(there, cosines.tolist(), strict=True):
        name, position = rows.names[rows.owners[row]], int(rows.positions[row])
        lift = 0.0 if rows.lifts is None else float(rows.lifts[rows.tongues[row]])
        near = Near(name, cosine - float(rows.costs[row]), position, cosine, lift)
        if math.isfinite(cosine) and (name not in found or _order(near) < _order(found[name])):
            found[name] = near
    return sorted(found.values(), key=_order)


def _order(near: Near) -> tuple[float, str, int]:
    return -near.score, near.note, near.position
