"""A disk that fails for a while costs what lies on it, for as long: no index, no other space, no status."""

import errno
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tiny_model
from running import Running, running

from notesd.errors import NotesdError

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        not shutil.which("gcc") or not os.path.isdir("/proc/self/fd"),
        reason="a failing disk takes gcc and /proc",
    ),
]


class Sick(NamedTuple):
    """A daemon over two spaces, whose index of ``notes`` can be made to fail."""

    daemon: Running
    switch: Path
    """While it is there, it fails."""

    @property
    def indexes(self) -> set[str]:
        """Index files of the space that fails."""
        files = (self.daemon.state / "spaces" / key(self.daemon.vault)).glob("index*db*")
        return {file.name for file in files if not file.name.endswith(("-wal", "-shm"))}

    def space(self, name: str) -> Any:
        return next(one for one in self.daemon.ask("status")["spaces"] if one["name"] == name)

    def recovered(self) -> None:
        """Wait until the space follows its folder again."""
        self.daemon.until(lambda: self.space("notes")["state"] == "ready")


def key(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:16]


@pytest.fixture(scope="module")
def preload(tmp_path_factory: pytest.TempPathFactory) -> str:
    built = tmp_path_factory.mktemp("eio") / "eio.so"
    source = Path(__file__).with_name("eio.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(built), str(source), "-ldl"], check=True)
    return str(built)


@pytest.fixture(scope="module")
def sick(tmp_path_factory: pytest.TempPathFactory, preload: str) -> Iterator[Sick]:
    """The index was built by another run of the daemon, so that nothing of it is in memory yet."""
    folder = tmp_path_factory.mktemp("sick")
    for name in ("notes", "others"):
        (folder / name).mkdir()
        for number in range(40):
            (folder / name / f"n{number}.md").write_text(f"# Note {number}\n\ncommon {name}mark [[Note 3]]\n")
    config = folder / "config.toml"
    config.write_text(f'[spaces.others]\npath = "{folder / "others"}"\n')
    switch = folder / "switch"
    failing = {
        "LD_PRELOAD": preload,
        "EIO_WHILE": str(switch),
        "EIO_PATH": f"{key(folder / 'notes')}/index-",
        "NOTESD_CONFIG": str(config),
    }
    with running(folder / "notes", **failing) as daemon:
        daemon.paths("common")
        daemon.restart()
        daemon.ask("ping")
        yield Sick(daemon, switch)


FAULTS = ["EIO", "EIO+", "EMFILE+", "EACCES+", "ESTALE+", "ENOMEM+"]
"""With ``+``: it is not reading alone that fails."""


def errnumber(fault: str) -> str:
    return fault.replace(fault.rstrip("+"), str(getattr(errno, fault.rstrip("+"))))


def answers(daemon: Running) -> None:
    """Every method that looks over the spaces answers for the one that can be read."""
    found = daemon.ask("search", query="common", record=False, limit=100)
    spaces = {hit["space"] for hit in found["results"]}
    assert "others" in spaces
    if spaces == {"others"}:
        assert [one["space"] for one in found["degraded"] if "space" in one] == ["notes"]
        assert not found["index"]["complete"]
        assert not found["total_is_exact"]
    asked: dict[str, dict[str, Any]] = {
        "feed": {"q": "othersmark"},
        "open": {"notes": ["n3.md"], "record": False},
        "check": {},
        "export": {},
    }
    for method, params in asked.items():
        told = daemon.ask(method, **params)
        assert {one["space"] for one in told.get("degraded", []) if "space" in one} <= {"notes"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_disk_that_fails_for_a_while_costs_no_index(sick: Sick, fault: str) -> None:
    """Its space is degraded and says why, the others answer, and it goes on by itself."""
    before = sick.indexes
    sick.switch.write_text(errnumber(fault))
    for _ in range(3):
        answers(sick.daemon)
    (sick.daemon.vault / "new.md").write_text(f"newword{fault}")
    told = sick.daemon.ask("status")
    assert [one["name"] for one in told["spaces"]] == ["others", "notes"]
    assert sick.space("others")["state"] == "ready"
    for _ in range(3):
        answers(sick.daemon)
    assert sick.indexes == before

    sick.switch.unlink()
    assert sick.daemon.paths(f'"newword{fault}"') == ["new.md"]
    sick.recovered()
    assert sick.indexes == before


@pytest.mark.parametrize("fault", FAULTS[:2])
def test_a_daemon_starts_on_a_disk_that_fails(sick: Sick, fault: str) -> None:
    """One index that cannot be read keeps no other space from being served, and is not begun anew."""
    before = sick.indexes
    generation = sick.space("notes")["generation"]
    sick.switch.write_text(errnumber(fault))
    sick.daemon.restart()

    assert sick.daemon.paths("othersmark", space="others") != []
    answers(sick.daemon)
    sick_space = sick.space("notes")
    assert sick_space["state"] == "degraded"
    assert [problem["path"] for problem in sick_space["problems"]] == [""]
    with pytest.raises(NotesdError):
        sick.daemon.ask("search", query="common", space="notes")
    assert sick.indexes == before

    sick.switch.unlink()
    sick.recovered()
    assert len(sick.daemon.paths("notesmark", limit=100)) == 40
    assert sick.indexes == before
    assert sick.space("notes")["generation"] <= generation + 2


def test_vectors_on_a_disk_that_fails_are_kept(tmp_path: Path, preload: str) -> None:
    """The words answer meanwhile, all say that meaning is not to be had, and nothing is made again."""
    tiny_model.make_model(str(tmp_path / "cache" / "notesd" / "models" / "tiny"))
    (tmp_path / "config.toml").write_text(
        '[search]\nmodel = "tiny"\nvector_search = true\nquery_timeout_s = 20\n'
    )
    (tmp_path / "notes").mkdir()
    for number in range(60):
        (tmp_path / "notes" / f"n{number}.md").write_text(f"# Note {number}\n\nships number {number}\n")
    switch = tmp_path / "switch"
    more = {
        "LD_PRELOAD": preload, "EIO_WHILE": str(switch), "EIO_PATH": "/vectors",
        "XDG_CACHE_HOME": str(tmp_path / "cache"), "NOTESD_CONFIG": str(tmp_path / "config.toml"),
    }  # fmt: skip
    with running(tmp_path / "notes", **more) as daemon:

        def standing() -> str:
            return str(daemon.ask("status")["spaces"][0]["vectors"]["state"])

        def files() -> set[tuple[str, int]]:
            found = [*daemon.state.glob("spaces/*/vectors-*.db*"), *daemon.state.glob("vectors/*.db*")]
            return {(one.name, one.stat().st_ino) for one in found if not one.name.endswith(("-wal", "-shm"))}

        daemon.paths("settle")
        daemon.until(lambda: standing() == "ready")
        before = files()
        daemon.stop()
        switch.write_text(errnumber("EIO"))
        daemon.restart()
        daemon.paths("settle")
        daemon.until(lambda: standing() == "unavailable")
        answer = daemon.ask("search", query="ships", record=False)
        assert answer["results"]
        assert answer["channels"]["semantic"] == "unavailable"
        assert daemon.ask("check")["vectors"]
        assert daemon.ask("status")["spaces"][0]["state"] == "ready"
        assert files() == before

        switch.unlink()
        daemon.until(lambda: standing() == "ready")
        answer = daemon.ask("search", query="ships", mode="semantic", record=False)
        assert answer["channels"]["semantic"] == "ok"
        assert len(answer["results"]) == 10
        assert files() == before


def test_the_record_of_use_on_a_disk_that_fails_is_kept(tmp_path: Path, preload: str) -> None:
    """It is not moved aside, questions are answered without it, and it goes on where it was."""
    (tmp_path / "notes").mkdir()
    for number in range(30):
        (tmp_path / "notes" / f"n{number}.md").write_text(f"# Note {number}\n\ncommon\n")
    switch = tmp_path / "switch"
    more = {"LD_PRELOAD": preload, "EIO_WHILE": str(switch), "EIO_PATH": "/usage.db"}
    with running(tmp_path / "notes", **more) as daemon:
        daemon.paths("common")
        daemon.ask("open", notes=[f"n{number}.md" for number in range(30)])
        assert daemon.heard("status")["usage"]["opened"] == 30
        daemon.stop()
        switch.write_text(errnumber("EIO"))
        daemon.restart()
        assert daemon.heard("status")["usage"]["problem"] == "usage_unavailable"
        assert daemon.ask("search", query="common", limbic="on")["results"]

        switch.unlink()

        def problem() -> object:
            found = daemon.heard("status")["usage"]["problem"]
            assert found in {None, "usage_unavailable"}
            return found

        daemon.until(lambda: problem() is None)
        assert daemon.heard("status")["usage"]["opened"] == 30
        assert not list(daemon.state.glob("usage.db.corrupt-*"))
