"""What is a link asking for? The written target, taken apart before anything is looked up."""

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from notesd.model import Link
from notesd.resolve.names import REMEMBERED, coarse

Start = Literal["root", "here", "anywhere"]

# ``scheme://`` always is an address. Without the slashes a colon usually belongs to a name
# (``Re: plans``), so only the schemes that people do paste count, and only when no blank follows.
_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]*://"
    r"|(?:mailto|tel|sms|callto|facetime|sips?|xmpp|data|javascript|urn|magnet|geo|news|cid|mid|file):[^\s]",
    re.IGNORECASE,
)
_DOTS = (".", "..")


class Target(Struct, frozen=True, gc=False):
    """A link target in parts."""

    parts: tuple[str, ...]
    """Path parts as written, dots included; empty: the note itself. The last is a name."""
    start: Start
    """``root`` and ``here`` mean exactly that path; ``anywhere`` is a name to look for."""
    folder: bool
    """Written with a slash at the end: a folder is meant."""
    dotted: bool
    """Some part is ``.`` or ``..``, so this is a way through folders and never a name."""

    @property
    def text(self) -> str:
        """The parts as one path."""
        return "/".join(self.parts)


def understand(link: Link) -> Target | None:
    """Take a link's target apart; None when no file can be meant (addresses, bare folders)."""
    # Wiki targets are trimmed by rule; a decoded %20 at the end of a destination is meant.
    text = link.target.strip() if link.style == "wiki" else link.target
    if not text:
        return Target((), "here", folder=False, dotted=False)
    # ``[x](a%3A//b)`` is a file name: what counts as an address is decided as written.
    if _ADDRESS.match(link.raw if link.style == "markdown" else text):
        return None
    return understand_path(text)


@lru_cache(REMEMBERED)
def understand_path(text: str) -> Target | None:
    """Take a path or name apart; None when it ends in dots or holds nothing."""
    parts = tuple(part for part in text.split("/") if part)
    if not parts or parts[-1] in _DOTS or "\0" in text:
        return None
    start: Start = "anywhere"
    if text.startswith("/"):
        start = "root"
    elif parts[0] in _DOTS:
        start = "here"
    return Target(parts, start, folder=text.endswith("/"), dotted=any(part in _DOTS for part in parts))


def walk(folder: str, parts: tuple[str, ...]) -> str | None:
    """Follow the parts of a target from a folder; None when they lead out of the space."""
    way = folder.split("/") if folder else []
    for part in parts:
        if part == "..":
            if not way:
                return None
            way.pop()
        elif part != ".":
            way.append(part)
    return "/".join(way)


def link_key(link: Link) -> str:
    """Return the one coarse key a link is looked up under.

    Empty for links of a note to itself and for what can never be a file; nothing is kept there.
    """
    target = understand(link)
    return coarse(target.parts[-1]) if target and target.parts else ""
