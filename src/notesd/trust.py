"""Whose is a file, a folder or the program behind a socket, and may we rely on what it says?

Every file of ours and every file that decides what we do is opened here, and what was opened is what is
looked at: a name can be given to something else between a look and an opening.

What we write (state, locks, logs, the folder of the socket) has to belong to the user we run as; it is
made private, and no link is followed to it. What we only read (configuration, models) may belong to root
too, and nobody else may write to it. A group may, when it is the user's own group with nobody else in
it: where the umask is 002, every file is so.
"""

import errno
import os
import socket
import stat
import sys
from collections.abc import Callable

FILE_MODE = 0o600
FOLDER_MODE = 0o700

_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
_LOCAL_PEERPID = 2
"""From <sys/un.h> on macOS."""
_XUCRED_BYTES = 76
"""Size of ``struct xucred`` of <sys/ucred.h> there: version, user id, number of groups, 16 groups."""


class Untrusted(PermissionError):
    """Something is not ours, or others may write to it; ``strerror`` ends a sentence on it."""

    def __init__(self, path: str, why: str) -> None:
        """Take the path and the end of the sentence that begins with it."""
        super().__init__(errno.EPERM, why, path)


def open_own(path: str, flags: int) -> int:
    """Open a file that we write, and make it private; ``os.O_CREAT`` in ``flags`` makes it when missing.

    Returns:
        Its descriptor.

    Raises:
        Untrusted: It is a link, no regular file, another user's, or has a second name somewhere.
        OSError: The system does not open it.
    """
    file = _open(path, flags | os.O_NONBLOCK, FILE_MODE)
    try:
        found = os.fstat(file)
        _check_own(path, found)
        if stat.S_IMODE(found.st_mode) & ~FILE_MODE:
            os.fchmod(file, FILE_MODE)
    except BaseException:
        os.close(file)
        raise
    return file


def open_read(path: str, *, follow: bool) -> int:
    """Open a file that decides what we do, to read it.

    Args:
        path: The file.
        follow: Whether it may be a link. Then what the link leads to is looked at.

    Returns:
        Its descriptor.

    Raises:
        Untrusted: It is another user's, or others may write to it; it is a link, and may not be; or it has
            no bytes that stay, as a pipe or a terminal has none. The null device is an empty file.
        OSError: The system does not open it.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe in its place must not hold us up
    file = os.open(path, flags) if follow else _open(path, flags)
    try:
        _check_readable(path, os.fstat(file))
    except BaseException:
        os.close(file)
        raise
    return file


def check_read_folder(path: str) -> None:
    """Make sure that nobody else has a say in a folder of files that we rely on; root may have one.

    Raises:
        Untrusted: It is another user's, or others may write to it.
        OSError: The system does not open it.
    """
    folder = _open_folder(path)
    try:
        _check_readable(path, os.fstat(folder))
    finally:
        os.close(folder)


def make_own_folder(path: str) -> bool:
    """Make a folder of ours with what is missing above it, and see to it that it is private.

    Returns:
        Whether others could write to it until now.

    Raises:
        Untrusted: It is another user's, or would be made in a folder that is, where its owner could not
            use it (as with ``sudo`` that keeps the home); or it cannot be made private.
        OSError: It cannot be made or opened.
    """
    if not os.path.lexists(path):
        above = path
        while not os.path.lexists(above):
            above = os.path.dirname(above)
        _check_owner(above, os.stat(above), (os.geteuid(), 0))
    os.makedirs(path, FOLDER_MODE, exist_ok=True)
    folder = _open_folder(path)
    try:
        return _make_private(path, folder)
    finally:
        os.close(folder)


def make_own_tree(path: str, is_ours: Callable[[str], bool]) -> list[str]:
    """Make a folder of ours, and see to it that what we keep in it is ours and private, however deep.

    Args:
        path: The folder.
        is_ours: Tells the names of our files and folders in it; others, like ``lost+found``, are left alone.

    Returns:
        The path of everything that others could write to until now.

    Raises:
        Untrusted: Something in it is a link, another user's, or neither a folder nor a file nor a socket.
        OSError: It cannot be made or looked at.
    """
    open_to_others = [path] if make_own_folder(path) else []
    for place, folders, files, descriptor in os.fwalk(path, onerror=_raise):
        if place == path:
            folders[:] = filter(is_ours, folders)
            files[:] = filter(is_ours, files)
        for name in (*folders, *files):
            full = os.path.join(place, name)
            try:
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                continue  # gone in this moment, as a log of SQLite is when its last user leaves
            if stat.S_ISSOCK(found.st_mode):
                continue  # who is behind it, is asked when somebody is
            if stat.S_ISLNK(found.st_mode):
                raise Untrusted(full, "is a link, and notesd follows none to its own files; take it away")
            if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                raise Untrusted(full, "is neither a file nor a folder; take it away")
            _check_owner(full, found, (os.geteuid(),))
            private = FOLDER_MODE if stat.S_ISDIR(found.st_mode) else FILE_MODE
            if stat.S_IMODE(found.st_mode) & ~private:
                os.chmod(name, private, dir_fd=descriptor)
                open_to_others += [full] if _fault_of_mode(found) else []
    return open_to_others


def replace_file(path: str, data: bytes, mode: int = FILE_MODE) -> None:
    """Write a file whole or not at all, and no other one, whatever lies beside it.

    Args:
        path: The file; where it is a link, the link is replaced.
        data: All that it is to hold.
        mode: Who may read and write it.

    Raises:
        OSError: It cannot be written; what was there stays.
    """
    import tempfile  # noqa: PLC0415 - a client reads this module and writes nothing

    folder, name = os.path.split(path)
    file, begun = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    try:
        with open(file, "wb") as stream:
            os.fchmod(file, mode)
            stream.write(data)
            stream.flush()
            os.fsync(file)
        os.replace(begun, path)
    except BaseException:
        os.unlink(begun)
        raise


def check_shared_folder(path: str) -> None:
    """Make sure that nobody else can put something of theirs in the place of our file in a folder.

    Raises:
        Untrusted: They can.
        OSError: It cannot be looked at.
    """
    found = os.stat(path)
    _check_owner(path, found, (os.geteuid(), 0))
    if not found.st_mode & stat.S_ISVTX and (why := _fault_of_mode(found)):
        raise Untrusted(path, _mending(path, why))


def peer_of(connection: socket.socket) -> tuple[int, int | None]:
    """Ask the system who is at the other end of a Unix socket: its user id, and its process where it tells.

    Raises:
        OSError: It does not say, for instance because the peer is gone.
    """
    if sys.platform == "darwin":
        raw = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES)
        pid = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID)
        return int.from_bytes(raw[4:8], sys.byteorder), pid or None
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(raw[4:8], sys.byteorder), int.from_bytes(raw[:4], sys.byteorder) or None


def _open(path: str, flags: int, mode: int = FILE_MODE) -> int:
    """Open a file that is no link."""
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except OSError:
        if os.path.islink(path):
            raise Untrusted(
                path, "is a link, and notesd follows none to its own files; take it away"
            ) from None
        raise


def _open_folder(path: str) -> int:
    """Open a folder; a link to it has to be ours or root's, because who owns it says where it leads."""
    named = os.lstat(path)
    if stat.S_ISLNK(named.st_mode):
        _check_owner(path, named, (os.geteuid(), 0))
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _make_private(path: str, folder: int) -> bool:
    """Take away what others may do in an open folder of ours; says whether they could write to it."""
    found = os.fstat(folder)
    _check_owner(path, found, (os.geteuid(),))
    fault = _fault_of_mode(found)
    if stat.S_IMODE(found.st_mode) != FOLDER_MODE:
        os.fchmod(folder, FOLDER_MODE)
        if why := _fault_of_mode(os.fstat(folder)):  # a file system that keeps no modes
            raise Untrusted(path, _mending(path, why))
    return bool(fault)


def _check_own(path: str, found: os.stat_result) -> None:
    """Make sure that to write to an open file changes no other one."""
    if not stat.S_ISREG(found.st_mode):
        raise Untrusted(path, "is no regular file; take it away")
    _check_owner(path, found, (os.geteuid(),))
    if found.st_nlink > 1:
        raise Untrusted(path, "has another name somewhere (a hard link); take it away")


def _check_readable(path: str, found: os.stat_result) -> None:
    _check_owner(path, found, (os.geteuid(), 0))
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev:
        return
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise Untrusted(path, "is no regular file; put one in its place")
    if why := _fault_of_mode(found):
        raise Untrusted(path, _mending(path, why))


def _check_owner(path: str, found: os.stat_result, owners: tuple[int, ...]) -> None:
    if found.st_uid not in owners:
        raise Untrusted(
            path,
            f"belongs to another user (uid {found.st_uid}, and this is uid {os.geteuid()}); "
            "run notesd as that user, or give this one files of its own",
        )


def _fault_of_mode(found: os.stat_result) -> str:
    """Say who else may write, "" when nobody may."""
    risky = found.st_mode & _OTHERS
    if not risky or (risky == stat.S_IWGRP and _is_own_group(found.st_gid)):
        return ""
    who = "everybody" if risky & stat.S_IWOTH else f"the group {found.st_gid}"
    return f"can be written to by {who}"


def _mending(path: str, why: str) -> str:
    """Say what is wrong with who may write, and what to do about it."""
    return f"{why}; run: chmod go-w {path}"


def _is_own_group(group: int) -> bool:
    """Whether a group is this user's alone: the first one, called like the user, with nobody else in it."""
    import grp  # noqa: PLC0415 - asked only where a group may write
    import pwd  # noqa: PLC0415 - the same

    try:
        user, entry = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and entry.gr_name == user.pw_name and set(entry.gr_mem) <= {user.pw_name}


def _raise(error: OSError) -> None:
    raise error
