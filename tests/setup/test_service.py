"""The service is installed, told of and removed, with a service manager that does as the real one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from notesd.errors import ConfigError, ServiceFailed
from notesd.locations import Paths, locate
from notesd.setup import service, uninstall
from notesd.setup.units import SERVICE, SOCKET

MANAGER = """#!/bin/sh
echo "$*" >> {log}
shift
case "$1" in
  show) if [ "$2" = --property=Version ]; then {answers}; fi; echo ExecMainStatus={status} ;;
  start) [ "$2" = notesd.service ] || exit 0
    if grep -q ProtectSystem {home}/.config/systemd/user/notesd.service; then exit {strict}; fi
    exit {plain} ;;
  is-active) echo active ;;
esac
exit 0
"""


class Desk:
    """A home, and a ``systemctl`` that writes down what it is asked."""

    def __init__(self, home: Path) -> None:
        self.home, self.log = home, home / "asked"
        self.environ = {"HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin"}
        (home / "notes").mkdir()
        (home / ".config" / "notesd").mkdir(parents=True)
        (home / ".config" / "notesd" / "config.toml").write_text('[spaces.notes]\npath = "~/notes"\n')
        (home / "bin").mkdir()
        self.manager()

    def manager(self, *, answers: bool = True, strict: int = 0, plain: int = 0, status: int = 0) -> None:
        """Set what the service manager does: whether it answers, and how the two forms of the unit start."""
        file = self.home / "bin" / "systemctl"
        file.write_text(
            MANAGER.format(
                log=self.log, home=self.home, strict=strict, plain=plain, status=status,
                answers="exit 0" if answers else 'echo "no bus" >&2; exit 1',
            )
        )  # fmt: skip
        file.chmod(0o755)

    @property
    def paths(self) -> Paths:
        return locate(self.environ)

    @property
    def units(self) -> Path:
        return self.home / ".config" / "systemd" / "user"

    def asked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk(tmp_path)
    for name in list(os.environ):
        if name.startswith(("XDG_", "NOTESD_")):
            monkeypatch.delenv(name)
    for name, value in desk.environ.items():
        monkeypatch.setenv(name, value)
    return desk


def test_it_begins_now_and_at_each_login(desk: Desk) -> None:
    """Written, read by the manager, enabled, started; a second time does no harm."""
    for _ in range(2):
        found = service.install(desk.paths, desk.environ, "linux")
        assert (found.state, found.remark, found.current) == ("active", "", True)
    assert f"--user enable {SOCKET} {SERVICE}" in desk.asked()
    assert f"--user start {SERVICE}" in desk.asked()
    assert sorted(file.name for file in desk.units.iterdir()) == [SERVICE, SOCKET]
    assert service.standing(desk.paths, desk.environ, "linux").state == "active"


def test_the_daemon_that_is_run_is_the_one_that_verbs_find(desk: Desk) -> None:
    """The same state folder, socket and configuration, whatever environment a login has."""
    service.install(desk.paths, desk.environ, "linux")
    text = (desk.units / SERVICE).read_text()
    assert f'"{sys.executable}" "-P" "-m" "notesd" "serve" "--state-dir" "{desk.paths.state}"' in text
    assert f'"--config" "{desk.paths.config}"' in text
    assert f"ListenStream={desk.paths.socket}\n" in (desk.units / SOCKET).read_text()


def test_where_users_have_no_namespaces_it_runs_without(desk: Desk) -> None:
    """And says what that means."""
    desk.manager(strict=1, status=226)
    found = service.install(desk.paths, desk.environ, "linux")
    assert found.state == "active"
    assert "no namespaces" in found.remark
    assert "ProtectSystem" not in (desk.units / SERVICE).read_text()
    assert service.standing(desk.paths, desk.environ, "linux").current


def test_a_service_that_does_not_start_is_told(desk: Desk) -> None:
    """With where to look."""
    desk.manager(strict=1, status=1)
    with pytest.raises(ServiceFailed, match="see `journalctl --user"):
        service.install(desk.paths, desk.environ, "linux")


def test_without_a_session_the_files_wait_for_one(desk: Desk) -> None:
    """Over ssh, in a container: what to do is said."""
    desk.manager(answers=False)
    found = service.install(desk.paths, desk.environ, "linux")
    assert found.state == ""
    assert "no bus" in found.remark
    assert "systemctl --user enable --now" in found.remark
    assert (desk.units / SERVICE).exists()


def test_nobody_elses_unit_is_touched(desk: Desk) -> None:
    """Neither overwritten nor removed."""
    desk.units.mkdir(parents=True)
    (desk.units / SERVICE).write_text("[Service]\nExecStart=/bin/true\n")
    with pytest.raises(ServiceFailed, match="was not written by notesd"):
        service.install(desk.paths, desk.environ, "linux")
    with pytest.raises(ServiceFailed, match="was not written by notesd"):
        service.remove(desk.environ, "linux")
    assert (desk.units / SERVICE).read_text() == "[Service]\nExecStart=/bin/true\n"
    found = service.standing(desk.paths, desk.environ, "linux")
    assert (found.files, found.state) == ((), "")
    assert found.remark == f"{desk.units / SERVICE} was not written by notesd, and is left alone"
    assert not any(part.name == "service" for part in uninstall.parts(desk.paths, desk.environ))


def test_what_lies_beside_the_files_stays(desk: Desk) -> None:
    """A file, or a link to one, that is called as if it were begun and not ended."""
    desk.units.mkdir(parents=True)
    precious = desk.home / "precious"
    precious.write_text("mine")
    (desk.units / f"{SERVICE}.new").symlink_to(precious)
    service.install(desk.paths, desk.environ, "linux")
    assert precious.read_text() == "mine"
    assert (desk.units / f"{SERVICE}.new").is_symlink()
    assert not (desk.units / SERVICE).is_symlink()


def test_it_is_removed_whole(desk: Desk) -> None:
    """Stopped, disabled, gone; what is not there is no error."""
    service.install(desk.paths, desk.environ, "linux")
    assert service.remove(desk.environ, "linux") == [str(desk.units / SERVICE), str(desk.units / SOCKET)]
    assert f"--user disable --now {SERVICE} {SOCKET}" in desk.asked()
    assert list(desk.units.iterdir()) == []
    assert service.remove(desk.environ, "linux") == []
    assert service.standing(desk.paths, desk.environ, "linux").files == ()


def test_files_of_an_older_version_are_noticed(desk: Desk) -> None:
    """Status says that they would be written otherwise now."""
    service.install(desk.paths, desk.environ, "linux")
    file = desk.units / SERVICE
    file.write_text(file.read_text().replace("WatchdogSec", "TimeoutSec"))
    assert not service.standing(desk.paths, desk.environ, "linux").current


def test_a_service_without_notes_is_refused(desk: Desk) -> None:
    """It would only fail at each login."""
    file = desk.home / ".config" / "notesd" / "config.toml"
    file.write_text("[search]\nlimit = 5\n")
    with pytest.raises(ConfigError, match="names no folder of notes"):
        service.check_configured(desk.paths, desk.environ)


def test_a_mac_gets_an_agent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same verbs, by launchd."""
    launchctl = desk.home / "bin" / "launchctl"
    launchctl.write_text(f'#!/bin/sh\necho "$*" >> {desk.log}\n')
    launchctl.chmod(0o755)
    paths = desk.paths
    found = service.install(paths, desk.environ, "darwin")
    (agent,) = found.files
    assert agent == str(desk.home / "Library" / "LaunchAgents" / "notesd.plist")
    assert f"bootstrap gui/{os.getuid()} {agent}" in desk.asked()
    assert service.standing(paths, desk.environ, "darwin").state == "active"
    assert service.remove(desk.environ, "darwin") == [agent]


def test_the_verb_says_what_it_did(desk: Desk) -> None:
    """For people, and as JSON."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "notesd", "service", *words],
            capture_output=True,
            text=True,
            env=desk.environ,
        )

    assert "notesd service install" in run("status").stdout
    done = run("install")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{desk.units / SERVICE} is written" in done.stdout
    assert json.loads(run("status", "--json").stdout)["state"] == "active"
    assert "is removed" in run("remove").stdout
    assert run("install", "--config", str(desk.home / "none.toml")).returncode == 2
