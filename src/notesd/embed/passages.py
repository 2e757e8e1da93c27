"""Which texts of a note get a vector?

One for each stretch under a heading: small sections are put together, long ones cut, and each text
starts with where it stands: ``Title > Heading > Heading``, then the passage. Position 0 is the
first; nearly all that a note is found by is in the first three.

Each heading gets one more, of where it stands alone: a short question is often nearly a heading.
Their positions are below 0.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile, zip_longest
from typing import Final, NamedTuple

from notesd.embed.snapshot import Count, snapshot
from notesd.model import Heading, Note, Observation
from notesd.models.manifest import Granularity
from notesd.parse.characters import word_count
from notesd.parse.languages import language_of
from notesd.resolve.names import fold

TEXT_RULES: Final = 1
"""Version of this module and of ``snapshot``: other texts, other vectors."""
MERGED_TOKENS: Final = 300
"""Small sections are put together up to here."""
LONGEST_TOKENS: Final = 380
"""A longer section is cut: with its place in the note it has to fit into 512."""
_FULL_TOKENS: Final = 512
PATH_CHARACTERS: Final = 240
"""Longest title and headings of one text."""
HEADING_RULES: Final = 1
"""Version of ``headings``; other ones are made anew, and passages keep their vectors."""
MOST_HEADINGS: Final = 200
"""Of one note get a vector, the first."""
OUTLINE_HEADINGS: Final = 4
"""Of these there is an outline; a long note with all of its headings would take as long as ten others."""
TITLE_ALONE_WORDS: Final = 25
"""A note with fewer words of body is more or less its title alone: near to every question about its subject,
and an answer to none.

Taken off the cosine, 0.02 times that share lifts collections with many such notes (nDCG@10 of abstracts, a
third of them titles: 0.314 to 0.377) and, unlike 0.02 for every note below 25 words, leaves those whose notes
are single sentences where they were (0.860 to 0.863, instead of 0.847)."""
PROPERTY_WORDS: Final = 6
"""A property in the front matter with fewer words, its name included, is no sentence."""

_SPLITS: Final = (
    re.compile(r"(?<=\n)"),
    re.compile("(?<=[.!?;\u3002\uff01\uff1f\uff1b\u0964])\\s*"),
    re.compile(r"(?<=\s)"),
)
_PROPERTY: Final = re.compile(r"[^\s:][^:\n]*: ")
_PIECE_CHARACTERS: Final = 64
_WORD: Final = re.compile(r"\w+")
_SAYS_SOMETHING: Final = re.compile(r"\w|[^\x00-\x7f]")


class Passage(NamedTuple):
    """One text to be encoded."""

    position: int
    """From 0, in the order of the note; of a heading from -1 down."""
    text: str
    """Without the model's prefix."""
    line_start: int
    """First line in the file, from 1."""
    line_end: int
    """Last line in the file, inclusive."""


class _Block(NamedTuple):
    """A paragraph, item, table, ... or a part of one."""

    text: str
    tokens: int
    line_start: int
    line_end: int


class _Section(NamedTuple):
    """What stands under one heading, down to the next one."""

    path: tuple[str, ...]
    blocks: list[_Block]
    line: int
    tokens: int


class _Scale(NamedTuple):
    """How long passages get, and by which count."""

    tokens: Count
    merged: int
    longest: int


def passages(
    note: Note,
    count_tokens: Count,
    granularity: Granularity = "passages",
    budget: int = 480,
    max_tokens: int = 512,
) -> tuple[Passage, ...]:
    """Cut a note into the texts that get a vector, in order.

    Empty for a note that asks not to be embedded and for a file in which nothing is written; a note
    without body gives its title.

    Args:
        note: The note.
        count_tokens: The model's own count.
        granularity: ``snapshot`` gives one text for the whole note.
        budget: Tokens of a snapshot's observations.
        max_tokens: What the model takes; below 512, passages are shorter in proportion.
    """
    if not _embedded(note):
        return ()
    if granularity == "snapshot":
        last = max((observation.line_end for observation in note.observations), default=1)
        return (Passage(0, snapshot(note, count_tokens, budget), 1, last),)
    share = min(1.0, max_tokens / _FULL_TOKENS)
    scale = _Scale(count_tokens, int(MERGED_TOKENS * share), int(LONGEST_TOKENS * share))
    groups = _groups(_sections(note, count_tokens), scale)
    found = tuple(_passage(note.title, at, group) for at, group in enumerate(groups))
    return found or (Passage(0, _place(note.title, ()), 1, 1),)


def headings(note: Note) -> tuple[Passage, ...]:
    """Return where each heading stands, ``Title > Heading > Heading``, as a text of its own.

    Empty where ``passages`` is. One that is there twice is given once, one that only repeats the title
    not at all; of more than ``MOST_HEADINGS`` the first are.
    """
    if not _embedded(note):
        return ()
    lines: dict[str, int] = {}
    for path, heading in _paths(note.headings):
        if (below := _below(note.title, path)) and _SAYS_SOMETHING.search(heading.text):
            lines.setdefault(_place(note.title, below), heading.line)
    some = islice(lines.items(), MOST_HEADINGS)
    return tuple(Passage(-1 - at, text, line, line) for at, (text, line) in enumerate(some))


def outline(note: Note) -> tuple[Passage, ...]:
    """Return title and first headings of a note, for as long as there is no time for its passages."""
    title = Passage(-1 - MOST_HEADINGS, _place(note.title, ()), 1, 1)
    return (*headings(note)[:OUTLINE_HEADINGS], title) if _embedded(note) else ()


def body_words(note: Note) -> int:
    """Count the words of a note's body; two characters of a script without blanks count as one."""
    return math.ceil(sum(word_count(observation.text) for observation in _told(note)))


def body_language(note: Note) -> str | None:
    """Code of the language that a note is written in, None where it cannot be told; code does not count."""
    prose = (observation.text for observation in _told(note) if observation.kind != "code")
    return language_of("\n".join((note.title, *prose)))


def _embedded(note: Note) -> bool:
    """Say whether a note has vectors: it may have them, and something is written in it."""
    return note.index and note.embed and not note.private and not _is_empty(note)


def _is_empty(note: Note) -> bool:
    """Say whether the file holds nothing: then its title is only the name of the file."""
    if not _SAYS_SOMETHING.search(note.title):
        return not note.observations
    name = note.path.rpartition("/")[2].rpartition(".")[0]
    written = note.observations or note.headings or note.links or note.aliases or note.tags
    return not written and note.title == name


def _sections(note: Note, count_tokens: Count) -> list[_Section]:
    """Group the observations by heading; headings with nothing below them are sections of their own."""
    bare = [(_below(note.title, path), line) for path, line in _bare(note)]
    bare = [(path, line) for path, line in bare if path]
    paths = [path for path, _ in bare]
    observations = list(_told(note))
    # Without its mark a list reads like a sentence about all of it, and is found by everything.
    texts = [f"- {each.text}" if each.kind == "item" else each.text for each in observations]
    counts = list(count_tokens([*texts, *(path[-1] for path in paths)])) if texts or bare else []
    sections: list[_Section] = []
    blocks: list[_Block] = []
    for observation, text, tokens in zip(observations, texts, counts, strict=False):
        path = _below(note.title, observation.heading)
        if not sections or sections[-1].path != path:
            blocks = []
            sections.append(_Section(path, blocks, observation.line_start, 0))
        blocks.append(_Block(text, tokens, observation.line_start, observation.line_end))
        sections[-1] = sections[-1]._replace(tokens=sections[-1].tokens + tokens)
    sections += (
        _Section(path, [], line, tokens)
        for (path, line), tokens in zip(bare, counts[len(texts) :], strict=True)
    )
    return sorted(sections, key=lambda section: section.line)


def _told(note: Note) -> Iterator[Observation]:
    """Yield the observations, but for the properties on top that say nothing in words: types, dates, ..."""
    on_top = True
    for observation in note.observations:
        on_top = on_top and observation.kind == "raw" and bool(_PROPERTY.match(observation.text))
        if not on_top or len(_WORD.findall(observation.text)) >= PROPERTY_WORDS:
            yield observation


def _below(title: str, path: Sequence[str]) -> tuple[str, ...]:
    """Return a path of headings without a first one that only repeats the title."""
    return tuple(path[1:] if path and fold(path[0]) == fold(title) else path)


def _bare(note: Note) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield path and line of every heading that has neither passages nor smaller headings below it."""
    starts = sorted(observation.line_start for observation in note.observations)
    for (path, heading), after in zip_longest(_paths(note.headings), note.headings[1:]):
        first = bisect_left(starts, heading.line)
        if after and after.level > heading.level:
            continue
        if first == len(starts) or (after and starts[first] >= after.line):
            yield path, heading.line


def _paths(every: Sequence[Heading]) -> Iterator[tuple[tuple[str, ...], Heading]]:
    """Yield each heading with the texts of those above it and its own."""
    above: list[Heading] = []
    for heading in every:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield tuple(each.text for each in above), heading


def _groups(sections: Iterable[_Section], scale: _Scale) -> Iterator[list[_Section]]:
    """Put small sections together and cut long ones."""
    group: list[_Section] = []
    size = 0
    for section in sections:
        if group and size + section.tokens > scale.merged:
            yield group
            group, size = [], 0
        if section.tokens > scale.longest:
            yield from ([part] for part in _parts(section, scale))
        else:
            group.append(section)
            size += section.tokens
    if group:
        yield group


def _parts(section: _Section, scale: _Scale) -> Iterator[_Section]:
    """Cut a long section into parts of about the same length, between its blocks where possible."""
    even = section.tokens / math.ceil(section.tokens / scale.longest)
    part: list[_Block] = []
    size = 0
    for whole in section.blocks:
        for block in _short(whole, scale):
            if part and (size >= even or size + block.tokens > scale.longest):
                yield _Section(section.path, part, part[0].line_start, size)
                part, size = [], 0
            part.append(block)
            size += block.tokens
    if part:
        yield _Section(section.path, part, part[0].line_start, size)


def _short(block: _Block, scale: _Scale) -> Iterator[_Block]:
    """Cut a block that is too long by itself: between lines, else sentences, words, characters."""
    if block.tokens <= scale.longest:
        yield block
        return
    text, size = "", 0
    for piece, tokens in _pieces(block.text, scale):
        if text and size + tokens > scale.longest:
            yield block._replace(text=text.strip(), tokens=size)
            text, size = "", 0
        text += piece
        size += tokens
    if text.strip():
        yield block._replace(text=text.strip(), tokens=size)


def _pieces(text: str, scale: _Scale, level: int = 0) -> Iterator[tuple[str, int]]:
    """Split a text into pieces that fit, as coarsely as that allows."""
    if level < len(_SPLITS):
        pieces = [piece for piece in _SPLITS[level].split(text) if piece]
    else:
        step = _PIECE_CHARACTERS
        pieces = [text[start : start + step] for start in range(0, len(text), step)]
    for piece, tokens in zip(pieces, scale.tokens(pieces), strict=True):
        if tokens > scale.longest and level < len(_SPLITS):
            yield from _pieces(piece, scale, level + 1)
        else:
            yield piece, tokens


def _passage(title: str, position: int, group: Sequence[_Section]) -> Passage:
    """Write sections as one text: what their headings share on top, the rest of each above its body."""
    shared = tuple(group[0].path)
    for section in group[1:]:
        shared = shared[: _agree(shared, section.path)]
    lines = [_place(title, shared)]
    before = shared
    for section in group:
        rest = section.path[_agree(before, section.path) :]
        lines += [" > ".join(rest)] if rest else []
        lines += (block.text for block in section.blocks)
        before = section.path
    last = group[-1]
    end = last.blocks[-1].line_end if last.blocks else last.line
    return Passage(position, "\n".join(lines), group[0].line, end)


def _agree(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many first parts two paths have in common."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)


def _place(title: str, path: Sequence[str]) -> str:
    """Write where a passage stands."""
    return " > ".join((title, *path))[:PATH_CHARACTERS]
