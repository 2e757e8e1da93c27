"""The tokenizer's file says what the packed vocabulary says."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_model import CHARACTERS, packed_bytes, vocabulary
from tokenizers import Tokenizer, normalizers

from notesd.models.packed import Packed
from notesd.models.tokenizer_file import charsmap, describe, write_tokenizer


def by_hand(table: dict[int, tuple[int, ...]], text: str) -> str:
    """Replace characters one by one."""
    return "".join("".join(map(chr, table.get(ord(char), (ord(char),)))) for char in text)


@given(
    st.dictionaries(
        st.integers(1, 0xD7FF) | st.integers(0xE000, 0x10FFFF),
        st.lists(st.integers(0x20, 0x17F), max_size=3).map(tuple),
        max_size=200,
    ),
    st.data(),
)
def test_the_character_map_is_the_table(table: dict[int, tuple[int, ...]], data: st.DataObject) -> None:
    """The tokenizer's own reader finds every entry of any table, and nothing else."""
    characters = st.sampled_from([*table, 0x41, 0x3042, 0x1F600]).map(chr)
    normalise = normalizers.Precompiled(charsmap(table)).normalize_str

    for char in data.draw(st.lists(characters, max_size=30)):
        assert normalise(char) == by_hand(table, char)


def test_an_empty_table() -> None:
    """A model that replaces nothing is no special case."""
    assert normalizers.Precompiled(charsmap({})).normalize_str("a é") == "a é"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """The tiny model's tokenizer, read back from its file."""
    folder = tmp_path_factory.mktemp("tokenizer")
    (folder / "packed").write_bytes(packed_bytes())
    write_tokenizer(str(folder / "tokenizer.json"), Packed(str(folder / "packed")).vocabulary)
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param("the bread", ["▁the", "▁bread"], id="words"),
        pytest.param("THE ｂｒｅａｄ", ["▁the", "▁bread"], id="the model's own table"),
        pytest.param("the\t\n  bread", ["▁the", "▁bread"], id="runs of blanks"),
        pytest.param("世界", ["▁", "世界"], id="no blanks"),
        pytest.param("n\u0303", ["▁", "ñ"], id="canonical composition"),
        pytest.param("ﬁ", ["▁", "f", "i"], id="one character to two"),
        pytest.param("th\x01e", ["▁the"], id="dropped characters"),
        pytest.param("Ω", ["▁", "<unk>"], id="unknown"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_pieces(tokenizer: Tokenizer, text: str, pieces: list[str]) -> None:
    """A text becomes these pieces, between the two special tokens."""
    encoding = tokenizer.encode(text)
    names = [tokenizer.id_to_token(at) for at in encoding.ids]

    assert names == ["<s>", *pieces, "</s>"]


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_any_text_is_cut(tokenizer: Tokenizer, text: str) -> None:
    """No text is too odd, and none ends early."""
    ids = tokenizer.encode(text, add_special_tokens=False).ids

    assert bool(ids) or not unicodedata.normalize("NFC", by_hand(CHARACTERS, text)).strip()


def test_ids_are_the_packed_ones(tokenizer: Tokenizer, tmp_path: Path) -> None:
    """A piece has the same number in both files."""
    (tmp_path / "packed").write_bytes(packed_bytes())
    described = describe(Packed(str(tmp_path / "packed")).vocabulary)

    assert [tokenizer.token_to_id(text) for text, _ in vocabulary()] == list(range(len(vocabulary())))
    assert {each["content"] for each in described["added_tokens"]} == {
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        "<mask>",
    }
    assert json.dumps(described)
