"""sample-vault is what the manual and the other tests take it for."""

import os
import re
from functools import cache
from pathlib import Path

import pytest

from notesd.model import Link, Note, NotePath
from notesd.parse.note import parse_note
from notesd.resolve.entries import Entry
from notesd.resolve.lookup import NameTable

VAULT = Path(__file__).parents[1] / "sample-vault"


@cache
def notes() -> dict[str, Note]:
    """Parse every note, by path."""
    paths = sorted(file.relative_to(VAULT).as_posix() for file in VAULT.rglob("*.md"))
    return {path: parse_note((VAULT / path).read_text(encoding="utf-8"), NotePath(path)) for path in paths}


@cache
def targets() -> dict[tuple[str, str, int], str | None]:
    """Resolve every link of every indexed note: (source, raw, line) -> path or None."""
    kept = {path: note for path, note in notes().items() if note.index}
    entries = [
        Entry(note.path, is_note=True, title=note.title, aliases=note.aliases, names=note.names)
        for note in kept.values()
    ]
    entries += [
        Entry(NotePath(file.relative_to(VAULT).as_posix()), is_note=False)
        for file in VAULT.rglob("*")
        if file.is_file() and file.suffix != ".md"
    ]
    table = NameTable(entries)
    return {
        (path, link.raw, link.line): table.resolve(link, note.path)
        for path, note in kept.items()
        for link in note.links
    }


def target(source: str, raw: str) -> str | None:
    """Return what one link means; every link so written in that note means the same."""
    found = {to for (path, text, _), to in targets().items() if (path, text) == (source, raw)}
    assert len(found) == 1
    return found.pop()


def relations(source: str) -> set[tuple[str, str]]:
    """Return the typed relations of a note as (relation, raw)."""
    return {(link.relation, link.raw) for link in notes()[source].links if link.relation is not None}


def links(source: str, kind: str) -> list[Link]:
    """Return the links of one kind."""
    return [link for link in notes()[source].links if link.kind == kind]


def test_it_has_the_size_of_a_beginning() -> None:
    """About fifty notes of 10 to 60 lines."""
    assert 40 <= len(notes()) <= 60
    for path in notes():
        assert 10 <= len((VAULT / path).read_text(encoding="utf-8").splitlines()) <= 60, path


def test_exactly_one_note_has_a_problem() -> None:
    """Only the front matter of the insurance note is broken, and the rest of it is read."""
    problems = {path: note.problems for path, note in notes().items() if note.problems}

    assert list(problems) == ["Sailing/Insurance.md"]
    assert [problem.kind for problem in problems["Sailing/Insurance.md"]] == ["frontmatter"]
    assert notes()["Sailing/Insurance.md"].tags == ("papers/insurance",)
    assert target("Sailing/Insurance.md", "Gaviota") == "Sailing/Gaviota.md"


def test_exactly_one_link_is_broken() -> None:
    """The one note that was never written is the haul-out in winter."""
    assert [key[:2] for key, to in targets().items() if to is None] == [
        ("Sailing/Gaviota.md", "Winter haul-out")
    ]


@pytest.mark.parametrize(
    ("source", "raw", "to"),
    [
        pytest.param("Home.md", "Ideas", "Garden/Ideas.md", id="ambiguous: the shortest path"),
        pytest.param("Home.md", "Software/Ideas", "Software/Ideas.md", id="told apart by its folder"),
        pytest.param("Home.md", "Kitchen", "Kitchen/index.md", id="by title"),
        pytest.param(
            "Software/Release 1.0.21.md", "valve-ctl", "Software/Watering controller.md", id="by id"
        ),
        pytest.param(
            "Software/C++ in anger.md",
            "Release%201.0.21.md",
            "Software/Release 1.0.21.md",
            id="Markdown link",
        ),
        pytest.param(
            "Sailing/Gaviota.md",
            "gaviota-sail-plan.svg",
            "attachments/gaviota-sail-plan.svg",
            id="attachment",
        ),
        pytest.param("Kitchen/борщ.md", "Soil test 2026", "Garden/Soil test 2026.md", id="from Cyrillic"),
        pytest.param("Travel/京都.md", "味噌汁", "Kitchen/味噌汁.md", id="Japanese"),
        pytest.param("Journal/2026-11-09.md", "2026-11-02", "Journal/2026-11-02.md", id="daily note"),
        pytest.param("Software/Backups.md", "Tío Xurxo", "People/Tío Xurxo.md", id="shown as another"),
    ],
)
def test_links_mean_what_they_were_written_for(source: str, raw: str, to: str) -> None:
    """Names, titles, ids, folders, scripts and attachments resolve as a reader expects."""
    assert target(source, raw) == to


def test_two_notes_share_a_title() -> None:
    """Two lists are both called Reading list."""
    named = [path for path, note in notes().items() if note.title == "Reading list"]

    assert named == ["Reading/To read.md", "Travel/Books for the boat.md"]


def test_two_notes_share_a_file_name() -> None:
    """Two folders have their Ideas."""
    assert [path for path in notes() if os.path.basename(path) == "Ideas.md"] == [
        "Garden/Ideas.md",
        "Software/Ideas.md",
    ]


def test_private_and_unindexed() -> None:
    """One note is private, and one, the template, is not indexed."""
    assert [path for path, note in notes().items() if note.private] == ["Journal/Health.md"]
    assert [path for path, note in notes().items() if not note.index] == ["Templates/Daily note.md"]


@pytest.mark.parametrize(
    ("source", "relation"),
    [
        pytest.param("Kitchen/Country loaf.md", ("needs", "Sourdough starter"), id="property"),
        pytest.param("Kitchen/Empanada gallega.md", ("up", "Kitchen"), id="property without quotes"),
        pytest.param(
            "Software/Watering controller.md", ("releases", "Release 1.0.21"), id="property that is a list"
        ),
        pytest.param("Software/Watering controller.md", ("depends-on", "C++ in anger"), id="field"),
        pytest.param("Software/Watering controller.md", ("replaces", "Software/Ideas"), id="field in text"),
        pytest.param("Kitchen/Sourdough starter.md", ("feeds", "Country loaf"), id="list item"),
        pytest.param("Kitchen/Sourdough starter.md", ("smells_like", "Compost"), id="list item with remark"),
        pytest.param("Travel/Путь в Карелию.md", ("с_кем", "Olga"), id="property in Russian"),
        pytest.param("Kitchen/红烧肉.md", ("from", "Mei"), id="property of a Chinese note"),
    ],
)
def test_typed_relations_of_every_kind(source: str, relation: tuple[str, str]) -> None:
    """Each way to write a typed relation occurs, and is read."""
    assert relation in relations(source)


def test_sentences_are_not_relations() -> None:
    """A list item that says more than a relation is a plain link."""
    assert relations("Kitchen/红烧肉.md") == {("from", "Mei")}
    assert "味噌汁" in {link.raw for link in links("Kitchen/红烧肉.md", "link")}


def test_embeds() -> None:
    """Pictures and a part of another note are embedded."""
    assert [link.raw for link in links("Garden/Soil test 2026.md", "embed")] == ["soil-ph.png"]
    assert [link.raw for link in links("Journal/2026-11-09.md", "embed")] == ["Knots#Bowline"]


def test_code_holds_no_links_and_no_tags() -> None:
    """What looks like a link or a tag in code is neither."""
    note = notes()["Software/Watering controller.md"]

    assert "not a link" not in {link.raw for link in note.links}
    assert "not-a-tag" not in note.tags
    assert any("should_water" in observation.text for observation in note.observations)


def test_tags_are_nested_and_in_many_scripts() -> None:
    """Tags have parents and children, from front matter and from text."""
    tags = {tag for note in notes().values() for tag in note.tags}

    assert {
        "garden/soil",
        "garden/soil/plan",
        "cooking/bread/trouble",
        "本/小説",
        "путешествия/север",
    } <= tags


def test_a_note_that_only_its_links_explain() -> None:
    """The note about the thing by the gate never says what the thing is."""
    text = " ".join(o.text for o in notes()["Garden/The thing by the gate.md"].observations)

    assert not re.search("compost|bin", text, re.IGNORECASE)
    assert target("Garden/Compost.md", "The thing by the gate") == "Garden/The thing by the gate.md"


def test_dates_are_read() -> None:
    """Every indexed note but the one with broken front matter has its day, in ISO form."""
    without = [
        path
        for path, note in notes().items()
        if note.index and not re.match(r"20\d\d-\d\d-\d\d", note.created or "")
    ]

    assert without == ["Sailing/Insurance.md"]
    assert notes()["Kitchen/红烧肉.md"].created == "2025-10-05"
    assert notes()["Kitchen/Gazpacho.md"].created == "2024-07-20"


def test_pictures_are_real() -> None:
    """The attachments are a picture each, not a placeholder."""
    assert (VAULT / "attachments/soil-ph.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert "<svg" in (VAULT / "attachments/gaviota-sail-plan.svg").read_text(encoding="utf-8")
