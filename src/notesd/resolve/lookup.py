"""Which file answers to a link? The table of all names.

A link is looked up under one key (``link_key``); a file is kept under every key it could be
asked for by (``entry_keys``). What does not share a link's key can never answer it, so an index
needs to load, and after a change to look at again, only what shares a key.
"""

from collections import defaultdict
from collections.abc import Iterable

from notesd.model import Link, NotePath
from notesd.resolve.entries import Entry, entry_keys
from notesd.resolve.group import Group
from notesd.resolve.names import coarse, folder_of
from notesd.resolve.targets import Target, link_key, understand

__all__ = ["Entry", "NameTable", "entry_keys", "link_key"]


class NameTable:
    """All names of a space, or of as much of it as shares the keys of some links."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._members: defaultdict[str, list[Entry]] = defaultdict(list)
        self._groups: dict[str, Group] = {}
        for entry in entries:
            for key in entry_keys(entry):
                self._members[key].append(entry)

    def resolve(self, link: Link, source: NotePath) -> NotePath | None:
        """Return the file a link in ``source`` means; None while nothing answers to it."""
        target = understand(link)
        if target is None:
            return None
        if not target.parts:
            return source
        group = self._group(target)
        if group is None:
            return None
        found = group.answer(target, folder_of(source), beside_first=link.style == "markdown")
        return found.path if found else None

    def everyone(self, target: Target) -> list[NotePath]:
        """Return every note that the target, typed by a person, could mean, the likeliest first."""
        group = self._group(target)
        return [entry.path for entry in group.everyone(target)] if group else []

    def _group(self, target: Target) -> Group | None:
        """The files that share the target's key, sorted out when they are first asked for."""
        key = coarse(target.parts[-1])
        group = self._groups.get(key)
        if group is None and key in self._members:
            group = self._groups[key] = Group(self._members[key])
        return group
