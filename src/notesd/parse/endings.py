"""Which endings of a language do its algorithms leave on, or take for something else?

Some know an ending with its accents only, and words come here folded; some look for it only in a later part
of a word (usar, usado). What is cut here is no stem yet: the algorithm comes next.

Source: grammars of each language; the rules are ours.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from notesd.parse.endings_eastern import czech, finnish, polish, russian, turkish, ukrainian
from notesd.parse.endings_germanic import DUTCH_APART, SEPARABLE, danish, dutch, german, nordic
from notesd.parse.endings_romance import catalan, french, italian, portuguese, romanian, spanish
from notesd.parse.irregular import BASE_FORMS

RULES: Final[Mapping[str, Callable[[str], str]]] = {
    "ca": catalan, "cs": czech, "da": danish, "de": german, "es": spanish, "fi": finnish, "fr": french,
    "it": italian, "nl": dutch, "no": nordic, "pl": polish, "pt": portuguese, "ro": romanian, "ru": russian,
    "sv": nordic, "tr": turkish, "uk": ukrainian,
}  # fmt: skip
"""Language -> what leads a folded form back by a rule; other words come back as they are."""
LED_FURTHER: Final = frozenset({"es", "fi", "it", "nl", "pt", "ro", "ru", "sv", "tr", "uk"})
"""Languages of which a form may differ from its stem in the last two letters: usou, usar; kadut, katu."""
PARTICIPLES: Final = frozenset({"de", "nl"})
"""Languages whose participles begin with ge-."""

_PREFIXES: Final[Mapping[str, re.Pattern[str]]] = {
    language: re.compile(
        f"({'|'.join(sorted(prefixes.split('|'), key=len, reverse=True))})([a-z]{{{least},}})"
    )
    for language, (prefixes, least) in {
        "de": ("be|emp|ent|er|hinter|miss|uber|um|unter|ver|wider|wieder|zer", 4),
        "en": ("fore|inter|mis|out|over|re|un|under|up|with", 3),
        "es": ("ante|com|con|contra|de|des|dis|entre|ex|im|man|o|ob|pos|pre|pro|re|sobre|sos|su", 4),
        "fr": ("ab|ad|com|con|de|des|dis|entre|inter|main|ob|par|per|pour|pre|pro|re|sou|sous|sur|trans", 4),
        "it": (
            "ac|am|ap|at|com|con|contra|de|dis|es|im|in|inter|man|o|op|pre|pro|ri|s|so|sor|sos|sotto|sup|tra",
            4,
        ),
        "nl": ("be|door|her|onder|ont|over|ver|voor", 4),
        "pt": ("ante|com|con|contra|de|des|dis|entre|ex|im|inter|man|ob|pre|pro|re|sobre|su|sus", 4),
        **dict.fromkeys(
            ("da", "no", "sv"),
            (
                "af|an|av|be|bort|for|fram|fra|i|in|ind|inn|med|ned|om|op|opp|over|pa|til|ud|under|upp|ut|ute",
                4,
            ),
        ),
    }.items()
}
_UNLIKE: Final = frozenset(
    ["resent", "relent", "berg", "bergen", "impuesto", "impuestos", "repuesto", "repuestos"]
)
"""Words that only look like listed forms behind a prefix."""


# What the algorithms of a language leave different at the end of a stem.
_AFTER: Final[Mapping[str, tuple[tuple[re.Pattern[str], str], ...]]] = {
    "el": ((re.compile("(?<=[\u03b1-\u03c9]{3})\u03b9$"), ""),),
    "fi": ((re.compile("(?<=[a-z]{3})[aeiouy]+$"), ""),),
    "ro": (
        (re.compile("(?<=[a-z]{3})[aeiu]$"), ""),
        (re.compile("(?<=[a-z])[oe](?=a[a-z]{1,2}$)a?"), "o"),
        (re.compile("^([bcdfglmnprstvz]{1,2})e(?=[dlnrst]{1,2}$)"), r"\1a"),
        (re.compile("z$"), "d"),
    ),
}


def after(stem: str, language: str) -> str:
    """Return a stem without what its algorithm leaves different between forms of one word."""
    for pattern, instead in _AFTER.get(language, ()):
        stem = pattern.sub(instead, stem)
    return stem


_BEFORE: Final = {
    language: re.compile(pattern.pattern.partition(")")[0] + ")") for language, pattern in _PREFIXES.items()
}
_APART: Final = {
    language: re.compile(pattern.pattern.partition(")")[0] + ")")
    for language, pattern in (("de", SEPARABLE), ("nl", DUTCH_APART))
}


def prefixed(word: str, language: str) -> str | None:
    """Return the verb of a listed form behind a prefix: beschrieben, mantuvo, rewrote; None: it is none.

    Of German forms the participles alone count, without their ge-: Bestand and Abzug are nouns.
    """
    pattern = _PREFIXES.get(language)
    found = pattern.fullmatch(word) if pattern and word not in _UNLIKE else None
    if not found:
        return None
    plain = BASE_FORMS[language].get(f"ge{found[2]}" if language == "de" else found[2])
    return found[1] + plain if plain else None


def prefix_of(stem: str, language: str) -> str:
    """Return the prefix of verbs that a stem begins with, behind which its forms may go on otherwise."""
    found = [pattern.match(stem) for pattern in (_BEFORE.get(language), _APART.get(language)) if pattern]
    return min((one[1] for one in found if one), key=len, default="")
