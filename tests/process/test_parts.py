"""A real daemon: a note is had in parts, by heading, by lines, and as the file has it, page by page."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from running import Running, running

from notesd.serve.parts import lines_of

pytestmark = pytest.mark.process

LONG = "".join(
    f"## Chapter {n}\n\nThe words of chapter {n}, \u00e9t\u00e9 \u5317\u4eac.\n\n" * 3
    + "x" * (n % 7) * 3000
    + "\n\n"
    for n in range(140)
)
PARTS = """---
tags: [a, b]
---
# Boat

Intro.

## Engine

Oil [[Long]].

### Filter

Clean it.

## Sails

White.

## C# > D

Odd.
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("parts") / "notes"
    folder.mkdir()
    (folder / "Long.md").write_text(LONG + "no line feed at the end", encoding="utf-8")
    (folder / "Boat.md").write_text(PARTS, encoding="utf-8")
    (folder / "Broken.md").write_text("---\nprivate: true\na: b: c: [\n---\nA secret.\n")
    (folder / "Open ended.md").write_text("---\nprivate: yes\ntitle: x\n\nAnother secret.\n")
    (folder / "Broken public.md").write_text("---\nprivate: false\na: b: c: [\n---\nNo secret.\n")
    with running(folder) as started:
        started.paths("settle")
        yield started


def pages(daemon: Running, **asked: Any) -> Iterator[dict[str, Any]]:
    """Each page of one note."""
    following: dict[str, Any] = {}
    while True:
        answer = daemon.ask("open", record=False, **asked, **following)
        yield answer
        if "next" not in answer:
            return
        assert answer["truncated"]
        following = answer["next"]


@pytest.mark.parametrize("most", [None, 5_000, 100_000])
def test_a_long_note_is_put_together_from_its_pages(daemon: Running, most: int | None) -> None:
    """The text of all pages is the file; each page says where it begins."""
    file = (daemon.vault / "Long.md").read_text(encoding="utf-8")
    assert len(file.encode()) > 1_000_000
    text = ""
    for page in pages(daemon, notes=["Long"], text=True, max_chars=most):
        (entity,) = page["entities"]
        if entity["text"]:
            assert entity["line"] == text.count("\n") + 1
        assert most is None or sum(map(len, entity["text"])) <= most
        assert entity["observations"] == []
        text += "".join(entity["text"])

    assert text == file


def test_a_part_is_what_stands_under_a_heading(daemon: Running) -> None:
    """With what is below it, up to the next heading as high; passages, links and text alike."""
    (engine,) = daemon.ask("open", notes=["Boat"], part="ENGINE", text=True, record=False)["entities"]
    (steps,) = daemon.ask("open", notes=["Boat"], part="Boat > Engine#Filter", record=False)["entities"]
    (sails,) = daemon.ask("open", notes=["Boat"], part="## Sails", lines="18..", record=False)["entities"]
    (odd,) = daemon.ask("open", notes=["Boat"], part="C# > D", record=False)["entities"]

    assert "".join(engine["text"]) == PARTS[PARTS.index("## Engine") : PARTS.index("## Sails")]
    assert (engine["line"], engine["part"]) == (8, "Engine")
    assert [one["target"] for one in engine["relations"]] == ["Long.md"]
    assert [one["text"] for one in steps["observations"]] == ["Clean it."]
    assert [one["text"] for one in sails["observations"]] == ["White."]
    assert [one["text"] for one in odd["observations"]] == ["Odd."]


def test_a_part_that_is_not_there_is_said_with_the_nearest(daemon: Running) -> None:
    """A heading that was misremembered is no empty note."""
    answer = daemon.ask("open", notes=["Boat"], part="Engines", record=False)

    assert answer["entities"] == []
    assert answer["missing"] == [
        {"note": "Boat", "nearest": ["Engine"], "reason": "it has no heading of this name"}
    ]


def test_lines_are_those_of_the_file(daemon: Running) -> None:
    """Both ends are in it; what lies beyond the end is nothing."""
    (some,) = daemon.ask("open", notes=["Boat"], lines="4..6", text=True, record=False)["entities"]
    (none,) = daemon.ask("open", notes=["Boat"], lines="400..", text=True, record=False)["entities"]

    assert (some["text"], some["line"]) == (["# Boat\n", "\n", "Intro.\n"], 4)
    assert none["text"] == []
    assert "line" not in none


def test_a_file_that_became_another_is_not_shown_before_it_is_read(daemon: Running) -> None:
    """It might have become private; and lines of one text are not taken from another."""
    path = daemon.vault / "Changing.md"
    path.write_text("Before.\n")
    daemon.paths("before")
    made = daemon.home / "made.md"
    seen = set()
    for number in range(20):
        made.write_text(f"---\nprivate: {'true' if number % 2 else 'false'}\n---\nSecret {number}.\n")
        os.replace(made, path)
        answer = daemon.ask("open", notes=["Changing"], text=True, record=False, audience="agent")
        for entity in answer["entities"]:
            seen.add("".join(entity["text"]))
    assert not [text for text in seen if "private: true" in text]


def test_a_wish_in_front_matter_that_cannot_be_read_counts(daemon: Running) -> None:
    """A note that seems to ask to be private is not given to agents; one that says it is not, is."""
    secrets = daemon.ask("search", query="secret", record=False, wait=True, audience="agent")

    assert [hit["path"] for hit in secrets["results"]] == ["Broken public.md"]
    assert {"Broken.md", "Open ended.md"} <= {*daemon.paths("secret")}


def test_headings_that_are_not_there_give_no_lines() -> None:
    """Neither a note without headings nor an empty name means all of it."""
    assert lines_of([], "Engine") is None
    assert lines_of([], "") is None
    assert lines_of([], "#") is None
