"""What is written where: answers to standard output, everything else to standard error."""

import os
import sys

from notesd.cli.render import Style
from notesd.errors import NotesdError


def say(text: str) -> None:
    """Tell the person something that is no part of the answer; one who cannot be told goes without."""
    try:
        sys.stderr.write(f"notesd: {text}\n")
        sys.stderr.flush()
    except OSError:
        pass  # a full disk or a reader that left must not change how the answer ends


def style() -> Style:
    """Return how to make things stand out on what the answer is printed to."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return Style(colour=sys.stdout.isatty() and not plain)


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
