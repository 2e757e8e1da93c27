"""Which tools does an agent have, what do they take, and what do models write instead?

All texts here are read by a model in each session, so they are as short as they can be.
"""

from __future__ import annotations

from notesd.mcp.lines import RefusedMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 50
"""Results in one answer."""

INSTRUCTIONS = (
    "The user's own Markdown notes, kept current; read only. "
    "Search first, then read what you quote, and cite it as path:line.\n"
    '- search_notes: words, "a phrase", -word, star*, tag:x, path:x, type:x, any property:x, links:NOTE, '
    "created:2026-01..2026-03, OR, brackets. Few telling words find more than a sentence. "
    "Nothing found: other words, or search_semantic.\n"
    "- read_note: the text of a note, a part or lines of it. "
    "An answer that was cut has `next`: call again with these arguments as well.\n"
    "- A note is named by its path, SPACE/path, title or alias.\n"
    "- `freshness` says whether the index is complete; where it is not, say so instead of "
    '"there is no such note".'
)

_ANNOTATIONS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_LIMIT: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": MOST}
_OFFSET: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 100_000}
_SINCE: dict[str, Any] = {"type": "string", "description": "changed since: 2026-05-01, 7d, last week"}
_PROPERTIES: dict[str, Any] = {
    "type": "object",
    "description": 'by front matter: {"status": "active", "rating": ">3"}',
}
_NOTE: dict[str, Any] = {"type": "string", "description": "path, title or alias"}
_CURSOR: dict[str, Any] = {"type": "string", "description": "of next"}


class Tool:
    """One tool: what it is for, what it takes, what it gives."""

    def __init__(
        self,
        name: str,
        description: str,
        takes: dict[str, dict[str, Any]],
        gives: tuple[str, ...],
        *needs: str,
    ) -> None:
        """Describe it.

        Args:
            name: As it is called.
            description: For the model.
            takes: Schema of each argument.
            gives: Fields of its structured answer that are always there.
            needs: Arguments that have to be given.
        """
        self.name, self.description = name, description
        self.takes, self.gives, self.needs = takes, gives, needs

    def told(self) -> dict[str, Any]:
        """The tool as ``tools/list`` writes it."""
        schema: dict[str, Any] = {
            "type": "object", "properties": self.takes, "additionalProperties": False
        }  # fmt: skip
        if self.needs:
            schema["required"] = list(self.needs)
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": schema,
            "outputSchema": {"type": "object", "required": list(self.gives)},
            "annotations": _ANNOTATIONS,
        }


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search_notes",
            "Find notes by words and filters, best first.",
            {
                "query": _TEXT, "limit": _LIMIT, "offset": _OFFSET,
                "folder": _TEXT, "tag": _TEXTS, "type": _TEXT, "since": _SINCE,
                "properties": _PROPERTIES,
            },
            ("results", "total", "freshness"),
            "query",
        ),
        Tool(
            "read_note",
            "Read the text of one note, with line numbers to cite, its tags and links.",
            {
                "note": _NOTE,
                "part": {"type": "string", "description": "a heading"},
                "lines": {"type": "string", "description": "like 10..40"},
                "cursor": _CURSOR,
            },
            ("path", "text", "freshness"),
            "note",
        ),
        Tool(
            "open_nodes",
            "Open several notes as entities: passages (observations) and relations.",
            {"names": _TEXTS},
            ("entities", "missing", "freshness"),
            "names",
        ),
        Tool(
            "search_semantic",
            "Find notes by meaning, in any language, as well as by words.",
            {"query": _TEXT, "limit": _LIMIT},
            ("results", "total", "freshness"),
            "query",
        ),
        Tool(
            "related_notes",
            "Notes that belong with a note, and why: links, tags, meaning.",
            {"note": _NOTE, "limit": _LIMIT},
            ("results", "freshness"),
            "note",
        ),
        Tool(
            "recent_notes",
            "Notes by date of change, newest first.",
            {"limit": _LIMIT, "offset": _OFFSET, "folder": _TEXT, "tag": _TEXTS, "since": _SINCE},
            ("results", "total", "freshness"),
        ),
        Tool(
            "status",
            "Spaces (folders of notes), number of notes, whether the index is complete.",
            {},
            ("spaces", "freshness"),
        ),
    )
}  # fmt: skip

_WRITTEN = {
    "query": "q text search search_query question keywords term terms input prompt",
    "limit": "k n max_results page_size top_k count num_results max size results max_count maxResults "
    "pageSize topK numResults",
    "offset": "skip start from_result",
    "note": "identifier name title path id note_name note_path note_id file filename file_path filepath "
    "entity node noteName notePath uri names notes",
    "names": "name notes note nodes entities identifiers titles paths ids identifier title path entity_names "
    "node_names",
    "part": "heading section header anchor",
    "lines": "line_range range line lineRange line_numbers",
    "folder": "path directory dir folder_path in_folder subfolder",
    "tag": "tags label labels",
    "type": "entityType entity_type note_type kind types",
    "since": "after modified_since modified_after newer_than from date_from timeframe modified",
    "properties": "property metadata frontmatter front_matter filters filter where fields",
    "cursor": "next_cursor page_token nextCursor",
}
INSTEAD: dict[str, tuple[str, ...]] = {name: tuple(words.split()) for name, words in _WRITTEN.items()}
"""By argument, what models write instead of it where a tool has no argument of that name."""


def listed() -> list[dict[str, Any]]:
    """All tools as ``tools/list`` writes them."""
    return [tool.told() for tool in TOOLS.values()]


def called(name: object) -> Tool:
    """Return the tool of a name.

    Raises:
        RefusedMessage: There is none.
    """
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        from notesd.mcp.arguments import near  # noqa: PLC0415 - only needed when something is wrong
        from notesd.mcp.lines import INVALID_PARAMS  # noqa: PLC0415 - as above

        hint = near(str(name)[:60], TOOLS)
        raise RefusedMessage(INVALID_PARAMS, f"no tool is called {str(name)[:60]!r}: {hint}")
    return tool
