"""How is the daemon made to run from login to logout, and how is that undone?"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

from msgspec import Struct

from notesd import trust
from notesd.config import load
from notesd.errors import ConfigError, ServiceFailed
from notesd.locations import Paths
from notesd.setup.units import AGENT, LABEL, MARK, SERVICE, SOCKET, Program, launchd_agent, systemd_units

PASSED_ON = ("VECTOR_SEARCH", "GRAPH_BOOST", "XDG_CACHE_HOME")
"""Variables of whoever installs the service that the daemon is to see, too."""
WAIT_S = 120.0
_MODE = 0o644
_NO_NAMESPACES = ("ExecMainStatus 226", "ExecMainStatus 218", "ExecMainStatus 217")
"""No namespaces, capabilities or users for this user, by systemd.exec(5)."""


class Standing(Struct, frozen=True):
    """How the service is."""

    kind: str
    """``systemd`` or ``launchd``."""
    files: tuple[str, ...]
    """Its files that are there."""
    current: bool
    """They say what they would say if they were written now."""
    state: str
    """Of the service, in the words of the service manager; "" where it is not installed."""
    remark: str = ""
    """What could not be done, and what to do."""


def program(paths: Paths, environ: Mapping[str, str]) -> Program:
    """Say what the service runs: the daemon of this installation, with these files."""
    words = [sys.executable, "-P", "-m", "notesd", "serve"]
    words += ["--state-dir", paths.state, "--config", paths.config]
    if paths.socket_named:
        words += ["--socket", paths.socket]
    return Program(
        words=words,
        environment={name: environ[name] for name in PASSED_ON if environ.get(name)},
        socket=paths.socket,
        own=list(dict.fromkeys((paths.state, os.path.dirname(paths.socket)))),
        log=os.path.join(paths.state, "daemon.log"),
    )


def install(paths: Paths, environ: Mapping[str, str], platform: str = sys.platform) -> Standing:
    """Write the files of the service and start it; the daemon must not run.

    Raises:
        ServiceFailed: A file of this name is not ours, or the service manager refuses.
        NotesdError: A file cannot be written.
    """
    wanted = program(paths, environ)
    if platform == "darwin":
        return _install_agent(wanted, environ)
    folder = _folder(environ, platform)
    trust.make_own_folder(paths.state)
    units = systemd_units(wanted, namespaces=True)
    _write(folder, units)
    if why := _no_manager():
        by_hand = f"`systemctl --user enable --now {SOCKET} {SERVICE}`"
        remark = f"{why}; it begins at the next login, or by {by_hand}"
        return Standing("systemd", _there(folder, units), current=True, state="", remark=remark)
    failure, remark = _begin(), ""
    if any(sign in failure for sign in _NO_NAMESPACES):
        remark = "this system gives users no namespaces, so the service may write wherever you may"
        _write(folder, systemd_units(wanted, namespaces=False))
        failure = _begin()
    if failure:
        raise ServiceFailed(
            f"the service does not start: {failure}; see `journalctl --user -u {SERVICE} -n 20`"
        )
    return Standing("systemd", _there(folder, units), current=True, state="active", remark=remark)


def check_configured(paths: Paths, environ: Mapping[str, str]) -> None:
    """Make sure that a daemon that is given no folder has notes to serve.

    Raises:
        ConfigError: It has none, or the configuration is wrong.
    """
    if not load(paths.config, environ, required=paths.config_named).spaces:
        raise ConfigError(
            f"{paths.config} names no folder of notes, so the service would have nothing to serve; write "
            "[spaces.NAME] with a path into it"
        )


def remove(environ: Mapping[str, str], platform: str = sys.platform) -> list[str]:
    """Stop the service and remove its files; returns their paths.

    Raises:
        ServiceFailed: A file of this name is not ours, or cannot be removed.
    """
    folder, names = _folder(environ, platform), _names(platform)
    there = [os.path.join(folder, name) for name in names if os.path.lexists(os.path.join(folder, name))]
    for path in there:
        _check_ours(path)
    if there and platform == "darwin":
        _run("launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}")
    elif there and not _no_manager():
        _systemctl("disable", "--now", SERVICE, SOCKET, refused=False)
    for path in there:
        try:
            os.unlink(path)
        except OSError as error:
            raise ServiceFailed(f"{path} cannot be removed: {error.strerror}; remove it yourself") from None
    if there and platform != "darwin" and not _no_manager():
        _systemctl("daemon-reload")
        _systemctl("reset-failed", SERVICE, SOCKET, refused=False)
    return there


def standing(paths: Paths, environ: Mapping[str, str], platform: str = sys.platform) -> Standing:
    """Say how the service is, without changing anything."""
    folder, wanted = _folder(environ, platform), program(paths, environ)
    if platform == "darwin":
        texts = [{AGENT: launchd_agent(wanted)}]
    else:
        texts = [systemd_units(wanted, namespaces=strict) for strict in (True, False)]
    there = _there(folder, texts[0])
    current = any(
        all(_text(os.path.join(folder, name)) == text for name, text in one.items()) for one in texts
    )
    kind = "launchd" if platform == "darwin" else "systemd"
    if others := [path for path in there if not _is_ours(path)]:
        ours = tuple(path for path in there if path not in others)
        remark = f"{others[0]} was not written by notesd, and is left alone"
        return Standing(kind, ours, current=False, state="", remark=remark)
    if not there:
        return Standing(kind, (), current=False, state="")
    if platform == "darwin":
        state = "active" if _run("launchctl", "print", f"gui/{os.getuid()}/{LABEL}")[0] == 0 else "inactive"
        return Standing(kind, there, current=current, state=state)
    if why := _no_manager():
        return Standing(kind, there, current=current, state="unknown", remark=why)
    return Standing(kind, there, current=current, state=_run("systemctl", "--user", "is-active", SERVICE)[1])


# ---- files ---------------------------------------------------------------------------------------


def _folder(environ: Mapping[str, str], platform: str) -> str:
    home = environ.get("HOME", "") or os.path.expanduser("~")
    if platform == "darwin":
        return os.path.join(home, "Library", "LaunchAgents")
    config = environ.get("XDG_CONFIG_HOME", "")
    return os.path.join(config if os.path.isabs(config) else f"{home}/.config", "systemd", "user")


def _names(platform: str) -> tuple[str, ...]:
    return (AGENT,) if platform == "darwin" else (SERVICE, SOCKET)


def _there(folder: str, names: Mapping[str, str]) -> tuple[str, ...]:
    paths = (os.path.join(folder, name) for name in names)
    return tuple(path for path in paths if os.path.lexists(path))


def _text(path: str) -> str | None:
    try:
        with open(trust.open_read(path, follow=True), encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def _is_ours(path: str) -> bool:
    return MARK in (_text(path) or "")


def _check_ours(path: str) -> None:
    """Refuse to touch a file that somebody else wrote."""
    if os.path.lexists(path) and not _is_ours(path):
        raise ServiceFailed(f"{path} was not written by notesd; move it away first")


def _write(folder: str, texts: Mapping[str, str]) -> None:
    """Write each file whole or not at all."""
    try:
        os.makedirs(folder, mode=trust.FOLDER_MODE, exist_ok=True)
        for name, text in texts.items():
            path = os.path.join(folder, name)
            _check_ours(path)
            trust.replace_file(path, text.encode(), _MODE)
    except OSError as error:
        raise ServiceFailed(f"{error.filename or folder} cannot be written: {error.strerror}") from None


# ---- service managers ----------------------------------------------------------------------------


def _run(*words: str) -> tuple[int, str]:
    """Run a command; its exit status and what it said last."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=WAIT_S, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        return 127, f"there is no {words[0]} here"
    except subprocess.TimeoutExpired:
        return 124, f"`{' '.join(words)}` did not end within {WAIT_S:.0f} s"
    said = (done.stdout.strip() or done.stderr.strip()).split("\n")[-1]
    return done.returncode, said


def _no_manager() -> str:
    """Why the service manager of this user cannot be asked; "" where it can."""
    if shutil.which("systemctl") is None:
        return "there is no systemctl here"
    status, said = _run("systemctl", "--user", "show", "--property=Version")
    return f"the service manager of this user does not answer ({said})" if status else ""


def _systemctl(*words: str, refused: bool = True) -> None:
    status, said = _run("systemctl", "--user", *words)
    if status and refused:
        raise ServiceFailed(f"`systemctl --user {' '.join(words)}` failed: {said}")


def _begin() -> str:
    """Start what the files say; returns why it does not run, "" when it does."""
    _systemctl("daemon-reload")
    _systemctl("enable", SOCKET, SERVICE)
    _systemctl("stop", SERVICE, SOCKET, refused=False)
    _systemctl("reset-failed", SERVICE, SOCKET, refused=False)
    _systemctl("start", SOCKET)
    status, said = _run("systemctl", "--user", "start", SERVICE)
    if status == 0:
        return ""
    status, shown = _run("systemctl", "--user", "show", "--property=ExecMainStatus", SERVICE)
    return f"{said} ({shown.replace('=', ' ')})"


def _install_agent(wanted: Program, environ: Mapping[str, str]) -> Standing:
    folder = _folder(environ, "darwin")
    texts = {AGENT: launchd_agent(wanted)}
    _write(folder, texts)
    domain = f"gui/{os.getuid()}"
    _run("launchctl", "bootout", f"{domain}/{LABEL}")
    status, said = _run("launchctl", "bootstrap", domain, os.path.join(folder, AGENT))
    if status:
        raise ServiceFailed(f"launchd does not take it: {said}")
    return Standing("launchd", _there(folder, texts), current=True, state="active")
