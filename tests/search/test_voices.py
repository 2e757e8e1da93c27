"""The language of a question, and what is taken off notes that are near to whatever is asked in it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from notesd.index.vectors import Piece, VectorStore
from notesd.search.codes import Float32
from notesd.search.matrix import Matrix
from notesd.search.voices import SHARE, Voice, Voices, foreign

D = 32
CODES = ("en", "es", "ru", "zh")


def unit(vector: npt.NDArray[np.floating[Any]]) -> Float32:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


MEANS = np.stack([unit(one) for one in np.random.default_rng(7).standard_normal((len(CODES), D))])
VOICES = Voices(CODES, MEANS)


def stored(means: Float32 = MEANS) -> dict[str, bytes]:
    return {code: mean.astype("<f2").tobytes() for code, mean in zip(CODES, means, strict=True)}


def test_means_are_read_as_they_are_kept() -> None:
    """As half numbers; means of another model are none."""
    found = Voices.read(stored(), D)
    assert found is not None
    assert found.languages == CODES
    assert np.abs(found.means - MEANS).max() < 0.001
    assert Voices.read(stored(), D + 1) is None
    assert Voices.read({"en": b"odd"}, D) is None
    assert Voices.read({}, D) is None


@pytest.mark.parametrize(
    ("text", "near", "expected"),
    [
        pytest.param("¿dónde está la casa de los abuelos?", "en", ["es"], id="its words tell"),
        pytest.param("笔记", "en", ["zh"], id="its writing tells"),
        pytest.param("Atajos", "es", ["es", "en"], id="its vector tells, among languages written so"),
        pytest.param("Markdown 语法", "en", ["zh"], id="a letter of its writing tells, beside a name"),
        pytest.param("заметки", "en", ["ru"], id="Cyrillic is not written in Latin languages"),
    ],
)
def test_what_a_question_may_be_in(text: str, near: str, expected: list[str]) -> None:
    """Words first, then writing, then how near it is."""
    vector = MEANS[CODES.index(near)].astype(np.float32).tobytes()
    assert [one.language for one in VOICES.of(text, vector)] == expected
    assert VOICES.of(text, vector[:-4]) == ()


def voice(language: str, nearness: float) -> Voice:
    return Voice(language, MEANS[0], nearness)


@pytest.mark.parametrize(
    ("nearness", "passages", "expected"),
    [
        pytest.param((0.9, 0.8), {"en": 100}, "es", id="in another language than all notes"),
        pytest.param((0.9, 0.895), {"en": 100}, None, id="perhaps in that of the notes"),
        pytest.param((0.9, 0.8), {"en": 80, "es": 20}, None, id="some notes are in its language"),
        pytest.param((0.9, 0.8), {"en": 99, "es": 1}, "es", id="hardly any is"),
        pytest.param((0.9, 0.8), {}, None, id="the language of no note is known"),
    ],
)
def test_whether_the_notes_are_in_another_language(
    nearness: tuple[float, float], passages: Mapping[str, int], expected: str | None
) -> None:
    """Where there is a doubt, nothing is done."""
    found = foreign([voice("es", nearness[0]), voice("en", nearness[1])], passages)
    assert (found.language if found else None) == expected
    assert foreign([], {"en": 1}) is None


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    opened = VectorStore.open(str(tmp_path), "model", D)
    yield opened
    opened.close()


def put(store: VectorStore, note: str, vector: Float32, language: str) -> None:
    with store.write() as writer:
        store.put(writer, note, b"d", 100, [Piece(0, note.encode(), vector.tobytes())], language)


def test_a_note_that_is_near_to_every_question_does_not_come_first(store: VectorStore) -> None:
    """Of what makes it near to questions as such half is taken off; the distance stays as it is."""
    rng = np.random.default_rng(1)
    spanish = MEANS[1]
    answer = unit(rng.standard_normal(D))
    put(store, "hub", unit(spanish + 0.1 * answer), "en")
    put(store, "answer", unit(0.6 * spanish + answer), "en")
    for number in range(6):
        put(store, f"n{number}", unit(0.4 * spanish + rng.standard_normal(D)), "en")
    matrix, question = Matrix(store), unit(2 * spanish + answer).tobytes()
    heard = VOICES.of("¿dónde está la casa de los abuelos?", question)

    plain = {one.note: one for one in matrix.nearest(question, 8)}
    found = matrix.nearest(question, 8, None, heard)
    assert next(iter(plain)) == "hub"
    assert found[0].note == "answer"
    near = {note: float(np.dot(one, spanish)) for note, one in {"hub": unit(spanish + 0.1 * answer)}.items()}
    lowered = {one.note: plain[one.note].score - one.score for one in found}
    assert sum(lowered.values()) == pytest.approx(0, abs=0.01)
    assert lowered["hub"] - lowered["answer"] == pytest.approx(
        SHARE * (near["hub"] - float(unit(0.6 * spanish + answer) @ spanish)), abs=0.01
    )
    assert {one.note: one.cosine for one in found} == {note: one.cosine for note, one in plain.items()}


def test_new_notes_count_at_once(store: VectorStore) -> None:
    """What is known of one generation is not taken for the next; notes in its language keep all."""
    question = unit(MEANS[1] + 0.2 * MEANS[2]).tobytes()
    heard = VOICES.of("¿dónde está la casa de los abuelos?", question)
    for number, vector in enumerate(MEANS[[0, 2, 3]]):
        put(store, f"n{number}", vector, "en")
    matrix = Matrix(store)
    before = {one.note: one.score for one in matrix.nearest(question, 9, None, heard)}
    put(store, "hub", MEANS[1], "en")
    after = {one.note: one.score for one in matrix.nearest(question, 9, None, heard)}
    assert set(after) == {*before, "hub"}
    assert after["n0"] > before["n0"]
    put(store, "hub", MEANS[1], "es")
    shared = {one.note: one.score for one in matrix.nearest(question, 9, None, heard)}
    assert shared["hub"] > after["hub"]


def test_passages_that_are_no_questions_are_compared_as_they_are(store: VectorStore) -> None:
    """Nobody heard them: notes that belong together are found by plain nearness."""
    put(store, "a", MEANS[1], "en")
    put(store, "b", unit(MEANS[1] + MEANS[0]), "en")
    found = Matrix(store).nearest(MEANS[1].astype(np.float32).tobytes(), 2, None)
    assert (found[0].note, round(found[0].score, 5)) == ("a", 1.0)
