"""What does the record say of one space, fast enough for every search?

A search asks about a hundred notes and the pairs among them: ten milliseconds in SQL, a third of one here.
A mirror holds what was asked for so far, and is told of every word that is written; it is thrown away
whenever more than that happens to the record.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from notesd.index.store import Reader
from notesd.usage import signals
from notesd.usage.signals import Company, Opening

MOST_COMPANY = 200_000
"""Entries held, about 30 MB; beyond, all are let go and asked for again."""


class Mirror:
    """Openings of all notes of a space, and the company of those that were asked about."""

    def __init__(self, space: str, reader: Reader) -> None:
        self._space = space
        self._openings = signals.openings(reader, space)
        self._company: dict[str, dict[str, Company]] = {}
        self._entries = 0
        self._names: dict[str, str] = {}
        """Each key once, however often it is somebody's company."""

    def openings(self, keys: Iterable[str]) -> dict[str, Opening]:
        """Those of some notes that were ever opened."""
        known = self._openings
        return {key: known[key] for key in keys if key in known}

    def company(
        self, reader: Reader, of: Iterable[str], among: Collection[str]
    ) -> dict[str, dict[str, Company]]:
        """Of some notes, those of some others that each was used with."""
        wanted = among if isinstance(among, set | frozenset) else set(among)
        found = {}
        for key in of:
            others = self._of(reader, key)
            if len(others) <= len(wanted):
                found[key] = {other: one for other, one in others.items() if other in wanted}
            else:
                found[key] = {other: others[other] for other in wanted if other in others}
        return found

    def _of(self, reader: Reader, key: str) -> Mapping[str, Company]:
        others = self._company.get(key)
        if others is None:
            if self._entries > MOST_COMPANY:
                self._company.clear()
                self._names.clear()
                self._entries = 0
            name = self._names.setdefault
            rows = signals.companions(reader, self._space, key)
            others = self._company[key] = {name(other, other): one for other, one in rows.items()}
            self._entries += len(others) + 1
        return others

    def shown(self, keys: Sequence[str], at: float) -> None:
        """These notes were shown, as ``signals.add_shown`` wrote it down."""
        first = list(dict.fromkeys(keys[: signals.PAIRED]))
        self._pair(first, [], at, opened=0)

    def opened(self, keys: Sequence[str], earlier: Sequence[str], at: float) -> None:
        """These notes were opened, with those opened before in the same sitting."""
        for key in keys:
            old = self._openings.get(key, Opening(0, 0.0))
            self._openings[key] = Opening(old.opened + 1, max(old.opened_at, at))
        self._pair(list(dict.fromkeys(keys))[: signals.PAIRED], earlier, at, opened=1)

    def _pair(self, notes: Sequence[str], others: Sequence[str], at: float, *, opened: int) -> None:
        for place, a in enumerate(notes):
            for b in (*notes[:place], *others):
                self._add(a, b, at, opened)
                self._add(b, a, at, opened)

    def _add(self, a: str, b: str, at: float, opened: int) -> None:
        known = self._company.get(a)
        if known is not None:
            self._entries += b not in known
            old = known.get(b) or Company(0, 0.0)
            known[b] = Company(
                old.count + 1, max(old.last, at), old.opened + opened, max(old.opened_last, at * opened)
            )
