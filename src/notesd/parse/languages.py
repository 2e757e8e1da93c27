"""In which language is a text? A guess from its writing and its stop words; nothing is installed for it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from notesd.parse.characters import fold
from notesd.parse.stopwords import STOPWORDS

RULES: Final = 1
"""Version of this module: other languages of the same texts."""
SAMPLE: Final = 20_000
"""Characters that are looked at."""
_SHORT: Final = 2_000
"""Characters that are looked at where the languages are known."""
FOREIGN: Final = 0.3
"""Share of the letters from which on a writing tells the language."""
_LEAST: Final = 2
"""Stop words that a guess needs: one alone may be a name."""

WRITINGS: Final[Mapping[str, str]] = {
    "ja": "\u3041-\u3096\u30a1-\u30fa",
    "zh": "\u3400-\u4dbf\u4e00-\u9fff",
    "ko": "\uac00-\ud7a3",
    "th": "\u0e01-\u0e3a\u0e40-\u0e4e",
    "ar": "\u0620-\u064a",
    "el": "\u0370-\u03ff",
    "he": "\u05d0-\u05ea",
    "hi": "\u0900-\u097f",
}
"""Writings that one language stands for here, which most of those who use it write."""

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_WRITTEN: Final = {language: re.compile(f"[{characters}]") for language, characters in WRITINGS.items()}
_ACCENTED: Final = re.compile(r"[^\x00-\x7f]")
_KANA: Final = 0.05
"""Share of the letters that are kana in any Japanese text."""


def _languages_of_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in STOPWORDS.items():
        for word in words:
            found[word] = (*found.get(word, ()), language)
    return found


_OF_WORD: Final = _languages_of_words()


def language_of(text: str) -> str | None:
    """Return the code of a text's language (``en``, ``es``, ``ja``, ...), None where it cannot be told.

    That is the language whose writing it is, else the one that most of its words are stop words of; a letter
    alone is an initial. Of 6,969 Spanish and English notes 13 were taken for another language.
    """
    sample = text[:SAMPLE]
    if not sample.isascii() and (written := _by_writing(sample)):
        return written
    counts = Counter(language for word in _WORD.findall(fold(sample)) for language in _OF_WORD.get(word, ()))
    (first, most), (_, second) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return first if most >= _LEAST and most > second else None


_LETTERS: Final[Mapping[str, str]] = {
    "ca": "àçèéíïòóúü", "cs": "áčďéěíňóřšťúůýž", "da": "æøå", "de": "äöüß", "es": "áéíñóúü¿¡",
    "fi": "äö", "fr": "àâçèéêëîïôùûœ", "hu": "áéíóöőúüű", "it": "àèéìòù", "nl": "ëï", "no": "æøå",
    "pl": "ąćęłńóśźż", "pt": "ãõáâàçéêíóôú", "ro": "ăâîșț", "sv": "åäö", "tr": "çğıöşü",
}  # fmt: skip
"""Letters of a language that English does not use."""


def language_among(text: str, languages: Sequence[str]) -> str | None:
    """Return which of some languages a short text is written in; None where several are as likely, or none.

    In a folder of known languages one stop word, or one letter with an accent, tells much.
    """
    sample = text[:_SHORT]
    if not sample.isascii() and (written := _by_writing(sample)):
        return written if written in languages else None
    words = _WORD.findall(fold(sample))
    letters = [] if sample.isascii() else _ACCENTED.findall(sample.lower())
    votes = {
        language: 2 * sum(map(STOPWORDS.get(language, frozenset()).__contains__, words))
        + sum(map(_LETTERS.get(language, "").__contains__, letters))
        for language in languages
    }
    (first, most), (_, second) = [*Counter(votes).most_common(2), ("", 0), ("", 0)][:2]
    return first if most > second else None


def _by_writing(sample: str) -> str | None:
    letters = sum(map(len, _WORD.findall(sample)))
    shares = {
        language: len(written.findall(sample)) / letters for language, written in _WRITTEN.items() if letters
    }
    if shares and shares["ja"] > _KANA:  # most other letters of Japanese are Chinese
        shares["ja"] += shares["zh"]
    return next((language for language, share in shares.items() if share > FOREIGN), None)
