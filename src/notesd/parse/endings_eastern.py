# ruff: noqa: RUF001, RUF002, RUF003 -- words in other writings are meant
"""Which endings do the algorithms of Slavic languages, Finnish and Turkish leave on?

Source: grammars of each language; the rules are ours.
"""

import re
from typing import Final

# Endings that Polish algorithms know with their accents only: kotów, czytać.
_POLISH: Final = re.compile("(?<=[a-z]{3})(?:ow|[aiy]c)$|(?<=^ps)ow$")
_POLISH_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        budow chorzow czestochow glogow kijow krakow lwow namow odmow osnow piotrkow podkow
        przebudow przemow rozmow rzeszow tarnow umow wymow zabudow zamow zdrow lodow kobierzyc
        miesiac palac pajac tysiac zajac granic ulic piwnic tablic stolic rocznic
        dzielnic obietnic okolic rodzic spodnic swietlic szklanic szubienic tajemnic miednic doniczk
        lisic pracownic uczennic
        """,
    )
)


_POLISH_PAST: Final = re.compile(
    "([a-z]{2,}[aiey])l(?:am|as|em|es|ismy|ysmy|iscie|yscie)|([a-z]{2,}[aiey])(?:la|lo|ly|li)|([a-z]{2,}(?:ow|yw)a)l|([a-z]{3,}i)l"
)
_POLISH_NO_PAST: Final = frozenset(
    [
        "skala",
        "skali",
        "sala",
        "chwila",
        "chwili",
        "mila",
        "mili",
        "tyla",
        "alala",
        "profil",
        "krokodyl",
        "szyla",
        "zyla",
        "sily",
        "fala",
        "fali",
        "mogila",
        "mogili",
        "material",
    ]
)


def polish(word: str) -> str:
    """Lead a folded Polish word nearer to its stem."""
    if word not in _POLISH_NO_PAST and (past := _POLISH_PAST.fullmatch(word)):
        word = past[past.lastindex or 0] + "c"
    return word if word in _POLISH_NOUNS else _POLISH.sub("", word)


_CZECH: Final = re.compile(
    "(?<=[a-z]{3})(?<!^str)(?<!^posl)(?<!sm)(?<!^[nod]{2}d)(?<!^vyd)(?:[aeio]ch|iach)$"
)


_CZECH_PAST: Final = re.compile("([a-z]{3,}[ai])l[aio]|([a-z]{3,}i)l")
_CZECH_NO_PAST: Final = frozenset(
    ["profil", "automobil", "april", "fosil", "textil", "krokodil", "mobil", "imobil", "signala"]
)


def czech(word: str) -> str:
    """Lead a folded Czech word nearer to its stem."""
    if word not in _CZECH_NO_PAST and (past := _CZECH_PAST.fullmatch(word)):
        return past[past.lastindex or 0] + "t"
    return _CZECH.sub("", word)


# Verbs in -овать: рисует, рисовать; танцует, танцевать.
_RUSSIAN: Final = re.compile("([а-я]{2,})у(?:ю|ешь|ет|ем|ете|ют|й|йте)")


def russian(word: str) -> str:
    """Lead a folded Russian word nearer to its stem."""
    found = _RUSSIAN.fullmatch(word)
    if not found or word in _RUSSIAN_NOT:
        return word
    return found[1] + ("евать" if found[1][-1] in "цжшщч" else "овать")


_RUSSIAN_NOT: Final = frozenset(["попробуй", "поцелуй"])
# Endings open and close syllables, and a consonant before them is strong or weak: lintu, linnut; katu, kadut.
_FINNISH: Final = re.compile(
    "([a-z]*?[aeiouy])(?:(?P<nn>n[tn])|(?P<ng>n[kg])|(?P<mm>m[pm])|(?P<ll>l[tl])|(?P<rr>r[tr])|(?P<k>kk)"
    "|(?P<p>pp)|(?P<t>tt|d))([aeiouy]{1,2}(?:[tna]|tt?a|[sl][ls]a|[sl]ta|lle|ksi|na|ja|jen|in|i[dt]?en|itt?a"
    "|i[sl][ls]a|i[sl]ta|ille|iksi|ina|mme|nne|nsa|ni|si)?)"
)


def finnish(word: str) -> str:
    """Lead a folded Finnish word nearer to its stem."""
    found = None if word.endswith("ttaja") else _FINNISH.fullmatch(word)
    if not found:
        return word
    weak = next(name for name, letters in found.groupdict().items() if letters)
    return f"{found[1]}{weak}{found[found.re.groups]}"


# The algorithm knows most endings of Turkish by vowels that are folded here: gözler, kapağı, yıkadık.
_TURKISH: Final = re.compile(
    "(?:l[ae]r(?:i|in|ini|imiz|iniz|dan|den|da|de|a|e|la|le)?|(?:n[iu]n|[dt][ae]n?|yl[ae]|l[ae])(?:ki)?|[iu]m[iu]z"
    "|[iu]n[iu]z|s[iu](?:n[iu]|n[ae])?|[iu][mn]|y?[iuae]|m[ae]k|[dt][iu](?:[mnk]|n[iu]z|l[ae]r)?"
    "|[iu]yor(?:um|sun|uz|l[ae]r)?|m[iu]s|[ae]c[ae]k|l[iu]k)"
)
_TURKISH_HARD: Final = {"b": "p", "d": "t", "g": "k"}
_TURKISH_MOST: Final = 4
"""Endings one behind the other that are taken off."""
_TURKISH_FLEETING: Final = re.compile("(?<=[aeiou][bcdfghjklmnprstvyz])[iu](?=[lmnrz]$)")


def turkish(word: str) -> str:
    """Lead a folded Turkish word nearer to its stem."""
    for _ in range(_TURKISH_MOST):
        ways = [at for at in range(2, len(word)) if _TURKISH.fullmatch(word, at) and _may_end(word, at)]
        if not ways:
            break
        word = word[: ways[0]]
    word = word[:-1] + _TURKISH_HARD.get(word[-1], word[-1])
    return _TURKISH_FLEETING.sub("", word)


def _may_end(word: str, at: int) -> bool:
    """Say whether so much is left of a Turkish word that the rest is an ending: ev-ler, kap-ı; no o-da."""
    left = word[:at]
    return bool(_VOWEL.search(left)) and (at > 2 or (len(word) - at > 1 and left[-1] not in "aeiou"))  # noqa: PLR2004 -- two letters may be a word


_VOWEL: Final = re.compile("[aeiou]")
# Ukrainian as the algorithm of Russian reads it: котів, картоплею, огірки.
_UKRAINIAN: Final = str.maketrans({"і": "и", "ї": "и", "є": "е", "ґ": "г", "'": "", "’": "", "ʼ": ""})


def ukrainian(word: str) -> str:
    """Lead a folded Ukrainian word nearer to its stem."""
    word = word.translate(_UKRAINIAN)
    return _UKRAINIAN_OW.sub("ов", word)


_UKRAINIAN_OW: Final = re.compile("(?<=[а-я]{2})(?:ив|ови|еви)$")
