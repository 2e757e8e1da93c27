"""In which parts is a very long body read, and where does reading end?

A note of ten megabytes of prose takes some seconds and is read whole. One that is made of brackets would
take minutes: its cost is estimated before it is spent, and what lies beyond the limit is kept as words.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_PART = 1_000_000
"""Characters read at once; the first part of a note is always read."""

MAX_COST = 10_000_000
"""Microseconds of reading, estimated, that one note may take."""

_LINE_COST = 12
_BRACKET_COST = 25
_MARK_COST = 5
# Microseconds, measured on a 2025 server core; what counts is their proportion.

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_GAP = re.compile(r"\n\n(?=[^\s>])")


class Part(NamedTuple):
    """A stretch of a body."""

    text: str
    line: int
    """Line in the body where it starts, from 0."""
    readable: bool
    """False: beyond the limit; only its words count."""


def parts(text: str) -> Iterator[Part]:
    """Yield a body in stretches that are read one after another; nearly always in one.

    They are cut at blank lines outside of fenced code.
    """
    if len(text) <= MAX_PART:
        yield Part(text, 0, readable=True)
        return
    start, line, cost = 0, 0, 0
    while start < len(text):
        stop = _stop(text, start)
        part = text[start:stop]
        cost += cost_of(part)
        if start and cost > MAX_COST:
            yield Part(text[start:], line, readable=False)
            return
        yield Part(part, line, readable=True)
        start, line = stop, line + part.count("\n")


def _stop(text: str, start: int) -> int:
    """Return where the part ends that starts at ``start``."""
    if len(text) - start <= MAX_PART:
        return len(text)
    stop = start + MAX_PART
    gap = _GAP.search(text, stop - MAX_PART // 10, stop)
    stop = gap.end() if gap else text.rfind("\n", start, stop) + 1 or stop
    fence = ""
    for found in _FENCE.finditer(text, start, stop):
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence):
            fence = ""
    if fence:
        close = re.compile(rf"^ {{0,3}}{fence}.*\n?", re.MULTILINE).search(text, stop, stop + MAX_PART)
        stop = close.end() if close else stop
    return stop


def cost_of(text: str) -> int:
    """Estimate what reading a stretch of Markdown costs, in microseconds."""
    marks = sum(map(text.count, "*_`$<&\\~#"))
    return text.count("\n") * _LINE_COST + text.count("[") * _BRACKET_COST + marks * _MARK_COST
