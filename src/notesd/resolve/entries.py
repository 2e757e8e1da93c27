"""By which names can one file be asked for?"""

import re

from msgspec import Struct

from notesd.model import NotePath
from notesd.resolve.names import canonical, coarse, fold, folder_of, last_part, without_extension

FOLDER_NOTES = ("index.md", "readme.md")
"""Folded names of the notes that speak for their folder, best first."""
PATH_JOINT = "___"
"""What Logseq writes for a slash in a page's name."""
FEWEST_DIGITS = 8
"""A day: 20240115."""
MOST_DIGITS = 14
"""A second: 20240115103000."""

_LEADING_DIGITS = re.compile(rf"[0-9]{{{FEWEST_DIGITS},{MOST_DIGITS}}}")


class Entry(Struct, frozen=True, gc=False, array_like=True):
    """One file of a space and the names it goes by."""

    path: NotePath
    is_note: bool
    """False for attachments, which answer to their file name alone."""
    title: str = ""
    aliases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Front-matter ``id``, ``permalink``, ``slug``."""


def entry_keys(entry: Entry) -> frozenset[str]:
    """Return every coarse key under which a link could be looked up and mean this file."""
    keys = path_keys(entry.path, is_note=entry.is_note)
    if entry.is_note:
        keys.update(name_key(name) for name in (entry.title, *entry.aliases, *entry.names))
    keys.discard("")
    return frozenset(keys)


def name_key(name: str) -> str:
    """Return the coarse key of a title, alias or id; empty when no link can name it."""
    key = coarse(canonical(name))
    return "" if key in {".", ".."} else key


def path_keys(path: str, *, is_note: bool) -> set[str]:
    """Return the keys a file owes to where it lies and what it is called."""
    keys = {coarse(path)}
    if not is_note:
        return keys
    name = fold(last_part(path))
    if name in FOLDER_NOTES:
        keys.add(coarse(folder_of(path)))
    stem = without_extension(name)
    if PATH_JOINT in stem:
        # Every cut, overlapping ones too: ``a____b`` is ``a/_b`` as well as ``a_/b``.
        cuts = range(len(stem) - len(PATH_JOINT))
        keys.update(coarse(stem[cut + 3 :]) for cut in cuts if stem.startswith(PATH_JOINT, cut))
    digits = _LEADING_DIGITS.match(stem)
    if digits:
        keys.update(stem[:length] for length in range(FEWEST_DIGITS, digits.end() + 1))
    return keys
