"""Notes around a note in the running product: over the sample vault, by the verb, and with vectors."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_model
from running import Running, running

pytestmark = pytest.mark.process
SAMPLE = Path(__file__).parents[2] / "sample-vault"


@pytest.fixture(scope="module")
def sample() -> Iterator[Running]:
    """A daemon over the sample vault."""
    with running(SAMPLE) as started:
        started.paths("settle")
        yield started


def test_notes_around_a_note(sample: Running) -> None:
    """A relation first, every result with its reasons, and what had no say."""
    answer = sample.heard("related", note="Sourdough starter")

    assert answer["note"] == {
        "name": "Sourdough starter", "path": "Kitchen/Sourdough starter.md", "space": "sample-vault",
    }  # fmt: skip
    assert answer["channels"] == {"meaning": "off", "links": "ok", "tags": "ok", "use": "ok"}
    assert answer["degraded"] == []
    assert answer["index"]["complete"]
    paths = [hit["path"] for hit in answer["results"]]
    assert paths[0] == "Kitchen/Country loaf.md"
    assert "Kitchen/Sourdough starter.md" not in paths
    assert all(hit["reasons"] and hit["sentence"] and not hit["stale"] for hit in answer["results"])
    ways = {(r["direction"], r["relation"]) for r in answer["results"][0]["reasons"] if r["by"] == "links"}
    assert {("out", "feeds"), ("in", "needs")} <= ways


@pytest.mark.parametrize("name", ["Levain", "борщ", "味噌汁", "Tío Xurxo", "Journal/Health.md"])
def test_any_name_will_do(sample: Running, name: str) -> None:
    """Aliases, other scripts, paths; a private note has its neighbours like any other."""
    assert sample.ask("related", note=name, limit=3)["results"]


def test_two_runs_give_one_answer(sample: Running) -> None:
    """The same notes in the same order with the same scores."""
    first, second = (sample.ask("related", note="Home", limit=50)["results"] for _ in range(2))

    assert first == second
    assert len(first) > 5


def test_the_verb_tells_why(sample: Running) -> None:
    """Title, path and reasons for people; the whole answer for programs."""
    told = sample.run("related", "Sourdough starter", "-n", "1")
    whole = sample.run("related", "Sourdough starter", "-n", "1", "--json")

    assert told.returncode == 0, told.stderr
    title, path, why = told.stdout.splitlines()
    assert (title, path) == ("Country loaf", "  Kitchen/Country loaf.md")
    assert "links to it as feeds" in why
    assert len(json.loads(whole.stdout)["results"]) == 1


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Notes without a link or tag between them."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, text in enumerate(
        ("ships rest in the harbour", "bread needs salt", "the harbour is full of ships", "salt in the bread")
    ):
        (folder / f"n{number}.md").write_text(f"# Note {number}\n\n{text}\n")
    (folder / "secret.md").write_text("---\nprivate: true\n---\nships again\n")
    return folder


def test_alone_is_an_answer(vault: Path) -> None:
    """No tie at all: nothing on standard output, a sentence on the other, and success."""
    with running(vault) as daemon:
        daemon.paths("settle")
        told = daemon.run("related", "n1")

        assert (told.returncode, told.stdout) == (0, "")
        assert "nothing found; the index is complete" in told.stderr
        assert "off: meaning" in told.stderr


def test_stored_vectors_say_what_is_near(vault: Path, tmp_path: Path) -> None:
    """By meaning once the vectors are ready; a private note has none, and that is said."""
    tiny_model.make_model(str(tmp_path / "cache" / "notesd" / "models" / "tiny"))
    (tmp_path / "config.toml").write_text(tiny_model.CONFIG)
    more = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "NOTESD_CONFIG": str(tmp_path / "config.toml")}
    with running(vault, **more) as daemon:
        daemon.paths("settle")
        daemon.until(lambda: daemon.ask("status")["spaces"][0]["vectors"]["state"] == "ready")
        answer = daemon.ask("related", note="n0")
        private = daemon.ask("related", note="secret")

        assert answer["channels"]["meaning"] == "ok"
        assert answer["results"]
        assert {reason["by"] for hit in answer["results"] for reason in hit["reasons"]} == {"meaning"}
        assert all(hit["line"] >= 1 and hit["snippet"] for hit in answer["results"])
        assert "secret.md" not in [hit["path"] for hit in answer["results"]]
        assert private["results"] == []
        assert private["channels"]["meaning"] == "unavailable"
        assert "secret.md has no vectors" in private["degraded"][0]["reason"]


def test_a_model_that_is_missing_leaves_the_rest(vault: Path) -> None:
    """Links and tags answer, and the answer says why meaning does not."""
    (vault / "n4.md").write_text("[[n0]]\n")
    with running(vault, VECTOR_SEARCH="1") as daemon:
        daemon.paths("settle")
        daemon.until(lambda: daemon.ask("status")["spaces"][0]["vectors"]["state"] == "unavailable")
        answer = daemon.ask("related", note="n4")

        assert [hit["path"] for hit in answer["results"]] == ["n0.md"]
        assert answer["channels"]["meaning"] == "unavailable"
        assert answer["degraded"][0]["channel"] == "meaning"
