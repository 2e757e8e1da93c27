"""The small tokenizer gives the tokens of the large one, heals, and says when it cannot."""

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_model import LETTERS, make_model

from notesd.embed.encoder import Encoder
from notesd.embed.small import SMALL, Small, small_form
from notesd.embed.tokens import NoSmallForm, Tokens, Whole
from notesd.models.manifest import TOKENIZER, read

Pair = tuple[Tokens, Tokens]


def digest(folder: str) -> str:
    """Return the sha256 of a model's tokenizer."""
    return next(file.sha256 for file in read(folder).files if file.name == TOKENIZER)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny model."""
    path = str(tmp_path_factory.mktemp("models") / "tiny")
    make_model(path)
    return path


@pytest.fixture(scope="module")
def pair(folder: str) -> Pair:
    """Both tokenizers of the tiny model."""
    whole = Whole(os.path.join(folder, TOKENIZER))
    return Tokens(whole, 64), Tokens(Small(folder, digest(folder)), 64)


TEXTS = (
    *("", " ", "the bread", "  the   bread \n", "a\0b", "\ud83d", "▁", "the▁bread ▁", "n\u0303", "a \x01"),
    *("Ω", "ΩΩ ΩaΩ", "iii", "ingingingi", "x" * 5000, "日本語世界世界世界", "\r\n"),
    *("</s>", "<mask> a", "<s><pad></s>", "<unk>", "＜/s＞"),
)


@pytest.mark.parametrize("text", TEXTS)
def test_both_give_the_same_tokens(pair: Pair, text: str) -> None:
    """Blanks at either end, unknown signs, halves of characters, typed special tokens, repetitions."""
    whole, small = pair

    assert small.whole(text) == whole.whole(text)
    assert small.pieces(text) == whole.pieces(text)
    assert small.pad == whole.pad


@pytest.fixture(scope="module", params=["Sequence", "Metaspace"])
def other_pair(folder: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Pair:
    """Both tokenizers of a vocabulary as others write it: special pieces score 0, blanks are kept."""
    described = changed(folder)
    scores = {token["content"]: 0.0 for token in described["added_tokens"]}
    described["model"]["vocab"] = [
        [text, scores.get(text, score)] for text, score in described["model"]["vocab"]
    ]
    described["normalizer"] = described["normalizer"]["normalizers"][1]
    if request.param == "Sequence":
        parts = [{"type": "WhitespaceSplit"}, described["pre_tokenizer"]]
        described["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": parts}
    path = tmp_path_factory.mktemp("other")
    (path / TOKENIZER).write_text(json.dumps(described), encoding="utf-8")
    return Tokens(Whole(str(path / TOKENIZER)), 64), Tokens(Small(str(path), "0" * 64), 64)


@pytest.mark.parametrize("text", TEXTS)
def test_vocabularies_of_others_are_cut_the_same_too(other_pair: Pair, text: str) -> None:
    """Whatever the file says of preparing and splitting is done by the library that it was written for."""
    whole, small = other_pair

    assert small.pieces(text) == whole.pieces(text)


PIECES = sorted({a + b + c for a in "джш" for b in ("", *"джш") for c in ("", *"джш")})
SCORES = (-10.910429000854492, -11.00887393951416, -12.237642288208008, -12.336087226867676)
"""Outer and inner two add up to the same, in single precision only where nothing went before."""


@pytest.fixture(scope="module")
def even_pair(folder: str, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Both tokenizers of a vocabulary in which many ways to cut a word score the same."""
    described = changed(folder)
    described["model"]["vocab"] += [[piece, SCORES[at % 4]] for at, piece in enumerate(PIECES)]
    path = tmp_path_factory.mktemp("even")
    (path / TOKENIZER).write_text(json.dumps(described), encoding="utf-8")
    return Tokens(Whole(str(path / TOKENIZER)), 64), Tokens(Small(str(path), "0" * 64), 64)


def test_ways_that_score_the_same_are_told_apart_the_same(even_pair: Pair) -> None:
    """Whichever pieces they are made of, and whatever stands before them in the word."""
    whole, small = even_pair
    draw = Random(1)
    words = ["".join(draw.choices("джш", k=draw.randint(4, 60))) for _ in range(5000)]

    assert [word for word in words if small.pieces(word) != whole.pieces(word)] == []


@settings(deadline=None)
@given(st.text(st.sampled_from(LETTERS + " Ω\n") | st.characters(codec="utf-8"), max_size=60))
def test_both_give_the_same_tokens_of_any_text(pair: Pair, text: str) -> None:
    """No text is cut otherwise."""
    whole, small = pair

    assert small.pieces(text) == whole.pieces(text)


def without_the_package(folder: str) -> Encoder:
    """Load a model where sentencepiece is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sentencepiece", None)
        patch.delitem(sys.modules, "notesd.embed.small")
        return Encoder(folder)


def test_vectors_are_the_same(folder: str) -> None:
    """The same tokens are the same vector, bit for bit; so both may stand in one index."""
    whole, small = without_the_package(folder), Encoder(folder)

    assert (whole.tokenizer, small.tokenizer, small.remark) == ("tokenizers", "sentencepiece", "")
    for text in TEXTS:
        assert whole.encode_passage(text).tobytes() == small.encode_passage(text).tobytes()
        assert whole.count_tokens(text) == small.count_tokens(text)


def spoil(data: bytes) -> bytes:
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


@pytest.mark.parametrize(
    "damage", [spoil, lambda data: data[:100], lambda data: b""], ids=["bit", "cut", "empty"]
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """Whatever lies there that is not what was written is replaced, and nothing is left beside it."""
    folder = str(tmp_path / "tiny")
    make_model(folder)
    Small(folder, digest(folder))
    path = tmp_path / "tiny" / SMALL
    good = path.read_bytes()
    path.write_bytes(damage(good))

    assert Small(folder, digest(folder)).cut("the bread") == [4, 5]
    assert path.read_bytes() == good
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [name for name in os.listdir(folder) if name.startswith(f"{SMALL}.")] == []


def test_a_file_of_another_vocabulary_is_made_anew(tmp_path: Path) -> None:
    """The small form belongs to one tokenizer.json, and says to which."""
    folder = str(tmp_path / "tiny")
    make_model(folder)
    Small(folder, "0" * 64)
    other = (tmp_path / "tiny" / SMALL).read_bytes()
    Small(folder, digest(folder))

    assert (tmp_path / "tiny" / SMALL).read_bytes() != other


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    """The small form is made for this run alone."""
    folder = str(tmp_path / "tiny")
    make_model(folder)
    (tmp_path / "tiny" / SMALL).mkdir()  # nothing can take the place of a folder, whoever runs this test

    assert Small(folder, digest(folder)).cut("the bread") == [4, 5]
    assert [name for name in os.listdir(folder) if name.startswith(f"{SMALL}.")] == []


def changed(folder: str, **model: object) -> dict[str, Any]:
    described: dict[str, Any] = json.loads(Path(folder, TOKENIZER).read_text(encoding="utf-8"))
    return described | {"model": described["model"] | model}


@pytest.mark.parametrize(
    ("model", "more", "why"),
    [
        ({"type": "WordPiece"}, {}, "another kind"),
        ({"unk_id": None}, {}, "another kind"),
        ({"byte_fallback": True}, {}, "another kind"),
        (
            {},
            {"added_tokens": [{"id": 4, "content": "the", "special": False}]},
            "words beside the vocabulary",
        ),
        ({}, {"pre_tokenizer": None}, "does not split"),
    ],
)
def test_other_kinds_have_no_small_form(
    folder: str, model: dict[str, object], more: dict[str, object], why: str
) -> None:
    """What sentencepiece would cut otherwise is not cut by it."""
    with pytest.raises(NoSmallForm, match=why):
        small_form(changed(folder, **model) | more, "0" * 64)


def test_without_the_package_the_other_one_cuts(folder: str) -> None:
    """Search goes on, and the reason says what it costs and what to install."""
    encoder = without_the_package(folder)

    assert encoder.tokenizer == "tokenizers"
    assert encoder.remark.startswith("the model takes 250 MB more memory than it needs: sentencepiece is not")
    assert 'pip install "notesd[semantic]"' in encoder.remark


def test_a_vocabulary_of_another_kind_is_no_cause_for_a_remark(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be done about it, so nothing is said."""

    def refuse(*_: object) -> Small:
        raise NoSmallForm("its vocabulary is of another kind (WordPiece)")

    monkeypatch.setattr("notesd.embed.small.Small", refuse)
    encoder = Encoder(folder)

    assert (encoder.tokenizer, encoder.remark) == ("tokenizers", "")
