"""Which words are forms of one word? Each language has its own answer.

A stem is what is left of a folded word without its endings: ``houses`` and ``house`` both give
``hous``. Snowball cuts the regular endings; forms that it cannot know (``mice``, ``gesungen``,
``chevaux``) are listed in ``parse.irregular``.

Source: the Snowball project's algorithms, as PyStemmer has them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import Stemmer

from notesd.parse.endings import LED_FURTHER, PARTICIPLES, RULES, after, prefix_of, prefixed
from notesd.parse.irregular import BASE_FORMS

ALGORITHMS: Final[Mapping[str, str]] = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish", "uk": "russian",
}  # fmt: skip
"""Code of a language -> its Snowball algorithm."""
_AGAIN: Final = frozenset({"hu"})
"""Languages whose algorithm takes the end of a folded word for an ending that its plural has behind it."""
_WITHOUT: Final = frozenset({"tr"})
"""Languages whose algorithm needs the accents that folded words have no more; the rules alone cut these."""

SHORTEST: Final = 3
"""Letters; shorter words have no endings worth cutting."""
VERSION: Final = Stemmer.version()
"""Of the algorithms: another one may give other stems."""

_WORD: Final = re.compile(r"[^\W\d_]{3,64}")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
FOREIGN_TO_OTHERS: Final = frozenset({"ru", "uk"})
"""Languages in whose writing a word is theirs, in a note of any language: they are written in Cyrillic."""
# A vowel that comes and goes before the last consonant: кошка, кошек; rachunek, rachunki; segel, seglen.
_CYRILLIC_CONSONANT: Final = "[бвгджзклмнпрстфхцчшщй]"
_RUSSIAN: Final = re.compile(
    f"(?<={_CYRILLIC_CONSONANT})[ео](?=[кцн]$)"  # noqa: RUF001 -- Russian is meant
    f"|(?<=[а-я]{_CYRILLIC_CONSONANT})[ео](?=[лр]$)"  # noqa: RUF001 -- as above
)
_FLEETING: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(("ru", "uk"), _RUSSIAN),
    "pl": re.compile("(?<=[bcdfghjklmnprstwz])e(?=[kcn]$)"),
    "cs": re.compile("(?<=[bcdfghjklmnprstvz])e(?=[kcn]$)"),
    **dict.fromkeys(("da", "no", "sv"), re.compile("(?<=[a-z][bdfghjkmnpstv])e(?=l$)|(?<=k)ke(?=l$)")),
}
_CACHED: Final = 50_000
"""Words of each language whose stems are remembered."""


class _Stems(dict[str, str]):
    """Words of one language and their stems; a word is cut once."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._cut = Stemmer.Stemmer(ALGORITHMS[language], 0).stemWord
        self._bases = BASE_FORMS.get(language, {})
        self._rule = RULES.get(language)
        self._fleeting = _FLEETING.get(language)

    def __missing__(self, word: str) -> str:
        stem = self._bases.get(word) or prefixed(word, self._language) or word
        if _WORD.fullmatch(stem):
            stem = self._rule(stem) if self._rule else stem
            if self._language not in _WITHOUT:
                cut = self._again if self._language in _AGAIN else self._cut
                stem = after(cut(stem), self._language)
            stem = self._fleeting.sub("", stem) if self._fleeting else stem
        if len(self) >= _CACHED:
            self.clear()
        self[word] = stem
        return stem

    def _again(self, word: str) -> str:
        """Cut a stem as if it were a word, as long as enough is left: gyerekek, gyerek, gyer."""
        while len(shorter := self._cut(word)) >= SHORTEST and shorter != word:
            word = shorter
        return word


@lru_cache
def _known(language: str) -> _Stems:
    return _Stems(language)


def stems(words: Sequence[str], language: str) -> list[str]:
    """Return the stem of each word, in their order.

    Args:
        words: Folded (``parse.characters.fold``). What is no word of letters comes back as it is.
        language: A key of ``ALGORITHMS``.
    """
    return list(map(_known(language).__getitem__, words))


class _Mixed(dict[str, str]):
    """Words and their stems where words in another writing are of another language."""

    def __init__(self, language: str, foreign: str) -> None:
        super().__init__()
        self._own, self._foreign = _known(language), _known(foreign)

    def __missing__(self, word: str) -> str:
        stem = (self._foreign if _CYRILLIC.search(word) else self._own)[word]
        if len(self) >= _CACHED:
            self.clear()
        self[word] = stem
        return stem


_mixed = lru_cache(_Mixed)


def stems_by_writing(language: str, languages: Iterable[str]) -> Mapping[str, str]:
    """Return what has the stem of each word of a note, so far as it is asked for by ``[]``.

    Args:
        language: Of the note.
        languages: Of the space: a word in another writing than the note's belongs to the first of these
            that is written so.
    """
    written = FOREIGN_TO_OTHERS.intersection(languages)
    mixed = written and language not in FOREIGN_TO_OTHERS
    return _mixed(language, min(written)) if mixed else _known(language)


def all_stems(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """Return the different stems of a folded word in some languages; the word itself where there are none."""
    return tuple(dict.fromkeys(stems([word], language)[0] for language in languages)) or (word,)


def beginnings(stem: str, language: str | None) -> tuple[str, ...]:
    """Return what the folded words with this stem begin with.

    Algorithms write a new last letter (happy: happi, hoping: hope), never a new beginning; the forms that
    are listed may begin otherwise, and so may what stands behind the prefix of a verb.
    """
    regular = stem[:-1] if len(stem) >= SHORTEST else stem
    if language is None:
        return (regular,)
    if language in LED_FURTHER and len(stem) > SHORTEST:
        regular = stem[:-2]
    ways = [regular, *_listed(language).get(stem, ())]
    if prefix := prefix_of(stem, language):
        ways.append(prefix)
    return (*ways, "ge" + regular) if language in PARTICIPLES else tuple(ways)


@lru_cache
def _listed(language: str) -> dict[str, tuple[str, ...]]:
    """Return stem -> listed forms."""
    found: dict[str, tuple[str, ...]] = {}
    forms = list(BASE_FORMS.get(language, {}))
    for form, stem in zip(forms, stems(forms, language), strict=True):
        found[stem] = (*found.get(stem, ()), form)
    return found
