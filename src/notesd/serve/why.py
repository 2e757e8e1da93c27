"""Why is a note not where somebody expects it in an answer? Also for notes that do not exist."""

import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from notesd.errors import NotesdError, SpaceUnavailable
from notesd.files.ignore import Rule
from notesd.files.paths import path_parts
from notesd.files.read import decode, read_note
from notesd.index import attachments, notes
from notesd.index.attachments import StoredFile
from notesd.index.budget import OverBudget
from notesd.index.store import Reader
from notesd.model import NotePath, Problem
from notesd.resolve.names import compose, fold_accents, last_part, without_extension
from notesd.search import why
from notesd.search.engine import SearchPlan
from notesd.serve import attached, naming
from notesd.serve.freshness import joined, stale, state_of, unsure
from notesd.space.space import Space

_TELLING = {
    "found": 0,
    "filtered": 1,
    "excluded": 1,
    "no_match": 1,
    "nothing_asked": 1,
    "too_costly": 3,
    "absent": 3,
    "unknown": 4,
}
"""Which account is the one that was meant, where several spaces have one; any other reason: 2."""
_READ_BYTES = 1 << 20
"""Of a file that are looked through for words that are not searched."""
_MOST_NOTES = 20
"""Notes of one name that are told of."""
_NO_NOTE = 3


def accounts(reader: Reader, space: Space, plan: SearchPlan, name: str) -> list[dict[str, Any]]:
    """What became of each note of a space that answers to a name; never empty, whatever the name."""
    asked = plan.asked
    found: list[dict[str, Any]] = []
    try:
        for path in naming.paths_in(reader, space, name)[:_MOST_NOTES]:
            if known := notes.by_path(reader, path):
                reader.meter.check()
                verdict = why.judge(reader, asked, known, plan.channels, _raw(space, known))
                found.append(_indexed(reader, space, known, verdict))
            elif file := attachments.by_path(reader, path):
                reader.meter.check()
                found.append(_attached(space, file, why.judge_file(reader, asked, file)))
        told = found or [_not_indexed(reader, space, name)]
    except OverBudget:
        reader.meter.wind_up()
        sentence = f"{name[: naming.COMPARED]}: to say why takes more work than notesd spends on one question"
        told = found or [{"path": None, "reason": "too_costly", "sentence": sentence}]
    return [{"note": name, "space": space.name, **one} for one in told]


def _raw(space: Space, note: notes.StoredNote) -> Callable[[], str]:
    """Return what reads the head of a note's file; empty where that cannot be."""

    def read() -> str:
        with contextlib.suppress(NotesdError, OSError):
            return decode(read_note(space.root, note.path, _READ_BYTES).data)[0]
        return ""

    return read


def chosen(every: Sequence[dict[str, Any]], shown: Collection[tuple[str, str]]) -> dict[str, Any]:
    """The most telling account, with those of other notes of that name as ``others``.

    Args:
        every: Of all spaces; not empty.
        shown: Space and path of the hits on the page.
    """
    told = [
        {**one, "on_page": (one["space"], one["path"]) in shown} if one["reason"] == "found" else one
        for one in every
    ]
    told.sort(key=lambda one: _TELLING.get(one["reason"], 2))
    first, rest = told[0], [one for one in told[1:] if _TELLING.get(one["reason"], 2) < _NO_NOTE]
    if first["reason"] in {"absent", "unknown"}:
        near = dict.fromkeys(name for one in told for name in one.get("nearest", ()))
        first = {**first, "nearest": list(near)[:3]}
    return {**first, "others": rest} if rest else first


def _indexed(reader: Reader, space: Space, note: notes.StoredNote, verdict: why.Verdict) -> dict[str, Any]:
    """The account of a note that the index knows."""
    changed = bool(stale(space, [note.path], notes.known_at(reader, [note.path])))
    problems = [(p.kind, p.reason) for p in notes.problems(reader, note.id)]
    if hidden := space.hidden_by(note.path):
        problems.append((hidden.kind, hidden.reason))
    sentence = f"{note.path}: {verdict.sentence}"
    if changed:
        sentence += "; its file has changed or gone since it was read"
    if problems:
        sentence += f"; {problems[0][1]}"
    return {
        "path": note.path, "name": note.title, "reason": verdict.reason, "sentence": sentence,
        **verdict.details, "stale": changed,
        "problems": [{"kind": kind, "reason": reason} for kind, reason in problems],
    }  # fmt: skip


def _attached(space: Space, file: StoredFile, verdict: why.Verdict) -> dict[str, Any]:
    """The account of a file that is no note."""
    gone = not attached.facts(space, [file.path])
    ignore = space.ignore
    rules = ignore.unread(file.path)[:1] if ignore.ends_so(file.path) else []
    parts = (f"{file.path}: {verdict.sentence}", *map(_because, rules), *["the file has gone since"] * gone)
    return {
        "path": file.path, "name": last_part(file.path), "reason": verdict.reason,
        "sentence": "; ".join(parts), **verdict.details, **({"rule": _rule(rules[0])} if rules else {}),
        "stale": gone, "problems": [],
    }  # fmt: skip


def _not_indexed(reader: Reader, space: Space, name: str) -> dict[str, Any]:
    """The account of a name that no indexed note answers to: by what is on disk, and what is set aside."""
    paths = _paths_meant(space, name)
    for path in (*paths, *_set_aside(reader, space, name)):
        told = _left_out(reader, space, path) or _on_disk(reader, space, path)
        if told:
            return {"path": path, **told}
    index = joined({space.name: state_of(reader, space)})
    near = naming.titles_near(reader, name)
    hint = f"; nearest: {', '.join(near)}" if near else ""
    is_path = bool(paths) and ("/" in paths[0] or space.ignore.is_note(paths[0]))
    if is_path:
        sentence = f"{paths[0]}: no file of that name is in the folder{hint}{unsure(index)}"
        rule = space.ignore.rule(paths[0])
        more = {"rule": _rule(rule)} if rule else {}
        return {"path": paths[0], "reason": "absent", "sentence": sentence, "nearest": near, **more}
    sentence = f"no note is called {name[: naming.COMPARED]!r}{hint}{unsure(index)}"
    return {"path": None, "reason": "unknown", "sentence": sentence, "nearest": near}


def _paths_meant(space: Space, name: str) -> list[NotePath]:
    """Paths below the space's folder that a name can mean; none for what leads out of it."""
    paths: list[NotePath] = []
    for text in naming.written(space, name):
        try:
            path_parts(text)
        except ValueError:
            continue
        paths += [NotePath(text)] if space.ignore.is_note(text) else [NotePath(text), NotePath(text + ".md")]
    return paths


def _set_aside(reader: Reader, space: Space, name: str) -> list[NotePath]:
    """Notes known to be there and not indexed that are called so."""
    unseen = space.out_of_sight(reader)
    known: Iterable[NotePath] = (*notes.left_out(reader), *unseen.odd, *unseen.unread)
    wanted = fold_accents(name.strip())
    return [path for path in known if fold_accents(without_extension(last_part(path))) == wanted]


def _left_out(reader: Reader, space: Space, path: NotePath) -> dict[str, Any] | None:
    """Why a path is known and not indexed, by what the last look at the folder has said; None: it is not."""
    unseen = space.out_of_sight(reader)
    if compose(path) in {compose(one) for one in notes.left_out(reader)}:
        sentence = f"{path}: its front matter says index: false, so it is left out"
        return {"reason": "index_false", "sentence": sentence}
    if problem := unseen.odd.get(path) or unseen.unread.get(path):
        return _unusable(path, problem)
    for link, problem in unseen.odd.items():
        if path.startswith(link + "/"):
            return _unusable(path, problem)
    for folder, problem in unseen.unlisted.items():
        if path == folder:
            return _unusable(path, problem)
        if path.startswith(folder + "/"):
            return {
                "reason": "unlisted", "sentence": f"{path}: its folder could not be listed: {problem.reason}",
                "problem": _problem(problem),
            }  # fmt: skip
    return None


def _on_disk(reader: Reader, space: Space, path: NotePath) -> dict[str, Any] | None:
    """Why a file that is there is not indexed; None: there is none."""
    fault = space.fault
    if fault and fault.kind == SpaceUnavailable.kind:  # what the path leads to now may be no folder of ours
        return {"reason": "unavailable", "sentence": f"{path}: {fault.reason}"}
    try:
        found = space.file_at(path)
    except SpaceUnavailable as error:
        return {"reason": "unavailable", "sentence": f"{path}: {error.message}"}
    if found is None:
        return None
    if rule := space.ignore.rule(path):
        return {
            "reason": "ignored",
            "sentence": f"{path}: it is left out, because {_because(rule)}",
            "rule": _rule(rule),
        }
    if isinstance(found, Problem):
        return _unusable(path, found)
    ignore = space.ignore
    if not ignore.is_note(path):
        ends = " or ".join(ignore.extensions)
        sentence = f"{path}: it is no note; notes end in {ends}; its name is found in a moment"
        return {"reason": "not_a_note", "sentence": sentence}
    gaps = state_of(reader, space).gaps
    soon = f": {', '.join(gaps)}" if gaps else "; it is read in a moment"
    return {"reason": "pending", "sentence": f"{path}: it is there and not indexed yet{soon}"}


def _unusable(path: NotePath, problem: Problem) -> dict[str, Any]:
    reason = "not_regular" if problem.kind == "not_regular" else "unreadable"
    return {"reason": reason, "sentence": f"{path}: {problem.reason}", "problem": _problem(problem)}


def _problem(problem: Problem) -> dict[str, str]:
    return {"kind": problem.kind, "reason": problem.reason}


def _rule(rule: Rule) -> dict[str, str]:
    return {"kind": rule.kind, "pattern": rule.pattern, "fits": rule.path}


def _because(rule: Rule) -> str:
    if rule.kind == "name_only":
        return f"what it holds is not read, because the name_only pattern {rule.pattern} fits {rule.path}"
    if rule.kind == "dot":
        return f"the name of {rule.path} starts with a dot"
    whose = {"configured": "the configured", "gitignore": "git's"}.get(rule.kind, "the built-in")
    return f"{whose} pattern {rule.pattern} fits {rule.path}"
