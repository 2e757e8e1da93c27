"""Golden notes: Markdown in, the compact text of what was read out.

Each file holds cases in the form title, ``.``, note, ``.``, expected, ``.``. After a wanted change run
``NOTESD_GOLDEN=write pytest tests/parse/test_golden_notes.py`` and review the difference as text.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from notesd.model import Note, NotePath
from notesd.parse.kinds import read_file
from notesd.parse.note import parse_note

GOLDEN = os.path.join(os.path.dirname(__file__), "..", "golden")
FOLDER = os.path.join(GOLDEN, "parse")
KINDS = os.path.join(GOLDEN, "kinds")
"""Files of other kinds; ``canvas.md`` holds canvases."""


class Case(NamedTuple):
    """One golden case."""

    folder: str
    file: str
    title: str
    note: str
    expected: str


def cases(folder: str, file: str) -> Iterator[Case]:
    """Yield the cases of a file."""
    with open(os.path.join(folder, file), encoding="utf-8") as handle:
        blocks = handle.read().split("\n.\n")
    for title, note, expected in zip(blocks[0::3], blocks[1::3], blocks[2::3], strict=False):
        yield Case(folder, file, title.strip(), note, expected)


def compact(note: Note) -> str:
    """Say what a note says, one line a thing."""
    lines = [f"title {note.title}"]
    lines += [
        f"{name} {value}" for name, value in (("type", note.entity_type), ("created", note.created)) if value
    ]
    if note.private:
        lines.append("private")
    lines += [f"alias {alias}" for alias in note.aliases]
    lines += [f"name {name}" for name in note.names]
    if note.tags:
        lines.append("tags " + ", ".join(note.tags))
    lines += [f"{heading.line} h{heading.level} {heading.text}" for heading in note.headings]
    for link in note.links:
        about = "" if link.target == link.raw else f" -> {link.target or '(itself)'}"
        relation = f" as {link.relation}" if link.relation else ""
        lines.append(f"{link.line} {link.style} {link.kind} {link.raw}{about}{relation}")
    for passage in note.observations:
        span = str(passage.line_start)
        if passage.line_end != passage.line_start:
            span += f"-{passage.line_end}"
        under = " > ".join(passage.heading)
        text = passage.text.replace("\n", " / ")
        lines.append(f"{span} {passage.kind}{f' ({under})' if under else ''}: {text}")
    lines += [f"problem {problem.line} {problem.kind}: {problem.reason}" for problem in note.problems]
    return "\n".join(lines)


def all_cases(folder: str) -> list[Case]:
    """Return the cases of every file of a folder."""
    files = sorted(file for file in os.listdir(folder) if file.endswith(".md"))
    return [case for file in files for case in cases(folder, file)]


def name_of(case: Case) -> str:
    """Return the name of a case among the tests."""
    return f"{case.file[:-3]}: {case.title}"


@pytest.mark.parametrize("case", all_cases(FOLDER), ids=name_of)
def test_a_note_says_what_its_golden_text_says(case: Case) -> None:
    """Every golden note reads as it was reviewed."""
    found = compact(parse_note(case.note, NotePath("Folder/File name.md"), dendron="dendron" in case.file))
    if os.environ.get("NOTESD_GOLDEN") == "write":
        rewrite(case, found)
    assert case.expected == found


@pytest.mark.parametrize("case", all_cases(KINDS), ids=name_of)
def test_a_file_of_another_kind_says_what_its_golden_text_says(case: Case) -> None:
    """Every golden canvas, base, notebook and so on reads as it was reviewed."""
    path = NotePath(f"Folder/File name.{case.file.removesuffix('.md')}")
    found = compact(read_file(case.note, path))
    if os.environ.get("NOTESD_GOLDEN") == "write":
        rewrite(case, found)
    assert case.expected == found


def rewrite(case: Case, found: str) -> None:
    """Put what was found in the place of what was expected."""
    path = os.path.join(case.folder, case.file)
    with open(path, encoding="utf-8") as handle:
        text = handle.read()
    old, new = (f"{case.note}\n.\n{expected}\n.\n" for expected in (case.expected, found))
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text.replace(old, new, 1))
