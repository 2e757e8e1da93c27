# A client starts with this module, and pathlib would double what it costs:
# ruff: noqa: PTH109, PTH111, PTH117, PTH118
"""Where are the configuration, the state, the socket and the models of this user?

Three places can say so: an option of the command line, a ``NOTESD_...`` variable, the
XDG base directories. The first that speaks wins. Nothing is created or looked at here: these
are names only, and a client that merely connects imports nothing beyond ``os`` for them.
"""

import os
import sys
from collections.abc import Mapping

from notesd.errors import ConfigError

APP = "notesd"
"""Name of our folder in each base directory."""
SOCKET_NAME = "notesd.sock"
CONFIG_NAME = "config.toml"

_XDG_DEFAULTS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}
"""Below the home folder. Source: XDG Base Directory Specification 0.8."""


class Paths:
    """The files and folders of one user's notesd; every path is absolute."""

    __slots__ = ("config", "config_named", "models", "socket", "socket_named", "state", "state_named")

    def __init__(
        self,
        *,
        config: str,
        state: str,
        socket: str,
        models: str,
        config_named: bool,
        state_named: bool,
        socket_named: bool,
    ) -> None:
        """Take the names as they are."""
        self.config = config
        """The configuration file; it need not exist unless ``config_named``."""
        self.config_named = config_named
        """Whether an option or a variable named the configuration: then it has to exist."""
        self.state = state
        """Folder of the indexes and the record of use."""
        self.state_named = state_named
        """Whether an option or a variable named it: then only the daemon that owns it is meant."""
        self.socket = socket
        """The Unix socket; unless ``socket_named``, the daemon may listen elsewhere, and says where."""
        self.socket_named = socket_named
        """Whether an option or a variable named the socket: then it is that one and no other."""
        self.models = models
        """Folder with one folder per embedding model."""


def locate(
    environ: Mapping[str, str],
    *,
    config: str | None = None,
    state: str | None = None,
    socket: str | None = None,
    platform: str = sys.platform,
) -> Paths:
    """Say where everything is: option, then environment, then base directory.

    An empty option or variable counts as not given. The socket lies in the runtime
    directory even when the state folder was named, because that directory is what
    other programs can compute.

    Args:
        environ: Environment; ``NOTESD_CONFIG``, ``NOTESD_STATE_DIR``, ``NOTESD_SOCKET``, ``HOME``
            and the XDG variables are read.
        config: ``--config``.
        state: ``--state-dir``.
        socket: ``--socket``.
        platform: As ``sys.platform``; decides what stands in for an XDG variable that is not set.

    Raises:
        ConfigError: Nothing names the state folder, and this user has no home to put it into.
    """
    named_config = config or environ.get("NOTESD_CONFIG")
    named_state = state or environ.get("NOTESD_STATE_DIR")
    named_socket = socket or environ.get("NOTESD_SOCKET")
    state_folder = (
        absolute(named_state, environ) if named_state else _own_folder("XDG_STATE_HOME", environ, platform)
    )
    if not state_folder:
        raise ConfigError(
            "this user has no home folder, so there is no place for the indexes; "
            "name one with --state-dir or NOTESD_STATE_DIR"
        )
    if named_socket:
        socket_file = absolute(named_socket, environ)
    else:
        runtime = _directory(environ, "XDG_RUNTIME_DIR")
        socket_file = os.path.join(runtime, APP, SOCKET_NAME) if runtime else f"{state_folder}/{SOCKET_NAME}"
    return Paths(
        config=absolute(named_config, environ)
        if named_config
        else os.path.join(_own_folder("XDG_CONFIG_HOME", environ, platform) or state_folder, CONFIG_NAME),
        config_named=bool(named_config),
        state_named=bool(named_state),
        state=state_folder,
        socket=socket_file,
        socket_named=bool(named_socket),
        models=os.path.join(_own_folder("XDG_CACHE_HOME", environ, platform) or state_folder, "models"),
    )


def state_of(state: str, folder: str) -> str:
    """Return the folder of state of one folder of notes.

    It goes by the path as it is written, wherever links in it lead today.

    Args:
        state: The state folder.
        folder: Absolute path of the notes.
    """
    import hashlib  # noqa: PLC0415 - no client that merely connects has to pay for it

    return os.path.join(state, "spaces", hashlib.sha256(os.fsencode(folder)).hexdigest()[:16])


def absolute(path: str, environ: Mapping[str, str], base: str | None = None) -> str:
    """Make a path a person wrote absolute: ``~`` is the home folder, ``.`` and ``..`` go.

    Links are not followed: a folder keeps the name it was given.

    Args:
        path: Not empty.
        environ: ``HOME`` is read.
        base: Folder that a relative path starts from; the working directory when None.

    Raises:
        ConfigError: A relative path is meant from the working directory, and that was removed.
    """
    if path == "~" or path.startswith("~/"):
        path = (_home(environ) or "~") + path[1:]
    elif path.startswith("~"):
        path = os.path.expanduser(path)
    if not os.path.isabs(path):
        path = os.path.join(_here(path) if base is None else base, path)
    whole = os.path.normpath(path)
    return whole[1:] if whole.startswith("//") else whole  # POSIX lets two slashes stand; we do not


def _own_folder(variable: str, environ: Mapping[str, str], platform: str) -> str:
    """Return our folder in one base directory, "" when there is none."""
    base = _directory(environ, variable)
    if base:
        return os.path.join(base, APP)
    if platform in {"darwin", "win32"}:
        return _native_folder(variable)
    home = _home(environ)
    return os.path.join(home, _XDG_DEFAULTS[variable], APP) if home else ""


def _native_folder(variable: str) -> str:
    """Return our folder where macOS or Windows keeps such things."""
    import platformdirs  # noqa: PLC0415 - 5 ms that no client on Linux has to pay

    ask = {
        "XDG_CONFIG_HOME": platformdirs.user_config_dir,
        "XDG_STATE_HOME": platformdirs.user_state_dir,
        "XDG_CACHE_HOME": platformdirs.user_cache_dir,
    }[variable]
    return ask(APP, appauthor=False)


def _directory(environ: Mapping[str, str], variable: str) -> str:
    """Return a base directory from the environment, "" when it is not set or relative.

    The specification says that relative paths in these variables are to be ignored.
    """
    value = environ.get(variable, "")
    return os.path.normpath(value) if os.path.isabs(value) else ""


def _home(environ: Mapping[str, str]) -> str:
    """Return the home folder, "" when there is none; of the user database when ``HOME`` names none.

    A relative ``HOME`` would put a state folder wherever a person happens to stand.
    """
    home = environ.get("HOME", "")
    if os.path.isabs(home):
        return home
    if os.name != "posix":
        return os.path.expanduser("~")
    import pwd  # noqa: PLC0415 - not to be had on Windows, and rarely needed

    try:
        home = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
    return home if os.path.isabs(home) else ""


def _here(path: str) -> str:
    """Return the working directory, from which ``path`` is meant."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: the current folder was removed; go to another, or name it whole"
        ) from None
