"""Meaning in the running product: a tiny model, the real process, the real socket."""

import os
import signal
from pathlib import Path
from typing import Any

import apsw
import pytest
import tiny_model
from running import Running, running

from notesd.index.vector_files import prepare

pytestmark = pytest.mark.process
KILLS = int(os.environ.get("NOTESD_KILLS", "3"))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A few notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, text in enumerate(
        ("ships rest in the harbour", "bread needs salt", "the harbour is full of ships")
    ):
        (folder / f"n{number}.md").write_text(f"# Note {number}\n\n{text}\n")
    (folder / "quiet.md").write_text("---\nembed: false\n---\nships and ships\n")
    (folder / "secret.md").write_text("---\nprivate: true\n---\nships again\n")
    return folder


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A cache with a tiny model, and a configuration that names it."""
    tiny_model.make_model(str(tmp_path / "cache" / "notesd" / "models" / "tiny"))
    (tmp_path / "config.toml").write_text(tiny_model.CONFIG)
    return tmp_path


def environment(models: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(models / "cache"), "NOTESD_CONFIG": str(models / "config.toml")}


def ready(daemon: Running) -> dict[str, Any]:
    """Wait until every note has its vectors; returns what status says of them."""
    daemon.paths("settle")

    def standing() -> dict[str, Any]:
        vectors: dict[str, Any] = daemon.ask("status")["spaces"][0]["vectors"]
        assert vectors["state"] != "unavailable", vectors
        return vectors if vectors["state"] == "ready" else {}

    return daemon.until(standing)


def child_of(daemon: Running) -> int | None:
    """Pid of the embedding process, None while there is none."""
    children = Path(f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children").parent.parent
    for task in children.glob("*/children"):
        for pid in task.read_text().split():
            if b"notesd.embed.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return int(pid)
    return None


def test_notes_are_found_by_meaning(vault: Path, models: Path) -> None:
    """Both channels answer, hits say by which, and notes that do not want vectors have none."""
    with running(vault, **environment(models)) as daemon:
        state = ready(daemon)
        assert (state["model"], state["done"], state["total"], state["reason"]) == ("tiny", 3, 3, None)
        answer = daemon.ask("search", query="ships in a harbour ")
        by_meaning = {hit["path"] for hit in answer["results"] if "semantic" in hit["channels"]}

        assert answer["channels"]["semantic"] == "ok"
        assert answer["degraded"] == []
        assert by_meaning == {"n0.md", "n1.md", "n2.md"}
        assert {hit["path"] for hit in answer["results"]} == by_meaning | {"quiet.md", "secret.md"}
        assert all(0 <= hit["distance"] <= 2 for hit in answer["results"] if "semantic" in hit["channels"])


def test_a_hit_by_meaning_alone_shows_what_means_it(vault: Path, models: Path) -> None:
    """Without a word of the question in it, the note is shown where its nearest passage stands."""
    filler = "\n\n".join(f"## Part {n}\n\n" + "salt water and flour " * 40 for n in range(6))
    (vault / "n1.md").write_text(f"# Long\n\nquite other things\n\n{filler}\n\n## End\n\nzzz zzz zzz\n")
    with running(vault, **environment(models)) as daemon:
        ready(daemon)
        answer = daemon.ask("search", query="xyxyx ", mode="semantic", limit=50)

        assert len(answer["results"]) == 3
        assert all(hit["observations"] and hit["line"] >= 3 for hit in answer["results"])


def test_filters_hold_for_meaning(vault: Path, models: Path) -> None:
    """A narrow filter narrows before the nearest are looked for."""
    (vault / "sub").mkdir()
    (vault / "sub" / "deep.md").write_text("nothing alike at all\n")
    with running(vault, **environment(models)) as daemon:
        ready(daemon)
        answer = daemon.ask("search", query="ships in a harbour ", folder="sub", mode="semantic")

        assert [hit["path"] for hit in answer["results"]] == ["sub/deep.md"]
        assert "rrf_score" not in answer["results"][0]


def found(daemon: Running) -> set[str]:
    answer = daemon.ask("search", query="a ship ", mode="semantic")
    return {hit["path"] for hit in answer["results"]}


def test_vectors_follow_the_notes(vault: Path, models: Path) -> None:
    """New notes get vectors, removed ones lose them, renamed and rebuilt ones keep them."""
    with running(vault, **environment(models)) as daemon:
        ready(daemon)
        (vault / "n1.md").rename(vault / "renamed.md")
        (vault / "n2.md").unlink()
        (vault / "new.md").write_text("a new ship\n")
        daemon.paths("settle")
        expected = {"n0.md", "renamed.md", "new.md"}
        daemon.until(lambda: found(daemon) == expected)
        daemon.ask("rescan", wait=True)
        assert found(daemon) == expected
        daemon.ask("rescan", wait=True, vectors=True)
        assert found(daemon) == expected
        assert daemon.ask("check")["vectors"] == []


def test_killing_the_process_costs_no_vector(vault: Path, models: Path) -> None:
    """However often the embedding process dies during the build, every note has its vectors once."""

    def write(number: int) -> None:
        text = f"# Many {number}\n\n" + f"the bread {number} of the pan\n" * 30
        (vault / f"many{number}.md").write_text(text)

    many = 120
    for number in range(many):
        write(number)
    with running(vault, **environment(models)) as daemon:
        daemon.paths("settle")
        kills, before = 0, -1
        while kills < KILLS:
            now = daemon.ask("status")["spaces"][0]["vectors"]
            if now["state"] == "ready":  # it was quicker than we are
                write(many)
                many += 1
            pid = child_of(daemon)
            if pid is not None and now["done"] > before:
                os.kill(pid, signal.SIGKILL)
                kills, before = kills + 1, now["done"]
            assert daemon.ask("search", query="bread ", mode="lexical")["total"] >= 1
        vectors = ready(daemon)

        assert (vectors["done"], vectors["total"]) == (many + 3, many + 3)
        answer = daemon.ask("search", query="bread ", mode="semantic", limit=1000)
        assert len(answer["results"]) == many + 3
        assert daemon.ask("status")["spaces"][0]["problems"] == []


def test_damaged_model_degrades(vault: Path, models: Path) -> None:
    """Weights that are not what the manifest says are refused; the words answer, and it is said."""
    weights = models / "cache" / "notesd" / "models" / "tiny" / "model.onnx"
    weights.write_bytes(weights.read_bytes()[:-100])
    with running(vault, **environment(models)) as daemon:
        daemon.paths("settle")
        daemon.until(lambda: daemon.ask("status")["spaces"][0]["vectors"]["state"] == "unavailable")
        answer = daemon.ask("search", query="bread ")

        assert answer["results"][0]["path"] == "n1.md"
        assert answer["channels"]["semantic"] in {"unavailable", "timeout"}
        assert answer["degraded"]


def test_without_a_model_the_words_answer(vault: Path) -> None:
    """Nothing installed: the lexical answer comes at once and says what is missing and what to do."""
    with running(vault, VECTOR_SEARCH="1") as daemon:
        answer = daemon.ask("search", query="bread", wait=True)

        assert [hit["path"] for hit in answer["results"]] == ["n1.md"]
        assert answer["channels"]["semantic"] == "unavailable"
        assert answer["degraded"][0]["channel"] == "semantic"


def test_off_is_off(vault: Path) -> None:
    """By default nothing of it is loaded, and the answer says off."""
    with running(vault) as daemon:
        answer = daemon.ask("search", query="bread", wait=True)

        assert answer["channels"]["semantic"] == "off"
        assert answer["degraded"] == []
        assert daemon.ask("status")["spaces"][0]["vectors"]["state"] == "off"


def test_an_answer_says_how_many_notes_could_not_be_embedded(vault: Path, models: Path) -> None:
    """Whoever asks by meaning learns it from the answer; people only when they ask, or find nothing."""
    # The tiny model has 64 positions, whatever its manifest says: longer texts fail.
    tiny_model.make_model(str(models / "cache" / "notesd" / "models" / "tiny"), max_tokens=512)
    (vault / "long.md").write_text("# Long\n\n" + "a b c d e f " * 25 + "\n")
    with running(vault, **environment(models)) as daemon:
        assert ready(daemon)["done"] == 4
        answer = daemon.ask("search", query="ships in a harbour ")
        by_words = daemon.ask("search", query="ships in a harbour ", mode="lexical")
        sentence = (
            "1 note could not be embedded, or not in whole, and words alone find the rest: see notesd status"
        )
        plain, asked = daemon.run("query", "ships"), daemon.run("query", "--explain", "ships")
        nothing = daemon.run("query", "--folder", "nowhere", "ships")

        assert answer["channels"]["semantic"] == "ok"
        assert answer["index"]["set_aside"] == 1
        assert answer["degraded"] == [{"channel": "semantic", "reason": sentence, "lasting": True}]
        assert (by_words["degraded"], "set_aside" in by_words["index"]) == ([], False)
        assert [one["path"] for one in daemon.ask("status")["spaces"][0]["problems"]] == ["long.md"]
        assert [sentence in one.stderr for one in (plain, asked, nothing)] == [False, True, True]

        (vault / "long.md").write_text("# Long\n\na b c\n")
        daemon.paths("settle")
        daemon.until(lambda: not daemon.ask("search", query="ships in a harbour ")["degraded"])


def test_the_tokenizer_is_the_small_one_where_it_can_be_imported(
    vault: Path, models: Path, tmp_path: Path
) -> None:
    """Status says what cuts the texts; vectors of the one are those of the other, and none is made again."""
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sentencepiece.py").write_text("raise ImportError('no wheel')\n")
    with running(vault, PYTHONPATH=str(tmp_path / "without"), **environment(models)) as daemon:
        state = ready(daemon)
        assert state["tokenizer"] == "tokenizers"
        assert "takes 250 MB more memory than it needs" in state["remark"]
        before = daemon.ask("search", query="ships in a harbour ", mode="semantic")["results"]
        caches = sorted(os.listdir(daemon.state / "vectors"))
        (tmp_path / "without" / "sentencepiece.py").unlink()
        daemon.restart()
        ready(daemon)
        after = daemon.ask("search", query="ships in a harbour ", mode="semantic")["results"]
        state = daemon.ask("status")["spaces"][0]["vectors"]

        assert (state["tokenizer"], state["remark"]) == ("sentencepiece", None)
        assert [(hit["path"], hit["distance"]) for hit in after] == [
            (hit["path"], hit["distance"]) for hit in before
        ]
        assert sorted(os.listdir(daemon.state / "vectors")) == caches
        assert "cut by sentencepiece" in daemon.run("status").stdout


def spoilt(daemon: Running) -> Path:
    """Stop a daemon, wipe the pages in which vectors lie, and start it again; returns the file."""
    daemon.stop()
    (file,) = daemon.state.glob("spaces/*/vectors-*.db")
    db = apsw.Connection(str(file))
    ((size,),) = db.execute("PRAGMA page_size")
    ((root,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'vec_1_vector_chunks00'")
    db.close()
    with file.open("r+b") as opened:
        opened.seek((int(root) - 1) * size)
        opened.write(bytes(size))
    daemon.restart()
    return file


def exchanged(file: Path) -> None:
    """Let the vectors of a file change places with the sums beside them, so that nothing can tell."""
    db = apsw.Connection(str(file))
    if file.parent.name == "vectors":
        rows = db.execute("SELECT hash, vector, sum FROM cache ORDER BY hash").fetchall()
        statements = ("UPDATE cache SET vector = ? WHERE hash = ?", "UPDATE cache SET sum = ? WHERE hash = ?")
    else:
        prepare(db)
        sql = "SELECT rowid, embedding, sum FROM vec_1 JOIN passage ON id = rowid ORDER BY 1"
        rows = db.execute(sql).fetchall()
        statements = (
            "UPDATE vec_1 SET embedding = ? WHERE rowid = ?",
            "UPDATE passage SET sum = ? WHERE id = ?",
        )
    for (key, *_), (_, *others) in zip(rows, [*rows[1:], rows[0]], strict=True):
        for sql, value in zip(statements, others, strict=True):
            db.execute(sql, (value, key))
    db.close()


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_damaged_vectors_cost_meaning_until_they_are_made_anew(vault: Path, models: Path, mode: str) -> None:
    """Every answer is one, the index is left alone, and what can be made again is made again."""
    with running(vault, **environment(models)) as daemon:
        ready(daemon)
        before, index = found(daemon), sorted(daemon.state.glob("spaces/*/index-*.db"))
        file = spoilt(daemon)
        (vault / "new.md").write_text("# New\n\nmore ships in another harbour\n")

        def is_mended() -> bool:
            answer = daemon.ask("search", query="harbour", mode=mode)
            assert answer["results"]
            assert daemon.ask("status")["spaces"][0]["state"] == "ready"
            return bool(answer["channels"]["semantic"] == "ok")

        daemon.until(is_mended)
        ready(daemon)

        assert found(daemon) == before | {"new.md"}
        assert not file.exists()
        assert sorted(daemon.state.glob("spaces/*/index-*.db")) == index
        assert daemon.ask("check")["vectors"] == []


def test_a_name_that_is_used_again_does_not_bring_the_wrong_vector(vault: Path, models: Path) -> None:
    """A note moves away while the vectors are built, and another one takes its name."""
    for number in range(120):
        (vault / f"pad{number:03}.md").write_text(f"# Pad {number}\n\n{'filler words ' * 60}{number}\n")
    (vault / "Untitled.md").write_text("# Lighthouse\n\nships and the harbour bell\n")
    os.utime(vault / "Untitled.md", (0, 0))  # its turn comes last
    with running(vault, **environment(models)) as daemon:
        daemon.paths("settle")
        (vault / "Untitled.md").rename(vault / "Lighthouse.md")
        daemon.paths("settle")
        (vault / "Untitled.md").write_text("# Bread\n\nbread needs salt\n")
        ready(daemon)
        grown = distances(daemon)
    with running(vault, **environment(models)) as daemon:
        ready(daemon)

        assert grown == distances(daemon)


def distances(daemon: Running) -> dict[str, float]:
    """How far each note is from a question."""
    hits = daemon.ask("search", query="ships and the harbour bell", mode="semantic", limit=200)["results"]
    return {hit["path"]: hit["distance"] for hit in hits}


def test_all_vectors_are_made_again_when_somebody_says_so(vault: Path, models: Path) -> None:
    """Also where the file believes to have them; whoever asks during that gets them once more."""
    with running(vault, **environment(models)) as daemon:
        ready(daemon)
        right = daemon.ask("search", query="bread needs salt", mode="semantic")["results"]
        daemon.stop()
        for file in (*daemon.state.glob("spaces/*/vectors-*.db"), *daemon.state.glob("vectors/*.db")):
            exchanged(file)
        daemon.restart()
        ready(daemon)
        wrong = daemon.ask("search", query="bread needs salt", mode="semantic")["results"]
        daemon.ask("rescan", vectors=True)
        ready(daemon)
        again = daemon.ask("search", query="bread needs salt", mode="semantic")["results"]

    assert [hit["path"] for hit in wrong] != [hit["path"] for hit in right]
    assert [(hit["path"], hit["distance"]) for hit in again] == [
        (hit["path"], hit["distance"]) for hit in right
    ]


def test_what_was_missing_for_a_while_is_ready_again(vault: Path, models: Path) -> None:
    """Where nothing is left to do, too; and status counts the notes that there are."""
    folder = models / "cache" / "notesd" / "models"
    with running(vault, **environment(models)) as daemon:
        assert ready(daemon)["total"] == 3
        (vault / "n0.md").unlink()
        daemon.paths("settle")
        daemon.until(lambda: ready(daemon)["total"] == 2)
        daemon.stop()
        (folder / "tiny").rename(folder / "away")
        daemon.restart()
        daemon.paths("settle")
        daemon.until(lambda: daemon.ask("status")["spaces"][0]["vectors"]["state"] == "unavailable")
        (folder / "away").rename(folder / "tiny")
        daemon.until(lambda: daemon.ask("status")["spaces"][0]["vectors"]["state"] == "ready")
        now = ready(daemon)

        assert (now["done"], now["total"]) == (2, 2)


def test_more_by_meaning_than_the_channel_offers_is_not_all(vault: Path, models: Path) -> None:
    """Who goes on as long as there is more comes to every note."""
    for number in range(130):
        (vault / f"n{number:03}.md").write_text(f"# N {number}\n\nships {number}\n")
    with running(vault, **environment(models)) as daemon:
        ready(daemon)
        seen: list[str] = []
        more = True
        while more:
            page = daemon.ask("search", query="ships", mode="semantic", limit=50, offset=len(seen))
            assert page["has_more"] or page["total_is_exact"]
            seen += [hit["path"] for hit in page["results"]]
            more = page["has_more"]

    assert len(seen) == len(set(seen)) >= 130
