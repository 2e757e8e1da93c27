"""A state folder that is damaged or taken away under the daemon costs a rebuild, never an answer."""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from running import Running, running

pytestmark = pytest.mark.process


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Running]:
    """A daemon over enough notes to fill some pages."""
    vault = tmp_path / "notes"
    vault.mkdir()
    words = random.Random(1)
    for number in range(300):
        text = " ".join(f"word{words.randrange(900)}" for _ in range(60))
        (vault / f"n{number}.md").write_text(
            f"# Note {number}\n\nmarker{number:03d}x [[Note {number + 1}]] {text}\n"
        )
    with running(vault) as started:
        started.paths("settle")
        yield started


def index_file(daemon: Running) -> Path:
    return max(daemon.state.glob("spaces/*/index*.db"))


@pytest.mark.parametrize("page", [2, 3, 5, 8, 20, 40])
def test_page_of_noise_is_mended_before_the_answer(daemon: Running, page: int) -> None:
    """Whoever meets a damaged page waits for the new index and gets its answer."""
    before = daemon.ask("export")
    daemon.stop()
    path = index_file(daemon)
    with apsw.Connection(str(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(random.Random(page).randbytes(4096))
    daemon.process = daemon._start()

    for number in (0, 150, 299):
        assert daemon.paths(f"marker{number:03d}x") == [f"n{number}.md"]
    assert daemon.ask("export") == before
    daemon.ask("check")


def test_state_folder_taken_away_is_made_again(daemon: Running) -> None:
    """Nothing is lost but time, and no second daemon may come in."""
    before = daemon.ask("export")
    shutil.rmtree(daemon.state)

    assert daemon.paths("marker007x") == ["n7.md"]
    assert daemon.ask("export") == before
    assert index_file(daemon).exists()


def test_index_file_taken_away_is_noticed_by_itself(daemon: Running) -> None:
    """Without any change or question to wait, there is an index file again in a moment."""
    old = index_file(daemon)
    os.unlink(old)
    generation = daemon.ask("status")["spaces"][0]["generation"]
    daemon.until(lambda: daemon.ask("status")["spaces"][0]["generation"] != generation)
    daemon.until(lambda: list(daemon.state.glob("spaces/*/index*.db")))

    assert daemon.paths("marker007x") == ["n7.md"]


def test_an_index_of_another_version_answers_nothing_wrong(daemon: Running) -> None:
    """Whatever it lacks, the first question is answered from what is read anew."""
    before = daemon.ask("export")
    daemon.stop()
    with apsw.Connection(str(index_file(daemon))) as db:
        db.execute("DROP TABLE attached").fetchall()
        db.execute("PRAGMA user_version = 7").fetchall()
    db.close()
    daemon.process = daemon._start()

    answer = daemon.ask("search", query="marker007x", record=False)
    assert answer["results"] or not answer["index"]["complete"]
    assert daemon.paths("marker007x") == ["n7.md"]
    assert daemon.ask("export") == before
    assert "another version" in daemon.log.read_text()
