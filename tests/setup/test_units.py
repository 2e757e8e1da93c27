"""What systemd and launchd are told."""

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from notesd.setup.units import MARK, SERVICE, SOCKET, Program, launchd_agent, systemd_units

PROGRAM = Program(
    words=["/opt/a b/python", "-m", "notesd", "serve", "--config", '/home/u/100%/$x "y"\\z.toml'],
    environment={"VECTOR_SEARCH": "1"},
    socket="/run/user/1000/100%/notesd.sock",
    own=["/home/u/.local/state/notesd", "/run/user/1000/notesd"],
    log="/home/u/.local/state/notesd/daemon.log",
)
LOOSEST = 4.0
"""Exposure that systemd may see in the service, of 10."""

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here, which judges units"
)


def analyze(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["systemd-analyze", "--user", *words], capture_output=True, text=True,
        env={"XDG_RUNTIME_DIR": str(folder), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def written(folder: Path, *, namespaces: bool) -> None:
    for name, text in systemd_units(PROGRAM, namespaces=namespaces).items():
        (folder / name).write_text(text.replace("/opt/a b/python", "/bin/true"))


def test_every_word_reaches_the_daemon_as_it_is() -> None:
    """Blanks, quotes, percent and dollar signs mean something to systemd unless they are written twice."""
    text = systemd_units(PROGRAM, namespaces=True)[SERVICE]
    assert r'ExecStart="/opt/a b/python" "-m" "notesd" "serve" "--config"' in text
    assert r'"/home/u/100%%/$$x \"y\"\\z.toml"' in text
    assert "ListenStream=/run/user/1000/100%%/notesd.sock" in systemd_units(PROGRAM, namespaces=True)[SOCKET]
    assert 'Environment="VECTOR_SEARCH=1"' in text


def test_only_its_own_folders_can_be_written() -> None:
    """The notes are read-only to the service, wherever the system allows that."""
    lines = systemd_units(PROGRAM, namespaces=True)[SERVICE].splitlines()
    assert {"ProtectSystem=strict", "ProtectHome=read-only"} <= set(lines)
    assert [line for line in lines if line.startswith("ReadWritePaths=")] == [
        'ReadWritePaths="-/home/u/.local/state/notesd"', 'ReadWritePaths="-/run/user/1000/notesd"',
    ]  # fmt: skip
    assert "ProtectSystem" not in systemd_units(PROGRAM, namespaces=False)[SERVICE]


def test_each_file_says_whose_it_is() -> None:
    """So that nobody else's is overwritten."""
    texts = [*systemd_units(PROGRAM, namespaces=True).values(), launchd_agent(PROGRAM)]
    assert all(MARK in text for text in texts)


@needs_systemd
@pytest.mark.parametrize("namespaces", [True, False])
def test_systemd_understands_the_units(tmp_path: Path, namespaces: bool) -> None:
    """Without a word of complaint."""
    written(tmp_path, namespaces=namespaces)
    assert analyze(tmp_path, "verify", str(tmp_path / SERVICE), str(tmp_path / SOCKET)) == ""


@needs_systemd
def test_the_service_may_do_little(tmp_path: Path) -> None:
    """As systemd itself judges it."""
    written(tmp_path, namespaces=True)
    said = analyze(tmp_path, "security", "--offline=true", str(tmp_path / SERVICE))
    exposure = float(said.partition("exposure level for notesd.service: ")[2].split()[0])
    assert 0 < exposure <= LOOSEST


def test_launchd_understands_the_agent() -> None:
    """A property list with the same command line."""
    table = plistlib.loads(launchd_agent(PROGRAM).encode())
    assert table["ProgramArguments"] == PROGRAM.words
    assert (table["RunAtLoad"], table["KeepAlive"]) == (True, {"SuccessfulExit": False})
