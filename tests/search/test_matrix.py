"""Nearest notes from memory: the same as by comparing everything, with filters and through every change."""

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from notesd.errors import BadVector
from notesd.index.vectors import Piece, VectorStore
from notesd.search import matrix as matrices
from notesd.search.codes import BLOCK, Codes
from notesd.search.matrix import HEADING_COST, Matrix, Near, best_of

D = 16
Notes = dict[str, tuple[int, list[bytes]]]
"""Words and vectors of each note."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    opened = VectorStore.open(str(tmp_path), "model", D)
    yield opened
    opened.close()


def vectors(count: int, seed: int = 0, spread: float = 0.5) -> list[bytes]:
    """Vectors in a cone, of various lengths."""
    rng = np.random.default_rng(seed)
    found = np.ones(D) + spread * rng.standard_normal((count, D)) * rng.gamma(2, 1, D)
    return [vector.astype(np.float32).tobytes() for vector in found]


def notes(count: int, seed: int = 0) -> Notes:
    rng = np.random.default_rng(seed)
    made = vectors(5 * count, seed)
    return {
        f"n{i:04d}": (int(rng.integers(0, 60)), made[5 * i : 5 * i + int(rng.integers(0, 6))])
        for i in range(count)
    }


def put(store: VectorStore, some: Mapping[str, tuple[int, Sequence[bytes]]]) -> None:
    with store.write() as writer:
        for note, (words, said) in some.items():
            pieces = [Piece(at, vector, vector) for at, vector in enumerate(said)]
            store.put(writer, note, b"d", words, pieces)


def remove(store: VectorStore, *gone: str) -> None:
    with store.write() as writer:
        store.remove(writer, gone)


def unit(vector: bytes) -> np.ndarray:
    numbers = np.frombuffer(vector, np.float32).astype(np.float64)
    return numbers / math.sqrt(float(numbers @ numbers))


def brute(some: Notes, query: bytes, k: int, allowed: set[str] | None = None) -> list[Near]:
    """Compare with everything, as the rule is written."""
    found = []
    for note, (words, pieces) in some.items():
        if not pieces or (allowed is not None and note not in allowed):
            continue
        best = []
        for position, vector in enumerate(pieces):
            cosine = float(unit(vector) @ unit(query))
            score = cosine - 0.005 * math.log2(1 + position) - 0.02 * max(0.0, 1 - words / 25)
            best.append((-score, position, cosine))
        minus, position, cosine = min(best)
        found.append(Near(note, -minus, position, cosine))
    return sorted(found, key=lambda near: (-near.score, near.note))[:k]


def assert_same(found: Sequence[Near], expected: Sequence[Near]) -> None:
    assert [(near.note, near.position) for near in found] == [(near.note, near.position) for near in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.score == pytest.approx(theirs.score, abs=1e-12)
        assert ours.cosine == pytest.approx(theirs.cosine, abs=1e-12)


@settings(max_examples=40, deadline=None)
@example(count=51, seed=0, k=1, allowed=None)
@given(
    count=st.integers(0, 120), seed=st.integers(0, 10_000), k=st.integers(1, 40),
    allowed=st.none() | st.sets(st.integers(0, 130).map("n{:04d}".format), max_size=60),
)  # fmt: skip
def test_the_same_as_comparing_everything(
    tmp_path_factory: pytest.TempPathFactory, count: int, seed: int, k: int, allowed: set[str] | None
) -> None:
    """Notes, order, positions and scores are those of exact arithmetic, filter or not."""
    store = VectorStore.open(str(tmp_path_factory.mktemp("space")), "model", D)
    some = notes(count, seed)
    put(store, some)
    query = vectors(1, seed + 1)[0]

    found = Matrix(store).nearest(query, k, allowed)

    assert_same(found, brute(some, query, k, allowed))
    store.close(delete=True)


def changes(draw: st.DrawFn) -> list[tuple[str, int | None]]:
    step = st.tuples(st.integers(0, 30).map("n{:04d}".format), st.none() | st.integers(0, 10_000))
    return draw(st.lists(step, max_size=30))


@settings(max_examples=25, deadline=None)
@given(history=st.composite(changes)(), compact=st.booleans())
def test_changes_are_followed_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, int | None]], compact: bool
) -> None:
    """After every put and removal the matrix that was loaded before answers as one loaded now."""
    store = VectorStore.open(str(tmp_path_factory.mktemp("space")), "model", D)
    some = notes(20)
    put(store, some)
    matrix, query = Matrix(store), vectors(1, 99)[0]
    matrix.nearest(query, 1)
    for at, (note, seed) in enumerate(history):
        if seed is None:
            remove(store, note)
            some.pop(note, None)
        else:
            some[note] = (seed % 60, vectors(seed % 4, seed))
            put(store, {note: some[note]})
        if compact and at % 7 == 3:
            store.compact(force=True)
        if at % 3 == 0:
            assert_same(matrix.nearest(query, 10), brute(some, query, 10))

    assert_same(matrix.nearest(query, 50), brute(some, query, 50))
    assert_same(Matrix(store).nearest(query, 50), brute(some, query, 50))
    store.close(delete=True)


def test_a_change_does_not_load_everything_anew(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the notes that changed are read."""
    some = notes(50)
    put(store, some)
    matrix, query = Matrix(store), vectors(1, 99)[0]
    matrix.nearest(query, 1)
    monkeypatch.delattr(matrices, "_load")
    some["new"] = (30, [query])
    put(store, {"new": some["new"]})

    assert_same(matrix.nearest(query, 5), brute(some, query, 5))


def test_rows_of_what_is_gone_are_given_back(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that is saved all day does not make the matrix grow all day."""
    monkeypatch.setattr(matrices, "BLOCK", 8)
    some = notes(10)
    put(store, some)
    matrix, query = Matrix(store), vectors(1, 99)[0]
    for seed in range(60):
        some["n0001"] = (30, vectors(3, seed))
        put(store, {"n0001": some["n0001"]})
        matrix.nearest(query, 1)

    rows = matrix._rows
    assert rows is not None
    alive = sum(len(pieces) for _, pieces in some.values())
    assert len(rows.ids) <= 2 * alive + 8 + 3
    assert_same(matrix.nearest(query, 20), brute(some, query, 20))


def test_a_narrow_filter_gives_its_full_limit(store: VectorStore) -> None:
    """Notes of a filter are found although thousands of others are nearer."""
    query = vectors(1, 7)[0]
    far = {f"far{i:02d}": (30, [vector]) for i, vector in enumerate(vectors(30, 1, spread=3))}
    near = {f"near{i:04d}": (30, [query]) for i in range(3_000)}
    put(store, {**near, **far})

    found = Matrix(store).nearest(query, 20, set(far) | {"not there"})

    assert_same(found, brute(far, query, 20))
    assert len(found) == 20


def test_a_filter_that_lets_nothing_through_gives_nothing(store: VectorStore) -> None:
    """An empty set is not the same as no filter."""
    put(store, notes(5))
    matrix, query = Matrix(store), vectors(1)[0]

    assert matrix.nearest(query, 5, set()) == []
    assert matrix.nearest(query, 5, {"elsewhere"}) == []
    assert len(matrix.nearest(query, 5)) > 0
    assert matrix.nearest(query, 0) == []


def test_a_space_without_vectors_answers_nothing(store: VectorStore) -> None:
    """An empty store is no error, and what comes later is found."""
    matrix, query = Matrix(store), vectors(1)[0]
    assert matrix.nearest(query, 5) == []

    put(store, {"a": (30, [query])})

    assert [near.note for near in matrix.nearest(query, 5)] == ["a"]


def test_one_note_with_many_passages_does_not_hide_the_others(store: VectorStore) -> None:
    """A note counts once, however many of its passages are nearer than anything else."""
    query = vectors(1, 7)[0]
    others = {f"n{i}": (30, [vector]) for i, vector in enumerate(vectors(20, 3))}
    some = {"long": (9_000, [query] * 500), **others}
    put(store, some)

    assert_same(Matrix(store).nearest(query, 10), brute(some, query, 10))


def test_equal_notes_are_ordered_by_key(store: VectorStore) -> None:
    """Two runs, two machines, one order: of a thousand equal notes the first keys come, whoever was first."""
    query = vectors(1, 7)[0]
    keys = [f"k{i:04d}" for i in range(1_000)]
    put(store, {key: (30, [query]) for key in reversed(keys)})

    assert [near.note for near in Matrix(store).nearest(query, 10)] == keys[:10]


def test_short_notes_and_late_passages_cost_a_little(store: VectorStore) -> None:
    """The same vector: long note first, then the third passage, then the note that is a title alone."""
    query, other = vectors(2, 7)
    far = (-np.frombuffer(query, np.float32)).tobytes()
    put(
        store,
        {"title": (0, [query]), "body": (25, [query]), "late": (99, [far, far, query]), "no": (99, [other])},
    )

    found = Matrix(store).nearest(query, 3)

    assert [(near.note, near.position) for near in found] == [("body", 0), ("late", 2), ("title", 0)]
    assert [near.score for near in found] == pytest.approx([1, 1 - 0.005 * math.log2(3), 0.98])
    assert [near.cosine for near in found] == pytest.approx([1, 1, 1])


@pytest.mark.parametrize(
    "query",
    [b"", b"\0" * 4 * D, np.full(D, np.nan, np.float32).tobytes(), np.ones(D + 1, np.float32).tobytes()],
    ids=["empty", "zero", "nan", "size"],
)
def test_a_question_that_is_no_vector_is_refused(store: VectorStore, query: bytes) -> None:
    """Its distances would mean nothing."""
    put(store, notes(5))

    with pytest.raises(BadVector):
        Matrix(store).nearest(query, 5)


def test_questions_are_answered_while_notes_change(store: VectorStore) -> None:
    """Readers in other threads get a whole answer of some generation, never an error."""
    query = vectors(1, 7)[0]
    put(store, {f"n{i}": (30, [vector]) for i, vector in enumerate(vectors(200))})
    matrix, errors, done = Matrix(store), list[Exception](), threading.Event()

    def ask() -> None:
        try:
            while not done.is_set():
                found = matrix.nearest(query, 10)
                assert len({near.note for near in found}) == 10
                matrix.nearest(query, 10, {"n1", "x5"})
        except Exception as error:  # noqa: BLE001 -- whatever it is, it must not be lost in the thread
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for round_ in range(60):
        put(store, {f"x{round_}": (30, vectors(3, round_)), "n3": (30, vectors(2, round_))})
        remove(store, f"x{round_ - 5}")
        if round_ % 20 == 10:
            store.compact(force=True)
    done.set()
    for thread in threads:
        thread.join()

    assert errors == []


def test_headings_are_compared_apart_from_passages(store: VectorStore) -> None:
    """Each by its own cost, through changes too; of both looks a note counts as it was nearest."""
    query, *others = vectors(40, 3)
    passages = {f"n{at}": others[at] for at in range(10)}
    headings = {f"n{at}": others[20 + at : 22 + at] for at in range(0, 10, 2)}
    matrix, outlines = Matrix(store), Matrix(store, "headings")
    for turn in range(2):
        for note, vector in passages.items():
            pieces = [Piece(0, vector, vector)]
            pieces += [Piece(-1 - at, one, one) for at, one in enumerate(headings.get(note, ()))]
            with store.write() as writer:
                store.put(writer, note, b"d", 30, pieces)
        told = {
            note: [unit(one) @ unit(query) - HEADING_COST for one in some] for note, some in headings.items()
        }
        said = {note: unit(vector) @ unit(query) for note, vector in passages.items()}

        looks = matrix.nearest(query, 10), outlines.nearest(query, 10)

        assert {near.note: near.score for near in looks[0]} == pytest.approx(said)
        assert {near.note: near.score for near in looks[1]} == pytest.approx(
            {n: max(s) for n, s in told.items()}
        )
        assert all(near.position < 0 for near in looks[1])
        best = {note: max([said[note], *told.get(note, ())]) for note in said}
        assert [near.note for near in best_of(looks, 5)] == sorted(best, key=lambda note: -best[note])[:5]
        headings[f"n{2 * turn + 1}"], passages["n3"] = headings.pop(f"n{2 * turn}"), others[30 + turn]


@settings(max_examples=20, deadline=None)
@given(sizes=st.lists(st.integers(0, BLOCK + 10), max_size=3), seed=st.integers(0, 99))
def test_codes_are_about_right_wherever_a_row_lies(sizes: list[int], seed: int) -> None:
    """Across blocks, for all rows or some, after additions and copies: cosines within 0.01."""
    rng = np.random.default_rng(seed)
    total = sum(sizes)
    rows = rng.standard_normal((total, 8)).astype(np.float32) * rng.uniform(0.1, 9, (total, 1)).astype(
        np.float32
    )
    codes, at = Codes.empty(8), 0
    for size in sizes:
        codes = codes.plus(rows[at : at + size])
        at += size
    query = rng.standard_normal(8).astype(np.float32)
    query /= np.linalg.norm(query)
    exact = rows @ query / np.linalg.norm(rows, axis=1)
    some = np.flatnonzero(rng.random(total) < 0.3)

    assert np.abs(codes.cosines(query) - exact).max(initial=0) < 0.01
    assert np.abs(codes.cosines(query, some) - exact[some]).max(initial=0) < 0.01
    assert (
        np.abs(codes.only(some).plus(rows[:3]).cosines(query)[: len(some)] - exact[some]).max(initial=0)
        < 0.01
    )


def test_older_codes_stay_as_they_were() -> None:
    """Who holds codes sees its own rows, whatever is added to newer ones."""
    one, other = np.eye(2, 8, dtype=np.float32)
    old = Codes.empty(8).plus(one[None])
    new = old.plus(other[None])

    assert old.cosines(one).tolist() == pytest.approx([1])
    assert new.cosines(one).tolist() == pytest.approx([1, 0])
