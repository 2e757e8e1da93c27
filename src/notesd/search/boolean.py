"""What do AND, OR and NOT in capitals, and brackets, demand of a note?

    tapir AND dugong    tapir NOT capybara    (tapir OR dugong) AND NOT "never feed"

NOT binds most, then AND, then OR; words that merely follow each other rank as always. In small letters they
are words, and so is an AND with nothing before it, and any of them among words in capitals (DO NOT DISTURB).
What is no whole expression is text.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from notesd.parse.terms import phrase
from notesd.search.pieces import BUILT_IN, NO_KEYS, Keys, key_pattern

MOST_PARTS: Final = 200
"""Words, operators and brackets of a text that is read so; a longer one is text, and that is said."""

_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
_WORD: Final = re.compile(r"\S+")
_CAPITALS: Final = re.compile(r"[^\W\d_]{2,}[.,;!?]*")
_SIGNS: Final = re.compile(r'[()":#“”„‟]|(?<!\S)-')


class Demand(Struct, frozen=True):
    """What a note has to fulfil: of ``parts`` all, any, or not the only one."""

    way: str
    """``and``, ``or``, ``not``; ``one`` for a single word, phrase or filter."""
    parts: "tuple[Demand, ...]" = ()
    text: str = ""
    """Of a single one as it is written; with a blank after it, unless it is still being typed."""
    filters: bool = False
    """It is a filter, or has a minus: what the ordinary language of queries demands anyway."""


class Boolean(Struct, frozen=True):
    """A text with operators, understood."""

    text: str
    """What of it ranks, and filters, in the ordinary language of queries."""
    demands: tuple[Demand, ...]
    excluded: tuple[str, ...]
    """Words and phrases, without quotes, that stand behind a NOT by themselves."""


class _NoExpression(Exception):
    """The text is no whole expression."""


class _Language(NamedTuple):
    """How the parts of an expression are written, where some words are keys of properties."""

    part: re.Pattern[str]
    filter: re.Pattern[str]

    def asks(self, part: str) -> bool:
        return self.filter.match(part) is not None


def _language(keys: Keys) -> _Language:
    key, word = key_pattern(keys), r"""[^\s()"]+(?:\([^\s()]*\)[^\s()"]*)*"""
    part = rf"""(?<![^\s(-])(?P<open>\()|(?P<close>\))|(?P<minus>-(?=\())
        |(?P<atom>-?(?:{key}):(?:"[^"]*"|\[\[[^\[\]"\n]*\]\]|{word})|-?"[^"]*"|{word})"""
    named = "|".join([*map(re.escape, keys), "(?i:" + "|".join(BUILT_IN) + ")"])
    return _Language(re.compile(part, re.VERBOSE), re.compile(rf"-\S|(?:{named}):\S|\#\w"))


def capitals_as_text(text: str) -> str:
    """Return a text whose operators are in small letters where they are words; each sign keeps its place.

    In a text in capitals all of them are, unless it has brackets, quotes or filters; elsewhere those between
    two words in capitals.
    """
    words = [*_WORD.finditer(text)]
    others = [word[0] for word in words if word[0] not in _OPERATORS]
    shouted = "".join(others).isupper() and not _SIGNS.search(" ".join(others))
    before = ""
    for at, word in enumerate(words):
        if word[0] not in _OPERATORS:
            before = word[0]
        elif shouted or all(map(_is_in_capitals, (before, _behind(words[at:])))):
            text = text[: word.start()] + word[0].lower() + text[word.end() :]
    return text


def _behind(words: Sequence[re.Match[str]]) -> str:
    return next((word[0] for word in words if word[0] not in _OPERATORS), "")


def _is_in_capitals(word: str) -> bool:
    return word.isupper() and _CAPITALS.fullmatch(word) is not None


def understood(text: str, keys: Keys = NO_KEYS) -> Boolean | None:
    """Read the operators of a text; None where it has none, or where they make up no whole expression.

    Args:
        text: With straight quotes.
        keys: The keys of properties in it.
    """
    language = _language(keys)
    parts = _parts_that_ask(text, language)
    if not parts or len(parts) > MOST_PARTS:
        return None
    try:
        return _Reader(parts, language, open_end=text[-1:] not in {" ", ")", '"'}).read()
    except (_NoExpression, RecursionError):
        return None


def is_too_long(text: str, keys: Keys = NO_KEYS) -> bool:
    """Say whether a text, with straight quotes, is an expression of too many parts."""
    return len(_parts_that_ask(text, _language(keys))) > MOST_PARTS


def _parts_that_ask(text: str, language: _Language) -> list[str]:
    """Cut a text with operators into its parts; none where it is text."""
    if not _OPERATORS.intersection(text.replace("(", " ").replace(")", " ").split()):
        return []
    parts = _parts(text, language)
    return parts if parts and _asks(parts, language) else []


def _parts(text: str, language: _Language) -> list[str] | None:
    """Cut a text into words, phrases, operators and brackets; an operator at the end is still being typed."""
    parts: list[str] = []
    at = 0
    for found in language.part.finditer(text):
        if text[at : found.start()].strip():
            return None
        parts.append("NOT" if found["minus"] else found[0])
        at = found.end()
    if text[at:].strip():
        return None
    while parts and parts[-1] in _OPERATORS:
        parts.pop()
    return parts


def _asks(parts: list[str], language: _Language) -> bool:
    """Say whether more is asked than words with OR between them, which every query may have."""
    if parts[:1] == ["AND"] or parts[:1] == ["OR"]:
        return False
    inside = depth = 0
    for before, part in pairwise(["", *parts, ""]):
        depth += (part == "(") - (part == ")")
        inside += depth > 0 and part in _OPERATORS
        inside += "OR" in {before, part} and language.asks(before + part)
    return bool(inside) or "AND" in parts or "NOT" in parts


class _Reader:
    """Reads an expression, the loosest operator first."""

    def __init__(self, parts: list[str], language: _Language, *, open_end: bool) -> None:
        self._parts = parts
        self._language = language
        self._open_end = open_end
        self._at = 0

    def _next(self) -> str | None:
        return self._parts[self._at] if self._at < len(self._parts) else None

    def read(self) -> Boolean:
        text: list[str] = []
        demands: list[Demand] = []
        excluded: list[str] = []
        while self._next() is not None:
            whole = self._any()
            for part in whole.parts if whole.way == "and" else (whole,):
                inner = part.parts[0] if part.way == "not" else None
                if inner and inner.way == "one":
                    if not inner.filters:
                        excluded.append(inner.text.replace('"', " ").strip())
                    else:
                        bare = inner.text.strip()
                        text.append(bare[1:] if bare.startswith("-") else f"-{bare}")
                elif part.way == "one" or _is_plain(part):
                    text.append(" OR ".join(one.text.strip() for one in part.parts or (part,)))
                    if whole.way == "and" and (part.parts or _is_word(part)):
                        demands.append(part)
                else:
                    text += _words(part)
                    demands.append(part)
        end = "" if self._open_end else " "
        return Boolean(" ".join(text) + end, tuple(demands), tuple(excluded))

    def _any(self) -> Demand:
        ways = [self._all()]
        while self._next() == "OR":
            self._at += 1
            ways.append(self._all())
        return ways[0] if len(ways) == 1 else Demand("or", tuple(ways))

    def _all(self) -> Demand:
        parts = [self._one()]
        while self._next() == "AND":
            self._at += 1
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else Demand("and", tuple(parts))

    def _one(self) -> Demand:
        part = self._next()
        if part is None or part in {")", "AND", "OR"}:
            raise _NoExpression
        self._at += 1
        if part == "NOT":
            denied = self._one()
            return denied.parts[0] if denied.way == "not" else Demand("not", (denied,))
        if part != "(":
            typed = self._open_end and self._next() is None
            return Demand("one", text=part if typed else f"{part} ", filters=self._language.asks(part))
        beside = [self._any()]
        while self._next() not in {")", None}:
            beside.append(self._any())
        if self._next() is None:
            raise _NoExpression
        self._at += 1
        return _side_by_side(beside)


def _side_by_side(parts: list[Demand]) -> Demand:
    """What merely follows each other within brackets: any of the words will do, each filter has to pass."""
    firm = [part for part in parts if part.way == "not" or part.filters]
    loose = [part for part in parts if part not in firm]
    if loose:
        firm.append(loose[0] if len(loose) == 1 else Demand("or", tuple(loose)))
    return firm[0] if len(firm) == 1 else Demand("and", tuple(firm))


def _is_word(demand: Demand) -> bool:
    """Say whether this is a word: filters and phrases have to be fulfilled anyway, signs demand nothing."""
    return not demand.filters and demand.text[:1] != '"' and phrase(demand.text) is not None


def _is_plain(demand: Demand) -> bool:
    """Say whether these are words and phrases of which any will do, as every query may have them."""
    return demand.way == "or" and all(one.way == "one" and not one.filters for one in demand.parts)


def _words(demand: Demand) -> Iterator[str]:
    """Yield the words that a note may be found by."""
    if demand.way == "one" and not demand.filters:
        yield demand.text.replace('"', " ").strip()
    for part in demand.parts if demand.way != "not" else ():
        yield from _words(part)
