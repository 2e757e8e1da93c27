"""How texts and queries become words: without an index."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse.characters import fold
from notesd.parse.expressions import match
from notesd.parse.stopwords import ALL, CONTRACTED, STOPWORDS
from notesd.parse.terms import (
    Term,
    index_text,
    is_stop_term,
    is_stopword,
    phrase,
    rank_terms,
    signs,
    split,
    terms,
)


@given(st.text(st.characters(codec="ascii"), max_size=200))
def test_ascii_passes_untouched(text: str) -> None:
    """Text without a letter of another alphabet is handed over as it is."""
    assert index_text(text) == text


INDEXED = {
    "run": ("日本語", "日本 本語 語"),
    "run of one": ("日", "日"),
    "run within Latin": ("x日本y", "x 日本 本 y"),
    "two runs": ("日本、語", "日本 本 語"),
    "full width": ("Ｆｏｏ", "foo"),
    "accents": ("Él Ÿ", "el y"),
    "marks": ("مَدرسة", "مدرسة"),
    "emoji": ("a😀b", "a b"),
    "private use": ("a\ue02bb", "a b"),
    "lone surrogate": ("a\ud800b", "a b"),
    "trade mark": ("Foo™", "foo"),
    "encoded data": ("a " + "QUJD" * 100 + "== b", "a b"),
    "encoded data beside accents": ("é " + "QUJD" * 100 + " b", "e b"),
    "long but words": ("-".join(["word"] * 100), "-".join(["word"] * 100)),
}


@pytest.mark.parametrize(("text", "expected"), INDEXED.values(), ids=INDEXED.keys())
def test_texts_as_the_index_gets_them(text: str, expected: str) -> None:
    """Runs become pairs, odd writings become plain ones, data goes."""
    assert " ".join(index_text(text).split()) == expected


SIGNS = {
    "none": ("plain words, 1.0.21 foo-bar a/b user@host f(x)=y^2 2+2 a.b end. foo#bar", []),
    "plus and hash": ("C++ C# F# g++ C++", ["c\ue02b\ue02b", "c\ue023", "f\ue023", "g\ue02b\ue02b"]),
    "dot": (".NET (.env) ...more", ["\ue02enet", "\ue02eenv"]),
    "star": ("A* is not **bold** nor pointer*", ["a\ue02a"]),
    "emoji": ("😀 😀", ["\U000ff600"]),
    "joined emoji": ("👩‍💻", ["\U000ff469\U000ff4bb", "\U000ff469", "\U000ff4bb"]),
    "flag": ("🇫🇷", ["\U000ff1eb\U000ff1f7"]),
}


@pytest.mark.parametrize(("text", "expected"), SIGNS.values(), ids=SIGNS.keys())
def test_signs_stand_for_punctuation_with_a_meaning(text: str, expected: list[str]) -> None:
    """Names made of punctuation get a token of their own, each once; ordinary words get none."""
    assert signs(text) == expected


TERMS = {
    "words": ("two words", [("two",), ("words",)]),
    "joined words": ("foo-bar a/b", [("foo", "bar"), ("a", "b")]),
    "nothing": (" - ... () ", []),
    "pairs": ("日本語", [("日本", "本語")]),
    "runs parted by a comma": ("你好，世界", [("你好",), ("世界",)]),
    "run with digits": ("日本2024年", [("日本", "本", "2024", "年")]),
    "word and emoji": ("hello😀", [("hello",), ()]),
    "too long": ("x" * 300, []),
}


@pytest.mark.parametrize(("text", "expected"), TERMS.values(), ids=TERMS.keys())
def test_terms_of_a_query(text: str, expected: list[tuple[str, ...]]) -> None:
    """A text gives one term a word."""
    assert [term.tokens for term in terms(text, last_is_prefix=False)] == expected


PREFIX = {
    "word": ("some wor", True),
    "blank after": ("some wor ", False),
    "sign after": ("some wor.", False),
    "one letter": ("plan b", False),
    "stop word": ("what is the", False),
    "name with signs": ("C++", False),
    "joined": ("foo-ba", True),
    "one Chinese character": ("日 ", True),
    "Chinese pair": ("日本", False),
    "Hindi vowel sign": ("हिन्दी", True),
}


@pytest.mark.parametrize(("text", "expected"), PREFIX.values(), ids=PREFIX.keys())
def test_last_word_is_a_prefix(text: str, *, expected: bool) -> None:
    """The last word is a beginning too, unless it is finished, short or says nothing."""
    assert terms(text, last_is_prefix=True)[-1].prefix is expected


def test_match_quotes_everything() -> None:
    """Quotes are doubled, NUL is dropped, columns and signs are named."""
    assert match(Term('a"b', ('a"b\0c', "d"), prefix=True)) == '"a""bc d" *'
    assert match(Term("x", ("x",)), columns="name aliases") == '{name aliases} : "x"'
    assert match(Term("c++", ("c",), sign="c\ue02b\ue02b")) == '{signs} : "c\ue02b\ue02b"'
    assert match(Term("c++", ("c",), sign="S"), columns="name") == '({name} : "c" AND {signs} : "S")'
    assert match(Term("c++ x", ("c", "x"), sign="S")) == '("c x" AND {signs} : "S")'


def test_pairs_rank_one_by_one() -> None:
    """A run of pairs ranks pair by pair, joined words also one by one; other terms stay."""
    (run,) = terms("日本語", last_is_prefix=False)
    assert [part.tokens for part in rank_terms(run)] == [("日本",), ("本語",)]
    (mixed,) = terms("日本2024年", last_is_prefix=False)
    assert [(part.tokens, part.prefix) for part in rank_terms(mixed)] == [
        (("日本",), False),
        (("2024",), False),
        (("年",), True),
    ]
    (joined,) = terms("foo-bar", last_is_prefix=False)
    assert rank_terms(joined) == (joined, *split(joined))
    (elided,) = terms("l'hiver", last_is_prefix=False)
    assert [part.tokens for part in rank_terms(elided)] == [("l", "hiver"), ("hiver",)]
    (owned,) = terms("ann's", last_is_prefix=False)
    assert rank_terms(owned) == (owned,)
    (version,) = terms("1.0.21", last_is_prefix=False)
    assert rank_terms(version) == (version,)
    assert [part.tokens for part in split(joined)] == [("foo",), ("bar",)]


def test_phrase_of_nothing() -> None:
    """A text without a word is no term."""
    assert phrase("...") is None


@pytest.mark.parametrize("language", sorted(STOPWORDS))
def test_stop_words_are_written_as_the_index_sees_them(language: str) -> None:
    """Every stop word is one folded token."""
    words = STOPWORDS[language]
    assert len(words) > 80
    assert {word for word in words if fold(word) != word or not word.isalpha()} == set()


@pytest.mark.parametrize(
    "word", ["c", "d", "r", "x", "z", "war", "die", "man", "sea", "ale", "ai", "art", "net", "go"]
)
def test_names_are_no_stop_words(word: str) -> None:
    """Single consonants and words that mean something in another language are searched."""
    assert not is_stopword(word)


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("it's", True),
        ("don't", False),
        ("d'un", True),
        ("the", True),
        ("C", False),
        ("foo", False),
        ("C++", False),
        ("l'homme", False),
    ],
)
def test_contracted_words(text: str, *, stop: bool) -> None:
    """What is left beside an apostrophe is grammar in company only."""
    (term,) = terms(text, last_is_prefix=False)
    assert is_stop_term(term) is stop


def test_contracted_rests_are_not_stop_words() -> None:
    """The two sets do different things and share nothing."""
    assert not CONTRACTED & ALL
