"""The daemon with another version of the library that tells of file events, as it may be one day.

Run as a program, like ``notesd``; ``CHANGED`` names what is other than we know it.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import watchdog.observers.inotify  # noqa: F401  # it has what it needs before anything is changed
from watchdog.observers import inotify_c
from watchdog.observers.inotify_c import InotifyFD

from notesd import daemon
from notesd.cli.main import main
from notesd.space import watching


def hide(name: str) -> Callable[[], None]:
    """Make an inner name that we import be gone."""
    return lambda: delattr(inotify_c, name)


def change(name: str, method: Callable[..., Any]) -> Callable[[], None]:
    """Make an inner method be another one."""
    return lambda: setattr(InotifyFD, name, method)


def _raise(*_: object) -> None:
    raise RuntimeError("not in this version")


def _wrong_callback(_self: InotifyFD, event: object) -> None:
    raise TypeError(f"on_event() takes no {event!r}")


CHANGES: dict[str, Callable[[], None]] = {
    "a name is gone": hide("CallbackId"),
    "a class is gone": hide("InotifyFD"),
    "construction fails": change("__init__", _raise),
    "a method has other parameters": change("add_callback", lambda self, path: None),
    "a method is gone": lambda: delattr(InotifyFD, "remove_callbacks"),
    "the thread dies of the first event": change("handle_event", _wrong_callback),
    "events are lost": change("handle_event", lambda self, event: None),
}

if __name__ == "__main__":
    daemon.SELF_CHECK_S = 0.5
    vars(watching)["PULSE_S"] = 1.0
    CHANGES[os.environ["CHANGED"]]()
    sys.exit(main(sys.argv[1:]))
