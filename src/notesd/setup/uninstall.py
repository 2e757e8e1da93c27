"""What has notesd left on this machine, and how does it go?

Only what is ours goes: what a daemon keeps in a folder that it has used, the models, the configuration, the
service. A folder goes when nothing is left in it. A folder of notes is none of ours, whatever is in it.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from notesd.config import load
from notesd.errors import StoreError
from notesd.files.roots import check_spaces
from notesd.locations import APP, Paths
from notesd.models.manifest import MANIFEST
from notesd.ownership import FOLDERS, NAME, is_ours
from notesd.settings import Config
from notesd.setup import service

PARTS = ("service", "state", "models", "configuration")
"""What can be removed, in the order in which it goes."""
_WITHIN = {"spaces": re.compile(r"[0-9a-f]{16}"), "vectors": re.compile(r"[0-9a-f]{32}\.db(-wal|-shm)?")}
"""How ``locations.state_of`` calls the folder of a space, and how the files of vectors are called."""


class Part(Struct, frozen=True):
    """Something that is there."""

    name: str
    """One of ``PARTS``."""
    paths: tuple[str, ...]
    bytes: int


def parts(paths: Paths, environ: Mapping[str, str]) -> list[Part]:
    """List what is there.

    Raises:
        ConfigError: The state folder lies in a folder of notes, or the configuration is wrong.
    """
    there = {
        "service": service.standing(paths, environ).files,
        "state": _own(paths.state, load(paths.config, environ, required=False)),
        "models": _installed(paths.models),
        "configuration": tuple(path for path in (paths.config,) if os.path.lexists(path)),
    }
    return [Part(name, there[name], sum(map(_size, there[name]))) for name in PARTS if there[name]]


def remove(part: Part, paths: Paths, environ: Mapping[str, str]) -> None:
    """Remove a part; no daemon may run.

    Raises:
        StoreError: Something cannot be removed; the message names it.
        ServiceFailed: As for ``service.remove``.
    """
    if part.name == "service":
        service.remove(environ)
        return
    for path in part.paths:
        try:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        except OSError as error:
            raise StoreError(
                f"{error.filename or path} cannot be removed ({error.strerror}); remove it yourself"
            ) from None
    holding = {os.path.dirname(path) for path in (*part.paths, paths.socket)}
    for folder in sorted(holding | set(map(os.path.dirname, holding)), key=len, reverse=True):
        if folder in _made(paths) or os.path.basename(folder) == APP:
            with contextlib.suppress(OSError):
                os.rmdir(folder)  # only an empty one goes


def _made(paths: Paths) -> set[str]:
    """Folders that are ours whatever they are called; the others that we make are called ``APP``."""
    return {paths.state, paths.models, *(os.path.join(paths.state, name) for name in FOLDERS)}


def _own(state: str, config: Config) -> tuple[str, ...]:
    """Paths of what a daemon keeps in its state folder; none where no daemon has been, or notes are.

    Raises:
        ConfigError: The state folder lies in a folder of notes.
    """
    if not os.path.isfile(os.path.join(state, NAME)):
        return ()
    check_spaces(replace(config, spaces=tuple(s for s in config.spaces if os.path.isdir(s.path))), state)
    found = []
    for name in sorted(os.listdir(state)):
        path = os.path.join(state, name)
        if name in _WITHIN and not os.path.islink(path):
            found += [
                os.path.join(path, one) for one in sorted(os.listdir(path)) if _WITHIN[name].fullmatch(one)
            ]
        elif name not in _WITHIN and is_ours(name):
            found.append(path)
    return tuple(found)


def _installed(models: str) -> tuple[str, ...]:
    """Paths of what was installed or begun in the folder of models."""
    try:
        names = sorted(os.listdir(models))
    except OSError:
        return ()
    paths = (os.path.join(models, name) for name in names)
    return tuple(
        path
        for path in paths
        if os.path.isfile(os.path.join(path, MANIFEST)) or path.endswith((".partial", ".old"))
    )


def _size(path: str) -> int:
    """Bytes of a file, or of all files in a folder."""
    if os.path.islink(path) or not os.path.isdir(path):
        return os.lstat(path).st_size
    sizes: Sequence[int] = [
        os.lstat(os.path.join(folder, name)).st_size for folder, _, files in os.walk(path) for name in files
    ]
    return sum(sizes)
