"""Whose folder is it? The app that a folder of notes is made with, and the folders that an app knows."""

import json
import os
from collections.abc import Iterator, Mapping

from msgspec import Struct

from notesd.serve.suggestions import named

_MARKS = (
    (".obsidian", "Obsidian"),
    (".zk", "zk"),
    ("logseq/config.edn", "Logseq"),
    ("dendron.yml", "Dendron"),
    (".foam", "Foam"),
)
"""What each app leaves at the root of a folder of notes."""
_NOTES = (".md", ".markdown")
MOST_COUNTED = 100_000
_OBSIDIAN = (
    ".config/obsidian/obsidian.json",
    ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
    "snap/obsidian/current/.config/obsidian/obsidian.json",
    "Library/Application Support/obsidian/obsidian.json",
)
"""Where Obsidian writes down its vaults, below the home folder."""
_LONGEST = 1 << 20


class Vault(Struct, frozen=True):
    """A folder of notes as it is."""

    app: str | None
    """None: no app that we know."""
    notes: int
    """Markdown files in it, links not followed; at most ``MOST_COUNTED``."""


def look_at(folder: str) -> Vault:
    """Say whose a folder is and how many notes it holds; folders of apps and hidden ones do not count."""
    app = next((app for mark, app in _MARKS if os.path.exists(os.path.join(folder, mark))), None)
    notes = 0
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        notes += sum(name.lower().endswith(_NOTES) and not name.startswith(".") for name in files)
        if notes >= MOST_COUNTED:
            return Vault(app, MOST_COUNTED)
    return Vault(app, notes)


def set_apart(folder: str) -> dict[str, str]:
    """Return the folders of a vault that its app sets apart and that are there, and what they hold."""
    found = {text.removeprefix("./").strip("/ "): what for _, text, what in named(folder)}
    return {name: what for name, what in found.items() if name and os.path.isdir(os.path.join(folder, name))}


def known_to_apps(environ: Mapping[str, str]) -> list[str]:
    """Return the folders of notes that the apps of this user know and that are there."""
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        return []
    found = [*_of_obsidian(home), *_of_zk(environ), *_of_logseq(home)]
    return list(dict.fromkeys(path for path in found if os.path.isabs(path) and os.path.isdir(path)))


def _of_obsidian(home: str) -> Iterator[str]:
    for name in _OBSIDIAN:
        try:
            table = json.loads(_read(os.path.join(home, name)))
            vaults = table["vaults"].values()
            yield from (str(vault["path"]) for vault in vaults)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


def _of_zk(environ: Mapping[str, str]) -> Iterator[str]:
    if folder := environ.get("ZK_NOTEBOOK_DIR"):
        yield folder


def _of_logseq(home: str) -> Iterator[str]:
    """Logseq keeps a file for each graph, named by its path with ``++`` for each slash."""
    try:
        names = sorted(os.listdir(os.path.join(home, ".logseq", "graphs")))
    except OSError:
        return
    for name in names:
        if name.startswith("logseq_local_") and name.endswith(".transit"):
            path = name.removeprefix("logseq_local_").removesuffix(".transit")
            yield path.replace("++", "/")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_LONGEST)
