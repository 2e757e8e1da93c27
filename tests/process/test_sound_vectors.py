"""Vectors that are not what was stored, models that cannot be had: said by all alike, mended by itself."""

import math
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
import tiny_model
from running import Running, running

from notesd.index.vector_files import prepare

pytestmark = pytest.mark.process


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    texts = ("ships rest in the harbour", "bread needs salt", "a garden in the rain", "the tide goes out")
    for number, text in enumerate(texts):
        (folder / f"n{number}.md").write_text(f"# Note {number}\n\n{text}\n")
    return folder


@pytest.fixture
def models(tmp_path: Path) -> Path:
    tiny_model.make_model(str(tmp_path / "cache" / "notesd" / "models" / "tiny"))
    (tmp_path / "config.toml").write_text(
        '[search]\nmodel = "tiny"\nvector_search = true\nmodel_idle_s = 1\nquery_timeout_s = 20\n'
    )
    return tmp_path


def environment(models: Path, **more: str) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(models / "cache"), "NOTESD_CONFIG": str(models / "config.toml"), **more}


def standing(daemon: Running) -> dict[str, Any]:
    vectors: dict[str, Any] = daemon.ask("status")["spaces"][0]["vectors"]
    return vectors


def until(daemon: Running, state: str) -> dict[str, Any]:
    """Wait until status says so, without a question that might find it out."""
    return daemon.until(lambda: vectors if (vectors := standing(daemon))["state"] == state else {})


def asked(daemon: Running) -> dict[str, Any]:
    answer: dict[str, Any] = daemon.ask("search", query="ships rest in the harbour", mode="semantic")
    return answer


def distances(answer: dict[str, Any]) -> dict[str, float]:
    return {hit["path"]: round(hit["distance"], 6) for hit in answer["results"]}


def zeros(size: int) -> bytes:
    return bytes(size)


def nan(size: int) -> bytes:
    return struct.pack("f", math.nan) * (size // 4)


def shorter(size: int) -> bytes:
    return struct.pack("f", 1e-3) * (size // 4)


def vectors_are(content: Callable[[int], bytes]) -> Callable[[apsw.Connection], None]:
    def harm(db: apsw.Connection) -> None:
        ((size,),) = db.execute("SELECT length(vectors) FROM vec_1_vector_chunks00")
        db.execute("UPDATE vec_1_vector_chunks00 SET vectors = ?", (content(size),))

    return harm


def one_is_zero(db: apsw.Connection) -> None:
    """The first vector of the only chunk."""
    ((whole,),) = db.execute("SELECT vectors FROM vec_1_vector_chunks00")
    size = len(whole) // 128
    db.execute("UPDATE vec_1_vector_chunks00 SET vectors = ?", (bytes(size) + whole[size:],))


def exchanged(db: apsw.Connection) -> None:
    """Two notes have each other's vector."""
    ((whole,),) = db.execute("SELECT vectors FROM vec_1_vector_chunks00")
    size = len(whole) // 128
    mixed = whole[size : 2 * size] + whole[:size] + whole[2 * size :]
    db.execute("UPDATE vec_1_vector_chunks00 SET vectors = ?", (mixed,))


def not_valid(db: apsw.Connection) -> None:
    """vec0 knows of no row."""
    db.execute("UPDATE vec_1_chunks SET validity = zeroblob(length(validity))")


def passage_gone(db: apsw.Connection) -> None:
    db.execute("DELETE FROM passage WHERE id = 1")


def done_to_vectors(daemon: Running, harm: Callable[[apsw.Connection], None]) -> None:
    (file,) = daemon.state.glob("spaces/*/vectors-*.db")
    db = apsw.Connection(str(file))
    prepare(db)
    harm(db)
    db.close()


def cache_is(daemon: Running, sql: str) -> None:
    (file,) = daemon.state.glob("vectors/*.db")
    db = apsw.Connection(str(file))
    db.execute(sql)
    db.close()


HARMS = {
    "zeros": vectors_are(zeros), "NaN": vectors_are(nan), "another length": vectors_are(shorter),
    "one note's zeros": one_is_zero, "another note's": exchanged, "no row valid": not_valid,
    "a passage gone": passage_gone,
}  # fmt: skip


def test_vectors_that_are_not_what_was_stored_are_made_anew(vault: Path, models: Path) -> None:
    """Whether the daemon ran meanwhile, and whoever finds it: no answer passes for a whole one."""
    with running(vault, **environment(models)) as daemon:
        daemon.paths("settle")
        until(daemon, "ready")
        before = distances(asked(daemon))
        assert len(before) == 4
        for name, harm in HARMS.items():
            daemon.stop()
            done_to_vectors(daemon, harm)
            if name in {"zeros", "NaN"}:
                cache_is(daemon, "UPDATE cache SET vector = zeroblob(length(vector))")
            daemon.restart()
            until(daemon, "ready")
            answer = asked(daemon)
            assert (distances(answer), answer["channels"]["semantic"]) == (before, "ok"), name
            assert daemon.ask("check")["vectors"] == [], name
        assert not list(daemon.state.glob("spaces/*/*.damaged"))


@pytest.mark.parametrize("finder", ["question", "check"])
def test_damage_under_a_running_daemon_is_said_and_mended(vault: Path, models: Path, finder: str) -> None:
    """What a question meets, status and check say; what check sees, a question does not pass over."""
    with running(vault, **environment(models)) as daemon:
        daemon.paths("settle")
        until(daemon, "ready")
        before = distances(asked(daemon))
        done_to_vectors(daemon, HARMS["zeros"])
        if finder == "check":
            assert daemon.ask("check")["vectors"]

        def is_well() -> bool:
            answer = asked(daemon)
            assert answer["channels"]["semantic"] == "ok" or answer["degraded"]
            return bool(answer["channels"]["semantic"] == "ok")

        daemon.until(is_well)
        until(daemon, "ready")
        answer = asked(daemon)
        assert (distances(answer), answer["channels"]["semantic"]) == (before, "ok")
        assert daemon.ask("check")["vectors"] == []
        assert "looked into" in daemon.log.read_text()


def test_a_cache_that_is_not_what_was_stored_is_not_believed(vault: Path, models: Path) -> None:
    """Its rows are good for the vectors they hold, or made again; none is taken for another."""
    with running(vault, **environment(models)) as daemon:
        daemon.paths("settle")
        until(daemon, "ready")
        before = distances(asked(daemon))
        daemon.stop()
        cache_is(daemon, "UPDATE cache SET vector = (SELECT vector FROM cache ORDER BY hash LIMIT 1)")
        for file in daemon.state.glob("spaces/*/vectors-*"):
            file.unlink()
        daemon.restart()
        until(daemon, "ready")
        assert distances(asked(daemon)) == before


def alike(daemon: Running, state: str) -> str:
    """Status, check, search and the command line say the same of meaning; returns why."""
    told = until(daemon, state)
    answer = asked(daemon)
    reasons: list[str] = [row["reason"] for row in daemon.ask("check")["vectors"]]
    assert answer["channels"]["semantic"] == told["state"] == "unavailable"
    assert {one["reason"] for one in answer["degraded"]} == {told["reason"]} == {*reasons}
    assert f"vectors: {state}" in daemon.run("status").stdout
    return reasons[0]


def test_a_model_that_cannot_be_had_is_said_by_all_alike(vault: Path, models: Path) -> None:
    """Before anybody asks; and when it can be had again, that is found out as well."""
    folder = models / "cache" / "notesd" / "models" / "tiny"
    weights = (folder / "model.onnx").read_bytes()
    with running(vault, **environment(models)) as daemon:
        daemon.paths("settle")
        until(daemon, "ready")
        before = distances(asked(daemon))
        daemon.stop()
        (folder / "model.onnx").write_bytes(weights[:1000])
        daemon.restart()
        assert "model.onnx" in alike(daemon, "unavailable")

        (folder / "model.onnx").write_bytes(weights)
        until(daemon, "ready")
        assert distances(asked(daemon)) == before

        shutil.move(folder, models / "away")  # the process has it in memory until it has rested
        alike(daemon, "unavailable")
        shutil.move(models / "away", folder)
        until(daemon, "ready")
        assert distances(asked(daemon)) == before


def test_a_process_that_cannot_start_is_said_by_all_alike(vault: Path, models: Path) -> None:
    """The vectors are there, and nothing can turn a question into one."""
    broken = models / "broken"
    broken.mkdir()
    with running(vault, **environment(models, PYTHONPATH=str(broken))) as daemon:
        daemon.paths("settle")
        until(daemon, "ready")
        daemon.stop()
        (broken / "tokenizers.py").write_text("import os\nos._exit(3)\n")
        daemon.restart()
        until(daemon, "unavailable")
        answer = asked(daemon)
        assert answer["channels"]["semantic"] == "unavailable"
        assert not any("semantic" in hit["channels"] for hit in answer["results"])
        assert standing(daemon)["state"] == "unavailable"
        assert daemon.ask("check")["vectors"]
