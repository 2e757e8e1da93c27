"""Is the daemon that answers the one that this person means?

It may have been started before the configuration was written, for one folder alone, or by another version.
"""

import os
import signal
import time

from notesd import __version__
from notesd.cli.render import clean
from notesd.cli.terminal import say
from notesd.errors import ConfigError, NoDaemon, NotesdError
from notesd.locations import Paths
from notesd.ownership import BY_VERB, Owner, owner_of, stamp
from notesd.serve.client import Client, reach

FOLLOW_S = 5.0
"""How long a daemon may take to follow a configuration that has changed."""
_LOOK_S = 0.3
"""By then it has looked at a configuration that it will refuse."""
_STEP_S = 0.02
_AGAIN = {
    BY_VERB: "`notesd stop`, then ask again",
    "service": "`notesd service install`, then ask again",
}
"""What to do about a daemon, by who started it."""


def settled(paths: Paths, found: Client, owner: Owner, timeout: float | None) -> Client:
    """Return a connection to a daemon that is as it should be, or say what it is instead.

    One of another version is started anew where a verb had started it; one that has not read the latest
    configuration is given the time to.

    Args:
        paths: Where this person's configuration is.
        found: A connection to the daemon; it is closed when another one is returned.
        owner: What the daemon says of itself.
        timeout: As for ``Client``.

    Raises:
        NoDaemon: It could not be started again.
    """
    if owner.facts.get("version") != __version__ and owner.facts.get("started_by") == BY_VERB:
        return _started_anew(paths, found, owner, timeout)
    if owner.facts.get("stamp") != stamp(paths.config) and owner.facts.get("follows") == paths.config:
        found, owner = _followed(paths, found, owner, timeout)
    for sentence in _remarks(paths, owner):
        say(clean(sentence))
    return found


def _started_anew(paths: Paths, found: Client, owner: Owner, timeout: float | None) -> Client:
    from notesd.cli import run  # noqa: PLC0415 - most often nothing has to be started

    folders = owner.facts.get("beside")
    version = f"version {owner.facts.get('version')}"
    say(clean(f"the daemon (pid {owner.pid}) is {version}, and this is {__version__}: it is started anew"))
    found.close()
    run.stop(paths)
    return run.start(paths, [str(folder) for folder in folders] if isinstance(folders, list) else [], timeout)


def _followed(paths: Paths, found: Client, owner: Owner, timeout: float | None) -> tuple[Client, Owner]:
    """Ask the daemon to read its configuration, and wait until it has."""
    try:
        os.kill(owner.pid, signal.SIGHUP)
    except OSError:
        return found, owner
    begun = time.monotonic()
    while (waited := time.monotonic() - begun) < FOLLOW_S:
        now = owner_of(paths.state)
        if now and now.pid == owner.pid and now.facts.get("stamp") == stamp(paths.config):
            found.close()  # it may have begun anew, and then nobody answers there any more
            return reach(paths, timeout), now
        if waited > _LOOK_S and _refuses(found):
            break
        time.sleep(_STEP_S)
    return found, owner


def _refuses(asked: Client) -> bool:
    """Whether the daemon says that it cannot take its configuration."""
    try:
        duties = asked.call("status", space=[]).get("background")
    except (NoDaemon, NotesdError):
        return False  # it begins anew
    told = duties if isinstance(duties, list) else []
    return any(one.get("name") == "configuration" and one.get("trouble") for one in told)


def _remarks(paths: Paths, owner: Owner) -> list[str]:
    """Return what to say of a daemon before its answer, a sentence each; most often nothing."""
    out = []
    version = owner.facts.get("version")
    if version != __version__:
        which = f"version {version}" if isinstance(version, str) else "another version"
        out.append(f"the daemon (pid {owner.pid}) is {which}, and this is {__version__}: {_again(owner)}")
    if owner.facts.get("stamp") != stamp(paths.config):
        out += _not_served(paths, owner)
    return out


def _again(owner: Owner) -> str:
    return _AGAIN.get(str(owner.facts.get("started_by")), _AGAIN[BY_VERB])


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
    return [f"{sentence}: {_again(owner)}"]
