"""How is a daemon found, started, asked to stop, or done without?"""

import errno
import gc
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence

from notesd import trust
from notesd.cli.render import Answer, clean, mapping, records
from notesd.cli.report import progress
from notesd.cli.terminal import say
from notesd.errors import Busy, ConfigError, NoDaemon, NotesdError
from notesd.locations import Paths, absolute, state_of
from notesd.ownership import BY_VERB, STARTED_BY, is_held, owner_of
from notesd.serve.client import Client, reach

START_S = 30.0
"""How long a daemon may take to answer its first request."""
STOP_S = 10.0
"""How long a daemon may take to end."""
FIRST_S = 10.0
"""How long the first question waits for the first index; what is read by then answers it."""
TELL_S = 3.0
"""How often a progress is told where there is no terminal."""
END_S = 5.0
"""How long a daemon that listens no more may take to let go of its state folder."""
_STEP_S = 0.02
_LOG_BYTES = 1 << 20
"""A log longer than this is begun anew when a daemon is started."""


def start(paths: Paths, folders: Sequence[str], timeout: float | None) -> Client:
    """Start a daemon, let it read its folders for a while and return a connection to it.

    Args:
        paths: Where its socket and state are.
        folders: What it is to serve; empty: the configured spaces.
        timeout: As for ``Client``.

    Raises:
        NoDaemon: It could not be started.
    """
    from notesd.files.roots import configured  # noqa: PLC0415 - only needed when none runs

    try:
        configured(paths, folders)  # before anything is written: the state folder may lie within the notes
    except ConfigError as error:
        raise NoDaemon(f"the daemon could not start: {error.message}") from None
    ensure_daemon(paths, folders)
    found = reach(paths, timeout)
    _await_index(found)
    return found


def ensure_daemon(paths: Paths, folders: Sequence[str]) -> None:
    """Start a daemon unless another client does so at this moment, and wait until it answers.

    Raises:
        NoDaemon: It ended, or did not answer in time; with the last line of its log.
    """
    import fcntl  # noqa: PLC0415 - only needed when none runs

    try:
        if trust.make_own_folder(paths.state):
            say(f"the state folder {clean(paths.state)} could be written to by others; it is private now")
        lock = trust.open_own(os.path.join(paths.state, "start.lock"), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _unusable(paths, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _answers(paths):
            _await_end(paths)
            _start(paths, folders)
    finally:
        os.close(lock)


def _unusable(paths: Paths, error: OSError) -> NoDaemon:
    """Say why the state folder is of no use."""
    if isinstance(error, trust.Untrusted):
        return NoDaemon(f"cannot start a daemon: {error.filename} {error.strerror}")
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    to_do = "make room" if is_full else "make it a folder that is writable"
    return NoDaemon(
        f"cannot start a daemon: the state folder {paths.state} cannot be used ({error.strerror}); "
        f"{to_do} or choose another with --state-dir"
    )


def _await_end(paths: Paths) -> None:
    """Give a daemon that is just ending the time to let go of the state folder.

    It stops to listen before it has written everything down, and until then another one is refused.

    Raises:
        NoDaemon: It does not end: it is there, and cannot be reached from here.
    """
    end = time.monotonic() + END_S
    while is_held(paths.state):
        if _answers(paths):
            return  # it had just been started and did not listen yet
        if time.monotonic() > end:
            owner = owner_of(paths.state)
            who = f"the daemon with pid {owner.pid}" if owner else "a daemon"
            where = f"listens at {owner.socket}" if owner and owner.socket else "does not listen"
            asked = f", not at {paths.socket}" if paths.socket_named else ""
            raise NoDaemon(
                f"{who} serves the state folder {paths.state} and {where}{asked}; ask it there, or stop it "
                f"with `notesd stop --state-dir {paths.state}`"
            )
        time.sleep(_STEP_S)


def _start(paths: Paths, folders: Sequence[str]) -> None:
    """Start a daemon that outlives this process."""
    import subprocess  # noqa: PLC0415 - only needed when none runs

    # Folders come beside what is configured; which spaces that are, the daemon reads.
    spaces = ["the configured spaces"] if os.path.exists(paths.config) or not folders else []
    what = " and ".join([*spaces, *folders])
    log_path = os.path.join(paths.state, "daemon.log")
    say(f"no daemon runs at {clean(paths.socket)}; starting one for {clean(what)} (log: {clean(log_path)})")
    try:
        log = trust.open_own(log_path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    except OSError as error:
        raise _unusable(paths, error) from None
    try:
        if os.fstat(log).st_size > _LOG_BYTES:
            os.ftruncate(log, 0)
        begin = os.fstat(log).st_size
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "notesd", *_serve_words(paths, folders)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={**os.environ, STARTED_BY: BY_VERB},
            start_new_session=True,
        )
        end = time.monotonic() + START_S
        while not _answers(paths):
            if child.poll() is not None:
                raise NoDaemon(f"the daemon could not start: {_last_line(log, begin, child.returncode)}")
            if time.monotonic() > end:
                raise NoDaemon(f"the daemon did not answer within {START_S:.0f} s; see {log_path}")
            time.sleep(_STEP_S)
        child.returncode = 0  # it goes on without us; this keeps Python from minding
    finally:
        os.close(log)


def _serve_words(paths: Paths, folders: Sequence[str]) -> list[str]:
    """Return the command line of the daemon, without a word that depends on the working directory."""
    words = ["serve", "--state-dir", paths.state]
    if paths.socket_named:
        words += ["--socket", paths.socket]
    if paths.config_named:
        words += ["--config", paths.config]
    return [*words, "--", *folders]


def _last_line(log: int, begin: int, status: int) -> str:
    """Return what the daemon said last since it was started."""
    size = os.fstat(log).st_size
    lines = os.pread(log, size - begin, begin).decode("utf-8", "replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    if said:
        return said[-1].removeprefix("notesd: ")
    if os.fstatvfs(log).f_bavail == 0:
        return "the disk of its state folder is full; make room or choose another with --state-dir"
    return f"it ended with status {status} and said nothing"


def _answers(paths: Paths) -> bool:
    """Whether a daemon of ours answers."""
    try:
        asked = reach(paths, START_S)
    except NoDaemon:
        return False
    try:
        asked.call("ping")
    except NoDaemon:
        return False
    except Busy:
        return True
    finally:
        asked.close()
    return True


def _await_index(asked: Client) -> None:
    """Wait until a new daemon has read its folders, showing how far it is; after a while, go on without.

    What is read by then answers, and the answer says that there may be more.
    """
    meter = ProgressMeter()
    end = time.monotonic() + FIRST_S
    try:
        while (answer := asked.call("status")).get("state") == "indexing" and time.monotonic() < end:
            meter.show(answer)
            time.sleep(5 * _STEP_S)
    finally:
        meter.clear()


def patiently(asked: Client, method: str, params: dict[str, object]) -> Answer:
    """Ask what may take long, and show how far the daemon is until it answers.

    However long it takes, it is waited for while the daemon answers at all.
    """
    asked.send(method, params)
    if not asked.answered(within=5 * _STEP_S):
        meter, watcher = ProgressMeter(), Client(asked.path, asked.timeout)
        try:
            while not asked.answered(within=0.25):
                meter.show(watcher.call("status"))
        finally:
            watcher.close()
            meter.clear()
    return asked.receive()


class ProgressMeter:
    """How far the daemon is: one line that changes on a terminal, elsewhere a line now and then."""

    def __init__(self) -> None:
        """Draw nothing yet."""
        self._terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        # A line that is too long would wrap, and then be drawn again below itself.
        self._columns = (os.get_terminal_size(2).columns or 80) - 1 if self._terminal else 0
        self._drawn = False
        self._next = time.monotonic() + TELL_S
        self._told = ""

    def show(self, answer: Answer) -> None:
        """Draw the state of an answer to ``status``."""
        spaces = ((clean(space.get("name")), progress(space)) for space in records(answer.get("spaces")))
        text = "; ".join(f"{name}: {line}" for name, line in spaces if line)
        if not text:
            return
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{text[: self._columns]}")
            sys.stderr.flush()
            self._drawn = True
        elif time.monotonic() >= self._next and text != self._told:
            say(text)
            self._told, self._next = text, time.monotonic() + TELL_S

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False


def space_of(asked: Client, folder: str) -> str:
    """Return the name of the space that a running daemon has of a folder.

    Raises:
        ConfigError: It does not serve that folder.
    """
    spaces = records(asked.call("status").get("spaces"))
    for space in spaces:
        if os.path.realpath(str(space.get("path"))) == os.path.realpath(folder):
            return str(space.get("name"))
    served = ", ".join(str(space.get("path")) for space in spaces) or "no folder"
    raise ConfigError(
        f"the daemon at {asked.path} serves {served}, not {folder}; stop it with `notesd stop`, or give this "
        "folder a daemon of its own with --state-dir and --socket"
    )


def folder_of(word: str, paths: Paths | None = None) -> str:
    """Return the absolute path of a folder named on the command line.

    Args:
        word: As it was written.
        paths: Where a daemon keeps its state: a folder that was served from there may be missing.

    Raises:
        ConfigError: It is not there, or no folder.
    """
    path = absolute(word, os.environ) if word else ""
    served = paths is not None and os.path.isdir(state_of(paths.state, path))
    if not os.path.isdir(path) and (os.path.exists(path) or not served):
        why = "is not a folder" if os.path.lexists(path) else "does not exist"
        raise ConfigError(f"the folder {path or repr(word)} {why}; name the folder that holds your notes")
    return path


def stop(paths: Paths) -> None:
    """Stop the daemon and wait until it is gone.

    One that cannot be asked, because it listens where we cannot go, is found by its lock.

    Raises:
        NoDaemon: None runs.
        NotesdError: It does not end, or is not ours to end.
    """
    pid = _pid_of(paths)
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    except PermissionError:
        raise NotesdError(f"the daemon (pid {pid}) belongs to another user") from None
    end = time.monotonic() + STOP_S
    while _lives(pid):
        if time.monotonic() > end:
            raise Busy(f"the daemon (pid {pid}) has not ended within {STOP_S:.0f} s; it may still do so")
        time.sleep(_STEP_S)


def _pid_of(paths: Paths) -> int:
    """Return the process of the daemon.

    Raises:
        NoDaemon: None runs.
        NotesdError: It does not say which process it is.
    """
    try:
        asked = reach(paths, STOP_S)
    except NoDaemon:
        owner = None if paths.socket_named else owner_of(paths.state)
        if owner and owner.pid > 1 and is_held(paths.state):
            return owner.pid
        raise
    try:
        pid = asked.call("ping").get("pid")
    finally:
        asked.close()
    if not isinstance(pid, int) or pid <= 1:
        raise NotesdError(f"the daemon at {asked.path} does not say which process it is")
    return pid


def _lives(pid: int) -> bool:
    """Whether a process has not ended; one that its parent has yet to take note of has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[:1] != [b"Z"]
    except OSError:  # no /proc here
        return True


def serve(paths: Paths, folders: Sequence[str]) -> int:
    """Be the daemon, in the foreground; the exit status."""
    from notesd import daemon  # noqa: PLC0415 - a client must not pay for it

    gc.enable()
    return daemon.serve(paths, folders)


def export_folder(folder: str, queries: Sequence[str]) -> Answer:
    """Describe the index of a folder without a daemon."""
    from notesd import once  # noqa: PLC0415 - a client must not pay for it

    gc.enable()
    return mapping(once.export_folder(folder, queries))


def search_texts(texts: Mapping[str, str], query: str, limit: int) -> list[str]:
    """Search texts by path without a daemon; paths, best first."""
    from notesd import once  # noqa: PLC0415 - a client must not pay for it

    gc.enable()
    return once.search_texts(texts, query, limit)
