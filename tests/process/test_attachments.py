"""A real daemon finds files that are no notes by their names, and tells what is known of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running

from notesd.errors import AmbiguousNote, UnknownNote

pytestmark = pytest.mark.process


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Notes with pictures, papers and what is left out."""
    folder = tmp_path / "notes"
    for path, text in {
        "Knots.md": "![[bowline knot.png]] and [the plan](files/Sail%20plan.pdf)\n",
        "Rig.md": "See [[Sail plan.pdf]] and [[Knots]].\n",
        "Diary.md": "---\nprivate: true\n---\n![[my face.jpg]] ![[bowline knot.png]]\n",
        "files/bowline knot.png": "12345",
        "files/Sail plan.pdf": "123",
        "files/my face.jpg": "1",
        "a/chart.svg": "",
        "b/chart.svg": "",
        ".hidden/secret.png": "",
        "drafts/sketch.png": "",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def daemon(vault: Path) -> Iterator[Running]:
    """A daemon that follows it, without the drafts."""
    config = vault.parent / "config.toml"
    config.write_text(f'[spaces.notes]\npath = "{vault}"\nignore = ["drafts/"]\n')
    with running(vault, NOTESD_CONFIG=str(config)) as started:
        started.paths("settle")
        yield started


def test_a_file_is_followed(daemon: Running, vault: Path) -> None:
    """A file that comes, is renamed or goes is found, found elsewhere, or not found, and so are its links."""
    (vault / "Rig.md").write_text("![[new chart.png]]\n")
    assert daemon.paths("linked:Rig type:attachment") == []
    (vault / "new chart.png").write_text("")
    assert daemon.paths("linked:Rig type:attachment") == ["new chart.png"]
    (vault / "new chart.png").rename(vault / "files/old chart.png")
    assert daemon.paths("new chart png ext:png") == []
    assert daemon.paths("old chart type:image") == ["files/old chart.png"]
    (vault / "files/old chart.png").unlink()
    assert daemon.paths("type:image old") == []


def test_open_tells_what_is_known(daemon: Running, vault: Path) -> None:
    """Name, kind, size and time of a file, and the notes that link to it, by name, path and absolute path."""
    for name in (
        "bowline knot.png",
        "bowline knot",
        "files/bowline knot.png",
        f"{vault}/files/bowline knot.png",
    ):
        (entity,) = daemon.ask("open", notes=[name])["entities"]
        assert (entity["name"], entity["entityType"], entity["kind"]) == (
            "bowline knot.png", "attachment", "image"
        )  # fmt: skip
        assert (entity["path"], entity["size"], entity["stale"]) == ("files/bowline knot.png", 5, False)
        assert entity["modified"]
        assert [one["target"] for one in entity["relations"]] == ["Diary.md", "Knots.md"]
        assert {one["kind"] for one in entity["relations"]} == {"embed"}


def test_a_name_of_two_files_is_ambiguous(daemon: Running) -> None:
    """Two files of one name are told apart by their paths; a note of that name comes before any file."""
    with pytest.raises(AmbiguousNote):
        daemon.ask("links", note="chart.svg")
    assert daemon.ask("links", note="a/chart.svg")["incoming"] == []
    assert daemon.ask("open", notes=["Knots"])["entities"][0]["entityType"] == "note"


def test_links_go_back_from_a_file(daemon: Running) -> None:
    """The links of a file are those of notes to it, and in two steps those around these notes."""
    answer = daemon.ask("links", note="Sail plan.pdf")
    assert [one["source"] for one in answer["incoming"]] == ["Knots.md", "Rig.md"]
    assert answer["outgoing"] == answer["unresolved"] == []
    deeper = daemon.ask("links", note="Sail plan.pdf", depth=2)
    assert {one["target"] for one in deeper["outgoing"] if one["depth"] == 2} >= {
        "files/Sail plan.pdf", "Knots.md"
    }  # fmt: skip
    with pytest.raises(UnknownNote, match="no note"):
        daemon.ask("related", note="Sail plan.pdf")


def test_what_is_left_out_is_not_found(daemon: Running) -> None:
    """Files below hidden and ignored folders are not there."""
    assert daemon.paths("secret ext:png") == daemon.paths("sketch ext:png") == []
    assert daemon.ask("status")["spaces"][0]["attachments"] == 5


def test_what_only_private_notes_show_is_private(daemon: Running, vault: Path) -> None:
    """Agents do not see a file that only private notes link to; when another note links to it they do."""
    agent = {"audience": "agent"}
    assert daemon.paths("my face jpg", **agent) == []
    assert not daemon.ask("open", notes=["my face.jpg"], audience="agent")["entities"]
    (entity,) = daemon.ask("open", notes=["bowline knot.png"], audience="agent")["entities"]
    assert [one["target"] for one in entity["relations"]] == ["Knots.md"]
    (vault / "Crew.md").write_text("[[my face.jpg]]\n")
    assert "files/my face.jpg" in daemon.paths("my face jpg", **agent)
    (vault / "Crew.md").unlink()
    assert daemon.paths("my face jpg", **agent) == []


WHY = [
    pytest.param("knot", "bowline knot.png", "found", id="found"),
    pytest.param("halyard", "bowline knot.png", "no_match", id="its name does not hold it"),
    pytest.param("knot tag:x", "bowline knot.png", "filtered", id="a filter"),
    pytest.param("knot", "sketch.png", "unknown", id="of no known name"),
    pytest.param("knot", "drafts/sketch.png", "ignored", id="left out"),
]


@pytest.mark.parametrize(("query", "name", "reason"), WHY)
def test_why_tells_of_files(daemon: Running, query: str, name: str, reason: str) -> None:
    """Of a file is told as of a note why it is where it is, or is not there."""
    assert daemon.ask("search", query=query, why=name)["why"]["reason"] == reason


def test_the_command_line_shows_files(daemon: Running) -> None:
    """``query`` lists a file with the notes that link to it, ``show`` its size."""
    listed = daemon.run("query", "type:pdf").stdout
    assert "files/Sail plan.pdf" in listed
    assert "linked by Knots.md, Rig.md" in listed
    assert "3 bytes" in daemon.run("show", "Sail plan.pdf").stdout
    assert json.loads(daemon.run("query", "type:pdf", "--json").stdout)["results"][0]["size"] == 3
