"""Which lines of a note does a request mean, and what do they say, as they stand in the file?"""

import re
import sys
from collections.abc import Iterator, Sequence

from notesd.errors import SourceError
from notesd.files.read import decode, read_note
from notesd.files.reading import is_known
from notesd.model import Heading, NotePath
from notesd.parse.characters import fold_name
from notesd.space.space import Space

_PIECE = 2_048
"""Characters of one piece of a text: a longer line is cut, so that a page has an end."""
_STEPS = re.compile(r"\s*[#>]\s*")


def lines_of(headings: Sequence[Heading], part: str) -> range | None:
    """Return the lines under a heading, with it and what is below it; None: there is no such heading.

    Args:
        headings: Of the note, in the order of the file.
        part: The heading's text, case and accents aside, or several one below the other (``A > B``, ``A#B``).
    """
    whole = fold_name(part.strip().strip("#").strip())
    wanted = [fold_name(step) for step in _STEPS.split(part.strip().strip("#").strip()) if step.strip()]
    above: list[Heading] = []
    found: Heading | None = None
    for heading in headings:
        if found and heading.level <= found.level:
            return range(found.line, heading.line)
        above = [one for one in above if one.level < heading.level] + [heading]
        path = [fold_name(one.text) for one in above]
        if found is None and (path[-1] == whole or (wanted and path[-len(wanted) :] == wanted)):
            found = heading
    return range(found.line, sys.maxsize) if found else None


def text_of(space: Space, path: NotePath, digest: bytes, max_bytes: int) -> str | None:
    """Return the text of a note's file, as long as it is the one that the index knows; None: it is not.

    Lines end with a line feed; a byte-order mark and NULs are left out.

    Args:
        space: Where the note is.
        path: Of the note.
        digest: Of the file as the index knows it; another one may have become private.
        max_bytes: So much of it is indexed.
    """
    try:
        data = read_note(*space.place.links.place(path), max_bytes).data
    except (OSError, SourceError):
        return None
    return decode(data)[0] if is_known(data, digest) else None


def pieces(text: str, lines: range) -> Iterator[tuple[int, str]]:
    """Cut some lines of a text into pieces: the number of the line and what it says, line feed and all."""
    every = text.split("\n")
    for number, line in enumerate(every, 1):
        if number in lines:
            whole = line if number == len(every) else f"{line}\n"
            yield from ((number, whole[start : start + _PIECE]) for start in range(0, len(whole), _PIECE))
