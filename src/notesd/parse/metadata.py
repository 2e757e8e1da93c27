"""What do the properties of a note mean: its title, names, tags, type, date and relations?"""

from collections.abc import Callable, Iterable, Iterator

from notesd.model import Link, Observation
from notesd.parse.dates import parse_date
from notesd.parse.frontmatter import Property, Value
from notesd.parse.tags import clean_tag, split_tags
from notesd.parse.wikilinks import bare, whole_wikilink

ALIAS_KEYS = ("aliases", "alias")
TAG_KEYS = ("tags", "tag", "keywords", "keyword")
NAME_KEYS = ("id", "uid", "permalink", "slug")
STABLE_KEYS = ("id", "uid", "permalink")
DATE_KEYS = (("created",), ("date created", "created at", "creation date"), ("date",))
"""In order of trust; blanks, ``-`` and ``_`` are alike in them."""
FLAG_KEYS = ("index", "embed", "private")

_UNSAID = frozenset(("title", *ALIAS_KEYS, *TAG_KEYS, *NAME_KEYS, *FLAG_KEYS))
"""Keys whose values are found in other fields of the note, or are no words."""
_FALSE = frozenset(("false", "no", "off", "n"))
_TRUE = frozenset(("true", "yes", "on", "y"))


class Metadata:
    """The properties of one note by key; keys match in any case."""

    def __init__(self, properties: Iterable[Property]) -> None:
        self.properties = tuple(properties)
        self._by_key: dict[str, list[Value]] = {}
        for entry in self.properties:
            self._by_key.setdefault(entry.key.strip().casefold(), []).append(entry.value)

    def text(self, key: str) -> str | None:
        """Return a value used as one text: lists joined with a comma, None when there is nothing in it."""
        for value in self._by_key.get(key, ()):
            if isinstance(value, dict):
                continue
            text = ", ".join(_scalars(value)).replace("\n", " ").strip()
            if text:
                return text
        return None

    def aliases(self) -> tuple[str, ...]:
        """Return the aliases; one text is parted at its commas, list entries are whole."""
        return tuple(dict.fromkeys(self._entries(ALIAS_KEYS, lambda text: map(bare, text.split(",")), bare)))

    def tags(self) -> list[str]:
        """Return the tags as written, without ``#``; one text is parted at commas and blanks."""
        return self._entries(TAG_KEYS, split_tags, clean_tag)

    def names(self) -> tuple[str, ...]:
        """Return the further names that links may use."""
        return tuple(dict.fromkeys(self._entries(NAME_KEYS, lambda text: [text], str)))

    def stable_key(self) -> str | None:
        """Return the name that survives a renaming, None when there is none."""
        return next((found for key in STABLE_KEYS if (found := self.text(key))), None)

    def created(self) -> str | None:
        """Return the first date that can be read, by the order of the keys."""
        by_name: dict[str, list[Value]] = {}
        for entry in self.properties:
            by_name.setdefault(_date_key(entry.key), []).append(entry.value)
        for keys in DATE_KEYS:
            for key in keys:
                for value in by_name.get(key, ()):
                    moment = parse_date(value) if isinstance(value, str) else None
                    if moment:
                        return moment
        return None

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a yes or no in any of YAML's spellings, the default for everything else."""
        said = (self.text(key) or "").casefold()
        if said in _TRUE:
            return True
        return default and said not in _FALSE

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield every text with each key that stands above it, however deep."""
        for entry in self.properties:
            yield from _beneath((entry.key,), entry.value)

    def links(self, *, shown_first: bool) -> Iterator[Link]:
        """Yield a relation for each value that is one wiki-link, alone or in a list."""
        for entry in self.properties:
            for key, text in _pairs(entry.key, entry.value):
                found = whole_wikilink(text, shown_first=shown_first)
                if found:
                    link, embed = found
                    relation, kind = (None, "embed") if embed else (key.strip() or None, "link")
                    yield Link(link.raw, link.target, "wiki", relation, kind, entry.line)  # type: ignore[arg-type]  # mypy widens the pair

    def observations(self) -> Iterator[Observation]:
        """Yield a passage for each property whose words are found nowhere else in the note."""
        dates = {key for keys in DATE_KEYS for key in keys}
        for entry in self.properties:
            if entry.key.strip().casefold() in _UNSAID or _date_key(entry.key) in dates:
                continue
            text = _say(entry.value)
            if text and not parse_date(text):
                yield Observation(f"{entry.key}: {text}", entry.line, entry.line_end, (), "raw")

    def _entries(
        self, keys: Iterable[str], split: Callable[[str], Iterable[str]], entry: Callable[[str], str]
    ) -> list[str]:
        found: list[str] = []
        for key in keys:
            for value in self._by_key.get(key, ()):
                texts = split(value) if isinstance(value, str) else map(entry, _scalars(value))
                found += [text.strip() for text in texts if text.strip()]
        return found


def _date_key(key: str) -> str:
    return " ".join(key.casefold().replace("-", " ").replace("_", " ").split())


def _scalars(value: Value) -> Iterator[str]:
    """Yield the texts of a value, lists flattened, mappings and nulls left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from _scalars(entry)


def _pairs(key: str, value: Value) -> Iterator[tuple[str, str]]:
    """Yield every text of a value with the key that stands directly above it."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for entry in value:
            yield from _pairs(key, entry)
    elif isinstance(value, dict):
        for inner, entry in value.items():
            yield from _pairs(inner, entry)


def _beneath(keys: tuple[str, ...], value: Value) -> Iterator[tuple[str, str]]:
    """Yield every text of a value with each of the keys that stand above it."""
    if isinstance(value, str):
        yield from ((key, value) for key in keys)
    elif isinstance(value, list):
        for entry in value:
            yield from _beneath(keys, entry)
    elif isinstance(value, dict):
        for inner, entry in value.items():
            yield from _beneath((*keys, inner), entry)


def _say(value: Value) -> str:
    """Return a value as a person would read it out."""
    if isinstance(value, str):
        found = whole_wikilink(value)
        return found[0].shown if found else value.strip()
    if isinstance(value, list):
        return ", ".join(filter(None, map(_say, value)))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {said}" if (said := _say(entry)) else key for key, entry in value.items())
    return ""
