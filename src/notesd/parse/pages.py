"""What does a document of pages say, once its text is out? A passage a page or more, each with its page."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from notesd.model import Note, NotePath, Observation, Problem
from notesd.parse.blobs import without_blobs
from notesd.parse.cursor import clean
from notesd.parse.pieces import pieces
from notesd.parse.properties import properties

_PARTED: Final = re.compile(
    r"(?<=[^\W\d_])(?:[\u0002\ufffe\u00ad]|[-\u2010](?=[ \t]*\n[ \t]*[^\W\d_]))[ \t]*\n?[ \t]*(?=[^\W\d_])"
)
"""Where a word was parted at the end of a line; ``\\ufffe`` and ``\\x02`` are what extractors put there."""
_ODD: Final = re.compile(r"[\x01-\x08\x0b-\x1f\x7f\ufffe\uffff]+")
_LONGEST_SAID: Final = 1_000
_TELLING: Final = {"Title": "title", "Author": "author", "Subject": "subject", "Keywords": "keywords"}


def read_pages(
    pages: Iterable[tuple[int, str]],
    path: NotePath,
    about: Mapping[str, str],
    problems: tuple[Problem, ...] = (),
) -> Note:
    """Say what the pages of a document say.

    A passage has the heading ``Page N``, and N for its lines.

    Args:
        pages: Number, from 1, and text of each.
        path: Where the file lies; its name is the title.
        about: What the document says of itself: ``Title``, ``Author``, ``Subject``, ``Keywords``.
        problems: What is wrong with it.
    """
    said = {
        key: text
        for name, key in _TELLING.items()
        if (text := " ".join(clean(about.get(name, "")).split())[:_LONGEST_SAID])
    }
    return Note(
        path,
        path.rpartition("/")[2].rpartition(".")[0],
        entity_type="pdf",
        embed=False,
        observations=(
            *(Observation(f"{key}: {text}", 1, 1, (), "raw") for key, text in said.items()),
            *(passage for number, text in pages for passage in _page(number, text)),
        ),
        properties=properties((key, text) for key, text in said.items() if key != "title"),
        problems=problems,
    )


def _joined(found: re.Match[str]) -> str:
    """Return what stands between the parts of a word: a hyphen before a capital belongs to a name."""
    return "-" if found.string[found.end()].isupper() else ""


def _page(number: int, text: str) -> Iterator[Observation]:
    text = _PARTED.sub(_joined, clean(text))
    text = without_blobs(_ODD.sub(" ", text))
    text = "\n".join(line for line in map(str.strip, text.split("\n")) if line)
    if text:
        starts = [number] * (text.count("\n") + 1)
        for piece, _, _ in pieces(text, starts, number):
            yield Observation(piece, number, number, (f"Page {number}",), "paragraph")
