"""Which folders are to come later, by the configuration and by the apps that share the notes?

Whatever an app says of its folders, notesd only suggests it: nobody asked it to find these notes last.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from notesd.errors import SourceError
from notesd.files.ignore import Ignore
from notesd.files.read import decode, read_note
from notesd.index import attachments
from notesd.index.filters import Filters, beginning
from notesd.index.store import Reader
from notesd.index.vocabulary import fits_any, written
from notesd.model import NotePath, Problem
from notesd.parse.characters import fold_name
from notesd.resolve.find import nearest

_MOST_BYTES: Final = 1 << 20
_MOST_FOLDERS: Final = 100
_HIDDEN: Final = re.compile(r":hidden\s*\[([^\]]*)\]")
_QUOTED: Final = re.compile(r'"([^"\\]*)"')
_COMMENT: Final = re.compile(r";.*")

Named = Iterator[tuple[str, str]]
"""A folder as an app names it, and what it is to the app."""


def _texts(value: object) -> Iterator[str]:
    """Yield a text, or the texts of a list."""
    yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def _folder(*keys: str) -> Callable[[Any], Named]:
    return lambda said: ((text, "templates") for key in keys for text in _texts(said.get(key)))


def _of_templates(said: Mapping[str, Any]) -> Named:
    """Yield the folders of the notes that new notes are made from."""
    for value in (said, *said.values()):
        for text in _texts(value.get("template") if isinstance(value, dict) else None):
            yield text.rpartition("/")[0], "templates"


def _excluded(said: Mapping[str, Any]) -> Named:
    for text in _texts(said.get("userIgnoreFilters")):
        if not (text.startswith("/") and text.endswith("/")):  # an expression, not a folder
            yield text, "excluded files"


_OBSIDIAN: Final = ".obsidian/"
_APPS: Final[Mapping[str, Callable[[Any], Named]]] = {
    _OBSIDIAN + "templates.json": _folder("folder"),
    _OBSIDIAN + "daily-notes.json": _of_templates,
    _OBSIDIAN + "app.json": _excluded,
    _OBSIDIAN + "plugins/templater-obsidian/data.json": _folder("templates_folder", "template_folder"),
    _OBSIDIAN + "plugins/quickadd/data.json": _folder("templateFolderPath"),
    _OBSIDIAN + "plugins/periodic-notes/data.json": _of_templates,
}
"""Files of settings, in JSON, and what to take from them."""
_LOGSEQ: Final = "logseq/config.edn"
_ZK: Final = ".zk/config.toml"
_DENDRON: Final = "dendron.yml"
_HIERARCHY: Final = re.compile(r"^\s+templateHierarchy:\s*[\"']?([^\s\"'#/]{1,200})", re.MULTILINE)
_VAULT: Final = re.compile(r"\bfsPath:\s*[\"']?([^\s\"'#]{1,200})")
_WHOLE_FOLDER: Final = re.compile(r"(?:\*\*/)?([^*?\[\]{}]+?)/?(?:/\*|/\*\*|/\*\*/\*|/\*\.md)?")
"""A pattern for all files of a folder."""


def suggested(reader: Reader, root: str, demote: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield folders of notes that an app sets apart and ``demote`` does not name, each once, and why.

    Args:
        reader: The index.
        root: The space's folder.
        demote: What is configured.
    """
    known = [fold_name(beginning(one)) for one in demote]
    found = 0
    for file, text, what in named(root):
        folder = text.removeprefix("./").strip("/ ")
        place = fold_name(beginning(folder))
        if not folder or any(place.startswith(one) for one in known) or found == _MOST_FOLDERS:
            continue
        if fits_any(reader, Filters(folder=folder)):
            known.append(place)
            found += 1
            kind = "hierarchy" if folder.endswith(".") else "folder"
            reason = (
                f"{file} names it as a {kind} of {what}; to have its notes found after all others, "
                f'configure demote = ["{beginning(folder)}"] for this space'
            )
            yield {"path": folder, "reason": reason}


def named(root: str) -> Iterator[tuple[str, str, str]]:
    """Yield what the apps say of a folder of notes: the file that says it, the folder, and what it is."""
    for file, take in _APPS.items():
        with suppress(ValueError, RecursionError):
            said = json.loads(_read(root, file) or "null")
            if isinstance(said, dict):
                yield from ((file, *one) for one in take(said))
    yield from ((_ZK, text, "ignored notes") for text in _ignored(_read(root, _ZK)))
    yield from ((_DENDRON, text, "templates") for text in _hierarchies(_read(root, _DENDRON)))
    for hidden in _HIDDEN.finditer(_COMMENT.sub("", _read(root, _LOGSEQ))):
        yield from ((_LOGSEQ, text, "hidden notes") for text in _QUOTED.findall(hidden[1]))


def _hierarchies(settings: str) -> Iterator[str]:
    """Yield where the templates of a Dendron workspace may be: notes of that name in each of its vaults."""
    if named := _HIERARCHY.search(settings):
        vaults = [vault[1].strip("./ ") for vault in _VAULT.finditer(settings)]
        for place in (
            "",
            "notes/",
            *(f"{vault}/{way}" for vault in vaults if vault for way in ("", "notes/")),
        ):
            yield f"{place}{named[1].rstrip('.')}."


def _ignored(settings: str) -> Iterator[str]:
    """Yield the folders of which zk is told to ignore every note, in its notebook or a group of it."""
    with suppress(ValueError, RecursionError):
        said = tomllib.loads(settings)
        groups = said.get("group")
        for place in (said, *(groups.values() if isinstance(groups, dict) else ())):
            note = place.get("note") if isinstance(place, dict) else None
            patterns = (note.get("ignore"), note.get("exclude")) if isinstance(note, dict) else ()
            found = map(_WHOLE_FOLDER.fullmatch, (text for one in patterns for text in _texts(one)))
            yield from (folder[1] for folder in found if folder)


def _read(root: str, file: str) -> str:
    """Return a file of the space, empty where there is none that can be read; never one behind a link."""
    with suppress(OSError, SourceError):
        return decode(read_note(root, NotePath(file), _MOST_BYTES).data)[0]
    return ""


def idle(reader: Reader, name: str, demote: Sequence[str], ignore: Ignore) -> Iterator[tuple[str, Problem]]:
    """Yield what is configured for a space and fits nothing in it: folders that come later, patterns.

    Args:
        reader: The index.
        name: Of the space.
        demote: Folders that are to come later.
        ignore: What the configuration says of files.
    """
    yield from _lacking(reader, name, demote)
    yield from _unfitting(reader, name, ignore)


def _unfitting(reader: Reader, name: str, ignore: Ignore) -> Iterator[tuple[str, Problem]]:
    """Yield the ``name_only`` patterns that no file fits."""
    if not ignore.name_only or not reader.meta("complete"):
        return
    fitting = {rule.pattern for path in attachments.paths(reader) for rule in ignore.unread(path)}
    for pattern in ignore.name_only:
        if pattern not in fitting:
            reason = f'spaces.{name}.name_only has the pattern "{pattern}", and no file fits it'
            yield pattern, Problem("name_only", reason)


def _lacking(reader: Reader, name: str, demote: Sequence[str]) -> Iterator[tuple[str, Problem]]:
    """Yield the folders that are configured to come later and that no note lies in."""
    whole = reader.meta("complete")  # before that, its notes may not be read yet
    missing = [one for one in demote if whole and not fits_any(reader, Filters(folder=one))]
    folders = list(written(reader, "folder")) if missing else []
    for folder in missing:
        near = nearest(folder, folders)
        hint = f"; nearest: {', '.join(near)}" if near else ""
        reason = f'spaces.{name}.demote names the folder "{folder}", and no note lies in it{hint}'
        yield folder, Problem("demote", reason)
