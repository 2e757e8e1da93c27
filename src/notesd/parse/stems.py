"""What does Porter's stemmer, as FTS5 has it, make of a word?

FTS5 stems what a query holds like what a note holds, also a beginning that is still being typed: it looks
for ``citi`` when somebody has typed "city", and finds citizens but no cityscape. Only who knows the stem
can ask for something better.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980); names of steps are his.
"""

import re
from collections.abc import Mapping
from typing import Final

_SHORTEST: Final = 3
"""Letters; FTS5 leaves shorter words alone."""
_LONGEST: Final = 64
"""Bytes; longer words, too."""

_WORD: Final = re.compile(r"[a-z]+")
_MEASURE: Final = re.compile(r"v+c+")
_DOUBLE: Final = re.compile(r"([^aeiouylsz])\1\Z")

_STEP_2: Final = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "logi": "log",
    "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize",
    "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous",
    "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3: Final = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4: Final = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of a folded word; words with anything but ASCII letters come back as they are."""
    if not _SHORTEST <= len(word) <= _LONGEST or not _WORD.fullmatch(word):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
    return _last_e(_cut(word))


def _shape(word: str) -> str:
    """Write ``v`` for each vowel and ``c`` for each consonant; a y behind a consonant is a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _measure(word: str) -> int:
    """Return Porter's m: how often consonants follow vowels."""
    return len(_MEASURE.findall(_shape(word)))


def _is_short(word: str) -> bool:
    """Say whether a word ends in consonant, vowel, consonant, the last none of w, x, y (Porter's ``*o``)."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            root = word.removesuffix(ending)
            return _mended(root) if _has_vowel(root) else word
    return word


def _mended(root: str) -> str:
    """Return what step 1b leaves of a word whose ending is cut off."""
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if _DOUBLE.search(root):
        return root[:-1]
    return root + "e" if _measure(root) == 1 and _is_short(root) else root


def _replaced(word: str, endings: Mapping[str, str]) -> str:
    """Steps 2 and 3: exchange the longest of some endings behind m > 0."""
    found = max((ending for ending in endings if word.endswith(ending)), key=len, default="")
    root = word.removesuffix(found)
    return root + endings[found] if found and _measure(root) > 0 else word


def _cut(word: str) -> str:
    """Step 4: take the longest of some endings off behind m > 1."""
    found = max((ending for ending in _STEP_4 if word.endswith(ending)), key=len, default="")
    root = word.removesuffix(found)
    if not found or _measure(root) <= 1 or (found == "ion" and root[-1] not in "st"):
        return word
    return root


def _last_e(word: str) -> str:
    """Step 5: a last e, and one of two last l."""
    if word.endswith("e"):
        root = word[:-1]
        measure = _measure(root)
        if measure > 1 or (measure == 1 and not _is_short(root)):
            word = root
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
