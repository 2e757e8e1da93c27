"""The vectors of a model are those that its weights make, computed by hand with numpy."""

import os
from pathlib import Path

import numpy as np
import pytest
from forward_pass import ForwardPass
from tiny_model import BOS, EOS, HIDDEN, UNK, describe, make_model, packed_bytes

from notesd.embed.encoder import Encoder
from notesd.models.failures import ModelBad, ModelError, TextRefused
from notesd.models.forms import whole_numbers
from notesd.models.packed import Packed

TEXTS = (
    "the bread",
    "pan de trigo, sal: a b c",
    "日本語 世界",
    "ＦＵＬＬ ﬁ",
    "x" * 300,
    "",
    "  a \n\n b ",
    "ñ é z\u0301",
)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> ForwardPass:
    """The weights, computed by numpy."""
    path = tmp_path_factory.mktemp("weights") / "packed"
    path.write_bytes(packed_bytes())
    return ForwardPass(Packed(str(path)))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One model folder for each form."""
    top = tmp_path_factory.mktemp("models")
    made = {variant: str(top / variant) for variant in ("fp32", "w8a8", "w7a8", "q4")}
    for variant, folder in made.items():
        make_model(folder, variant)
    return made


@pytest.mark.parametrize(
    ("variant", "least"), [("fp32", 0.999999), ("q4", 0.999), ("w8a8", 0.998), ("w7a8", 0.995)]
)
@pytest.mark.parametrize("text", TEXTS)
def test_vectors_are_those_of_the_weights(
    folders: dict[str, str], reference: ForwardPass, variant: str, least: float, text: str
) -> None:
    """Every form gives the vector that numpy computes, as near as its numbers allow."""
    encoder = Encoder(folders[variant])

    vector = encoder.encode(text)

    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-6)
    assert float(vector @ reference.vector(encoder.token_ids(text))) >= least


@pytest.mark.parametrize("variant", ["fp32", "w8a8", "w7a8"])
def test_padding_changes_nothing(folders: dict[str, str], variant: str) -> None:
    """The published design, padded to the end, gives the same vectors."""
    plain, padded = Encoder(folders[variant]), Encoder(folders[variant], pad_to=512)

    for text in TEXTS:
        assert float(plain.encode(text) @ padded.encode(text)) >= 0.99999


def test_neighbouring_weights_fit_into_sixteen_bits() -> None:
    """Two products side by side never overflow, and most weights have more than seven bits all the same."""
    random = np.random.default_rng(5)
    for spread in (0.1, 1.0):  # even ones, and ones with a few that are much larger
        weights = (random.normal(0, 1, (64, 96)) ** (1 if spread < 1 else 3)).astype(np.float32)
        whole, scales = whole_numbers(weights, in_pairs=True)
        for sign in (1, -1):
            one_sign = np.maximum(sign * whole.astype(np.int64), 0)
            assert 255 * (one_sign[:, 0::2] + one_sign[:, 1::2]).max() <= 32767
        assert np.abs(whole * scales[:, None] - weights).max() <= scales.max() * 0.51
        assert np.abs(whole).max() > 63


def test_prefixes_come_from_the_manifest(folders: dict[str, str]) -> None:
    """A question and a passage are told apart by what the manifest puts before them."""
    encoder = Encoder(folders["fp32"])

    assert np.array_equal(encoder.encode_query("bread"), encoder.encode("query: bread"))
    assert np.array_equal(encoder.encode_passage("bread"), encoder.encode("passage: bread"))


def test_pooling_comes_from_the_manifest(tmp_path: Path) -> None:
    """The first token's vector, not scaled to length 1, when the manifest wants that."""
    make_model(str(tmp_path / "a"))
    mean = Encoder(str(tmp_path / "a")).encode("bread")
    make_model(str(tmp_path / "b"), pooling="cls", normalize=False)

    vector = Encoder(str(tmp_path / "b")).encode("bread")

    assert float(np.linalg.norm(vector)) > 1.5
    assert float(vector @ mean) / float(np.linalg.norm(vector)) < 0.999


def test_long_texts_are_cut_at_the_model_s_end(folders: dict[str, str]) -> None:
    """As many pieces as fit, and the end token behind them."""
    encoder = Encoder(folders["fp32"])
    ids = encoder.token_ids("a b c " * 500)

    assert len(ids) == 64
    assert (ids[0], ids[-1]) == (BOS, EOS)
    assert encoder.count_tokens("a b c " * 500) > 1000


@pytest.mark.parametrize(
    "typed", ["</s>", "a <mask> b", "<s><pad></s>", "<unk>", "＜/s＞", "x</s>y <s> z", "<<s>s>", "<\x01/s>"]
)
def test_typed_special_tokens_stay_text(folders: dict[str, str], typed: str) -> None:
    """A note that shows how HTML is struck through does not end there."""
    ids = Encoder(folders["fp32"]).token_ids(typed)

    assert (ids[0], ids[-1]) == (BOS, EOS)
    assert {BOS, EOS, 1, ids[-1]} & set(ids[1:-1]) == set()
    assert len(ids) > 3


def test_halves_of_characters(folders: dict[str, str]) -> None:
    """Half a surrogate pair is a character that nobody knows."""
    assert UNK in Encoder(folders["fp32"]).token_ids("a\ud83d")


def test_the_whole_text_is_one_run(folders: dict[str, str]) -> None:
    """The same text gives the same bytes, whatever was encoded before."""
    encoder = Encoder(folders["w8a8"])
    first = encoder.encode("the bread")
    for text in TEXTS:
        encoder.encode(text)

    assert np.array_equal(encoder.encode("the bread"), first)


@pytest.mark.parametrize("name", ["model.onnx", "model.onnx.data", "tokenizer.json"])
def test_flipped_bits_are_noticed(tmp_path: Path, name: str) -> None:
    """One changed byte in any file, and nothing is loaded: onnxruntime itself would not notice."""
    folder = str(tmp_path / "tiny")
    make_model(folder)
    path = os.path.join(folder, name)
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))

    with pytest.raises(ModelBad, match=rf"{name}: its bytes have changed"):
        Encoder(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"{}", b"\x00" * 2000, b'{"model": 1}'])
def test_files_that_are_no_model(tmp_path: Path, name: str, content: bytes) -> None:
    """Files that never were a model are refused with the way out, even with a fitting manifest."""
    folder = str(tmp_path / "tiny")
    make_model(folder)
    Path(folder, name).write_bytes(content)
    describe(folder)

    with pytest.raises(ModelBad, match=r"model tiny cannot be used: .*run: notesd model install tiny"):
        Encoder(folder)


def test_a_manifest_with_another_dimension(tmp_path: Path) -> None:
    """A model that gives other vectors than promised is refused when it is loaded."""
    make_model(str(tmp_path / "tiny"), dimensions=HIDDEN * 2)

    with pytest.raises(ModelBad, match="instead of 64 numbers"):
        Encoder(str(tmp_path / "tiny"))


class _Session:
    """Stands in for onnxruntime and gives what it is told."""

    def __init__(self, value: float) -> None:
        self.value = value

    def run(self, outputs: list[str], feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        return [np.full((*feeds["input_ids"].shape, HIDDEN), self.value, np.float32)]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0])
def test_useless_numbers_are_refused(folders: dict[str, str], value: float) -> None:
    """NaN, infinity and zeros never become a vector."""
    encoder = Encoder(folders["fp32"])
    encoder._session = _Session(value)

    with pytest.raises(TextRefused, match="no usable vector"):
        encoder.encode("bread")


def test_an_unknown_form(tmp_path: Path) -> None:
    """A form that does not exist is refused with those that do."""
    with pytest.raises(ModelError, match="no variant int3; there are w8a8, w7a8, q4, fp32"):
        make_model(str(tmp_path / "tiny"), "int3")
