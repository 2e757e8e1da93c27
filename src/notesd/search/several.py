"""How is one question put to several indexes, and their hits made one list?

Each index alone decides what is meant by a word that it does not hold, and whether common words are all that
there is to look for. Together they must not: a word that a note of any space holds means itself, and where
the words of one space answer, no other answers with common ones.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec import structs

from notesd.rank.joining import Offers, strengths
from notesd.search.conditions import Asked
from notesd.search.engine import Found
from notesd.search.query import Elsewhere


def paged_from_start(asked: Asked) -> Asked:
    """The same search, all pages up to the wanted one: what one space has to offer to a merged page."""
    wanted = asked.offset + asked.limit
    return structs.replace(asked, limit=wanted, offset=0, page_size=asked.limit, joined=True)


def informed(asked: Asked, elsewhere: Elsewhere) -> Asked:
    """The same search of an index, which then knows what the others have found."""
    return structs.replace(asked, query=structs.replace(asked.query, elsewhere=elsewhere))


def uninformed(parts: Mapping[str, Found]) -> dict[str, Elsewhere]:
    """Return which spaces have to be asked again, and what they have to know of the others.

    Args:
        parts: What each space has found, asked alone.
    """
    standing = frozenset(chain.from_iterable(found.standing for found in parts.values()))
    answered = any(found.answered for found in parts.values())
    elsewhere = Elsewhere(standing, answered)
    return {
        space: elsewhere
        for space, found in parts.items()
        if any(typed in standing for typed, _ in found.corrected)
        or (answered and found.hits and not found.answered)
    }


def only_common(parts: Mapping[str, Found], hits: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether common words alone have found the hits of a page."""
    by_words = bool(hits) and all("lexical" in hit["channels"] for hit in hits)
    return by_words and not any(found.answered for found in parts.values())


def corrected(parts: Mapping[str, Found]) -> list[tuple[str, str]]:
    """Words that no space holds, each with a near one that it was taken for."""
    standing = frozenset(chain.from_iterable(found.standing for found in parts.values()))
    every = dict.fromkeys(chain.from_iterable(found.corrected for found in parts.values()))
    return [(typed, word) for typed, word in every if typed not in standing]


def merged(parts: Mapping[str, Found], sort: str | None) -> list[Mapping[str, Any]]:
    """Hits of several spaces as one list, each with its ``space``, in the order of each space.

    Args:
        parts: What each space has found.
        sort: As for ``feed``; None: by rank.
    """
    hits = [[{"space": space, **hit} for hit in found.hits] for space, found in parts.items()]
    offers = [found.offers for found in parts.values() if found.offers]
    if sort or not offers:
        key = (sort or "-modified").lstrip("-")
        newest = (sort or "-modified").startswith("-")
        dated = sorted(chain.from_iterable(hits), key=lambda hit: hit[key] or "", reverse=newest)
        dated.sort(key=lambda hit: hit[key] is None)
        return list(dated if sort else sorted(dated, key=_later))
    strong = strengths([found.offers or Offers(()) for found in parts.values()])
    ranked = [
        (_later(hit), -strength, place, hit["space"], hit)
        for some, own in zip(hits, strong, strict=True)
        for place, (hit, strength) in enumerate(zip(some, own, strict=True))
    ]
    return [hit for *_, hit in sorted(ranked, key=lambda row: row[:4])]


def _later(hit: Mapping[str, Any]) -> bool:
    """Whether a hit comes after all others, of whatever space."""
    return bool(hit.get("demoted"))
