"""Are the folders of all spaces there, apart from each other, and free of our own files?

Asked before a daemon starts, and again when another folder comes to stand at a space's path: a link
can be pointed anywhere. A folder that vanishes is the scan's business.
"""

import os
import stat
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from notesd.config import load, shown, space_from_folder
from notesd.errors import ConfigError, SpaceUnavailable
from notesd.locations import Paths, state_of
from notesd.settings import Config, SpaceConfig


def configured(paths: Paths, folders: Sequence[str], *, may_be_none: bool = False) -> Config:
    """Read the configuration and add the folders of the command line.

    A folder that is missing now is served as missing when it was served before: what is known of its
    notes answers. So is a configured one, as long as there is another one: a disk that is not plugged
    in must not keep the other notes from being found.

    Args:
        paths: Where the configuration, the state and the socket are.
        folders: Of the command line.
        may_be_none: A daemon that runs goes on without any.

    Raises:
        ConfigError: See ``config.load`` and ``files.roots.check_spaces``; or there is no folder at all.
    """
    config = load(paths.config, os.environ, required=paths.config_named)
    spaces = list(config.spaces)
    for folder in folders:
        added = space_from_folder(folder, [space.name for space in spaces])
        if not any(os.path.realpath(space.path) == os.path.realpath(added.path) for space in spaces):
            spaces.append(added)
    if not spaces and not may_be_none:
        raise ConfigError(
            f"no folder of notes is known: name one (notesd serve FOLDER), or write [spaces.NAME] "
            f"with a path into {paths.config}"
        )
    known = {space.name for space in spaces if os.path.isdir(state_of(paths.state, space.path))}
    may_be_missing = known | {space.name for space in config.spaces}
    there = [space for space in spaces if space.name not in may_be_missing or os.path.isdir(space.path)]
    if not there:
        there = [space for space in spaces if space.name not in known]
    check_spaces(replace(config, spaces=tuple(there)), paths.state, paths.socket)
    return replace(config, spaces=tuple(spaces))


def check_spaces(config: Config, state_dir: str, socket: str | None = None) -> Config:
    """Make sure that every space is a folder and that no two of them, nor our own files, overlap.

    Folders are compared by what they are (device and inode), so that links, bind mounts and names
    in another case do not hide that two are one.

    Args:
        config: As loaded, spaces of the command line added.
        state_dir: The state folder; it need not exist yet.
        socket: The socket's path when it may lie elsewhere; it need not exist yet.

    Returns:
        The same configuration.

    Raises:
        ConfigError: A missing folder, a file instead of a folder, one folder twice, a folder inside
            another one, or the state folder or the socket inside a folder of notes.
    """
    roots: dict[object, SpaceConfig] = {}
    for space in config.spaces:
        _check_folder(space)
        other = roots.setdefault(_identity(os.path.realpath(space.path)), space)
        if other is not space:
            raise ConfigError(
                f"spaces {shown(other.name)} and {shown(space.name)} are one folder, {_whole(space.path)};"
                " remove one of them",
                space=space.name,
            )
    for space in config.spaces:
        outer = _holder(os.path.dirname(os.path.realpath(space.path)), roots)
        if outer is not None and outer is not space:
            raise ConfigError(
                f"space {shown(space.name)} ({_whole(space.path)}) lies inside space {shown(outer.name)}"
                f" ({_whole(outer.path)}); keep the outer one, or add the inner folder to its ignore list"
                " and move it out",
                space=space.name,
            )
    for what, path, option in (
        ("state folder", state_dir, "--state-dir or NOTESD_STATE_DIR"),
        ("socket", socket, "--socket or NOTESD_SOCKET"),
    ):
        holder = None if path is None else _holder(os.path.realpath(path), roots)
        if path is not None and holder is not None:
            raise ConfigError(
                f"the {what} {_whole(path)} lies inside the notes of space {shown(holder.name)}"
                f" ({_whole(holder.path)}), where notesd never writes; name another place with {option}",
                space=holder.name,
            )
    return config


def check_moved(
    space: SpaceConfig, others: Iterable[SpaceConfig], state_dir: str, socket: str | None
) -> None:
    """Make sure that the folder that stands at a space's path now may be followed.

    Args:
        space: Whose folder is another one than before.
        others: Spaces whose folders are followed; they stay, whatever this one does.
        state_dir: The state folder.
        socket: The socket's path.

    Raises:
        SpaceUnavailable: It overlaps with another space or holds our own files, see ``check_spaces``.
    """
    for some in ((space,), *((space, other) for other in others)):
        try:
            check_spaces(Config(spaces=some), state_dir, socket)
        except ConfigError as error:
            raise SpaceUnavailable(f"{error.message}; what is known of its notes is kept") from None


def _check_folder(space: SpaceConfig) -> None:
    """Refuse a space whose path is not a folder now."""
    which = f"space {shown(space.name)}: {_whole(space.path)}"
    try:
        mode = os.stat(space.path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(
            f"{which} does not exist; create the folder, mount it, or correct the path", space=space.name
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(
            f"{which} cannot be looked at: {reason}; correct it or the path", space=space.name
        ) from None
    if not stat.S_ISDIR(mode):
        raise ConfigError(
            f"{which} is a file, not a folder; name the folder that holds the notes", space=space.name
        )


def _holder(path: str, roots: Mapping[object, SpaceConfig]) -> SpaceConfig | None:
    """Return the space whose folder is ``path`` or lies above it, the nearest first."""
    while True:
        space = roots.get(_identity(path))
        parent = os.path.dirname(path)
        if space is not None or parent == path:
            return space
        path = parent


def _identity(path: str) -> object:
    """Return what a path is (device and inode), or the path itself while nothing is there."""
    try:
        found = os.stat(path)
    except OSError:
        return path
    return found.st_dev, found.st_ino


def _whole(path: str) -> str:
    """Quote a path without cutting it."""
    return shown(path, limit=len(path) * 6 + 2)  # no sign takes more than six when escaped
