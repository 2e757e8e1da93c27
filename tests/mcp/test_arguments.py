"""What models write instead is taken; what nobody can understand is refused, with what is near."""

from typing import Any

import pytest

from notesd.mcp.arguments import Wrong, read
from notesd.mcp.tools import INSTEAD, TOOLS

TAKEN: list[tuple[str, Any, dict[str, Any]]] = [
    ("search_notes", {"q": "bread"}, {"query": "bread"}),
    ("search_notes", {"text": "bread", "k": 3}, {"query": "bread", "limit": 3}),
    ("search_notes", {"query": "a", "max_results": "7"}, {"query": "a", "limit": 7}),
    ("search_notes", {"query": "a", "page_size": 5.0}, {"query": "a", "limit": 5}),
    ("search_notes", {"query": "a", "tags": '["x", "y"]'}, {"query": "a", "tag": ["x", "y"]}),
    ("search_notes", {"query": "a", "tag": "x"}, {"query": "a", "tag": ["x"]}),
    ("search_notes", {"query": 2026}, {"query": "2026"}),
    ("search_notes", {"query": ["a"], "limit": None}, {"query": "a"}),
    ("search_notes", {"query": "a", "q": "a"}, {"query": "a"}),
    ("search_notes", {"query": '["not a list'}, {"query": '["not a list'}),
    ("search_notes", '{"query": "a"}', {"query": "a"}),
    ("read_note", {"identifier": "Home"}, {"note": "Home"}),
    ("read_note", {"path": "a/b.md", "heading": "H", "line_range": "1..2"},
     {"note": "a/b.md", "part": "H", "lines": "1..2"}),
    ("read_note", {"note": '["Home"]'}, {"note": "Home"}),
    ("open_nodes", {"names": '["a", "b"]'}, {"names": ["a", "b"]}),
    ("open_nodes", {"notes": "a"}, {"names": ["a"]}),
    ("related_notes", {"title": "Home", "n": "2"}, {"note": "Home", "limit": 2}),
    ("recent_notes", {"after": "7d"}, {"since": "7d"}),
    ("recent_notes", None, {}),
    ("status", {}, {}),
]  # fmt: skip
REFUSED: list[tuple[str, Any, str]] = [
    ("search_notes", {"query": "a", "limt": 3}, "did you mean 'limit'"),
    ("search_notes", {"query": "a", "sort_by_colour": 1}, "there is query, limit, offset"),
    ("search_notes", {"limit": 3}, 'needs "query"'),
    ("search_notes", {"query": "a", "limit": 0}, "from 1 to 50"),
    ("search_notes", {"query": "a", "limit": 51}, "from 1 to 50"),
    ("search_notes", {"query": "a", "limit": 2.5}, "whole number"),
    ("search_notes", {"query": "a", "limit": True}, "whole number"),
    ("search_notes", {"query": "a", "limit": "many"}, "whole number"),
    ("search_notes", {"query": "a", "limit": "nan"}, "whole number"),
    ("search_notes", {"query": {"a": 1}}, "has to be a text"),
    ("search_notes", {"query": ["a", "b"]}, "has to be a text"),
    ("search_notes", {"query": "a", "tag": [{"x": 1}]}, "has to be a text"),
    ("search_notes", {"query": "a", "q": "b"}, "given twice"),
    ("search_notes", ["a"], "have to be an object"),
    ("search_notes", "a", "have to be an object"),
    ("read_note", {"note": True}, "has to be a text"),
    ("status", {"x": 1}, "there is nothing"),
]


@pytest.mark.parametrize(("tool", "given", "meant"), TAKEN)
def test_what_models_write_is_understood(tool: str, given: Any, meant: dict[str, Any]) -> None:
    """Other names, numbers and lists as texts, one thing for a list of one, null for nothing."""
    assert read(TOOLS[tool], given) == meant


@pytest.mark.parametrize(("tool", "given", "said"), REFUSED)
def test_what_cannot_be_understood_is_refused(tool: str, given: Any, said: str) -> None:
    """One sentence that names the argument, and what it can be."""
    with pytest.raises(Wrong) as refusal:
        read(TOOLS[tool], given)
    assert said in str(refusal.value)


def test_only_arguments_that_are_there_have_other_names() -> None:
    """The table of other names has no argument that no tool takes."""
    assert {name for tool in TOOLS.values() for name in tool.takes} == INSTEAD.keys()
