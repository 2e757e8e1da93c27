"""What is remembered of each file that is no note: where it lies, and the words of its name.

Nothing of the file itself is: for the index nobody looks at what it holds, its size or its time.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NewType

from msgspec import Struct

from notesd.index import notes
from notesd.index.filters import Narrowing
from notesd.index.schema import ATTACHED_COLUMNS
from notesd.index.store import Reader, Writer
from notesd.model import NotePath
from notesd.parse.characters import fold_name
from notesd.parse.dates import day_in_name
from notesd.parse.expressions import loosely, match
from notesd.parse.filenames import ATTACHMENT, extensions_of, name_words, parted
from notesd.parse.terms import Term
from notesd.resolve.names import compose, last_part

FileId = NewType("FileId", int)
"""Row of a file; links have it with a minus before it."""


MOST_BEGUN = 1_000
"""Files that are looked at to complete a name."""


class StoredFile(Struct, frozen=True, gc=False):
    """A file as the index remembers it."""

    id: FileId
    path: NotePath
    stem: str
    """Its name without the extension, folded as names are."""
    extension: str
    """In small letters, without the dot; empty: it has none."""


_STORED = "id, path, stem_folded, extension"


def paths(reader: Reader, below: str = "") -> set[NotePath]:
    """Paths of all files that are not notes, or of those at and below one path."""
    where, values = notes.at_or_below(below)
    return {row[0] for row in reader.rows(f"SELECT path FROM attachment WHERE {where}", values)}


def put(writer: Writer, path: NotePath) -> FileId | None:
    """Remember a file; returns its row, None when it was known. ``put_words`` has to follow."""
    if writer.row("SELECT 1 FROM attachment WHERE path = ?", (path,)):
        return None
    stem, extension = parted(last_part(path))
    columns = "path, path_folded, stem_folded, extension, named_day"
    values = (path, fold_name(path), fold_name(stem), extension, day_in_name(stem))
    return FileId(writer.insert(f"INSERT INTO attachment ({columns}) VALUES (?, ?, ?, ?, ?)", values))


def beginning(reader: Reader, begins: str, most: int) -> list[str]:
    """Names of files, with their extensions, that begin so, case and accents aside; at most ``most``."""
    folded = fold_name(begins)
    sql = "SELECT path FROM attachment WHERE stem_folded >= ? AND stem_folded < ? ORDER BY stem_folded, path"
    found: dict[str, None] = {}
    for stem in dict.fromkeys((folded, folded.rpartition(".")[0] or folded)):  # a dot may begin the end
        for row in reader.rows(f"{sql} LIMIT ?", (stem, f"{stem}\U0010ffff", MOST_BEGUN)):
            if fold_name(name := last_part(row[0])).startswith(folded):
                found[name] = None
    return [*found][:most]


def names(reader: Reader, most: int) -> list[str]:
    """Names of files with their extensions, of the first paths, at most ``most``."""
    rows = reader.rows("SELECT path FROM attachment ORDER BY path LIMIT ?", (most,))
    return [last_part(row[0]) for row in rows]


def put_words(writer: Writer, files: Mapping[FileId, NotePath]) -> None:
    """Index the words of the names of some new files, all at once (see ``fulltext.put``)."""
    columns = ", ".join(ATTACHED_COLUMNS)
    writer.many(
        f"INSERT INTO attached (rowid, {columns}) VALUES (?, ?, ?, ?, ?, '')",
        ((file, *_texts(path)) for file, path in files.items()),
    )


def _texts(path: NotePath) -> tuple[str, str, str, str]:
    words = name_words(path)
    return words.name, words.folders, words.forms, words.signs


def remove(writer: Writer, path: NotePath) -> FileId | None:
    """Forget a file; returns the row it had, None when it was not known."""
    row = writer.row("SELECT id FROM attachment WHERE path = ?", (path,))
    if row is None:
        return None
    writer.run("DELETE FROM attachment WHERE id = ?", row)
    writer.run("DELETE FROM attached WHERE rowid = ?", row)
    return FileId(row[0])


def count(reader: Reader) -> int:
    """Number of files that are no notes."""
    return int(reader.value("SELECT count(*) FROM attachment"))


def any_here(reader: Reader) -> bool:
    """Say whether there is any file that is no note; asked once for each generation."""
    known = reader.known("attachments")
    if "" not in known:
        known[""] = reader.value("SELECT EXISTS (SELECT 1 FROM attachment)") == 1
    return bool(known[""])


def stored(reader: Reader, files: Iterable[FileId]) -> list[StoredFile]:
    """Some files, by path."""
    sql = f"SELECT {_STORED} FROM attachment WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path"
    return [StoredFile(*row) for row in reader.rows(sql, (json.dumps([*files]),))]


def by_path(reader: Reader, path: str) -> StoredFile | None:
    """The file at ``path``, compared after NFC; the exact spelling first."""
    sql = f"SELECT {_STORED} FROM attachment WHERE path = ?"
    row = reader.row(sql, (path,))
    if row:
        return StoredFile(*row)
    return next((one for one in called(reader, path) if compose(one.path) == compose(path)), None)


def called(reader: Reader, name: str) -> list[StoredFile]:
    """Files that a person could mean by a name, with or without the extension, or by a path, by path.

    Where files have the very name, those are no answer that have it but for their extension.
    """
    wanted = name.strip().removeprefix("./")
    stem, extension = parted(last_part(wanted))
    sql = f"SELECT {_STORED} FROM attachment WHERE stem_folded = ? ORDER BY path"
    found = [StoredFile(*row) for row in reader.rows(sql, (fold_name(stem),))]
    found = [one for one in found if one.extension == extension]
    if not found:
        found = [StoredFile(*row) for row in reader.rows(sql, (fold_name(last_part(wanted)),))]
    if "/" not in wanted:
        return found
    ends = fold_name(wanted)
    below = [one for one in found if f"/{fold_name(one.path)}".endswith(f"/{ends}")]
    return below or [one for one in found if f"/{fold_name(one.path)}".startswith(f"/{ends}.")]


def holding(
    reader: Reader,
    groups: Sequence[Sequence[Term]],
    languages: Sequence[str],
    narrowed: Narrowing | None,
    most: int,
) -> tuple[list[FileId], set[FileId]]:
    """Files in whose path each word stands, one of them at least in the name; and those with all in the name.

    Args:
        reader: The index.
        groups: One a word, its alternatives together; not empty.
        languages: Of the space, whose stems are forms of a word.
        narrowed: The only files to look at, as ids with a minus.
        most: How many at most.
    """
    ways = [" OR ".join(f"({way})" for term in group for way in _ways(term, languages)) for group in groups]
    every = " AND ".join(f"({way})" for way in ways)
    named = "{name forms signs}"
    found = _matching(reader, f"({named} : ({' OR '.join(ways)})) AND ({every})", narrowed, most)
    if not found:
        return [], set()
    return found, {*_matching(reader, f"{named} : ({every})", _among(found), most)}


def only(file: StoredFile) -> Narrowing:
    """Let one file through."""
    return _among([file.id])


def _among(files: Sequence[FileId]) -> Narrowing:
    return "SELECT value FROM json_each(?)", (json.dumps([-one for one in files]),)


def _matching(reader: Reader, expression: str, narrowed: Narrowing | None, most: int) -> list[FileId]:
    sql, values = "SELECT rowid FROM attached WHERE attached MATCH ?", [expression]
    if narrowed is not None:
        sql, values = f"{sql} AND -rowid IN ({narrowed[0]})", [expression, *narrowed[1]]  # type: ignore[list-item]  # a value is any object
    return [row[0] for row in reader.rows(f"{sql} LIMIT ?", (*values, most))]


def _ways(term: Term, languages: Sequence[str]) -> Iterable[str]:
    """Expressions for a word: as it is typed, and for what begins with one of its stems."""
    return dict.fromkeys((match(term), loosely(match(term, languages))))


def by_name(reader: Reader, narrowed: Narrowing, limit: int, offset: int) -> tuple[list[StoredFile], int]:
    """Files that a filter lets through, by path, and how many there are in all."""
    where, values = f"-id IN ({narrowed[0]})", narrowed[1]
    total = int(reader.value(f"SELECT count(*) FROM attachment WHERE {where}", values))
    if not total or limit <= 0:
        return [], total
    sql = f"SELECT {_STORED} FROM attachment WHERE {where} ORDER BY path LIMIT ? OFFSET ?"
    return [StoredFile(*row) for row in reader.rows(sql, (*values, limit, offset))], total


def any_of_type(reader: Reader, folded: str) -> bool:
    """Whether a file is of a type: ``attachment``, a kind of file or an extension."""
    if folded == ATTACHMENT:
        return reader.row("SELECT 1 FROM attachment LIMIT 1") is not None
    some = json.dumps(sorted(extensions_of(folded)))
    sql = "SELECT 1 FROM attachment WHERE extension IN (SELECT value FROM json_each(?)) LIMIT 1"
    return reader.row(sql, (some,)) is not None


def of_private_notes(reader: Reader) -> list[NotePath]:
    """Files that private notes link to, and no other note does, by path."""
    linked = """SELECT 1 FROM link JOIN note ON note.id = link.source
                WHERE link.entry = -attachment.id AND {} private"""
    sql = f"""SELECT path FROM attachment WHERE EXISTS ({linked.format("")})
              AND NOT EXISTS ({linked.format("NOT")}) ORDER BY path"""
    return [row[0] for row in reader.rows(sql)]
