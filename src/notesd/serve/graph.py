"""Notes and what connects them, in the shapes of the protocol."""

from collections.abc import Callable
from typing import Any

from notesd.index import links, notes
from notesd.index.links import LinkRow
from notesd.index.store import Reader
from notesd.search.engine import modified_text
from notesd.space.space import Space


def relation(row: LinkRow) -> dict[str, Any]:
    """One link as the protocol writes it."""
    return {
        "source": row.source, "target": row.target, "raw": row.raw,
        "relation": row.relation, "kind": row.kind, "line": row.line,
    }  # fmt: skip


def entity(path: str) -> Callable[[Reader, Space], dict[str, Any] | None]:
    """What reads a note of a space, whole; None: it has just gone."""

    def read(reader: Reader, space: Space) -> dict[str, Any] | None:
        known = notes.by_path(reader, path)
        return _entity(reader, space.name, known) if known else None

    return read


def _entity(reader: Reader, space: str, note: notes.StoredNote) -> dict[str, Any]:
    out = [_seen(row, row.target or row.raw, "outgoing") for row in links.outgoing(reader, note.id)]
    into = [_seen(row, row.source, "incoming") for row in links.incoming(reader, note.id)]
    return {
        "name": note.title,
        "entityType": note.entity_type or "note",
        "path": note.path,
        "space": space,
        "aliases": list(notes.aliases(reader, note.id)),
        "tags": list(notes.tags(reader, note.id)),
        "created": note.created,
        "modified": modified_text(note.mtime_ns),
        "observations": [
            {"text": o.text, "line_start": o.line_start, "line_end": o.line_end, "heading": list(o.heading)}
            for o in notes.observations(reader, note.id)
        ],
        "relations": out + into,
    }


def _seen(row: LinkRow, other: str, direction: str) -> dict[str, Any]:
    """A link as seen from one of its ends; ``other`` stands at the other one."""
    return {
        "relation": row.relation, "target": other, "direction": direction,
        "kind": row.kind, "line": row.line, "resolved": row.target is not None,
    }  # fmt: skip


def around(reader: Reader, path: str, direction: str, depth: int) -> dict[str, Any]:
    """Links of a note, and of the notes they lead to, ``depth`` steps far.

    Returns:
        ``note``, and ``outgoing``, ``incoming``, ``unresolved``: relations with the step (``depth``, from 1)
        at which they were met; each link once.
    """
    found: dict[str, list[dict[str, Any]]] = {"outgoing": [], "incoming": [], "unresolved": []}
    seen: set[str] = {path}
    edge: list[str] = [path]
    for step in range(1, depth + 1):
        reached: list[str] = []
        for here in edge:
            note = notes.by_path(reader, here)
            if note is None:
                continue
            if direction in {"both", "out", "outgoing"}:
                for row in links.outgoing(reader, note.id):
                    found["outgoing" if row.target else "unresolved"].append({**relation(row), "depth": step})
                    reached += [row.target] if row.target else []
            if direction in {"both", "in", "incoming"}:
                rows = links.incoming(reader, note.id)
                found["incoming"] += [{**relation(row), "depth": step} for row in rows]
                reached += [row.source for row in rows]
        edge = sorted(set(reached) - seen)
        seen |= set(edge)
    return {"note": path, **{kind: _once(rows) for kind, rows in found.items()}}


def _once(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each link where it was met first."""
    first: dict[object, dict[str, Any]] = {}
    for row in rows:
        first.setdefault((row["source"], row["line"], row["raw"], row["relation"], row["kind"]), row)
    return list(first.values())
