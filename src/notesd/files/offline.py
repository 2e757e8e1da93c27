"""Which notes were put away by a cloud service, and what stands for them?

To free room, such a service leaves a small file of another name in a note's place (``.a.md.icloud``,
``a.md.nextcloud``), or the note itself without its contents. Either says that the note is there; to read
it would be to fetch it, which nobody asked for.
"""

import os

from notesd.model import Problem

HIDDEN = ".icloud"
"""Ends the name of what iCloud Drive leaves, which begins with a dot."""
_PLAIN = (".nextcloud", ".owncloud")
_DATALESS = 0x40000000
"""``SF_DATALESS`` of macOS: what one reads is fetched first (OneDrive, Dropbox, iCloud Drive)."""
HAS_FLAGS = hasattr(os.stat_result, "st_flags")
"""Whether this system knows of files without contents."""


def stands_for(name: str) -> str | None:
    """Return the name of the file that a placeholder stands for, None for any other name."""
    if name.endswith(HIDDEN) and name.startswith("."):
        return name[1 : -len(HIDDEN)] or None
    for ending in _PLAIN:
        if name.endswith(ending):
            return name[: -len(ending)] or None
    return None


def placeholders(path: str) -> list[str]:
    """Return the paths of all that may stand for a file."""
    folder, slash, name = path.rpartition("/")
    return [f"{folder}{slash}.{name}{HIDDEN}", *(path + ending for ending in _PLAIN)]


def is_dataless(found: os.stat_result) -> bool:
    """Say whether a file is there without its contents."""
    return bool(getattr(found, "st_flags", 0) & _DATALESS)


def offline(path: str) -> Problem:
    """Describe a note that was put away."""
    return Problem(
        "offline",
        f"{path} was put away by a cloud service; what was read of it before is kept, and it is read again"
        " when it is back",
    )
