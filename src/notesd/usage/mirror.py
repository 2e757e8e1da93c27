"""What does the record say of one space, fast enough for every search?

A search asks about a hundred notes and the pairs among them: ten milliseconds in SQL, a third of one here.
A mirror holds what was asked for so far, and is told of every word that is written; it is thrown away
whenever more than that happens to the record.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from notesd.index.store import Reader
from notesd.rank.limbic import Together
from notesd.usage import signals
from notesd.usage.signals import Opening

MOST_COMPANY = 200_000
"""Entries held, about 30 MB; beyond, all are let go and asked for again."""


class _Others(Struct, frozen=True):
    """The company of one note, by key."""

    used: dict[str, Together]
    opened: dict[str, Together]
    """Of these, what comes of openings alone."""


class Mirror:
    """Openings of all notes of a space, and the company of those that were asked about."""

    def __init__(self, space: str, reader: Reader, now: float) -> None:
        self._space = space
        self.now = now
        """When it was asked last; by an earlier clock its times would be in the future."""
        self._openings = signals.openings(reader, space, now)
        self._company: dict[str, _Others] = {}
        self._entries = 0
        self._names: dict[str, str] = {}
        """Each key once, however often it is somebody's company."""

    def openings(self, keys: Iterable[str]) -> dict[str, Opening]:
        """Those of some notes that were ever opened."""
        known = self._openings
        return {key: known[key] for key in keys if key in known}

    def company(
        self, reader: Reader, of: Iterable[str], among: Collection[str], *, opened: bool
    ) -> dict[str, list[Together]]:
        """Of some notes, what is known of each with those of some others that it was used with."""
        wanted = among if isinstance(among, set | frozenset) else set(among)
        found = {}
        for key in of:
            known = self._of(reader, key)
            others = known.opened if opened else known.used
            fewer = wanted.intersection(others) if len(others) < len(wanted) else wanted
            found[key] = list(filter(None, map(others.get, fewer)))
        return found

    def _of(self, reader: Reader, key: str) -> _Others:
        others = self._company.get(key)
        if others is None:
            if self._entries > MOST_COMPANY:
                self._company.clear()
                self._names.clear()
                self._entries = 0
            others = self._company[key] = _Others({}, {})
            for other, one in signals.companions(reader, self._space, key, self.now).items():
                name = self._names.setdefault(other, other)
                others.used[name] = Together(one.count, one.last)
                if one.opened:
                    others.opened[name] = Together(one.opened, one.opened_last)
            self._entries += len(others.used) + len(others.opened) + 1
        return others

    def shown(self, keys: Sequence[str], at: float) -> None:
        """These notes were shown, as ``signals.add_shown`` wrote it down."""
        first = list(dict.fromkeys(keys[: signals.PAIRED]))
        self._pair(first, [], at, opened=0)

    def opened(self, keys: Sequence[str], earlier: Sequence[str], at: float) -> None:
        """These notes were opened, with those opened before in the same sitting."""
        for key in keys:
            old = self._openings.get(key, Opening(0, 0.0))
            self._openings[key] = Opening(old.opened + 1, at)
        self._pair(list(dict.fromkeys(keys))[: signals.PAIRED], earlier, at, opened=1)

    def _pair(self, notes: Sequence[str], others: Sequence[str], at: float, *, opened: int) -> None:
        for place, a in enumerate(notes):
            for b in (*notes[:place], *others):
                self._add(a, b, at, opened)
                self._add(b, a, at, opened)

    def _add(self, a: str, b: str, at: float, opened: int) -> None:
        known = self._company.get(a)
        if known is not None:
            for others in (known.used, known.opened)[: 1 + opened]:
                old = others.get(b)
                self._entries += old is None
                others[b] = Together(old.count + 1 if old else 1, at)
