"""Where does the daemon listen, and who may talk to it?

A Unix socket of mode 0600 in a folder of mode 0700, whatever the umask says, and answers for
nobody but the user the daemon runs as.
"""

import errno
import fcntl
import os
import socket
import stat
import sys

from notesd import trust
from notesd.errors import Busy, ConfigError

LONGEST_PATH = 103 if sys.platform == "darwin" else 107
"""Bytes that fit into ``sockaddr_un.sun_path`` with the NUL after them."""
OWN_FOLDER = "notesd"
"""A folder of this name is ours and is made private; any other is left as its owner made it."""

_BACKLOG = 512
_CONNECT_S = 2.0


class Peer:
    """The program at the other end of one connection."""

    __slots__ = ("__weakref__", "pid", "uid")

    def __init__(self, uid: int, pid: int | None) -> None:
        """Take what the system says about it."""
        self.uid = uid
        self.pid = pid
        """None where the system does not tell."""


class Listener:
    """A listening socket and the file that leads to it."""

    def __init__(self, path: str, inherited: socket.socket | None = None, *, ours: bool = False) -> None:
        """Bind and listen, or take over a socket that listens already.

        A socket that nobody listens to any more is replaced; a live one, or anything that is
        no socket, never is.

        Args:
            path: Absolute. Missing folders above it are made, with mode 0700.
            inherited: What listens at the path already.
            ours: Its file goes when we end; a service manager's stays.

        Raises:
            ConfigError: The path is too long, lies where we may not write, is no socket, or
                another daemon listens there.
            Busy: Another daemon is just starting there.
        """
        self.path = path
        self.ours = ours or inherited is None
        """The file goes when we stop listening."""
        if inherited:
            self.socket, self._identity = inherited, _identity(path)
            return
        size = len(os.fsencode(path))
        if size > LONGEST_PATH:
            raise ConfigError(
                f"the socket path is too long ({size} bytes, at most {LONGEST_PATH}): {path}; "
                "name a shorter one with --socket or NOTESD_SOCKET"
            )
        folder = os.path.dirname(path)
        try:
            _make_private(folder)
            with _Locked(folder):
                _clear(path)
                self.socket = _listen(path)
        except trust.Untrusted as error:
            raise ConfigError(
                f"cannot listen at {path}: {error.filename} {error.strerror}, or name another --socket"
            ) from error
        except OSError as error:
            raise ConfigError(f"cannot listen at {path}: {error.strerror}; name another --socket") from error
        self._identity = _identity(path)

    def holds_path(self) -> bool:
        """Whether the path still leads to this socket (somebody may have removed or replaced it)."""
        return self._identity is not None and _identity(self.path) == self._identity

    def close(self) -> None:
        """Stop listening; the file goes when it is still ours, and we made it."""
        if self.ours and self.holds_path():
            os.unlink(self.path)
        self._identity = None
        self.socket.close()


def peer_of(connection: socket.socket) -> Peer:
    """Ask the system who connected.

    Raises:
        OSError: It does not say, for instance because the peer is gone.
    """
    return Peer(*trust.peer_of(connection))


def suitable(path: str, instead: str) -> str:
    """Say where to listen when nobody named a place.

    Args:
        path: The usual one, in the folder that a login makes.
        instead: Where to listen when that folder is gone or another user's (as after ``su``), or when
            another daemon listens there, for another state folder.
    """
    try:
        _make_private(os.path.dirname(path))
    except OSError:
        return instead
    return instead if _identity(path) and _answers(path) else path


class _Locked:
    """The lock on a folder, for as long as it takes to look at the socket and bind it.

    Two daemons that find the same dead socket would otherwise each remove it, the second one
    the first one's new socket. A folder can be locked itself, so no lock file stays behind.
    """

    def __init__(self, folder: str) -> None:
        self._fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._fd)
            raise Busy(f"another notesd is just starting in {folder}; try again") from None

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _make_private(folder: str) -> None:
    """Make the folder of the socket; one of our name is ours alone, in any other nobody may replace it."""
    if os.path.basename(folder) == OWN_FOLDER:
        trust.make_own_folder(folder)
        return
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        try:
            os.mkdir(path, trust.FOLDER_MODE)
        except FileExistsError:
            continue  # another daemon that starts just now
        os.chmod(path, trust.FOLDER_MODE)  # the umask may have taken more than it should
    trust.check_shared_folder(missing[0] if missing else folder)


def _clear(path: str) -> None:
    """Remove a socket that nobody listens to.

    Raises:
        ConfigError: Something else is there, or somebody does listen.
    """
    found = _identity(path)
    if found is None:
        return
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise ConfigError(f"{path} exists and is not a socket; move it away or name another --socket")
    if _answers(path):
        raise ConfigError(
            f"another daemon listens at {path}; stop it with `notesd stop` or name another --socket"
        )
    os.unlink(path)


def _answers(path: str) -> bool:
    """Whether somebody listens at a socket; in doubt, yes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_S)
        try:
            probe.connect(path)
        except OSError as error:
            return error.errno not in {errno.ECONNREFUSED, errno.ENOENT}
    return True


def _listen(path: str) -> socket.socket:
    """Bind a socket that is private before anybody can connect to it."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.setblocking(False)  # noqa: FBT003 - the name of the method says it
        listening.bind(path)
        os.chmod(path, 0o600)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def _identity(path: str) -> tuple[int, int] | None:
    """Return device and inode of a file; None when there is none.

    A bound socket keeps its inode in use, so no later file can get the same pair.
    """
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino
