"""What does the daemon do now? Its state, again and again, until Ctrl-C."""

import os
import sys
import time
from argparse import Namespace

from notesd.cli import render, report
from notesd.cli.asking import connect, paths_of, spaces_of
from notesd.cli.render import Answer, clean, records
from notesd.cli.terminal import put, style
from notesd.errors import NoDaemon
from notesd.serve.client import Client, reach

_EVERY_S = 1.0
_AWAY_S = 10.0
"""How long a daemon that begins anew may be away."""
_STEP_S = 0.1
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
"""A line that is too long is cut, so that what is drawn has as many lines as it should."""


def watch(args: Namespace) -> int:
    """Show the state until Ctrl-C, which is how it is meant to end.

    On a terminal it is drawn again each second; elsewhere each space has a line whenever something of
    it has changed, with ``--json`` the whole answer.

    Raises:
        NoDaemon: The daemon has ended.
    """
    drawn = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not args.format
    asked, told = connect(args), Told(json=bool(args.format))
    try:
        if drawn:
            put(f"{_NO_WRAP}\x1b[2J")
        while True:
            asked, answer = _state(args, asked)
            put(_screen(answer, args) if drawn else told.news(answer))
            time.sleep(_EVERY_S)
    except KeyboardInterrupt:
        return 0
    finally:
        asked.close()
        if drawn:
            put(_WRAP)


def _state(args: Namespace, asked: Client) -> tuple[Client, Answer]:
    """Ask how it is; a daemon that has begun anew is asked on a new connection.

    Raises:
        NoDaemon: It did not come back.
    """
    end = time.monotonic() + _AWAY_S
    while True:
        try:
            spaces = spaces_of(args, asked)
            return asked, asked.call("status", **({"space": spaces} if spaces else {}))
        except NoDaemon:
            asked.close()
        while True:
            try:
                asked = reach(paths_of(args))
                break
            except NoDaemon as error:
                if time.monotonic() > end:
                    raise NoDaemon(f"the daemon has ended: {error.message}") from None
            time.sleep(_STEP_S)


def _screen(answer: Answer, args: Namespace) -> str:
    """Return what draws the state over the one before, as much of it as the terminal has lines for."""
    lines = report.status(answer, style(args.color)).splitlines()
    rows = os.get_terminal_size(1).lines or 24
    if len(lines) >= rows:
        lines = [*lines[: rows - 2], "..."]
    return "\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J"


class Told:
    """What was told of each space, so that only what is new is told again."""

    def __init__(self, *, json: bool) -> None:
        """Say whether whole answers are told."""
        self._json = json
        self._last: dict[str, str] = {}

    def news(self, answer: Answer) -> str:
        """Return a line for each space that has changed or gone; empty where nothing has."""
        spaces = records(answer.get("spaces"))
        now = {clean(space.get("name")): report.brief(space) for space in spaces}
        now |= {name: "is served no more" for name in self._last if name not in now}
        new = [f"{name}: {line}\n" for name, line in now.items() if self._last.get(name) != line]
        self._last = now
        if self._json:
            return render.as_json(answer, indent=False) + "\n" if new else ""
        return "".join(new)
