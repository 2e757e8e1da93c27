"""What points to what? Links as written, the names that may answer them, and what answers now."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from notesd.index import notes
from notesd.index.notes import NoteId, Read
from notesd.index.store import Reader, Writer
from notesd.model import Link, Note, NotePath
from notesd.parse.characters import fold_name
from notesd.resolve.lookup import Entry, NameTable, entry_keys, link_key
from notesd.resolve.names import is_note_name, loose

Value = TypeVar("Value")

EntryId = int
"""Id of a note, or minus the id of an attachment."""

_BATCH = 400
"""Values in one ``IN (...)``; far below SQLite's limit, large enough to be few statements."""

_STRETCH = 2_000
"""Keys resolved at once at the end of a build."""

_names = msgspec.json.Decoder(tuple[str, ...])


def entry_of(note: Note) -> Entry:
    """What a note answers to."""
    return Entry(note.path, is_note=True, title=note.title, aliases=note.aliases, names=note.names)


def file_entry(file: int) -> EntryId:
    """What links have of the file that is no note with this row."""
    return -file


def attachment_entry(path: NotePath) -> Entry:
    """What a file that is no note answers to."""
    return Entry(path, is_note=False)


def put_links(writer: Writer, note_id: NoteId, links: Sequence[Link], *, new: bool) -> frozenset[str]:
    """Store the links of one note, not yet resolved; returns their keys."""
    if not new:
        writer.run("DELETE FROM link WHERE source = ?", (note_id,))
    rows = []
    for place, link in enumerate(links):
        relation = fold_relation(link.relation) if link.relation else None
        rows.append(
            (
                note_id,
                place,
                link.raw,
                link.target,
                link.style,
                link.relation,
                relation,
                link.kind,
                link.line,
                link_key(link),
            )
        )
    if rows:
        sql = """INSERT INTO link
                 (source, place, raw, target, style, relation, relation_folded, kind, line, key)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
        writer.many(sql, rows)
    return frozenset(row[-1] for row in rows)


def put_names(writer: Writer, entry_id: EntryId, entry: Entry, *, new: bool) -> frozenset[str]:
    """Store under which keys an entry may be meant; returns the keys it gained or lost, all for a new one."""
    keys = entry_keys(entry)
    if not new:
        writer.run("DELETE FROM name WHERE entry = ?", (entry_id,))
    writer.many("INSERT INTO name VALUES (?, ?)", [(key, entry_id) for key in sorted(keys)])
    return keys


def keys_of(reader: Reader, entry_id: EntryId) -> frozenset[str]:
    """Keys under which an entry is known now."""
    return frozenset(row[0] for row in reader.rows("SELECT key FROM name WHERE entry = ?", (entry_id,)))


def remove_entry(writer: Writer, entry_id: EntryId) -> frozenset[str]:
    """Forget a note or attachment and a note's own links; returns the keys it had."""
    keys = keys_of(writer, entry_id)
    writer.run("DELETE FROM name WHERE entry = ?", (entry_id,))
    if entry_id > 0:
        writer.run("DELETE FROM link WHERE source = ?", (entry_id,))
    return keys


def written(reader: Reader, path: NotePath) -> tuple[Link, ...]:
    """The links of one note as they stand in its file."""
    sql = """SELECT raw, target, style, relation, kind, line FROM link
             WHERE source = (SELECT id FROM note WHERE path = ?) ORDER BY place"""
    return tuple(Link(*row) for row in reader.rows(sql, (path,)))


def recall(reader: Reader, path: NotePath) -> Read | None:
    """Put a note together again from what the index remembers of it; None when it has no such note."""
    read = notes.recall(reader, path)
    if read is None:
        return None
    return msgspec.structs.replace(read, note=msgspec.structs.replace(read.note, links=written(reader, path)))


def entry_at(reader: Reader, entry_id: EntryId) -> Entry:
    """What a stored note answers to."""
    return _entries(reader, "= ?", [entry_id])[0][1]


def resolve(writer: Writer, keys: Iterable[str], sources: Iterable[NoteId] = ()) -> int:
    """Look again at every link with one of these keys or in one of these notes.

    Only entries that share a link's key can answer it, so this costs what the change is worth and
    not what the folder is worth.

    Returns:
        How many links now mean something else.
    """
    sources = list(sources)
    for notes_ in _batches(sources):
        writer.run(f"{_ANSWER_SELVES} AND source IN ({_marks(notes_)})", notes_)
    found: dict[object, tuple[object, ...]] = {}
    columns: tuple[tuple[str, Sequence[object]], ...] = (
        ("key", sorted(set(keys) - {""})),
        ("source", sources),
    )
    for column, values in columns:
        for batch in _batches(values):
            rows = writer.rows(f"{_LINKS} WHERE link.{column} IN ({_marks(batch)}) AND link.key != ''", batch)
            found.update((row[0], row) for row in rows)
    wanted = sorted({str(row[-1]) for row in found.values()})
    entries: dict[EntryId, Entry] = {}
    for stretch in _batches(wanted):
        entries.update(_entries_of(writer, stretch))
    return _answer(writer, list(found.values()), list(entries.items()))


def resolve_all(writer: Writer, breathe: Callable[[], None] = lambda: None) -> None:
    """Resolve every link, as at the end of a build; a stretch of keys at a time, to stay small.

    Args:
        writer: The index.
        breathe: Called after each stretch; what it raises ends it.
    """
    writer.run(f"{_ANSWER_SELVES} AND entry IS NOT source")
    last = ""
    while True:
        sql = "SELECT DISTINCT key FROM link WHERE key > ? ORDER BY key LIMIT ?"
        keys = [row[0] for row in writer.rows(sql, (last, _STRETCH))]
        if not keys:
            return
        stretch = (keys[0], keys[-1])
        rows = writer.rows(f"{_LINKS} WHERE link.key BETWEEN ? AND ?", stretch)
        _answer(
            writer, rows, _entries(writer, "IN (SELECT entry FROM name WHERE key BETWEEN ? AND ?)", stretch)
        )
        last = keys[-1]
        breathe()


_ANSWER_SELVES = "UPDATE link SET entry = source WHERE target = '' AND style = 'wiki'"

_LINKS = """SELECT link.id, link.entry, link.raw, link.target, link.style, link.relation, link.kind,
                   link.line, note.path, link.key
            FROM link JOIN note ON note.id = link.source"""


def _answer(writer: Writer, rows: list[tuple[object, ...]], entries: list[tuple[EntryId, Entry]]) -> int:
    table = NameTable(entry for _, entry in entries)
    ids = {entry.path: entry_id for entry_id, entry in entries}
    updates = []
    for link_id, old, raw, target, style, relation, kind, line, source, _ in rows:
        link = Link(raw, target, style, relation, kind, line)  # type: ignore[arg-type]  # columns of the link table
        path = table.resolve(link, source)  # type: ignore[arg-type]  # column note.path
        new = ids[path] if path is not None else None
        if new != old:
            updates.append((new, link_id))
    writer.many("UPDATE link SET entry = ? WHERE id = ?", updates)
    return len(updates)


def _entries(reader: Reader, narrowed: str, values: Sequence[object]) -> list[tuple[EntryId, Entry]]:
    """Entries whose id is as ``narrowed`` says: the right side of a comparison, with its values."""
    aliases: dict[int, list[str]] = {}
    sql = f"SELECT note, alias FROM alias WHERE note {narrowed} ORDER BY note, place"
    for note_id, alias in reader.rows(sql, values):
        aliases.setdefault(note_id, []).append(alias)
    found = []
    for note_id, path, title, names in reader.rows(
        f"SELECT id, path, title, names FROM note WHERE id {narrowed}", values
    ):
        called = tuple(aliases.get(note_id, ()))
        entry = Entry(path, is_note=True, title=title, aliases=called, names=_names.decode(names))
        found.append((note_id, entry))
    for entry_id, path in reader.rows(f"SELECT -id, path FROM attachment WHERE -id {narrowed}", values):
        found.append((entry_id, Entry(path, is_note=False)))
    return found


def _entries_of(reader: Reader, keys: Sequence[str]) -> list[tuple[EntryId, Entry]]:
    return _entries(reader, f"IN (SELECT entry FROM name WHERE key IN ({_marks(keys)}))", keys)


def _batches(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def names_like(reader: Reader, name: str) -> NameTable:
    """The notes that a person could mean by ``name``, as a table to look it up in."""
    probe = Link(name, name, "wiki", None, "link", 0)
    return NameTable(entry for _, entry in _entries_of(reader, [link_key(probe)]) if entry.is_note)


class LinkRow(msgspec.Struct, frozen=True, gc=False):
    """One link between paths."""

    source: NotePath
    target: NotePath | None
    raw: str
    relation: str | None
    kind: str
    line: int


_ROWS = """SELECT source.path, COALESCE(target.path, file.path), link.raw, link.relation, link.kind, link.line
           FROM link JOIN note AS source ON source.id = link.source
           LEFT JOIN note AS target ON target.id = link.entry
           LEFT JOIN attachment AS file ON file.id = -link.entry"""


def _rows(reader: Reader, where: str, values: Sequence[object] = (), limit: str = "") -> list[LinkRow]:
    order = f"ORDER BY source.path, link.place {limit}"
    return [LinkRow(*row) for row in reader.rows(f"{_ROWS} WHERE {where} {order}", values)]


def outgoing(reader: Reader, note_id: NoteId) -> list[LinkRow]:
    """Links of one note, in the order of the file; target None where nothing answers."""
    return _rows(reader, "link.source = ?", (note_id,))


def incoming(reader: Reader, entry: EntryId) -> list[LinkRow]:
    """Links of notes to another one, or to a file."""
    return _rows(reader, "link.entry = ? AND link.source != ?", (entry, entry))


def sources(reader: Reader, entry: EntryId, most: int) -> list[NotePath]:
    """Notes that link to another one, or to a file: by path, at most ``most``."""
    sql = """SELECT path FROM note WHERE id IN (SELECT source FROM link WHERE entry = ? AND source != entry)
             ORDER BY path LIMIT ?"""
    return [row[0] for row in reader.rows(sql, (entry, most))]


def export(reader: Reader, first: int = 0, most: int = -1) -> list[LinkRow]:
    """Every link, by path and place; or those from ``first`` on, ``most`` of them."""
    return _rows(reader, "1", (most, first), "LIMIT ? OFFSET ?")


def count(reader: Reader) -> int:
    """Number of links."""
    return int(reader.value("SELECT count(*) FROM link"))


def broken(reader: Reader) -> list[LinkRow]:
    """Links that nothing answers."""
    return _rows(reader, "link.entry IS NULL")


def orphans(reader: Reader) -> list[NotePath]:
    """Notes that no other note links to and that link to no other note."""
    sql = """SELECT path FROM note
             WHERE NOT EXISTS (SELECT 1 FROM link WHERE entry = note.id AND source != note.id)
             AND NOT EXISTS (SELECT 1 FROM link WHERE source = note.id AND entry > 0 AND entry != note.id)
             ORDER BY path"""
    return [row[0] for row in reader.rows(sql)]


def shared_names(reader: Reader) -> list[tuple[str, list[NotePath]]]:
    """Names (titles, aliases, file names, case and accents aside) that more than one note answers to.

    Where a note of Markdown has a name, it is not shared by a PDF or a canvas of that name.
    """
    sql = """WITH names (folded, note) AS (
                 SELECT title_folded, id FROM note UNION SELECT stem_folded, id FROM note
                 UNION SELECT folded, note FROM alias)
             SELECT folded, path FROM names JOIN note ON note.id = names.note
             WHERE folded IN (SELECT folded FROM names GROUP BY folded HAVING count(*) > 1)
             ORDER BY folded, path"""
    found: dict[str, list[NotePath]] = {}
    for folded, path in reader.rows(sql):
        found.setdefault(folded, []).append(path)
    meant = ((name, list(filter(is_note_name, paths)) or paths) for name, paths in found.items())
    return [(name, paths) for name, paths in meant if len(paths) > 1]


def fold_tag(tag: str) -> str:
    """A tag as it is compared: no ``#``, no trailing ``/``, case and accents aside."""
    return fold_name(tag.strip().lstrip("#").rstrip("/"))


def fold_relation(name: str) -> str:
    """The name of a relation as it is compared: case, accents and the kind of its joints aside."""
    return loose(fold_name(name))
