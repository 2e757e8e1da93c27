"""Where are real models for tests: in ``NOTESD_TEST_MODELS``, filled on demand, or the user's own."""

import os
from collections.abc import Iterable

import pytest

from notesd.locations import locate

NOT_RUN = pytest.StashKey[str]()
"""Why tests with a real model did not run; said aloud at the end."""


def folder_with(request: pytest.FixtureRequest, names: Iterable[str]) -> str:
    """The folder of models, with some of them in it; the test is skipped where they are not to be had."""
    from notesd.embed.models import install

    named = os.environ.get("NOTESD_TEST_MODELS")
    folder = named or locate(os.environ).models
    for name in names:
        if os.path.isfile(os.path.join(folder, name, "manifest.json")):
            continue
        if not named:
            reason = f"{folder} has no {name}; set NOTESD_TEST_MODELS to a folder to have it installed there"
            request.config.stash[NOT_RUN] = reason
            pytest.skip(reason)
        install(name, "package", folder)
    return folder
