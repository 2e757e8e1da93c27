"""When are two names the same name?

``fold`` is the equality that links use; ``loose`` forgives blanks, dashes and underscores;
``coarse`` is the one key under which everything that could answer to a name is kept.
"""

import re
import unicodedata
from functools import lru_cache

_JOINTS = re.compile(r"[\s_-]+")
_BLANKS = re.compile(r"\s+")
_EXTENSIONS = (".md", ".markdown")
REMEMBERED = 4_096
"""Names whose keys are remembered: a name that is linked to is mostly linked to again."""


def compose(text: str) -> str:
    """Bring a text to NFC, so that names written by old Macs meet names typed by people."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@lru_cache(REMEMBERED)
def fold(text: str) -> str:
    """Drop what must not tell two names apart: composition and case."""
    if text.isascii():
        return text.lower()
    # Case folding can take a composed letter apart (U+0390), so compose once more.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def loose(text: str) -> str:
    """Fold a text and write every run of blanks, dashes and underscores as one blank.

    Runs at the ends stay: ``_index`` and ``index`` are two names.
    """
    return _JOINTS.sub(" ", fold(text))


def fold_accents(text: str) -> str:
    """Fold a text for people who leave accents out: no marks, no case, single blanks, trimmed."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text.casefold())
        text = "".join(char for char in apart if not unicodedata.combining(char))
    return _BLANKS.sub(" ", text.casefold()).strip()


def is_note_name(text: str) -> bool:
    """Say whether a file name or path has a note's extension, in any case."""
    return text[-9:].lower().endswith(_EXTENSIONS)


def without_extension(text: str) -> str:
    """Cut one final ``.md`` or ``.markdown``, in any case; a text that is nothing but one stays."""
    return (text.rpartition(".")[0] or text) if is_note_name(text) else text


def last_part(path: str) -> str:
    """Return what follows the last slash."""
    return path.rpartition("/")[2]


def folder_of(path: str) -> str:
    """Return what precedes the last slash; empty for a file at the root."""
    return path.rpartition("/")[0]


def canonical(name: str) -> str:
    """Fold a title, alias or id for comparison: trimmed, without empty path parts."""
    folded = fold(name.strip())
    return "/".join(part for part in folded.split("/") if part) if "/" in folded else folded


@lru_cache(REMEMBERED)
def coarse(name: str) -> str:
    """Return the key of a name: the loose form of its last part, without any ``.md``.

    Every ``.md`` goes, because ``[[a.md]]`` may mean the note ``a`` and the note ``a.md``.
    """
    part = fold(last_part(name))
    while (shorter := without_extension(part)) != part:
        part = shorter
    return loose(part)
