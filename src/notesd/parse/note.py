"""What does one file say? The whole of it, from decoded text to ``Note``."""

import re
from collections.abc import Iterable, Iterator

from notesd.model import Note, NotePath, Observation, Problem
from notesd.parse.addresses import addresses
from notesd.parse.fields import page_properties
from notesd.parse.frontmatter import FrontMatter, Property, read_properties
from notesd.parse.metadata import ALIAS_KEYS, TAG_KEYS, Metadata
from notesd.parse.passages import Body, read_body
from notesd.parse.pieces import pieces
from notesd.parse.properties import properties
from notesd.parse.tags import unique_tags

_PRIVATE = re.compile(
    r"""(?:^|[\s{,"'-]|\\n)private["']?\s*[:=][ \t]*+(?!["']?(?:false|no|off|n|0)\b)""", re.IGNORECASE
)
_YES_WORDS = (
    "true yes on y t 1 1.0 x ✓ ✔ ✅ oui vrai ja wahr sant sann sand kyllä tosi sí si sim sì vero verdadero "
    "verdadeiro da tak prawda ano pravda igen igaz evet doğru ναι да так правда истина כן נכון نعم صحيح "  # noqa: RUF001 -- words of other scripts
    "हाँ है 是 真 对 はい 예 참 có ya"
)
_YES = frozenset(_YES_WORDS.split())
"""What people write instead of ``true``, in the languages that they write in."""
_WORD = re.compile(r"[^\s,;.!\u200b-\u200f\u2060\ufe0f\ufeff]+")
"""Without what is not seen but comes along when a text is pasted."""
_MEANT = re.compile(
    r"\s*+(?:(?P<fence>-{3,}|\+{3,}|;{3,})[ \t]*\n(?P<fenced>(?:.*\n)*?)(?:(?P=fence)|\.{3,})[ \t]*(?:\n|$)"
    r"|(?P<json>\{(?:[^{}]++|\{[^{}]*+\})*+\}))"
)
"""What somebody seems to have meant as the head of a note, though it is no front matter as it is read here: a
list, a single line, JSON, or a block behind blank lines."""
_NO = r"(?:false|no|off|n|0|null)\b"
_ASKED = re.compile(
    rf"""(?:^|[{{,])[\s"'{{>*+-]*private["'*]*\s*[:=\uff1a][:=\s]*(?!["'\[\s]*{_NO})(?=["'\[\s]*\w)""",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 1_048_576
"""Characters in which the wishes of a note are looked for whose front matter cannot be read."""
_LINE_END = re.compile(r"\r\n?")
_PAGE_KEYS = frozenset(("title", *ALIAS_KEYS, *TAG_KEYS))


def parse_note(
    text: str, path: NotePath, *, dendron: bool = False, problems: tuple[Problem, ...] = ()
) -> Note:
    """Say everything that one note says.

    Never raises, whatever the text holds, and takes time in proportion to its length.

    Args:
        text: The decoded file.
        path: Where it lies; its name is the title of last resort.
        dendron: The folder is a Dendron workspace: ``[[shown|target]]``.
        problems: What was wrong already when the file was read.
    """
    text = plain_text(text)
    head = read_properties(text)
    source = text[head.body_start :]
    head = head._replace(properties=(*head.properties, *_page_properties(source, head)))
    body = read_body(source, head.body_line, shown_first=dendron)
    return note_of(
        path, text, head, body, addresses=addresses(source), dendron=dendron, problems=problems
    )  # fmt: skip


def plain_text(text: str) -> str:
    """Return a text without byte-order mark and NULs, its lines ended by LF."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    return text.replace("\0", "") if "\0" in text else text


def note_of(
    path: NotePath,
    text: str,
    head: FrontMatter,
    body: Body,
    *,
    addresses: tuple[str, ...] = (),
    dendron: bool = False,
    problems: tuple[Problem, ...] = (),
) -> Note:
    """Put together what the head and the body of a file say, whatever they are written in.

    Args:
        path: Where it lies; its name is the title of last resort.
        text: The whole file.
        head: Its properties.
        body: What follows them.
        addresses: What stands behind the words of its links.
        dendron: Links in properties are written ``[[shown|target]]``.
        problems: What was wrong already when the file was read.
    """
    metadata = Metadata(head.properties)
    return Note(
        path=path,
        title=metadata.text("title") or _first_heading(body) or _file_name(path),
        aliases=metadata.aliases(),
        tags=unique_tags((*metadata.tags(), *body.tags)),
        entity_type=metadata.text("type"),
        headings=body.headings,
        observations=(*_broken(head), *_short(metadata.observations()), *body.observations),
        links=(*metadata.links(shown_first=dendron), *body.links),
        created=metadata.created(),
        addresses=addresses,
        properties=properties((*((one.key, one.value) for one in metadata.properties), *body.fields)),
        names=metadata.names(),
        stable_key=metadata.stable_key(),
        problems=(*problems, *head.problems, *_unread(body)),
        index=metadata.flag("index", default=True),
        embed=metadata.flag("embed", default=True),
        private=_is_private(metadata, body.fields) or _hides(head, text),
    )


def _is_private(metadata: Metadata, fields: Iterable[tuple[str, str]]) -> bool:
    """Whether a note says that it is private, at any depth of its front matter or in a field of its text."""
    return any(
        key.strip().casefold() == "private" and (said := _WORD.search(text.casefold())) and said[0] in _YES
        for key, text in (*metadata.pairs(), *fields)
    )


def _hides(head: FrontMatter, text: str) -> bool:
    """Whether a head that is no front matter, or cannot be read as such, seems to ask for it."""
    if head.problems:
        return may_be_private(text)
    meant = None if head.properties else _MEANT.match(text[:_HEAD])
    return meant is not None and _ASKED.search(meant["fenced"] or meant["json"] or "") is not None


def may_be_private(text: str) -> bool:
    """Whether a note whose front matter cannot be read seems to ask to be private: better once too often."""
    return _PRIVATE.search(text[:_HEAD]) is not None


def _page_properties(source: str, head: FrontMatter) -> Iterator[Property]:
    """Yield the Logseq properties that count as front matter; their links are read with the body."""
    if head.body_start or "::" not in source:
        return
    for key, value in page_properties(source.split("\n", 50)):
        if key.casefold() in _PAGE_KEYS:
            yield Property(key, value, 1, 1)


def _first_heading(body: Body) -> str:
    return next((heading.text for heading in body.headings if heading.level == 1 and heading.text), "")


def _file_name(path: NotePath) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _unread(body: Body) -> Iterator[Problem]:
    if body.unread is not None:
        reason = (
            f"The note holds more marks than can be read in time; from line {body.unread} on only its words "
            "are kept. Split it into several notes."
        )
        yield Problem("too_long", reason, body.unread)


def _broken(head: FrontMatter) -> Iterator[Observation]:
    """Yield the words of a block that could not be read, so that they can be found."""
    if head.broken.strip():
        text = head.broken.rstrip()
        count = text.count("\n") + 1
        for piece, first, last in pieces(text, range(2, 2 + count), count + 1):
            yield Observation(piece, first, last, (), "raw")


def _short(observations: Iterator[Observation]) -> Iterator[Observation]:
    """Cut long values; all their parts have the lines of the value."""
    for passage in observations:
        starts = [passage.line_start] * (passage.text.count("\n") + 1)
        for piece, _, _ in pieces(passage.text, starts, passage.line_end):
            yield Observation(piece, passage.line_start, passage.line_end, (), "raw")
