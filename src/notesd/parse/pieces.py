"""Where is a long passage cut?"""

from collections.abc import Iterator, Sequence

MAX_PIECE = 2000
"""Characters of one passage: what a reader can take in, and more than any embedding model reads."""

_STOPS = "\u3002\uff01\uff1f\uff1b\u3001\uff0c.!?;,"
"""Full stops and commas, CJK first."""


def pieces(text: str, starts: Sequence[int], last: int) -> Iterator[tuple[str, int, int]]:
    """Yield the parts of a text with their first and last line.

    A part ends at a line's end where possible, else at a blank, else at a mark of punctuation, else
    anywhere.

    Args:
        text: The passage.
        starts: For each line of ``text`` the line where it stands, rising.
        last: The last line of the whole passage.
    """
    if len(text) <= MAX_PIECE:
        yield text.strip(), starts[0], last
        return
    kept: list[str] = []
    size, first = 0, starts[0]
    lines = text.split("\n")
    for number, line in enumerate(lines):
        at = starts[number]
        if kept and size + len(line) >= MAX_PIECE:
            yield from _said("\n".join(kept), first, max(first, at - 1))
            kept, size = [], 0
        if not kept:
            first = at
        while len(line) > MAX_PIECE:
            cut = _cut(line)
            yield from _said(line[:cut], at, at)
            line = line[cut:]  # noqa: PLW2901 -- what is left of it
        kept.append(line)
        size += len(line) + 1
    yield from _said("\n".join(kept), first, max(first, last))


def _said(text: str, first: int, last: int) -> Iterator[tuple[str, int, int]]:
    text = text.strip()
    if text:
        yield text, first, last


def _cut(line: str) -> int:
    """Return where to cut a line that is too long."""
    cut = line.rfind(" ", MAX_PIECE // 2, MAX_PIECE)
    if cut < 0:
        cut = max(line.rfind(stop, MAX_PIECE // 2, MAX_PIECE) for stop in _STOPS)
    return cut + 1 if cut >= 0 else MAX_PIECE
