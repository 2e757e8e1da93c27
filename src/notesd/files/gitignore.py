"""What do the folder's own ``.gitignore`` files leave out? Asked only where the configuration says so."""

import os

from pathspec import GitIgnoreSpec

from notesd.files.ignore import Ignore, Rule
from notesd.files.paths import full_path
from notesd.model import NotePath
from notesd.resolve.names import folder_of
from notesd.settings import DEFAULT_EXTENSIONS

_LONGEST = 1 << 20
"""Bytes of one ``.gitignore`` that are read."""


class Gitignored(Ignore):
    """Leaves out what ``Ignore`` does, and what git would not take; rules are read again at each walk."""

    def __init__(
        self,
        root: str,
        patterns: tuple[str, ...] = (),
        extensions: tuple[str, ...] = DEFAULT_EXTENSIONS,
        name_only: tuple[str, ...] = (),
        embed: tuple[str, ...] = (),
    ) -> None:
        """Take the folder whose rules count, and what ``Ignore`` takes."""
        super().__init__(patterns, extensions, name_only, embed)
        self._root = root
        self._specs: dict[str, GitIgnoreSpec | None] = {}

    def refresh(self) -> None:  # type: ignore[explicit-override]  # 3.12 has it
        """Forget the rules: files that hold them are left out themselves, so no event tells of a change."""
        self._specs = {}

    def leaves_out_folder(self, path: str, name: str) -> bool:  # type: ignore[explicit-override]  # 3.12 has it
        """Judge a folder whose parents are known to be in."""
        return super().leaves_out_folder(path, name) or self._by_git(path, "/")

    def leaves_out_file(self, path: str, name: str) -> bool:  # type: ignore[explicit-override]  # 3.12 has it
        """Judge a file whose folders are known to be in."""
        return super().leaves_out_file(path, name) or self._by_git(path, "")

    def rule(self, path: str) -> Rule | None:  # type: ignore[explicit-override]  # 3.12 has it
        """Name the rule that leaves a file out; git's after all others."""
        known = super().rule(path)
        if known is not None:
            return known
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            part = "/".join(parts[:end])
            if self._by_git(part, "" if end == len(parts) else "/"):
                return Rule("gitignore", ".gitignore", part)
        return None

    def _by_git(self, path: str, ending: str) -> bool:
        """The nearest file that says anything about a path decides, as in git."""
        folder = path
        while folder:
            folder = folder_of(folder)
            spec = self._spec(folder)
            if spec is not None:
                below = path[len(folder) + 1 :] if folder else path
                verdict = spec.check_file(below + ending).include
                if verdict is not None:
                    return verdict
        return False

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = self._read(folder)
        return self._specs[folder]

    def _read(self, folder: str) -> GitIgnoreSpec | None:
        name = NotePath(f"{folder}/.gitignore" if folder else ".gitignore")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            file = os.open(full_path(self._root, name), flags)
        except (OSError, ValueError):
            return None
        try:
            lines = os.read(file, _LONGEST).decode("utf-8", "replace").splitlines()
            return GitIgnoreSpec.from_lines(lines)
        except (OSError, ValueError):  # a folder of that name, or a pattern that git would not take
            return None
        finally:
            os.close(file)
