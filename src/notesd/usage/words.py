"""What was left to be written down, and how is it written?"""

from collections.abc import Sequence

from msgspec import Struct

from notesd.index.store import Writer
from notesd.usage import events, signals
from notesd.usage.events import Log

Notes = Sequence[tuple[str, str]]
"""Key and path of each."""


class Shown(Struct, frozen=True):
    """An answer was shown."""

    space: str
    """Key of the space; so too for the next."""
    notes: Notes
    at: float
    """Seconds since 1970."""
    log: Log | None = None


class Opened(Struct, frozen=True):
    """Notes were opened, all at once; each of them once."""

    space: str
    notes: Notes
    at: float


Word = Shown | Opened


def write(writer: Writer, word: Word) -> list[str]:
    """Write one word down; returns the keys of the notes opened in the same sitting."""
    space = signals.space_id(writer, word.space)
    notes = signals.note_ids(writer, space, word.notes)
    if isinstance(word, Opened):
        earlier = signals.add_opened(writer, space, notes, word.at)
        events.reaccess(writer, space, notes, word.at)
        return earlier
    signals.add_shown(writer, notes, word.at)
    if word.log:
        ids = signals.note_ids(writer, space, word.log.notes)
        events.add(writer, space, word.log, ids, notes, word.at)
    return []
