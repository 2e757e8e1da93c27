"""In which languages are the notes of an index written, and which notes have to be cut anew in others?"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from notesd.index.notes import NoteId, is_document
from notesd.index.store import Reader, Writer
from notesd.model import NotePath
from notesd.parse.languages import chosen
from notesd.parse.stems import FOREIGN_TO_OTHERS

_OUTDATED = -1
"""Size of a file that has to be read again whatever it says: no file has it."""


def put(writer: Writer, told: Mapping[NoteId, str]) -> None:
    """Remember in which languages some notes are written that had none so far; empty: it cannot be told."""
    rows = [(note_id, language) for note_id, language in told.items() if language]
    writer.many("INSERT INTO spoken VALUES (?, ?)", rows)
    sql = "INSERT INTO language VALUES (?, ?) ON CONFLICT (code) DO UPDATE SET notes = notes + excluded.notes"
    counted = Counter(language for note_id, language in rows if not is_document(note_id))
    writer.many(sql, list(counted.items()))


def remove(writer: Writer, note_id: NoteId) -> None:
    """Forget the language of a note."""
    row = writer.row("SELECT language FROM spoken WHERE note = ?", (note_id,))
    if row:
        writer.run("DELETE FROM spoken WHERE note = ?", (note_id,))
        if not is_document(note_id):
            writer.run("UPDATE language SET notes = notes - 1 WHERE code = ?", row)


def suited(reader: Reader) -> tuple[str, ...]:
    """Languages that suit the notes there are now: what an index built from nothing has.

    What is collected in other languages changes no word of a note; documents count where there are no notes.
    """
    counts: Mapping[str, int] = dict(reader.rows("SELECT code, notes FROM language WHERE notes > 0"))
    return chosen(counts or dict(reader.rows("SELECT language, count(*) FROM spoken GROUP BY language")))


def choose(writer: Writer, old: Sequence[str], new: Sequence[str]) -> list[NotePath]:
    """Give an index other languages; returns the notes whose words may have other stems in them.

    These have to be read again, and stay so until they have been. A note whose own language was and is one
    of the space has the stems of that, whatever the others are; but for words in another writing, which any
    note may hold.
    """
    stay = set(old).intersection(new)
    if FOREIGN_TO_OTHERS.intersection(set(old) ^ set(new)):
        stay = set()
    told = "SELECT note FROM spoken WHERE language IN (SELECT value FROM json_each(?))"
    sql = f"UPDATE note SET size = ? WHERE id NOT IN ({told}) RETURNING path"
    paths = [row[0] for row in writer.rows(sql, (_OUTDATED, json.dumps(sorted(stay))))]
    writer.set_meta("stemmer", ",".join(new))
    return paths


def unchanged(reader: Reader, path: NotePath) -> bytes | None:
    """Digest of the bytes at a path that need not be parsed again; None: whatever stands there has to be."""
    row = reader.row("SELECT digest FROM note WHERE path = ? AND size <> ?", (path, _OUTDATED))
    return row[0] if row else None
