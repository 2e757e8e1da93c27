"""What is an index like, whatever the way to it? Every note in a form that is the same for the same files."""

import msgspec

from notesd.index.store import Reader
from notesd.model import Heading, Problem

_headings = msgspec.msgpack.Decoder(tuple[Heading, ...])
_problems = msgspec.msgpack.Decoder(tuple[Problem, ...])


def notes(reader: Reader, first: int = 0, most: int = -1) -> list[dict[str, object]]:
    """Every note in its canonical form, by path: the same for the same files.

    Args:
        reader: The index.
        first: So many notes are passed over.
        most: How many at most; -1: all.
    """
    some, values = "FROM note ORDER BY path LIMIT ? OFFSET ?", (most, first)
    found: list[dict[str, object]] = []
    names: dict[str, dict[int, list[str]]] = {"alias": {}, "tag": {}}
    for table, lists in names.items():
        within = f"WHERE note IN (SELECT id {some})"
        sql = f"SELECT note, {table} FROM {table} {within} ORDER BY note, place"
        for note_id, text in reader.rows(sql, values):
            lists.setdefault(note_id, []).append(text)
    sql = f"SELECT id, path, title, type, created, headings, problems {some}"
    for note_id, path, title, entity_type, created, headings, problems in reader.rows(sql, values):
        found.append(
            {
                "path": path,
                "title": title,
                "aliases": names["alias"].get(note_id, []),
                "tags": names["tag"].get(note_id, []),
                "type": entity_type,
                "headings": [[h.level, h.text] for h in _headings.decode(headings)],
                "created": created,
                "error": _problems.decode(problems)[0].reason if problems else None,
            }
        )
    return found
