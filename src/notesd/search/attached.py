"""Which files that are no notes answer, and where do they stand among the notes?

A file has but a name. It answers when every word of the query stands in that, or in its folders, and
comes after the notes that fit as well: one that is called like the query after the notes that are called so,
another after those that hold every word. However many there are, a few at most stand among the notes; the
others come after the last of them.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from notesd.index import attachments, fulltext, links
from notesd.index.attachments import StoredFile
from notesd.index.budget import OverBudget
from notesd.index.filters import narrowing_files
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.parse.characters import fold_name
from notesd.parse.filenames import ATTACHMENT, kind_of
from notesd.resolve.names import last_part, loose
from notesd.search.conditions import Asked, Condition, asks_for_kind, joined
from notesd.search.wanted import wanted

MOST = 1_000
"""Files that are looked at."""
AMONG = 3
"""Files that stand before the last note at most."""
COMPARED = 10
"""First notes that are looked through for those that fit as well."""
LINKING = 5
"""Notes that link to a file that are told of with it."""


class Answering(Struct, frozen=True):
    """Files that answer, best first."""

    called: Sequence[StoredFile] = ()
    """They are called like the query."""
    others: Sequence[StoredFile] = ()

    @property
    def total(self) -> int:
        """How many they are."""
        return len(self.called) + len(self.others)


class Page(Struct, frozen=True):
    """What of the notes and what of the files stands on one page."""

    start: int
    """Of the notes, so many stand on earlier pages."""
    end: int
    """The first note that stands on a later one."""
    files: Sequence[tuple[int, StoredFile]]
    """Each with its place on the page, from 0, rising."""


NOTHING = Answering()


def answering(reader: Reader, asked: Asked, every: Sequence[Condition]) -> Answering:
    """Find the files that answer a search by words.

    Args:
        reader: The index.
        asked: The search.
        every: What a note, or a file, has to fulfil.
    """
    groups = wanted(asked.query)
    if asked.meaning_only or not groups or not attachments.any_here(reader):
        return NOTHING
    narrowed = narrowing_files(joined(every))
    try:
        found, named = attachments.holding(reader, groups, fulltext.languages(reader), narrowed, MOST)
    except OverBudget:
        reader.meter.wind_up()
        return NOTHING
    files = attachments.stored(reader, found)
    name = loose(fold_name(asked.query.text))
    called = [one for one in files if name in _names(one)]
    others = [one for one in files if name not in _names(one)]
    others.sort(key=lambda one: (one.id not in named, len(one.stem)))
    return Answering(called, others)


def lacking(reader: Reader, asked: Asked, file: StoredFile) -> list[str]:
    """Words of a search that do not stand in a file's path, or that only its folders hold where all do."""
    languages, narrowed = fulltext.languages(reader), attachments.only(file)
    groups = wanted(asked.query)
    if attachments.holding(reader, groups, languages, narrowed, 1)[0]:
        return []
    held = [attachments.holding(reader, [group], languages, narrowed, 1)[0] for group in groups]
    return [group[0].text for group, one in zip(groups, held, strict=True) if not one]


def _names(file: StoredFile) -> tuple[str, str]:
    return loose(file.stem), loose(f"{file.stem}.{file.extension}")


def paged(
    reader: Reader,
    files: Answering,
    notes: Sequence[NoteId],
    expression: str | None,
    span: range,
    *,
    cut: bool,
) -> Page:
    """Put files among notes, and cut out one page.

    Args:
        reader: The index.
        files: The files.
        notes: The notes, best first, as far as they are known.
        expression: What a note matches that holds every word of the query; None: none does.
        span: The places that stand on the page.
        cut: There are more notes after the last one.
    """
    first = notes[:COMPARED]
    places = []
    if files.total:
        called = f"{{name aliases}} : ({expression})"
        at_called = _after(first, fulltext.matching(reader, called, first) if expression else ())
        at_whole = _after(first, fulltext.matching(reader, expression, first) if expression else ())
        places = [(at_called, one) for one in files.called] + [
            (max(at_called, at_whole), one) for one in files.others
        ]
    end = len(notes)
    # What stands at place ``at`` of the notes has all files before it that were put there or earlier.
    standing = [
        (at + number if number < AMONG else end + number, one) for number, (at, one) in enumerate(places)
    ]
    if cut:
        standing = standing[:AMONG]
    before = sum(place < span.start for place, _ in standing)
    shown = [(place - span.start, one) for place, one in standing if place in span]
    start = min(span.start - before, end)
    return Page(start, max(start, min(span.stop - before - len(shown), end)), shown)


def _after(notes: Sequence[NoteId], fitting: "set[NoteId] | tuple[()]") -> int:
    """The place after the last of some notes that are among the fitting ones."""
    return max((at for at, note in enumerate(notes, 1) if note in fitting), default=0)


def listed(
    reader: Reader, every: Sequence[Condition], span: range, matches: tuple[str, ...] = ()
) -> tuple[list[StoredFile], int]:
    """Files that pass the filters, by path, where a filter asks for a kind of file; and how many there are.

    Args:
        reader: The index.
        every: The filters.
        span: The places that are wanted.
        matches: FTS5 expressions that must match beside them.
    """
    filters = joined(every)
    if not asks_for_kind(every):
        return [], 0
    narrowed = narrowing_files(replace(filters, matches=(*filters.matches, *matches)))
    if narrowed is None:
        return [], 0
    return attachments.by_name(reader, narrowed, len(span), span.start)


def hit(reader: Reader, file: StoredFile, score: float) -> dict[str, Any]:
    """One file as the protocol writes a hit, without ``space`` and ``stale``; who sees it adds its size.

    Args:
        reader: The index.
        file: The file.
        score: What it gets.
    """
    linking = links.sources(reader, links.file_entry(file.id), LINKING)
    return {
        "name": last_part(file.path), "entityType": ATTACHMENT, "kind": kind_of(file.extension),
        "path": file.path, "line": 1, "heading": [], "observations": [], "snippet": "", "tags": [],
        "created": None, "modified": None, "linked_by": linking, "score": score,
        "channels": {"name": {}},
    }  # fmt: skip
