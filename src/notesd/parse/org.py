"""What does an Org file say: headings, links, tags, properties, keywords of tasks, and paragraphs?

Of the syntax (orgmode.org/worg/org-syntax.html) only what search needs is read; every other line is text.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from typing import Final

from msgspec import structs

from notesd.model import Heading, Note, NotePath, Observation, ObservationKind
from notesd.parse.blobs import without_blobs
from notesd.parse.frontmatter import FrontMatter, Property
from notesd.parse.note import note_of
from notesd.parse.org_links import OrgLinks
from notesd.parse.passages import Body
from notesd.parse.pieces import pieces

TABLE_ROWS: Final = 50
"""Rows of a table in one passage."""
_DEEPEST: Final = 6

_HEADING: Final = re.compile(r"(\*+)[ \t]+(.*)")
_TAGS: Final = re.compile(r"(?:^|[ \t])(:(?:[\w@#%]+:)+)[ \t]*$")
_PRIORITY: Final = re.compile(r"\[#([A-Za-z0-9]{1,2})\][ \t]*")
_KEYWORD: Final = re.compile(r"[ \t]*#\+([A-Za-z][\w-]*):[ \t]*(.*)")
_BLOCK: Final = re.compile(r"[ \t]*#\+begin_(\w+)[ \t]*(.*)", re.IGNORECASE)
_BLOCK_END: Final = re.compile(r"[ \t]*#\+end_(\w+)[ \t]*", re.IGNORECASE)
_DRAWER: Final = re.compile(r"[ \t]*:([\w-]+):[ \t]*")
_DRAWER_LINE: Final = re.compile(r"[ \t]*:([^\s:]+):(?:[ \t]+(.*))?")
_ITEM: Final = re.compile(
    r"([ \t]*)(?:[-+]|[ \t]\*|(?:\d{1,9}|[A-Za-z])[.)])(?:[ \t]+|$)(?:\[[ xX-]\][ \t]+)?"
)
_STAMP: Final = re.compile(
    r"[\[<](\d{4}-\d\d-\d\d)(?:[ \t]+[^\s\d\]>]+)?(?:[ \t]+(\d{1,2}:\d\d))?[^\]>]{0,40}[\]>]"
)
_PLANNING: Final = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_PLANNED: Final = re.compile(r"\b(SCHEDULED|DEADLINE|CLOSED):[ \t]*([<\[][^\]>\n]{10,60}[\]>])")
_COMMENT: Final = re.compile(r"[ \t]*#[ \t](.*)")
_TODO_KEYS: Final = frozenset({"todo", "seq_todo", "typ_todo"})
_KNOWN_TODO: Final = (
    *(
        "TODO",
        "NEXT",
        "STARTED",
        "DOING",
        "INPROGRESS",
        "IN-PROGRESS",
        "STRT",
        "WAITING",
        "WAIT",
        "HOLD",
        "PROJ",
    ),
    *("DONE", "CANCELLED", "CANCELED", "KILL"),
)
"""Org's own and those that people configure most: the configuration of their editor is not at hand."""
_HEAD_KEYS: Final = {
    "title": "title", "subtitle": "subtitle", "date": "date", "created": "created", "author": "author",
    "filetags": "tags", "roam_tags": "tags", "hugo_tags": "tags", "keywords": "keywords",
    "description": "description", "category": "category", "private": "private", "index": "index",
    "embed": "embed", "type": "type", "slug": "slug", "id": "id", "aliases": "aliases",
    "roam_aliases": "aliases", "roam_refs": "roam_refs",
}  # fmt: skip
"""Keywords, and properties of the file, that count as front matter, and what they are called there."""
_NAME_KEYS: Final = frozenset({"id", "custom_id"})
_KINDS: Final[dict[str, ObservationKind]] = {
    "src": "code",
    "example": "code",
    "quote": "quote",
    "verse": "quote",
}
_QUOTED: Final = re.compile(r"\"([^\"]{1,500})\"|(\S{1,500})")


def read_org(text: str, path: NotePath) -> Note:
    """Say what an Org file says.

    Properties of the file count as front matter does. Those of a heading are passages and properties of the
    note; an ``ID`` or ``CUSTOM_ID`` there is a name for links. A keyword such as TODO is a passage below its
    heading, and a property ``todo``.

    Args:
        text: The decoded file; lines end with LF.
        path: Where it lies; its name is the title of last resort.
    """
    walk = _Walk(text)
    walk.read()
    headings = {heading.text.casefold() for heading in walk.headings}
    links = tuple(
        structs.replace(link, target="") if link.style == "wiki" and link.raw.casefold() in headings else link
        for link in walk.links.links
    )
    body = Body(
        tuple(walk.headings), tuple(walk.observations), links, tuple(walk.tags), tuple(walk.fields), None
    )
    head = FrontMatter(tuple(walk.properties), (), "", 0, 1)
    note = note_of(path, text, head, body, addresses=tuple(dict.fromkeys(walk.links.addresses)))
    return _named(note, walk)


def _named(note: Note, walk: "_Walk") -> Note:
    """Give the note the names of its headings; its title is what the file says, or its name."""
    said = any(one.key == "title" and one.value for one in walk.properties)
    title = note.title if said else note.path.rpartition("/")[2].rpartition(".")[0] or note.title
    return structs.replace(note, title=title, names=tuple(dict.fromkeys((*note.names, *walk.names))))


class _Walk:
    """Walks the lines of one file."""

    def __init__(self, text: str) -> None:
        self.headings: list[Heading] = []
        self.observations: list[Observation] = []
        self.links = OrgLinks()
        self.tags: list[str] = []
        self.fields: list[tuple[str, str]] = []
        self.properties: list[Property] = []
        self.names: list[str] = []
        self._todo = set(_KNOWN_TODO)
        self._stars: list[int] = []
        """Lines of headings, from 0."""
        self._ends: dict[str, list[int]] = {}
        """Lines that end a block of a name, or (empty) a drawer."""
        self._path: list[tuple[int, str]] = []
        self._lines = without_blobs(text).split("\n")
        self._kept: list[str] = []
        self._kind: ObservationKind = "paragraph"
        self._at = 0
        """Lines that have been taken."""

    def read(self) -> None:
        """Take in every line."""
        self._survey()
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if found := _HEADING.match(line):
                self._heading(len(found[1]), found[2])
            elif not line.strip():
                self._flush()
                self._at += 1
            elif _PLANNING.match(line):
                self._planning(line)
            elif line.lstrip().startswith(("#", ":")) and self._special(line):
                continue
            else:
                self._text(line)
        self._flush()

    def _survey(self) -> None:
        """Find what holds for the whole file, and where blocks and drawers may end."""
        for number, line in enumerate(self._lines):
            if line.startswith("*") and _HEADING.match(line):
                self._stars.append(number)
            elif line.strip().casefold() == ":end:":
                self._ends.setdefault("", []).append(number)
            elif found := _BLOCK_END.fullmatch(line):
                self._ends.setdefault(found[1].casefold(), []).append(number)
            elif (found := _KEYWORD.match(line)) and found[1].casefold() in _TODO_KEYS:
                self._todo |= {word.partition("(")[0] for word in found[2].split()} - {"|", ""}

    def _heading(self, level: int, text: str) -> None:
        self._flush()
        self._at += 1
        tags = _TAGS.search(text)
        if tags:
            self.tags += tags[1].strip(":").split(":")
            text = text[: tags.start()]
        word, _, rest = text.strip().partition(" ")
        state = [word] if word in self._todo else []
        text = rest.strip() if state else text.strip()
        if priority := _PRIORITY.match(text):
            state.append(priority[0].strip())
            text = text[priority.end() :]
        if text.startswith("COMMENT "):
            text = text.removeprefix("COMMENT ").strip()
        shown = " ".join(self.links.read(text, self._at).split())
        self.headings.append(Heading(min(level, _DEEPEST), shown, self._at))
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, shown))
        if state:
            self._say(" ".join(state), self._at, self._at, "raw")
            self.fields.append(("todo", state[0].strip("[#]")))

    def _planning(self, line: str) -> None:
        """Take what is planned for a heading, and leave out the clocks of what was done."""
        self._flush()
        self._at += 1
        for key, stamp in _PLANNED.findall(line):
            if day := _day(stamp):
                self.fields.append((key.casefold(), day))
        if not line.lstrip().startswith("CLOCK"):
            self._say(line.strip(), self._at, self._at, "raw")

    def _special(self, line: str) -> bool:
        """Take a keyword, a comment, a block or a drawer; False when it is none of them."""
        if found := _BLOCK.match(line):
            self._flush()
            return self._block(found[1].casefold(), found[2])
        if found := _KEYWORD.match(line):
            self._flush()
            self._at += 1
            self._keyword(found[1].casefold(), found[2].strip())
            return True
        if found := _COMMENT.match(line):
            self._flush()
            self._at += 1
            self._say(found[1], self._at, self._at, "raw")
            return True
        if _DRAWER.fullmatch(line):
            return self._drawer(line.strip().strip(":").casefold())
        return False

    def _block(self, name: str, about: str) -> bool:
        """Take a block as far as it goes; one that is not closed is text."""
        end = self._end(self._ends.get(name, ()))
        if end is None:
            return False
        first, inside = self._at + 1, self._lines[self._at + 1 : end]
        self._at = end + 1
        if name in {"src", "example"}:
            inside = [line.removeprefix(",") if line.startswith((",*", ",#+")) else line for line in inside]
        said = "\n".join((about if name == "src" else "", *inside))
        self._say(said, first, end + 1, _KINDS.get(name, "raw"))
        return True

    def _drawer(self, name: str) -> bool:
        end = self._end(self._ends.get("", ()))
        if end is None:
            return False
        self._flush()
        first, inside = self._at + 2, self._lines[self._at + 1 : end]
        self._at = end + 1
        if name == "properties":
            for number, line in enumerate(inside, first):
                if found := _DRAWER_LINE.fullmatch(line):
                    self._property(found[1].rstrip("+"), (found[2] or "").strip(), number)
        else:
            said = "\n".join("" if line.lstrip().startswith("CLOCK:") else line for line in inside)
            self._say(said, first, end, "raw")
        return True

    def _end(self, ends: Sequence[int]) -> int | None:
        """Return the first of some lines below the present one, None when a heading stands before it."""
        end = bisect(ends, self._at)
        heading = bisect(self._stars, self._at)
        if end == len(ends) or (heading < len(self._stars) and self._stars[heading] < ends[end]):
            return None
        return ends[end]

    def _keyword(self, key: str, value: str) -> None:
        if key == "property":
            key, _, value = value.partition(" ")
            key = key.casefold()
        if key in _HEAD_KEYS and not (key == "title" and any(one.key == "title" for one in self.properties)):
            self._front(_HEAD_KEYS[key], value, self._at)
        elif key in {"caption", "name", "title"}:
            self._say(value, self._at, self._at, "raw")

    def _property(self, key: str, value: str, line: int) -> None:
        """Take in a property, of the file above its first heading, else of a heading."""
        name = key.casefold()
        if not self._path:
            self._front(_HEAD_KEYS.get(name, key), value, line)
            return
        if name in _NAME_KEYS:
            self.names.append(value)
            return
        self.fields.append((key, value))
        self._say(f"{key}: {value}", line, line, "raw")

    def _front(self, key: str, value: str, line: int) -> None:
        if key in {"date", "created"}:
            value = _day(value) or value
        if key == "tags" and ":" in value:
            entry = Property(key, [tag for tag in value.split(":") if tag.strip()], line, line)
        elif key == "aliases":
            entry = Property(key, [one or two for one, two in _QUOTED.findall(value)], line, line)
        elif key == "private" and value.casefold() in {"t", "yes", ""}:
            entry = Property(key, "true", line, line)
        else:
            entry = Property(key, self.links.read(value, line), line, line)
        self.properties.append(entry)

    def _text(self, line: str) -> None:
        """Take in a line of a paragraph, an item or a table."""
        if line.lstrip().startswith("|"):
            if self._kind != "table" or len(self._kept) >= TABLE_ROWS:
                self._flush()
            self._kind = "table"
            line = " | ".join(cell.strip() for cell in line.strip().strip("|").split("|"))
            line = "" if not line.strip("-+| ") else line
        elif found := _ITEM.match(line):
            self._flush()
            self._kind = "item"
            line = line[found.end() :]
        elif self._kind == "table" or (self._kind == "item" and not line[:1].isspace()):
            self._flush()
        self._kept.append(line.strip())
        self._at += 1

    def _flush(self) -> None:
        """Keep the passage whose lines were taken last."""
        kept, kind = self._kept, self._kind
        self._kept, self._kind = [], "paragraph"
        if kept:
            self._say("\n".join(kept), self._at - len(kept) + 1, self._at, kind)

    def _say(self, text: str, first: int, last: int, kind: ObservationKind) -> None:
        if not text.strip():
            return
        text = text if kind == "code" else self.links.read(text, first)
        starts: Sequence[int] = range(first, first + text.count("\n") + 1)
        path = tuple(heading for _, heading in self._path)
        for piece, start, end in pieces(text, starts, last):
            self.observations.append(Observation(piece, start, min(end, last), path, kind))


def _day(text: str) -> str:
    """Return the first time stamp of a text in ISO 8601, a day or a time; empty where there is none."""
    found = _STAMP.search(text)
    if found is None:
        return ""
    return f"{found[1]}T{found[2].zfill(5)}" if found[2] else found[1]
