"""Which links may mean something else after files came, went or changed their names?"""

from collections.abc import Iterable

from notesd.resolve.entries import Entry, entry_keys, name_key


def affected_keys(before: Iterable[Entry], after: Iterable[Entry]) -> frozenset[str]:
    """Return the coarse keys whose links have to be looked up again.

    Every other link means what it meant. ``before`` and ``after`` need to hold the changed files
    only; files that are equal in both cost nothing. A note that only gained a title or alias
    re-opens that name alone, not the links that know it by its file name.
    """
    old = {(entry.path, entry.is_note): entry for entry in before}
    new = {(entry.path, entry.is_note): entry for entry in after}
    keys: set[str] = set()
    for place in old.keys() | new.keys():
        was, now = old.get(place), new.get(place)
        if was is None or now is None:
            for entry in filter(None, (was, now)):
                keys.update(entry_keys(entry))
        elif was != now and was.is_note:
            names = ({was.title} ^ {now.title}) | (set(was.aliases) ^ set(now.aliases))
            keys.update(name_key(name) for name in names | (set(was.names) ^ set(now.names)))
    keys.discard("")
    return frozenset(keys)
