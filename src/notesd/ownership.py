"""Who owns a state folder? One daemon, for as long as it lives, by a lock of the system's."""

import fcntl
import os

from notesd.errors import StoreError, StoreLocked


class Ownership:
    """The lock on a state folder; the system lets go of it whatever happens to us."""

    def __init__(self, state: str) -> None:
        """Take it, making the folder when it is missing.

        Raises:
            StoreLocked: Another daemon has it.
            StoreError: The folder cannot be made or written.
        """
        self._state = state
        self._file = _lock(state)

    def renew(self) -> None:
        """Take it again when the folder or the lock in it was removed: ours would keep nobody out.

        Raises:
            StoreLocked: Another daemon was quicker.
            StoreError: As above.
        """
        held = os.fstat(self._file)
        try:
            found = os.stat(os.path.join(self._state, _NAME))
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != (held.st_dev, held.st_ino):
            old, self._file = self._file, _lock(self._state)
            os.close(old)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._file)


_NAME = "daemon.lock"


def _lock(state: str) -> int:
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        if os.stat(state).st_uid == os.geteuid():
            os.chmod(state, 0o700)
        file = os.open(os.path.join(state, _NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(
            f"the state folder {state} cannot be used ({error.strerror}); "
            "make it writable or choose another with --state-dir"
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
    except BlockingIOError:
        pid = os.read(file, 32).decode("ascii", "replace").strip() or "unknown"
        os.close(file)
        raise StoreLocked(
            f"the daemon with pid {pid} already serves the state folder {state}; stop it with `notesd stop`",
            pid=pid,
        ) from None
    except OSError as error:
        os.close(file)
        raise StoreError(
            f"the state folder {state} cannot be written ({error.strerror}); "
            "make room or choose another with --state-dir"
        ) from error
    return file
