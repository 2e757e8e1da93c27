"""How does a verb reach the daemon?"""

import os
from argparse import Namespace

from notesd.cli.options import Usage
from notesd.cli.render import Answer
from notesd.errors import NoDaemon
from notesd.locations import Paths, locate
from notesd.serve.client import Client

PATIENCE_S = 120.0
"""How long the daemon may be silent."""


def paths_of(args: Namespace) -> Paths:
    """Return where configuration, state and socket are."""
    return locate(os.environ, config=args.config, state=args.state_dir, socket=args.socket)


def connect(args: Namespace, timeout: float | None = PATIENCE_S) -> Client:
    """Return a connection to the daemon, which is started if it does not run.

    Raises:
        NoDaemon: None runs and none could be started.
        ConfigError: ``--vault`` names no folder.
    """
    folders = _vault(args)
    paths = paths_of(args)
    try:
        return Client(paths.socket, timeout)
    except NoDaemon:
        from notesd.cli import run  # noqa: PLC0415 - most often one runs, and this is half of our start

        return run.start(paths, folders, timeout)


def ask(args: Namespace, method: str, params: dict[str, object], *, one_space: bool = False) -> Answer:
    """Ask the daemon, restricted to the spaces that were named.

    Args:
        args: The command line.
        method: Of the protocol.
        params: All but ``space``.
        one_space: The method takes the name of one space instead of a list.
    """
    asked = connect(args)
    try:
        spaces = spaces_of(args, asked)
        if spaces:
            params["space"] = only(spaces) if one_space else spaces
        return asked.call(method, **params)
    finally:
        asked.close()


def spaces_of(args: Namespace, asked: Client) -> list[str]:
    """Return the names of the spaces that were named, by ``--space`` or by ``--vault``; empty: all.

    Raises:
        ConfigError: The daemon does not serve the folder of ``--vault``.
    """
    named: list[str] = list(args.space or ())
    for folder in _vault(args):
        from notesd.cli import run  # noqa: PLC0415 - as above

        named.append(run.space_of(asked, folder))
    return list(dict.fromkeys(named))


def only(spaces: list[str]) -> str | None:
    """Return the one space that was named, None for none.

    Raises:
        Usage: There are several.
    """
    if len(spaces) > 1:
        raise Usage(f"this verb takes one space at a time, not {', '.join(spaces)}")
    return spaces[0] if spaces else None


def given(args: Namespace, names: tuple[str, ...]) -> dict[str, object]:
    """Return the options that were given; the daemon knows what the others stand for."""
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}


def _vault(args: Namespace) -> list[str]:
    """Return the folder that ``--vault`` names, in a list that is empty without it.

    Raises:
        ConfigError: It is no folder.
    """
    if args.vault is None:
        return []
    from notesd.cli import run  # noqa: PLC0415 - as above

    return [run.folder_of(args.vault)]
