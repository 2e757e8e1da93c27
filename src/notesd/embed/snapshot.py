"""How is a whole note told in one short text?

``{name} ({entityType}) | {observation} | ... | Rel: type → target; ...``: its beginning, its end and, of
what lies between, the passages that say most that was not said yet.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from notesd.model import Note

Count = Callable[[Sequence[str]], Sequence[int]]
"""Counts the tokens of each text, without special tokens. Many texts a call: a call may cross to
another process."""

HEAD_SHARE: Final = 0.4
"""Of the budget, for the first observations."""
TAIL_SHARE: Final = 0.3
"""Of the budget, for the last ones; what both leave goes to the middle."""
SEPARATOR: Final = " | "

_WORD: Final = re.compile(r"\w+")
_CUTS: Final = 8
"""Times that an observation is shortened before nothing is left of it."""


def snapshot(note: Note, count_tokens: Count, budget: int = 480) -> str:
    """Tell a note in one text; what the model cuts off at its end are relations.

    Args:
        note: Any note; one without observations gives its name and relations.
        count_tokens: The model's own count.
        budget: Tokens that the observations may take together, their separators included.
    """
    name = f"{note.title} ({note.entity_type})" if note.entity_type else note.title
    texts = [observation.text for observation in note.observations]
    chosen = _choose(texts, count_tokens, budget)
    relations = "; ".join(_relations(note))
    return SEPARATOR.join([name, *chosen, *([f"Rel: {relations}"] if relations else [])])


def _relations(note: Note) -> Iterator[str]:
    seen = set()
    for link in note.links:
        told = f"{link.relation} → {link.target or link.raw}"
        if link.relation and told not in seen:
            seen.add(told)
            yield told


def _choose(texts: list[str], count_tokens: Count, budget: int) -> list[str]:
    """Pick observations that fit, in the note's order."""
    if not texts:
        return []
    costs = list(count_tokens([f"| {text}" for text in texts]))
    if sum(costs) <= budget:
        return texts
    left = budget
    head = _run(range(len(texts)), costs, HEAD_SHARE * budget)
    left -= sum(costs[at] for at in head)
    if not head:  # the first one alone is too long: its beginning stands for it
        texts = [_cut(texts[0], count_tokens, int(HEAD_SHARE * budget)), *texts[1:]]
        costs[0] = count_tokens([f"| {texts[0]}"])[0]
        head = [0]
        left -= costs[0]
    tail = _run(range(len(texts) - 1, head[-1], -1), costs, min(left, TAIL_SHARE * budget))
    left -= sum(costs[at] for at in tail)
    chosen = {*head, *tail}
    chosen |= _diverse(texts, costs, chosen, left)
    return [texts[at] for at in sorted(chosen) if texts[at]]


def _run(order: range, costs: list[int], share: float) -> list[int]:
    """Take places in order as long as they fit."""
    taken = []
    for at in order:
        share -= costs[at]
        if share < 0:
            break
        taken.append(at)
    return taken


def _diverse(texts: list[str], costs: list[int], chosen: set[int], left: int) -> set[int]:
    """Add the observations least like what is chosen, one by one; ties fall to the earlier one."""
    words = [frozenset(_WORD.findall(text.casefold())) for text in texts]
    said = set[str]().union(*(words[at] for at in chosen))
    rest = [at for at in range(len(texts)) if at not in chosen and words[at]]
    added = set[int]()
    while fitting := [at for at in rest if costs[at] <= left]:
        best = min(fitting, key=lambda at: len(words[at] & said) / len(words[at]))
        added.add(best)
        left -= costs[best]
        said |= words[best]
        rest = [at for at in fitting if at != best]
    return added


def _cut(text: str, count_tokens: Count, limit: int) -> str:
    """Shorten a text to about ``limit`` tokens, at a blank where there is one."""
    for _ in range(_CUTS):
        cost = count_tokens([f"| {text}"])[0]
        if cost <= limit:
            return text
        text = text[: int(len(text) * 0.95 * limit / cost)]
        text = text.rpartition(" ")[0] or text
    return ""
