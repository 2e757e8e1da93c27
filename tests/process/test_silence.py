"""Nothing leaves the machine, and nothing is left outside notesd's folders: seen at the system's calls."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_model
from running import PROGRAM, Running, running

pytestmark = pytest.mark.process
CALLS = (
    "socket,connect,execve,open,openat,creat,mkdir,mkdirat,mknod,mknodat,"
    "link,linkat,symlink,symlinkat,rename,renameat,renameat2"
)
PATH = re.compile(r'(?:<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
HARMLESS = ("/proc/self/oom_score_adj", "/dev/null")
LEADING_OUT = re.compile(r"^socket\((?!AF_UNIX)|^connect\((?!.*AF_UNIX)")
KINDS = ("notesd.files.worker", "notesd.embed.worker", "notesd serve", "notesd query", "notesd model install")


@pytest.fixture
def tracing(tmp_path: Path) -> tuple[str, ...]:
    """What is put before a command so that its calls, and those of its children, are written down."""
    program = shutil.which("strace") or ""
    if not program or subprocess.run([program, "-qq", "-o", "/dev/null", "true"]).returncode:
        pytest.skip("strace is not installed here, or may not follow processes")
    (tmp_path / "calls").mkdir()
    where = str(tmp_path / "calls" / "of")
    return (program, "-ff", "-qq", "-y", "-s", "4096", "-e", f"trace={CALLS}", "-o", where)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """So many notes that other processes read them; few of them get vectors."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(60):
        wish = "" if number < 3 else "---\nembed: false\n---\n"
        (folder / f"n{number}.md").write_text(f"{wish}# Note {number}\n\nbread needs salt\n")
    return folder


def created(call: str) -> str:
    """The path that a call makes, or opens for making; "" where it makes none."""
    if call.startswith(("socket(", "connect(", "execve(")) or not (
        paths := list[tuple[str, str]](PATH.findall(call))
    ):
        return ""
    if call.startswith("open") and "O_CREAT" not in call:
        return ""
    folder, path = paths[-1]
    return os.path.join(folder, path)


def ready(daemon: Running) -> None:
    """Wait until every note has its vectors."""
    daemon.paths("settle")
    daemon.until(lambda: daemon.ask("status")["spaces"][0]["vectors"]["state"] in {"ready", "unavailable"})
    vectors = daemon.ask("status")["spaces"][0]["vectors"]
    assert vectors["state"] == "ready", vectors


@pytest.mark.skipif(sys.platform != "linux", reason="strace is of Linux")
def test_every_process_stays_on_the_machine_and_in_its_folders(
    tracing: tuple[str, ...], vault: Path, tmp_path: Path
) -> None:
    """Daemon, readers, embedding process, client and the install of a model: no address, no stray file."""
    tiny_model.make_model(str(tmp_path / "mirror" / "tiny"))
    (tmp_path / "config.toml").write_text(tiny_model.CONFIG)
    (tmp_path / "cache").mkdir()
    facts = {
        "NOTESD_CONFIG": str(tmp_path / "config.toml"), "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    install = (*tracing, *PROGRAM, "model", "install", "tiny", "--source", str(tmp_path / "mirror" / "tiny"))
    subprocess.run(install, env={**os.environ, **facts}, capture_output=True, check=True)
    with running(vault, (*tracing, *PROGRAM), **facts) as daemon:
        ready(daemon)
        assert "n0.md" in daemon.run("query", "--vector", "--wait", "bread").stdout
        assert daemon.ask("search", query="salt")["channels"]["semantic"] == "ok"
        daemon.run("stop")
        daemon.process.wait()
        own = (f"{daemon.home}/", f"{tmp_path}/cache/notesd")

    texts = [path.read_text(errors="replace") for path in (tmp_path / "calls").iterdir()]
    calls = [line for text in texts for line in text.splitlines()]
    started = "\n".join(line.replace('", "', " ") for line in calls if line.startswith("execve("))
    assert [kind for kind in KINDS if kind not in started] == []
    assert [line for line in calls if LEADING_OUT.match(line)] == []
    made = {path for path in map(created, calls) if path and path not in HARMLESS}
    assert sorted(path for path in made if not path.startswith(own)) == []
    assert all(any(path.startswith(each) for path in made) for each in own)


def test_running_a_model_leaves_nothing_in_the_home(tmp_path: Path) -> None:
    """The library that runs models would leave a lasting number of the machine in the user's cache."""
    tiny_model.make_model(str(tmp_path / "tiny"))
    (tmp_path / "home").mkdir()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))
    } | {"HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    program = f"from notesd.embed.encoder import Encoder; Encoder({str(tmp_path / 'tiny')!r}).encode('a')"

    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "home").rglob("*")) == []
