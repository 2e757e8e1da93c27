"""The second encoder is heard of a question in another language than the notes, and of no other."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from notesd.errors import StoreError
from notesd.index.vectors import Piece
from notesd.models.companion import as_beside, side_by_side
from notesd.models.manifest import COMPANION_DIMENSIONS, COMPANION_USUAL, COMPANION_WEIGHT, Manifest
from notesd.search.voices import Voice
from notesd.settings import SearchConfig
from notesd.space.meaning import Meaning
from notesd.space.vectors import SpaceVectors

D = 8
NOTES = [f"n{at}" for at in range(12)]
WORDS = 100
"""Of each note: nothing is taken off."""

Vector = npt.NDArray[np.float32]


def unit(seed: int, size: int) -> Vector:
    made = np.random.default_rng(seed).standard_normal(size).astype(np.float32)
    return made / np.linalg.norm(made)


OWN = {note: unit(at, D) for at, note in enumerate(NOTES)}
SECOND = {note: unit(100 + at, COMPANION_DIMENSIONS) for at, note in enumerate(NOTES)}
ASKED, ASKED_SECOND = unit(1000, D), SECOND["n0"]
QUERY = side_by_side(ASKED, ASKED_SECOND).tobytes()


def heard(language: str) -> list[Voice]:
    """A question that is in a language."""
    return [Voice(language, np.zeros(D + COMPANION_DIMENSIONS, np.float32), 1.0)]


def vectors_of(home: Path, *, companion: bool) -> SpaceVectors:
    """A dozen English notes of one passage each."""
    vectors = SpaceVectors(cast("Any", SimpleNamespace(folder=str(home))))
    vectors.open("model", D + COMPANION_DIMENSIONS, "tiny", companion=companion)
    assert vectors.store
    with vectors.store.write() as writer:
        for note in NOTES:
            both = side_by_side(OWN[note], SECOND[note]).astype("<f4").tobytes()
            vectors.store.put(writer, note, note.encode(), WORDS, [Piece(0, note.encode(), both, 1)], "en")
    return vectors


@pytest.fixture
def vectors(tmp_path: Path) -> Iterator[SpaceVectors]:
    made = vectors_of(tmp_path, companion=True)
    yield made
    assert made.store
    made.store.close()


def own(note: str) -> float:
    return float(OWN[note] @ ASKED)


def both(note: str) -> float:
    return (own(note) + COMPANION_WEIGHT * float(SECOND[note] @ ASKED_SECOND)) / (1 + COMPANION_WEIGHT)


@pytest.mark.parametrize("allowed", [None, NOTES[3:9]], ids=["all", "some"])
def test_a_question_in_the_language_of_the_notes_is_for_the_model_alone(
    vectors: SpaceVectors, allowed: list[str] | None
) -> None:
    """The order is the model's own, and each cosine what it is with what the second says in general."""
    near = vectors.nearest(QUERY, len(NOTES), allowed, heard("en"))

    assert [one.note for one in near] == sorted(allowed or NOTES, key=lambda note: -own(note))
    for one in near:
        usual = (own(one.note) + COMPANION_WEIGHT * COMPANION_USUAL) / (1 + COMPANION_WEIGHT)
        assert one.cosine == pytest.approx(usual, abs=1e-5)
        assert one.score == pytest.approx(usual, abs=1e-5)


def test_a_question_in_another_language_is_for_both(vectors: SpaceVectors) -> None:
    """What the second encoder has beside its translation stands further up."""
    near = {one.note: one.cosine for one in vectors.nearest(QUERY, len(NOTES), None, heard("es"))}

    assert near == pytest.approx({note: both(note) for note in NOTES}, abs=1e-5)
    alone = {one.note: one.cosine for one in vectors.nearest(QUERY, len(NOTES), None, heard("en"))}
    assert near["n0"] > alone["n0"]


def test_what_is_no_question_is_compared_as_it_is(vectors: SpaceVectors) -> None:
    """A passage beside other passages, for the notes that belong together."""
    near = {one.note: one.cosine for one in vectors.nearest(QUERY, len(NOTES))}
    assert near == pytest.approx({note: both(note) for note in NOTES}, abs=1e-5)


def test_without_a_second_encoder_nothing_changes(tmp_path: Path) -> None:
    """Whatever the numbers of another model at that place mean."""
    vectors = vectors_of(tmp_path, companion=False)
    near = {one.note: one.cosine for one in vectors.nearest(QUERY, len(NOTES), None, heard("en"))}
    assert near == pytest.approx({note: both(note) for note in NOTES}, abs=1e-5)
    assert vectors.store
    vectors.store.close()


@pytest.mark.parametrize(("version", "told"), [("0.2.1", True), ("", False)], ids=["with", "without"])
def test_the_model_says_whether_it_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, told: bool
) -> None:
    """Its manifest does; the vectors themselves do not tell."""
    opened: list[bool] = []

    def opening(_: SpaceVectors, *__: object, companion: bool = False) -> None:
        opened.append(companion)
        raise StoreError("enough")

    monkeypatch.setattr(SpaceVectors, "open", opening)
    manifest = Manifest(
        name="tiny", source="a test", variant="none", licence="MIT", max_tokens=512, companion=version,
        dimensions=D + COMPANION_DIMENSIONS, files=(),
    )  # fmt: skip
    space = SimpleNamespace(name="notes", fault=None)
    meaning = Meaning({"notes": cast("Any", space)}, SearchConfig(), str(tmp_path), str(tmp_path))
    meaning._embedder = cast("Any", SimpleNamespace(manifest=manifest))
    meaning._attend(meaning.spaces["notes"])

    assert opened == [told]


def test_the_usual_cosine_is_where_nothing_is_heard() -> None:
    """A cosine as large as the second encoder's usual one stays what it is."""
    assert as_beside(COMPANION_USUAL / (1 + COMPANION_WEIGHT) ** 0.5) == pytest.approx(COMPANION_USUAL)
