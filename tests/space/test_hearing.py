"""How the model in use hears questions."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from notesd.models.catalogue import KNOWN, question_means
from notesd.space.hearing import evidence, voices_heard

MODEL = KNOWN[0].template
BENCH = Path(__file__).parents[1] / "bench"


def questions() -> dict[str, list[str]]:
    tool = runpy.run_path(str(BENCH / "question_means.py"))
    found: dict[str, list[str]] = tool["questions"]((BENCH / "questions.txt").read_text(encoding="utf-8"))
    return found


def test_every_language_is_asked_the_same() -> None:
    """A mean of other questions would stand for their subject."""
    asked = questions()
    assert {len(texts) for texts in asked.values()} == {16}
    assert list(asked) == list(question_means(MODEL.name))


def test_means_come_with_notesd_or_with_the_model() -> None:
    """Those of the manifest come first; a model that nobody knows has none."""
    vector = np.frombuffer(question_means(MODEL.name)["es"], "<f2").astype(np.float32).tobytes()
    assert voices_heard(MODEL, "Atajos de teclado", vector)[0].language == "es"
    own = replace(MODEL, name="own", question_means={"it": question_means(MODEL.name)["it"]})
    assert [one.language for one in voices_heard(own, "Atajos de teclado", vector)] == ["it"]
    assert voices_heard(replace(MODEL, name="own"), "Atajos de teclado", vector) == ()
    assert voices_heard(None, "Atajos de teclado", vector) == ()


def test_where_evidence_begins() -> None:
    """The model says; before there is one, any cosine counts."""
    assert evidence(MODEL) == (MODEL.evidence_low, MODEL.evidence_span)
    assert evidence(None) == (0.0, 1.0)


def test_the_means_are_those_of_the_questions() -> None:
    """With the real model, where it is to be had."""
    pytest.importorskip("onnxruntime")
    from real_models import folder_with

    from notesd.embed.encoder import Encoder

    encoder = Encoder(str(Path(folder_with(MODEL.name)) / MODEL.name))
    made = np.mean([encoder.encode_query(text) for text in questions()["es"]], axis=0)
    kept = np.frombuffer(question_means(MODEL.name)["es"], "<f2").astype(np.float32)
    assert float(made @ kept) / float(np.linalg.norm(made) * np.linalg.norm(kept)) > 0.995
