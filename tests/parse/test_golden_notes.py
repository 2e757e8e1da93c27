"""Golden notes: Markdown in, the compact text of what was read out.

Each file holds cases in the form title, ``.``, note, ``.``, expected, ``.``. After a wanted change run
``NOTESD_GOLDEN=write pytest tests/parse/test_golden_notes.py`` and review the difference as text.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from notesd.model import Note, NotePath
from notesd.parse.note import parse_note

FOLDER = os.path.join(os.path.dirname(__file__), "..", "golden", "parse")


class Case(NamedTuple):
    """One golden case."""

    file: str
    title: str
    note: str
    expected: str


def cases(file: str) -> Iterator[Case]:
    """Yield the cases of a file."""
    with open(os.path.join(FOLDER, file), encoding="utf-8") as handle:
        blocks = handle.read().split("\n.\n")
    for title, note, expected in zip(blocks[0::3], blocks[1::3], blocks[2::3], strict=False):
        yield Case(file, title.strip(), note, expected)


def compact(note: Note) -> str:
    """Say what a note says, one line a thing."""
    lines = [f"title {note.title}"]
    lines += [
        f"{name} {value}" for name, value in (("type", note.entity_type), ("created", note.created)) if value
    ]
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


ALL = [case for file in sorted(os.listdir(FOLDER)) if file.endswith(".md") for case in cases(file)]


@pytest.mark.parametrize("case", ALL, ids=[f"{case.file[:-3]}: {case.title}" for case in ALL])
def test_a_note_says_what_its_golden_text_says(case: Case) -> None:
    """Every golden note reads as it was reviewed."""
    found = compact(parse_note(case.note, NotePath("Folder/File name.md"), dendron="dendron" in case.file))
    if os.environ.get("NOTESD_GOLDEN") == "write":
        rewrite(case, found)
    assert case.expected == found


def rewrite(case: Case, found: str) -> None:
    """Put what was found in the place of what was expected."""
    path = os.path.join(FOLDER, case.file)
    with open(path, encoding="utf-8") as handle:
        text = handle.read()
    old, new = (f"{case.note}\n.\n{expected}\n.\n" for expected in (case.expected, found))
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text.replace(old, new, 1))
