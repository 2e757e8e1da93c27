"""Clients ask for as much as they can: answers are bounded, work is bounded, and none is done for nobody."""

import contextlib
import json
import os
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import Running, running

from notesd.cli.asking import joined
from notesd.errors import InvalidParams, StaleCursor
from notesd.serve.bounds import BOUNDS, LONGEST_ANSWER, MOST_BYTES

pytestmark = pytest.mark.process

SYLLABLES = ("ba", "ko", "mi", "ru", "te", "sa")
WORDS = [a + b + c for a in SYLLABLES for b in ("lan", "der", "pit", "mos", "vek") for c in "aoi"]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon over a hub, a note of megabytes, many notes of one name, and text to find."""
    vault = tmp_path_factory.mktemp("vault")
    rng = random.Random(1)
    for number in range(700):
        text = " ".join(rng.choices(WORDS, k=60))
        (vault / f"n{number}.md").write_text(
            f"# Note {number}\n\n[[hub]] [[gone {number}]] #t{number % 9}\n\n{text}\n"
        )
    (vault / "hub.md").write_text("# Hub\n\n" + "\n".join(f"- [[n{number}]]" for number in range(700)))
    paragraphs = "\n\n".join(f"Paragraph {number} of lamps. {'x' * 300}" for number in range(17_000))
    (vault / "big.md").write_text(f"---\ntags: [one, two]\n---\n# Big\n\n{paragraphs}\n")
    for number in range(150):
        (vault / f"d{number}").mkdir()
        (vault / f"d{number}" / "same.md").write_text(f"# Same\n\nbody {number}\n")
    with running(vault) as started:
        started.ask("search", query="x", wait=True, record=False)
        yield started


def raw(daemon: Running, method: str, **params: Any) -> tuple[Any, int]:
    """The answer, error or not, and its length in bytes."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with socket.socket(socket.AF_UNIX) as client, client.makefile("rb") as stream:
        client.settimeout(100)
        client.connect(str(daemon.socket))
        client.sendall(json.dumps(request).encode() + b"\n")
        line = stream.readline()
    return json.loads(line), len(line)


def whole(daemon: Running, method: str, **params: Any) -> tuple[Any, int]:
    """All pages of an answer as one, and how many there were."""
    answer, pages = daemon.ask(method, **params), 1
    while "next" in answer:
        assert answer["truncated"]
        answer, pages = joined(answer, daemon.ask(method, **{**params, **answer["next"]})), pages + 1
    return answer, pages


def cpu_s(daemon: Running) -> float:
    fields = Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_note_named_thousands_of_times_is_opened_once(daemon: Running) -> None:
    """In an answer of bounded size, which says how to go on."""
    answer, size = raw(daemon, "open", notes=["big", "big.md"] + ["big"] * 7_998, record=False)

    assert size < MOST_BYTES * 1.1
    assert answer["result"]["truncated"]
    assert [entity["path"] for entity in answer["result"]["entities"]] == ["big.md"]


def test_a_note_is_put_together_from_its_pages(daemon: Running) -> None:
    """Whatever their size: every passage once, in order."""
    wanted = [f"Paragraph {number} of lamps." for number in range(17_000)]
    for more in ({}, {"max_chars": 900_000}):
        answer, pages = whole(daemon, "open", notes=["hub", "big", "nobody"], record=False, **more)
        hub, big = answer["entities"]
        said = [one["text"] for one in big["observations"] if one["text"].startswith("Paragraph")]

        assert pages > 1
        assert [text.split(" x")[0] for text in said] == wanted
        assert (big["tags"], len(hub["relations"])) == (["one", "two"], 1_400)
        assert [one["note"] for one in answer["missing"]] == ["nobody"]


def test_lines_of_a_note_are_opened_alone(daemon: Running) -> None:
    """Passages that touch them, and no more."""
    (entity,) = daemon.ask("open", notes=["big"], lines="100..110", record=False)["entities"]
    seen = [(one["line_start"], one["line_end"]) for one in entity["observations"]]

    assert seen
    assert all(first <= 110 and last >= 100 for first, last in seen)
    for odd in ("", "..", "5", "a..b", "1..2..3"):
        with pytest.raises(InvalidParams):
            daemon.ask("open", notes=["big"], lines=odd)


def test_export_check_and_links_go_on_page_after_page(daemon: Running) -> None:
    """The command line asks for all of them, and they are what a new index says."""
    alone = daemon.run("export", "--vault", str(daemon.vault))
    asked = daemon.run("export")
    checked = json.loads(daemon.run("check", "--json").stdout)
    linked = json.loads(daemon.run("links", "hub", "--json").stdout)

    assert (alone.returncode, asked.returncode) == (0, 0)
    assert json.loads(alone.stdout) == json.loads(asked.stdout)
    assert len(checked["broken_links"]) == 700
    assert (len(linked["incoming"]), len(linked["outgoing"])) == (700, 700)
    for method, items in (("export", 700 * 3 + 1 + 700 + 151), ("check", 700), ("links", 1_400)):
        params = {"note": "hub"} if method == "links" else {}
        one = daemon.ask(method, **params)
        assert sum(map(len, filter(lambda part: isinstance(part, list), one.values()))) >= min(
            items, BOUNDS[method].items
        )


def test_a_page_of_an_index_that_has_changed_is_refused(daemon: Running) -> None:
    """Half of one and half of another is the whole of neither."""
    for cursor in ("0.5.ffff", "7.0."):
        with pytest.raises(StaleCursor):
            daemon.ask("export", cursor=cursor)
    with pytest.raises(InvalidParams):
        daemon.ask("check", cursor="the next one")


def test_no_request_is_answered_beyond_its_bounds(daemon: Running) -> None:
    """The dearest ones that there are: each costs at most its budget, and is answered or refused in words."""
    many = " ".join(WORDS)
    long = {"limit": 1_000, "explain": True, "record": False}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": many, **long}),
        ("search", {"query": " OR ".join(WORDS[:60]), **long, "offset": 500, "why": "same"}),
        ("search", {"query": " ".join(f"-tag:a{number}" for number in range(450)), **long}),
        ("search", {"query": " ".join(f"{word[:2]}*" for word in WORDS), **long}),
        ("search", {"query": "é" * 900_000, "record": False}),
        ("feed", {"q": "lamps", "limit": 1_000}),
        ("open", {"notes": [f"nobody {number}" for number in range(3_000)], "record": False}),
        ("open", {"notes": ["x" * 900_000], "record": False}),
        ("open", {"notes": ["same"], "record": False}),
        ("links", {"note": "hub", "depth": 5}),
        ("links", {"note": "y" * 900_000}),
        ("links", {"note": "same"}),
        ("related", {"note": "hub", "limit": 1_000}),
        ("status", {}),
        ("check", {}),
        ("export", {}),
    ]
    for method, params in requests:
        before = cpu_s(daemon)
        answer, size = raw(daemon, method, **params)
        spent = cpu_s(daemon) - before

        assert size < LONGEST_ANSWER, method
        assert "result" in answer or answer["error"]["message"], method
        assert spent < BOUNDS[method].cpu_s * 2 + 4, (method, str(params)[:80])


def test_a_search_beyond_its_budget_says_so(daemon: Running) -> None:
    """It has hits all the same, says that there are more, and how to go on."""
    answer = daemon.ask("search", query=" ".join(WORDS), limit=1_000, explain=True, record=False)

    assert answer["results"]
    if len(answer["results"]) < 700:
        assert (answer["truncated"], answer["has_more"]) == (True, True)
        assert answer["next"] == {"offset": len(answer["results"])}
        assert any("more work" in one["reason"] for one in answer["degraded"])


def test_nothing_is_computed_for_clients_that_have_left(daemon: Running) -> None:
    """Neither what waits nor what is under way."""
    params = {"query": " ".join(WORDS), "limit": 1_000, "explain": True, "record": False}
    request = {"jsonrpc": "2.0", "id": 1, "method": "search", "params": params}
    line = json.dumps(request).encode() + b"\n"
    before = cpu_s(daemon)
    daemon.ask("search", **params)
    one = cpu_s(daemon) - before
    before = cpu_s(daemon)
    for _ in range(100):
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
            client.connect(str(daemon.socket))
            client.sendall(line)
    daemon.ask("search", query="lamps", record=False)
    laps = [cpu_s(daemon)]

    def is_at_rest() -> bool:
        laps.append(cpu_s(daemon))
        return laps[-1] - laps[-2] < 0.05

    daemon.until(is_at_rest, pause_s=0.3)
    assert cpu_s(daemon) - before < 100 * one / 3
