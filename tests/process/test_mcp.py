"""A real ``notesd mcp`` over a real daemon, asked line by line as an agent's program asks."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent import MODERN, Agent, agent
from running import DEADLINE_S, PROGRAM, Running, running

from notesd.mcp.lines import LONGEST_LINE
from notesd.ownership import is_held, owner_of

pytestmark = pytest.mark.process

SAMPLE = Path(__file__).parents[2] / "sample-vault"
LONG = "".join(f'Line {n} of the long note, été 北京 "quoted\\".\n' for n in range(26_000))
WALL = "A word, " + "a brick in the wall. " * 9_000 + "\nthe end\n"
SESSION_KB, SESSION_CPU_S = 20_000, 0.5
"""What a session may take; the second is ten times what it takes on a quiet machine, so that only another
kind of program fails."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon over the sample notes, a long note and a hub."""
    folder = tmp_path_factory.mktemp("vault") / "notes"
    shutil.copytree(SAMPLE, folder)
    (folder / "Long.md").write_text(LONG, encoding="utf-8")
    (folder / "Wall.md").write_text(WALL)
    (folder / "Hub.md").write_text("# Hub\n\n" + "".join(f"[[Spoke {n}]]\n" for n in range(3_000)))
    for n in range(60):
        (folder / f"Wide {n}.md").write_text(f"# Wide {n}\n\nThe zither " + f'\\"plays{n} ' * 900 + "\n")
    with running(folder) as started:
        started.paths("settle")
        yield started


@pytest.fixture
def asked(daemon: Running) -> Iterator[Agent]:
    with agent(daemon.options(), daemon.environment()) as started:
        yield started


@pytest.fixture
def raw(daemon: Running) -> Iterator[Agent]:
    """A session that nothing was said in yet."""
    with agent(daemon.options(), daemon.environment(), version="") as started:
        yield started


def code(answer: Any) -> int:
    return int(answer["error"]["code"])


# ---- the protocol --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [
        *[(version, version) for version in ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")],
        *[("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")],
    ],
)
def test_each_version_with_a_handshake_is_spoken(raw: Agent, wanted: str, spoken: str) -> None:
    """A version that is not known is answered with the latest that is."""
    session = raw
    result = session.ask("initialize", {"protocolVersion": wanted, "capabilities": {}})["result"]

    assert result["protocolVersion"] == spoken
    assert result["capabilities"].keys() == {"tools", "resources"}
    assert len(result["instructions"]) <= 2_048
    assert session.ask("ping")["result"] == {}
    assert "resultType" not in session.ask("tools/list")["result"]
    assert session.close() == 0


def test_the_version_without_a_handshake_is_spoken(raw: Agent) -> None:
    """Each request names it; each result says that it is complete and who gives it."""
    session = raw
    found = session.ask("server/discover", modern=True)["result"]
    tools = session.ask("tools/list", modern=True)["result"]
    call = session.ask("tools/call", {"name": "status"}, modern=True)["result"]

    assert found["supportedVersions"][0] == "2026-07-28"
    assert len(found["instructions"]) <= 2_048
    for result in (found, tools, call):
        assert result["resultType"] == "complete"
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "notesd"
    for result in (found, tools, session.ask("resources/list", modern=True)["result"]):
        assert isinstance(result["ttlMs"], int)
        assert result["cacheScope"] in {"public", "private"}
    assert code(session.ask("ping", modern=True)) == -32601
    assert code(session.ask("initialize", modern=True)) == -32601
    wrong = session.ask(
        "tools/list", {"_meta": {**MODERN, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}}
    )
    assert code(wrong) == -32022
    assert wrong["error"]["data"]["requested"] == "2031-01-01"
    assert "2026-07-28" in wrong["error"]["data"]["supported"]
    assert code(session.ask("server/discover")) == -32602
    bare = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    assert code(session.ask("tools/list", {"_meta": bare})) == -32602
    assert session.close() == 0


MALFORMED: list[tuple[bytes, int]] = [
    (b"{", -32700),
    (b"nonsense", -32700),
    (b"\xff\xfe", -32700),
    (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32700),
    (b"[" * 100_000, -32700),
    (b"1" * 10_000, -32700),
    (b"3", -32600),
    (b"null", -32600),
    (b'"ping"', -32600),
    (b"{}", -32600),
    (b"[]", -32600),
    (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
    (b'{"id": 1, "method": "ping"}', -32600),
    (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 3}', -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}', -32601),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
    (
        b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}',
        -32002,
    ),
    (
        b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "note://notes/../x"}}',
        -32002,
    ),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {"cursor": "x"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}', -32602),
    (b" " * (LONGEST_LINE + 1) + b"{}", -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "x": "' + b"y" * (2 * LONGEST_LINE) + b'"}', -32600),
]


def test_whatever_is_sent_gets_the_right_error(asked: Agent) -> None:
    """And the session goes on: each is followed by a question that is answered."""
    for line, expected in MALFORMED:
        asked.send(line)
        assert code(asked.receive()) == expected, line[:100]
        assert asked.ask("ping")["result"] == {}


def test_what_needs_no_answer_gets_none(asked: Agent) -> None:
    """Notifications, answers to nothing, empty lines."""
    asked.send(
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}},
        {"jsonrpc": "2.0", "method": "notifications/unheard/of", "params": {}},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        b"",
        b"   \r",
    )
    assert asked.ask("ping")["result"] == {}


def test_batches_are_answered_where_the_version_has_them(raw: Agent) -> None:
    """All answers in one line; notifications have none."""
    session = raw
    session.ask("initialize", {"protocolVersion": "2025-03-26", "capabilities": {}})
    session.send(
        [
            {"jsonrpc": "2.0", "id": "a", "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "status"}},
            {"jsonrpc": "2.0", "id": "c", "method": "nope"},
            3,
        ]
    )
    answers = {one["id"]: one for one in session.receive()}
    assert answers.keys() == {"a", "b", "c", None}
    assert answers["b"]["result"]["structuredContent"]["spaces"]
    session.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    assert session.ask("ping")["result"] == {}
    assert session.close() == 0


def test_a_call_that_is_cancelled_is_not_answered(asked: Agent) -> None:
    """Those that wait behind it are."""
    for number in range(20):
        name = "search_notes"
        params = {"name": name, "arguments": {"query": f"zither plays{number}"}}
        asked.send({"jsonrpc": "2.0", "id": f"c{number}", "method": "tools/call", "params": params})
    for number in range(0, 19, 2):
        note = {"requestId": f"c{number}", "reason": "never mind"}
        asked.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": note})
    answered = []
    while "c19" not in answered:
        message = asked.receive()
        assert not message["result"]["isError"]
        answered.append(message["id"])
    assert [one for one in answered if int(one[1:]) % 2] == [f"c{number}" for number in range(1, 20, 2)]
    assert len(answered) < 20
    assert asked.ask("ping")["result"] == {}


# ---- the answers ---------------------------------------------------------------------------------


def test_every_tool_answers_in_text_and_structure(asked: Agent) -> None:
    """With the fields that its schema requires, and freshness in one line of both."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_notes", {"query": "bread", "tag": ["cooking"], "folder": "Kitchen", "since": "2020"}),
        ("read_note", {"note": "Home", "lines": "8..10"}),
        ("open_nodes", {"names": ["Home", "Gaviota", "Nowhere"]}),
        ("search_semantic", {"query": "bread"}),
        ("related_notes", {"note": "Country loaf"}),
        ("recent_notes", {"limit": 3}),
        ("status", {}),
    ]
    listed = {tool["name"]: tool for tool in asked.ask("tools/list")["result"]["tools"]}
    for name, arguments in calls:
        result = asked.tool(name, **arguments)
        structured = result["structuredContent"]
        assert structured.keys() >= set(listed[name]["outputSchema"]["required"]), name
        assert structured["freshness"].startswith("index complete"), name
        assert structured["freshness"] in result["content"][0]["text"], name
        assert "\n" not in structured["freshness"], name
    assert {name for name, _ in calls} == listed.keys()


@pytest.mark.parametrize(
    ("properties", "query", "found"),
    [
        ({"author": "Primo Levi"}, "", ["Reading/The Periodic Table.md"]),
        ({"Author": ["primo levi", "Ursula K. Le Guin"]}, "", None),
        ('{"author": "primo levi"}', "table", ["Reading/The Periodic Table.md"]),
        ({"author": 'No "such" one'}, "", []),
    ],
)
def test_notes_are_found_by_their_properties(
    asked: Agent, properties: Any, query: str, found: list[str] | None
) -> None:
    """As an object or as its text; any of several values will do."""
    result = asked.tool("search_notes", query=query, filters=properties)
    paths = [one["path"] for one in result["structuredContent"]["results"]]
    assert (len(paths) == 2) if found is None else (paths == found)


@pytest.mark.parametrize(
    ("note", "lines", "first", "last"),
    [
        ("Long.md", "2-3", 2, 3), ("Long.md", "5", 5, 5), ("Long.md", "L7 to L8", 7, 8),
        ("Long.md:4", "", 4, None), ("note://notes/Long.md", "2..2", 2, 2),
    ],
)  # fmt: skip
def test_a_place_may_be_written_as_it_is_cited(
    asked: Agent, note: str, lines: str, first: int, last: int | None
) -> None:
    """With the line behind the path, as an address, with a hyphen."""
    told = asked.tool("read_note", note=note, **({"lines": lines} if lines else {}))["structuredContent"]
    begin, _, end = told["lines"].partition("..")
    assert int(begin) == first
    assert last is None or int(end) == last


def test_lines_that_end_before_they_begin_are_refused(asked: Agent) -> None:
    """So is what is no number."""
    for lines in ("9..1", "zz"):
        assert "like 10..40" in asked.tool("read_note", note="Long.md", lines=lines)["content"][0]["text"]


def test_a_property_that_no_note_has_is_told_with_the_nearest(asked: Agent) -> None:
    """Rather than taken for words; what is no object is told too."""
    wrong = asked.tool("search_notes", query="", properties={"athor": "x"})
    assert wrong["isError"]
    assert "nearest: author" in wrong["content"][0]["text"]
    assert asked.tool("search_notes", query="", properties="author")["isError"]


def test_a_long_note_is_put_together_from_its_pages(asked: Agent) -> None:
    """By following ``next``, equal to the file; each page says which lines it has."""
    assert len(LONG.encode()) > 1_200_000
    text = ""
    more: dict[str, Any] = {}
    while True:
        told = asked.told("read_note", note="Long", **more)
        if told["text"]:
            assert told["lines"].startswith(f"{text.count(chr(10)) + 1}..")
        text += told["text"]
        if "next" not in told:
            break
        assert told["truncated"]
        more = told["next"]
    assert text == LONG


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_notes", {"query": "zither", "limit": 50}),
        ("search_semantic", {"query": "zither", "limit": 50}),
        ("recent_notes", {"limit": 50}),
        ("related_notes", {"note": "Wide 3", "limit": 50}),
        ("read_note", {"note": "Long"}),
        ("read_note", {"note": "Wide 7"}),
        ("read_note", {"note": "Hub"}),
        ("open_nodes", {"names": [f"Wide {n}" for n in range(50)]}),
        ("open_nodes", {"names": ["Hub", "Long", "Home"]}),
        ("open_nodes", {"names": [f"Nothing {n}" for n in range(50)]}),
    ],
)
def test_no_answer_floods_the_model(asked: Agent, name: str, arguments: dict[str, Any]) -> None:
    """The whole of it, text and structure together, has 20,000 characters; what was cut says how to go on."""
    result = asked.tool(name, **arguments)

    assert not result["isError"], result
    assert len(json.dumps(result, ensure_ascii=False, separators=(",", ":"))) <= 20_000


def test_entities_are_all_had_by_going_on(asked: Agent) -> None:
    """What an answer had no room for is in the next ones."""
    names = [f"Wide {n}" for n in range(30)]
    found: list[str] = []
    more = {"names": names}
    while more:
        told = asked.told("open_nodes", **more)
        found += [one["name"] for one in told["entities"]]
        more = told.get("next", {})
    assert found == names


def test_an_answer_may_be_longer_where_that_is_wished(daemon: Running) -> None:
    """Up to 50,000 characters, never more."""
    with agent([*daemon.options(), "--max-chars", "50000"], daemon.environment()) as session:
        result = session.tool("read_note", note="Long")
    size = len(json.dumps(result, ensure_ascii=False, separators=(",", ":")))
    assert 20_000 < size <= 50_000
    assert daemon.run("mcp", "--max-chars", "50001").returncode == 2


def test_what_cannot_be_done_is_told_to_the_model(asked: Agent) -> None:
    """As a tool's error, in a sentence that helps."""
    assert "did you mean 'Home'" in asked.wrong("read_note", note="Hoem")
    assert "did you mean 'limit'" in asked.wrong("search_notes", query="x", limt=3)
    assert "no heading" in asked.wrong("read_note", note="Home", part="Nowhere")
    assert "lines" in asked.wrong("read_note", note="Home", lines="some")
    assert "can mean" in asked.wrong("related_notes", note="Ideas") or "several" in asked.wrong(
        "read_note", note="Ideas"
    )
    assert "modified" in asked.wrong("recent_notes", since="someday")


def test_private_notes_are_not_there(asked: Agent) -> None:
    """Not for any tool, nor as a resource."""
    assert asked.told("search_notes", query="path:Journal/Health")["results"] == []
    private = asked.wrong("read_note", note="Journal/Health.md")
    assert private == asked.wrong("read_note", note="Journal/Wealth.md").replace("Wealth", "Health")
    assert "Journal/Health.md" not in resources(asked)
    uri = {"uri": "note://notes/Journal/Health.md"}
    assert code(asked.ask("resources/read", uri)) == -32002


def resources(asked: Agent) -> dict[str, str]:
    """The address of each note that is listed, by its path."""
    found: dict[str, str] = {}
    more: dict[str, str] = {}
    while True:
        page = asked.ask("resources/list", more)["result"]
        found |= {one["name"]: one["uri"] for one in page["resources"]}
        if "nextCursor" not in page:
            return found
        more = {"cursor": page["nextCursor"]}


def test_every_note_is_a_resource(asked: Agent, daemon: Running) -> None:
    """Listed in pages, and read as it stands in its file."""
    found = resources(asked)
    files = {str(path.relative_to(daemon.vault)) for path in daemon.vault.rglob("*.md")}
    hidden = {"Journal/Health.md"} | {
        path for path in files if path.startswith("Templates/") and path not in found
    }
    assert found.keys() == files - hidden
    for path in ("Travel/京都.md", "Home.md", "Software/C++ in anger.md"):
        (content,) = asked.ask("resources/read", {"uri": found[path]})["result"]["contents"]
        assert content["text"] == (daemon.vault / path).read_text(encoding="utf-8")
        assert content["mimeType"] == "text/markdown"
    some = asked.ask("resources/read", {"uri": f"{found['Home.md']}?lines=8..10"})["result"]["contents"]
    assert some[0]["text"].startswith("# Home\n")


def test_a_long_resource_says_how_to_go_on(asked: Agent) -> None:
    """No answer has more than 50,000 characters; the rest has an address."""
    text, uri = "", "note://notes/Long.md"
    for _ in range(3):
        answer = asked.ask("resources/read", {"uri": uri})["result"]
        assert len(json.dumps(answer, ensure_ascii=False)) <= 50_000
        content, onwards = answer["contents"]
        text += content["text"]
        uri = onwards["uri"]
    assert LONG.startswith(text)


def test_a_line_that_is_too_long_goes_on_within_itself(asked: Agent) -> None:
    """The pages of a resource make up the file, whatever its lines are like."""
    text, uri, pages = "", "note://notes/Wall.md", 0
    while uri:
        answer = asked.ask("resources/read", {"uri": uri})["result"]
        assert len(json.dumps(answer, ensure_ascii=False)) <= 50_000
        content, *onwards = answer["contents"]
        text, uri, pages = text + content["text"], onwards[0]["uri"] if onwards else "", pages + 1
    assert text == WALL
    assert pages > 3


@pytest.mark.parametrize("asks_for", ["lines=zz", "lines=9..3", "lines=0x1", "cursor=none", "cursor=9.9.9"])
def test_what_no_part_of_a_resource_can_be_is_refused(asked: Agent, asks_for: str) -> None:
    """As a wrong parameter, with what is right or what to do; it is no fault within notesd."""
    answer = asked.ask("resources/read", {"uri": f"note://notes/Home.md?{asks_for}"})

    assert code(answer) == -32602
    assert re.search("like 10|cursor|line", answer["error"]["message"])


# ---- the process ---------------------------------------------------------------------------------


def test_a_session_is_cheap(daemon: Running) -> None:
    """It needs little memory and processor, since nobody has asked for a session."""
    with agent(daemon.options(), daemon.environment()) as session:
        for _ in range(10):
            session.told("search_notes", query="bread")
        status = Path(f"/proc/{session.process.pid}/status")
        if not status.exists():
            pytest.skip("the system does not say how much memory a process has")
        peak = int(status.read_text().partition("VmHWM:")[2].split()[0])
        fields = Path(f"/proc/{session.process.pid}/stat").read_text().rpartition(")")[2].split()
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    assert peak <= SESSION_KB
    assert cpu <= SESSION_CPU_S


def test_tools_are_listed_while_the_daemon_is_not_there(tmp_path: Path) -> None:
    """It is started behind that, and the first question is answered from what it has read."""
    shutil.copytree(SAMPLE, tmp_path / "notes")
    with running(tmp_path / "notes") as daemon:
        daemon.stop()
        options = [*daemon.options(), "--vault", str(daemon.vault)]
        with agent(options, daemon.environment()) as session:
            assert len(session.ask("tools/list")["result"]["tools"]) == 7
            assert session.told("search_notes", query="bowline")["results"]
            assert session.close() == 0
        assert daemon.run("stop").returncode == 0


def test_what_keeps_the_daemon_from_starting_is_said(tmp_path: Path) -> None:
    """To the model that asks, each time; the session goes on."""
    (tmp_path / "notes").mkdir()
    with running(tmp_path / "notes") as daemon:
        daemon.stop()
        config = daemon.home / "wrong.toml"
        config.write_text("nonsense = 1\n")
        with agent([*daemon.options(), "--config", str(config)], daemon.environment()) as session:
            assert "nonsense" in session.wrong("status")
            assert session.ask("ping")["result"] == {}


def test_a_daemon_that_is_started_again_is_found_again(tmp_path: Path) -> None:
    """A connection that is lost is no error of the next call."""
    shutil.copytree(SAMPLE, tmp_path / "notes")
    with running(tmp_path / "notes") as daemon:
        daemon.paths("settle")
        with agent(daemon.options(), daemon.environment()) as session:
            assert session.told("search_notes", query="bowline")["results"]
            daemon.restart(signal.SIGKILL)
            daemon.paths("settle")
            assert session.told("search_notes", query="bowline")["results"]


def test_a_daemon_that_is_killed_again_and_again_costs_no_answer(tmp_path: Path) -> None:
    """A question that only reads is asked again, whoever has to be started for it."""
    shutil.copytree(SAMPLE, tmp_path / "notes")
    with running(tmp_path / "notes") as daemon:
        daemon.stop()
        options = [*daemon.options(), "--vault", str(daemon.vault)]
        over = threading.Event()

        def kill() -> None:
            """Three times, each a moment after somebody was started anew."""
            killed: set[int] = set()
            while len(killed) < 3 and not over.wait(0.02):
                owner = owner_of(str(daemon.state))
                if owner and owner.socket and owner.pid not in killed and is_held(str(daemon.state)):
                    os.kill(owner.pid, signal.SIGKILL)
                    killed.add(owner.pid)

        with agent(options, daemon.environment()) as session:
            killer = threading.Thread(target=kill)
            killer.start()
            try:
                found = [session.told("search_notes", query="bowline")["results"] for _ in range(5)]
            finally:
                over.set()
                killer.join()
        assert all(found)
        assert daemon.run("stop").returncode == 0


def test_the_session_ends_when_its_program_is_killed(daemon: Running) -> None:
    """Even where somebody else holds the other end of its input."""
    read, write = os.pipe()
    command = [*PROGRAM, "mcp", *daemon.options()]
    starter = (
        "import subprocess, time\n"
        f"child = subprocess.Popen({command!r}, stdin={read})\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(3600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starter], stdout=subprocess.PIPE, pass_fds=(read,), env=daemon.environment()
    ) as program:
        assert program.stdout is not None
        pid = int(program.stdout.readline())
        os.write(write, b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        assert json.loads(program.stdout.readline())["id"] == 1
        program.kill()
        daemon.until(lambda: not _is_running(pid))
    os.close(read)
    os.close(write)


def _is_running(pid: int) -> bool:
    """Whether a process is more than a name that nobody has asked after."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_sets_a_program_up_starts_this_very_server(daemon: Running) -> None:
    """The printed command answers, from any folder."""
    config = json.loads(daemon.run("mcp", "--print-config", "cursor").stdout)["mcpServers"]["notes"]
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status", "arguments": {}}}
    done = subprocess.run(
        [config["command"], *config["args"]], input=json.dumps(hello) + "\n", text=True, capture_output=True,
        timeout=DEADLINE_S, env=daemon.environment(), cwd="/",
    )  # fmt: skip
    # At the end of its input a session ends, whatever is still to be answered.
    assert done.returncode == 0
    assert daemon.run("mcp", "--skill").stdout.startswith("---\nname: notes\n")
    assert daemon.run("mcp", "--print-config", "emacs").returncode == 2
