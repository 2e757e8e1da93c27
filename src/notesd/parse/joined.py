"""Which other ways of writing its names and numbers does a text have?

``Wi-Fi`` is ``wifi``, ``020 7946 0018`` is ``02079460018``, ``v2.10.3`` is ``2.10.3``, ``3.75kg`` is
``3.75 kg``, ``TCP/IP`` is ``tcpip``, and ``getUserById`` says get, user, by, id. The index keeps these beside
the words as they are written, and a word that is typed means these, too.
"""

import re
from collections.abc import Iterator
from typing import Final

LONGEST: Final = 34
"""Characters of a joined word: an IBAN has that many at most."""
SHORTEST_NUMBER: Final = 5
"""Digits of a number that is written in groups; shorter ones are mostly a list, but for thousands."""
THOUSANDS: Final = re.compile(r"[1-9][ \u00a0\u202f.,'\u2019]\d{3}")
"""How a number of four digits is written in groups."""

DIALLED: Final = ("tel:", "sms:")
"""Beginnings of addresses that are telephone numbers."""

COMPOUND: Final = re.compile(r"[^\W_]{1,20}(?:[-.\u2010\u2011][^\W_]{1,20}){1,3}")
"""A word that is written in parts."""

# Each pattern that is looked for in every text begins with a set of characters: from one to the next of them
# the search is as fast as it can be. What has to stand before them is looked at behind them.
_COMPOUND: Final = re.compile(rf"(?<![\w.@/-]){COMPOUND.pattern}(?![\w@/-])")
_JOINT: Final = re.compile(r"[-.\u2010\u2011](?<=[^\W_].)[^\W_]")
_LONGEST_PART: Final = 20
_BLANK: Final = r"[ \u00a0\u202f]"
# Never empty, and digits are not given back: else a long run of digits is cut in millions of ways.
_GAP: Final = rf"(?:{_BLANK}?[-./()\u2011,'\u2019]{_BLANK}?|{_BLANK})"
_FIRST: Final = r"(?:(?<=\d)\d{0,11}+|(?<=\+)\(?\d{1,12}+|(?<=\()\d{1,12}+)"
_NUMBER: Final = re.compile(rf"[+(\d](?<![\w.,].){_FIRST}(?:{_GAP}\d{{1,12}}+){{1,9}}(?!\w)")
_ACCOUNT: Final = re.compile(
    r"[A-Z](?<!\w.)[A-Z]\d\d(?:[ \u00a0][A-Z0-9]{4}){2,7}(?:[ \u00a0][A-Z0-9]{1,4})?(?!\w)"
)
_VERSION: Final = re.compile(r"[vV](?<!\w.)(?P<number>\d+(?:\.\d+)+[\w.-]{0,20})")
_HUMP: Final = re.compile(r"[A-Z](?:(?<=[a-z0-9].)|(?<=[A-Z]{2})[a-z])")
_CAMEL: Final = re.compile(
    r"(?<![^\W_])[A-Za-z0-9]*[a-z]\d*[A-Z][A-Za-z0-9]*|(?<![^\W_])[A-Z]{2,}[a-z][A-Za-z0-9]*"
)
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NUMBERED_PART: Final = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_INITIALS: Final = re.compile(r"(?<![\w@/&.-])[A-Z][A-Z0-9]{0,4}(?:[/&][A-Z][A-Z0-9]{0,4}){1,2}(?![\w@/&-])")
_BETWEEN_INITIALS: Final = re.compile(r"[/&](?<=[A-Z0-9].)[A-Z]")
_COUNTRY: Final = re.compile(r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}")
_INTERNATIONAL: Final = re.compile(r"\+(?<!\w.)\d{8,15}(?!\w)")
_UNIT: Final = (
    "(?i:kg|g|mg|lbs?|oz|km|m|cm|mm|mi|ft|in|ml|cl|dl|l|[kmg]?hz|k?w|kwh|m?v|m?a|mah|[kmgt]b|h|hrs?|min|m?s|px"
    "|pt|r?em|eur|usd|gbp|chf)"
)
_TIMES: Final = r"x\d{1,9}(?:[.,]\d{1,9})?"
_MEASURE: Final = re.compile(
    rf"\d(?<![\w.,/-].)\d{{0,8}}+(?:[.,]\d{{1,9}}+)?(?:(?:{_TIMES}){{1,3}}{_UNIT}?|{_UNIT})(?![^\W_])"
)
_OF_MEASURE: Final = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+")
# Letters that stand a little lower or higher: H~2~O, mc^2^.
_SCRIPT: Final = re.compile(r"(?P<sign>[~^])(?<=[^\W_~^].)[^\W_]{1,10}(?P=sign)(?!(?P=sign))")
_BEHIND_SCRIPT: Final = re.compile(r"(?:[^\W_]{1,20}|([~^])[^\W_]{1,10}\1(?!\1)){0,10}")
_NO_DIGIT: Final = re.compile(r"\D+")
_NO_WORD: Final = re.compile(r"[\W_]+")


def joined_forms(text: str) -> list[str]:
    """Return the further ways of writing what stands in a text, each once, in order of kind and text."""
    return list(
        dict.fromkeys(form for way in (_compounds, _numbers, _measures, _codes) for form in way(text))
    )


def _compounds(text: str) -> Iterator[str]:
    end = 0
    for joint in _JOINT.finditer(text):
        if joint.start() < end:
            continue
        found = _COMPOUND.match(text, _word_start(text, joint.start(), _LONGEST_PART + 1))
        if found:
            end = found.end()
            whole = _NO_WORD.sub("", found[0])
            if not whole.isdecimal() and len(whole) <= LONGEST:
                yield whole


def _word_start(text: str, at: int, most: int) -> int:
    """Return where the letters and digits before a place begin, at most so many characters before it."""
    first = max(0, at - most)
    while at > first and text[at - 1].isalnum():
        at -= 1
    return at


def _numbers(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        digits = _NO_DIGIT.sub("", found[0])
        if THOUSANDS.fullmatch(found[0]):
            yield digits
        elif SHORTEST_NUMBER <= len(digits) <= LONGEST and digits != found[0].strip("+("):
            yield digits
            yield from _national(found[0], digits)
    for found in _INTERNATIONAL.finditer(text) if "+" in text else ():
        yield from _national(found[0], found[0][1:])
    for found in _ACCOUNT.finditer(text):
        yield _NO_WORD.sub("", found[0])


def _national(number: str, digits: str) -> Iterator[str]:
    """Yield a telephone number with its country as it is dialled within it, and as without a sign.

    Some countries put a 0 before it, others do not. Source: ITU-T E.164, list of assigned country codes.
    """
    if number.startswith("00"):
        digits = digits.removeprefix("00")
        yield digits
    elif not number.startswith("+"):
        return
    code = _COUNTRY.match(digits)
    if code:
        rest = digits[code.end() :].removeprefix("0") if "(0)" in number else digits[code.end() :]
        yield from (f"0{rest}", rest)


def _measures(text: str) -> Iterator[str]:
    for found in _MEASURE.finditer(text):
        yield " ".join(_OF_MEASURE.findall(found[0]))
    end = 0
    for found in _SCRIPT.finditer(text):
        if found.start() >= end:
            behind = _BEHIND_SCRIPT.match(text, found.end())
            end = behind.end() if behind else found.end()
            start = _word_start(text, found.start(), _LONGEST_PART)
            yield _NO_WORD.sub("", text[start:end])[:LONGEST]


def _codes(text: str) -> Iterator[str]:
    for found in _VERSION.finditer(text):
        yield found["number"]
    end = 0
    for hump in _HUMP.finditer(text):
        at = hump.start()
        if at >= end:
            word = _CAMEL.match(text, _word_start(text, at, at))
            behind = _NO_WORD.search(text, at)
            end = behind.start() if behind else len(text)
            parts = _PART.findall(word[0]) if word else ()
            if word and len(parts) > 1:
                yield " ".join(parts)
                yield " ".join(_NUMBERED_PART.findall(word[0]))
    for sign in _BETWEEN_INITIALS.finditer(text):
        if initials := _INITIALS.match(text, _word_start(text, sign.start(), _LONGEST_PART)):
            yield _NO_WORD.sub("", initials[0])
