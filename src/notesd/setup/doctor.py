"""Is all well? One look at everything that notesd needs, and what to do where something is wrong.

Nothing is changed and nothing is started: a daemon that does not run is none that is ill.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from typing import Any

from msgspec import Struct

from notesd import __version__
from notesd.config import load
from notesd.errors import ConfigError, NoDaemon, NotesdError, counted
from notesd.locations import Paths
from notesd.models import manifest
from notesd.serve.client import Client, reach
from notesd.settings import Config, SpaceConfig
from notesd.setup import service

ASK_S = 10.0
"""How long the daemon may take to answer."""
MCP_S = 30.0
"""How long an agent's program may take to begin."""
_INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "notesd-doctor", "version": __version__},
}
ROOM = 256 << 20
"""Bytes that should be free where the indexes are."""
_SEMANTIC = ("numpy", "onnxruntime", "sqlite-vec", "tokenizers")
_INOTIFY = "/proc/sys/fs/inotify/max_user_watches"
FEW_WATCHES = 8_192
"""So many folders are watched on the oldest systems; large vaults have more."""


class Finding(Struct, frozen=True):
    """What one look has shown."""

    what: str
    ok: bool
    text: str
    """How it is; where it is not ``ok``, what is wrong and what to do."""


def examine(paths: Paths, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at everything, one finding after the other, each as soon as it is known.

    Args:
        paths: Where the configuration, the state, the socket and the models are.
        environ: As for ``config.load``.
    """
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("notesd", ok=True, text=f"{__version__} with Python {python} in {sys.prefix}")
    config, found = _configuration(paths, environ)
    yield found
    yield from (_folder(space) for space in config.spaces)
    yield _look("permissions", lambda: _permissions(paths))
    yield _look("disk", lambda: _disk(paths))
    yield _look("watches", _watches)
    wanted = config.search.vector_search or any(space.vector_search for space in config.spaces)
    yield _look("extras", lambda: _extras(wanted=wanted))
    yield _look("pdf", _pdf)
    yield _look("model", lambda: _model(paths, config, wanted=wanted))
    yield _look("service", lambda: _service(paths, environ))
    yield _look("mcp", lambda: _mcp(paths))
    yield from _daemon(paths)


def _look(what: str, ask: Callable[[], Finding]) -> Finding:
    """Look at one thing; one that cannot be looked at is not well."""
    try:
        return ask()
    except (NotesdError, OSError) as error:
        return Finding(what, ok=False, text=str(error))


def _configuration(paths: Paths, environ: Mapping[str, str]) -> tuple[Config, Finding]:
    try:
        config = load(paths.config, environ, required=paths.config_named)
    except ConfigError as error:
        return Config(), Finding("configuration", ok=False, text=error.message)
    if not os.path.exists(paths.config):
        text = f"{paths.config} is not there, so every key has its default; `notesd init FOLDER` writes one"
        return config, Finding("configuration", ok=True, text=text)
    number = counted(len(config.spaces), "space")
    return config, Finding("configuration", ok=True, text=f"{paths.config}: {number}")


def _folder(space: SpaceConfig) -> Finding:
    what = f"space {space.name}"
    if not os.path.isdir(space.path):
        return Finding(what, ok=False, text=f"{space.path} is not there; mount it, or correct the path")
    if not os.access(space.path, os.R_OK | os.X_OK):
        return Finding(what, ok=False, text=f"{space.path} cannot be read; make it readable for this user")
    return Finding(what, ok=True, text=space.path)


def _permissions(paths: Paths) -> Finding:
    if not os.path.isdir(paths.state):
        return Finding("permissions", ok=True, text=f"{paths.state} will be made, for this user alone")
    found = os.stat(paths.state)
    if found.st_uid != os.geteuid():
        text = f"{paths.state} belongs to another user (uid {found.st_uid}); choose another with --state-dir"
        return Finding("permissions", ok=False, text=text)
    if found.st_mode & 0o077:
        text = f"{paths.state} can be looked into by others; chmod 700 {paths.state}"
        return Finding("permissions", ok=False, text=text)
    if not os.access(paths.state, os.W_OK):
        return Finding("permissions", ok=False, text=f"{paths.state} cannot be written; make it writable")
    return Finding("permissions", ok=True, text=f"{paths.state} is this user's alone")


def _disk(paths: Paths) -> Finding:
    folder = paths.state
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    room = os.statvfs(folder)
    free = room.f_bavail * room.f_frsize
    text = f"{free >> 20} MiB are free in {folder}"
    if free < ROOM:
        text += ", and an index may need more; make room, or choose another --state-dir"
    return Finding("disk", ok=free >= ROOM, text=text)


def _watches() -> Finding:
    try:
        with open(_INOTIFY, "rb") as file:
            most = int(file.read())
    except (OSError, ValueError):
        return Finding("watches", ok=True, text="this system has no limit that is known")
    text = f"{most} folders may be watched"
    if most < FEW_WATCHES:
        text += "; beyond, changes are found by walks alone: raise fs.inotify.max_user_watches with sysctl"
    return Finding("watches", ok=most >= FEW_WATCHES, text=text)


def _extras(*, wanted: bool) -> Finding:
    there = {name: _version(name) for name in _SEMANTIC}
    missing = [name for name, version in there.items() if version is None]
    if not missing:
        return Finding(
            "extras", ok=True, text=f"semantic ({', '.join(f'{n} {v}' for n, v in there.items())})"
        )
    if not wanted:
        return Finding("extras", ok=True, text="none; for meaning: pip install 'notesd[semantic]'")
    text = f"meaning is wanted, and {', '.join(missing)} is missing: pip install 'notesd[semantic]'"
    return Finding("extras", ok=False, text=text)


def _pdf() -> Finding:
    version = _version("pypdfium2")
    if version is None:
        text = "PDFs are found by their names only; for their text: pip install 'notesd[pdf]'"
        return Finding("pdf", ok=True, text=text)
    return Finding("pdf", ok=True, text=f"the text of PDFs can be read (pypdfium2 {version})")


def _version(package: str) -> str | None:
    try:
        return version_of(package)
    except PackageNotFoundError:
        return None


def _model(paths: Paths, config: Config, *, wanted: bool) -> Finding:
    name = config.search.model
    try:
        known = manifest.read(os.path.join(paths.models, name))
    except NotesdError as error:
        if not wanted:
            return Finding("model", ok=True, text=f"{name} is not needed, because meaning is not asked for")
        return Finding("model", ok=False, text=error.message)
    return Finding(
        "model", ok=True, text=f"{name}, {known.dimensions} dimensions; `notesd model verify` reads it"
    )


def _service(paths: Paths, environ: Mapping[str, str]) -> Finding:
    found = service.standing(paths, environ)
    if found.remark and not found.state:
        return Finding("service", ok=True, text=found.remark)
    if not found.files:
        return Finding(
            "service", ok=True, text="not installed; `notesd service install` has it run from login"
        )
    if not found.current:
        text = "its files are not what this notesd would write; `notesd service install` writes them anew"
        return Finding("service", ok=False, text=text)
    good = found.state in {"active", "unknown"}
    text = f"{found.kind}: {found.state}" + (f" ({found.remark})" if found.remark else "")
    return Finding("service", ok=good, text=text if good else f"{text}; see `journalctl --user -u notesd`")


def _mcp(paths: Paths) -> Finding:
    """Begin as an agent's program does, and ask for the tools; no daemon is needed for that."""
    words = [sys.executable, "-m", "notesd", "mcp", "--state-dir", paths.state, "--config", paths.config]
    asked: list[dict[str, object]] = [
        {"id": "begin", "method": "initialize", "params": _INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": "tools", "method": "tools/list"},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked)
    try:
        done = subprocess.run(words, input=lines, capture_output=True, text=True, timeout=MCP_S, check=False)
        answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
        tools = [tool["name"] for tool in answers["tools"]["result"]["tools"]] if answers else []
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        return Finding("mcp", ok=False, text=f"`notesd mcp` does not answer as it should: {error}")
    if not tools:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return Finding("mcp", ok=False, text=f"`notesd mcp` has no tools: {said}")
    return Finding("mcp", ok=True, text=f"{counted(len(tools), 'tool')} for agents: {', '.join(tools)}")


# ---- the daemon ----------------------------------------------------------------------------------


def _daemon(paths: Paths) -> Iterator[Finding]:
    try:
        asked = reach(paths, ASK_S)
    except NoDaemon as error:
        foreign = bool(error.data.get("foreign"))
        text = error.message if foreign else "no daemon runs; the next question starts one"
        yield Finding("daemon", ok=not foreign, text=text)
        return
    try:
        yield from _answers(asked)
    except NotesdError as error:
        yield Finding("daemon", ok=False, text=f"{error.message}; `notesd stop`, then ask again")
    finally:
        asked.close()


def _answers(asked: Client) -> Iterator[Finding]:
    told: Mapping[str, Any] = asked.call("status")
    version, pid = told["version"], told["pid"]
    text = f"version {version}, pid {pid}, listens at {asked.path}"
    same = version == __version__
    yield Finding("daemon", ok=same, text=text if same else f"{text}; this is {__version__}: `notesd stop`")
    for duty in told["background"]:
        if duty["trouble"] or not duty["alive"]:
            yield Finding(duty["name"], ok=False, text=duty["trouble"] or "it has ended; `notesd stop`")
    for space in told["spaces"]:
        yield _space(space)


def _space(told: Mapping[str, Any]) -> Finding:
    what, watch = f"index of {told['name']}", told.get("watch") or {}
    problems: Sequence[Mapping[str, str]] = told.get("problems") or ()
    ill = [watch[name] for name in ("illness", "shortfall") if watch.get(name)]
    ill += [one["reason"] for one in problems if not one["path"]]
    vectors = told.get("vectors") or {}
    if vectors.get("state") == "unavailable":
        ill.append(f"no meaning: {vectors['reason']}")
    if ill or told["state"] == "degraded":
        return Finding(what, ok=False, text="; ".join(ill) or "degraded; see `notesd status`")
    number = counted(told.get("notes", 0), "note")
    single = [one for one in problems if one["path"]]
    more = f", {counted(len(single), 'problem')} with single notes: `notesd check`" if single else ""
    return Finding(what, ok=True, text=f"{told['state']}, {number}, followed by {told['watching']}{more}")
