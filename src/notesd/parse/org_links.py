"""Which links does a text of an Org file hold, and how does a reader see it without their brackets?"""

import re
from typing import Final
from urllib.parse import unquote

from notesd.model import Kind, Link

_LINK: Final = re.compile(r"\[\[([^\[\]\n]{1,2000})\](?:\[([^\[\]\n]{0,1000})\])?\]")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PICTURE: Final = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif)\Z", re.IGNORECASE)
_NAMES: Final = ("id:", "roam:", "denote:")
_FILES: Final = ("file:", "attachment:", "file+sys:", "file+emacs:", "docview:")


class OrgLinks:
    """Collects the links of one file."""

    def __init__(self) -> None:
        """Begin with none."""
        self.links: list[Link] = []
        self.addresses: list[str] = []

    def read(self, text: str, line: int) -> str:
        """Take the links off a text that begins in a line of the file; return what its reader sees."""
        if "[[" not in text:
            return text

        def shown(found: re.Match[str]) -> str:
            at = line + text.count("\n", 0, found.start())
            return self._take(found[1].strip(), found[2], at)

        return _LINK.sub(shown, text)

    def _take(self, raw: str, shown: str | None, line: int) -> str:
        """Keep one link and return what is seen of it."""
        lowered = raw.casefold()
        for scheme in _NAMES:
            if lowered.startswith(scheme):
                name = raw[len(scheme) :].partition("::")[0]
                self.links.append(Link(name, name, "wiki", None, "link", line))
                return shown or name
        for scheme in _FILES:
            if lowered.startswith(scheme):
                return self._file(raw[len(scheme) :], shown, line)
        if raw.startswith(("./", "../", "/", "~/")):
            return self._file(raw, shown, line)
        if raw.startswith(("*", "#", "(")):  # a heading, a name or a line of the file itself
            self.links.append(Link(raw, "", "wiki", None, "link", line))
            return shown or raw.lstrip("*#")
        if _SCHEME.match(raw) and not raw.partition(":")[2].startswith(" "):
            self.addresses.append(unquote(raw[:500]))
            return shown or raw
        self.links.append(Link(raw, raw.partition("::")[0].strip(), "wiki", None, "link", line))
        return shown or raw

    def _file(self, raw: str, shown: str | None, line: int) -> str:
        path, _, part = raw.partition("::")
        target = path.strip()
        kind: Kind = "embed" if not shown and _PICTURE.search(target) else "link"
        if target:
            self.addresses.append(target[:500])
            self.links.append(
                Link(f"{target}#{part}" if part else target, target, "markdown", None, kind, line)
            )
        return shown or target.rpartition("/")[2]
