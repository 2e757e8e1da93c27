"""What does ``[[...]]`` point at, and which destinations are addresses rather than notes?

Brackets are scanned, never matched by one expression over the text: the search for the end stops at
the next opening pair, so any run of brackets costs linear time.
"""

import re
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote

_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.\-]*://"
    r"|(?:mailto|tel|sms|data|javascript|vbscript|xmpp|sips?|magnet|urn|geo|callto|about|file|cid|mid|skype|facetime)"
    r":\S",
    re.IGNORECASE,
)
"""A wiki target that is no note; any other colon is part of a name."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]+:(?!\s|%20)", re.IGNORECASE)
"""A Markdown destination with a scheme; ``Plan:%20one.md`` is a name with a colon in it."""

_UNESCAPE = re.compile(r"\\([\[\]|])")


class Brackets(NamedTuple):
    """What stood between two pairs of brackets."""

    raw: str
    """Target as written, part included, trimmed."""
    shown: str
    """What a reader sees: the text after the pipe, else ``raw``."""
    end: int
    """Offset just behind the closing brackets."""

    @property
    def target(self) -> str:
        """Return what to look up: ``raw`` without its part."""
        return _UNESCAPE.sub(r"\1", self.raw.partition("#")[0]).strip()


def read_brackets(text: str, start: int, end: int, *, shown_first: bool = False) -> Brackets | None:
    """Read the wiki-link whose ``[[`` stands at ``start``.

    Args:
        text: Any text; a link never runs over a line end.
        start: Offset of the first bracket.
        end: Where reading stops.
        shown_first: ``[[shown|target]]``, the order of Dendron.

    Returns:
        None when the brackets are text: unclosed, empty, an address, or around another pair.
    """
    close = _closing(text, start + 2, end)
    if close < 0:
        return None
    inner = text[start + 2 : close]
    left, pipe, right = inner.partition("|")
    if pipe:
        left = left.rstrip("\\")
    raw, shown = left.strip(), right.strip()
    if shown_first and shown:
        raw, shown = shown, raw
    if not raw or _ADDRESS.match(raw):
        return None
    return Brackets(raw, shown or raw, close + 2)


def _closing(text: str, start: int, end: int) -> int:
    """Return the offset of the closing pair, -1 when another pair opens or the line ends before it."""
    limit = text.find("[[", start - 1, end)
    if limit < 0:
        limit = end
    line_end = text.find("\n", start, limit)
    if line_end >= 0:
        limit = line_end
    close = text.find("]]", start, limit)
    while close > 0 and text[close - 1] == "\\":  # an escaped bracket closes nothing
        close = text.find("]]", close + 1, limit)
    if close < 0:
        return -1
    # ``[[Row [3]]]``: the first of three brackets belongs to the name.
    if text.startswith("]", close + 2) and close + 3 <= end:
        inner = text[start:close]
        if inner.count("[") > inner.count("]"):
            return close + 1
    return close


def whole_wikilink(text: str, *, shown_first: bool = False) -> tuple[Brackets, bool] | None:
    """Read a text that is one wiki-link and nothing else; the flag says that it is an embed."""
    text = text.strip()
    embed = text.startswith("![[")
    if not embed and not text.startswith("[["):
        return None
    found = read_brackets(text, 1 if embed else 0, len(text), shown_first=shown_first and not embed)
    if found is None or found.end != len(text):
        return None
    return found, embed


def bare(text: str) -> str:
    """Return the target of a text that is one wiki-link, any other text as it is."""
    found = whole_wikilink(text)
    return found[0].target if found else text


def markdown_target(destination: str) -> str | None:
    """Return the path a Markdown destination looks up, percent-decoded, without its part.

    None: an address, an empty destination or a place in the note itself.
    """
    if not destination or destination.startswith("//") or _SCHEME.match(destination):
        return None
    path = destination.partition("#")[0]
    if "%" in path:
        with suppress(UnicodeDecodeError):  # not UTF-8: the signs stand for themselves
            path = unquote(path, errors="strict")
    return path.strip() or None
