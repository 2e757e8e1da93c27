"""What did the user set, and is every word of it right?

``config.toml`` and two environment flags in, one frozen ``Config`` out. Each error names the file,
the key, the value and what was expected there; a key that does not exist is told its nearest
neighbour. Whether the folders exist is a second question (``files.roots``), because only a daemon
has to ask it.
"""

import json
import os
import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import msgspec
from msgspec import Struct

from notesd import trust
from notesd.errors import ConfigError, UnknownSpace
from notesd.locations import absolute
from notesd.settings import (
    DEFAULT_EXTENSIONS,
    Config,
    IndexConfig,
    Limbic,
    Routing,
    SearchConfig,
    ServerConfig,
    SpaceConfig,
    Terminal,
)

SHOWN = 80
"""Longest value repeated in a message, in characters."""

_SWITCHES = ("gitignore", "follow_links", "vector_search", "graph_boost")
_EXTENSION = re.compile(r"\.[\w-]{1,15}(?:\.[\w-]{1,15})?")
_SPACE_KEYS = ("path", "ignore", "name_only", "extensions", "embed", "demote", *_SWITCHES)
_GONE = {"search.tokenizer": "sentencepiece cuts texts wherever it is installed, so take this line out"}
"""Keys of before, and what to do."""
_SECTIONS: dict[str, type[Struct]] = {
    "search": SearchConfig,
    "index": IndexConfig,
    "server": ServerConfig,
    "limbic": Limbic,
    "routing": Routing,
    "terminal": Terminal,
}
_FLAGS = {"VECTOR_SEARCH": "vector_search", "GRAPH_BOOST": "graph_boost"}
_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})


def load(file: str | None, environ: Mapping[str, str], *, required: bool = True) -> Config:
    """Read the configuration; folders of spaces are named but not looked at.

    Args:
        file: Absolute path of ``config.toml``; None: every key has its default.
        environ: Environment; the two flags and ``HOME`` are read.
        required: Whether a missing file is an error (somebody named it) or means the defaults.

    Raises:
        ConfigError: A file that cannot be read or is not TOML; a key that is unknown; a value of
            the wrong kind or out of range; two spaces with one folder; a flag that is no flag.
    """
    return _understood({} if file is None else _read(file, required=required), file or "defaults", environ)


def understand(text: str, file: str, environ: Mapping[str, str]) -> Config:
    """Understand what a configuration file would say.

    Args:
        text: TOML.
        file: Absolute path of the file that it is meant for.
        environ: As for ``load``.

    Raises:
        ConfigError: As for ``load``.
    """
    try:
        return _understood(tomllib.loads(text), file, environ)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(file, error) from None


def _understood(table: dict[str, Any], where: str, environ: Mapping[str, str]) -> Config:
    """Check every table of a configuration."""
    known = ["spaces", *_SECTIONS]
    for key, value in table.items():
        if key not in known:
            raise _unknown(where, "", key, value, known)
        if not isinstance(value, dict):
            raise _wrong(where, key, value, f"a table, written [{key}{'.NAME' * (key == 'spaces')}]")
    sections = {name: _section(where, name, kind, table.get(name, {})) for name, kind in _SECTIONS.items()}
    config = Config(spaces=tuple(_spaces(where, table.get("spaces", {}), environ)), **sections)
    flags = dict(_environment_flags(environ))
    # The environment overrides the file, and so what the file says of single spaces.
    unset = dict.fromkeys(flags)
    spaces = tuple(msgspec.structs.replace(space, **unset) for space in config.spaces)
    return msgspec.structs.replace(
        config, spaces=spaces, search=msgspec.structs.replace(config.search, **flags)
    )


def space_from_folder(folder: str, taken: Collection[str]) -> SpaceConfig:
    """Make a space of a folder given on the command line; it is called like the folder.

    Args:
        folder: As written; ``~`` and relative paths are understood.
        taken: Names that other spaces have; ``notes`` becomes ``notes-2``, ``notes-3``, ...

    Raises:
        ConfigError: ``folder`` is empty or holds a NUL.
    """
    if not folder.strip() or "\0" in folder:
        raise ConfigError(f"folder {shown(folder)}: expected the path of a folder of notes", value=folder)
    path = absolute(folder, os.environ)
    plain = "".join("_" if _is_control(sign) else sign for sign in os.path.basename(path)).strip() or "root"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    return SpaceConfig(name=name, path=path)


def find_space(config: Config, name: str) -> SpaceConfig:
    """Return the space of that name.

    Raises:
        UnknownSpace: There is none; the message names the nearest one, or all.
    """
    by_name = {space.name: space for space in config.spaces}
    if name in by_name:
        return by_name[name]
    near, hint = _nearest(name, by_name)
    raise UnknownSpace(f"space {shown(name)}: no such space; {hint}", space=name, nearest=near)


def _read(file: str, *, required: bool) -> dict[str, Any]:
    """Parse a TOML file; a byte-order mark is allowed."""
    try:
        with open(trust.open_read(file, follow=True), "rb") as stream:
            text = stream.read().decode("utf-8-sig")
        return tomllib.loads(text)
    except FileNotFoundError:
        if not required:
            return {}
        raise ConfigError(
            f"{file}: no such configuration file; create it or name another", file=file
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(file, error) from None


def _unreadable(file: str, error: Exception) -> ConfigError:
    """Say why a configuration could not be read, with the line where there is one."""
    if isinstance(error, trust.Untrusted):
        return ConfigError(f"{file}: {error.strerror}", file=file)
    if isinstance(error, OSError):
        return ConfigError(f"{file}: cannot be read: {error.strerror}; expected a TOML file", file=file)
    if isinstance(error, UnicodeDecodeError):
        line = error.object.count(b"\n", 0, error.start) + 1
        return ConfigError(f"{file}, line {line}: not UTF-8; save the file as UTF-8", file=file, line=line)
    if isinstance(error, tomllib.TOMLDecodeError):
        return _bad_toml(file, str(error))
    return ConfigError(f"{file}: not usable as TOML: {str(error) or 'nested too deeply'}", file=file)


def _bad_toml(file: str, message: str) -> ConfigError:
    """Turn the parser's message into one that starts with the line."""
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if place is None:
        return ConfigError(f"{file}: not valid TOML: {message}", file=file)
    what = message[: place.start()]
    if place[1] is None:
        return ConfigError(f"{file}, last line: not valid TOML: {what}", file=file)
    line = int(place[1])
    return ConfigError(
        f"{file}, line {line}, column {place[2]}: not valid TOML: {what}", file=file, line=line
    )


def _section(where: str, name: str, kind: type[Struct], table: dict[str, Any]) -> Any:  # noqa: ANN401 - one of _SECTIONS' types
    """Check one table key by key, so that each error can name its key and value."""
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in fields:
            raise _unknown(where, name, key, value, fields)
        values[key] = _checked(where, f"{name}.{key}", value, fields[key].type)
    return kind(**values)


def _checked(where: str, key: str, value: object, kind: Any) -> Any:  # noqa: ANN401 - a type and a value of it
    """Return a value in the type of its field, or say what was expected."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise _wrong(where, key, value, kind.__metadata__[0].description) from None


def _spaces(where: str, table: dict[str, Any], environ: Mapping[str, str]) -> Iterator[SpaceConfig]:
    """Check the tables below ``[spaces]``."""
    owner: dict[str, str] = {}
    for name, entry in table.items():
        key = f"spaces.{_key(name)}"
        if not name.strip() or "/" in name or any(map(_is_control, name)):
            raise ConfigError(
                f"{where}: {key}: expected a name that is not empty and holds no / and no control character",
                file=where,
                key=key,
            )
        if not isinstance(entry, dict):
            raise _wrong(where, key, entry, f'a table, written [{key}] with path = "FOLDER" below it')
        for inner, value in entry.items():
            if inner not in _SPACE_KEYS:
                raise _unknown(where, key, inner, value, _SPACE_KEYS)
            if inner in _SWITCHES and not isinstance(value, bool):
                raise _wrong(where, f"{key}.{inner}", value, "true or false")
        switches = {switch: entry[switch] for switch in _SWITCHES if switch in entry}
        path = _space_path(where, key, entry, environ)
        space = SpaceConfig(
            name,
            path,
            _patterns(where, key, "ignore", entry),
            name_only=_patterns(where, key, "name_only", entry),
            extensions=_extensions(where, key, "extensions", entry, DEFAULT_EXTENSIONS),
            embed=_extensions(where, key, "embed", entry),
            demote=_demoted(where, key, entry),
            **switches,
        )
        if space.path in owner:
            raise _wrong(
                where,
                f"{key}.path",
                entry["path"],
                f"a folder of its own, but spaces.{_key(owner[space.path])} has it too; remove one of them",
            )
        owner[space.path] = name
        yield space


def _space_path(where: str, key: str, entry: dict[str, Any], environ: Mapping[str, str]) -> str:
    """Return the folder of one space; a relative path starts beside the configuration file."""
    if "path" not in entry:
        raise ConfigError(
            f'{where}: {key}.path is missing: add path = "FOLDER"', file=where, key=f"{key}.path"
        )
    path = entry["path"]
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise _wrong(where, f"{key}.path", path, "the path of a folder of notes")
    return absolute(path, environ, base=os.path.dirname(where))


def _patterns(where: str, key: str, which: str, entry: dict[str, Any]) -> tuple[str, ...]:
    """Return one list of patterns of a space."""
    patterns = entry.get(which, [])
    if not isinstance(patterns, list):
        raise _wrong(where, f"{key}.{which}", patterns, 'a list of patterns such as ["drafts/", "*.tmp.md"]')
    for place, pattern in enumerate(patterns):
        if not isinstance(pattern, str) or not pattern.strip(" /") or pattern.startswith("!"):
            expected = 'a pattern such as "drafts/" or "*.tmp.md"; "!" brings nothing back'
            raise _wrong(where, f"{key}.{which}[{place}]", pattern, expected)
    return tuple(patterns)


def _extensions(
    where: str, key: str, which: str, entry: dict[str, Any], default: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return one list of extensions of a space, in small letters, each once; empty only without a default."""
    extensions = entry.get(which, list(default))
    if not isinstance(extensions, list) or (default and not extensions):
        raise _wrong(where, f"{key}.{which}", extensions, 'a list such as [".md", ".canvas", ".pdf"]')
    for place, one in enumerate(extensions):
        if not isinstance(one, str) or not _EXTENSION.fullmatch(one):
            raise _wrong(
                where, f"{key}.{which}[{place}]", one, 'an extension with its dot, such as ".canvas"'
            )
    return tuple(dict.fromkeys(one.lower() for one in extensions))


def _demoted(where: str, key: str, entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the folders of one space whose notes come later, without slashes around them."""
    folders = entry.get("demote", [])
    if not isinstance(folders, list):
        raise _wrong(where, f"{key}.demote", folders, 'a list of folders such as ["Archive/", "Templates/"]')
    found: dict[str, None] = {}
    for place, folder in enumerate(folders):
        parts = (
            [part for part in folder.split("/") if part not in {"", "."}] if isinstance(folder, str) else []
        )
        if not parts or folder.startswith(("/", "~")) or ".." in parts or "\0" in folder:
            expected = 'a folder below that of the space such as "Archive/" or "Work/Templates"'
            raise _wrong(where, f"{key}.demote[{place}]", folder, expected)
        found["/".join(parts)] = None
    return tuple(found)


def _environment_flags(environ: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Read the flags that override ``[search]``."""
    for variable, field in _FLAGS.items():
        value = environ.get(variable)
        if value is None:
            continue
        word = value.strip().lower()
        if word not in _ON | _OFF:
            raise ConfigError(
                f"environment: {variable} = {shown(value)}: expected 1, true, yes, on or 0, false, no, off",
                key=variable,
                value=value,
            )
        yield field, word in _ON


def _unknown(where: str, table: str, key: str, value: object, known: Collection[str]) -> ConfigError:
    """Name a key that does not exist and the one that was probably meant."""
    full = f"{table}.{_key(key)}" if table else _key(key)
    near, hint = ([], _GONE[full]) if full in _GONE else _nearest(key, known)
    return ConfigError(
        f"{where}: {full} = {shown(value)}: no such key; {hint}", file=where, key=full, nearest=near
    )


def _nearest(word: str, known: Collection[str]) -> tuple[list[str], str]:
    """Find the known word most like this one, and say so; without one, list them all."""
    folded = {name.casefold(): name for name in known}
    near = [folded[name] for name in get_close_matches(word.casefold(), folded, n=1, cutoff=0.5)]
    if near:
        return near, f"did you mean {_key(near[0])}?"
    return [], f"known here: {', '.join(map(_key, sorted(known))) or 'none'}"


def _wrong(where: str, key: str, value: object, expected: str) -> ConfigError:
    """Say what stands at a key and what was expected there."""
    return ConfigError(f"{where}: {key} = {shown(value)}: expected {expected}", file=where, key=key)


def _key(name: str) -> str:
    """Write a key as TOML does: bare where that is allowed, else quoted."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else shown(name)


def shown(value: object, limit: int = SHOWN) -> str:
    """Write a value on one line, about as TOML has it, in at most ``limit`` characters."""
    ascii_only = isinstance(value, str) and not value.isprintable()
    try:
        text = json.dumps(value, ensure_ascii=ascii_only, default=str)
    except (ValueError, RecursionError):
        text = "..."
    if not text.isprintable():
        text = ascii(text)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _is_control(sign: str) -> bool:
    """Say whether a sign is a control character, a line break or half a character."""
    return unicodedata.category(sign) in {"Cc", "Zl", "Zp", "Cs"}
