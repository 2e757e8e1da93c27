"""Talks to ``notesd mcp`` as programs do that stand on the official SDK; run by an interpreter that has it.

Usage: ``python sdk_session.py MODE COMMAND...``; prints what it saw as JSON.
"""

import asyncio
import importlib
import json
import sys
from typing import Any

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_notes", {"q": "bread", "max_results": "3"}),
    ("read_note", {"note": "Home"}),
    ("open_nodes", {"names": ["Home", "Nowhere"]}),
    ("search_semantic", {"query": "bread", "limit": 2}),
    ("related_notes", {"identifier": "Home"}),
    ("recent_notes", {}),
    ("status", {}),
    ("search_notes", {"query": "x", "limt": 3}),
]


async def main(mode: str, command: list[str]) -> dict[str, Any]:
    """One session in one mode of the SDK's client."""
    sdk: Any = importlib.import_module("mcp")
    server = sdk.StdioServerParameters(command=command[0], args=command[1:])
    async with sdk.Client(sdk.stdio_client(server), mode=mode) as client:
        tools = (await client.list_tools()).tools
        called = []
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments)
            told = result.structured_content
            called.append([name, bool(result.is_error), bool(result.content), sorted(told or ())])
        listed = (await client.list_resources()).resources
        first = (await client.read_resource(listed[0].uri)).contents
        templates = (await client.list_resource_templates()).resource_templates
        return {
            "version": client.protocol_version,
            "instructions": client.instructions,
            "tools": [tool.name for tool in tools],
            "read_only": all(tool.annotations.read_only_hint for tool in tools),
            "called": called,
            "resources": len(listed),
            "read": len(first),
            "templates": len(templates),
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:]))))
