"""Properties as filters, and listed, by a running daemon over two folders."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running

pytestmark = pytest.mark.process

WORK = {
    "One.md": "---\nstatus: Active\nrating: 4\n---\nlamp\n",
    "Two.md": "---\nstatus: done\n---\nlamp\n",
    "Three.md": "lamp [status:: active] [Rating:: 5]\n",
}
HOME = {"Four.md": "lamp status active\n", "Five.md": "---\nroom: Küche\n---\nlamp\n"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon over two folders with different properties."""
    top = tmp_path_factory.mktemp("properties")
    for name, texts in (("work", WORK), ("home", HOME)):
        (top / name).mkdir()
        for path, text in texts.items():
            (top / name / path).write_text(text)
    config = top / "config.toml"
    config.write_text("".join(f'[spaces.{name}]\npath = "{top / name}"\n' for name in ("work", "home")))
    with running(top / "work", NOTESD_CONFIG=str(config)) as started:
        started.ask("rescan", wait=True)
        yield started


def test_a_key_of_one_space_is_a_filter_in_all_that_are_asked(daemon: Running) -> None:
    """A note of another space that only has the words does not answer, unless that space is asked alone."""
    assert set(daemon.paths("status:active")) == {"One.md", "Three.md"}
    assert daemon.paths("room:kuche") == ["Five.md"]
    assert daemon.paths("status:active", space="home") == ["Four.md"]


def test_a_note_that_was_just_saved_brings_its_key(daemon: Running) -> None:
    """Who waits for what is on disk can ask for a property that no note had before."""
    note = Path(daemon.vault) / "New.md"
    note.write_text("---\nplanet: Mars\n---\nrocket\n")
    try:
        assert daemon.paths("planet:mars") == ["New.md"]
        assert daemon.ask("feed", q="planet:mars rocket")["results"][0]["path"] == "New.md"
    finally:
        note.unlink()
    assert daemon.paths("planet:mars") == []


def test_slips_are_told(daemon: Running) -> None:
    """A key, and a value, with a letter wrong is told with the nearest, on the terminal too."""
    (value,) = daemon.ask("search", query="lamp status:actve", record=False)["degraded"]
    (key,) = daemon.ask("search", query="lamp statsu:active", record=False)["degraded"]
    said = daemon.run("query", "lamp", "status:actve", "--no-record").stderr

    assert (value["filter"], value["nearest"]) == ("property", ["status:Active"])
    assert (key["value"], key["nearest"]) == ("statsu", ["status"])
    assert 'no note has "status:actve"; nearest: status:Active' in said


def test_properties_are_listed_with_their_values(daemon: Running) -> None:
    """All of them with the commonest values, one with all; as JSON and page by page the same."""
    every = daemon.ask("properties")
    one = json.loads(daemon.run("properties", "STATUS", "--json").stdout)
    told = daemon.run("properties", "statsu")

    assert [(row["space"], row["name"], row["notes"], row["values"]) for row in every["properties"]] == [
        ("work", "Rating", 2, 2), ("work", "status", 3, 2), ("home", "room", 1, 1),
    ]  # fmt: skip
    assert every["values"] == []
    assert [(row["value"], row["notes"]) for row in one["values"]] == [("Active", 2), ("done", 1)]
    assert "status: 3 notes, 2 values: Active (2), done (1)" in daemon.run("properties").stdout
    assert (told.returncode, told.stdout) == (0, "")
    assert 'no note has a property "statsu"; nearest: status' in told.stderr
