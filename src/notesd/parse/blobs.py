"""Which part of a text is data that only looks like words: base64, long runs of hex, drawings?"""

import re
from typing import Final

LONGEST_WORD: Final = 128
"""Signs of the longest digest that people look for (SHA-512 in hex)."""

_SHORTEST_LINE: Final = 56
"""Signs of a line of base64."""

_RUN: Final = re.compile(r"[A-Za-z0-9+/=_-]{129,}")
_LINES: Final = re.compile(
    r"(?:^[ \t>]*[A-Za-z0-9+/_-]{56,128}={0,2}[ \t]*\n){2,}(?:^[ \t>]*[A-Za-z0-9+/=_-]+[ \t]*$)?",
    re.MULTILINE,
)
_DRAWN: Final = re.compile(
    r"\A[^{]{0,200}\{[^{}\[\]]{0,300}?\"(?:type|tldrawFileFormatVersion)\""
    r"[ \t\n]*:[ \t\n]*(?:\"excalidraw|[0-9])"
)
_DRAWINGS: Final = frozenset({"compressed-json", "excalidraw", "handdrawn-ink", "handwritten-ink"})


def without_blobs(text: str) -> str:
    """Take out the runs of signs that no word is: as long as no digest, or line after line of base64.

    Lines stay where they are.
    """
    if len(text) <= LONGEST_WORD or len(max(text.split(), key=len, default="")) < _SHORTEST_LINE:
        return text
    text = _RUN.sub(_blank, text)
    return _LINES.sub(_blank_lines, text)


def is_drawing(info: str, text: str) -> bool:
    """Whether a fence of code holds a drawing: by what is said of it, or by how it begins."""
    language = info.split(maxsplit=1)[0].casefold() if info else ""
    return language in _DRAWINGS or ("{" in text[:300] and _DRAWN.match(text) is not None)


def _is_data(run: str) -> bool:
    """Tell data from a way through folders, or a rule of dashes."""
    if run.isalpha() and (run.islower() or run.isupper()):
        return True
    return any(map(str.isdigit, run)) and any(map(str.isalpha, run))


def _blank(found: re.Match[str]) -> str:
    return "" if _is_data(found[0]) else found[0]


def _blank_lines(found: re.Match[str]) -> str:
    if not all(_mixed(line) for line in found[0].split("\n")[:2]):
        return found[0]
    return "\n" * found[0].count("\n")


def _mixed(line: str) -> bool:
    """Whether a line has capitals, small letters and digits, as nearly every line of base64 has."""
    return any(map(str.isupper, line)) and any(map(str.islower, line)) and any(map(str.isdigit, line))
