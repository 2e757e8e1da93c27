"""Which notes are found, but after the others, because they lie in an archive or among templates?"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from notesd.index import notes
from notesd.index.filters import Filters, Narrowing, Tree, beginning, both, narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import fold_name

Folders = Sequence[str]
"""Folders below the space's, whose notes come later, or hierarchies by dots (``templates.``); empty: there
are none."""


def folder_of(path: str, folders: Folders) -> str | None:
    """Return the folder that is the reason why a note comes later; None: it does not."""
    folded = fold_name(path)
    return next((one for one in folders if folded.startswith(fold_name(beginning(one)))), None)


def demoted(reader: Reader, note_ids: Sequence[NoteId], folders: Folders) -> Collection[NoteId]:
    """Return those of some notes that come later."""
    return frozenset(notes.among(reader, note_ids, _later(folders))) if folders else ()


def marked(
    hits: Iterable[dict[str, Any]], note_ids: Iterable[NoteId], later: Collection[NoteId]
) -> list[dict[str, Any]]:  # fmt: skip
    """Say of hits that come later that they do, as ``demoted``.

    Args:
        hits: Of the first of some notes, in their order.
        note_ids: The notes.
        later: Those that come later.
    """
    pairs = zip(hits, note_ids, strict=False)
    return [{**hit, "demoted": True} if note in later else hit for hit, note in pairs]


def by_date(
    reader: Reader, narrowed: Narrowing | None, sort: str, limit: int, offset: int, folders: Folders
) -> tuple[list[NoteId], int]:
    """As ``notes.by_date``, those that come later behind all others, by date too."""
    later = _later(folders)
    if later is None:
        return notes.by_date(reader, narrowed, sort, limit, offset)
    others = narrowing(Filters(without=_lying(folders)))
    first, before = notes.by_date(reader, both(others, narrowed), sort, limit, offset)
    rest = limit - len(first)
    last, behind = notes.by_date(reader, both(later, narrowed), sort, rest, max(0, offset - before))
    return [*first, *last], before + behind


def _lying(folders: Folders) -> Filters:
    each = tuple(Tree("one", filters=Filters(folder=folder)) for folder in folders)
    return Filters(trees=(Tree("or", each),)) if each else Filters()


def _later(folders: Folders) -> Narrowing | None:
    return narrowing(_lying(folders))
