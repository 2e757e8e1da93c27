"""What does the record of use look like, and how does an older one become this one?

What stands here cannot be derived from anything, so it is migrated, step by step and forwards alone. No
text of a query is in it, and of a note only its key, path and digest: by these a new index knows it again.
"""

from notesd.index.store import Reader, Writer

APPLICATION_ID = 0x6E6F7475
"""``notu``."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID",
        "INSERT INTO meta VALUES ('generation', 0)",
        # Decides who falls into which half of an A/B test; says nothing about anybody.
        "INSERT INTO meta VALUES ('salt', hex(randomblob(16)))",
        # A folder of notes: the name of its folder of state, and how it was called.
        """CREATE TABLE space (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, root TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE note (
            id INTEGER PRIMARY KEY,
            space INTEGER NOT NULL,
            key TEXT NOT NULL,             -- stays with the note through renames
            path TEXT NOT NULL,
            digest BLOB, stable_key TEXT,  -- by these and the path an index that starts anew finds the key
            shown INTEGER NOT NULL DEFAULT 0, shown_at REAL NOT NULL DEFAULT 0,
            opened INTEGER NOT NULL DEFAULT 0, opened_at REAL NOT NULL DEFAULT 0,
            UNIQUE (space, key)
        ) STRICT""",
        "CREATE INDEX note_opened ON note (space, opened_at) WHERE opened > 0",
        # Two notes shown or opened together, the smaller row first; and how often of these opened.
        """CREATE TABLE pair (
            a INTEGER NOT NULL, b INTEGER NOT NULL, count INTEGER NOT NULL, last REAL NOT NULL,
            opened INTEGER NOT NULL, opened_last REAL NOT NULL,
            PRIMARY KEY (a, b)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX pair_b ON pair (b)",
        # A search whose order use was asked about: what there was to choose from, and what was chosen.
        """CREATE TABLE event (
            id INTEGER PRIMARY KEY, space INTEGER NOT NULL, at REAL NOT NULL,
            mode TEXT NOT NULL, blend TEXT NOT NULL, strategy TEXT NOT NULL,
            treatment INTEGER NOT NULL,    -- 1: the order shown was the one that use made
            candidates BLOB NOT NULL       -- msgpack of rank.tune.Component
        ) STRICT""",
        "CREATE INDEX event_at ON event (space, at)",
        """CREATE TABLE shown (
            event INTEGER NOT NULL, note INTEGER NOT NULL, reaccessed REAL,
            PRIMARY KEY (event, note)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX shown_note ON shown (note)",
        """CREATE TABLE tuned (
            id INTEGER PRIMARY KEY, space INTEGER NOT NULL, at REAL NOT NULL,
            gamma REAL NOT NULL, beta_sal REAL NOT NULL, why TEXT NOT NULL,
            reverted REAL
        ) STRICT""",
    ),
)

VERSION = len(MIGRATIONS)


def version(reader: Reader) -> int:
    """Number of migrations a file has been through; 0 for an empty one."""
    return int(reader.value("PRAGMA user_version"))


def migrate(writer: Writer) -> None:
    """Bring a file up to date, in the transaction at hand."""
    if version(writer) == VERSION:
        return
    for number, statements in enumerate(MIGRATIONS[version(writer) :], version(writer) + 1):
        for statement in statements:
            writer.run(statement)
        writer.run(f"PRAGMA user_version = {number}")
    writer.run(f"PRAGMA application_id = {APPLICATION_ID}")
