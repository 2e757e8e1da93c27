"""What is known of a file that is no note, in the shapes of the protocol?

The index knows its name and who links to it; its size and its time are looked up when somebody asks.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from notesd.errors import SpaceUnavailable
from notesd.index import links
from notesd.index.attachments import StoredFile
from notesd.index.store import Reader
from notesd.model import NotePath, Stamp
from notesd.parse.filenames import ATTACHMENT, kind_of
from notesd.resolve.names import last_part
from notesd.search.hits import modified_text
from notesd.serve import graph
from notesd.serve.pages import Entry
from notesd.space.space import Space

Facts = Mapping[str, Any]


def facts(space: Space, paths: Iterable[NotePath]) -> dict[NotePath, Facts]:
    """Size in bytes and time of some files; without those that cannot be looked at."""
    found: dict[NotePath, Facts] = {}
    for path in paths:
        try:
            stamp = space.file_at(path)
        except SpaceUnavailable:
            break
        if isinstance(stamp, Stamp):
            found[path] = {"size": stamp.size, "modified": modified_text(stamp.mtime_ns)}
    return found


def header(space: Space, file: StoredFile) -> dict[str, Any]:
    """What stands above the links to a file."""
    known = facts(space, [file.path])
    return {
        "name": last_part(file.path), "entityType": ATTACHMENT, "kind": kind_of(file.extension),
        "path": file.path, "space": space.name, "created": None,
        **known.get(file.path, {"size": None, "modified": None}), "stale": file.path not in known,
    }  # fmt: skip


def entries(reader: Reader, file: StoredFile) -> Iterator[Entry]:
    """The links to a file, by the note that they stand in."""
    for row in links.incoming(reader, links.file_entry(file.id)):
        yield Entry("relations", graph.seen_from(row, row.source, "incoming"))
