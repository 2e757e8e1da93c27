"""Notes as resources: ``note://SPACE/PATH``, whole or by lines or part."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, unquote, urlsplit

from notesd.mcp import answers
from notesd.mcp.arguments import NoNote
from notesd.mcp.lines import INVALID_PARAMS, RefusedMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from notesd.mcp.answers import Ask

PAGE = 100
"""Resources on one page of the list."""
LONGEST = 50_000
"""Characters of one answer, whatever an answer of a tool may have."""
MARKDOWN = "text/markdown"
_NARROWING = ("lines", "part", "cursor")
TEMPLATES = [
    {
        "uriTemplate": "note://{space}/{+path}{?lines,part}",
        "name": "note",
        "title": "A note, or the lines (10..40) or the part (a heading) of it",
        "mimeType": MARKDOWN,
    }
]


def uri_of(space: str, path: str, **narrowed: str) -> str:
    """Return the address of a note."""
    asked = "&".join(f"{name}={quote(value, safe='.')}" for name, value in narrowed.items())
    return f"note://{quote(space, safe='')}/{quote(path)}{f'?{asked}' if asked else ''}"


def listed(ask: Ask, cursor: object) -> dict[str, Any]:
    """One page of all notes, the latest changed first.

    Raises:
        RefusedMessage: The cursor is none of ours.
    """
    if cursor is not None and not (isinstance(cursor, str) and cursor.isascii() and cursor.isdecimal()):
        raise RefusedMessage(INVALID_PARAMS, "this cursor was not given by this list")
    offset = int(cursor or 0)
    answer = ask("feed", limit=PAGE, offset=offset)
    found = [
        {
            "uri": uri_of(hit["space"], hit["path"]),
            "name": hit["path"],
            "title": hit["name"],
            "mimeType": MARKDOWN,
            "annotations": {"lastModified": hit["modified"]},
        }
        for hit in answer["results"]
    ]
    more = {"nextCursor": str(offset + len(found))} if answer["has_more"] and found else {}
    return {"resources": found, **more}


def read(ask: Ask, uri: object) -> dict[str, Any]:
    """The text of a note; where it is cut, a second content says how to go on.

    Raises:
        NoNote: There is no such note.
        Wrong: It is narrowed by lines or a cursor that cannot be.
    """
    parts = urlsplit(uri) if isinstance(uri, str) else None
    if parts is None or parts.scheme != "note" or not parts.netloc or not parts.path.strip("/"):
        raise NoNote(f"{str(uri)[:200]!r} is no address of a note; they are like note://SPACE/PATH")
    space, path = unquote(parts.netloc), unquote(parts.path[1:])
    narrowed = {name: values[0] for name, values in parse_qs(parts.query).items() if name in _NARROWING}

    def within(method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 -- whatever JSON can say
        return ask(method, space=[space], **params)

    told = answers.read_note(within, {"note": path, **narrowed}, LONGEST)
    if told["path"] != path:
        raise NoNote(f"no note lies at {path!r} in the space {space!r}")
    contents = [{"uri": uri, "mimeType": MARKDOWN, "text": told["text"]}]
    if "next" in told:
        onwards = uri_of(space, path, **{**narrowed, **_onwards(told, narrowed)})
        how = f"The note goes on: read {onwards}"
        contents.append({"uri": onwards, "mimeType": "text/plain", "text": how})
    return {"contents": contents}


def _onwards(told: Mapping[str, Any], narrowed: Mapping[str, str]) -> dict[str, str]:
    """How the rest of a note that was cut is asked for: by its lines, or within a line that is too long."""
    if "lines" in told and "cursor" not in narrowed:
        first = int(told["lines"].partition("..")[2]) + told["text"].endswith("\n")
        if str(first) != narrowed.get("lines", "1").partition("..")[0]:
            return {"lines": f"{first}..{narrowed.get('lines', '').partition('..')[2]}"}
    return {"cursor": str(told["next"]["cursor"])}
