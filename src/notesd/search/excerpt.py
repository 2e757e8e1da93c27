"""Which few words of a passage does a person get to see, and how are matches marked in them?"""

import re
from collections.abc import Sequence
from typing import Final

LONGEST_EXCERPT: Final = 300
"""Characters of an excerpt, marks included."""

Span = tuple[int, int]
"""First character and one after the last."""

_MARK: Final = re.compile(r"<(?=/?mark\b)", re.IGNORECASE)
_BLANKS: Final = re.compile(r"\s+")
_OPEN: Final = "<mark>"
_CLOSE: Final = "</mark>"
_CUT: Final = "…"


def excerpt(text: str, spans: Sequence[Span], width: int = 240) -> str:
    """Return one line around the densest matches, each within ``<mark>`` and ``</mark>``.

    About ``width`` characters of the text, cut between words, with an ellipsis where something
    is left out; never longer than ``LONGEST_EXCERPT``. A mark in the text itself loses its ``<``.
    """
    start, end = _window(text, spans, width)
    # Marks cost 13 characters each; the rest of the matches stays unmarked.
    room = (LONGEST_EXCERPT - 2 - (end - start)) // len(_OPEN + _CLOSE)
    inside = [(max(a, start), min(b, end)) for a, b in spans if a < end and b > start][: max(0, room)]
    pieces: list[str] = [_CUT if text[:start].strip() else ""]
    at = start
    for a, b in inside:
        pieces += (_unmarked(text[at:a]), _OPEN, _unmarked(text[a:b]), _CLOSE)
        at = b
    pieces += (_unmarked(text[at:end]), _CUT if text[end : end + 10_000].strip() else "")
    return " ".join("".join(pieces).split())


def _unmarked(text: str) -> str:
    return _MARK.sub("\u2039", text) if "<" in text else text


def _window(text: str, spans: Sequence[Span], width: int) -> Span:
    """Return the stretch of about ``width`` characters with most matches, at word borders."""
    width = min(width, LONGEST_EXCERPT - 2)
    if len(text) <= width:
        return 0, len(text)
    first, last = _densest(spans, width) if spans else (0, 0)
    start = max(0, min(first - (width - (last - first)) // 2, len(text) - width)) if spans else 0
    end = min(len(text), start + width)
    if start > 0:
        border = _BLANKS.search(text, start, min(first, start + 30))
        start = border.end() if border else start
    if end < len(text):
        border_at = max(text.rfind(" ", max(last, end - 30), end), text.rfind("\n", max(last, end - 30), end))
        end = border_at if border_at > start else end
    return start, end


def _densest(spans: Sequence[Span], width: int) -> Span:
    """Return the first and last character of the most matches that fit in ``width``."""
    best = (0, 0, 0)
    left = 0
    for right, (_, end) in enumerate(spans):
        while end - spans[left][0] > width and left < right:
            left += 1
        if right - left + 1 > best[0]:
            best = (right - left + 1, spans[left][0], end)
    return best[1], min(best[2], best[1] + width)
