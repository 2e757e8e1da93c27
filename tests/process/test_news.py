"""A real daemon tells who subscribed, streams, explains, and says honestly what may be old."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import DEADLINE_S, Running, running

from notesd.errors import UnknownNote, UnknownSpace

pytestmark = pytest.mark.process


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A small folder of notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Harbour.md").write_text("# Harbour\n\nShips rest here.\n")
    (folder / "Quay.md").write_text("---\ntags: [sea]\n---\nStone quay for ships.\n")
    return folder


@pytest.fixture
def daemon(vault: Path) -> Iterator[Running]:
    """A daemon that follows it."""
    with running(vault) as started:
        started.paths("settle")
        yield started


class Listener:
    """A connection that hears more than answers."""

    def __init__(self, daemon: Running) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(DEADLINE_S)
        self._socket.connect(str(daemon.socket))
        self._stream = self._socket.makefile("rb")

    def send(self, method: str, id_: object, **params: object) -> None:
        line = json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        self._socket.sendall(line.encode() + b"\n")

    def next(self) -> Any:
        return json.loads(self._stream.readline())

    def changes(self, *paths: str) -> list[Any]:
        """What is told of changes until all of these paths were named, on a busy machine in several steps."""
        told: list[Any] = []
        while not {path for one in told for path in one["paths"]}.issuperset(paths):
            message = self.next()
            if message.get("method") == "index.changed":
                told.append(message["params"])
        return told

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


@pytest.fixture
def listener(daemon: Running) -> Iterator[Listener]:
    """A connection to it."""
    with contextlib.closing(Listener(daemon)) as one:
        yield one


def test_subscribers_hear_of_each_change(daemon: Running, vault: Path, listener: Listener) -> None:
    """Who subscribed is told of a saved, a renamed and a deleted note, with a growing generation."""
    listener.send("subscribe", 1)
    assert listener.next()["result"] == {"subscribed": ["notes"]}

    (vault / ".new").write_text("new\n")
    (vault / ".new").rename(vault / "New.md")
    heard = listener.changes("New.md")
    (vault / "New.md").rename(vault / "Newer.md")
    heard += listener.changes("New.md", "Newer.md")
    (vault / "Newer.md").unlink()
    heard += listener.changes("Newer.md")

    assert {path for one in heard for path in one["paths"]} == {"New.md", "Newer.md"}
    assert {one["space"] for one in heard} == {"notes"}
    generations = [one["generation"] for one in heard]
    assert generations == sorted(set(generations))
    assert daemon.ask("status")["spaces"][0]["generation"] == generations[-1]


def test_a_rescan_is_heard_as_progress_and_one_change(daemon: Running, listener: Listener) -> None:
    """A build beside the live index is heard by its steps, and once it answers as a change of anything."""
    listener.send("subscribe", 1, space="notes")
    listener.next()
    daemon.ask("rescan", wait=True)
    messages = [listener.next()]
    while not messages[-1]["params"].get("paths_truncated"):  # new notes may be read a second time before
        messages.append(listener.next())

    assert messages[-1]["method"] == "index.changed"
    progress = next(one["params"] for one in messages if one["method"] == "index.progress")
    assert (progress["space"], progress["done"], progress["total"]) == ("notes", 2, 2)
    assert {"eta_s", "rate_per_s"} <= progress.keys()


def test_a_subscription_names_a_space_that_is_there(daemon: Running) -> None:
    """An unknown space is refused as everywhere."""
    with pytest.raises(UnknownSpace):
        daemon.ask("subscribe", space="note")


def test_a_subscriber_that_left_is_no_burden(daemon: Running, vault: Path) -> None:
    """Changes after a subscriber has gone are told to the others and fail for nobody."""
    with contextlib.closing(Listener(daemon)) as gone:
        gone.send("subscribe", 1)
        gone.next()
    (vault / "New.md").write_text("unheardof\n")

    assert daemon.paths("unheardof") == ["New.md"]
    assert "rror" not in daemon.log.read_text()


def test_a_streamed_answer_comes_twice(listener: Listener) -> None:
    """The words' answer comes first with the request's id, then the whole one; today they are the same."""
    listener.send("search", "mine", query="ships", stream=True)
    partial, whole = listener.next(), listener.next()

    assert partial["method"] == "search.partial"
    assert partial["params"].pop("id") == whole["id"] == "mine"
    assert [hit["path"] for hit in whole["result"]["results"]] == ["Harbour.md", "Quay.md"]
    assert partial["params"] == whole["result"]


def test_a_notification_is_not_streamed(listener: Listener) -> None:
    """A search nobody waits for sends nothing at all."""
    line = {"jsonrpc": "2.0", "method": "search", "params": {"query": "ships", "stream": True}}
    listener._socket.sendall(json.dumps(line).encode() + b"\n")
    listener.send("ping", 2)

    assert listener.next()["id"] == 2


def test_a_touched_note_is_stale_until_it_is_looked_at(vault: Path, daemon: Running) -> None:
    """New permissions make another stamp of the same bytes; once looked at, the hit counts as current."""
    (vault / "Harbour.md").chmod(0o600)
    stale: dict[str, bool] = {}
    for _ in range(100):  # the system may tell of the change after it was looked at
        hits = daemon.ask("search", query="ships", wait=True)["results"]
        stale = {hit["path"]: hit["stale"] for hit in hits}
        if not any(stale.values()):
            break

    assert stale == {"Harbour.md": False, "Quay.md": False}


def test_nothing_found_says_whether_that_is_all(daemon: Running, vault: Path) -> None:
    """The answer and the command line both say it when the index may lack something."""
    answer = daemon.ask("search", query="unheardof")
    assert (answer["index"]["complete"], answer["index"]["gaps"]) == (True, [])
    assert "the index is complete" in daemon.run("query", "unheardof").stderr

    (vault.parent / "away").mkdir()
    vault.rename(vault.parent / "away" / "notes")
    daemon.ask("search", query="unheardof", wait=True)
    answer = daemon.ask("search", query="unheardof")

    assert answer["index"]["complete"] is False
    assert answer["index"]["gaps"]
    assert "so there may be more" in daemon.run("query", "unheardof").stderr
    with pytest.raises(UnknownNote, match="so it may be there all the same") as refused:
        daemon.ask("links", note="Unheardof")
    index: Any = refused.value.data["index"]
    assert index["complete"] is False


REASONS = [
    pytest.param("Harbour", "found", {"path": "Harbour.md", "rank": 1, "on_page": True}, id="found"),
    pytest.param("Quay.md", "filtered", {"path": "Quay.md"}, id="filtered"),
    pytest.param("Harbor", "unknown", {"path": None, "nearest": ["Harbour"]}, id="unknown"),
    pytest.param("Gone.md", "absent", {"path": "Gone.md"}, id="absent"),
    pytest.param("../outside.md", "unknown", {"path": None}, id="outside"),
    pytest.param("/etc/passwd", "unknown", {"path": None}, id="absolute"),
    pytest.param("pic.png", "filtered", {"path": "pic.png"}, id="attachment"),
    pytest.param(".trash/Old.md", "ignored", {"path": ".trash/Old.md"}, id="ignored-dot"),
    pytest.param("node_modules/x.md", "ignored", {"path": "node_modules/x.md"}, id="ignored-default"),
    pytest.param("Secret", "index_false", {"path": "Secret.md"}, id="index-false"),
    pytest.param("pipe", "not_regular", {"path": "pipe.md"}, id="fifo"),
    pytest.param("link.md", "not_regular", {"path": "link.md"}, id="link"),
    pytest.param("door/outside.md", "not_regular", {"path": "door/outside.md"}, id="through-a-link"),
    pytest.param("", "unknown", {"path": None}, id="empty"),
    pytest.param("a\0b.md", "unknown", {"path": None}, id="nul"),
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon over a folder with everything that can be in the way."""
    folder = tmp_path_factory.mktemp("odd") / "notes"
    for path in ("Harbour.md", ".trash/Old.md", "node_modules/x.md", "pic.png", "../outside.md"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("---\ntags: [sea]\n---\nships\n")
    (folder / "Quay.md").write_text("ships\n")
    (folder / "Secret.md").write_text("---\nindex: false\n---\nships\n")
    os.mkfifo(folder / "pipe.md")
    (folder / "link.md").symlink_to("Quay.md")
    (folder / "door").symlink_to("..")
    with running(folder) as started:
        started.paths("settle")
        yield started


@pytest.mark.parametrize(("note", "reason", "facts"), REASONS)
def test_why_has_a_reason_for_every_name(odd: Running, note: str, reason: str, facts: dict[str, Any]) -> None:
    """Whatever is named, the answer says why it is where it is; never an error."""
    answer = odd.ask("search", query="ships tag:sea", why=note)["why"]

    assert answer["reason"] == reason, answer
    assert {key: answer[key] for key in facts} == facts
    assert answer["note"] == note
    assert answer["sentence"]


def test_why_names_the_rule(odd: Running) -> None:
    """An ignored note is told the pattern and what it fits."""
    answer = odd.ask("search", query="ships", why="node_modules/x.md")["why"]

    assert answer["rule"] == {"kind": "default", "pattern": "node_modules/", "fits": "node_modules"}


def test_why_of_two_notes_of_one_name(daemon: Running, vault: Path) -> None:
    """Both are accounted for; the one that was found comes first."""
    for folder, text in (("a", "twice tags\n"), ("b", "other\n")):
        (vault / folder).mkdir()
        (vault / folder / "Same.md").write_text(text)
    daemon.paths("settle")
    answer = daemon.ask("search", query="twice", why="Same")["why"]

    assert (answer["path"], answer["reason"]) == ("a/Same.md", "found")
    assert [(one["path"], one["reason"]) for one in answer["others"]] == [("b/Same.md", "no_match")]


def test_why_and_explain_read_well(odd: Running) -> None:
    """The command line prints both for people, below the results."""
    told = odd.run("query", "ships", "--explain", "--why", "Secret")

    assert told.returncode == 0
    assert (
        "Why Secret\n  Secret.md: its front matter says index: false, so it is left out (index_false)"
        in told.stdout
    )
    assert "How it was looked for\n  words: ships*\n" in told.stdout.replace(
        "words: ships\n", "words: ships*\n"
    )
    assert "from lexical (rank 1, weight 1, evidence" in told.stdout
