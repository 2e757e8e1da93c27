"""A real daemon: read your writes, follow a live folder, survive kills, say what is wrong."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running

from notesd.errors import AmbiguousNote, UnknownNote, UnknownSpace

pytestmark = pytest.mark.process
SAMPLE = Path(__file__).parents[2] / "sample-vault"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A small folder of notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Harbour.md").write_text("# Harbour\n\nShips rest here. See [[Quay]] and [[Nowhere]].\n")
    (folder / "Quay.md").write_text(
        "---\naliases: [Pier]\ntags: [sea/coast]\n---\nC++ on the quay, see [[Harbour]].\n"
    )
    return folder


@pytest.fixture
def daemon(vault: Path) -> Iterator[Running]:
    """A daemon that follows it."""
    with running(vault) as started:
        started.paths("settle")
        yield started


@pytest.fixture(scope="module")
def sample() -> Iterator[Running]:
    """A daemon over the sample vault."""
    with running(SAMPLE) as started:
        started.paths("settle")
        yield started


def test_reads_its_writes(daemon: Running, vault: Path) -> None:
    """What was saved before a question with wait is in the answer."""
    for number in range(5):
        (vault / "Log.md").write_text(f"# Log\n\nentry{number}word\n")

        assert daemon.paths(f"entry{number}word") == ["Log.md"]

    (vault / "Log.md").unlink()
    assert daemon.paths("entry4word") == []


def test_follows_without_being_asked_to(daemon: Running, vault: Path) -> None:
    """A save is found by plain questions a moment later; the watcher saw it."""
    assert daemon.paths("ships") == ["Harbour.md"]
    (vault / "New.md").write_text("unheardof\n")

    hits = daemon.until(lambda: daemon.ask("search", query="unheardof")["results"])
    assert [hit["path"] for hit in hits] == ["New.md"]


def test_link_finds_its_note_when_it_appears(daemon: Running, vault: Path) -> None:
    """A wanted note answers the links that waited for it."""
    assert daemon.ask("links", note="Harbour")["unresolved"][0]["raw"] == "Nowhere"
    (vault / "Nowhere.md").write_text("here now\n")
    daemon.paths("here now")

    assert [row["target"] for row in daemon.ask("links", note="Harbour")["outgoing"]] == [
        "Quay.md",
        "Nowhere.md",
    ]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_is_whole_after_any_end(daemon: Running, vault: Path, number: int) -> None:
    """However it ended, the next start knows what happened meanwhile."""
    daemon.paths("ships")
    before = daemon.ask("export")
    daemon.process.send_signal(number)
    status = daemon.process.wait(20)
    (vault / "While away.md").write_text("overslept\n")
    daemon.process = daemon._start()

    assert status == (-signal.SIGKILL if number == signal.SIGKILL else 0)
    assert daemon.paths("overslept") == ["While away.md"]
    (vault / "While away.md").unlink()
    daemon.paths("ships")
    assert daemon.ask("export") == before


def test_second_daemon_is_refused(daemon: Running, vault: Path) -> None:
    """One state folder, one daemon; the other one says which."""
    pid = daemon.ask("ping")["pid"]
    second = daemon.run("serve", str(vault))

    assert second.returncode == 1
    assert str(pid) in second.stderr
    assert daemon.ask("ping")["pid"] == pid


def test_terminal_closed_is_no_end(daemon: Running) -> None:
    """SIGHUP is ignored."""
    daemon.ask("ping")
    daemon.process.send_signal(signal.SIGHUP)

    assert daemon.ask("ping")["pong"] is True


def test_notes_are_never_written_to(daemon: Running, vault: Path) -> None:
    """Names, bytes and times of the folder stay as they were."""

    def seen() -> dict[str, tuple[int, bytes]]:
        return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in vault.iterdir()}

    before = seen()
    for method, params in (
        ("search", {"query": "ships"}),
        ("rescan", {"wait": True}),
        ("export", {}),
        ("check", {}),
    ):
        daemon.ask(method, **params)
    daemon.restart(signal.SIGKILL)
    daemon.paths("ships")

    assert seen() == before


def test_rescan_answers_with_what_it_built(daemon: Running) -> None:
    """A rescan that is waited for says how many notes it found."""
    answer = daemon.ask("rescan", wait=True)

    assert (answer["notes"], sorted(answer)) == (2, ["degraded", "generation", "notes", "seconds"])


def test_vanished_folder_keeps_its_notes(daemon: Running, vault: Path, tmp_path: Path) -> None:
    """A folder that is gone is a fault that is said, not a deletion; back again, it is current."""
    daemon.paths("ships")
    vault.rename(tmp_path / "away")
    answer = daemon.ask("search", query="ships", wait=True)

    assert [hit["path"] for hit in answer["results"]] == ["Harbour.md"]
    assert answer["results"][0]["stale"] is True
    assert answer["index"]["fresh"] is False
    assert daemon.ask("status")["spaces"][0]["problems"][0]["kind"] == "root_unavailable"

    (tmp_path / "away").rename(vault)
    (vault / "Back.md").write_text("returned\n")

    assert daemon.paths("returned") == ["Back.md"]
    assert daemon.ask("status")["spaces"][0]["problems"] == []


@pytest.mark.parametrize(
    ("method", "params", "error"),
    [
        ("search", {"query": "x", "space": "note"}, UnknownSpace),
        ("links", {"note": "Harbor"}, UnknownNote),
        ("links", {"note": "Same"}, AmbiguousNote),
        ("related", {"note": "Harbor"}, UnknownNote),
        ("related", {"note": "Same"}, AmbiguousNote),
        ("forget", {"note": "Harbor"}, UnknownNote),
    ],
    ids=["space", "note", "ambiguous", "related", "related-ambiguous", "forget"],
)
def test_what_cannot_be_answered_says_so(
    daemon: Running, vault: Path, method: str, params: dict[str, object], error: type[Exception]
) -> None:
    """Each refusal has its kind, and names what is near."""
    for folder in ("a", "b"):
        (vault / folder).mkdir()
        (vault / folder / "Same.md").write_text("twice\n")
    daemon.paths("twice")

    with pytest.raises(error):
        daemon.ask(method, **params)


def test_optional_channel_that_is_not_there_degrades(daemon: Running) -> None:
    """Asking for meaning without a model gives what words and links find, and says what is missing."""
    answer = daemon.ask("search", query="ships", vector_search=True, graph_boost=True)

    assert [hit["path"] for hit in answer["results"]] == ["Harbour.md", "Quay.md"]
    assert answer["channels"] == {"lexical": "ok", "semantic": "unavailable", "graph": "ok"}
    assert {one["channel"] for one in answer["degraded"]} == {"semantic"}


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["serve", "/nowhere/at/all"], 2, ["/nowhere/at/all", "does not exist"]),
        (["serve", __file__], 2, [__file__, "not a folder"]),
        (["serve", str(SAMPLE), "--config", "/nowhere.toml"], 2, ["/nowhere.toml"]),
        (["quary", "x"], 2, ["quary", "query"]),
        (["query", "x", "--limitt", "3"], 2, ["--limitt", "--limit"]),
        (["query", "x", "--limit", "many"], 2, ["many"]),
        (["stop"], 69, ["no daemon"]),
    ],
    ids=["missing", "file", "config", "verb", "option", "value", "nobody"],
)
def test_bad_input_is_one_line(tmp_path: Path, arguments: list[str], status: int, words: list[str]) -> None:
    """A wrong argument gives one line that says what, where and what to do, and the right status."""
    options = ["--state-dir", str(tmp_path / "state"), "--socket", str(tmp_path / "s.sock")]
    environment = os.environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "notesd", *arguments, *options],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )

    assert done.returncode == status, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[search]\nlimt = 3\n", ["search.limt", "limit"]),
        ('[search]\nlimit = "many"\n', ["search.limit", "many"]),
        ("[serch]\n", ["serch", "search"]),
        ('[spaces.x]\npath = "/nowhere/at/all"\n', ["/nowhere/at/all", "does not exist"]),
        ("nonsense\n", ["line 1"]),
    ],
    ids=["key", "value", "section", "folder", "toml"],
)
def test_bad_configuration_is_one_line(tmp_path: Path, toml: str, words: list[str]) -> None:
    """A wrong setting names the file, the key and what was expected; the daemon does not start."""
    file = tmp_path / "config.toml"
    file.write_text(toml)
    options = ["--config", str(file), "--state-dir", str(tmp_path / "s"), "--socket", str(tmp_path / "k")]
    done = subprocess.run(
        [sys.executable, "-m", "notesd", "serve", *options],
        capture_output=True, text=True, env=os.environ | {"HOME": str(tmp_path)}, timeout=300,
    )  # fmt: skip

    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def test_unreadable_note_costs_no_other(daemon: Running, vault: Path) -> None:
    """A FIFO with a note's name is said, and everything else goes on."""
    os.mkfifo(vault / "pipe.md")

    assert daemon.paths("ships") == ["Harbour.md"]
    problems = daemon.ask("status")["spaces"][0]["problems"]
    assert [(one["path"], one["kind"]) for one in problems] == [("pipe.md", "not_regular")]


def test_sample_vault_answers_people(sample: Running) -> None:
    """The command line finds a note by what it says, and prints where."""
    done = sample.run("query", "sourdough starter", "--format", "jsonl", "-n", "3")
    hits = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.returncode == 0
    assert len(hits) == 3
    assert "mark" in hits[0]["snippet"]
