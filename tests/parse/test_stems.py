"""Stems: the same as FTS5's own stemmer gives."""

from typing import cast

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse.stems import stem

CONNECTION = apsw.Connection(":memory:")
PORTER = CONNECTION.fts5_tokenizer("porter", ["unicode61"])

WORDS = [
    *("planning", "planet", "bus", "business", "gas", "cities", "city", "cityscape"),
    *("key", "keyboard", "play", "player", "running", "tagged", "hoping", "hope"),
    *("hoped", "agreed", "feed", "bled", "sing", "conflated", "troubled", "sized"),
    *("falling", "hissing", "fizzed", "failing", "filing", "happy", "sky", "relational"),
    *(
        "conditional",
        "rational",
        "valenci",
        "hesitanci",
        "digitizer",
        "conformabli",
        "radicalli",
        "differentli",
    ),
    *(
        "vileli",
        "analogousli",
        "vietnamization",
        "predication",
        "operator",
        "feudalism",
        "decisiveness",
        "hopefulness",
    ),
    *(
        "callousness",
        "formaliti",
        "sensitiviti",
        "sensibiliti",
        "triplicate",
        "formative",
        "formalize",
        "electriciti",
    ),
    *("electrical", "hopeful", "goodness", "revival", "allowance", "inference", "airliner", "gyroscopic"),
    *(
        "adjustable",
        "defensible",
        "irritant",
        "replacement",
        "adjustment",
        "dependent",
        "adoption",
        "homologou",
    ),
    *("communism", "activate", "angulariti", "homologous", "effective", "bowdlerize", "probate", "rate"),
    *("cease", "controll", "roll", "caresses", "ponies", "ties", "caress", "cats"),
    *("yes", "age", "use", "store", "image", "archaeology", "ipv6", "utf8"),
    *("is", "us", "ab", "e"),
]


def fts5(word: str) -> str:
    """Return what the index keeps of a word."""
    found = cast("list[tuple[int, int, str]]", PORTER(word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None))
    return found[0][2]


@pytest.mark.parametrize("word", WORDS)
def test_stems_are_those_of_the_index(word: str) -> None:
    """Every rule of the algorithm cuts as FTS5 cuts."""
    assert stem(word) == fts5(word)


ENDINGS = (
    "",
    "s",
    "es",
    "ed",
    "ing",
    "ly",
    "ness",
    "ation",
    "ational",
    "izer",
    "ment",
    "ive",
    "ful",
    "y",
    "e",
)


@given(
    st.text("bcdfglmnprt", min_size=1, max_size=2),
    st.sampled_from("aeiou"),
    st.text("abcdefgilmnoprstuz", max_size=6),
    st.sampled_from(ENDINGS),
)
def test_stems_of_made_up_words(onset: str, vowel: str, rest: str, ending: str) -> None:
    """Words that nobody has written are cut alike."""
    word = onset + vowel + rest + ending
    assert stem(word) == fts5(word)


@given(st.text())
def test_a_stem_is_never_longer(text: str) -> None:
    """Any text has a stem, at most one letter longer (``hop`` of "hoping" gets its e back)."""
    assert len(stem(text)) <= len(text)
