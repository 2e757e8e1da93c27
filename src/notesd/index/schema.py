"""What does an index file look like, and was this one made by the notesd that opens it?

There are no migrations: everything here is derived from the notes folder. Whatever could change what is
derived (the code that decides it, the settings) goes into a fingerprint; a file with another fingerprint
goes on answering until a new one has been built beside it. One of another layout cannot be asked at all.
"""

import hashlib
import unicodedata
from collections.abc import Iterable

from notesd import derivation
from notesd.parse import stems
from notesd.parse.terms import TOKENIZER

APPLICATION_ID = 0x6E6F7464
"""``notd``: tells our files from other SQLite databases."""

FULLTEXT_COLUMNS = (
    "name", "aliases", "type", "headings", "tags", "body", "folders", "addresses", "forms", "signs",
)  # fmt: skip

ATTACHED_COLUMNS = ("name", "folders", "forms", "signs", "aliases")
"""Of the names of files that are no notes. They have no aliases: who asks for some is to find none."""

TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    """CREATE TABLE note (
        id INTEGER PRIMARY KEY,        -- of documents from ``index.documents.FIRST`` on
        path TEXT NOT NULL UNIQUE,     -- as it stands on disk
        path_nfc TEXT NOT NULL,        -- for comparison with what a person typed
        path_folded TEXT NOT NULL,     -- without case and accents, for filters
        size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL, device INTEGER NOT NULL,
        racy INTEGER NOT NULL,         -- so young when read that another write may look the same
        digest BLOB NOT NULL,          -- of the bytes that were read
        title TEXT NOT NULL, title_folded TEXT NOT NULL, stem_folded TEXT NOT NULL,
        type TEXT, type_folded TEXT NOT NULL,  -- without a type a note is a "note", as every answer says
        created TEXT,
        named_day TEXT,                -- day that the title or the file's name gives
        addresses BLOB,                -- msgpack of what stands behind links, NULL: nothing
        names TEXT NOT NULL,           -- JSON list: id, uid, permalink, slug
        stable_key TEXT,               -- of the front matter
        key TEXT NOT NULL UNIQUE,      -- on which everything hangs that has to outlive renames and rebuilds
        private INTEGER NOT NULL, embed INTEGER NOT NULL,
        headings BLOB NOT NULL,        -- msgpack of model.Heading
        properties BLOB,               -- msgpack of (key, value) as written, NULL when there is none
        problems BLOB                  -- msgpack of model.Problem, NULL when there is none
    )""",
    "CREATE INDEX note_title ON note (title_folded)",
    "CREATE INDEX note_stem ON note (stem_folded)",
    "CREATE INDEX note_path ON note (path_nfc)",
    "CREATE INDEX note_path_folded ON note (path_folded)",
    "CREATE INDEX note_type ON note (type_folded)",
    "CREATE INDEX note_mtime ON note (mtime_ns)",
    "CREATE INDEX note_problem ON note (path) WHERE problems IS NOT NULL",
    "CREATE INDEX note_private ON note (path) WHERE private",
    # Front matter says `index: false`: remembered only so that it is not read again at each scan.
    """CREATE TABLE skipped (
        path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL, device INTEGER NOT NULL, private INTEGER NOT NULL
    ) WITHOUT ROWID""",
    # Keys of notes that are not there: one that comes back, under whatever name, is the same note.
    """CREATE TABLE gone (
        key TEXT PRIMARY KEY, path TEXT NOT NULL, digest BLOB NOT NULL, stable_key TEXT,
        since INTEGER NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX gone_path ON gone (path)",
    "CREATE INDEX gone_digest ON gone (digest)",
    "CREATE INDEX gone_stable ON gone (stable_key) WHERE stable_key IS NOT NULL",
    # Folders of the space that lie on a device of their own: when they look empty, look twice.
    "CREATE TABLE mount (path TEXT PRIMARY KEY, device INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE alias (
        note INTEGER NOT NULL, place INTEGER NOT NULL, alias TEXT NOT NULL, folded TEXT NOT NULL,
        PRIMARY KEY (note, place)
    ) WITHOUT ROWID""",
    "CREATE INDEX alias_folded ON alias (folded)",
    """CREATE TABLE tag (
        note INTEGER NOT NULL, place INTEGER NOT NULL, tag TEXT NOT NULL, folded TEXT NOT NULL,
        PRIMARY KEY (note, place)
    ) WITHOUT ROWID""",
    "CREATE INDEX tag_folded ON tag (folded, note)",
    # What filters compare. As they are written, properties stand in their note: here each value stands once.
    """CREATE TABLE property (
        key TEXT NOT NULL, value TEXT NOT NULL, note INTEGER NOT NULL,
        number REAL, day TEXT,         -- the value as a number, as a date
        PRIMARY KEY (key, value, note)
    ) WITHOUT ROWID""",
    # One packed row a note: passages are wanted together, and a tenth of the rows is a tenth of the work.
    "CREATE TABLE observation (note INTEGER PRIMARY KEY, packed BLOB NOT NULL)  -- zlib, see parse.packing",
    # The language of each note that can be told, and how many notes are written in each.
    "CREATE TABLE spoken (note INTEGER PRIMARY KEY, language TEXT NOT NULL)",
    "CREATE TABLE language (code TEXT PRIMARY KEY, notes INTEGER NOT NULL) WITHOUT ROWID",
    # Every file that is no note, by its name alone.
    """CREATE TABLE attachment (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,
        path_folded TEXT NOT NULL, stem_folded TEXT NOT NULL, extension TEXT NOT NULL,
        named_day TEXT                 -- day that its name gives
    )""",
    "CREATE INDEX attachment_stem ON attachment (stem_folded)",
    # Coarse keys under which a note (id) or an attachment (-id) can be meant by a link.
    "CREATE TABLE name (key TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (key, entry)) WITHOUT ROWID",
    "CREATE INDEX name_entry ON name (entry)",
    """CREATE TABLE link (
        id INTEGER PRIMARY KEY,
        source INTEGER NOT NULL, place INTEGER NOT NULL,
        raw TEXT NOT NULL, target TEXT NOT NULL, style TEXT NOT NULL,
        relation TEXT, relation_folded TEXT, kind TEXT NOT NULL, line INTEGER NOT NULL,
        key TEXT NOT NULL,
        entry INTEGER                  -- what answers: note id, -attachment id, NULL: nothing yet
    )""",
    # With the other end in them, both say who is linked with whom without a look at the rows: twice as fast.
    "CREATE INDEX link_source ON link (source, place, entry)",
    "CREATE INDEX link_key ON link (key)",
    "CREATE INDEX link_relation ON link (relation_folded, source) WHERE relation_folded IS NOT NULL",
    "CREATE INDEX link_entry ON link (entry, source) WHERE entry IS NOT NULL",
)


def fulltext_tables() -> tuple[str, ...]:
    """DDL of the full-text tables.

    Contentless: the words are searched here, the passages shown come from ``observation``. It cuts no
    endings: each note is given the stems of its own language (``parse.columns``).
    """
    shared = f"content='', contentless_delete=1, tokenize=\"{TOKENIZER}\""
    once = "names, words, folders, languages, detail='column'"
    return (
        f"CREATE VIRTUAL TABLE fulltext USING fts5({', '.join(FULLTEXT_COLUMNS)}, {shared})",
        # Those of documents: apart, so that a hundred books change no statistic of the notes' words.
        f"CREATE VIRTUAL TABLE documents USING fts5({', '.join(FULLTEXT_COLUMNS)}, {shared})",
        # Words as they are written, without their places: those are in the table of stems.
        f"CREATE VIRTUAL TABLE written USING fts5({once}, {shared})",
        "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(written, 'row')",
        # Apart from the notes, so that a thousand pictures change no statistic of words.
        f"CREATE VIRTUAL TABLE attached USING fts5({', '.join(ATTACHED_COLUMNS)}, {shared})",
    )


def layout() -> int:
    """Digest of the tables, 31 bits; an index with other ones cannot be asked."""
    text = "\0".join((*TABLES, *fulltext_tables()))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def fingerprint(settings: Iterable[str]) -> str:
    """Digest of everything that decides what is derived; equal digests, equal index.

    Args:
        settings: The space's settings that change what is read or how.
    """
    digest = hashlib.sha256()
    # How letters are folded depends on the Unicode tables of the interpreter.
    code = derivation.digest(derivation.INDEXING)
    for text in (code, unicodedata.unidata_version, stems.VERSION, *settings):
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
