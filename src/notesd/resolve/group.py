"""Which of the files that share a key answers, and in which order are they asked?

The order is Obsidian's for everything it resolves itself: the exact path from the root, then
any path that ends so; the note's own folder first, then the shortest path. Ids, titles, aliases,
looser spellings, folder notes and number prefixes come after, so they never change such a link.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from notesd.resolve.entries import FEWEST_DIGITS, FOLDER_NOTES, MOST_DIGITS, PATH_JOINT, Entry
from notesd.resolve.names import (
    canonical,
    compose,
    fold,
    folder_of,
    is_note_name,
    last_part,
    loose,
    without_extension,
)
from notesd.resolve.targets import Target, walk

_NUMBER = re.compile(rf"[0-9]{{{FEWEST_DIGITS},{MOST_DIGITS}}}")


class Item(Struct, frozen=True, gc=False):
    """An entry with what comparing it needs, worked out once."""

    entry: Entry
    path: str
    """Folded."""
    spelled: str
    """Composed but not folded; notes without their extension."""
    length: int
    """Characters of the composed path: the shorter file wins."""

    @property
    def folder(self) -> str:
        """Its folder, as on disk."""
        return folder_of(self.entry.path)


_Table = defaultdict[str, list[Item]]
_Test = Callable[[Item], bool]


class Group:
    """The files that share one coarse key. Every list in it is shortest first, then by alphabet."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._paths: _Table = defaultdict(list)
        self._last: _Table = defaultdict(list)
        self._ids: _Table = defaultdict(list)
        self._titles: _Table = defaultdict(list)
        self._aliases: _Table = defaultdict(list)
        self._loose_last: _Table = defaultdict(list)
        self._loose_titles: _Table = defaultdict(list)
        self._folder_notes: _Table = defaultdict(list)
        self._numbered: list[Item] = []
        for item in sorted(
            map(_item, entries), key=lambda item: (item.length, item.spelled, item.entry.path)
        ):
            self._add(item)

    def _add(self, item: Item) -> None:
        self._paths[item.path].append(item)
        name = last_part(item.path)
        self._last[name].append(item)
        entry = item.entry
        if not entry.is_note:
            return
        for table, names in (
            (self._ids, entry.names),
            (self._titles, (entry.title,)),
            (self._aliases, entry.aliases),
        ):
            for key in {canonical(name) for name in names if name}:
                table[key].append(item)
        self._loose_last[loose(without_extension(name))].append(item)
        if entry.title:
            self._loose_titles[loose(canonical(entry.title))].append(item)
        if name in FOLDER_NOTES:
            self._folder_notes[last_part(folder_of(item.path))].append(item)
        if _NUMBER.match(name):
            self._numbered.append(item)

    def answer(self, target: Target, folder: str, *, beside_first: bool) -> Entry | None:
        """Return the file a target means, asked from a note in ``folder``.

        ``beside_first``: the note's own folder comes before the root, as in Markdown links.
        """
        starts = {"root": [""], "here": [folder], "anywhere": [folder, ""] if beside_first else [""]}
        ways = [way for start in starts[target.start] if (way := walk(start, target.parts))]
        found = None
        if target.folder:
            found = self._folder_at(ways)
        if found is None and not (target.folder and target.start != "anywhere"):
            found = self._file_at(ways)
        if found or target.dotted or target.start != "anywhere":
            return found
        return self._ending(target.text, folder) or self._fallback(target, folder, beside_first=beside_first)

    def _file_at(self, ways: Iterable[str]) -> Entry | None:
        """The file at exactly the first of these paths from the root that has one."""
        for way in ways:
            for form in _file_forms(way):
                found = _first(self._paths.get(form, ()), _spells(way))
                if found:
                    return found
        return None

    def _folder_at(self, ways: Iterable[str]) -> Entry | None:
        """The note that speaks for exactly the first of these folders that has one."""
        for way in map(fold, ways):
            for name in FOLDER_NOTES:
                notes = self._paths.get(f"{way}/{name}")
                if notes:
                    return notes[0].entry
        return None

    def _ending(self, text: str, folder: str) -> Entry | None:
        """A file whose path ends so, whole parts only."""
        spells = _spells(text)
        for form in _file_forms(text):
            tail = "/" + form
            # The own folder is asked by path: a name like README may have thousands of files.
            own = {f"{fold(folder)}/{form}", f"{fold(folder)}/{last_part(form)}"} if folder else ()
            near = [
                item
                for path in own
                for item in self._paths.get(path, ())
                if item.path.endswith(tail) and item.entry.path.startswith(folder + "/")
            ]
            near.sort(key=lambda item: (item.length, item.spelled, item.entry.path))
            ending = (item for item in self._last.get(last_part(form), ()) if item.path.endswith(tail))
            found = _first(near, spells) or _first(ending, spells)
            if found:
                return found
        return None

    def _fallback(self, target: Target, folder: str, *, beside_first: bool) -> Entry | None:
        """What no file name answers: the further names of notes, in a fixed order."""
        forms = _name_forms(target.text)
        for table, names in (
            (self._ids, lambda entry: entry.names),
            (self._titles, lambda entry: (entry.title,)),
            (self._aliases, lambda entry: entry.aliases),
        ):
            for form in forms:
                hits = _texts(table.get(fold(form), ()))
                near = [item for item in hits if item.folder == folder]
                found = _first(near or hits, _named(form, names))
                if found:
                    return found
        return (
            _only(self._alike(forms))
            or self._folder_note(forms, folder, beside_first=beside_first)
            or self._joined(target.text, forms, folder)
            or _only(self._starting(forms))
        )

    def _alike(self, forms: tuple[str, ...]) -> Iterator[Item]:
        """Notes whose path or title differs only in blanks, dashes and underscores."""
        for form in map(loose, forms):
            for item in self._loose_last.get(last_part(form), ()):
                whole = loose(without_extension(item.path))
                if whole == form or whole.endswith("/" + form):
                    yield item
            yield from self._loose_titles.get(form, ())

    def _folder_note(self, forms: tuple[str, ...], folder: str, *, beside_first: bool) -> Entry | None:
        """The note that speaks for a folder of that name: exact paths first, then any that ends so."""
        for form in forms:
            beside = f"{folder}/{form}" if folder else form
            found = self._folder_at((beside, form) if beside_first else (form, beside))
            if found:
                return found
            tail = "/" + fold(form)
            hits = self._folder_notes.get(last_part(tail), ())
            for name in FOLDER_NOTES:
                for item in hits:
                    if item.path.endswith(f"{tail}/{name}"):
                        return item.entry
        return None

    def _joined(self, text: str, forms: tuple[str, ...], folder: str) -> Entry | None:
        """A note called ``a___b`` for ``a/b``."""
        if "/" not in text:
            return None
        for form in forms:
            name = form.replace("/", PATH_JOINT)
            hits = self._last.get(fold(name) + ".md", ())
            near = [item for item in hits if item.folder == folder]
            found = _first(near or hits, _spells(name))
            if found:
                return found
        return None

    def _starting(self, forms: tuple[str, ...]) -> Iterator[Item]:
        """Notes whose file name starts with this number."""
        for form in forms:
            if _NUMBER.fullmatch(form):
                yield from (item for item in self._numbered if last_part(item.path).startswith(form))

    def everyone(self, target: Target) -> list[Entry]:
        """Return every note a person could mean by a name or path, the likeliest first.

        Names of one strength come together (file names, titles and ids; then aliases; then looser
        spellings; then folders, joined names and numbers); weaker ones only when no stronger fits.
        """
        text, forms = target.text, _name_forms(target.text)
        folded = [fold(form) for form in forms]
        exact = self._paths.get(fold(text), [])
        if "/" in text and not exact:
            exact = self._paths.get(fold(text) + ".md", [])
        whole = [item for item in exact if item.entry.path == text or item.spelled == compose(text)]
        ends = tuple("/" + form + ".md" for form in folded)
        names = [
            item
            for form in folded
            for item in self._last.get(last_part(form) + ".md", ())
            if ("/" + item.path).endswith(ends)
        ]
        tiers: tuple[Iterable[Item], ...] = (
            whole,
            exact,
            [*names, *_of(self._titles, folded), *_of(self._ids, folded)],
            _of(self._aliases, folded),
            self._alike(forms),
            [
                item
                for name in FOLDER_NOTES
                for form in folded
                for item in self._paths.get(f"{form}/{name}", ())
            ],
            [item for form in folded for item in self._last.get(form.replace("/", PATH_JOINT) + ".md", ())],
            self._starting(forms),
        )
        for tier in tiers:
            entries = dict.fromkeys(item.entry for item in _texts(tier) if item.entry.is_note)
            if entries:
                return list(entries)
        return []


def _item(entry: Entry) -> Item:
    spelled = compose(entry.path)
    length = len(spelled)
    if entry.is_note:
        spelled = without_extension(spelled)
    return Item(entry, fold(entry.path), spelled, length)


def _file_forms(text: str) -> tuple[str, str]:
    """The two folded file names a target can mean; the literal one first when it has an extension."""
    folded = fold(text)
    note = folded + ".md"
    return (folded, note) if "." in last_part(folded)[1:] else (note, folded)


def _name_forms(text: str) -> tuple[str, ...]:
    """A name as written and, when it was written like a file, without its extension."""
    shorter = without_extension(text)
    return (text,) if shorter == text else (text, shorter)


def _first(items: Iterable[Item], spelled: _Test) -> Entry | None:
    """Return the shortest, among equals the one spelled alike, else the first in the alphabet."""
    best: Item | None = None
    for item in items:
        if best is not None and item.length > best.length:
            break
        if spelled(item):
            return item.entry
        best = best or item
    return best.entry if best else None


def _only(items: Iterable[Item]) -> Entry | None:
    """Return the one note among the items; None when two fit, so that nothing is guessed."""
    found = {item.entry.path: item.entry for item in _texts(items)}
    return next(iter(found.values())) if len(found) == 1 else None


def _texts(items: Iterable[Item]) -> list[Item]:
    """Return the items of Markdown where there are some, else all: a note is called as its PDF or canvas."""
    every = list(items)
    return [item for item in every if is_note_name(item.entry.path)] or every


def _of(table: _Table, keys: Iterable[str]) -> list[Item]:
    return [item for key in keys for item in table.get(key, ())]


def _spells(text: str) -> _Test:
    """Test whether a file's path ends with a text in the same case."""
    written = compose(text)
    ends = ("/" + written, "/" + without_extension(written))
    return lambda item: ("/" + item.spelled).endswith(ends)


def _named(text: str, names: Callable[[Entry], tuple[str, ...]]) -> _Test:
    """Test whether a note has a name in the same case."""
    written = compose(text)
    return lambda item: any(compose(name.strip()) == written for name in names(item.entry))
