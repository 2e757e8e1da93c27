"""Notes and what connects them, in the shapes of the protocol."""

from collections.abc import Iterable, Iterator
from typing import Any

from notesd.index import attachments, links, notes
from notesd.index.links import LinkRow
from notesd.index.store import Reader
from notesd.search.hits import modified_text
from notesd.serve.pages import Entry


def relation(row: LinkRow) -> dict[str, Any]:
    """One link as the protocol writes it."""
    return {
        "source": row.source, "target": row.target, "raw": row.raw,
        "relation": row.relation, "kind": row.kind, "line": row.line,
    }  # fmt: skip


LISTS = ("aliases", "tags", "text", "observations", "relations")
"""What a note consists of, beside its header, in the order in which pages have it."""


def header(space: str, note: notes.StoredNote) -> dict[str, Any]:
    """What stands above each page of a note."""
    return {
        "name": note.title,
        "entityType": note.entity_type or "note",
        "path": note.path,
        "space": space,
        "created": note.created,
        "modified": modified_text(note.mtime_ns),
    }


def entries(
    reader: Reader, note: notes.StoredNote, lines: range, text: Iterable[str] | None
) -> Iterator[Entry]:
    """All that a note consists of; of its passages and of its own links those that touch some lines.

    Args:
        reader: The index.
        note: The note.
        lines: Of its file.
        text: What these lines say, in the place of the passages; None: the passages.
    """
    yield from (Entry("aliases", alias) for alias in notes.aliases(reader, note.id))
    yield from (Entry("tags", tag) for tag in notes.tags(reader, note.id))
    yield from (Entry("text", piece, len(piece)) for piece in text or ())
    for o in notes.observations(reader, note.id) if text is None else ():
        if o.line_start < lines.stop and o.line_end >= lines.start:
            told = {
                "text": o.text, "line_start": o.line_start, "line_end": o.line_end, "heading": list(o.heading)
            }  # fmt: skip
            yield Entry("observations", told, len(o.text))
    for row in links.outgoing(reader, note.id):
        if row.line in lines:
            yield Entry("relations", seen_from(row, row.target or row.raw, "outgoing"))
    for row in links.incoming(reader, note.id):
        yield Entry("relations", seen_from(row, row.source, "incoming"))


def seen_from(row: LinkRow, other: str, direction: str) -> dict[str, Any]:
    """A link as seen from one of its ends; ``other`` stands at the other one."""
    return {
        "relation": row.relation, "target": other, "direction": direction,
        "kind": row.kind, "line": row.line, "resolved": row.target is not None,
    }  # fmt: skip


AROUND = ("outgoing", "incoming", "unresolved")


def around(reader: Reader, path: str, direction: str, depth: int) -> Iterator[Entry]:
    """Links of a note or to a file, and of the notes they lead to, ``depth`` steps far, as ``AROUND``.

    Each is a relation with the step (``depth``, from 1) at which it was met; each link once.
    """
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in AROUND}
    seen: set[str] = {path}
    edge: list[str] = [path]
    file = None if notes.by_path(reader, path) else attachments.by_path(reader, path)
    if file and direction in {"both", "in", "incoming"}:
        rows = links.incoming(reader, links.file_entry(file.id))
        found["incoming"] = [{**relation(row), "depth": 1} for row in rows]
        edge = sorted({row.source for row in rows})
        seen |= set(edge)
    for step in range(2 if file else 1, depth + 1):
        reached: list[str] = []
        for here in edge:
            reader.meter.check()
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
    for kind, met in found.items():
        yield from (Entry(kind, one) for one in _once(met))


def _once(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each link where it was met first."""
    first: dict[object, dict[str, Any]] = {}
    for row in rows:
        first.setdefault((row["source"], row["line"], row["raw"], row["relation"], row["kind"]), row)
    return list(first.values())
