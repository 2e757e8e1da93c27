"""What does each tool answer? The daemon's answers in the few fields that a model needs."""

from __future__ import annotations

import re

from notesd.mcp.arguments import NoNote, Wrong
from notesd.mcp.lines import encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Ask = Callable[..., dict[str, Any]]
    """Asks the daemon: the name of a method and its parameters."""

DEFAULT_LIMIT = 10
_LINKS, _NAMES = 40, 20
"""Relations and aliases of one note that are told; the rest is counted."""
_MOST_NAMES, _MOST_IN_NAMES = 50, 5_000
_TEXT_SHARE = 2.4
"""Text and structured content both have it, and both need some room for the rest."""
_LEAST = 200
_DAY = re.compile(r"\d{4}(-\d{2}){0,2}")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ].*")
_LINES = re.compile(r"L?(\d{1,9})(?:\s*(?:\.\.\.?|-|–|:|,|to)\s*L?(\d{0,9}))?")  # noqa: RUF001 - as people write it
_PLACE = re.compile(r"(.+\.(?:md|markdown)):(\d{1,9})", re.IGNORECASE)
_MARK = re.compile(r"</?mark>")
"""What shows a person the words that were found."""
_NO_CURSOR = "this cursor was not given with this note; leave it out to begin at the first line"
_SCORES = ("distance", "rrf_score", "limbic_score", "scoring", "routing_strategy")


def search_notes(ask: Ask, given: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Find notes by words and filters."""
    return _found(ask, given, most, vectors=None)


def search_semantic(ask: Ask, given: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Find notes by meaning as well."""
    return _found(ask, given, most, vectors=True)


def _found(ask: Ask, given: Mapping[str, Any], most: int, *, vectors: bool | None) -> dict[str, Any]:
    asked = {name: given[name] for name in ("query", "offset", "folder", "tag", "type") if name in given}
    more = {} if vectors is None else {"vector_search": True}
    if given.get("properties"):
        asked["query"] = " ".join((asked["query"], *_filters(ask, given["properties"])))
    answer = ask("search", limit=given.get("limit", DEFAULT_LIMIT), **asked, **_since(given), **more)
    shape = _by_meaning if vectors else _hit
    return _listed(answer, [shape(hit) for hit in answer["results"]], given, most)


def _filters(ask: Ask, properties: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Write properties as a query has them; each of several values will do.

    Raises:
        Wrong: No note has such a property.
    """
    for key, values in properties.items():
        known = ask("properties", name=key)
        if not known["properties"]:
            told = [one["reason"] for one in known["degraded"]]
            raise Wrong("; ".join(told) or f'no note has a property "{key}"')
        name = f"property.{known['properties'][0]['name']}".replace('"', " ")
        pairs = [f'"{name}":"{value.replace(chr(34), " ")}"' for value in values]
        yield f"({' OR '.join(pairs)})" if len(pairs) > 1 else "".join(pairs)


def recent_notes(ask: Ask, given: Mapping[str, Any], most: int) -> dict[str, Any]:
    """List notes by date of change."""
    asked = {name: given[name] for name in ("offset", "folder", "tag") if name in given}
    answer = ask("feed", limit=given.get("limit", DEFAULT_LIMIT), **asked, **_since(given))
    return _listed(answer, [_hit(hit) for hit in answer["results"]], given, most)


def related_notes(ask: Ask, given: Mapping[str, Any], most: int) -> dict[str, Any]:
    """List what belongs with a note."""
    answer = ask("related", note=_named(given["note"])[0], limit=given.get("limit", DEFAULT_LIMIT))
    hits = []
    for hit in answer["results"]:
        reasons = [
            {name: fact for name, fact in reason.items() if fact not in (None, [])}
            for reason in hit.get("reasons", ())
        ]
        hits.append({**_hit(hit), "reasons": reasons})
    told = {"note": answer["note"]["path"], "results": hits, "freshness": freshness(answer)}
    return _cut(told, "results", most)


def _lines(written: str) -> str:
    """Read which lines are meant: ``10..40``, ``10-40``, ``10``, ``10..``.

    Raises:
        Wrong: They cannot be told, or end before they begin.
    """
    found = _LINES.fullmatch(written.strip())
    if found is None or (found[2] and int(found[2]) < int(found[1])):
        raise Wrong(f"lines are written like 10..40, not {written[:60]!r}")
    return f"{found[1]}..{found[2]}" if found[2] is not None else f"{found[1]}..{found[1]}"


def read_note(ask: Ask, given: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Read the text of a note, as much as there is room for."""
    room = int(most / _TEXT_SHARE)
    asked = {name: given[name] for name in ("part", "cursor") if name in given}
    note, cited = _named(given["note"])
    if line := given.get("lines") or (cited and f"{cited}.."):
        asked["lines"] = _lines(line)
    while True:
        answer = ask("open", notes=[note], text=True, max_chars=room, **asked)
        if not answer["entities"]:
            raise NoNote(_absent(answer["missing"][0])) if answer["missing"] else Wrong(_NO_CURSOR)
        told = _text_of(answer)
        if _size(told) <= most or room <= _LEAST:
            return told
        room //= 2


def _named(written: str) -> tuple[str, str]:
    """Return a note's name that may be written as we cite it, and the line cited."""
    place = _PLACE.fullmatch(written)
    return (place[1], place[2]) if place and not written.startswith("note://") else (written, "")


def _size(told: Mapping[str, Any]) -> int:
    """Characters of an answer at most: as structured content, and as text, whose lines may have a number."""
    return 2 * len(encoded(told)) + 8 * str(told.get("text", "")).count("\n")


def _text_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    entity = answer["entities"][0]
    text = "".join(entity["text"])
    told = {**_header(entity), "text": text}
    if "line" in entity:
        first = entity["line"]
        told["lines"] = f"{first}..{first + text.rstrip(chr(10)).count(chr(10))}"
    if entity.get("part"):
        told["part"] = entity["part"]
    told |= _relations(entity)
    if "next" in answer:
        told |= {"truncated": True, "next": answer["next"]}
    return {**told, "freshness": freshness(answer)}


def open_nodes(ask: Ask, given: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Open notes as entities, as many as there is room for."""
    names, room = list(dict.fromkeys(_named(name)[0] for name in given["names"])), int(most / _TEXT_SHARE)
    if len(names) > _MOST_NAMES or sum(map(len, names)) > _MOST_IN_NAMES:
        raise Wrong(f"open at most {_MOST_NAMES} notes, {_MOST_IN_NAMES:,} characters of names, at once")
    while True:
        answer = ask("open", notes=names, max_chars=room)
        entities = [_entity(one) for one in answer["entities"]]
        told = {"entities": entities, "missing": answer["missing"], "freshness": freshness(answer)}
        if "next" in answer:
            begun = int(answer["next"]["cursor"].partition(".")[0])
            told["truncated"] = True
            if rest := names[begun + bool(entities and entities[-1].get("truncated")) :]:
                told["next"] = {"names": rest}
        if _size(told) <= most:
            return told
        if room > _LEAST:
            room //= 2
        elif len(names) > 1:
            answer_ = open_nodes(ask, {"names": names[: len(names) // 2]}, most)
            rest = [*answer_.get("next", {}).get("names", ()), *names[len(names) // 2 :]]
            return {**answer_, "truncated": True, "next": {"names": rest}}
        else:
            return told


def _entity(entity: Mapping[str, Any]) -> dict[str, Any]:
    passages = [
        {name: one[name] for name in ("text", "line_start", "line_end", "heading") if one[name] != []}
        for one in entity["observations"]
    ]
    cut = {"truncated": True} if entity.get("truncated") else {}
    return {**_header(entity), "observations": passages, **_relations(entity), **cut}


def status(ask: Ask, _given: Mapping[str, Any], _most: int) -> dict[str, Any]:
    """Say which spaces there are and how they are."""
    answer = ask("status")
    spaces = []
    for space in answer["spaces"]:
        facts = {name: space[name] for name in ("name", "path", "state", "notes", "generation")}
        facts |= {"pending": space["pending"]["files"], "vectors": space["vectors"]["state"]}
        if space["problems"]:
            facts["problems"] = len(space["problems"])
        spaces.append(facts)
    waiting = sum(space["pending"] for space in spaces)
    whole = answer["state"] == "ready" and not waiting
    state = "complete" if whole else f"{answer['state']}, {waiting} files still to be read"
    return {"spaces": spaces, "freshness": f"index {state}"}


def freshness(answer: Mapping[str, Any]) -> str:
    """Say in one line how far an answer is to be trusted, and what it lacks."""
    index = answer.get("index", {})
    gaps = list(index.get("gaps", ()))
    said = [f"{len(gaps)} gaps: {'; '.join(gaps)}" if len(gaps) > 1 else gaps[0]] if gaps else ["complete"]
    # What will be so for every question is no news.
    said += [one["reason"] for one in answer.get("degraded", ()) if not one.get("lasting")]
    said += [f"{one['from']!r} was taken for {one['to']!r}" for one in answer.get("corrected", ())]
    return f"index {'; '.join(said)}"


def _listed(
    answer: Mapping[str, Any], hits: list[dict[str, Any]], given: Mapping[str, Any], most: int
) -> dict[str, Any]:
    """One page of hits, with how to go on."""
    told = {
        "results": hits, "total": answer["total"], "exact": answer.get("total_is_exact", True),
        "freshness": freshness(answer),
    }  # fmt: skip
    if answer["has_more"]:
        told["next"] = {"offset": given.get("offset", 0) + len(hits)}
    return _cut(told, "results", most, given.get("offset", 0))


def _cut(told: dict[str, Any], name: str, most: int, offset: int | None = None) -> dict[str, Any]:
    """As many entries of a list as text and structured content have room for, with word of the rest."""
    while _size(told) > most and len(told[name]) > 1:
        kept = max(1, len(told[name]) * 2 // 3)
        told = {**told, name: told[name][:kept], "truncated": True}
        if offset is not None:
            told["next"] = {"offset": offset + kept}
    return told


def _hit(hit: Mapping[str, Any]) -> dict[str, Any]:
    """A hit in the fields that a model needs; what is empty is left out."""
    facts = {name: hit.get(name) for name in ("name", "path", "line")}
    more = {
        "heading": " > ".join(hit.get("heading") or ()),
        "type": hit["entityType"] if hit.get("entityType") != "note" else None,
        "tags": hit.get("tags"),
        "created": hit.get("created"),
        "modified": (hit.get("modified") or "")[:10],
        "snippet": _MARK.sub("", hit.get("snippet") or ""),
        "linked_by": hit.get("linked_by"),
        "stale": hit.get("stale"),
    }
    return {**facts, "space": hit["space"], **{name: fact for name, fact in more.items() if fact}}


def _by_meaning(hit: Mapping[str, Any]) -> dict[str, Any]:
    """A hit of a search by meaning, by its published names."""
    told = {name: fact for name, fact in _hit(hit).items() if name not in ("snippet", "type")}
    told |= {"entityType": hit["entityType"], "observations": [one["text"] for one in hit["observations"]]}
    return told | {name: hit[name] for name in _SCORES if name in hit}


def _header(entity: Mapping[str, Any]) -> dict[str, Any]:
    facts = {name: entity[name] for name in ("name", "entityType", "path", "space")}
    for name in ("aliases", "tags"):
        if entity[name]:
            facts[name] = entity[name][:_NAMES]
    for name in ("created", "modified", "kind", "size"):
        if entity.get(name):
            facts[name] = entity[name]
    return facts


def _relations(entity: Mapping[str, Any]) -> dict[str, Any]:
    """Relations of a note, each other end once in each way."""
    seen: dict[tuple[object, ...], dict[str, Any]] = {}
    for one in entity["relations"]:
        told = {"relation": one["relation"], "target": one["target"], "direction": one["direction"]}
        if not one["resolved"]:
            told["unresolved"] = True
        seen.setdefault(tuple(told.items()), {name: fact for name, fact in told.items() if fact is not None})
    every = list(seen.values())
    more = {"more_relations": len(every) - _LINKS} if len(every) > _LINKS else {}
    return {"relations": every[:_LINKS], **more}


def _absent(missing: Mapping[str, Any]) -> str:
    """Say why a note could not be read."""
    near, reason = missing["nearest"], missing["reason"]
    hint = f"; did you mean {', '.join(map(repr, near))}?" if near and "did you mean" not in reason else ""
    return f"{missing['note']!r}: {reason}{hint}"


def _since(given: Mapping[str, Any]) -> dict[str, str]:
    """The range of dates that begins at a day, which may be written as a moment or in words."""
    if "since" not in given:
        return {}
    since = given["since"].strip()
    if moment := _MOMENT.fullmatch(since):
        since = moment[1]
    return {"modified": f"{since}.." if _DAY.fullmatch(since) else since}


ANSWERS: dict[str, Callable[[Ask, Mapping[str, Any], int], dict[str, Any]]] = {
    one.__name__: one
    for one in (search_notes, read_note, open_nodes, search_semantic, related_notes, recent_notes, status)
}
