"""Which passages of a note answer, and what of them is shown?"""

from collections.abc import Sequence
from math import log2
from typing import Final

from msgspec import Struct

from notesd.model import Heading, Observation
from notesd.search.excerpt import Span, excerpt
from notesd.search.matches import MOST_TEXT, Found, Sought

BLANK: Final = 2
"""Characters that may stand between two words side by side."""
NEXT_TO: Final = 0.25
"""Worth of two query words standing side by side, against 1 for a word of every passage."""


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


def beginning(observations: Sequence[Observation]) -> str:
    """Return enough of a note's text to tell its language."""
    return " ".join(one.text[:200] for one in observations[:3])


def passages(
    observations: Sequence[Observation], sought: Sought, limit: int, enough: int = MOST_TEXT
) -> list[Passage]:
    """Return the observations that hold any of the words that are sought, best first, at most ``limit``.

    A passage counts the more, the more different terms it holds and the rarer they are in this
    note; the order of the note decides between equals. When none holds any, the first one of the
    body is returned, without spans (the note answered by its name).
    """
    found = list(sought.among(observations, enough))
    if not found:
        said = [one for one in observations if one.kind != "raw"] or observations  # properties say less
        return [_passage(first, 0.0, ()) for first in said[: min(limit, 1)]]
    holding = [0] * len(sought.targets)
    for one in found:
        for number in {number for _, _, number in one.spans}:
            holding[number] += 1
    worth = [1 + log2(len(found) / max(1, count)) for count in holding]
    scored = [(_score(one, worth, observations[one.at].text), one) for one in found]
    scored.sort(key=lambda pair: (-pair[0], pair[1].at))
    return [_passage(observations[one.at], score, _apart(one.spans)) for score, one in scored[:limit]]


def answer(
    observations: Sequence[Observation], headings: Sequence[Heading], sought: Sought, limit: int,
    enough: int = MOST_TEXT,
) -> Answer:  # fmt: skip
    """Return what a hit shows: where to look, the passages, one marked line.

    When only headings hold the words, the best of them is shown instead of a passage that has
    nothing to do with the query; when nothing does, the note's beginning.
    """
    found = passages(observations, sought, limit, enough)
    best = found[0] if found else None
    if best is None or not best.spans:
        as_observations = [Observation(h.text, h.line, h.line, (h.text,), "heading") for h in headings]
        named = passages(as_observations, sought, 1)
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


def _score(found: Found, worth: Sequence[float], text: str) -> float:
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
