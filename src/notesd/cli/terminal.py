"""What is written where: answers to standard output, everything else to standard error."""

import os
import sys

from notesd.cli.render import Style


def say(text: str) -> None:
    """Tell the person something that is no part of the answer."""
    sys.stderr.write(f"notesd: {text}\n")
    sys.stderr.flush()


def style() -> Style:
    """Return how to make things stand out on what the answer is printed to."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return Style(colour=sys.stdout.isatty() and not plain)


def put(data: str | bytes) -> None:
    """Write to standard output; what its encoding cannot say is escaped."""
    if isinstance(data, str):
        data = data.encode(sys.stdout.encoding or "utf-8", "backslashreplace")
    sys.stdout.buffer.write(data)
