"""Notes in another language than the question: what is made up for, and what comes of it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from notesd.index.vectors import Piece, VectorStore
from notesd.search.codes import BLOCK, Codes, Float32
from notesd.search.matrix import Matrix, Near
from notesd.search.tongues import SHARE, STEADY, Totals, numbered

D = 32


def directions(count: int, seed: int) -> Float32:
    """Random vectors of length 1."""
    found = np.random.default_rng(seed).standard_normal((count, D))
    unit: Float32 = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


def unit(vector: Float32) -> Float32:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, 700, BLOCK + 1_500])
def test_sums_of_groups(count: int) -> None:
    """Each row counts for its group once, and for none when it has none."""
    some = directions(count, 1)
    groups = np.random.default_rng(2).integers(-1, 3, count).astype(np.int16)
    expected = [some[groups == group].sum(axis=0) for group in range(3)]

    assert np.allclose(Codes.empty(D).plus(some).sums(groups, 3), expected, atol=0.02 + count / 20_000)


def test_languages_are_numbered_as_they_come() -> None:
    """What is known keeps its place; no language is none."""
    known = ["es"]

    assert numbered(["en", None, "es", "en"], known).tolist() == [1, -1, 0, 1]
    assert known == ["es", "en"]
    assert numbered([], known).tolist() == []


def test_what_a_language_lacks_is_made_up_for() -> None:
    """The nearest language gets nothing, nor does a note without one; a few passages say little."""
    one, other = directions(2, 3)
    some = np.concatenate([np.tile(one, (40, 1)), np.tile(other, (STEADY, 1)), directions(5, 4)])
    tongues = np.array([0] * 40 + [1] * STEADY + [-1] * 5, np.int16)
    found = Totals.none(D).plus(Codes.empty(D).plus(some), tongues).centres()
    assert found is not None
    general = (40 * one + STEADY * other) / (40 + STEADY)
    means = (40 * one + STEADY * general) / (40 + STEADY), (other + general) / 2
    near = [float(mean @ one) for mean in means]

    assert found.lifts(one).tolist() == pytest.approx([0, SHARE * (near[0] - near[1]), 0], abs=0.01)
    assert found.lifts(other)[1] == 0 < found.lifts(other)[0]


def test_one_language_has_nothing_to_make_up_for() -> None:
    """Nor have notes of which no language is known, nor none."""
    codes, none = Codes.empty(D).plus(directions(6, 5)), Totals.none(D)
    two = none.plus(codes, np.array([0, 0, -1, 1, 0, -1], np.int16))

    assert two.centres() is not None
    assert two.plus(codes.only(np.array([3])), np.array([1], np.int16), times=-1).centres() is None
    assert none.plus(codes, np.full(6, -1, np.int16)).centres() is None
    assert none.plus(Codes.empty(D), np.array([], np.int16)).centres() is None


CONE, EN, ES, *TOPICS = np.linalg.qr(directions(D, 7))[0][:12]
"""What all texts have in common, what those of a language have, and what they are about."""


def text(language: Float32, topic: int, seed: int = 0) -> Float32:
    """A vector as a multilingual model makes them."""
    return unit(2 * CONE + 0.9 * language + 0.7 * TOPICS[topic] + 0.05 * directions(1, seed)[0])


NOTES = {
    f"{name}{number}": (text(language, 1 + number % (len(TOPICS) - 1), number), name)
    for name, language in (("en", EN), ("es", ES))
    for number in range(30)
} | {"answer": (text(EN, 0), "en")}
"""Thirty in each of two languages; on topic 0 there is but one, in English."""
QUESTION = text(ES, 0, 999)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    """What ``NOTES`` are."""
    opened = VectorStore.open(str(tmp_path), "model", D)
    put(opened, {note: vector for note, (vector, _) in NOTES.items()})
    yield opened
    opened.close()


def put(store: VectorStore, some: Mapping[str, Float32], *, told: bool = True) -> None:
    """Store some notes; unless it is told, nobody knows their language."""
    with store.write() as writer:
        for note, vector in some.items():
            language = NOTES.get(note, (None, "en"))[1] if told else None
            store.put(writer, note, b"d", 30, [Piece(0, note.encode(), vector.tobytes())], language)


def found(matrix: Matrix, count: int = 3) -> Sequence[Near]:
    return matrix.nearest(QUESTION.tobytes(), count)


def test_a_note_that_answers_in_another_language_comes_first(store: VectorStore) -> None:
    """Before all that are merely in the language of the question; where no language is known, it does not."""
    matrix = Matrix(store)
    first, *others = found(matrix)
    put(store, {note: vector for note, (vector, _) in NOTES.items()}, told=False)

    assert first.note == "answer"
    assert first.score == pytest.approx(first.cosine + first.lift)
    assert [near.lift > 0 for near in (first, *others)] == [True, False, False]
    assert [(near.note[:2], near.lift) for near in found(matrix)] == [("es", 0)] * 3


def test_changes_are_followed(store: VectorStore) -> None:
    """What was loaded before answers as what is loaded now; with one language left nothing is made up for."""
    matrix = Matrix(store)
    found(matrix, 1)
    put(store, {"new": text(EN, 0, 5)})
    with store.write() as writer:
        store.remove(writer, [f"en{number}" for number in range(10)])
    ours, theirs = found(matrix, 60), found(Matrix(store), 60)
    with store.write() as writer:
        store.remove(writer, [f"es{number}" for number in range(30)])

    assert [near.note for near in ours] == [near.note for near in theirs]
    assert [near.score for near in ours] == pytest.approx([near.score for near in theirs], abs=1e-6)
    assert {near.lift for near in found(matrix)} == {0}
