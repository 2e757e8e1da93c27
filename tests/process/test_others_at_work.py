"""A rescan, or thousands of notes that are saved at once, hold up no small question."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from running import Running, running

pytestmark = pytest.mark.process
NOTES = 1_500
FEWEST = 8
"""Small questions answered beside the work; there are hundreds where nothing waits, one where all wait."""


def write_notes(vault: Path, marker: str) -> None:
    for number in range(NOTES):
        text = "\n\n".join(
            f"## Part {part}\n\n{marker} text of part {part} [[n{part}]]" for part in range(12)
        )
        (vault / f"n{number}.md").write_text(f"# Note {number}\n\n{text}\n")


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Running]:
    vault = tmp_path / "notes"
    vault.mkdir()
    (vault / "lamp.md").write_text("# Lamp\n\nmend the lamp\n")
    write_notes(vault, "first")
    with running(vault) as started:
        assert started.paths("mend lamp") == ["lamp.md"]
        yield started


def answered_until(daemon: Running, is_done: Callable[[Any], bool]) -> int:
    """Small questions that were answered, rightly, before the work was done."""
    count = 0
    while True:
        answer = daemon.ask("search", query="mend lamp", record=False)
        assert [hit["path"] for hit in answer["results"]] == ["lamp.md"]
        if is_done(answer):
            return count
        count += 1


def test_small_questions_are_answered_during_a_rescan(daemon: Running) -> None:
    """Every one of them by the old index or by the new one."""
    rescan = threading.Thread(target=daemon.ask, args=("rescan",), kwargs={"wait": True})
    rescan.start()
    count = answered_until(daemon, lambda answer: not rescan.is_alive())
    rescan.join()

    assert count >= FEWEST


def test_small_questions_are_answered_during_a_burst_of_notes(daemon: Running) -> None:
    """And each answer says how much is still to be read."""
    write_notes(daemon.vault, "second")
    count = answered_until(daemon, lambda answer: bool(answer["index"]["fresh"]))

    assert count >= FEWEST
    assert len(daemon.paths("second", limit=50)) == 50
