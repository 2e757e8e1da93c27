"""Which paths are left out, and which are notes?"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from notesd.errors import ConfigError
from notesd.resolve.names import folder_of, last_part
from notesd.settings import DEFAULT_EXTENSIONS, SpaceConfig

DEFAULT_PATTERNS = (
    "*~",  # backups of vim, nano, gedit
    "#*#",  # emacs while a note is unsaved
    "4913",  # vim's probe whether it may write
    "*.swp",
    "*.orig",  # git merge
    "*___jb_tmp___",  # JetBrains safe write
    "*___jb_old___",
    "*.sync-conflict-????????-??????-*",  # Syncthing: a second truth beside the note
    "node_modules/",
)
"""Always left out. Names that start with a dot are, too, at any level."""


_LONGEST_EXTENSION = 32


class Rule(Struct, frozen=True, gc=False):
    """Why a path is left out."""

    kind: Literal["dot", "default", "configured", "gitignore", "name_only"]
    """A name that starts with a dot, one of ``DEFAULT_PATTERNS``, a pattern of the configuration, or a
    line in a ``.gitignore`` of the folder; ``name_only``: it is not left out, but not read."""
    pattern: str
    """As written; ``.*`` for a dot name."""
    path: str
    """What it fits: the path itself or a folder above it."""


class Ignore:
    """What a space leaves out: dot names, the defaults and the patterns of its configuration.

    Patterns are git's without ``!``: ``*`` and ``?`` stop at slashes, ``**`` does not, a slash at
    the end means folders only, a pattern with another slash is meant from the root.

    Raises:
        ConfigError: A pattern is empty or tries to bring something back with ``!``.
    """

    def __init__(
        self,
        patterns: tuple[str, ...] = (),
        extensions: tuple[str, ...] = DEFAULT_EXTENSIONS,
        name_only: tuple[str, ...] = (),
        embed: tuple[str, ...] = (),
    ) -> None:
        self.embed = embed
        """What the names of files of other kinds end with that get vectors, too."""
        self.extensions = extensions
        """What the names of notes end with, in small letters; other files are attachments."""
        self.name_only = name_only
        """Patterns of files that are attachments though their names end so."""
        for pattern in (*patterns, *name_only):
            if not pattern.strip("/") or pattern.startswith("!"):
                raise ConfigError(
                    f"ignore pattern {pattern!r} cannot be used; write a name, a glob such as 'drafts/**' "
                    "or 'archive/', nothing with '!'",
                )
        self.patterns = (*DEFAULT_PATTERNS, *patterns)
        """All patterns, the defaults first; another list means another set of notes."""
        self._patterns = every = [_Pattern(pattern) for pattern in self.patterns]
        self._folders = _Judge(every)
        self._files = _Judge(pattern for pattern in every if not pattern.folders_only)
        self._unread = [_Pattern(pattern) for pattern in name_only]
        self._unread_folders = _Judge(self._unread)
        self._unread_files = _Judge(pattern for pattern in self._unread if not pattern.folders_only)

    def settings(self) -> tuple[str, ...]:
        """What of the configuration decides what is read, and how: of other ones another index is made."""
        named = (f"name_only={pattern}" for pattern in self.name_only)
        embedded = (f"embed={ending}" for ending in self.embed)
        return (*self.patterns, *self.extensions, *named, *embedded, type(self).__name__)

    def is_note(self, path: str) -> bool:
        """Say whether a path is a note's: it ends so, in any case of letters, and may be read."""
        return self.ends_so(path) and not (self.name_only and self._is_unread(path))

    def ends_so(self, path: str) -> bool:
        """Say whether a path ends as those of notes do."""
        return path[-_LONGEST_EXTENSION:].lower().endswith(self.extensions)

    def _is_unread(self, path: str) -> bool:
        judge = self._unread_files
        while path:
            if judge.fits(path, last_part(path)):
                return True
            path, judge = folder_of(path), self._unread_folders
        return False

    def unread(self, path: str) -> list[Rule]:
        """Name the patterns for which a file is known by its name alone, the outermost folder's first."""
        if not (self.name_only and self._is_unread(path)):
            return []
        parts = path.split("/")
        return [
            Rule("name_only", written, part)
            for end in range(1, len(parts) + 1)
            for part in ["/".join(parts[:end])]
            for pattern, written in zip(self._unread, self.name_only, strict=True)
            if not (end == len(parts) and pattern.folders_only)
            if _Judge([pattern]).fits(part, parts[end - 1])
        ]

    def refresh(self) -> None:
        """Called before each walk: rules that lie in files are to be read again."""

    def directory(self, path: str) -> bool:
        """Say whether a folder is left out, itself or by a folder above it; the root never is."""
        while path:
            if self.leaves_out_folder(path, last_part(path)):
                return True
            path = folder_of(path)
        return False

    def file(self, path: str) -> bool:
        """Say whether a file is left out, itself or by a folder above it."""
        return self.leaves_out_file(path, last_part(path)) or self.directory(folder_of(path))

    def rule(self, path: str) -> Rule | None:
        """Name the rule that leaves a file out, the outermost folder's first; None for one that is in."""
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            part, name, is_file = "/".join(parts[:end]), parts[end - 1], end == len(parts)
            judge = self._files if is_file else self._folders
            if not judge.leaves_out(part, name):
                continue
            if name.startswith("."):
                return Rule("dot", ".*", part)
            for at, pattern in enumerate(self._patterns):
                if not (is_file and pattern.folders_only) and _Judge([pattern]).leaves_out(part, name):
                    always = at < len(DEFAULT_PATTERNS)
                    return Rule("default" if always else "configured", self.patterns[at], part)
        return None

    def leaves_out_folder(self, path: str, name: str) -> bool:
        """Judge a folder (its path and the last part of it) whose parents are known to be in."""
        return self._folders.leaves_out(path, name)

    def leaves_out_file(self, path: str, name: str) -> bool:
        """Judge a file (its path and the last part of it) whose folders are known to be in."""
        return self._files.leaves_out(path, name)


_SUFFIX = re.compile(r"\*[^*?\[]+")


def left_out(root: str, config: SpaceConfig) -> Ignore:
    """Return what is left out of a folder of notes, with what git leaves out where that is wished.

    Args:
        root: The folder, absolute.
        config: What is configured for it.

    Raises:
        ConfigError: A pattern cannot be understood.
    """
    if not config.gitignore:
        return Ignore(config.ignore, config.extensions, config.name_only, config.embed)
    from notesd.files.gitignore import Gitignored  # noqa: PLC0415  # its library costs 50 ms that few need

    return Gitignored(root, config.ignore, config.extensions, config.name_only, config.embed)


class _Pattern:
    """One pattern, translated."""

    def __init__(self, pattern: str) -> None:
        self.folders_only = pattern.endswith("/")
        body = unicodedata.normalize("NFC", pattern.rstrip("/"))
        self.rooted = "/" in body
        body = body.removeprefix("/")
        if body.startswith("**/") and "/" not in body[3:]:
            self.rooted, body = False, body[3:]
        self.regex = _translate(body)
        self.suffix = body[1:] if _SUFFIX.fullmatch(body) and not self.rooted else ""
        """What a name has to end with, where nothing else is asked."""


# The pieces of a glob, longest first.
_GLOB = re.compile(
    r"(?P<any>^\*\*/|/\*\*/)|(?P<below>/\*\*$)|(?P<star>\*+)|(?P<one>\?)|(?P<set>\[!?\]?[^]/]*\])"
)


def _translate(glob: str) -> str:
    """Write a glob as a regular expression that needs no backtracking over slashes."""
    out: list[str] = []
    at = 0
    for piece in _GLOB.finditer(glob):
        out.append(re.escape(glob[at : piece.start()]))
        at = piece.end()
        text = piece.group()
        if piece["any"]:
            out.append("(?:.*/)?" if piece.start() == 0 else "/(?:.*/)?")
        elif piece["below"]:
            out.append("/.*")
        elif piece["star"]:
            out.append("[^/]*")
        elif piece["one"]:
            out.append("[^/]")
        else:
            out.append(_set(text))
    out.append(re.escape(glob[at:]))
    return "".join(out)


def _set(text: str) -> str:
    """Write ``[a-c]`` or ``[!a-c]``; a range the wrong way round is taken letter by letter."""
    body = text[1:-1]
    negated = body.startswith("!")
    inside = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[negated:])
    regex = f"[{'^/' if negated else ''}{inside}]"
    try:
        re.compile(regex)
    except re.error:
        return re.escape(text)
    return regex


class _Judge:
    """Some patterns put together. A walk asks for every file, so the cheap questions come first."""

    def __init__(self, patterns: Iterable[_Pattern]) -> None:
        every = list(patterns)
        self._suffixes = tuple(pattern.suffix for pattern in every if pattern.suffix)
        self._names = _any(pattern.regex for pattern in every if not (pattern.rooted or pattern.suffix))
        self._paths = _any(pattern.regex for pattern in every if pattern.rooted)

    def leaves_out(self, path: str, name: str) -> bool:
        return name.startswith(".") or self.fits(path, name)

    def fits(self, path: str, name: str) -> bool:
        """Say whether any of the patterns fits, whatever the name begins with."""
        if not path.isascii():
            path, name = unicodedata.normalize("NFC", path), unicodedata.normalize("NFC", name)
        return (
            name.endswith(self._suffixes)
            or bool(self._names and self._names.fullmatch(name))
            or bool(self._paths and self._paths.fullmatch(path))
        )


def _any(regexes: Iterable[str]) -> re.Pattern[str] | None:
    """Put regular expressions together; None when there are none."""
    joined = "|".join(f"(?:{regex})" for regex in regexes)
    return re.compile(joined, re.DOTALL) if joined else None
