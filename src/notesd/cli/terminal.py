"""What is written where: answers to standard output, everything else to standard error."""

import os
import sys

from notesd.cli.render import Style
from notesd.errors import NotesdError

_VTE_LINKS = 5_000
"""The first version of the terminals made with VTE that shows links, 0.50, as their variable writes it."""


def say(text: str) -> None:
    """Tell the person something that is no part of the answer; one who cannot be told goes without."""
    try:
        sys.stderr.write(f"notesd: {text}\n")
        sys.stderr.flush()
    except OSError:
        pass  # a full disk or a reader that left must not change how the answer ends


def style(colour: str = "auto") -> Style:
    """Return how to make things stand out on what the answer is printed to.

    Args:
        colour: ``always``, ``never``, or ``auto``: on a terminal, unless ``NO_COLOR`` is set.
    """
    terminal, dumb = sys.stdout.isatty(), os.environ.get("TERM") == "dumb"
    coloured = terminal and not dumb and not os.environ.get("NO_COLOR")
    return Style(
        colour=colour == "always" or (colour == "auto" and coloured),
        links=terminal and not dumb and _knows_links(),
        columns=os.get_terminal_size(1).columns if terminal else 0,
        ago=_ago if terminal else None,
    )


def _knows_links() -> bool:
    """Whether this is a terminal that is known to show links; others might print them."""
    asked = os.environ.get
    return (
        asked("TERM_PROGRAM") in {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"}
        or bool(asked("KITTY_WINDOW_ID") or asked("WT_SESSION") or asked("KONSOLE_VERSION"))
        or _number(asked("VTE_VERSION")) >= _VTE_LINKS
        or (asked("TERM") or "").startswith(("xterm-kitty", "foot", "alacritty", "wezterm"))
    )


def _number(text: str | None) -> int:
    """Return a number that stands in a variable; 0 for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() else 0


def _ago(date: str) -> str:
    """Return how long ago a date was: ``3 days ago``; a later one as it is."""
    from datetime import datetime  # noqa: PLC0415 - only a terminal shows it

    try:
        then = datetime.fromisoformat(date)
    except ValueError:
        return date
    seconds = (datetime.now(then.tzinfo) - then).total_seconds()
    if seconds < 0:
        return date[:10]
    for name, length in _UNITS:
        if seconds >= length:
            number = int(seconds // length)
            return f"{number} {name}{'' if number == 1 else 's'} ago"
    return "just now"


_UNITS = (("year", 31_557_600), ("month", 2_629_800), ("day", 86_400), ("hour", 3_600), ("minute", 60))
"""With their lengths in seconds, a year and a month as the mean ones are."""


def put(data: str | bytes) -> None:
    """Write to standard output; what its encoding cannot say is escaped.

    Raises:
        NotesdError: It cannot be written, because a disk is full for instance.
        BrokenPipeError: Nobody reads it any more.
    """
    if isinstance(data, str):
        data = data.encode(sys.stdout.encoding or "utf-8", "backslashreplace")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotesdError(f"the answer could not be written: {error.strerror}") from None


def fill_gaps() -> None:
    """Put the null device where a standard stream was closed.

    Otherwise the next file or socket that is opened gets its number, and what is printed goes there.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for the whole run
