"""Which notes hold these words? The FTS5 table and the statistics behind its scores."""

import json
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

import apsw
from msgspec import Struct

from notesd.index import spoken
from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId, is_document
from notesd.index.schema import FULLTEXT_COLUMNS
from notesd.index.standing import newest_first
from notesd.index.store import Reader, Writer
from notesd.parse.columns import Columns
from notesd.parse.languages import languages_told
from notesd.parse.stems import beginnings, stems
from notesd.parse.terms import TOKENIZER

WEIGHTS: Mapping[str, float] = {
    "name": 10.0, "aliases": 8.0, "type": 1.0, "headings": 2.0, "tags": 4.0, "body": 1.0, "folders": 1.0,
    "addresses": 0.2, "forms": 1.0,
    "signs": 4.0,
}  # fmt: skip
"""BM25 weight of each column; names asked for by name gain 0.03 to 0.12 nDCG@10 over flat weights."""

_texts = operator.attrgetter(*FULLTEXT_COLUMNS)
_SOME = "(SELECT value FROM json_each(?))"
"""Ids as one value: of values by themselves SQLite takes only so many."""


def bm25(table: str) -> str:
    """SQL for the score of a row of a table with the columns of notes."""
    return f"bm25({table}, {', '.join(str(WEIGHTS[column]) for column in FULLTEXT_COLUMNS)})"


_BM25 = bm25("fulltext")


class Words(Struct, frozen=True, gc=False):
    """The words of one note that are to be indexed."""

    columns: Columns
    new: bool
    """Whether the index has no words of the note yet."""


def put(writer: Writer, words: Mapping[NoteId, Words]) -> None:
    """Index the words of some notes.

    All at once: each savepoint, and each statement that may need one, makes FTS5 write what it has gathered
    so far. A contentless table accepts a second row of the same id without a word and then finds the old
    words for ever, so the old row goes first.
    """
    for note_id, one in words.items():
        if not one.new:
            remove(writer, note_id)
    spoken.put(writer, {note_id: one.columns.language for note_id, one in words.items()})
    names = ", ".join(FULLTEXT_COLUMNS)
    marks = ", ".join("?" * (1 + len(FULLTEXT_COLUMNS)))
    rows: dict[str, list[tuple[object, ...]]] = {}
    for note_id, one in words.items():
        rows.setdefault(_table(note_id), []).append((note_id, *_texts(one.columns)))
    for table, some in rows.items():
        writer.many(f"INSERT INTO {table} (rowid, {names}) VALUES ({marks})", some)
    written = [(note_id, one.columns.written) for note_id, one in words.items()]
    writer.many(
        "INSERT INTO written (rowid, names, words, folders, languages) VALUES (?, ?, ?, ?, ?)",
        [(note_id, one.names, one.words, one.folders, one.languages) for note_id, one in written],
    )


def remove(writer: Writer, note_id: NoteId) -> None:
    """Forget the words of one note."""
    spoken.remove(writer, note_id)
    writer.run(f"DELETE FROM {_table(note_id)} WHERE rowid = ?", (note_id,))
    writer.run("DELETE FROM written WHERE rowid = ?", (note_id,))


def _table(note_id: NoteId) -> str:
    return "documents" if is_document(note_id) else "fulltext"


def _in_tables(note_ids: Iterable[NoteId]) -> Iterator[tuple[str, str]]:
    """Each table that holds some of these, and those, as JSON."""
    tables: dict[str, list[NoteId]] = {}
    for note_id in note_ids:
        tables.setdefault(_table(note_id), []).append(note_id)
    return ((table, json.dumps(some)) for table, some in tables.items())


def languages(reader: Reader) -> tuple[str, ...]:
    """Languages of the space, the commonest first: those whose word endings were cut."""
    known = reader.known("languages")
    if "" not in known:
        said = reader.meta("stemmer")
        known[""] = () if said in (None, "none") else tuple(said.split(","))
    found: tuple[str, ...] = known[""]
    return found


def ranked(
    reader: Reader, match: str, limit: int, narrowed: Narrowing | None = None
) -> list[tuple[NoteId, float]]:
    """Notes that match, best first: ``(note, bm25)``, lower is better.

    Of equal scores the newer note comes first, then the smaller path, also where ``limit`` cuts, so that
    one index and another built from the same files give the same list.

    Args:
        reader: The index.
        match: An FTS5 expression.
        limit: How many at most.
        narrowed: Only these notes are looked at; the limit counts after that.
    """
    where, values = _where(match, narrowed)
    take = limit + 8
    while True:
        sql = f"SELECT rowid, {_BM25} AS score FROM fulltext WHERE {where} ORDER BY score LIMIT ?"
        rows = reader.rows(sql, (*values, take))
        if len(rows) < take or rows[limit - 1][1] != rows[-1][1]:
            break
        take *= 4
    often = Counter(score for _, score in rows)
    if tied := [NoteId(note) for note, score in rows if often[score] > 1]:
        places = newest_first(reader, tied)
        rows.sort(key=lambda row: (row[1], places.get(row[0], 0)))
    return [(NoteId(row[0]), row[1]) for row in rows[:limit]]


def writing(
    reader: Reader, match: str, note_ids: Sequence[NoteId], columns: str = "names words"
) -> set[NoteId]:
    """Those of some notes that say words as they are written; ``match`` is ``parse.terms.written``."""
    if not match or not note_ids:
        return set()
    sql = f"SELECT rowid FROM written WHERE written MATCH ? AND +rowid IN {_SOME}"
    values = (f"{{{columns}}} : ({match})", json.dumps([*note_ids]))
    return {NoteId(row[0]) for row in reader.rows(sql, values)}


def beginning_so(reader: Reader, beginning: str, limit: int) -> list[tuple[str, int]]:
    """Written words that begin so, with how many notes hold each: the commonest first, at most ``limit``."""
    sql = "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT ?"
    return reader.rows(sql, (beginning, beginning + "\U0010ffff", limit))


def commonest(reader: Reader, words: Sequence[str], limit: int) -> list[str]:
    """Those of some words that notes hold, first those of titles, then those in the most notes."""
    counted = """(SELECT count(*) FROM written WHERE written MATCH '{{{}}} : "' || wanted.value || '"')"""
    titled, anywhere = counted.format("names"), counted.format("names words folders")
    sql = f"SELECT wanted.value, {titled}, {anywhere} FROM json_each(?) AS wanted"
    rows = [row for row in reader.rows(sql, (json.dumps([*words]),)) if row[2]]
    rows.sort(key=lambda row: (not row[1], -row[2], row[0]))
    return [row[0] for row in rows[:limit]]


def in_many(reader: Reader, words: Sequence[str], many: int) -> bool:
    """Say whether so many notes say any of some words as they are written."""
    any_ = " OR ".join(f'"{word}"' for word in words)
    sql = "SELECT count(*) FROM (SELECT 1 FROM written WHERE written MATCH ? LIMIT ?)"
    return bool(words) and reader.value(sql, (any_, many)) >= many


def named(reader: Reader, word: str) -> bool:
    """Say whether a title or an alias says a word as it is written."""
    sql = "SELECT 1 FROM written WHERE written MATCH ? LIMIT 1"
    return reader.row(sql, (f'{{names folders}} : "{word}"',)) is not None


def counted(reader: Reader, words: Sequence[str]) -> dict[str, int]:
    """Return in how many notes each of some words stands as it is written, those in none left out."""
    sql = "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"
    return dict(reader.rows(sql, (json.dumps([*words]),)))


def held(reader: Reader, words: Sequence[str]) -> set[str]:
    """Those of some written words that notes hold."""
    match = """'{names words folders} : "' || wanted.value || '"'"""
    sql = f"""SELECT wanted.value FROM json_each(?) AS wanted
              WHERE EXISTS (SELECT 1 FROM written WHERE written MATCH {match})"""
    return {row[0] for row in reader.rows(sql, (json.dumps([*words]),))} if words else set()


def languages_of(reader: Reader, word: str, spoken_here: Sequence[str]) -> list[str]:
    """Those of some languages in which notes that hold a written word are, or may be, written."""
    sql = "SELECT 1 FROM written WHERE written MATCH ? LIMIT 1"
    held_so = f'{{names words folders}} : "{word}"'
    known = reader.known("spoken")
    if (word, *spoken_here) not in known:
        asked = [(one, reader.row(sql, (f'{held_so} AND {{languages}} : "{one}"',))) for one in spoken_here]
        known[word, *spoken_here] = [one for one, row in asked if row]
    found: list[str] = known[word, *spoken_here]
    return found


def every_word(reader: Reader) -> Iterator[str]:
    """The written words of an index, in order."""
    return (row[0] for row in reader.each("SELECT term FROM vocabulary"))


def first_matching(reader: Reader, match: str, limit: int, narrowed: Narrowing | None = None) -> list[NoteId]:
    """At most ``limit`` of the notes that match; enough to tell few from many."""
    where, values = _where(match, narrowed)
    rows = reader.rows(f"SELECT rowid FROM fulltext WHERE {where} LIMIT ?", (*values, limit))
    return [NoteId(row[0]) for row in rows]


def count(reader: Reader, match: str, narrowed: Narrowing | None = None) -> int:
    """How many notes match."""
    where, values = _where(match, narrowed)
    return int(reader.value(f"SELECT count(*) FROM fulltext WHERE {where}", values))


def holders(reader: Reader, match: str) -> int:
    """How many notes of all match; known for what was asked before in this generation."""
    return reader.look_up("holders", [match], lambda _: {match: count(reader, match)})[match]


def count_to(reader: Reader, match: str, most: int, narrowed: Narrowing | None = None) -> int:
    """How many notes match, counted up to ``most``."""
    where, values = _where(match, narrowed)
    sql = f"SELECT count(*) FROM (SELECT 1 FROM fulltext WHERE {where} LIMIT ?)"
    return int(reader.value(sql, (*values, most)))


def _where(match: str, narrowed: Narrowing | None) -> tuple[str, list[object]]:
    if narrowed is None:
        return "fulltext MATCH ?", [match]
    # "+": else FTS5 runs the whole expression anew for each of the notes, a minute for ten thousand of them.
    return f"fulltext MATCH ? AND +rowid IN ({narrowed[0]})", [match, *narrowed[1]]


class Rarity(Struct, frozen=True):
    """How rare the terms of a query are in an index."""

    notes: int
    """Notes in the index."""
    holding: tuple[int, ...]
    """Notes that hold each term, in the order of the terms."""
    idfs: tuple[float, ...]
    """Inverse document frequency of each term, in the same order."""

    @property
    def idf_sum(self) -> float:
        """All of them together."""
        return math.fsum(self.idfs)


def rarity(reader: Reader, matches: Iterable[str]) -> Rarity:
    """Count in how many notes each term occurs.

    ``idf(t) = max(1e-6, ln((N - df + .5) / (df + .5)))``, the formula inside FTS5's own bm25.
    An unknown word counts with df = 0: a query of unknown words is weak evidence for any note.

    Args:
        reader: The index.
        matches: One FTS5 expression a term.
    """
    known = reader.known("notes")
    if "" not in known:
        known[""] = int(reader.value("SELECT count(*) FROM fulltext_docsize"))
    total: int = known[""]
    holding = tuple(holders(reader, match) for match in matches)
    idfs = tuple(max(1e-6, math.log((total - df + 0.5) / (df + 0.5))) for df in holding)
    return Rarity(total, holding, idfs)


def matching(reader: Reader, match: str, note_ids: Sequence[NoteId]) -> set[NoteId]:
    """Those of some notes that match."""
    found: set[NoteId] = set()
    for table, some in _in_tables(note_ids):
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND +rowid IN {_SOME}"
        found.update(NoteId(row[0]) for row in reader.rows(sql, (match, some)))
    return found


def columns_holding(reader: Reader, match: str, note_ids: Sequence[NoteId]) -> dict[NoteId, list[str]]:
    """In which columns an expression matches, for those of some notes in which it does."""
    found: dict[NoteId, list[str]] = {}
    for table, some in _in_tables(note_ids):
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND +rowid IN {_SOME}"
        for column in FULLTEXT_COLUMNS:
            for row in reader.rows(sql, (f"{{{column}}} : ({match})", some)):
                found.setdefault(NoteId(row[0]), []).append(column)
    return found


class Tokenizer:
    """Cuts the text of one note as the index does."""

    def __init__(self, cut: apsw.FTS5Tokenizer, language: str | None) -> None:
        self._cut = cut
        self._language = language

    def __call__(self, text: str, /) -> list[tuple[int, int, str]]:
        """Return ``(start, end, stem)`` of every word, offsets in characters."""
        if text.isascii() and text.isalnum():  # one word, as the index cuts it, too
            word = text.lower()
            return [(0, len(word), stems([word], self._language)[0] if self._language else word)]
        data = text.encode("utf-8", "replace")
        # Offsets and the token, or several at one place, which our tokenizer never gives.
        found = cast("list[tuple[int, int, str]]", self._cut(data, apsw.FTS5_TOKENIZE_DOCUMENT, None))
        if self._language:
            cut = stems([token for _, _, token in found], self._language)
            found = [(start, end, stem) for (start, end, _), stem in zip(found, cut, strict=True)]
        if len(data) == len(text):
            return found
        places = _character_offsets(text)
        return [(places[start], places[end], token) for start, end, token in found]

    def beginnings(self, stem: str, /) -> tuple[str, ...]:
        """Return what the folded words with this stem begin with."""
        return beginnings(stem, self._language)


def tokenizer(reader: Reader) -> Callable[[str | None, Callable[[], str]], Tokenizer]:
    """Return what gives the tokenizer of a note, one for each language.

    It takes the language that the index has of the note, None where it has none, and what returns the
    beginning of its text, which tells the language where the index does not.
    """
    name, *arguments = (part.strip("'") for part in _split(TOKENIZER))
    cut, here = reader.tokenizer(name, arguments), languages(reader)

    known: dict[str | None, Tokenizer] = {}

    def of_note(language: str | None, text: Callable[[], str]) -> Tokenizer:
        if len(here) > 1 and language not in here:
            language = languages_told(text(), here)[1]
        if language not in here:
            language = next(iter(here), None)
        if language not in known:
            known[language] = Tokenizer(cut, language)
        return known[language]

    return of_note


def _split(text: str) -> list[str]:
    """Split at blanks outside of single quotes."""
    parts: list[str] = []
    for i, piece in enumerate(text.split("'")):
        parts.extend([piece] if i % 2 else piece.split())
    return parts


def _character_offsets(text: str) -> dict[int, int]:
    """Character index of each UTF-8 byte offset at which a character begins or the text ends."""
    places, offset = {}, 0
    for index, character in enumerate(text):
        places[offset] = index
        code = ord(character)
        offset += 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4  # noqa: PLR2004 -- the limits of UTF-8
    places[offset] = len(text)
    return places
