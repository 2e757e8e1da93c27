"""The daemon, whose self-checks are frequent and in which everything fails at first.

Run as a program, like ``notesd``.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from notesd import daemon, duty
from notesd.cli.main import main
from notesd.serve.server import Server
from notesd.space.space import Space
from notesd.space.watching import Watching
from notesd.usage.record import Record

FAILURES = 2
"""How often each fails."""
FAILING = os.environ.get("FAILING", "").split(",")
ALL: dict[str, tuple[type, str]] = {
    "watcher": (Watching, "look_after"),
    "socket": (Server, "holds_path"),
    "space": (Space, "_await_work"),
    "configuration": (daemon._Daemon, "_look_after_configuration"),
    "usage": (Record, "_write_waiting"),
}


def failing(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that fails some times before it works."""
    left = [FAILURES]

    def wrapped(*args: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise RuntimeError(f"{name} has an idea")
        return method(*args)

    return wrapped


if __name__ == "__main__":
    daemon.SELF_CHECK_S = 0.2
    vars(duty)["PAUSE_S"] = (0.05, 0.2)
    for name in filter(None, FAILING):
        owner, method = ALL[name]
        setattr(owner, method, failing(name, getattr(owner, method)))
    sys.exit(main(sys.argv[1:]))
