"""What has notesd left on this machine, and how does it go?

Only what is ours goes: files of our names in the state folder, the models, the configuration, the service. A
folder goes when nothing is left in it. Notes are never in any of these.
"""

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence

from msgspec import Struct

from notesd.errors import StoreError
from notesd.locations import Paths
from notesd.ownership import OURS
from notesd.setup import service

PARTS = ("service", "state", "models", "configuration")
"""What can be removed, in the order in which it goes."""


class Part(Struct, frozen=True):
    """Something that is there."""

    name: str
    """One of ``PARTS``."""
    paths: tuple[str, ...]
    bytes: int


def parts(paths: Paths, environ: Mapping[str, str]) -> list[Part]:
    """List what is there."""
    there = {
        "service": service.standing(paths, environ).files,
        "state": _own(paths.state),
        "models": tuple(path for path in (paths.models,) if os.path.isdir(path)),
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
    for folder in {os.path.dirname(path) for path in (*part.paths, paths.socket)}:
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # only an empty one goes


def _own(state: str) -> tuple[str, ...]:
    """Paths of what a daemon keeps in its state folder."""
    try:
        names = sorted(os.listdir(state))
    except OSError:
        return ()
    return tuple(os.path.join(state, name) for name in names if name.startswith(OURS))


def _size(path: str) -> int:
    """Bytes of a file, or of all files in a folder."""
    if os.path.islink(path) or not os.path.isdir(path):
        return os.lstat(path).st_size
    sizes: Sequence[int] = [
        os.lstat(os.path.join(folder, name)).st_size for folder, _, files in os.walk(path) for name in files
    ]
    return sum(sizes)
