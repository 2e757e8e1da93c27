"""In which language is a text? A guess from its writing and its stop words; nothing is installed for it."""

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from notesd.parse.characters import fold, split_letters
from notesd.parse.stems import ALGORITHMS
from notesd.parse.stopwords import STOPWORDS
from notesd.parse.telling import KIN, TELLING

RULES: Final = 4
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
# Beyond Latin, Cyrillic and signs, where all of these writings are; a class of them is compiled for long.
_IN_A_WRITING: Final = re.compile("[^\x00-\u036f\u0400-\u058f\u1e00-\u303f]")
_ACCENTED: Final = re.compile(r"[^\x00-\x7f]")
_KANA: Final = 0.05
"""Share of the letters that are kana in any Japanese text."""


def _telling(language: str) -> set[str]:
    """Return the words that tell a language from those to which it is not akin."""
    strange = STOPWORDS.keys() - KIN.get(language, frozenset())
    small = {word for other in strange for word in STOPWORDS[other]}
    return {fold(word) for word in TELLING[language].split()} - small


_TOLD: Final = (*STOPWORDS, *TELLING)
_LANE: Final = 16
"""Bits in which the words of one language are counted: more than words of two letters are in a sample."""


def _lanes() -> dict[str, int]:
    """Return word -> a one in the lane of each language that it tells, so that one sum counts for all.

    Those of two letters at least: one letter alone is an initial.
    """
    found: dict[str, int] = {}
    for at, words in enumerate((*STOPWORDS.values(), *map(_telling, TELLING))):
        for word in words:
            if len(word) > 1:
                found[word] = found.get(word, 0) | 1 << _LANE * at
    return found


_OF_WORD: Final = _lanes()


def language_of(text: str) -> str | None:
    """Return the code of a text's language (``en``, ``es``, ``ja``, ...), None where it cannot be told.

    That is the language whose writing it is, else the one that most of its words are stop words of; a letter
    alone is an initial. Of 6,969 Spanish and English notes 13 were taken for another language.
    """
    sample = text[:SAMPLE]
    return _by_writing(sample) or _by_words(_votes(fold(sample)), sample)


_LETTERS: Final[Mapping[str, str]] = {
    "ca": "àçèéíïòóúü", "cs": "áčďéěíňóřšťúůýž", "da": "æøå", "de": "äöüß", "es": "áéíñóúü¿¡",
    "fi": "äö", "fr": "àâçèéêëîïôùûœ", "hu": "áéíóöőúüű", "it": "àèéìòù", "nl": "ëï", "no": "æøå",
    "pl": "ąćęłńóśźż", "pt": "ãõáâàçéêíóôú", "ro": "ăâîșț", "sv": "åäö", "tr": "çğıöşü",
}  # fmt: skip
"""Letters of a language that English does not use."""

_LETTER: Final = {language: re.compile(f"[{letters}]") for language, letters in _LETTERS.items()}
_ITS_ALONE: Final = {
    "cs": re.compile("[ďěřťů]"), "da": re.compile("[æø]"), "de": re.compile("ß"), "es": re.compile("[ñ¿¡]"),
    "fi": re.compile("ää|öö|äy|öy|yö|yä|äi|öi|[lst]ä$|mme$|vät$"), "hu": re.compile("[őű]"),
    "pl": re.compile("[ąęłśźż]"), "pt": re.compile("[ãõ]"), "ro": re.compile("[șț]"),
    "tr": re.compile("[ğış]"),
}  # fmt: skip
"""What no other of these languages writes: a word with it counts twice. Norwegian is told as Danish."""
_SURE: Final = 6
"""Stop words that tell a language whatever letters a text has. Where fewer do, as many words with a letter
that it has not, for English twice as many, tell that they are another's (Romanian "are" looks English)."""
_LEAST_ACCENTED: Final = 3
"""Words that tell a language, with those that have a letter of it."""
_RUSSIAN: Final = re.compile("[ыэё]")
_UKRAINIAN: Final = re.compile("[іїєґ]")
_NOT_UKRAINIAN: Final = re.compile("[ыэёўјљњћђџѓќѕ]")
_OTHER_CYRILLIC: Final = re.compile("[іїєґўјљњћђџѓќѕ]")


def languages_told(
    text: str, languages: Sequence[str], folded: str | None = None
) -> tuple[str | None, str | None]:
    """Return the language of a note, whatever its folder, and which of the folder's languages it is.

    The first is None where it cannot be told from the text alone, the second where several are as likely.
    A text whose own language is one of the folder's is written in that, so that the other languages of a
    folder change nothing for most of its notes. In a folder of known languages one stop word, or one letter
    with an accent, tells much of a text whose own language cannot be told.

    Args:
        text: The title and what the note says.
        languages: Of the folder, the commonest first.
        folded: The same text folded (``parse.characters.fold``), where that is at hand.
    """
    sample = text[:_SHORT]
    if written := _by_writing(sample):
        return written, written if written in languages else None
    found = _votes(folded if folded is not None and len(text) <= _SHORT else fold(sample))
    own = _by_words(found, sample)
    if own in languages:
        return own, own
    letters = [] if sample.isascii() else _ACCENTED.findall(sample.lower())
    votes = {
        language: 2 * found.get(language, 0) + sum(map(_LETTERS.get(language, "").__contains__, letters))
        for language in languages
    }
    return own, _first(votes, 1)


_ALIKE: Final = frozenset({"da", "no"})
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


def _votes(folded: str) -> dict[str, int]:
    """Count the stop words of each language in a folded text."""
    total = sum(filter(None, map(_OF_WORD.get, split_letters(folded))))
    lanes = total.to_bytes(len(_TOLD) * _LANE // 8, sys.byteorder)
    counts = memoryview(lanes).cast("H").tolist()
    return dict(zip(_TOLD, counts if sys.byteorder == "little" else reversed(counts), strict=True))


def _by_words(votes: Mapping[str, int], sample: str) -> str | None:
    """Tell a language by its stop words; where they do not, each word with a letter of it counts as well."""
    told = _first(votes, _LEAST)
    if sample.isascii() or (told and votes[told] >= _SURE):
        return told
    every = set(_WORD.findall(sample.lower()))
    words = [word for word in every if not word.isascii()]
    if told:
        strange = [word for word in words if not set(_ACCENTED.findall(word)) <= set(_LETTERS.get(told, ""))]
        if len(strange) < (votes[told] if told in _LETTERS else 2 * votes[told]):
            return told
    if any(map(_RUSSIAN.search, words)) and not any(map(_OTHER_CYRILLIC.search, words)):
        return "ru" if 2 * len(words) > len(every) else None
    if any(map(_UKRAINIAN.search, words)) and not any(map(_NOT_UKRAINIAN.search, words)):
        return "uk" if 2 * len(words) > len(every) else None
    said = {
        language: votes.get(language, 0) + sum(map(bool, map(of.search, words)))
        for language, of in _LETTER.items()
    }
    for language, only in _ITS_ALONE.items():
        said[language] += sum(map(bool, map(only.search, words)))
    used = [set(_ACCENTED.findall(word)) for word in words]
    all_of_it = {
        language: number for language, number in said.items() if set().union(*used) <= set(_LETTERS[language])
    }
    # Names may be foreign; of a text that is, most words are.
    most_of_it = {
        language: number
        for language, number in said.items()
        if 3 * sum(letters <= set(_LETTERS[language]) for letters in used) >= 2 * len(used)
    }
    return _first(all_of_it or most_of_it, _LEAST_ACCENTED)


def _first(votes: Mapping[str, int], least: int) -> str | None:
    """Return what has most votes, so many at least and more than anything else.

    Danish and Norwegian are often alike to the letter; what may be either is Danish, cut alike.
    """
    most = max(votes.values(), default=0)
    first = {language for language, number in votes.items() if number == most}
    return min(first) if most >= least and (len(first) == 1 or first == _ALIKE) else None


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
