"""Which names of notes and tags begin so? Shells and editors complete by it."""

from typing import Any

from notesd.index.vocabulary import beginning
from notesd.serve import params
from notesd.serve.bounds import BOUNDS
from notesd.serve.spaces import Spaces


async def listed(spaces: Spaces, asked: params.NamesParams) -> dict[str, Any]:
    """Answer ``names``: each name once, sorted; ``has_more`` when there are more than may be told."""
    most = min(asked.limit or BOUNDS["names"].items, BOUNDS["names"].items)
    heard = await spaces.each(
        asked.space, lambda reader, _: beginning(reader, asked.kind, asked.begins, most + 1)
    )
    found = sorted({name for _, names in heard.answers for name in names})
    told = [one.told() for one in heard.unasked]
    return {"names": found[:most], "has_more": len(found) > most, "degraded": told}
