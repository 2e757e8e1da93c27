"""What does a service manager hand the daemon, and what does it want to hear?

systemd passes an open socket (``LISTEN_FDS``), waits to be told that the daemon answers (``NOTIFY_SOCKET``),
and starts one anew that says nothing for too long (``WATCHDOG_USEC``). Nothing happens here without it.
Source: sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3).
"""

import contextlib
import os
import signal
import socket
import sys
from collections.abc import MutableMapping
from typing import NamedTuple, NoReturn

from notesd.errors import ConfigError
from notesd.ownership import STARTED_BY

FIRST_FD = 3
"""Number of the first descriptor that is passed."""
_OURS = "notesd"
"""Name of a socket that a daemon hands to the one that takes its place."""


class Inherited(NamedTuple):
    """A socket that listened before we began."""

    socket: socket.socket
    ours: bool
    """A daemon has bound it, and its file goes with the last one."""

    @property
    def path(self) -> str:
        """Where it listens."""
        return str(self.socket.getsockname())

    def let_go(self) -> None:
        """Nobody takes it over: it listens no more."""
        if self.ours:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self.socket.close()


def inherited_socket(environ: MutableMapping[str, str], first: int = FIRST_FD) -> Inherited | None:
    """Return the listening socket that was opened for us, None when there is none.

    The variables go, because they are not meant for our children.

    Args:
        environ: Environment; ``LISTEN_PID`` and ``LISTEN_FDS`` are read.
        first: Number of the first descriptor.

    Raises:
        ConfigError: It passes several sockets, or one that no notesd can answer at.
    """
    pid, number = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "")
    ours = environ.pop("LISTEN_FDNAMES", "") == _OURS
    if pid != str(os.getpid()) or not number.isdecimal() or int(number) == 0:
        return None
    if int(number) > 1:
        raise ConfigError(
            f"the service manager passes {number} sockets, and notesd answers at one; give its socket unit "
            "one ListenStream="
        )
    passed = socket.socket(fileno=first)
    os.set_inheritable(first, False)  # noqa: FBT003 -- it takes no name
    listens = passed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    name = passed.getsockname()
    if passed.family != socket.AF_UNIX or not listens or not isinstance(name, str) or not os.path.isabs(name):
        passed.close()
        raise ConfigError(
            "the service manager passes something else than a listening Unix socket with a path; correct the "
            "ListenStream= of its socket unit"
        )
    passed.setblocking(False)  # noqa: FBT003 -- the name of the method says it
    return Inherited(passed, ours)


def tell(message: str) -> None:
    """Tell the service manager, where there is one, how we are.

    Args:
        message: As in sd_notify(3), like ``READY=1``.
    """
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as pipe:
        pipe.connect("\0" + address[1:] if address.startswith("@") else address)
        pipe.sendall(message.encode())


def starter() -> str:
    """Who has started this daemon: ``service``, ``verb`` or, as far as we know, somebody by ``hand``."""
    if os.environ.get("NOTIFY_SOCKET"):
        return "service"
    return os.environ.get(STARTED_BY) or "hand"


def heartbeat_s() -> float | None:
    """Seconds between two ``WATCHDOG=1`` that the service manager waits for; None: it waits for none."""
    wanted, whose = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    if not wanted.isdecimal() or int(wanted) == 0 or (whose and whose != str(os.getpid())):
        return None
    return int(wanted) / 1e6 / 2


def begin_anew(handed: Inherited) -> NoReturn:
    """Become the same program again, with the same words, process number and socket.

    Who knocks meanwhile waits at the socket.
    """
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the new image listens to it, it must not end that
    name = _OURS if handed.ours else ""
    os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": name}
    if handed.socket.fileno() == FIRST_FD:
        os.set_inheritable(FIRST_FD, True)  # noqa: FBT003 -- it takes no name
    else:
        os.dup2(handed.socket.fileno(), FIRST_FD)
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 -- our own command line
