"""What befalls the processes that read notes costs no note anything for good."""

import sys
from pathlib import Path
from typing import Any

import faulty_workers
import pytest
from running import Running, running

pytestmark = pytest.mark.process
PROGRAM = (sys.executable, faulty_workers.__file__)
LINKS = 40


def linked(daemon: Running) -> int:
    (space,) = daemon.ask("status")["spaces"]
    number: int = space["links"]
    return number


def problems(daemon: Running) -> list[dict[str, Any]]:
    (space,) = daemon.ask("status")["spaces"]
    found: list[dict[str, Any]] = space["problems"]
    return found


def test_notes_get_their_links_when_the_fault_is_over(tmp_path: Path) -> None:
    """While every process is killed, words are found; links come with a walk after that."""
    vault, fault = tmp_path / "notes", tmp_path / "fault"
    vault.mkdir()
    fault.touch()
    text = "bread [[Butter]] and so on, for a while longer\n\n" * LINKS
    (vault / "large.md").write_text(text, encoding="utf-8")
    with running(vault, PROGRAM, KILLED_WHILE=str(fault)) as daemon:
        assert daemon.paths("bread") == ["large.md"]
        assert linked(daemon) == 0
        (problem,) = problems(daemon)
        assert problem["path"] == "large.md"
        assert "SIGKILL" in problem["reason"]
        assert "until it is tried again" in problem["reason"]

        generation = daemon.ask("status")["spaces"][0]["generation"]
        assert daemon.paths("bread") == ["large.md"]  # looked at again, still at fault: nothing has changed
        assert daemon.ask("status")["spaces"][0]["generation"] == generation

        fault.unlink()
        assert daemon.paths("bread") == ["large.md"]
        assert linked(daemon) == LINKS
        assert problems(daemon) == []

        fault.touch()
        (vault / "large.md").write_text(text + "knife\n", encoding="utf-8")
        assert daemon.paths("knife") == ["large.md"]
        fault.unlink()
        assert daemon.paths("knife") == ["large.md"]
        assert linked(daemon) == LINKS
        assert problems(daemon) == []
