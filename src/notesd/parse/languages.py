"""In which language is a text? A guess from its writing and its stop words; nothing is installed for it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from notesd.parse.characters import fold, split_letters
from notesd.parse.stems import ALGORITHMS
from notesd.parse.stopwords import STOPWORDS

RULES: Final = 1
"""Version of this module: other languages of the same texts."""
SAMPLE: Final = 20_000
"""Characters that are looked at."""
_SHORT: Final = 2_000
"""Characters of a note that are looked at when its words are cut."""
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
_IN_A_WRITING: Final = re.compile(f"[{''.join(WRITINGS.values())}]")
_ACCENTED: Final = re.compile(r"[^\x00-\x7f]")
_KANA: Final = 0.05
"""Share of the letters that are kana in any Japanese text."""


def _languages_of_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in STOPWORDS.items():
        for word in words:
            if len(word) > 1:
                found[word] = (*found.get(word, ()), language)
    return found


_OF_WORD: Final = _languages_of_words()
"""Stop words of two letters at least: one alone is an initial."""


def language_of(text: str) -> str | None:
    """Return the code of a text's language (``en``, ``es``, ``ja``, ...), None where it cannot be told.

    That is the language whose writing it is, else the one that most of its words are stop words of; a letter
    alone is an initial. Of 6,969 Spanish and English notes 13 were taken for another language.
    """
    sample = text[:SAMPLE]
    return _by_writing(sample) or _by_stop_words(_votes(sample))


_LETTERS: Final[Mapping[str, str]] = {
    "ca": "àçèéíïòóúü", "cs": "áčďéěíňóřšťúůýž", "da": "æøå", "de": "äöüß", "es": "áéíñóúü¿¡",
    "fi": "äö", "fr": "àâçèéêëîïôùûœ", "hu": "áéíóöőúüű", "it": "àèéìòù", "nl": "ëï", "no": "æøå",
    "pl": "ąćęłńóśźż", "pt": "ãõáâàçéêíóôú", "ro": "ăâîșț", "sv": "åäö", "tr": "çğıöşü",
}  # fmt: skip
"""Letters of a language that English does not use."""


def languages_told(text: str, languages: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the language of a note, whatever its folder, and which of the folder's languages it is.

    The first is None where it cannot be told from the text alone, the second where several are as likely.
    A text whose own language is one of the folder's is written in that, so that the other languages of a
    folder change nothing for most of its notes. In a folder of known languages one stop word, or one letter
    with an accent, tells much of a text whose own language cannot be told.
    """
    sample = text[:_SHORT]
    if written := _by_writing(sample):
        return written, written if written in languages else None
    found = _votes(sample)
    own = _by_stop_words(found)
    if own in languages:
        return own, own
    letters = [] if sample.isascii() else _ACCENTED.findall(sample.lower())
    votes = {
        language: 2 * found[language] + sum(map(_LETTERS.get(language, "").__contains__, letters))
        for language in languages
    }
    return own, _first(Counter(votes), 1)


_MOST: Final = 6
"""Languages of one folder."""
_RARE: Final = 5
"""A language of fewer notes than about one in two to the power of this does not count."""


def chosen(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the languages of a folder, the commonest first; English where none can be told.

    Numbers count by their powers of two alone: in a folder that has as many notes in one language as in
    another, a new note in either changes nothing. A language counts from one note in 63, 2 in 127, 4 in 255
    on, and so on.

    Args:
        counts: Language -> notes that are written in it.
    """
    known = {language: notes for language, notes in counts.items() if language in ALGORITHMS and notes > 0}
    least = sum(known.values()).bit_length() - _RARE
    common = [language for language, notes in known.items() if notes.bit_length() >= least]
    common.sort(key=lambda language: (-known[language].bit_length(), language))
    return tuple(common[:_MOST]) or ("en",)


def _votes(sample: str) -> Counter[str]:
    """Count the stop words of each language in a text."""
    spoken = filter(None, map(_OF_WORD.get, split_letters(fold(sample))))
    return Counter(chain.from_iterable(spoken))


def _by_stop_words(votes: Counter[str]) -> str | None:
    return _first(votes, _LEAST)


def _first(votes: Counter[str], least: int) -> str | None:
    """Return what has most votes, so many at least and more than anything else."""
    (first, most), (_, second) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return first if most >= least and most > second else None


def _by_writing(sample: str) -> str | None:
    if sample.isascii() or not _IN_A_WRITING.search(sample):
        return None
    letters = sum(map(len, _WORD.findall(sample)))
    shares = {
        language: len(written.findall(sample)) / letters for language, written in _WRITTEN.items() if letters
    }
    if shares and shares["ja"] > _KANA:  # most other letters of Japanese are Chinese
        shares["ja"] += shares["zh"]
    return next((language for language, share in shares.items() if share > FOREIGN), None)
