"""The verb for agents: ``mcp``."""

import os
import sys
from argparse import Namespace

from notesd.cli.asking import PATIENCE_S, paths_of, spaces_of, which_daemon
from notesd.cli.options import Usage
from notesd.cli.terminal import put
from notesd.errors import NoDaemon
from notesd.mcp.asker import Asker
from notesd.mcp.lines import Pipe
from notesd.mcp.session import Session
from notesd.serve.client import Client, reach

_LEAST, _MOST = 1_000, 50_000
"""Characters that an answer may be allowed to have."""


def mcp(args: Namespace) -> int:
    """Answer an agent's program until it is gone, or print what sets one up.

    Raises:
        Usage: An answer is to have too few or too many characters.
    """
    if args.print_config or args.skill:
        from notesd.mcp import guide  # noqa: PLC0415 - once in a while

        put(guide.configuration(args.print_config, _words(args)) if args.print_config else guide.skill())
        return 0
    if args.max_chars not in range(_LEAST, _MOST + 1):
        raise Usage(f"--max-chars takes a number from {_LEAST} to {_MOST}, not {args.max_chars}")
    status = Session(Pipe(), Asker(lambda: _connected(args), args.max_chars)).run()
    os._exit(status)  # whatever still waits for the daemon is of no use to anybody


def _connected(args: Namespace) -> tuple[Client, list[str]]:
    """Return a connection to the daemon, and the spaces that are meant.

    One that is started now reads its notes for a while before the first question.
    """
    paths = paths_of(args)
    try:
        found = reach(paths, PATIENCE_S)
    except NoDaemon as error:
        if error.data.get("foreign") and paths.socket_named:
            raise
        from notesd.cli import run  # noqa: PLC0415 - most often one runs

        folders = [run.folder_of(args.vault, paths)] if args.vault is not None else []
        found = run.start(paths, folders, PATIENCE_S)
    return found, spaces_of(args, found)


def _words(args: Namespace) -> list[str]:
    """Return the command line that starts this server as it was started, with paths that hold anywhere."""
    return [sys.executable, "-m", "notesd", "mcp", *which_daemon(args)]
