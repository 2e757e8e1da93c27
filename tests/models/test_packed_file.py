"""A packed file is read as it was written, and a damaged one is refused with a reason."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_model import BOS, CHARACTERS, EOS, FFN, HIDDEN, PAD, UNK, packed_bytes, tensors, vocabulary

from notesd.models.failures import ModelBad
from notesd.models.packed import Packed

DATA = packed_bytes()
STARTS_OF_WEIGHTS = DATA.index(b"emb.word") - 100


def opened(folder: Path, data: bytes) -> Packed:
    """Write a packed file and read it."""
    path = folder / "packed"
    path.write_bytes(data)
    return Packed(str(path))


def test_everything_is_read(tmp_path: Path) -> None:
    """Sizes, vocabulary, normalisation and weights come out as they went in."""
    packed = opened(tmp_path, DATA)
    weights = tensors()

    assert (packed.shape.hidden, packed.shape.ffn, packed.shape.layers) == (HIDDEN, FFN, 2)
    assert [text for text, _ in packed.vocabulary.pieces] == [text for text, _ in vocabulary()]
    assert packed.vocabulary[1:5] == (BOS, EOS, PAD, UNK)
    assert packed.vocabulary.characters == CHARACTERS
    assert np.array_equal(packed.vector("l0.fi.b", FFN), weights["l0.fi.b"])
    matrix = packed.matrix("l1.fo.w", HIDDEN, FFN)
    assert np.abs(matrix - weights["l1.fo.w"]).max() < np.abs(weights["l1.fo.w"]).max() / 7


def test_blocks_are_the_numbers(tmp_path: Path) -> None:
    """Each weight is its nibble less eight, times the scale of its block."""
    packed = opened(tmp_path, DATA)
    scales, nibbles = packed.blocks("l0.fo.w", HIDDEN, FFN)

    assert scales.shape == (HIDDEN, FFN // 32)
    by_hand = (nibbles[3, 40].astype(np.float32) - 8) * scales[3, 1].astype(np.float32)
    assert packed.matrix("l0.fo.w", HIDDEN, FFN)[3, 40] == by_hand


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"PK\x03\x04" + DATA[4:], "does not start with E5S1", id="another format"),
        pytest.param(DATA[:4] + b"\x02" + DATA[5:], "version 2", id="a later version"),
        pytest.param(DATA[:8] + b"\x21" + DATA[9:], "do not fit together", id="33 numbers"),
        pytest.param(DATA[:8] + b"\xff\xff\xff\xff" + DATA[12:], "hidden is -1", id="a negative size"),
        pytest.param(DATA[:100], "cut off", id="cut in the vocabulary"),
        pytest.param(DATA[:-1], "damaged or cut off", id="cut in the weights"),
    ],
)
def test_damage_is_named(tmp_path: Path, data: bytes, message: str) -> None:
    """What is wrong is said, with the file."""
    with pytest.raises(ModelBad, match=f"packed: .*{message}"):
        opened(tmp_path, data)


def test_a_missing_tensor(tmp_path: Path) -> None:
    """A tensor of another name, size or kind is not there."""
    packed = opened(tmp_path, DATA)

    for name, size in (("l9.fi.b", FFN), ("l0.fi.b", FFN + 1), ("l0.fi.w", FFN * HIDDEN)):
        with pytest.raises(ModelBad, match="no full-precision tensor"):
            packed.vector(name, size)
    with pytest.raises(ModelBad, match="no four-bit tensor"):
        packed.matrix("emb.pos", 64, HIDDEN)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, STARTS_OF_WEIGHTS + 2000), st.binary(min_size=1, max_size=6))
def test_random_damage_never_does_more_than_raise(
    tmp_path_factory: pytest.TempPathFactory, at: int, junk: bytes
) -> None:
    """Whatever bytes are overwritten, the file is read or refused: no crash, no gigabytes."""
    data = bytearray(DATA)
    data[at : at + len(junk)] = junk
    folder = tmp_path_factory.mktemp("damage")
    try:
        packed = opened(folder, bytes(data[: len(DATA)]))
        packed.matrix("emb.word", packed.shape.rows, packed.shape.hidden)
        packed.vector("emb.ln.w", packed.shape.hidden)
    except ModelBad:
        pass
