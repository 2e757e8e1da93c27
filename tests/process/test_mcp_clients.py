"""The clients that programs stand on call every tool: the official SDK, and the Inspector."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import DEADLINE_S, PROGRAM, Running, running

pytestmark = pytest.mark.process

HERE = Path(__file__).parent
SAMPLE = HERE.parents[1] / "sample-vault"
SDK = os.environ.get("NOTESD_TEST_MCP_SDK") or (
    sys.executable if importlib.util.find_spec("mcp.client") else ""
)
INSPECTOR = os.environ.get("NOTESD_TEST_MCP_INSPECTOR") or shutil.which("mcp-inspector") or ""
TOOLS = [
    *(
        "search_notes",
        "read_note",
        "open_nodes",
        "search_semantic",
        "related_notes",
        "recent_notes",
        "status",
    ),
]

needs_sdk = pytest.mark.skipif(
    not SDK, reason="the official SDK is not installed (NOTESD_TEST_MCP_SDK: a Python that has it)"
)
needs_inspector = pytest.mark.skipif(
    not INSPECTOR, reason="the Inspector is not installed (NOTESD_TEST_MCP_INSPECTOR: its program)"
)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("vault") / "notes"
    shutil.copytree(SAMPLE, folder)
    with running(folder) as started:
        started.paths("settle")
        yield started


def run(daemon: Running, command: list[str]) -> Any:
    """Run a client on the server of a daemon, and return what it printed."""
    keep = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=DEADLINE_S, env=daemon.environment() | keep, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_sdk
@pytest.mark.parametrize(
    ("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")]
)
def test_the_official_sdk_calls_every_tool(daemon: Running, mode: str, version: str) -> None:
    """In both eras; it checks schemas and results by itself."""
    command = [*PROGRAM, "mcp", *daemon.options()]
    seen = run(daemon, [SDK, str(HERE / "sdk_session.py"), mode, *command])

    assert seen["version"] == version
    assert seen["tools"] == TOOLS
    assert seen["read_only"]
    assert {name for name, failed, *_ in seen["called"] if not failed} == set(TOOLS)
    assert [name for name, failed, *_ in seen["called"] if failed] == ["search_notes"]
    assert all(said for _, _, said, _ in seen["called"])
    assert seen["resources"] > 40
    assert (seen["read"], seen["templates"]) == (1, 1)


@needs_inspector
def test_the_inspector_calls_every_tool(daemon: Running) -> None:
    """It lists the tools, and gets an answer of each."""
    arguments = {
        "search_notes": ["query=bread", "limit=2"], "read_note": ["note=Home"],
        "open_nodes": ['names=["Home"]'],
        "search_semantic": ["query=bread"], "related_notes": ["note=Home"], "recent_notes": [], "status": [],
    }  # fmt: skip
    server = [*PROGRAM, "mcp", *daemon.options()]
    listed = run(daemon, [INSPECTOR, "--cli", *server, "--method", "tools/list"])
    assert [tool["name"] for tool in listed["tools"]] == TOOLS
    for name, given in arguments.items():
        more = [word for one in given for word in ("--tool-arg", one)]
        call = [INSPECTOR, "--cli", *server, "--method", "tools/call", "--tool-name", name, *more]
        answer = run(daemon, call)
        assert not answer.get("isError"), answer
        assert answer["structuredContent"]["freshness"].startswith("index complete")
