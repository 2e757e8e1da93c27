"""What a model reads in each session is short, and says what holds."""

import json
from typing import Any

import pytest

from notesd.cli.agent_options import PROGRAMS
from notesd.mcp import guide, tools
from notesd.mcp.answers import ANSWERS
from notesd.mcp.lines import encoded
from notesd.mcp.texts import text_of

MOST_TOKENS = 1_500
CHARACTERS_OF_A_TOKEN = 3.3
"""Of dense JSON, as the tokenizers of large models cut it, at the least."""


def test_instructions_and_tools_are_short() -> None:
    """Each session of each agent pays for them."""
    assert len(tools.INSTRUCTIONS) <= 2_048
    characters = len(encoded(tools.listed())) + len(tools.INSTRUCTIONS)
    assert characters / CHARACTERS_OF_A_TOKEN <= MOST_TOKENS
    assert len(tools.TOOLS) <= 7


@pytest.mark.parametrize("tool", tools.listed(), ids=lambda tool: tool["name"])
def test_each_tool_says_that_it_only_reads(tool: dict[str, Any]) -> None:
    """All four annotations, and schemas that refuse what is unknown."""
    assert tool["annotations"] == {
        "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False
    }  # fmt: skip
    assert tool["inputSchema"]["additionalProperties"] is False
    assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
    assert set(tool["inputSchema"].get("required", ())) <= set(tool["inputSchema"]["properties"])
    assert "freshness" in tool["outputSchema"]["required"]


def test_each_tool_has_an_answer() -> None:
    """The table of tools and what carries them out are of one mind."""
    assert tools.TOOLS.keys() == ANSWERS.keys()


def test_the_text_holds_every_fact_of_the_structure() -> None:
    """Whatever stands in the structured content can be read in the text."""
    hit = {
        "name": "N", "path": "p.md", "line": 3, "space": "s", "heading": "H > I", "tags": ["t", "u"],
        "snippet": "said", "reasons": [{"by": "links", "via": "v.md"}], "stale": True,
    }  # fmt: skip
    entity = {
        "name": "E", "entityType": "k", "path": "e.md", "space": "s", "aliases": ["other"],
        "observations": [{"text": "passage", "line_start": 5, "line_end": 6, "heading": ["deep"]}],
        "relations": [
            {"relation": "crew", "target": "Mei.md", "direction": "outgoing"},
            {"target": "Lost", "direction": "incoming", "unresolved": True},
        ],
        "more_relations": 77, "truncated": True,
    }  # fmt: skip
    told = {
        "results": [hit], "total": 12, "exact": False, "next": {"offset": 1}, "freshness": "index complete",
        "entities": [entity], "missing": [{"note": "M", "nearest": ["Near"], "reason": "because"}],
        "spaces": [{"name": "sp", "notes": 41}],
    }  # fmt: skip
    text = text_of(told)

    for fact in (
        *("N", "p.md:3", "H > I", "t, u", "said", "links", "v.md", "stale", "12", "exact: false"),
        *('{"offset":1}', "index complete", "E", "k", "e.md", "other", "passage", "5-6", "deep", "crew"),
        *("-> Mei.md", "<- Lost", "unresolved", "77", "M", "Near", "because", "sp", "41"),
    ):
        assert fact in text


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_printed_configuration_can_be_read_by_its_program(program: str) -> None:
    """JSON, TOML or a command line; the command is whole in it."""
    import shlex
    import tomllib

    words = ["/usr/bin/py thon", "-m", "notesd", "mcp", "--space", 'a "b"']
    said = guide.configuration(program, words)
    found: dict[str, Any]
    if program == "claude-code":
        command = shlex.split(said)
        assert command[:3] == ["claude", "mcp", "add"]
        assert command[command.index("--") + 1 :] == words
        return
    if program == "codex":
        found = tomllib.loads(said)["mcp_servers"]["notes"]
    else:
        found = json.loads(said)["servers" if program == "vscode" else "mcpServers"]["notes"]
    assert [found["command"], *found["args"]] == words


def test_the_skill_names_tools_that_there_are() -> None:
    """It has the head of a skill, and each tool that it names exists."""
    import re

    skill = guide.skill()
    assert skill.startswith("---\nname: notes\ndescription: ")
    named = {word for word in re.findall(r"`(\w+)`", skill) if "_" in word}
    assert named
    assert named <= tools.TOOLS.keys()
    assert "path:line" in skill
