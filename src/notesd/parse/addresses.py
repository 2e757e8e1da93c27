"""Which addresses stand behind the words of a text?

People look for a bookmark by the words in its address, for a file by its name, for somebody by a telephone
number that a link dials. Only words are wanted here, so the source is searched, not parsed; what links
mean is read elsewhere (``parse.inline``).
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

LONGEST: Final = 500
"""Characters of one address that count."""
MOST: Final = 2_000
"""Addresses of one note that count."""

_INLINE: Final = re.compile(
    r"\]\([ \t]*<?(?P<address>[^\s()<>]{1,2000}(?:\([^\s()<>]*\)[^\s()<>]*)*)>?"
    r"(?:[ \t]+(?P<quote>[\"'])(?P<title>[^\"'\n]{1,500})(?P=quote))?[ \t]*\)"
)
_DEFINITION: Final = re.compile(
    r"^[ \t]{0,3}\[[^\[\]\n]{1,500}\]:[ \t]*<?(?P<address>[^\s<>]{1,2000})>?"
    r"(?:[ \t]+[\"'(](?P<title>[^\"')\n]{1,500})[\"')])?",
    re.MULTILINE,
)
_ATTRIBUTE: Final = re.compile(
    r"\b(?:href|src)[ \t]*=[ \t]*[\"'](?P<address>[^\"'\n]{1,2000})[\"']", re.IGNORECASE
)
_NAMED: Final = re.compile(r"\[\[(?P<address>[^\[\]\n|]{1,500})\\?\|")
_WAYS: Final = (("](", _INLINE), ("]:", _DEFINITION), ("=", _ATTRIBUTE), ("[[", _NAMED))


def addresses(source: str) -> tuple[str, ...]:
    """Return the addresses and titles of the links of a Markdown text, each once, in no useful order.

    Percent signs are decoded; pictures that are written into the address itself are left out.
    """
    found: dict[str, None] = {}
    for sign, way in _WAYS:
        if sign in source:
            found.update(dict.fromkeys(_found(way, source)))
    return tuple(found)[:MOST]


def _found(way: re.Pattern[str], source: str) -> Iterator[str]:
    for link in way.finditer(source):
        address = link["address"]
        if not address.startswith("data:"):
            yield unquote(address[:LONGEST])
        if title := link.groupdict().get("title"):
            yield title
