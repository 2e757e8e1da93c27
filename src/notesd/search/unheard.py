"""Which filters name nothing that there is? A name that is typed wrong must not look like an answer.

With a minus before it such a name leaves nothing out, which is as much to be told.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from typing import Any, Final

from msgspec import Struct

from notesd.index.filters import Filters
from notesd.index.properties import spelled, values
from notesd.index.store import Reader
from notesd.index.vocabulary import absent, fits_any, written
from notesd.parse.edits import distance
from notesd.parse.expressions import match
from notesd.parse.terms import Term
from notesd.resolve.find import nearest
from notesd.search.boolean import MOST_PARTS
from notesd.search.conditions import Condition
from notesd.search.pieces import straight, typed_keys
from notesd.search.query import Query
from notesd.search.wanted import dropped_terms

MOST_TOLD: Final = 5
"""Names that are told of in one answer, each with the nearest."""
_NEAREST: Final = 3
_MOST_LOOKED_UP: Final = 20
_MOST_COMPARED: Final = 60_000
"""Names that are there with which those that are not are compared in one answer; it takes .2 s."""
_COMPARED: Final = 200
"""Characters of a name that are compared with those that there are."""
_SHORTEST_KEY: Final = 4
"""Letters of a key from which on another with one slip is told."""
_LISTED: Final = frozenset({"tag", "type", "rel"})
_LACKING: Final = {
    "folder": "no note lies in a folder {}",
    "tag": "no note has the tag {}",
    "type": "no note is of the type {}",
    "rel": "no note has a relation {}",
    "ext": "no file has the extension {}",
    "path": "no path holds {}",
    "title": "no title holds {}",
    "alias": "no alias holds {}",
    "links": "no note is called {}",
    "linked": "no note is called {}",
    "property": "no note has {}",
}


class Unheard(Struct, frozen=True):
    """A filter that names nothing in one space."""

    kind: str
    """As a condition is named, with ``-`` before it where it was to leave something out."""
    value: str
    nearest: tuple[str, ...]
    """Names of that kind that are most like it, the best first."""


def unheard(reader: Reader, every: Sequence[Condition]) -> tuple[Unheard, ...]:
    """The conditions of a search that name nothing in one index, the first of them with the nearest names.

    Of a kind that takes a look-up of its own for each, the first ``_MOST_LOOKED_UP`` that are found.
    """
    found: list[Unheard] = []
    names: dict[str, Sequence[str]] = {}
    left = _MOST_COMPARED
    named = [*chain.from_iterable(one.parts or (one,) for one in every)]
    for one in _naming_nothing(reader, named):
        asked_for = _plain(one).properties
        kind = asked_for[0].key if asked_for else one.name.removeprefix("-")
        near: Sequence[str] = ()
        if len(found) < MOST_TOLD and left > 0:
            if kind not in names:
                names[kind] = list(values(reader, kind) if asked_for else written(reader, kind))
            left -= len(names[kind])
            near = nearest(_meant(one)[:_COMPARED], names[kind])
            near = [spelled(reader, kind, name) for name in near] if asked_for else near
        found.append(Unheard(one.name, one.value, tuple(near)))
    return tuple(found)


def _naming_nothing(reader: Reader, every: Sequence[Condition]) -> Iterator[Condition]:
    for kind, group in groupby(every, lambda one: one.name):
        some = list(group)
        plain = kind.removeprefix("-")
        if plain in _LISTED:
            missing = set(absent(reader, plain, [one.value for one in some]))
            yield from (one for one in some if one.value in missing)
        elif plain in {"links", "linked"}:
            yield from (one for one in some if not any((*_plain(one).links_to, *_plain(one).linked_from)))
        elif plain in _LACKING:
            missed = (one for one in some if not fits_any(reader, _plain(one)))
            yield from islice(missed, _MOST_LOOKED_UP)


def _plain(condition: Condition) -> Filters:
    """What a condition names, whether it wants that or not."""
    return condition.filters.without or condition.filters


def _meant(condition: Condition) -> str:
    """A name as it would stand in the space: of a path in full what lies below its folder; a value alone."""
    filters = _plain(condition)
    if filters.properties:
        return filters.properties[0].texts[0]
    return (filters.folder or next(iter(filters.paths), "") or condition.value).strip("/")


def told(parts: Sequence[Sequence[Unheard]]) -> list[dict[str, Any]]:
    """Entries of ``degraded`` for the filters that name nothing in any of the spaces that were asked.

    Args:
        parts: What each space has said.
    """
    near: dict[tuple[str, str], list[str]] = {}
    for one in chain.from_iterable(parts):
        near.setdefault((one.kind, one.value), []).extend(one.nearest)
    where = Counter((one.kind, one.value) for one in chain.from_iterable(parts))
    nowhere = [key for key in near if where[key] == len(parts)]
    entries = [_entry(kind, value, near[kind, value]) for kind, value in nowhere[:MOST_TOLD]]
    if len(nowhere) > MOST_TOLD:
        entries.append({"channel": "filter", "reason": "other filters, too, name nothing that there is"})
    return entries


def _entry(kind: str, value: str, near: Iterable[str]) -> dict[str, Any]:
    plain = kind.removeprefix("-")
    best = list(dict.fromkeys(near))[:_NEAREST]
    if plain == "property":
        best = [f"{value.partition(':')[0]}:{_as_typed(name)}" for name in best]
    reason = _LACKING[plain].format(f'"{value[:_COMPARED]}"')
    if plain != kind:
        reason += ", so the minus leaves nothing out"
    if best:
        reason += f"; nearest: {', '.join(best)}"
    return {"channel": "filter", "filter": kind, "value": value, "nearest": best, "reason": reason}


def _as_typed(value: str) -> str:
    return f'"{value}"' if " " in value else value


def beyond(over: Iterable[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """Entries of ``degraded`` for filters that do not count because they are too many, as ``over`` says."""
    return [
        {
            "channel": "filter",
            "filter": kind,
            "reason": f"of {size} filters by {kind.removeprefix('-')} the first {most} count",
        }
        for kind, size, most in over
    ]


def of_keys(text: str, keys: Collection[str]) -> list[dict[str, Any]]:
    """Entries of ``degraded`` for what is nearly the key of a property, and is searched as text.

    Args:
        text: Of the query.
        keys: The keys that there are, folded.
    """
    entries = []
    strange = [
        (typed, folded)
        for typed, folded in typed_keys(straight(text)).items()
        if " " not in typed and folded not in keys and len(folded) >= _SHORTEST_KEY
    ]
    for typed, folded in strange[: _MOST_COMPARED // (1 + len(keys))]:
        near = sorted(key for key in keys if distance(folded, key, 1) == 1)[:_NEAREST]
        if near:
            reason = (
                f'no note has a property "{typed}", so it was searched as text; nearest: {", ".join(near)}'
            )
            entry = {"channel": "filter", "filter": "property", "value": typed, "nearest": near}
            entries.append({**entry, "reason": reason})
    return entries[:MOST_TOLD]


FAR: Final = {
    "channel": "semantic",
    "partly": True,
    "evidence": "low",
    "reason": "no note holds a word of the question, and none is near to it in meaning: these are guesses",
}
NOTHING_ASKED: Final = {
    "channel": "filter",
    "reason": "nothing was asked: the text holds no word and no filter, so there is nothing to look for",
}


def of_text(query: Query, *, common: bool) -> list[dict[str, Any]]:
    """Entries of ``degraded`` for a text that counts for less than it says.

    Args:
        query: It.
        common: No note holds a word of it but common ones.
    """
    reasons = []
    if query.too_long:
        reasons.append(
            f"an expression of more than {MOST_PARTS} words, operators and brackets is searched as text; "
            "ask for its parts one by one"
        )
    if common and (dropped := ", ".join(term.text for term in dropped_terms(query)[:MOST_TOLD])):
        reasons.append(f"no note holds a word of the question but common ones: {dropped[:_COMPARED]}")
    return [{"channel": "filter", "reason": reason} for reason in reasons]


def unheld(reader: Reader, query: Query) -> frozenset[Term]:
    """The phrases of a query that no note of one index holds word by word."""
    every = dict.fromkeys((*query.phrases, *query.quotes))
    return frozenset(term for term in every if not fits_any(reader, Filters(matches=(match(term),))))


def of_phrases(query: Query, nowhere: Iterable[Term]) -> list[dict[str, Any]]:
    """Entries of ``degraded`` for phrases that no note holds.

    Args:
        query: As it is asked: those of its ``phrases`` have to occur nevertheless.
        nowhere: The phrases.
    """
    entries = []
    for term in nowhere:
        reason = f'no note holds "{term.text[:_COMPARED]}" word by word'
        if term not in query.phrases:
            reason += ", so its words were looked for one by one"
        entries.append({"channel": "filter", "filter": "phrase", "value": term.text, "reason": reason})
    return entries
