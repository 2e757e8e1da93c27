"""Which pieces of a query make up one date, or one number?"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from notesd.parse.joined import LONGEST, SHORTEST_NUMBER
from notesd.parse.terms import Term
from notesd.parse.written_days import WrittenDay, written_days

_STOPS: Final = ".,;:!?)"


def whole_dates(text: str, pieces: Sequence[re.Match[str]]) -> Mapping[int, WrittenDay]:
    """Return the dates that whole words of a text make up, by their beginning.

    Args:
        text: The query.
        pieces: What it is cut into; only plain words can be part of a date.
    """
    plain = [piece for piece in pieces if piece["word"] and not piece["minus"] and not piece["key"]]
    starts, ends = {piece.start() for piece in plain}, {piece.end() for piece in plain}
    return {
        day.start: day for day in written_days(text) if day.start in starts and _end(text, day.end) in ends
    }


def _end(text: str, end: int) -> int:
    """Return where a word ends whose last signs are punctuation."""
    while end < len(text) and text[end] in _STOPS:
        end += 1
    return end


def joined_numbers(groups: Sequence[tuple[Term, ...]]) -> list[tuple[Term, ...]]:
    """Join the parts of a number that is written in groups: ``10 000``, ``020 7946 0018``.

    Args:
        groups: One a word, its alternatives together.
    """
    joined: list[tuple[Term, ...]] = []
    run: list[Term] = []
    for group in (*groups, ()):
        if len(group) == 1 and group[0].tokens and all(map(str.isdecimal, group[0].tokens)):
            run.append(group[0])
            continue
        digits = "".join(token for term in run for token in term.tokens)
        if len(run) > 1 and SHORTEST_NUMBER <= len(digits) <= LONGEST:
            whole = Term(" ".join(term.text for term in run), tuple(t for term in run for t in term.tokens))
            joined.append((whole,))
        else:
            joined += [(term,) for term in run]
        run = []
        if group:
            joined.append(group)
    return joined
