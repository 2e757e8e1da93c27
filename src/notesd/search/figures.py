"""Which pieces of a query make up one date, or one number, and how else may a number or name be written?"""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from msgspec.structs import replace

from notesd.parse.joined import DIALLED, LONGEST, SHORTEST_NUMBER, THOUSANDS, joined_forms
from notesd.parse.terms import Term, phrase
from notesd.parse.written_days import WrittenDay, short_days, written_days

_STOPS: Final = ".,;:!?)"


def whole_dates(text: str, pieces: Sequence[re.Match[str]]) -> Mapping[int, WrittenDay]:
    """Return the dates that whole words of a text make up, by their beginning.

    Args:
        text: The query.
        pieces: What it is cut into; only plain words can be part of a date.
    """
    plain = [piece for piece in pieces if piece["word"] and not piece["minus"] and not piece["key"]]
    starts, ends = {piece.start() for piece in plain}, {piece.end() for piece in plain}
    return {
        day.start: day
        for day in (*short_days(text), *written_days(text))
        if day.start in starts and _end(text, day.end) in ends
    }


def _end(text: str, end: int) -> int:
    """Return where a word ends whose last signs are punctuation."""
    while end < len(text) and text[end] in _STOPS:
        end += 1
    return end


def joined_numbers(groups: Sequence[tuple[Term, ...]]) -> list[tuple[Term, ...]]:
    """Join the parts of a number that is written in groups: ``10 000``, ``020 7946 0018``.

    Numbers that merely follow each other (``chapter 4 1971``) stay apart; each of them also means the number
    that they may be written as elsewhere.

    Args:
        groups: One a word, its alternatives together.
    """
    joined: list[tuple[Term, ...]] = []
    run: list[Term] = []
    for group in (*groups, ()):
        if len(group) == 1 and group[0].tokens and all(map(str.isdecimal, group[0].tokens)):
            run.append(group[0])
            continue
        joined += ((term,) for term in _joined(run))
        run = []
        if group:
            joined.append(group)
    return joined


def _joined(run: Sequence[Term]) -> Sequence[Term]:
    tokens = tuple(token for term in run for token in term.tokens)
    digits = "".join(tokens)
    if len(run) < _FEWEST:
        return run
    if not SHORTEST_NUMBER <= len(digits) <= LONGEST:
        thousands = THOUSANDS.fullmatch(" ".join(tokens))
        return [replace(term, also=(digits,)) for term in run] if thousands else run
    if _is_one_number(run[0].text, tokens):
        return [Term(" ".join(term.text for term in run), tokens)]
    return [replace(term, also=(digits,)) if len(term.tokens) == 1 else term for term in run]


def other_ways(group: tuple[Term, ...]) -> tuple[Term, ...]:
    """Add to a word the other ways of writing it: ``3.75 kg`` to 3.75kg, ``retry count`` to retryCount."""
    term, text = group[0], group[0].text
    if len(group) > 1 or term.sign or (text.isalpha() and text[1:].islower()):
        return group
    if text.lower().startswith(DIALLED):
        text = text.partition(":")[2]
        forms = [text, *joined_forms(text)]
    elif _ADDRESS.match(text) or "%" in text:
        forms = _addresses(text)
    elif ":" in text or "/" in text:  # a path, or what only looks like an operator
        return group
    else:
        forms = [*joined_forms(text), *_parted(text)]
    known = {term.tokens, ("".join(term.tokens),)}
    ways = map(phrase, forms)
    further = {way.tokens: way for way in ways if way and way.tokens not in known}
    return (term, *(replace(way, prefix=term.prefix) for way in further.values()))


_ADDRESS: Final = re.compile(r"(?:[a-z][a-z+.-]{1,15}://|www\.)(?=[^\s/])", re.IGNORECASE)
_SITE: Final = re.compile(r"(?:[a-z][a-z+.-]{1,15}://)?(?:www\.)?", re.IGNORECASE)
_ASKED: Final = re.compile(r"[?#].*", re.DOTALL)


def _addresses(text: str) -> list[str]:
    """Return the ways in which others write an address: without its scheme and what a site is asked."""
    decoded = unquote(text)
    bare = _SITE.sub("", decoded, count=1)
    return [decoded, bare, _ASKED.sub("", bare)]


_MIXED: Final = re.compile(r"[^\W_]{2,24}")
_OF_ONE_KIND: Final = re.compile(r"\d+|[^\W\d_]+")
_MOST_OF_ONE_KIND: Final = 3


def _parted(text: str) -> list[str]:
    """Return letters and digits that stand side by side with a blank between them: EA227, EA 227."""
    parts = _OF_ONE_KIND.findall(text) if _MIXED.fullmatch(text) else ()
    return [" ".join(parts)] if 1 < len(parts) <= _MOST_OF_ONE_KIND else []


_FEWEST: Final = 2
"""Groups of one number."""
_TELEPHONE: Final = 7
"""Digits of a telephone number with its area code."""
_THREE: Final = 3
_CODES: Final = frozenset({10, 13, 15, 16})
"""Digits of book numbers and cards."""
_YEAR: Final = re.compile(r"(?:1[6-9]|20|21)\d\d")


def _is_one_number(written: str, groups: Sequence[str]) -> bool:
    """Say whether groups of digits are written as those of one number are.

    Thousands are, three digits each; a telephone number, which begins with 0 or +; from three groups on, as
    many digits as a card or a book has.
    """
    first, *rest = groups
    if all(len(group) == _THREE for group in rest) and len(first) <= _THREE and first != "0":
        return True
    digits = sum(map(len, groups))
    if digits < _TELEPHONE or digits < 2 * len(groups) or all(map(_YEAR.fullmatch, groups)):
        return False
    return written.startswith(("+", "(", "0")) or (len(groups) >= _THREE and digits in _CODES)
