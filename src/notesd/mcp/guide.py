"""What sets an agent's program up for these notes?"""

from __future__ import annotations

import json
import os
import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def skill() -> str:
    """Return how an agent is to use the notes, as a file of skills has it."""
    with open(os.path.join(os.path.dirname(__file__), "SKILL.md"), encoding="utf-8") as source:
        return source.read()


def configuration(program: str, words: Sequence[str]) -> str:
    """Return what sets a program up, as it is to be pasted.

    Args:
        program: One that ``--print-config`` takes.
        words: The command line of the server.
    """
    server = {"command": words[0], "args": list(words[1:])}
    if program == "claude-code":
        return f"claude mcp add --scope user notes -- {shlex.join(words)}\n"
    if program == "codex":
        # A JSON text is a TOML text as well, and so is a list of them.
        lines = ("[mcp_servers.notes]", *(f"{key} = {json.dumps(value)}" for key, value in server.items()))
        return "\n".join(lines) + "\n"
    if program == "vscode":
        return json.dumps({"servers": {"notes": {"type": "stdio", **server}}}, indent=2) + "\n"
    return json.dumps({"mcpServers": {"notes": server}}, indent=2) + "\n"
