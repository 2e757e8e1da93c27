"""Which endings do the algorithms of German, Dutch and the Nordic languages leave on?

Source: grammars of each language; the rules are ours.
"""

import re
from typing import Final

from notesd.parse.irregular import BASE_FORMS


def _long_vowel(word: str) -> str:
    """Return the form of a Dutch adjective with an ending: groot, grote; lief, lieve."""
    open_ = re.sub(r"([aeou])\1(?=[^aeiou]$)", r"\1", word)
    return {"s": open_[:-1] + "z", "f": open_[:-1] + "v"}.get(open_[-1], open_) + "e"


# German and Dutch participles that go by the rule: gekauft from kaufen, gemaakt from maken.
_GERMAN: Final = re.compile(r"ge([a-z]{3,})t")
_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        """gebet gebiet geburt gedicht gefecht gegenwart gehalt gelenkt gemut gericht gerucht gerust
        geschaft geschlecht geschwulst gesicht gespenst gestalt getrankemarkt gewalt gewicht gewinst
        gewohnheit gift gesamt geboot gedult
        beeld""",
    )
)


# Participles without ge-: bezahlt, verschickt, repariert; Bericht and Verlust are nouns.
_GERMAN_BEGUN: Final = re.compile(
    "((?:be|ver|er|ent|zer)[a-z]*(?:[gkbpmzh]|[lnh][dl]|hl|ll|hr|uf|ff|such|isch|ss)|[a-z]{2,}ier)t"
)


_GERMAN_S: Final = re.compile("(?<=[a-z][bdfgklmnprtvxz][aio])s$")  # Autos, Sofas, Taxis


def german(word: str) -> str:
    """Lead a folded German word nearer to its stem."""
    if word in _NOUNS:
        return word
    if word.startswith("ge") and (found := _GERMAN.fullmatch(word)):
        return found[1] + "en"
    if (found := SEPARABLE.fullmatch(word)) and (inner := _german_inner(found[2])):
        return found[1] + inner
    found = None if word.endswith(("cht", "aht")) else _GERMAN_BEGUN.fullmatch(word)
    return found[1] + "en" if found else _GERMAN_S.sub("", word)


def _german_inner(word: str) -> str | None:
    """Return the verb of a participle behind a prefix: auf-geräumt, um-gezogen; also ab-zu-holen."""
    if word.startswith("zu") and word.endswith("n"):
        return word[2:]
    plain = BASE_FORMS["de"].get(word)
    if plain is None and word not in _NOUNS and (found := _GERMAN.fullmatch(word)):
        plain = found[1] + "en"
    return plain if word.startswith("ge") else None


SEPARABLE: Final = re.compile(
    "(ab|an|auf|aus|bei|durch|ein|fest|fort|frei|heim|her|hin|los|mit|nach|nieder|statt|teil|um|vor|weg"
    "|weiter|zu|zuruck|zusammen|heraus|herunter|hinaus|vorbei|kennen|fern|hoch)((?:ge|zu)[a-z]{3,})"
)


_DUTCH: Final = re.compile(r"ge([a-z]{3,})[td]")
# Of fiets, fietsen the s belongs to the word; of wandelt, wandel the t does not.
_DUTCH_END: Final = re.compile("(?<=aat|iet|oet|uit)(?P<sen>s)$|(?<=[a-z]{3}el)t$")


DUTCH_APART: Final = re.compile(
    "(aan|af|bij|in|los|mee|na|om|op|over|rond|samen|schoon|tegen|terug|toe|uit|vast|voor|weg)(ge[a-z]{3,})"
)
# Adjectives of one syllable: grote, hoge, boze; not oude, rode things with other vowels.
_DUTCH_ADJECTIVES: Final = {
    found: base
    for base in [
        "groot",
        "hoog",
        "laag",
        "boos",
        "lief",
        "leeg",
        "rood",
        "dood",
        "droog",
        "duur",
        "goor",
        "grijs",
        "vies",
        "kaal",
        "heel",
        "geel",
        "gaaf",
        "doof",
        "braaf",
        "vroom",
        "wijs",
        "bleek",
        "breed",
        "klaar",
        "raar",
        "rijp",
        "schoon",
        "schuin",
        "steil",
        "traag",
        "vaag",
        "zuur",
        "zwaar",
    ]
    for found in (_long_vowel(base),)
}


def dutch(word: str) -> str:
    """Lead a folded Dutch word nearer to its stem."""
    if word in _DUTCH_ADJECTIVES:
        return _DUTCH_ADJECTIVES[word]
    if apart := DUTCH_APART.fullmatch(word):
        inner = BASE_FORMS["nl"].get(apart[2]) or dutch(apart[2])
        return apart[1] + inner if inner != apart[2] else word
    found = _DUTCH.fullmatch(word) if word.startswith("ge") else None
    if found and word not in _NOUNS:
        return found[1]
    if (begun := _DUTCH_BEGUN.fullmatch(word)) and word not in _NOUNS:
        return begun["stem"]
    return _DUTCH_END.sub(lambda end: end.lastgroup or "", word)


# Participles without ge-: betaald from betalen, verhuisd from verhuizen.
_DUTCH_BEGUN: Final = re.compile("(?P<stem>(?:be|ver|ont|her)[a-z]{2,}(?:[lrgmsw](?=d$)|[kpf](?=t$)))[dt]")
# vinter, vintrar: a vowel goes where an ending comes, and er by itself looks like one.
_NORDIC: Final = re.compile(
    "(?P<stem>[a-z]*[aeiouy][bdfgkmnpstv]{1,2})r(?:ar|arna|arnas|en|ens|et|ets|ene|e|es)"
)
_NORDIC_NOT: Final = frozenset(["andre", "andra", "aldre", "storre", "mindre", "hindre"])
_DANISH_PAST: Final = re.compile("([a-z]{2,}[bdfghjklmnprstv])ede")


def nordic(word: str) -> str:
    """Lead a folded Swedish or Norwegian word nearer to its stem."""
    found = None if word in _NORDIC_NOT else _NORDIC.fullmatch(word)
    return found["stem"] + "er" if found else word


def danish(word: str) -> str:
    """Lead a folded Danish word nearer to its stem."""
    found = _DANISH_PAST.fullmatch(word)
    return found[1] + "e" if found else nordic(word)
