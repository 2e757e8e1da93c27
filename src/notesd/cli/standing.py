"""Is the daemon that answers the one that this person means?

It may have been started before the configuration was written, for one folder alone, or by another version.
"""

import os

from notesd import __version__
from notesd.errors import ConfigError
from notesd.locations import Paths
from notesd.ownership import Owner, stamp

AGAIN = "`notesd stop`, then ask again"


def remarks(paths: Paths, owner: Owner) -> list[str]:
    """Return what to say of a daemon before its answer, a sentence each; most often nothing.

    Args:
        paths: Where this person's configuration is.
        owner: What the daemon says of itself.
    """
    out = []
    version = owner.facts.get("version")
    if version != __version__:
        which = f"version {version}" if isinstance(version, str) else "another version"
        out.append(f"the daemon (pid {owner.pid}) is {which}, and this is {__version__}: {AGAIN}")
    if owner.facts.get("stamp") != stamp(paths.config):
        out += _not_served(paths, owner)
    return out


def _not_served(paths: Paths, owner: Owner) -> list[str]:
    """Return which configured spaces the daemon does not serve, in one sentence."""
    served = owner.facts.get("folders")
    if not isinstance(served, list):
        return []
    from notesd.config import load  # noqa: PLC0415 - only where the configuration is another

    try:
        spaces = load(paths.config, os.environ, required=paths.config_named).spaces
    except ConfigError as error:
        return [f"the daemon (pid {owner.pid}) still goes by an older configuration: {error.message}"]
    there = {os.path.realpath(str(folder)) for folder in served}
    lacking = [space for space in spaces if os.path.realpath(space.path) not in there]
    if not lacking:
        return []
    names = ", ".join(f"{space.name} ({space.path})" for space in lacking)
    instead = ", ".join(map(str, served))
    sentence = (
        f"{paths.config} names {names}, which the daemon (pid {owner.pid}) does not serve, but {instead}"
    )
    return [f"{sentence}: {AGAIN}"]
