"""Which tags does a text carry?

A tag starts at ``#`` at a line's start or after a blank, or where the tag before it ends. It may hold
letters and digits of every script, emoji, ``_``, ``-`` and ``/``, and something besides digits.
"""

import re
from collections.abc import Iterable, Iterator
from unicodedata import category

_RUN = re.compile(r"#([^\s#\x00-\x2c.:-@\[-^`{-\x7f]+)")
"""A candidate: every sign but blanks and ASCII punctuation; ``_extent`` judges the rest."""

_PIECE = re.compile(r"\[\[([^\[\]\n]+)\]\]|([^\s,]+)")
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
BREAK = "\ufdd2"
"""Stands where emphasis, a link's text or an HTML element starts or ends; a noncharacter, no text means
anything by it."""

_MARKS = ("==", "%%", BREAK)
"""Marks of highlights and hidden text, which the Markdown rules leave in the text, and those they take."""


def is_name_sign(sign: str) -> bool:
    """Say whether a sign may stand in a tag, a relation or a field name of any script."""
    if sign.isalnum() or sign in "_-":
        return True
    if sign <= "\x7f":
        return False
    kind = category(sign)
    return kind[0] == "M" or kind == "So" or sign in _JOINERS or "\U0001f3fb" <= sign <= "\U0001f3ff"


def inline_tags(text: str) -> Iterator[str]:
    """Yield the tags of a text as written, without ``#``, in order, repeats included."""
    touching = -1
    for run in _RUN.finditer(text):
        start = run.start()
        if start != touching and not _may_open(text, start):
            continue
        name = run[1]
        if not name.isascii() or not name.isalnum():
            name = _extent(name)
        touching = start + 1 + len(name)
        name = name.rstrip("/")
        if is_tag(name):
            yield name
        else:
            touching = -1


def _may_open(text: str, start: int) -> bool:
    while text.endswith(_MARKS, 0, start):
        start -= 1 if text[start - 1] == BREAK else 2
    if text.endswith("^[", 0, start):  # the text of a footnote written in place
        return True
    return start == 0 or text[start - 1].isspace()


def _extent(name: str) -> str:
    """Cut a candidate at its first sign that no tag holds."""
    for place, sign in enumerate(name):
        if sign != "/" and not is_name_sign(sign):
            return name[:place]
    return name


def is_tag(name: str) -> bool:
    """Say whether a name is more than digits and signs."""
    if name.isdigit() or name.startswith("/"):
        return False
    return any(sign.isalnum() or (sign > "\x7f" and category(sign) == "So") for sign in name)


def split_tags(text: str) -> Iterator[str]:
    """Yield the tags of a property that is one text: parted by commas and blanks, ``[[...]]`` kept whole."""
    for piece in _PIECE.finditer(text):
        name = piece[1].partition("|")[0] if piece[1] else piece[2]
        yield clean_tag(name)


def clean_tag(text: str) -> str:
    """Return a tag of the front matter without its ``#``, brackets and trailing ``/``; may be empty."""
    return text.strip().lstrip("#").removeprefix("[[").removesuffix("]]").rstrip("/").strip()


def unique_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Drop empty tags and repeats; case makes no difference, the first spelling stays."""
    kept: dict[str, str] = {}
    for tag in tags:
        if tag:
            kept.setdefault(tag.casefold(), tag)
    return tuple(kept.values())
