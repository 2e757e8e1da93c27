"""Use in the running product: what is learnt, what it moves, what it survives, and how it is forgotten."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import Running, running

from notesd.errors import InvalidParams, UserError

pytestmark = pytest.mark.process

KINDS = "brick", "clay", "glass", "iron", "wood"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Five notes that answer one question alike, so that their paths order them, and some others."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for kind in KINDS:
        (folder / f"{kind}.md").write_text(f"A kiln for {kind}.\n")
    for number in range(20):
        (folder / f"other {number}.md").write_text("Nothing of the kind.\n")
    return folder


@pytest.fixture
def daemon(vault: Path) -> Iterator[Running]:
    with running(vault) as daemon:
        daemon.ask("rescan", wait=True)
        yield daemon


def ask(daemon: Running, mode: str = "on", **params: Any) -> list[dict[str, Any]]:
    """Hits of the one question, without leaving a trace unless it is asked for."""
    asked = {"query": "kiln", "limbic": mode, "record": False, "wait": True} | params
    answer = daemon.heard("search", **asked)
    assert answer["degraded"] == []
    hits: list[dict[str, Any]] = answer["results"]
    return hits


def paths(hits: list[dict[str, Any]]) -> list[str]:
    return [hit["path"] for hit in hits]


PLAIN = [f"{kind}.md" for kind in KINDS]


def test_an_opened_note_moves_up(daemon: Running) -> None:
    """Only where its order is shown, and every mode says what it thinks; without asking nothing is said."""
    assert paths(ask(daemon)) == PLAIN
    assert daemon.ask("open", notes=["wood"])["missing"] == []
    moved = ask(daemon)
    assert paths(moved)[0] == "wood.md"
    assert moved[0]["scoring"]["importance"] > 0
    assert moved[0]["scoring"]["temporal_factor"] == pytest.approx(1, abs=1e-3)
    assert moved[0]["routing_strategy"] == "hybrid_balanced"
    assert moved[0]["rrf_score"] < moved[0]["score"] <= moved[0]["rrf_score"] * 1.1
    shadow = ask(daemon, "shadow")
    assert paths(shadow) == PLAIN
    assert shadow[4]["limbic_score"] == pytest.approx(moved[0]["limbic_score"], rel=1e-3)
    off = ask(daemon, "off")
    assert paths(off) == PLAIN
    assert not {"limbic_score", "scoring", "routing_strategy"} & off[0].keys()


def test_what_explain_says_adds_up(daemon: Running) -> None:
    """The score is the sum of its account, with the place before and after."""
    daemon.ask("open", notes=["wood"])
    first = ask(daemon, explain=True)[0]
    lists = first["explain"]["lists"]
    assert [one["list"] for one in lists] == ["lexical", "use"]
    assert sum(one["share"] for one in lists) == pytest.approx(first["score"])
    assert (first["explain"]["use"]["rank_before"], first["explain"]["use"]["rank_after"]) == (5, 1)
    assert daemon.ask("search", query="kiln", limbic="on", record=False)["routing_strategy"]
    why = daemon.ask("search", query="kiln", limbic="on", record=False, why="wood")["why"]
    assert why["rank"] == 1


def test_lists_by_date(daemon: Running) -> None:
    """A feed is no answer to a question and leaves no record; a search by filters alone is one."""
    assert set(paths(daemon.ask("feed", q="kiln")["results"])) == set(PLAIN)
    assert daemon.heard("status")["usage"]["notes"] == 0
    assert set(paths(daemon.ask("search", query="path:iron", limbic="on")["results"])) == {"iron.md"}
    usage = daemon.heard("status")["usage"]
    assert (usage["notes"], usage["searches"]) == (1, 0)


def test_pages_fit_together(daemon: Running) -> None:
    """Whatever page is asked for, use has looked at the same candidates."""
    daemon.ask("open", notes=["wood", "iron"])
    whole = paths(ask(daemon))
    pages = [path for offset in range(0, 6, 2) for path in paths(ask(daemon, limit=2, offset=offset))]
    assert pages == whole


def test_showing_is_no_opening(daemon: Running) -> None:
    """A thousand answers without an opening move nothing: no popularity loop."""
    for _ in range(1000):
        daemon.ask("search", query="kiln", limit=2, limbic="on")
    assert paths(ask(daemon)) == PLAIN
    usage = daemon.heard("status")["usage"]
    assert (usage["notes"], usage["opened"], usage["pairs"], usage["searches"]) == (5, 0, 1, 1000)


def test_nothing_is_recorded_where_it_is_not_wished(vault: Path, tmp_path: Path) -> None:
    """By the request, or for good."""
    with running(vault) as daemon:
        daemon.ask("search", query="kiln", record=False, wait=True)
        daemon.ask("open", notes=["wood"], record=False)
        assert daemon.run("query", "kiln", "--no-record").returncode == 0
        assert daemon.run("show", "wood", "--no-record").returncode == 0
        assert daemon.heard("status")["usage"]["notes"] == 0
    config = tmp_path / "config.toml"
    config.write_text(f'[spaces.notes]\npath = "{vault}"\n[search]\nrecord = false\nlimbic = "on"\n')
    with running(vault, NOTESD_CONFIG=str(config)) as daemon:
        daemon.ask("search", query="kiln", wait=True)
        daemon.ask("open", notes=["wood"])
        usage = daemon.heard("status")["usage"]
        assert (usage["notes"], usage["recording"], usage["limbic"]) == (0, False, "on")


def test_use_survives_renames_rebuilds_kills_and_a_deleted_index(daemon: Running, vault: Path) -> None:
    """It hangs on the note, not on its path or its row."""
    daemon.ask("open", notes=["wood"])
    assert paths(ask(daemon))[0] == "wood.md"
    (vault / "wood.md").rename(vault / "timber.md")
    assert paths(ask(daemon))[0] == "timber.md"
    daemon.ask("rescan", wait=True)
    assert paths(ask(daemon))[0] == "timber.md"
    daemon.restart(signal.SIGKILL)
    assert paths(ask(daemon))[0] == "timber.md"
    daemon.process.terminate()
    daemon.process.wait()
    shutil.rmtree(daemon.state / "spaces")
    daemon.restart()
    assert paths(ask(daemon))[0] == "timber.md"
    # Deleted and renamed while nobody looked: known again by its bytes.
    daemon.process.terminate()
    daemon.process.wait()
    shutil.rmtree(daemon.state / "spaces")
    (vault / "timber.md").rename(vault / "planks.md")
    daemon.restart()
    assert paths(ask(daemon))[0] == "planks.md"


def test_a_daemon_that_ends_at_once_after_a_killed_one_forgets_no_note(daemon: Running, vault: Path) -> None:
    """The first had no time to write down what the note looks like, the second hardly any."""
    daemon.ask("open", notes=["wood"])
    (vault / "wood.md").rename(vault / "timber.md")
    assert paths(ask(daemon))[0] == "timber.md"
    daemon.restart(signal.SIGKILL)
    daemon.ask("status")
    daemon.stop()
    shutil.rmtree(daemon.state / "spaces")
    daemon.restart()
    assert paths(ask(daemon))[0] == "timber.md"


def test_a_damaged_record_is_said_and_answers_go_on(daemon: Running) -> None:
    """Moved aside, never deleted; ``status`` names it and the word for it."""
    daemon.ask("open", notes=["wood"])
    daemon.ask("status")
    daemon.process.terminate()
    daemon.process.wait()
    file = daemon.state / "usage.db"
    file.write_bytes(os.urandom(8192) + file.read_bytes()[8192:])
    daemon.restart()
    assert set(paths(ask(daemon))) == set(PLAIN)
    status = daemon.ask("status")
    assert status["usage"]["problem"] == "usage_reset"
    assert list(daemon.state.glob("usage.db.corrupt-*"))
    assert "damaged" in daemon.run("status").stdout


def test_a_record_of_a_later_version(daemon: Running) -> None:
    """Answered without it, said in the answer that wanted it, not a byte changed."""
    import apsw

    daemon.ask("open", notes=["wood"])
    daemon.ask("status")
    daemon.process.terminate()
    daemon.process.wait()
    file = daemon.state / "usage.db"
    db = apsw.Connection(str(file))
    db.execute("PRAGMA user_version = 9999").fetchall()
    db.close()
    before = file.read_bytes()
    daemon.restart()
    answer = daemon.ask("search", query="kiln", limbic="on", wait=True)
    assert paths(answer["results"]) == PLAIN
    assert [one["channel"] for one in answer["degraded"]] == ["limbic"]
    assert daemon.ask("search", query="kiln")["degraded"] == []
    assert daemon.heard("status")["usage"]["problem"] == "usage_newer"
    forgot = daemon.run("forget", "--all")
    assert forgot.returncode == 1
    assert "nothing was erased" in forgot.stderr
    daemon.stop()
    assert file.read_bytes() == before


def test_forgetting(daemon: Running, vault: Path) -> None:
    """A note by its name, also one that is gone; everything only when it is said."""
    daemon.ask("open", notes=["wood", "iron"])
    assert daemon.run("forget").returncode == 2
    told = daemon.run("forget", "--note", "wood")
    assert "proved" in told.stdout
    assert daemon.heard("status")["usage"]["opened"] == 1
    unknown = daemon.run("forget", "--note", "nobody")
    assert (unknown.returncode, "nobody" in unknown.stderr) == (1, True)
    (vault / "iron.md").unlink()
    daemon.ask("search", query="kiln", wait=True, record=False)
    assert daemon.run("forget", "--note", "iron.md").returncode == 0
    assert daemon.heard("status")["usage"]["opened"] == 0
    daemon.ask("open", notes=["glass"])
    nothings: list[dict[str, Any]] = [{}, {"note": ""}, {"before": None}, {"space": ""}]
    for nothing in nothings:
        with pytest.raises(InvalidParams):
            daemon.ask("forget", **nothing)
    answer = json.loads(daemon.run("forget", "--all", "--json").stdout)
    assert answer == {
        "erased": {"notes": 1, "pairs": 0, "searches": 0, "copies": 0},
        "left": 0,
        "proved": True,
    }
    assert "date" in daemon.run("forget", "--before", "yesterday").stderr


def test_forgetting_in_several_spaces(tmp_path: Path) -> None:
    """One name in two spaces is not erased in both; a space that is served no more can be forgotten."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Same.md").write_text("kiln\n")
    config = tmp_path / "config.toml"
    both = "".join(f'[spaces.{name}]\npath = "{tmp_path / name}"\n' for name in ("one", "two"))
    config.write_text(both)
    with running(tmp_path / "one", NOTESD_CONFIG=str(config)) as daemon:
        daemon.ask("rescan", wait=True)
        for name in ("one", "two"):
            daemon.ask("open", notes=["Same"], space=name)
        assert daemon.run("forget", "--note", "Same.md").returncode == 1
        assert daemon.heard("status")["usage"]["opened"] == 2
        config.write_text(both.split("[spaces.two]", maxsplit=1)[0])
        daemon.restart()
        assert daemon.ask("forget", space="two")["erased"]["notes"] == 1
        assert daemon.heard("status")["usage"]["opened"] == 1
        assert daemon.run("forget", "--space", "three").returncode == 2
        for nothing in ([], ["one", " "], ["one", "three"]):
            with pytest.raises(UserError):
                daemon.ask("forget", space=nothing)
        assert daemon.heard("status")["usage"]["opened"] == 1
        assert daemon.run("forget", "--space", "one", "--space", "one").returncode == 0
        assert daemon.heard("status")["usage"]["opened"] == 0


def test_what_is_shown_does_not_lift_what_was_opened_once(daemon: Running) -> None:
    """Openings move a note; a thousand showings after them do not."""
    for _ in range(20):
        daemon.ask("open", notes=["brick"])
    daemon.ask("open", notes=["wood"])
    before = [(hit["path"], hit["score"]) for hit in ask(daemon)]
    for _ in range(1000):
        daemon.ask("search", query="kiln", limbic="on")
    after = [(hit["path"], hit["score"]) for hit in ask(daemon)]
    assert after == [(path, pytest.approx(score, rel=1e-4)) for path, score in before]


def test_tuning(daemon: Running) -> None:
    """Too few searches change nothing and are counted; enough of them do, a tenth of the way, and back."""
    for _ in range(3):
        daemon.ask("search", query="kiln", limbic="on")
        daemon.ask("open", notes=["brick"])
    few = daemon.ask("tune", action="tune")["spaces"][0]
    assert (few["applied"], few["treated"], few["needed"]) == (False, 3, 50)
    assert few["old"] == few["new"]
    for _ in range(50):
        daemon.ask("search", query="kiln", limbic="on")
        daemon.ask("search", query="kiln", limbic="shadow")
        daemon.ask("open", notes=["glass"])
    told = daemon.ask("tune")["spaces"][0]
    assert (told["searches"], told["treated"]) == (103, 53)
    assert told["analysis"]["plain_order_shown"]["searches"] == 50
    steps = daemon.ask("tune", action="set", gamma=0.11, beta_sal=1.5)["spaces"][0]
    assert steps["new"] == {"GAMMA": pytest.approx(0.02), "BETA_SAL": pytest.approx(0.6)}
    tuned = daemon.ask("tune", action="tune", gamma_range=[0.01], beta_sal_range=[0.5])["spaces"][0]
    assert tuned["test"]["searches"] > 0
    back = daemon.ask("tune", action="revert")["spaces"][0]
    while back["applied"]:
        back = daemon.ask("tune", action="revert")["spaces"][0]
    assert back["new"] == {"GAMMA": 0.01, "BETA_SAL": 0.5}
    report = daemon.run("tune", "--analyze").stdout
    assert "nDCG@10" in report
    assert "█" in report
    assert daemon.run("tune", "--set-gamma", "-1").returncode == 2
    assert daemon.run("tune", "--tune", "--set-gamma", "1").returncode == 2
    assert daemon.run("tune", "--gamma-range", "1,2").returncode == 2


def test_the_two_halves_of_an_experiment(daemon: Running) -> None:
    """The same question falls into the same half all day; over many questions, about half."""
    arms = {}
    for number in range(40):
        query = f"kiln {number}"
        hits = daemon.ask("search", query=query, limbic="ab", explain=True, record=False)
        again = daemon.ask("search", query=query, limbic="ab", explain=True, record=False)
        arms[query] = hits["explain"]["spaces"]["notes"]["use"]["treatment"]
        assert again["explain"]["spaces"]["notes"]["use"]["treatment"] == arms[query]
    assert 8 <= sum(arms.values()) <= 32
