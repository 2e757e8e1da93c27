"""Writing a text one way gives the same whether it is done at once or by stretches."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse import characters
from notesd.parse.characters import fold, split_letters, split_texts

_ODD = st.sampled_from("aZ1<=_ \n-\u0301\u0338\u093c\u00ad\ufb01\uac00\u11a8")


@given(st.text(st.one_of(st.characters(), _ODD)))
def test_a_text_is_folded_as_its_definition_says(text: str) -> None:
    """Composed, compatible, without case and accents, then a blank for what is no part of a word."""
    whole = characters._SEPARATOR.sub(" ", characters._folded(text))

    assert fold(text) == whole


@pytest.mark.parametrize("text", ["Cafe\u0301 I\u0307stanbul", "e\u0308\u0301x", "Ünïcode—«Größe»…"])
def test_an_accent_goes_with_its_letter_however_it_is_encoded(text: str) -> None:
    """Decomposed and composed are the same word."""
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


def test_a_crowd_of_words_is_forgotten_not_kept() -> None:
    """What is remembered of stretches of other writings has a bound."""
    for number in range(characters._Runs.MOST + 50):
        fold("".join(chr(0x0430 + int(digit)) for digit in str(number)))
        fold(chr(0x4E00) * (characters._Runs.LONGEST + 1))

    assert len(characters._RUNS) <= characters._Runs.MOST
    assert max(map(len, characters._RUNS)) <= characters._Runs.LONGEST


def test_words_are_split_at_signs_and_letters_at_digits_too() -> None:
    """Underlines part words; other writings stay whole."""
    assert split_texts("wi-fi_6e (кот2)\0b") == [["wi", "fi", "6e", "кот2"], ["b"]]
    assert split_letters("wi-fi_6e") == ["wi", "fi", "e"]
    assert split_letters("кот2пёс_a") == ["кот", "пёс", "a"]
