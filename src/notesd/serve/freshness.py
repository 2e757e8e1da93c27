"""How current is an answer, how complete, and which of its hits may say something else by now?"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from notesd.errors import NotesdError, SpaceUnavailable, counted
from notesd.files.scan import lstat_note
from notesd.index import around
from notesd.index.notes import Known
from notesd.index.store import Reader
from notesd.model import NotePath, Problem
from notesd.space.condition import Freshness
from notesd.space.space import Space


class State(Struct, frozen=True):
    """What one space knew when it was asked."""

    fresh: Freshness
    gaps: tuple[str, ...]
    """What its index may lack, a sentence each; none: it holds all notes there are."""


def state_of(reader: Reader, space: Space) -> State:
    """Say how current and how complete an index is at this moment."""
    fresh, fault, unseen = space.freshness(reader), space.fault, space.out_of_sight(reader)
    waiting = fresh.pending["files"]
    gaps = []
    if fault:
        gaps.append(fault.reason)
    if fresh.building:
        known = (
            f"{counted(waiting, 'file')} to go" if fresh.counted else "its notes have not been counted yet"
        )
        gaps.append(f"the index is still being built ({known})")
    elif waiting and fresh.counted:
        gaps.append(f"{counted(waiting, 'change is', 'changes are')} still to be read")
    elif waiting and not fault:
        gaps.append("the folder has not been compared with the index yet")
    gaps += _out_of_sight(reader, unseen.unlisted)
    if unseen.unread:
        gaps.append(f"{counted(len(unseen.unread), 'note')} could not be read")
    return State(fresh, tuple(gaps))


def unknown(reason: str) -> State:
    """Say the same of an index that cannot be asked now."""
    fresh = Freshness(
        generation=0, fresh=False, lag_ms=0.0, pending={"files": 0, "embeddings": 0}, building=False,
        counted=False,
    )  # fmt: skip
    return State(fresh, (reason,))


def _out_of_sight(reader: Reader, unlisted: Mapping[str, Problem]) -> list[str]:
    """Say what could not be looked at, a sentence for each way.

    A link that leads nowhere counts where it led to notes.
    """
    kinds = Counter(problem.kind for problem in unlisted.values())
    links = [path for path, problem in unlisted.items() if problem.kind == "unlinked"]
    kinds.pop("unlinked", None)
    links = [path for path in links if around.any_at_or_below(reader, path)]
    away = kinds.pop("unmounted", 0) + kinds.pop("covered", 0)
    offline = kinds.pop("offline", 0)
    ways = (
        (kinds.total(), "folder", "could not be listed"),
        (len(links), "link", "to notes led nowhere when it was looked at last"),
        (away, "folder", "lay on a disk that is not there"),
        (offline, "note", "put away by a cloud service could not be read"),
    )
    return [f"{counted(number, what)} {why}" for number, what, why in ways if number]


def joined(states: Mapping[str, State]) -> dict[str, Any]:
    """One statement about all spaces, by name: as stale as the stalest, as complete as the least complete."""
    every = [state.fresh for state in states.values()]
    named = len(states) > 1
    gaps = [f"space {name}: {gap}" if named else gap for name, state in states.items() for gap in state.gaps]
    return {
        "generation": max((s.generation for s in every), default=0),
        "fresh": all(s.fresh for s in every),
        "lag_ms": round(max((s.lag_ms for s in every), default=0.0), 1),
        "pending": {kind: sum(s.pending[kind] for s in every) for kind in ("files", "embeddings")},
        "counted": all(s.counted for s in every),
        "building": any(s.building for s in every),
        "complete": not gaps,
        "gaps": gaps,
    }


def unsure(index: Mapping[str, Any]) -> str:
    """The end of a sentence that says something is not there, empty when that is sure."""
    gaps: Sequence[str] = index["gaps"]
    return f"; {', '.join(gaps)}, so it may be there all the same" if gaps else ""


def stale(space: Space, paths: Iterable[NotePath], known: Mapping[NotePath, Known]) -> set[NotePath]:
    """Which of some notes may say something else by now than what the index knows.

    The file is looked at, never read: one that is gone, another or out of sight makes its note stale.

    Args:
        space: Where they are.
        paths: The notes.
        known: What their files were when they were read.
    """
    reachable = space.fault is None
    found = set()
    for path in paths:
        now, before = None, known.get(path)
        if reachable and not space.hidden_by(path):
            try:
                now = lstat_note(*space.place.links.place(path))
            except SpaceUnavailable:
                reachable = False
        same = before is not None and now == before.stamp
        # The stamp of a file that was just being written proves nothing: there the events count.
        if not same or (before and before.racy and space.is_stale(path)):
            found.add(path)
    return found


async def settle(spaces: Sequence[Space], wait: bool | int) -> list[dict[str, str]]:
    """Wait until what is on disk now is in the index; returns why that did not come true.

    Args:
        spaces: Those that will be asked.
        wait: False: not at all; True: as long as it takes; a number: so many milliseconds.
    """
    if wait is False:
        return []
    limit = None if wait is True else wait / 1000
    futures = {space.name: asyncio.wrap_future(space.settled()) for space in spaces}
    unmet = []
    try:
        await asyncio.wait(futures.values(), timeout=limit)
        for name, future in futures.items():
            if not future.done():
                late = f"space {name} was not up to date within {wait} ms"
                unmet.append({"channel": "index", "reason": late})
            elif error := future.exception():
                if not isinstance(error, NotesdError):
                    raise error
                unmet.append({"channel": "index", "reason": error.message})
    finally:
        for future in futures.values():
            future.cancel()  # nobody will ask what became of it
    return unmet
