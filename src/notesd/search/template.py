"""What does a note say only because it was filled into a template, as its neighbours were?

Journals of one template are near to each other by their headings and questions, whatever the days were like.
The mean of their vectors is what the template says. A note is compared without it, by as much as the template
makes up of its text: recipes, which share two headings and a subject, lose next to nothing.
"""

import math
import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from notesd.index import around
from notesd.index.store import Reader
from notesd.model import Heading, Observation
from notesd.resolve.names import fold

HOLDERS = 10
"""Neighbours that have to hold a line before it counts as one of a template."""
MATE = 2 / 3
"""Share of those lines that a note of the same template has at least: a day may lack a heading."""
MOST_SHARE = 0.95
"""More of a note is never taken for its template: nothing at all would be left of an empty form."""
MOST_BYTES = 100_000
"""A longer note was not made by filling in a template; reading a hundred such would take seconds."""
_SAYS_SOMETHING = re.compile(r"\w")
_LABEL = re.compile(r"([^:]{1,40}:{1,2})\s+(?=\S)")
"""What is asked in front of what was filled in: ``Mood: fine``."""


class Template(Struct, frozen=True):
    """What a note has in common with others because of its template."""

    share: float
    """Of its text, by characters, in (0, ``MOST_SHARE``]."""
    mates: Sequence[str]
    """Keys of the other notes of that template, at least ``HOLDERS``."""


def template_of(reader: Reader, key: str, neighbours: Collection[str]) -> Template | None:
    """Find the template that a note was filled into, where it is one of many.

    Args:
        reader: The index.
        key: Of the note.
        neighbours: Keys of the notes nearest to it: those of its template are among them, if the template
            makes up enough of it to matter.

    Returns:
        None: it has none, or too few others have it.
    """
    texts = around.texts(reader, (key, *neighbours), MOST_BYTES)
    own = _lines(*texts.pop(key)) if key in texts else set()
    if not own or len(texts) < HOLDERS:
        return None
    others = {other: own & _lines(*text) for other, text in texts.items()}
    holders = Counter(line for shared in others.values() for line in shared)
    common = {line for line in own if holders[line] >= HOLDERS}
    mates = [other for other, shared in others.items() if len(shared & common) >= MATE * len(common)]
    if not common or len(mates) < HOLDERS:
        return None
    return Template(min(MOST_SHARE, sum(map(len, common)) / sum(map(len, own))), mates)


def _lines(headings: Iterable[Heading], passages: Iterable[Observation]) -> set[str]:
    """The lines of a note, as they compare: without case, a label apart from what follows it."""
    found = {f"# {_plain(heading.text)}" for heading in headings}
    for passage in passages:
        for line in filter(_SAYS_SOMETHING.search, passage.text.split("\n")):
            label = _LABEL.match(line)
            parts = (label[1], line[label.end() :]) if label else (line,)
            found.update(map(_plain, parts))
    return found


def _plain(text: str) -> str:
    return " ".join(fold(text).split())


Direction = tuple[float, ...]
"""A vector of length 1."""


def direction_of(vector: bytes) -> Direction:
    """Bring a float32 vector to length 1."""
    numbers = array("f", vector)
    size = math.hypot(*numbers)
    return tuple(number / size for number in numbers)


def mean(vectors: Iterable[bytes]) -> Direction:
    """The mean of the directions of some float32 vectors, of length 1 at most; their order is all one."""
    directions = [direction_of(vector) for vector in vectors]
    return tuple(math.fsum(column) / len(directions) for column in zip(*directions, strict=True))


def cosine(one: Direction, other: Direction) -> float:
    """How near two directions are."""
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def without(direction: Direction, common: Direction) -> tuple[bytes, float]:
    """Take from a direction what is common: the rest as float32, and how long it is.

    A cosine with the rest, times its length, is on the scale of the cosines of whole directions.
    """
    rest = array("f", [a - b for a, b in zip(direction, common, strict=True)])
    return rest.tobytes(), math.hypot(*rest)
