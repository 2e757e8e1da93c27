"""How are folders of notes put into the configuration and taken out, with all else left as it was written?"""

import os
from collections.abc import Callable, Mapping, MutableMapping

import tomlkit
from msgspec import Struct
from msgspec.structs import replace
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from notesd import trust
from notesd.config import find_space, load, shown, space_from_folder, understand
from notesd.errors import ConfigError, UnknownSpace
from notesd.files.roots import check_spaces
from notesd.locations import Paths, absolute
from notesd.settings import Config, SpaceConfig

_BEGINNING = "# Configuration of notesd. Every key has a default; config.example.toml shows them all.\n\n"


class Added(Struct, frozen=True):
    """What became of a folder."""

    space: SpaceConfig
    new: bool
    """It was not there before."""


def add(paths: Paths, folder: str, environ: Mapping[str, str], name: str | None = None) -> Added:
    """Configure a folder of notes, unless it is.

    Args:
        paths: Where the configuration, the state and the socket are.
        folder: As a person wrote it.
        environ: As for ``config.load``.
        name: What the space is to be called; None: like the folder.

    Raises:
        ConfigError: The folder is not there, overlaps with another space or holds our own files; the name is
            taken or is none; the configuration is wrong or cannot be written.
    """
    config = load(paths.config, environ, required=False)
    wanted = space_from_folder(folder, [space.name for space in config.spaces])
    for space in config.spaces:
        if os.path.realpath(space.path) == os.path.realpath(wanted.path):
            if name not in {None, space.name}:
                raise ConfigError(f"{wanted.path} is configured already, as space {shown(space.name)}")
            return Added(space, new=False)
    if name is not None:
        if any(space.name == name for space in config.spaces):
            raise ConfigError(f"another space is called {shown(name)}; choose another --name")
        wanted = replace(wanted, name=name)
    _check_apart(wanted, config, paths)

    def change(document: tomlkit.TOMLDocument) -> None:
        spaces = document.setdefault("spaces", tomlkit.table(is_super_table=True))
        if not isinstance(spaces, MutableMapping):
            raise ConfigError(f"{paths.config}: spaces = {shown(spaces)}: expected a table")
        entry: Table | InlineTable
        entry = tomlkit.inline_table() if isinstance(spaces, InlineTable) else tomlkit.table()
        entry["path"] = _short(wanted.path, environ)
        if isinstance(entry, Table):
            entry.add(tomlkit.nl())
        spaces[wanted.name] = entry

    _rewrite(paths.config, change, environ)
    return Added(wanted, new=True)


def remove(paths: Paths, which: str, environ: Mapping[str, str]) -> SpaceConfig:
    """Take a space out of the configuration; neither its notes nor its index are touched.

    Args:
        paths: Where the configuration is.
        which: The name of the space, or its folder.
        environ: As for ``config.load``.

    Raises:
        UnknownSpace: No space has this name or folder.
        ConfigError: The configuration is wrong or cannot be written.
    """
    config = load(paths.config, environ, required=False)
    space = _meant(config, which, environ)

    def change(document: tomlkit.TOMLDocument) -> None:
        spaces = document["spaces"]
        if isinstance(spaces, MutableMapping):
            del spaces[space.name]

    _rewrite(paths.config, change, environ)
    return space


def _meant(config: Config, which: str, environ: Mapping[str, str]) -> SpaceConfig:
    """Return the space of a name, else of a folder."""
    try:
        return find_space(config, which)
    except UnknownSpace:
        if not which.strip():
            raise
        real = os.path.realpath(absolute(which, environ))
        for space in config.spaces:
            if os.path.realpath(space.path) == real:
                return space
        raise


def _check_apart(wanted: SpaceConfig, config: Config, paths: Paths) -> None:
    """Refuse a folder that is none, or lies within another space or around our own files."""
    others = [space for space in config.spaces if os.path.isdir(space.path)]
    for some in ((wanted,), *((wanted, other) for other in others)):
        check_spaces(Config(spaces=some), paths.state, paths.socket)


def _short(path: str, environ: Mapping[str, str]) -> str:
    """Write a path as people do: from the home folder where it lies there."""
    home = environ.get("HOME", "").rstrip("/")
    return f"~{path[len(home) :]}" if os.path.isabs(home) and path.startswith(f"{home}/") else path


def _rewrite(file: str, change: Callable[[tomlkit.TOMLDocument], None], environ: Mapping[str, str]) -> None:
    """Change a configuration file, whole or not at all; a link to it stays one.

    Raises:
        ConfigError: It would not be a good one, or cannot be written.
    """
    real = os.path.realpath(file)
    try:
        with open(trust.open_read(file, follow=True), encoding="utf-8-sig", newline="") as stream:
            before = stream.read()
        mode = os.stat(real).st_mode & 0o777
    except FileNotFoundError:
        before, mode = _BEGINNING, 0o600
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}", file=file) from None
    try:
        document = tomlkit.parse(before)
        change(document)
        after = _with_comments(before, tomlkit.dumps(document)).rstrip("\n") + "\n"
    except (TOMLKitError, ValueError) as error:
        raise ConfigError(f"{file}: cannot be changed: {error}; change it by hand", file=file) from None
    understand(after, file, environ)
    try:
        os.makedirs(os.path.dirname(real), mode=trust.FOLDER_MODE, exist_ok=True)
        trust.replace_file(real, after.encode(), mode)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}", file=file) from None


def _with_comments(before: str, after: str) -> str:
    """Give back the comments at the end of what was taken out: they are about what follows."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    behind = len(new) - same
    gone = old[same : len(old) - behind]
    if behind and old[len(old) - behind :] != new[same:]:
        return after  # something was put in
    kept = len(gone)
    while kept and (not gone[kept - 1].strip() or gone[kept - 1].lstrip().startswith("#")):
        kept -= 1
    return "".join([*new[:same], *gone[kept:], *new[same:]])
