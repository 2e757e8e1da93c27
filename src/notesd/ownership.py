"""Who owns a state folder? One daemon, for as long as it lives, by a lock of the system's.

The file of the lock says where that daemon is to be found, whatever a client's environment says:

    1234                                  its process
    /run/user/1000/notesd/notesd.sock     its socket, once it listens
    {"version": ..., ...}                 what else a client should know before it asks, as JSON

What is left in it by a daemon that was killed means nothing: the lock is what counts.
"""

import json
import os
from collections.abc import Mapping

from notesd import trust
from notesd.errors import StoreError, StoreLocked

NAME = "daemon.lock"
STARTED_BY = "NOTESD_STARTED_BY"
"""Variable by which a verb tells the daemon that it starts who has done so."""
BY_VERB = "verb"

_FILES = frozenset((NAME, "daemon.log", "start.lock", "notesd.sock", "usage.db"))
FOLDERS = frozenset(("pulse", "spaces", "vectors"))
"""Names of all folders that a daemon keeps in its state folder."""
_LONGEST = 1 << 16
"""Bytes; a file that is longer is none of ours."""
_PID_DIGITS = 10
_TRIES = 10
_PAUSE_S = 0.03
"""Somebody who only asks whether the lock is held has it for a moment."""


class Owner:
    """What a lock file says of the daemon that wrote it."""

    __slots__ = ("facts", "pid", "socket")

    def __init__(self, pid: int, socket: str, facts: Mapping[str, object]) -> None:
        """Take its process, its socket ("" while it does not listen) and the rest."""
        self.pid = pid
        self.socket = socket
        self.facts = facts
        """``version``, and what it serves; empty from a daemon that says nothing of it."""


def is_ours(name: str) -> bool:
    """Whether a daemon gives this name to a file or folder of its state; its database has files beside it."""
    return name in _FILES or name in FOLDERS or name.startswith(("usage.db-", "usage.db."))


def owner_of(state: str) -> Owner | None:
    """Read what the lock file of a state folder says, held or not; None: nothing that can be used.

    Args:
        state: The folder.
    """
    try:
        file = trust.open_own(os.path.join(state, NAME), os.O_RDONLY)
    except OSError:
        return None
    try:
        return _parse(os.read(file, _LONGEST))
    finally:
        os.close(file)


def stamp(path: str) -> list[int] | None:
    """What tells a file from what it was before: inode, size, time of change; None: it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return [found.st_ino, found.st_size, found.st_mtime_ns]


def is_held(state: str) -> bool:
    """Whether a daemon owns a state folder now."""
    import fcntl  # noqa: PLC0415 - a client rarely has to ask

    try:
        file = trust.open_own(os.path.join(state, NAME), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(file)
    return False


class Ownership:
    """The lock on a state folder; the system lets go of it whatever happens to us."""

    def __init__(self, state: str) -> None:
        """Take it, making the folder when it is missing.

        Raises:
            StoreLocked: Another daemon has it.
            StoreError: The folder cannot be made or written, or something in it is not ours.
        """
        self._state = state
        self._said = b""
        self.opened_to_others: list[str] = []
        """What in the folder others could write to until now."""
        self._file = self._take()

    def tell(self, socket: str, facts: Mapping[str, object]) -> None:
        """Say where we listen, and what a client should know before it asks.

        Raises:
            StoreError: It cannot be written.
        """
        named = "" if "\n" in socket else socket
        self._said = os.fsencode(f"{named}\n{json.dumps(facts)}\n")
        self._write(self._file)

    def renew(self) -> None:
        """Take it again when the folder or the lock in it was removed: ours would keep nobody out.

        What it says is written anew when somebody wrote something else.

        Raises:
            StoreLocked: Another daemon was quicker.
            StoreError: As above.
        """
        held = os.fstat(self._file)
        try:
            found = os.lstat(os.path.join(self._state, NAME))
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != (held.st_dev, held.st_ino):
            old, self._file = self._file, self._take()
            os.close(old)
        elif os.pread(self._file, _LONGEST, 0) != self._words():
            self._write(self._file)

    def close(self) -> None:
        """Let go of it; nobody is to look for us any more."""
        try:  # noqa: SIM105 - a client starts with this module, and contextlib costs it half a millisecond
            os.ftruncate(self._file, 0)
        except OSError:
            pass
        os.close(self._file)

    def _take(self) -> int:
        """Lock the file and write into it who we are."""
        try:
            self.opened_to_others = trust.make_own_tree(self._state, is_ours)
            file = trust.open_own(os.path.join(self._state, NAME), os.O_RDWR | os.O_CREAT)
        except trust.Untrusted as error:
            raise StoreError(
                f"the state folder {self._state} cannot be trusted: {error.filename} {error.strerror}"
            ) from error
        except OSError as error:
            raise StoreError(
                f"the state folder {self._state} cannot be used ({error.strerror}); "
                "make it writable or choose another with --state-dir"
            ) from error
        try:
            _lock(file, self._state)
            self._write(file)
        except BaseException:
            os.close(file)
            raise
        return file

    def _words(self) -> bytes:
        return f"{os.getpid()}\n".encode() + self._said

    def _write(self, file: int) -> None:
        words = self._words()
        try:
            os.pwrite(file, words, 0)
            os.ftruncate(file, len(words))
        except OSError as error:
            raise StoreError(
                f"the state folder {self._state} cannot be written ({error.strerror}); "
                "make room or choose another with --state-dir"
            ) from error


def _lock(file: int, state: str) -> None:
    """Take the lock on an open file.

    Raises:
        StoreLocked: Another daemon has it.
        StoreError: It is no lock file of ours, or cannot be locked here.
    """
    import fcntl  # noqa: PLC0415 - a client reads this module and locks nothing
    import time  # noqa: PLC0415 - the same

    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if left:
                time.sleep(_PAUSE_S)
                continue
            owner = _parse(os.pread(file, _LONGEST, 0))
            pid, where = (str(owner.pid), owner.socket) if owner else ("unknown", "")
            listens = f" and listens at {where}" if where else ""
            raise StoreLocked(
                f"the daemon with pid {pid} already serves the state folder {state}{listens}; "
                "stop it with `notesd stop`",
                pid=pid,
            ) from None
        except OSError as error:
            raise StoreError(
                f"the state folder {state} cannot be locked ({error.strerror}); "
                "choose one on another disk with --state-dir"
            ) from error
    left_over = os.pread(file, _LONGEST, 0)
    if left_over.strip(b"\0\n") and _parse(left_over) is None:
        raise StoreError(f"{os.path.join(state, NAME)} holds something that notesd never wrote; take it away")


def _parse(written: bytes) -> Owner | None:
    """Understand the bytes of a lock file; None: they are none of ours."""
    pid, _, rest = written.partition(b"\n")
    socket, _, rest = rest.partition(b"\n")
    if not pid.isdigit() or len(pid) > _PID_DIGITS or len(written) >= _LONGEST:
        return None
    facts = rest.partition(b"\n")[0]
    try:
        told = json.loads(facts) if facts else {}
    except (ValueError, RecursionError):
        told = {}
    return Owner(int(pid), os.fsdecode(socket), told if isinstance(told, dict) else {})
