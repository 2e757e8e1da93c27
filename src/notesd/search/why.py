"""Why does a note that the index knows stand where it stands in an answer, or not at all?"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from notesd.index import notes
from notesd.index.attachments import StoredFile
from notesd.index.filters import Filters, Narrowing, fixed, narrowing, narrowing_files
from notesd.index.links import file_entry
from notesd.index.notes import NoteId, StoredNote
from notesd.index.properties import values_of
from notesd.index.store import Reader
from notesd.parse.characters import fold
from notesd.rank.fuse import Fused
from notesd.resolve.find import nearest
from notesd.search import account, attached, lexical
from notesd.search.conditions import Asked, Condition, asks_for_kind, conditions, joined
from notesd.search.demoted import by_date, folder_of
from notesd.search.hits import modified_text
from notesd.search.order import Channel, levels
from notesd.search.wanted import ranking_terms

DEEPEST = 20_000
"""Places looked through for a note that stands far down."""
MOST_FAILED = 50
"""Conditions named that a note does not fulfil."""
MISSED_SHOWN = 8
"""Missing words for which the note's nearest ones are looked for."""
MOST_WORDS = 20_000
"""Different words of one note that are compared with a missing one."""

_WORD = re.compile(r"[^\W_][\w'-]*")


class Verdict(Struct, frozen=True):
    """Why a note is where it is."""

    reason: str
    """Stable word: ``found``, ``filtered``, ``excluded``, ``no_match``, ``nothing_asked``."""
    sentence: str
    """The same for people, without the name of the note: "it is number 3 of 17"."""
    details: dict[str, Any]


def judge(
    reader: Reader, asked: Asked, note: StoredNote, slow: Sequence[Channel] = (), raw: Callable[[], str] = str
) -> Verdict:
    """Say what became of one note in a search.

    Each condition is tested on its own, so that every one that stands in the way is named. A note that
    passes is looked for in the whole ranking, far beyond the page that was asked for, with all the
    channels that the search itself asked.

    Args:
        reader: The index.
        asked: The search.
        note: The note.
        slow: The channels beside the words.
        raw: Reads the note's file, for words of it that are not searched.
    """
    every = conditions(reader, asked)
    failed = list(islice(_failed(reader, note.id, every), MOST_FAILED))
    details: dict[str, Any] = {"words": _words(reader, asked, note, raw)}
    if failed:
        details["filters"] = [_failure(reader, note, one) for one in failed]
        by = ", ".join(_written(one) for one in failed)
        if all(one.name == "excluded" or one.name.startswith("-") for one in failed):
            return Verdict("excluded", f"it has what the query excludes: {by}", details)
        return Verdict("filtered", f"it does not pass {by}", details)
    narrowed = fixed(reader, narrowing(joined(every)))
    if not ranking_terms(asked.query):
        return _by_date(reader, asked, note, narrowed, details)
    return _by_rank(reader, asked, note, narrowed, details, slow)


def judge_file(reader: Reader, asked: Asked, file: StoredFile) -> Verdict:
    """Say what became of a file that is no note in a search."""
    every = conditions(reader, asked)
    entry = NoteId(file_entry(file.id))
    if failed := list(islice(_failed(reader, entry, every, narrowing_files), MOST_FAILED)):
        by = ", ".join(_written(one) for one in failed)
        told = [{"filter": one.name, "value": one.value, "by": one.by} for one in failed]
        return Verdict("filtered", f"it is no note but a file, and does not pass {by}", {"filters": told})
    if not ranking_terms(asked.query):
        if asks_for_kind(every):
            return Verdict("found", "it comes after the notes, by its path; the query has no word", {})
        sentence = "the query has no word; then files are found where a type or an extension is asked for"
        return Verdict("nothing_asked", sentence, {})
    if missing := attached.lacking(reader, asked, file):
        sentence = f"it is found by its name and its folders alone, which do not hold {', '.join(missing)}"
        return Verdict("no_match", sentence, {"missing": missing})
    return Verdict("found", "its name holds the words; it comes after the notes that fit as well", {})


def _failed(
    reader: Reader, note_id: NoteId, every: Sequence[Condition],
    narrow: Callable[[Filters], Narrowing | None] = narrowing,
) -> Iterator[Condition]:  # fmt: skip
    """The conditions that a note does not fulfil; half of them at a time, as they may be thousands."""
    if not every or notes.among(reader, [note_id], narrow(joined(every))):
        return
    if len(every) == 1:
        yield every[0]
        return
    half = len(every) // 2
    yield from _failed(reader, note_id, every[:half], narrow)
    yield from _failed(reader, note_id, every[half:], narrow)


def _written(condition: Condition) -> str:
    """A condition as a person would type it."""
    name, value = condition.name, condition.value
    if condition.by == "parameter":
        return f"the filter {name} ({value})"
    quoted = f'"{value}"' if " " in value else value
    if name == "phrase":
        return f'"{value}"'
    if name.removeprefix("-") in {"property", "range"}:  # its key stands in the value
        return f"-{value}" if name.startswith("-") else value
    return f"-{quoted}" if name == "excluded" else f"{name}:{quoted}"


def _failure(reader: Reader, note: StoredNote, condition: Condition) -> dict[str, Any]:
    """A condition that a note does not fulfil, and what the note has instead, where that is one fact."""
    has: object = None
    name = condition.name.removeprefix("-")
    if name == "tag":
        has = list(notes.tags(reader, note.id))
    elif name == "type":
        has = note.entity_type or "note"
    elif name in {"folder", "path"}:
        has = note.path
    elif name == "title":
        has = note.title
    elif name == "alias":
        has = list(notes.aliases(reader, note.id))
    elif name == "created":
        has = note.created
    elif wanted := (condition.filters.without or condition.filters).properties:
        has = values_of(reader, note.id, wanted[0].key)
    elif name == "modified":
        has = modified_text(note.mtime_ns)
    told = {"filter": condition.name, "value": condition.value, "by": condition.by}
    return {**told, "has": has} if has is not None or condition.name == "created" else told


def _by_date(
    reader: Reader, asked: Asked, note: StoredNote, narrowed: Narrowing | None, details: dict[str, Any]
) -> Verdict:
    """The place of a note in a list that only filters make."""
    if narrowed is None:
        return Verdict("nothing_asked", "the query holds no word and no filter, so nothing is found", details)
    ids, total = by_date(reader, narrowed, "-modified", DEEPEST, 0, asked.demote)
    rank = ids.index(note.id) + 1 if note.id in ids else None
    details |= {"rank": rank, "total": total, "lists": [{"list": "date", "rank": rank}]}
    return Verdict(
        "found",
        f"it is {_place(rank, asked)}, newest first; the query has no word to rank by{_demoted(note, asked)}",
        details,
    )


def _by_rank(
    reader: Reader, asked: Asked, note: StoredNote, narrowed: Narrowing | None, details: dict[str, Any],
    slow: Sequence[Channel],
) -> Verdict:  # fmt: skip
    """The place of a note among all that match, or why it is not among them."""
    matches = any(one["columns"] for one in details["words"])
    at: int | None = None
    order: Sequence[Fused[NoteId]] = ()
    for level in levels(reader, asked, narrowed, slow, reach=DEEPEST):
        order = level.made.order
        at = next((place for place, one in enumerate(order, 1) if one.note == note.id), None)
        if at or level.depth >= DEEPEST or not (matches or slow):
            break
    if at:
        details |= _score(order[at - 1], level.words, at, len(order))
        return Verdict(
            "found",
            "; ".join((f"it is {_place(at, asked)}", *_lacking(details))) + _demoted(note, asked),
            details,
        )
    if matches:
        details |= {"rank": None, "total": None, "lists": []}
        return Verdict("found", f"it matches, but stands beyond the first {len(order)} results", details)
    none = "it holds none of the words that were looked for"
    unsearched = any("line" in one for one in details["words"])
    sentence = "; ".join(_lacking(details)) if unsearched else f"{none}{_instead(details)}"
    return Verdict("no_match", sentence, details)


def _lacking(details: dict[str, Any]) -> Iterator[str]:
    """Say which words a note lacks, and which stand in its file where nobody looks for them."""
    held = {one["word"] for one in details["words"] if one["columns"]}
    others = {one["word"]: one.get("line") for one in details["words"] if one["word"] not in held}
    if absent := [word for word, line in others.items() if line is None]:
        yield f"it does not hold {', '.join(absent)}"
    for word, line in others.items():
        if line is not None:
            yield f"{word} stands in line {line}, in a part of the file that is not searched"


def _score(one: Fused[NoteId], words: lexical.Lexical, rank: int, seen: int) -> dict[str, Any]:
    """The account of a note that was found."""
    return {
        "rank": rank,
        "total": max(seen, words.exact_total or 0),
        "total_is_exact": words.exact_total is not None,
        "score": one.score,
        "bm25": words.bm25.get(one.note),
        "lists": account.of_score(one),
    }


def _place(rank: int | None, asked: Asked) -> str:
    """A place in words, and how to get to see it when the page ends before it."""
    if rank is None:
        return f"beyond the first {DEEPEST} results"
    if rank > asked.offset + asked.limit:
        return f"number {rank}, after this page of {asked.limit} (offset {rank - 1} begins with it)"
    if rank <= asked.offset:
        return f"number {rank}, before this page, which begins after {asked.offset}"
    return f"number {rank}"


def _demoted(note: StoredNote, asked: Asked) -> str:
    folder = folder_of(note.path, asked.demote)
    return f"; it lies in {folder}, whose notes come after the others" if folder else ""


def _words(reader: Reader, asked: Asked, note: StoredNote, raw: Callable[[], str]) -> list[dict[str, Any]]:
    """Each word of the query with where the note holds it, or which words of the note come near it.

    A word that stands in the file where it is not searched has the first such ``line``.
    """
    words = account.words_in(reader, lexical.meant_terms(reader, asked.query), [note.id])[note.id]
    missing = [one for one in words if not one["columns"]][:MISSED_SHOWN]
    own = _own_words(reader, note) if missing else []
    text = fold(raw()) if missing else ""
    for one in missing:
        if at := _standing(one["word"], text):
            one["line"] = text.count("\n", 0, at.start()) + 1
        one["nearest"] = nearest(one["word"].rstrip("*"), own)
    return words


def _standing(word: str, text: str) -> re.Match[str] | None:
    """Find a word as it is typed in a folded text; one with a star as the beginning of a word."""
    typed = fold(word.rstrip("*"))
    end = "" if word.endswith("*") else r"(?!\w)"
    return re.search(rf"(?<!\w){re.escape(typed)}{end}", text) if typed else None


def _own_words(reader: Reader, note: StoredNote) -> list[str]:
    """Different words of a note, those of its names first."""
    parts = [
        note.title,
        *notes.aliases(reader, note.id),
        *(heading.text for heading in notes.headings(reader, note.id)),
        *(passage.text for passage in notes.observations(reader, note.id)),
    ]
    own: dict[str, None] = {}
    for part in parts:
        own |= dict.fromkeys(word.lower() for word in _WORD.findall(part))
        if len(own) >= MOST_WORDS:
            break
    return list(own)[:MOST_WORDS]


def _instead(details: dict[str, Any]) -> str:
    near = list(dict.fromkeys(word for one in details["words"] for word in one.get("nearest", [])[:1]))
    return f"; {', '.join(near)} would have matched" if near else ""
