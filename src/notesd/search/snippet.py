"""Which passages of a note answer, and where in them do the words stand?

Works on the note's own text: the words that contain a searched stem are found first, by plain
substrings, and only they are folded and stemmed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log2
from typing import Final, Protocol

from msgspec import Struct

from notesd.model import Heading, Observation
from notesd.parse.characters import DENSE, DENSE_SCRIPTS, fold
from notesd.parse.terms import Term, index_text
from notesd.search.excerpt import Span, excerpt


class Tokenize(Protocol):
    """How the words of one note are cut."""

    def __call__(self, text: str, /) -> Sequence[tuple[int, int, str]]:
        """Return (first character, one after the last, stem) of every word."""

    def beginnings(self, stem: str, /) -> tuple[str, ...]:
        """Return what the folded words with this stem begin with."""


MOST_TEXT: Final = 60_000
"""Characters of candidate passages of one note that are looked at closely: of a longer note those that
hold the most and the rarest words."""
MOST_SCANNED: Final = 4_000_000
"""Characters of one note in which candidates are looked for."""
MOST_FOLDED: Final = 100_000
"""Characters of passages that are not plain ASCII that are folded; beyond, words are found as written."""
LONGEST_PASSAGE: Final = 100_000
"""Characters of one passage that are looked at."""
BLANK: Final = 2
"""Characters that may stand between two words side by side."""
MOST_SPANS: Final = 200
"""Matches of one passage that are kept."""
NEXT_TO: Final = 0.25
"""Worth of two query words standing side by side, against 1 for a word of every passage."""

_Stems = dict[str, tuple[tuple[str, str], ...]]
"""Word of a note -> its tokens as (stem, folded); empty for a word that cannot match."""


class Passage(Struct, frozen=True):
    """One observation as an answer."""

    text: str
    line_start: int
    line_end: int
    heading: tuple[str, ...]
    score: float
    """Only good for ordering the passages of one note; 0: none of the words is in it."""
    spans: tuple[Span, ...] = ()
    """Matches as (first character, one after the last), in order, not overlapping."""


class Answer(Struct, frozen=True):
    """What is shown of one note."""

    line: int
    """Where to look first, from 1."""
    heading: tuple[str, ...]
    passages: tuple[Passage, ...]
    """Best first; of a note that answers by its name alone, its first."""
    snippet: str
    """One line, matches within ``<mark>`` and ``</mark>``; empty for a note without text."""


class _Target(Struct, frozen=True):
    """What to look for, for one term."""

    stems: tuple[str, ...]
    """Stemmed tokens, side by side; empty: look for ``literal``."""
    beginning: str
    """What the last word may begin with, unstemmed; empty: the whole word has to fit."""
    literal: str
    """Folded text to look for as it is."""
    needles: tuple[str, ...]
    """Every word that can match begins with one of these; what the cheap first test looks for."""


class _Found(Struct):
    """One candidate passage."""

    at: int
    spans: list[tuple[int, int, int]]
    """(first character, one after the last, number of the target)"""


def beginning(observations: Sequence[Observation]) -> str:
    """Return enough of a note's text to tell its language."""
    return " ".join(one.text[:200] for one in observations[:3])


def passages(
    observations: Sequence[Observation], terms: Sequence[Term], tokenize: Tokenize, limit: int
) -> list[Passage]:
    """Return the observations that hold any of the terms, best first, at most ``limit``.

    A passage counts the more, the more different terms it holds and the rarer they are in this
    note; the order of the note decides between equals. When none holds any, the first one of the
    body is returned, without spans (the note answered by its name).
    """
    targets = _targets(terms, tokenize)
    found = list(_candidates(observations, targets, tokenize)) if targets else []
    if not found:
        said = [one for one in observations if one.kind != "raw"] or observations  # properties say less
        return [_passage(first, 0.0, ()) for first in said[: min(limit, 1)]]
    holding = [0] * len(targets)
    for one in found:
        for number in {number for _, _, number in one.spans}:
            holding[number] += 1
    worth = [1 + log2(len(found) / max(1, count)) for count in holding]
    scored = [(_score(one, worth, observations[one.at].text), one) for one in found]
    scored.sort(key=lambda pair: (-pair[0], pair[1].at))
    return [_passage(observations[one.at], score, _apart(one.spans)) for score, one in scored[:limit]]


def answer(
    observations: Sequence[Observation],
    headings: Sequence[Heading],
    terms: Sequence[Term],
    tokenize: Tokenize,
    limit: int,
) -> Answer:
    """Return what a hit shows: where to look, the passages, one marked line.

    When only headings hold the words, the best of them is shown instead of a passage that has
    nothing to do with the query; when nothing does, the note's beginning.
    """
    found = passages(observations, terms, tokenize, limit)
    best = found[0] if found else None
    if best is None or not best.spans:
        as_observations = [Observation(h.text, h.line, h.line, (h.text,), "heading") for h in headings]
        named = passages(as_observations, terms, tokenize, 1)
        if named and (named[0].spans or best is None):
            best = named[0]
    if best is None:
        return Answer(1, (), (), "")
    return Answer(best.line_start, best.heading, tuple(found), excerpt(best.text, best.spans))


def at_line(observations: Sequence[Observation], line: int) -> Answer | None:
    """Return what a hit shows that is known by a line alone: the passage there; None when there is none."""
    for observation in observations:
        if observation.line_end >= line and observation.kind != "raw":
            passage = _passage(observation, 0.0, ())
            return Answer(passage.line_start, passage.heading, (passage,), excerpt(passage.text, ()))
    return None


def _passage(observation: Observation, score: float, spans: tuple[Span, ...]) -> Passage:
    return Passage(
        text=observation.text,
        line_start=observation.line_start,
        line_end=observation.line_end,
        heading=observation.heading,
        score=score,
        spans=spans,
    )


def _score(found: _Found, worth: Sequence[float], text: str) -> float:
    total = sum(worth[number] for number in {number for _, _, number in found.spans})
    neighbours = set()
    for (_, end, number), (start, _, following) in zip(found.spans, found.spans[1:], strict=False):
        if following == number + 1 and start - end <= BLANK and not text[end:start].strip():
            neighbours.add(number)
    return total + NEXT_TO * len(neighbours)


def _apart(spans: Sequence[tuple[int, int, int]]) -> tuple[Span, ...]:
    """Return the spans with overlapping and touching ones as one."""
    joined: list[Span] = []
    for start, end, _ in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def _targets(terms: Sequence[Term], tokenize: Tokenize) -> list[_Target]:
    targets = []
    for term in terms:
        literal = fold(term.text).strip().rstrip("*").rstrip()
        if term.sign is not None and len(term.tokens) <= 1:
            literal = term.text.lower().strip()
        elif not any(map(DENSE.match, term.tokens)):
            stems = tuple(token for _, _, token in tokenize(" ".join(term.tokens)))
            if stems:
                longest = max(map(tokenize.beginnings, stems), key=lambda every: min(map(len, every)))
                beginning = term.tokens[-1] if term.prefix else ""
                targets.append(_Target(stems, beginning, "", longest))
            continue
        if literal:
            targets.append(_Target((), "", literal, (literal,)))
    return targets


_PUNCTUATION: Final = (
    "\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf\u2010-\u2027\u2030-\u205e"
    "\u3001-\u3003\u3008-\u3020\uff01\uff0c"
)
"""What parts words most, besides ASCII; the index parts them at every other sign, too."""
_WORD: Final = re.compile(rf"[^\s\x00-/:-@\[-`{{-\x7f{DENSE_SCRIPTS}{_PUNCTUATION}]+")


def _candidates(
    observations: Sequence[Observation], targets: Sequence[_Target], tokenize: Tokenize
) -> Iterator[_Found]:
    """Passages that hold words of the query, with the places of the words."""
    stems: _Stems = {}
    for at, present in _promising(observations, [target.needles for target in targets]):
        text = observations[at].text[:LONGEST_PASSAGE]
        spans = _literals(text, targets, present)
        spans += _words(text, targets, present, stems, tokenize)
        if spans:
            spans.sort()
            yield _Found(at, spans[:MOST_SPANS])


def _promising(
    observations: Sequence[Observation], needles: Sequence[Sequence[str]]
) -> Iterator[tuple[int, list[int]]]:
    """Passages that hold a needle, with the numbers of those they hold, as many as may be looked at closely.

    Where that is not all of them, those with the rarest needles come first: a word that stands in every line
    of a long log must not use up what is left for the one that stands in a single line.
    """
    holding = list(_holding(observations, needles))
    if sum(min(len(observations[at].text), LONGEST_PASSAGE) for at, _ in holding) > MOST_TEXT:
        counts = Counter(number for _, present in holding for number in present)
        worth = {number: 1 + log2(len(holding) / count) for number, count in counts.items()}
        holding.sort(key=lambda one: (-sum(worth[number] for number in one[1]), one[0]))
    looked_at = 0
    for at, present in holding:
        if looked_at > MOST_TEXT:
            return
        looked_at += min(len(observations[at].text), LONGEST_PASSAGE)
        yield at, present


def _holding(
    observations: Sequence[Observation], needles: Sequence[Sequence[str]]
) -> Iterator[tuple[int, list[int]]]:
    """The cheap first test: which passages hold which needles, as far as a note is scanned."""
    scanned = folded = 0
    for at, observation in enumerate(observations):
        text = observation.text[:LONGEST_PASSAGE]
        scanned += len(text)
        if scanned > MOST_SCANNED:
            return
        plain = text.lower()
        if not text.isascii() and folded < MOST_FOLDED:
            folded += len(text)
            plain = fold(text) + plain
        present = [number for number, ways in enumerate(needles) if any(way in plain for way in ways)]
        if present:
            yield at, present


def _literals(text: str, targets: Sequence[_Target], present: Sequence[int]) -> list[tuple[int, int, int]]:
    """Find signs and scripts without blanks, as they are written."""
    lowered = text.lower()
    if len(lowered) != len(text):  # one capital letter, the dotted I, is two small ones
        lowered = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    spans: list[tuple[int, int, int]] = []
    for number in present:
        literal = targets[number].literal
        start = lowered.find(literal) if literal else -1
        while start >= 0 and len(spans) < MOST_SPANS:
            end = start + len(literal)
            inside = (
                literal[0].isalnum() and literal[0].isascii() and lowered[max(0, start - 1) : start].isalnum()
            )
            if not inside:
                spans.append((start, end, number))
            start = lowered.find(literal, end)
    return spans


def _words(
    text: str,
    targets: Sequence[_Target],
    present: Sequence[int],
    stems: _Stems,
    tokenize: Tokenize,
) -> list[tuple[int, int, int]]:
    """Find stemmed words and, for terms of several, their words side by side."""
    wanted = [number for number in present if targets[number].stems]
    if not wanted:
        return []
    finder = _WORD
    if text.isascii() and all(len(targets[number].stems) == 1 for number in wanted):
        # One run of letters and digits is one token there, so no other word can have a part in a match.
        finder = _beginning(tuple(needle for number in wanted for needle in targets[number].needles))
    words = [(found.start(), found.end(), found[0]) for found in finder.finditer(text)]
    _learn({word for _, _, word in words} - stems.keys(), targets, stems, tokenize)
    spans = []
    for at, (start, end, word) in enumerate(words):
        own = stems[word]
        if not own:
            continue
        for number in wanted:
            last = _matches(targets[number], words, at, stems)
            if last is not None:
                spans.append((start, max(end, words[last][1]), number))
        if len(spans) >= MOST_SPANS:
            break
    return spans


@lru_cache(maxsize=64)
def _beginning(needles: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds the words of an ASCII text that begin with one of some needles."""
    return re.compile(
        rf"(?<![0-9A-Za-z])(?:{'|'.join(map(re.escape, needles))})[0-9A-Za-z]*", re.IGNORECASE | re.ASCII
    )


def _learn(new: set[str], targets: Sequence[_Target], stems: _Stems, tokenize: Tokenize) -> None:
    """Remember the stems of new words; of words that cannot match, that they have none."""
    beginnings = tuple(
        {way for target in targets for stem in target.stems for way in tokenize.beginnings(stem)}
    )
    for word in new:
        folded = word.lower() if word.isascii() else index_text(word).strip()
        if folded.startswith(beginnings) or (" " in folded and any(part in folded for part in beginnings)):
            stems[word] = tuple((stem, folded[start:end]) for start, end, stem in tokenize(folded))
        else:
            stems[word] = ()


def _matches(target: _Target, words: Sequence[tuple[int, int, str]], at: int, stems: _Stems) -> int | None:
    """Return the index of the last word of a match that starts in word ``at``.

    A word may hold several tokens; a match may begin and end within one.
    """
    inside = stems[words[at][2]]
    for first, own in enumerate(inside):
        if _same(own, target, 0):
            last = at if len(target.stems) == 1 else _follow(target, words, at, first, stems)
            if last is not None:
                return last
    return None


def _follow(
    target: _Target, words: Sequence[tuple[int, int, str]], at: int, first: int, stems: _Stems
) -> int | None:
    """Return the index of the last word of a match that starts with token ``first`` of word ``at``."""
    needed = 0
    for number in range(at, len(words)):
        # A word without stems cannot match; one that was never looked at, likewise.
        for own in stems[words[number][2]][first if number == at else 0 :] or (("", ""),):
            if not _same(own, target, needed):
                return None
            needed += 1
            if needed == len(target.stems):
                return number
    return None


def _same(own: tuple[str, str], target: _Target, number: int) -> bool:
    stem, folded = own
    if stem == target.stems[number]:
        return True
    is_last = number == len(target.stems) - 1
    return is_last and bool(target.beginning) and folded.startswith(target.beginning)
