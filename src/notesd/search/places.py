"""What do the paths in a question mean in one space?

A person writes a folder as the shell completes it: from the root of the file system or from home, with a
slash at its end, by way of ``..`` or of a link.
"""

import posixpath

from notesd.resolve.names import compose


def folder(typed: str, root: str) -> str:
    """A folder as it is below a space's folder, empty for all of it; one that lies elsewhere as typed.

    Args:
        typed: By a person.
        root: The space's folder, absolute.
    """
    if (below := _below(typed, root)) is not None:
        return below
    text = posixpath.normpath(typed.strip("/") or ".")
    return "" if text == "." else text


def part(typed: str, root: str) -> str:
    """Part of a path, or the name of a note; a path in full without the root, empty for all of it."""
    if (below := _below(typed, root)) is None:
        return typed.removeprefix("./")
    return f"{below}/" if below and typed.endswith("/") else below


def _below(typed: str, root: str) -> str | None:
    """An absolute path as it is below the root, empty at the root or above it; None: it is no such path."""
    path = posixpath.expanduser(typed)
    if not root or not posixpath.isabs(path) or "\0" in path:
        return None
    home = compose(posixpath.realpath(root))
    for place in (posixpath.normpath(path), posixpath.realpath(path)):
        text = compose(place)
        if text == home or home.startswith(text.rstrip("/") + "/"):
            return ""
        if text.startswith(home + "/"):
            return text[len(home) + 1 :]
    return None
