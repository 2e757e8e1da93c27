"""What does a plain text say? Its paragraphs; and what stands in front matter, where it begins with some."""

from collections.abc import Iterator

from notesd.model import Note, NotePath, Observation
from notesd.parse.blobs import without_blobs
from notesd.parse.frontmatter import read_properties
from notesd.parse.note import note_of
from notesd.parse.passages import Body
from notesd.parse.pieces import pieces


def read_plain(text: str, path: NotePath) -> Note:
    """Say what a plain text says: no mark in it means anything, but front matter that it begins with counts.

    Args:
        text: The decoded file; lines end with LF.
        path: Where it lies; its name is the title of last resort.
    """
    head = read_properties(text)
    body = text[head.body_start :]
    return note_of(path, text, head, Body((), tuple(_paragraphs(body, head.body_line)), (), (), (), None))


def _paragraphs(text: str, line: int) -> Iterator[Observation]:
    """Yield what stands between blank lines; the first line is this one of the file."""
    kept: list[str] = []
    for number, each in enumerate((*without_blobs(text).split("\n"), ""), line):
        if each.strip():
            kept.append(each)
        elif kept:
            first = number - len(kept)
            for piece, start, end in pieces("\n".join(kept), range(first, number), number - 1):
                yield Observation(piece, start, end, (), "paragraph")
            kept = []
