"""What is remembered of each note: its facts, aliases, tags and passages."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, NewType

import msgspec
from msgspec import Struct

from notesd.index import keys, properties
from notesd.index.store import Reader, Writer
from notesd.model import Heading, Note, NotePath, Observation, Problem, Stamp
from notesd.parse import kinds
from notesd.parse.characters import fold_name
from notesd.parse.dates import day_in_name
from notesd.parse.packing import packed, unpacked
from notesd.resolve.names import compose, last_part, without_extension

NoteId = NewType("NoteId", int)
"""Row of a note; stays while the note is edited, means nothing outside its index file."""

FIRST_DOCUMENT = 1 << 40
"""Row of the first document (``parse.kinds``); notes have smaller ones."""

_headings = msgspec.msgpack.Decoder(tuple[Heading, ...])
_problems = msgspec.msgpack.Decoder(tuple[Problem, ...])
_names = msgspec.json.Decoder(tuple[str, ...])
_names_packed = msgspec.msgpack.Decoder(tuple[str, ...])
_pack = msgspec.msgpack.Encoder().encode

_next_note = f"SELECT COALESCE(max(id), 0) + 1 FROM note WHERE id < {FIRST_DOCUMENT}"
_next_document = f"SELECT COALESCE(max(id) + 1, {FIRST_DOCUMENT}) FROM note WHERE id >= {FIRST_DOCUMENT}"
_SOME = "(SELECT value FROM json_each(?))"
_STAMP = "size, mtime_ns, ctime_ns, inode, device"


class StoredNote(Struct, frozen=True, gc=False):
    """The facts of a note as the index remembers them."""

    id: NoteId
    path: NotePath
    title: str
    entity_type: str | None
    created: str | None
    mtime_ns: int
    key: str
    """Stays with the note through renames and rebuilds."""
    private: bool


_STORED = "id, path, title, type, created, mtime_ns, key, private"


class Known(Struct, frozen=True, gc=False):
    """What a scan compares with: the stamp, and whether equal stamps prove nothing yet."""

    stamp: Stamp
    racy: bool


class Read(Struct, frozen=True, gc=False):
    """One file as it was read: what ``put`` stores."""

    note: Note
    stamp: Stamp
    racy: bool
    digest: bytes
    """Of the bytes, 16 long."""
    passages: bytes | None = None
    """Those of the note, where they came packed (``parse.packing``); None: the note has them itself."""

    @property
    def says_anything(self) -> bool:
        """Whether the note has any passage."""
        return bool(self.passages or self.note.observations)


def is_document(note_id: NoteId) -> bool:
    """Say whether a row is that of a document."""
    return note_id >= FIRST_DOCUMENT


def known(reader: Reader, below: str = "") -> dict[NotePath, Known]:
    """Stamps of every note and of every note left out on its own wish, or of those at and below one path."""
    where, values = at_or_below(below)
    found: dict[NotePath, Known] = {}
    for path, racy, *stamp in reader.rows(f"SELECT path, racy, {_STAMP} FROM note WHERE {where}", values):
        found[path] = Known(Stamp(*stamp), bool(racy))
    skipped = reader.rows(f"SELECT path, {_STAMP} FROM skipped WHERE {where}", values)
    return found | {path: Known(Stamp(*stamp), racy=False) for path, *stamp in skipped}


def at_or_below(path: str) -> tuple[str, tuple[str, ...]]:
    """The condition for a row at or below a path, and its values; everything lies below ``""``."""
    if not path:
        return "1", ()
    return "(path = ? OR (path >= ? AND path < ?))", (path, path + "/", path + "0")  # "0" follows "/"


def identity(reader: Reader, path: NotePath) -> tuple[NoteId, bytes] | None:
    """Row and digest of the note at ``path``, None when there is none."""
    row = reader.row("SELECT id, digest FROM note WHERE path = ?", (path,))
    return (NoteId(row[0]), row[1]) if row else None


class Trace(Struct, frozen=True, gc=False):
    """By what a note that is missing can be known elsewhere."""

    path: NotePath
    stamp: Stamp
    digest: bytes
    stable_key: str | None


def traces(reader: Reader, paths: Iterable[NotePath]) -> list[Trace]:
    """Traces of those of some paths that are notes."""
    found = []
    for path in paths:
        row = reader.row(f"SELECT {_STAMP}, digest, stable_key FROM note WHERE path = ?", (path,))
        if row:
            found.append(Trace(path, Stamp(*row[:5]), row[5], row[6]))
    return found


def put(writer: Writer, read: Read, known_as: NoteId | None) -> NoteId:
    """Store one note, new or changed; returns its row.

    Args:
        writer: The index.
        read: The note.
        known_as: Its row; None: the index has none at its path.
    """
    note = read.note
    values = (
        *(compose(note.path), fold_name(note.path)),
        *(read.stamp.size, read.stamp.mtime_ns, read.stamp.ctime_ns, read.stamp.inode, read.stamp.device),
        *(read.racy, read.digest, note.title, fold_name(note.title)),
        fold_name(without_extension(last_part(note.path))),
        *(note.entity_type, fold_name(note.entity_type or "note")),
        *(note.created, day_in_name(note.title) or day_in_name(last_part(note.path))),
        _pack(note.addresses) if note.addresses else None,
        *(msgspec.json.encode(note.names).decode(), note.stable_key, note.private, note.embed),
        *(_pack(note.headings), _pack(note.problems) if note.problems else None),
        _pack(note.properties) if note.properties else None,
    )
    columns = (
        f"path_nfc, path_folded, {_STAMP}, racy, digest, title, title_folded, stem_folded, type, "
        "type_folded, created, named_day, addresses, names, stable_key, private, embed, headings, problems, "
        "properties"
    )
    marks = ", ".join("?" * len(values))
    if known_as is not None:
        note_id = known_as
        properties.remove(writer, note_id)
        writer.run(f"UPDATE note SET ({columns}) = ({marks}) WHERE id = ?", (*values, note_id))
        for table in ("alias", "tag"):
            writer.run(f"DELETE FROM {table} WHERE note = ?", (note_id,))
    else:
        row = _next_document if kinds.is_document(note.path) else _next_note
        sql = f"INSERT INTO note (id, {columns}, path, key) VALUES (({row}), {marks}, ?, ?)"
        key = keys.key_for(writer, note, read.digest if read.says_anything else None)
        note_id = NoteId(writer.insert(sql, (*values, note.path, key)))
    if note.properties:
        properties.put(writer, note_id, note.properties)
    if note.aliases:
        writer.many(
            "INSERT INTO alias VALUES (?, ?, ?, ?)",
            [(note_id, i, alias, fold_name(alias)) for i, alias in enumerate(note.aliases)],
        )
    if note.tags:
        tags_of = [(note_id, i, tag, fold_name(tag)) for i, tag in enumerate(note.tags)]
        writer.many("INSERT INTO tag VALUES (?, ?, ?, ?)", tags_of)
    passages = read.passages or packed(note.observations)
    writer.run("INSERT OR REPLACE INTO observation VALUES (?, ?)", (note_id, passages))
    return note_id


def recall(reader: Reader, path: NotePath) -> Read | None:
    """Put a note together again, all but its links, as it was stored; None when there is none."""
    facts = (
        "title, type, created, names, stable_key, private, embed, headings, problems, addresses, "
        "properties, id"
    )
    columns = f"racy, digest, {_STAMP}, {facts}"
    row = reader.row(f"SELECT {columns} FROM note WHERE path = ?", (path,))
    if row is None:
        return None
    racy, digest, *rest = row
    (
        title, entity_type, created, names, stable_key, private, embed, headings, problems, behind,
        said, note_id,
    ) = rest[5:]  # fmt: skip
    note = Note(
        path, title, aliases(reader, note_id), tags(reader, note_id), entity_type, _headings.decode(headings),
        observations(reader, note_id), (), created, _names.decode(names), stable_key,
        _problems.decode(problems) if problems else (), embed=bool(embed), private=bool(private),
        addresses=_names_packed.decode(behind) if behind else (),
        properties=properties.unpacked(said),
    )  # fmt: skip
    return Read(note, Stamp(*rest[:5]), bool(racy), digest)


def touch(writer: Writer, path: NotePath, stamp: Stamp, *, racy: bool) -> None:
    """Remember a new stamp of a file whose bytes are the same; where it is the old one nothing is written."""
    columns, marks = f"({_STAMP}, racy)", "(?, ?, ?, ?, ?, ?)"
    values = (stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode, stamp.device, racy)
    sql = f"UPDATE note SET {columns} = {marks} WHERE path = ? AND {columns} IS NOT {marks}"
    writer.run(sql, (*values, path, *values))


def left_out(reader: Reader) -> list[NotePath]:
    """Notes that are not indexed on their own wish."""
    return [row[0] for row in reader.rows("SELECT path FROM skipped ORDER BY path")]


def skip(writer: Writer, path: NotePath, stamp: Stamp, *, private: bool) -> None:
    """Remember that the file at ``path`` wishes not to be indexed."""
    values = (path, stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode, stamp.device, private)
    writer.run("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def unskip(writer: Writer, paths: Sequence[NotePath]) -> None:
    """Forget that the files at some paths wished not to be indexed."""
    writer.run(f"DELETE FROM skipped WHERE path IN {_SOME}", (json.dumps(paths),))


def move(writer: Writer, note_id: NoteId, path: NotePath) -> None:
    """Give a note another path; ``put`` has to follow with what its file says there."""
    writer.run("UPDATE note SET path = ? WHERE id = ?", (path, note_id))


def remove(writer: Writer, note_id: NoteId) -> None:
    """Forget one note but for its key; its links and words are the business of the other modules."""
    keys.retire(writer, note_id)
    properties.remove(writer, note_id)
    for table, column in (("note", "id"), ("alias", "note"), ("tag", "note"), ("observation", "note")):
        writer.run(f"DELETE FROM {table} WHERE {column} = ?", (note_id,))


def stored(reader: Reader, note_ids: Iterable[NoteId]) -> dict[NoteId, StoredNote]:
    """The facts of some notes, by row; those that are gone are left out."""
    sql = f"SELECT {_STORED} FROM (SELECT value AS wanted FROM json_each(?)) JOIN note ON note.id = wanted"

    def ask(some: list[NoteId]) -> dict[NoteId, StoredNote]:
        return {row[0]: _stored(row) for row in reader.rows(sql, (json.dumps(some),))}

    return reader.look_up("note", note_ids, ask)


def by_path(reader: Reader, path: str) -> StoredNote | None:
    """The note at ``path``, compared after NFC; the exact spelling first."""
    order = "ORDER BY path = ? DESC, path LIMIT 1"
    row = reader.row(f"SELECT {_STORED} FROM note WHERE path_nfc = ? {order}", (compose(path), path))
    return _stored(row) if row else None


def among(
    reader: Reader, note_ids: Sequence[NoteId], narrowed: tuple[str, Sequence[object]] | None
) -> list[NoteId]:
    """Those of some notes that a filter lets through, in the same order."""
    if narrowed is None or not note_ids:
        return list(note_ids)
    sql = f"SELECT value FROM json_each(?) WHERE value IN ({narrowed[0]})"
    passed = {row[0] for row in reader.rows(sql, (json.dumps([*note_ids]), *narrowed[1]))}
    return [note for note in note_ids if note in passed]


def by_date(
    reader: Reader, narrowed: tuple[str, Sequence[object]] | None, sort: str, limit: int, offset: int
) -> tuple[list[NoteId], int]:
    """Notes that a filter lets through by date, and how many there are in all.

    Args:
        reader: The index.
        narrowed: None lets every note through.
        sort: ``modified`` or ``created``, with ``-`` before it for newest first; notes without the
            date come last either way. Equal dates are ordered by path.
        limit: How many to return.
        offset: How many to pass over.
    """
    where, values = (f"id IN ({narrowed[0]})", narrowed[1]) if narrowed else ("1", ())
    column = {"modified": "mtime_ns", "created": "created"}[sort.lstrip("-")]
    way = "DESC" if sort.startswith("-") else "ASC"
    order = f"{column} IS NULL, {column} {way}, path"
    total = int(reader.value(f"SELECT count(*) FROM note WHERE {where}", values))
    sql = f"SELECT id FROM note WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
    return [NoteId(row[0]) for row in reader.rows(sql, (*values, limit, offset))], total


def _stored(row: Sequence[Any]) -> StoredNote:
    note_id, path, title, entity_type, created, mtime_ns, key, private = row
    return StoredNote(note_id, path, title, entity_type, created, mtime_ns, key, bool(private))


def known_at(reader: Reader, paths: Iterable[NotePath]) -> dict[NotePath, Known]:
    """What the files of some notes were when they were read."""
    found = {}
    for path in paths:
        row = reader.row(f"SELECT racy, {_STAMP} FROM note WHERE path = ?", (path,))
        if row:
            found[path] = Known(Stamp(*row[1:]), bool(row[0]))
    return found


def problems(reader: Reader, note_id: NoteId) -> tuple[Problem, ...]:
    """What is wrong with one note."""
    packed = reader.value("SELECT problems FROM note WHERE id = ?", (note_id,))
    return _problems.decode(packed) if packed else ()


def aliases(reader: Reader, note_id: NoteId) -> tuple[str, ...]:
    """Aliases in the order of the file."""
    return tuple(
        row[0] for row in reader.rows("SELECT alias FROM alias WHERE note = ? ORDER BY place", (note_id,))
    )


def tags(reader: Reader, note_id: NoteId) -> tuple[str, ...]:
    """Tags in the order of the file."""
    return tuple(
        row[0] for row in reader.rows("SELECT tag FROM tag WHERE note = ? ORDER BY place", (note_id,))
    )


def observations(reader: Reader, note_id: NoteId) -> tuple[Observation, ...]:
    """Passages in the order of the file; empty for an unknown note."""
    return unpacked(reader.value("SELECT packed FROM observation WHERE note = ?", (note_id,)))


def by_keys(reader: Reader, keys_: Iterable[str], *, embedded: bool = False) -> dict[str, NoteId]:
    """Rows of the notes with some keys; those that are gone, or may not be ``embedded``, are left out."""
    found, more = {}, " AND embed AND NOT private" if embedded else ""
    for key in keys_:
        row = reader.row(f"SELECT id FROM note WHERE key = ?{more}", (key,))
        if row:
            found[key] = NoteId(row[0])
    return found


def keys_among(reader: Reader, narrowed: tuple[str, Sequence[object]]) -> set[str]:
    """Stable keys of the notes that a filter lets through."""
    return {row[0] for row in reader.rows(f"SELECT key FROM note WHERE id IN ({narrowed[0]})", narrowed[1])}


def embeddable(reader: Reader, only: str | None = None) -> list[tuple[str, NotePath, bytes, int, bool]]:
    """``(key, path, digest, mtime, wanted)`` of all notes or one; the digest: of what vectors are made of."""
    sql = "SELECT key, path, digest, title, type, mtime_ns, embed AND NOT private FROM note"
    return [
        (key, path, _digest(digest, title, entity_type), mtime_ns, bool(wanted))
        for key, path, digest, title, entity_type, mtime_ns, wanted in (
            reader.rows(f"{sql} WHERE key = ?", (only,)) if only else reader.rows(sql)
        )
    ]


def _digest(digest: bytes, title: str, entity_type: str | None) -> bytes:
    # A title may be the name of the file, which is not in its bytes.
    return hashlib.sha256(digest + f"{title}\0{entity_type}".encode("utf-8", "replace")).digest()[:16]


def titles(reader: Reader) -> list[str]:
    """Every title once."""
    return [row[0] for row in reader.rows("SELECT DISTINCT title FROM note")]


def headings(reader: Reader, note_id: NoteId) -> tuple[Heading, ...]:
    """Headings in the order of the file; empty for an unknown note."""
    packed = reader.value("SELECT headings FROM note WHERE id = ?", (note_id,))
    return _headings.decode(packed) if packed else ()


def count(reader: Reader) -> int:
    """Number of indexed notes."""
    return int(reader.value("SELECT count(*) FROM note"))


def with_problems(reader: Reader) -> list[tuple[NotePath, Problem]]:
    """Each problem of each note, by path."""
    rows = reader.rows("SELECT path, problems FROM note WHERE problems IS NOT NULL ORDER BY path")
    return [(path, problem) for path, packed in rows for problem in _problems.decode(packed)]


def mounts(reader: Reader) -> dict[str, int]:
    """Folders that lay on a device of their own when they were last seen, and that device."""
    return dict(reader.rows("SELECT path, device FROM mount"))


def put_mounts(writer: Writer, found: dict[str, int]) -> None:
    """Remember the folders that lie on a device of their own."""
    writer.run("DELETE FROM mount")
    writer.many("INSERT INTO mount VALUES (?, ?)", list(found.items()))
