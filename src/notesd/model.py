"""The values that travel through notesd: what was read, what it links to, what answers.

``Link`` is what a person wrote, ``Note`` what one file says; a row of the index is what is remembered of it.
All are frozen; lists are tuples. Paths are relative to the space's folder, ``/``-separated,
always valid Unicode (``files.paths`` says how odd bytes are written).
"""

from typing import Literal, NewType

from msgspec import Struct

NotePath = NewType("NotePath", str)
"""Path of a file below its space's folder, as it stands on disk."""

Kind = Literal["link", "embed"]
Style = Literal["wiki", "markdown"]
ObservationKind = Literal["paragraph", "item", "quote", "table", "code", "heading", "raw"]


class Stamp(Struct, frozen=True, gc=False, array_like=True):
    """What ``lstat`` says of a file; unequal on any field means "look again"."""

    size: int
    """Bytes."""
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


class Heading(Struct, frozen=True, gc=False, array_like=True):
    """One top-level heading."""

    level: int
    """1 to 6."""
    text: str
    """Plain text: no marks, links as shown, no block id."""
    line: int
    """Line in the file, from 1."""


class Observation(Struct, frozen=True, gc=False, array_like=True):
    """One passage of a note: a paragraph, list item, quote, table or code block."""

    text: str
    """Plain text as a reader sees it; link destinations left out, code kept."""
    line_start: int
    """First line in the file, from 1."""
    line_end: int
    """Last line in the file, inclusive."""
    heading: tuple[str, ...]
    """Texts of the headings above it, outermost first."""
    kind: ObservationKind


class Link(Struct, frozen=True, gc=False, array_like=True):
    """One link as a person wrote it."""

    raw: str
    """Target as written, part (``#...``) included, trimmed, no shown text. Markdown
    destinations as in the source (still percent-encoded)."""
    target: str
    """What to look up: ``raw`` without its part; Markdown destinations percent-decoded.
    Empty for a link to a part of the note itself."""
    style: Style
    relation: str | None
    """Name of a typed relation as written, None for a plain link or an embed."""
    kind: Kind
    line: int
    """Line in the file, from 1; any line of the front matter for property links."""


class Problem(Struct, frozen=True, gc=False, array_like=True):
    """Something wrong with one file; the rest of it is used all the same."""

    kind: str
    """Stable word: ``frontmatter``, ``not_utf8``, ``too_large``, ``unreadable``, ..."""
    reason: str
    """One sentence for people: what, where, what to do."""
    line: int | None = None


class Note(Struct, frozen=True, gc=False, array_like=True):
    """What one file says."""

    path: NotePath
    title: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Without ``#``, case as written, no repeats, front matter first."""
    entity_type: str | None = None
    headings: tuple[Heading, ...] = ()
    observations: tuple[Observation, ...] = ()
    """In order of the file; headings are not repeated here."""
    links: tuple[Link, ...] = ()
    """In order of the file, front matter first."""
    created: str | None = None
    """ISO 8601 day or time, offset kept when one was written."""
    names: tuple[str, ...] = ()
    """Front-matter ``id``, ``uid``, ``permalink``, ``slug``: further names links may use."""
    stable_key: str | None = None
    """First of front-matter ``id``, ``uid``, ``permalink``; None: the path is the key."""
    problems: tuple[Problem, ...] = ()
    index: bool = True
    """False: front matter says ``index: false``; the note is left out."""
    embed: bool = True
    private: bool = False
    addresses: tuple[str, ...] = ()
    """What stands behind the words of its links: addresses, files, titles; see ``parse.addresses``."""
    properties: tuple[tuple[str, str], ...] = ()
    """Key and value, as written, of what stands in front matter and fields; see ``parse.properties``."""
