"""How is a space, and what is in it? Status, check and export in the shapes of the protocol."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from notesd.duty import told
from notesd.errors import Busy, counted
from notesd.files.ignore import Ignore
from notesd.index import attachments, canonical, links, notes
from notesd.index.store import Reader
from notesd.ingest.ingest import Progress
from notesd.model import Problem
from notesd.parse.filenames import kind_of, parted
from notesd.resolve.names import last_part
from notesd.search.semantic import Outcome, Question
from notesd.serve import graph
from notesd.serve.pages import Entry
from notesd.serve.suggestions import idle, suggested
from notesd.space.condition import WatchState
from notesd.space.space import Space
from notesd.space.vectors import VectorState

MOST_PROBLEMS = 200
"""Problems of a space that its status names; ``check`` names all."""


def status_of(reader: Reader, space: Space) -> dict[str, Any]:
    """One entry of ``spaces`` in ``status``."""
    fresh = space.freshness(reader)
    return {
        **_condition(space),
        "state": "indexing" if fresh.building and space.state == "ready" else space.state,
        "generation": fresh.generation,
        "notes": notes.count(reader),
        "attachments": attachments.count(reader),
        "links": links.count(reader),
        "pending": fresh.pending,
        "counted": fresh.counted,
        "problems": [_problem(path, p) for path, p in _problems(space, reader)],
        "stemmer": reader.meta("stemmer"),
    }


def size_of(reader: Reader, _: Space) -> tuple[int, int]:
    """Generation of an index, and how many notes it has."""
    return reader.generation, notes.count(reader)


def with_some_problems(described: dict[str, Any]) -> dict[str, Any]:
    """An entry of ``spaces`` with the first of its problems; ``check`` names all."""
    if len(described["problems"]) <= MOST_PROBLEMS:
        return described
    return {**described, "problems": described["problems"][:MOST_PROBLEMS], "problems_truncated": True}


NOTHING_KNOWN: Mapping[str, Any] = {
    "generation": 0, "notes": 0, "attachments": 0, "links": 0, "pending": {"files": 0, "embeddings": 0},
    "counted": False, "stemmer": None,
}  # fmt: skip
"""What is said of an index that could never be read."""


def sick(space: Space, error: Exception, known: Mapping[str, Any]) -> dict[str, Any]:
    """One entry of ``spaces`` in ``status`` for an index that cannot be read.

    Args:
        space: Whose index it is.
        error: What reading it came to.
        known: What was said of it before; of its notes and their number nothing newer can be had.
    """
    known_as = told(error)
    problems = [_problem(path, p) for path, p in _troubles(space, None) if p.reason != known_as.message]
    if not (isinstance(error, Busy) and space.fault):  # there is no index, and the fault says why
        problems.insert(0, {"path": "", "kind": known_as.kind, "reason": known_as.message})
    return {
        **known, **_condition(space),
        "state": "degraded" if space.state == "ready" else space.state,
        "problems": problems,
    }  # fmt: skip


def _condition(space: Space) -> dict[str, Any]:
    """What a space knows of itself without its index."""
    now = space.progress
    p50, p95 = space.ledger.lags_ms()
    watch = space.watch_state()
    return {
        "name": space.name,
        "path": space.root,
        "progress": progress_of(space, now) if now else None,
        "watching": watch.kind,
        "watch": {
            "lag_ms": {"p50": round(p50, 1), "p95": round(p95, 1)}, "heartbeat": watch.heartbeat,
            "illness": watch.illness,
            "used": watch.used, "limit": watch.limit, "shortfall": watch.shortfall,
            "overflow": _overflow(watch, space),
        },
        "last_progress": datetime.fromtimestamp(space.moved).astimezone().isoformat(),
    }  # fmt: skip


def _overflow(watch: WatchState, space: Space) -> dict[str, Any] | None:
    """What became of events that came too fast, None when none were lost since the start.

    ``walked``: the walk that finds what they would have told is over, and all of it is in the index.
    """
    if watch.overflowed is None:
        return None
    last = datetime.fromtimestamp(watch.overflowed).astimezone().isoformat()
    return {"count": watch.overflows, "last": last, "walked": not space.ledger.debt().files}


def progress_of(space: Space, now: Progress) -> dict[str, Any]:
    """How far a pass is, how fast it goes and how long it may still take; None: nobody knows yet."""
    seconds = space.pass_seconds
    rate = round(now.done / seconds, 1) if now.done and seconds > 0 else None
    eta = round(seconds / now.done * (now.total - now.done), 1) if now.done else None
    return {"done": now.done, "total": now.total, "eta_s": eta, "rate_per_s": rate}


def _problems(space: Space, reader: Reader) -> list[tuple[str, Problem]]:
    """Everything that is wrong, with the path it is wrong with; ``""`` is the space itself."""
    return _troubles(space, reader) + list(notes.with_problems(reader))


def _troubles(space: Space, reader: Reader | None) -> list[tuple[str, Problem]]:
    """The part of it that stands in no index; without a reader where there is none."""
    found = [("", space.fault)] if space.fault else []
    return found + space.out_of_sight(reader).named()


def _problem(path: str, problem: Problem) -> dict[str, Any]:
    return {"path": path, "kind": problem.kind, "reason": problem.reason}


def vectors_of(state: VectorState, tokenizer: tuple[str | None, str]) -> dict[str, Any]:
    """How far the vectors of a space are, and what cuts its texts, for its entry in ``status``."""
    runs, remark = tokenizer if state.state != "off" else (None, "")
    return {
        "vectors": {
            "model": state.model, "done": state.done, "total": state.total, "state": state.state,
            "reason": state.reason or None, "per_s": state.per_s, "eta_s": state.eta_s,
            "outlined": state.outlined,
            "tokenizer": runs, "remark": remark or None,
        }
    }  # fmt: skip


def outcome(asked: Question, states: Iterable[VectorState]) -> tuple[Outcome, str]:
    """How a question by meaning did, and why not well; never better than ``status`` says of these spaces."""
    if asked.outcome in ("ok", "building"):
        for state in states:
            if state.state == "unavailable":
                return "unavailable", state.reason
    return asked.outcome, asked.reason


def without(aside: int) -> list[dict[str, Any]]:
    """What an answer by meaning lacks for good, where the model failed on so many notes.

    ``lasting``: it is so for every question until the notes change, and need not be said to people each time.
    """
    if not aside:
        return []
    reason = (
        f"{counted(aside, 'note')} could not be embedded, or not in whole, and words alone find the rest: "
        "see notesd status"
    )
    return [{"channel": "semantic", "reason": reason, "lasting": True}]


CHECKED = (
    "broken_links", "ambiguous_names", "problems", "left_out", "orphans", "followed_links", "suggestions",
    "vectors",
)  # fmt: skip


def check_of(
    reader: Reader, space: Space, vectors: Sequence[str], demote: Sequence[str] = ()
) -> Iterator[Entry]:  # fmt: skip
    """What a person may want to mend in the notes, in the lists ``CHECKED``.

    Args:
        reader: The index.
        space: Whose index it is.
        vectors: What is wrong with its vectors, a sentence each.
        demote: Its folders whose notes come later.
    """
    purged, ignore = not reader.meta("unpurged"), space.ignore
    wish = "its front matter says index: false"
    every: Mapping[str, Callable[[], Iterable[dict[str, Any]]]] = {
        "broken_links": lambda: map(graph.relation, links.broken(reader)),
        "ambiguous_names": lambda: (
            {"name": name, "paths": paths} for name, paths in links.shared_names(reader)
        ),
        "problems": lambda: (
            _problem(path, p)
            for path, p in chain(_problems(space, reader), idle(reader, space.name, demote, ignore))
        ),
        "left_out": lambda: chain(
            ({"path": path, "reason": wish, "purged": purged} for path in notes.left_out(reader)),
            _by_name(reader, ignore),
        ),
        "orphans": lambda: ({"path": path} for path in links.orphans(reader)),
        "vectors": lambda: ({"reason": sentence} for sentence in vectors),
        "followed_links": lambda: (
            {"path": link, "target": target.real}
            for link, target in sorted(space.place.links.targets.items())
            if target.is_folder or notes.identity(reader, target.path)
        ),
        "suggestions": lambda: suggested(reader, space.root, demote),
    }
    for part in CHECKED:
        yield from (Entry(part, {"space": space.name, **row}) for row in every[part]())


def _by_name(reader: Reader, ignore: Ignore) -> Iterator[dict[str, Any]]:
    """Files that would be notes but for ``name_only`` in the configuration, by path."""
    for path in sorted(attachments.paths(reader)) if ignore.name_only else ():
        for rule in ignore.unread(path)[:1] if ignore.ends_so(path) else ():
            why = f"the name_only pattern {rule.pattern} fits it, so it is found by its name alone"
            yield {"path": path, "reason": why, "purged": True}


EXPORTED = ("notes", "links", "attachments")


def exported(reader: Reader, first: int, most: int) -> Iterator[Entry]:
    """The derived index of one space in its canonical form, in the lists ``EXPORTED``: from one entry on."""
    yield from (Entry("notes", note) for note in canonical.notes(reader, first, most))
    first = max(0, first - notes.count(reader))
    yield from (Entry("links", graph.relation(row)) for row in links.export(reader, first, most))
    first = max(0, first - links.count(reader))
    yield from (Entry("attachments", row) for row in _files(reader)[first : first + most])


def export_of(reader: Reader) -> dict[str, Any]:
    """The whole of it: the same bytes for the same files."""
    every = [graph.relation(row) for row in links.export(reader)]
    return {"notes": canonical.notes(reader), "links": every, "attachments": _files(reader)}


def _files(reader: Reader) -> list[dict[str, Any]]:
    return [
        {"path": path, "kind": kind_of(parted(last_part(path))[1])}
        for path in sorted(attachments.paths(reader))
    ]


def rss_bytes() -> int:
    """Memory of this process, 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
