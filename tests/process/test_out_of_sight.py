"""What is there and not read is said, with a real daemon: links to folders, notes in a cloud."""

import functools
import signal
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from running import Running, running

pytestmark = pytest.mark.process


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Three notes, and a folder beside them."""
    folder = tmp_path / "notes"
    (folder / "real").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "o.md").write_text("outsideword")
    for name in ("Receipt.md", "real/Letter.md", "Other.md"):
        (folder / name).write_text("keptword")
    return folder


@pytest.fixture
def daemon(vault: Path) -> Iterator[Running]:
    """A daemon that follows them."""
    with running(vault) as one:
        assert len(one.paths("keptword")) == 3
        yield one


def reason(daemon: Running, note: str) -> tuple[str, str]:
    """Why a note is not among the results, and the sentence."""
    why = daemon.ask("search", query="outsideword", why=note)["why"]
    return why["reason"], why["sentence"]


@pytest.mark.parametrize(
    ("target", "below"), [("../outside", "o.md"), ("real", "Letter.md"), (".", "Other.md")]
)
def test_a_linked_folder_is_named(vault: Path, daemon: Running, target: str, below: str) -> None:
    """It is not followed, and neither status nor a question about what lies in it passes over that."""
    (vault / "linked").symlink_to(target)
    daemon.until(lambda: daemon.problems() == [("linked", "not_regular")])
    for path in ("linked", f"linked/{below}", "linked/deep/er.md"):
        why, sentence = reason(daemon, path)
        assert why == "not_regular"
        assert "linked is a symbolic link to a folder" in sentence
    assert daemon.paths("outsideword") == []
    assert [one["path"] for one in daemon.ask("check")["problems"]] == ["linked"]

    (vault / "linked").unlink()
    (vault / "linked").mkdir()
    (vault / "linked" / "o.md").write_text("outsideword")
    daemon.until(lambda: daemon.problems() == [])
    assert daemon.paths("outsideword") == ["linked/o.md"]


@pytest.mark.parametrize("stand_in", [".Receipt.md.icloud", "Receipt.md.nextcloud"])
@pytest.mark.parametrize("late", [False, True], ids=["at once", "after the note"])
def test_a_note_in_the_cloud_is_kept_and_said(
    vault: Path, daemon: Running, stand_in: str, late: bool
) -> None:
    """Until it is back or gone for good; only a note that went before its stand-in came is forgotten."""
    if late:
        (vault / "Receipt.md").unlink()
        assert len(daemon.paths("keptword")) == 2
        (vault / stand_in).write_text("stand-in")
    else:
        (vault / stand_in).write_text("stand-in")
        (vault / "Receipt.md").unlink()
    daemon.until(lambda: daemon.problems() == [("Receipt.md", "offline")])
    answer = daemon.ask("search", query="keptword", wait=True)
    stale = [hit["path"] for hit in answer["results"] if hit["stale"]]
    assert stale == ([] if late else ["Receipt.md"])
    assert answer["index"]["complete"] is False
    assert answer["index"]["gaps"] == ["1 note put away by a cloud service could not be read"]
    assert "put away by a cloud service" in reason(daemon, "Receipt.md")[1]
    assert daemon.ask("rescan", wait=True)["notes"] == (2 if late else 3)

    (vault / "Receipt.md").write_text("backword")
    (vault / stand_in).unlink()
    daemon.until(lambda: daemon.ask("search", query="backword")["results"])
    assert daemon.problems() == []
    (vault / stand_in).write_text("stand-in")
    (vault / "Receipt.md").unlink()
    daemon.until(lambda: daemon.problems() == [("Receipt.md", "offline")])
    (vault / stand_in).unlink()
    daemon.until(lambda: daemon.problems() == [])
    assert daemon.paths("backword") == []


def test_lost_events_are_a_field(vault: Path, daemon: Running) -> None:
    """A daemon that was stopped while more happened than the system remembers says so, and lacks nothing."""

    def overflow() -> Any:
        return daemon.ask("status")["spaces"][0]["watch"]["overflow"]

    def finds(word: str) -> bool:
        return daemon.paths(word) == ["Busy.md"]

    assert overflow() is None
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    note = vault / "Busy.md"
    for attempt in range(5):  # on a busy machine watching may be begun anew instead, which forgets the queue
        note.write_text("x")
        daemon.process.send_signal(signal.SIGSTOP)
        for number in range(limit // 2 + 50):  # two events each, no two alike in a row
            note.chmod(0o600 + 0o40 * (number % 2))
            (vault / f"Busy{number % 7}.md").touch()
        note.write_text(f"busyword{attempt}")
        daemon.process.send_signal(signal.SIGCONT)
        daemon.until(functools.partial(finds, f"busyword{attempt}"))
        if overflow():
            break
    said = daemon.until(lambda: (found := overflow()) and found["walked"] and found)

    assert said["count"] >= 1
    assert datetime.fromisoformat(said["last"]).tzinfo
