"""Which documents hold these words? Documents are books beside the notes: read, but counted apart.

A PDF has a hundred times the words of a note, so in one table with the notes it would change how rare a word
is and how long a text, and be looked through for every question. Its words are in a table of its own, and its
row is told from that of a note by its number.
"""

import json
from collections.abc import Sequence

from notesd.index import fulltext
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId
from notesd.index.standing import newest_first
from notesd.index.store import Reader

MOST = 1_000
"""Documents that are looked at."""
MOST_RANKED = 100
"""Documents that are put in order by their words, the newest of those that match: it takes as long as reading
each place of a word in them."""


def any_here(reader: Reader) -> bool:
    """Say whether the index has documents."""
    known = reader.known("documents")
    if "" not in known:
        known[""] = reader.row("SELECT 1 FROM documents_docsize LIMIT 1") is not None
    return bool(known[""])


def hold(reader: Reader, match: str) -> bool:
    """Say whether any document matches."""
    sql = "SELECT 1 FROM documents WHERE documents MATCH ? LIMIT 1"
    return any_here(reader) and reader.row(sql, (match,)) is not None


def matching(reader: Reader, match: str, narrowed: Narrowing | None) -> list[NoteId]:
    """The documents that match, at most ``MOST``, in no order."""
    sql, values = "SELECT rowid FROM documents WHERE documents MATCH ?", [match]
    if narrowed is not None:
        sql, values = f"{sql} AND +rowid IN ({narrowed[0]})", [match, *narrowed[1]]  # type: ignore[list-item]  # a value is any object
    return [NoteId(row[0]) for row in reader.rows(f"{sql} LIMIT ?", (*values, MOST))]


def ranked(reader: Reader, match: str, found: Sequence[NoteId]) -> tuple[list[NoteId], dict[NoteId, float]]:
    """Put documents that match in order; returns also FTS5's score of the first, lower is better.

    Of equal scores the newer comes first, and those without a score come last, the newest first.
    """
    places = newest_first(reader, found)
    order = sorted(found, key=lambda one: places[one])
    first = json.dumps(order[:MOST_RANKED])
    sql = f"""SELECT rowid, {fulltext.bm25("documents")} FROM documents
              WHERE documents MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"""
    scores = {NoteId(row[0]): float(row[1]) for row in reader.rows(sql, (match, first))}
    return sorted(order, key=lambda one: (one not in scores, scores.get(one, 0.0), places[one])), scores
