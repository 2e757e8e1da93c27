"""A live daemon builds its index anew while its notes change: what it answers is what stands there."""

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any, Self

import pytest
from running import Running, running

from notesd.errors import NotesdError
from notesd.once import export_folder

pytestmark = pytest.mark.process
NOTES = 120


def write(vault: Path, name: str, text: str) -> None:
    """Save as an editor does."""
    (vault / ".new").write_text(f"# {name}\n\n{text}, see [[n{len(text) % NOTES}]]\n")
    os.replace(vault / ".new", vault / name)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Some notes."""
    vault = tmp_path / "notes"
    (vault / "sub").mkdir(parents=True)
    for number in range(NOTES):
        write(vault, f"n{number}.md", f"first text {number}")
    return vault


class Editor:
    """Somebody who edits, renames and deletes notes for as long as it is let."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.turns = 0

    def _work(self) -> None:
        vault = self._vault
        while not self._enough.wait(0.002):
            self.turns = turn = self.turns + 1
            write(vault, f"n{turn % NOTES}.md", f"edited in turn {turn}" + " again" * (turn % 7))
            if turn % 9 == 3:
                write(vault, f"sub/new{turn}.md", f"new in turn {turn}")
            elif turn % 9 == 5:
                (vault / f"n{turn * 7 % NOTES}.md").unlink(missing_ok=True)
            elif turn % 9 == 7:
                os.replace(vault / f"n{turn % NOTES}.md", vault / "sub" / f"moved{turn % 20}.md")
            if turn % 50 == 0:
                shutil.rmtree(vault / "sub")
                (vault / "sub").mkdir()

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Come to an end."""
        self._enough.set()
        self._thread.join()


def exported(daemon: Running) -> Any:
    """What the daemon has, once it says that it is up to date; nothing waits for a walk."""

    def is_fresh() -> bool:
        index = daemon.ask("search", query="n1", record=False)["index"]
        assert index["fresh"] or index["pending"]["files"] > 0
        return bool(index["fresh"])

    daemon.until(is_fresh)
    return daemon.ask("export")


def test_rescans_under_edits_lose_nothing(vault: Path) -> None:
    """Every rescan that is waited for under edits leaves an index that catches up by its events alone."""
    with running(vault) as daemon:
        daemon.paths("first")
        for _ in range(3):
            with Editor(vault) as editor:
                daemon.until(lambda: editor.turns >= 20)
                daemon.ask("rescan", wait=True)
            assert exported(daemon) == json.loads(json.dumps(export_folder(str(vault), environ={})))
        with Editor(vault):
            for _ in range(3):
                daemon.ask("rescan")
                daemon.paths("edited")
        daemon.ask("search", query="edited", wait=True, record=False)
        assert daemon.ask("export") == json.loads(json.dumps(export_folder(str(vault), environ={})))


def test_what_was_saved_before_a_question_that_waits_is_in_its_answer(vault: Path) -> None:
    """Also while indexes are built, one after the other, and whichever of them answers."""
    with running(vault) as daemon:
        daemon.paths("first")
        for number in range(10):
            daemon.ask("rescan")
            write(vault, "log.md", f"entry{number}word")
            assert daemon.paths(f"entry{number}word") == ["log.md"]
            assert daemon.paths(f"entry{number - 1}word") == []


def test_rescans_leave_nothing_behind(vault: Path) -> None:
    """Open files and processes are as many after twenty of them as after two."""
    with running(vault) as daemon:
        pid = daemon.process.pid

        def held() -> tuple[int, int]:
            daemon.ask("search", query="first", wait=True, record=False)
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            tasks = [Path(f"/proc/{pid}/task/{task}/children") for task in os.listdir(f"/proc/{pid}/task")]
            children = [child for task in tasks for child in task.read_text().split()]
            return len(os.listdir(f"/proc/{pid}/fd")), len(children)

        for _ in range(2):
            daemon.ask("rescan", wait=True)
        files, children = held()
        for number in range(20):
            write(vault, f"n{number}.md", f"edited {number}")
            daemon.ask("rescan", wait=True)
        more_files, more_children = held()

        assert more_children <= children
        assert more_files <= files + 4, "a connection for each of the readers"


def test_a_rescan_that_nobody_waits_for_fails_in_its_space_alone(vault: Path) -> None:
    """What became of it stands with the space; nothing that lasts is said to be in trouble."""
    with running(vault) as daemon:
        daemon.paths("first")
        vault.rename(vault.with_name("away"))
        assert daemon.ask("rescan") == {"started": True}
        with pytest.raises(NotesdError, match="cannot be listed"):
            daemon.ask("rescan", wait=True)
        assert [space["state"] for space in daemon.ask("status")["spaces"]] == ["degraded"]

        vault.with_name("away").rename(vault)
        daemon.ask("rescan", wait=True)  # at its end, what is dropped is let go of
        assert daemon.ask("status")["state"] == "ready"
        assert "event loop" not in daemon.log.read_text()
