"""What is kept beside the program is named, and goes where that is wished; nothing else does."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="nd", dir="/tmp") as folder:
        home = Path(folder)
        (home / "notes").mkdir()
        (home / "notes" / "kiln.md").write_text("A kiln.\n")
        yield home
        run(home, "stop")


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "notesd", *words], capture_output=True, text=True, timeout=300,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


def test_nothing_is_left_of_it(home: Path) -> None:
    """The daemon ends, all that is ours goes, what people put beside it and the notes stay."""
    before = files(home)
    run(home, "init", str(home / "notes"))
    run(home, "query", "kiln", "--wait")
    mine = home / ".local" / "state" / "notesd" / "mine.txt"
    mine.write_text("mine")
    (home / ".cache" / "notesd" / "models" / "x").mkdir(parents=True)
    (home / ".cache" / "notesd" / "models" / "x" / "manifest.json").write_text("w")
    told = run(home, "uninstall")
    assert [line.partition(":")[0] for line in told.stdout.splitlines()] == [
        "state", "models", "configuration", "to remove them",
    ]  # fmt: skip
    assert len(files(home)) > len(before)
    done = run(home, "uninstall", "all")
    assert done.returncode == 0, done.stderr
    assert "the daemon that ran has ended" in done.stderr
    assert files(home) == sorted([*before, str(mine.relative_to(home))])
    assert not (home / ".config" / "notesd").exists()
    assert "nothing is kept" in run(home, "uninstall").stdout


def test_notes_are_never_taken_for_what_is_kept(home: Path) -> None:
    """Whatever they and their folders are called, and whatever folder is named as that of the state."""
    notes = home / "notes"
    for name in ("start.md", "daemon.md", "usage.db.md", "spaces/a.md", "vectors/algebra.md", "pulse/x.md"):
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / name).write_text("x")
    mine = home / ".cache" / "notesd" / "models" / "mine" / "foo.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("x")
    before = files(home)
    assert "nothing is kept" in run(home, "uninstall", "--state-dir", str(notes)).stdout
    assert run(home, "uninstall", "all", "--state-dir", str(notes)).returncode == 0
    assert files(home) == before
    run(home, "init", str(notes))
    (notes / "daemon.lock").write_text("")
    refused = run(home, "uninstall", "state", "--state-dir", str(notes))
    assert (refused.returncode, "lies inside the notes" in refused.stderr) == (2, True)
    assert set(before) < set(files(home))


def test_folders_above_what_is_ours_stay(home: Path) -> None:
    """Also when nothing else is in them, and when they are called like nothing of ours."""
    (home / ".config").mkdir()
    config = home / "settings" / "mine.toml"
    config.parent.mkdir()
    options = (
        "--config",
        str(config),
        "--socket",
        str(home / "run" / "s"),
        "--state-dir",
        str(home / "x" / "y"),
    )
    (home / "run").mkdir(mode=0o700)
    run(home, "init", str(home / "notes"))
    run(home, "init", str(home / "notes"), "--config", str(config))
    run(home, "query", "kiln", "--wait", *options)
    run(home, "query", "kiln", "--wait")
    for asked in ((), options):
        assert run(home, "uninstall", "all", *asked).returncode == 0
    assert files(home) == ["notes/kiln.md"]
    for kept in (".config", ".local/state", "settings", "run", "x"):
        assert (home / kept).is_dir(), kept
    for gone in (".config/notesd", ".local/state/notesd", "x/y"):
        assert not (home / gone).exists(), gone


def test_only_what_is_named_goes(home: Path) -> None:
    """And a word that is no part is told which ones there are."""
    run(home, "init", str(home / "notes"))
    run(home, "query", "kiln")
    assert "state is removed" in run(home, "uninstall", "state").stdout
    assert (home / ".config" / "notesd" / "config.toml").exists()
    assert not (home / ".local" / "state" / "notesd").exists()
    wrong = run(home, "uninstall", "everything")
    assert (wrong.returncode, "service, state, models, configuration or all" in wrong.stderr) == (2, True)
