"""A space whose path is a link, with a real daemon: what the path leads to is what answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import Running, running

pytestmark = pytest.mark.process


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two folders of notes and a link to the first."""
    for name, text in (("A", "alphaword"), ("B", "betaword")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(text)
    (tmp_path / "link").symlink_to("A")
    return tmp_path


@pytest.fixture
def daemon(home: Path) -> Iterator[Running]:
    """Serve the link, and beside it another space."""
    (home / "other" / "inner").mkdir(parents=True)
    (home / "other" / "inner" / "o.md").write_text("otherword")
    config = home / "config.toml"
    config.write_text(f'[spaces.other]\npath = "{home / "other"}"\n')
    with running(home / "link", NOTESD_CONFIG=str(config)) as one:
        yield one


def point(link: Path, target: str) -> None:
    """Point a link elsewhere, in one step."""
    (link.parent / "new").symlink_to(target)
    (link.parent / "new").rename(link)


def space(daemon: Running) -> Any:
    """What status says of the space behind the link."""
    return next(one for one in daemon.ask("status")["spaces"] if one["name"] == "link")


def test_a_link_that_is_pointed_elsewhere_is_noticed(home: Path, daemon: Running) -> None:
    """Nobody asks for it; the new folder is followed and watched, the old one does not answer any more."""
    assert daemon.paths("alphaword") == ["A.md"]
    point(home / "link", "B")
    daemon.until(lambda: daemon.ask("search", query="betaword")["results"])
    assert daemon.paths("betaword") == ["B.md"]
    (home / "B" / "Later.md").write_text("gammaword")
    daemon.until(lambda: daemon.ask("search", query="gammaword")["results"])

    assert daemon.paths("alphaword") == []
    assert space(daemon)["path"] == str(home / "B")
    asked = daemon.run("query", "--vault", str(home / "link"), "--format", "paths", "betaword")
    assert (asked.returncode, asked.stdout) == (0, f"{home}/B/B.md\n")
    daemon.restart()
    assert daemon.paths("betaword") == ["B.md"]
    assert len(list((daemon.state / "spaces").iterdir())) == 2


@pytest.mark.parametrize("target", ["nowhere", "other/inner", "other", "state", "run"])
def test_a_link_that_leads_to_no_folder_of_its_own_keeps_its_notes(
    home: Path, daemon: Running, target: str
) -> None:
    """A missing folder, another space's or our own: said, kept, never read; back again, it is current."""
    assert daemon.paths("alphaword") == ["A.md"]
    own = {"state": str(daemon.state), "run": str(daemon.home)}
    point(home / "link", own.get(target, target))
    [problem] = daemon.until(lambda: space(daemon)["problems"])
    answer = daemon.ask("search", query="alphaword", wait=True)

    assert problem["kind"] == "root_unavailable"
    assert space(daemon)["state"] == "degraded"
    assert [(hit["path"], hit["stale"]) for hit in answer["results"]] == [("A.md", True)]
    assert (answer["index"]["fresh"], answer["index"]["complete"]) == (False, False)
    found = daemon.ask("search", query="otherword", wait=True)["results"]
    assert [hit["space"] for hit in found] == ["other"]
    why = daemon.ask("search", query="x", why="o.md", space="link")["why"]
    assert why["reason"] == "unavailable"

    (home / "A" / "Back.md").write_text("deltaword")
    point(home / "link", "A")
    daemon.until(lambda: daemon.ask("search", query="deltaword")["results"])
    daemon.until(lambda: not space(daemon)["problems"])


def test_a_folder_that_was_served_before_may_be_missing(home: Path, tmp_path: Path) -> None:
    """A disk that is not plugged in is no reason not to start; one that never was there is."""
    with running(home / "A") as daemon:
        assert daemon.paths("alphaword") == ["A.md"]
        daemon.stop()
        (home / "A").rename(home / "away")
        daemon.restart()
        answer = daemon.until(lambda: daemon.ask("search", query="alphaword"))

        assert [(hit["path"], hit["stale"]) for hit in answer["results"]] == [("A.md", True)]
        assert answer["index"]["complete"] is False
        assert daemon.ask("status")["spaces"][0]["problems"][0]["kind"] == "root_unavailable"
        asked = daemon.run("query", "--vault", str(home / "A"), "--format", "paths", "alphaword")
        assert (asked.returncode, asked.stdout) == (0, f"{home}/A/A.md\n")
        (home / "away").rename(home / "A")
        (home / "A" / "New.md").write_text("epsilonword")
        daemon.until(lambda: daemon.ask("search", query="epsilonword")["results"])
        daemon.stop()
        other = daemon.run("serve", str(tmp_path / "never"))
        assert (other.returncode, "does not exist" in other.stderr) == (2, True)
