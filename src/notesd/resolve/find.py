"""Which note does a person mean who types a name, and which names were nearly typed?"""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

from notesd.model import NotePath
from notesd.resolve.lookup import NameTable
from notesd.resolve.names import fold_accents
from notesd.resolve.targets import understand_path

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_CLOSEST_LOOKED_AT = 40
"""Candidates that share most pairs of letters; only these are compared in full."""
_LEAST_RATIO = 0.55
"""Below this a suggestion reads like a joke (difflib's own default is 0.6)."""


def find_notes(name: str, table: NameTable) -> list[NotePath]:
    """Return every note a person could mean by a name, id, alias or path; several = ambiguous.

    A path written in full means that note alone. What leads out of the space (absolute paths,
    ``..``, NUL) means nothing.
    """
    text = name.strip()
    if text.startswith("/") or _DRIVE.match(text):
        return []
    target = understand_path(text.removeprefix("./"))
    if target is None or target.dotted:
        return []
    return table.everyone(target)


def nearest(name: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """Return the candidates most like a name that answers to nothing, the best first.

    Case and accents do not count. Empty when nothing comes close; ties go by alphabet.
    """
    wanted = fold_accents(name)
    pairs = _pairs(wanted)
    shared = ((_overlap(pairs, fold_accents(text)), text) for text in set(candidates))
    close = nlargest(_CLOSEST_LOOKED_AT, (pair for pair in shared if pair[0] > 0))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    rated: list[tuple[float, str]] = []
    for _, text in close:
        matcher.set_seq1(fold_accents(text))
        ratio = matcher.ratio()
        if ratio >= _LEAST_RATIO:
            rated.append((-ratio, text))
    return [text for _, text in sorted(rated)[:limit]]


def _pairs(text: str) -> frozenset[str]:
    """Neighbouring letters, the first one marked, so that texts of one letter have a pair too."""
    marked = "\n" + text
    return frozenset(marked[at : at + 2] for at in range(len(text)))


def _overlap(pairs: frozenset[str], text: str) -> float:
    """Dice's coefficient of the letter pairs of two texts."""
    other = _pairs(text)
    total = len(pairs) + len(other)
    return 2 * len(pairs & other) / total if total else 0.0
