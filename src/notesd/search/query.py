"""What does a query text ask for?

Any text is a query: what forms no valid operator is searched as text, never an error.

    words  "a phrase"  -word  -"a phrase"  word*  one OR other  #tag
    title:x  alias:x  tag:x  path:x  type:x  ext:x  rel:x  links:NOTE  linked:NOTE
    created:A..B  modified:A..B        values with blanks: title:"a b", links:[[Note name]]
    created:today  modified:last-week  created:7d  modified:2w..yesterday
    status:x  rating:>3  due:..2031-02  any property that the notes have, where that is told
    -tag:x -#tag                       not so: a minus before any of these
"""

import re
from collections.abc import Collection, Sequence
from datetime import date
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from notesd.parse.characters import DENSE, word_count
from notesd.parse.properties import Wanted
from notesd.parse.terms import Term, as_prefix, ends_in_word, phrase, terms
from notesd.parse.written_days import day_token
from notesd.search.boolean import Demand, capitals_as_text, is_too_long, understood
from notesd.search.dates import DateRange, both, parse_range
from notesd.search.figures import joined_numbers, other_ways, whole_dates
from notesd.search.pieces import PRINTED, PROSE_WORDS, Keys, cut, dashes, hashtags, known_keys, seen, straight
from notesd.search.values import wanted

LONGEST_QUERY: Final = 4096
"""Characters of a query text that are looked at."""
MOST_WORDS: Final = 64
"""Words of a query that count."""
PRINTED_WORDS: Final = 3
"""The same where the quotes are those of print, as prose has them that was pasted; some keyboards make them
of straight ones, so a short query with them is taken at its word."""


class Elsewhere(Struct, frozen=True):
    """What is known of other indexes that are asked the same."""

    standing: frozenset[str] = frozenset()
    """Words that their notes hold: they mean themselves."""
    answered: bool = False
    """Words other than common ones have found something there."""


class Query(Struct, frozen=True):
    """What a text asks for."""

    text: str
    """The text as typed, as far as it is looked at."""
    groups: tuple[tuple[Term, ...], ...] = ()
    """One a word, its alternatives (``OR``) together."""
    phrases: tuple[Term, ...] = ()
    """Have to occur."""
    quotes: tuple[Term, ...] = ()
    """Phrases of prose: they rank, as ``groups``, and need not occur."""
    excluded: tuple[Term, ...] = ()
    """Must not occur."""
    titles: tuple[Term, ...] = ()
    """Have to occur in the title."""
    aliases: tuple[Term, ...] = ()
    """Have to occur in an alias."""
    tags: tuple[str, ...] = ()
    """Each has to be there, itself or as the parent of a nested one; without ``#``."""
    paths: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    exts: tuple[str, ...] = ()
    """Extensions of files."""
    rels: tuple[str, ...] = ()
    """Names of typed relations."""
    links: tuple[str, ...] = ()
    """Notes that an answer has to link to."""
    linked: tuple[str, ...] = ()
    """Notes that an answer has to be linked from."""
    created: DateRange | None = None
    modified: DateRange | None = None
    properties: tuple[tuple[str, Wanted], ...] = ()
    """Values of properties that an answer has to have, each with how it is typed."""
    keys: tuple[tuple[str, str], ...] = ()
    """Keys of properties in the text, as ``pieces.known_keys`` returns them."""
    demands: tuple[Demand, ...] = ()
    """What AND, NOT and brackets ask for beside that."""
    today: date | None = None
    """The day from which words for dates count; None: there are none."""
    without: "tuple[Query, ...]" = ()
    """What an answer must not be: one operator each."""
    plain: bool = True
    """Words only: no operator anywhere."""
    truncated: bool = False
    """The text is longer than what was looked at."""
    too_long: bool = False
    """It is an expression of too many parts, and was taken for text."""
    elsewhere: Elsewhere = Elsewhere()


_TEXT_FILTERS: Final = {
    "path": "paths",
    "type": "types",
    "ext": "exts",
    "rel": "rels",
    "links": "links",
    "linked": "linked",
}
_SHORT: Final = {"tags": "tag", "aliases": "alias"}
"""Keys of front matter whose values are found by a filter of another name."""


class _Word(Struct, frozen=True):
    """A word, or a phrase in quotes, that takes part in ``OR``."""

    term: Term
    quoted: bool = False
    prose: int = PROSE_WORDS
    """Of a phrase: words beside it from which on it only ranks."""


class _Building:
    """What has been understood so far of one query text."""

    def __init__(self, today: date | None, keys: Keys) -> None:
        self.keys = keys
        self.today = today
        """The day from which words for dates count."""
        self.terms: dict[str, list[Term]] = {"excluded": [], "titles": [], "aliases": []}
        self.filters: dict[str, list[str]] = {name: [] for name in ("tags", *_TEXT_FILTERS.values())}
        self.ranges: dict[str, DateRange] = {}
        self.properties: list[tuple[str, Wanted]] = []
        self.without: list[Query] = []
        self.units: list[_Word | str] = []
        """Words and phrases that rank, ``OR`` and, as "", whatever parts them."""
        self.words = self.days = 0
        self.plain = True

    def add(self, piece: re.Match[str], *, last: bool, dash: bool, printed: bool) -> None:
        """Take the next piece of the text.

        Args:
            piece: It.
            last: The text ends with it.
            dash: The minus before it is text.
            printed: It begins with a quotation mark of print.
        """
        value = next(text for text in piece.group("quoted", "wiki", "word") if text is not None)
        if piece["wiki"] and piece["key"] in self.keys:
            value = f"[[{value}]]"
        if piece["minus"] and (denied := _denied(piece, value, self.today, self.keys)):
            self.without.append(denied)
            self.words += len(denied.titles) + len(denied.aliases)
            self.plain = False
            self.units.append("")
        elif piece["minus"] and not dash:
            self._exclude(piece)
        elif piece["key"] and self.operator(piece["key"], value, last=last and piece["quoted"] is None):
            self.plain = False
            self.units.append("")
        elif piece["key"]:
            self._text(piece["whole"], last=last)
        elif piece["quoted"] is not None:
            self._phrase(value, printed=printed)
        elif value == "OR":
            self.units.append("OR")
        elif not self.hashtags(value):
            self._word(value, last=last)

    def _exclude(self, piece: re.Match[str]) -> None:
        text = piece["quoted"] if piece["quoted"] is not None and not piece["key"] else piece["whole"]
        term = _starred(text) or phrase(text)
        if term:
            self.terms["excluded"].append(term)
            self.words += 1
            self.plain = False
            self.units.append("")

    def operator(self, key: str, value: str, *, last: bool) -> bool:
        """Take ``key:value`` and say whether it is an operator with a valid value."""
        if key in self.keys:
            asked = wanted(self.keys[key], value, self.today)
            self.properties += [(f"{key}:{value}", asked)] if asked else []
            return asked is not None
        key = _SHORT.get(key.lower(), key.lower())
        if key in {"title", "alias"}:
            term = _starred(value) or phrase(value)
            if term is None:
                return False
            if last:
                term = as_prefix(term)
            self.terms["titles" if key == "title" else "aliases"].append(term)
            self.words += 1
            return True
        if key == "tag":
            return self._tag(value.removeprefix("#").rstrip("/"))
        if key in {"created", "modified"}:
            span = parse_range(value, self.today)
            if span:
                self.ranges[key] = both(self.ranges.get(key), span)
            return span is not None
        if key in _TEXT_FILTERS and value.strip():
            self.filters[_TEXT_FILTERS[key]].append(value.strip())
            return True
        return False

    def _tag(self, value: str) -> bool:
        if value.strip():
            self.filters["tags"].append(value.strip())
        return bool(value.strip())

    def hashtags(self, word: str) -> bool:
        """Take ``#tag`` or ``#one#two`` and say whether the word is that and nothing else."""
        names = hashtags(word)
        if not names:
            return False
        self.filters["tags"] += names
        self.plain = False
        self.units.append("")
        return True

    def day(self, text: str, days: Sequence[str]) -> None:
        """Take a date: the notes of that day, or of those it may mean, and what is written so."""
        ways = [Term(text, (day_token(day),)) for day in days]
        if as_written := phrase(text):
            ways.append(as_written)
        self.units += [unit for way in ways for unit in ("OR", _Word(way))][1:]
        self.words += 1
        self.days += len(ways) > 1

    def _phrase(self, text: str, *, printed: bool) -> None:
        self.plain = False
        term = phrase(text)
        if term:
            prose = PRINTED_WORDS if printed else PROSE_WORDS
            self.units.append(_Word(term, quoted=True, prose=prose))
            self.words += 1

    def _word(self, text: str, *, last: bool) -> None:
        term = _starred(text)
        if term:
            self.plain = False
            self.units.append(_Word(term))
            self.words += 1
        else:
            self._text(text, last=last)

    def _text(self, text: str, *, last: bool) -> None:
        found = terms(text.replace('"', " "), last_is_prefix=last)
        self.units += map(_Word, found)
        self.words += len(found)

    def query(self, text: str, *, truncated: bool) -> Query:
        """Join alternatives and return the whole."""
        groups: list[tuple[Term, ...]] = []
        quoted: list[_Word] = []
        at = 0
        while at < len(self.units):
            unit = self.units[at]
            if isinstance(unit, _Word):
                alternatives = [unit.term]
                while at + 2 < len(self.units) and self.units[at + 1] == "OR":
                    after = self.units[at + 2]
                    if not isinstance(after, _Word):
                        break
                    alternatives.append(after.term)
                    at += 2
                if unit.quoted and len(alternatives) == 1:
                    quoted.append(unit)
                else:
                    groups.append(tuple(alternatives))
            elif unit == "OR":
                groups.append(tuple(terms("OR", last_is_prefix=False)))
            at += 1
        beside = sum(word_count(group[0].text) for group in groups)
        quotes = tuple(unit.term for unit in quoted if beside >= unit.prose)
        groups += [(term,) for term in quotes]
        groups = joined_numbers(groups)
        if len(self.units) == 1 and len(groups) == 1 and text.endswith(groups[0][0].text):
            groups[0] = (as_prefix(groups[0][0], alone=True),)
        any_or = sum(len(group) > 1 for group in groups) > self.days
        groups = [group if group[0] in quotes else other_ways(group) for group in groups]
        query = Query(
            text=text,
            groups=tuple(groups[:MOST_WORDS]),
            phrases=tuple(unit.term for unit in quoted if beside < unit.prose),
            quotes=quotes,
            without=tuple(self.without),
            properties=tuple(self.properties),
            keys=tuple(self.keys.items()),
            plain=self.plain and not any_or,
            truncated=truncated,
        )
        lists = self.terms | self.filters
        return replace(query, **self.ranges, **{name: tuple(values) for name, values in lists.items()})


def _denied(piece: re.Match[str], value: str, today: date | None, keys: Keys) -> Query | None:
    """What a piece with a minus does not want, where that is an operator or a tag; None: it is text."""
    inner = _Building(today, keys)
    if piece["key"]:
        understood = inner.operator(piece["key"], value, last=False)
    else:
        understood = piece["quoted"] is None and inner.hashtags(value)
    return inner.query(piece["whole"], truncated=False) if understood else None


def _starred(text: str) -> Term | None:
    """Return ``word*`` as a prefix term, None when it is none: one letter begins too much."""
    bare = text.rstrip("*")
    term = phrase(bare) if bare != text and ends_in_word(bare) else None
    if term is None or not term.tokens or term.bigrams:
        return term
    if len(term.tokens[-1]) == 1 and not DENSE.match(term.tokens[-1]):
        return None
    return replace(term, prefix=True)


def parse_query(text: str, today: date | None = None, keys: Collection[str] = ()) -> Query:
    """Understand a query text; never raises, whatever the text.

    The first ``LONGEST_QUERY`` characters and ``MOST_WORDS`` words count; NUL and lone
    surrogates are dropped.

    Args:
        text: As typed.
        today: The day from which words like ``yesterday`` count in filters; None: they are no dates.
        keys: The keys of properties that there are, folded; what stands before any other colon is text.
    """
    kept, truncated = seen(text[:LONGEST_QUERY]), len(text) > LONGEST_QUERY
    known = known_keys(straight(kept), keys)
    meant = capitals_as_text(kept)
    found = understood(straight(meant), known)
    if found is None:
        query = _ordinary(meant, today, known, truncated=truncated)
        return replace(query, text=straight(kept), today=today, too_long=is_too_long(straight(meant), known))
    query = _ordinary(found.text, today, known, truncated=truncated)
    denied = filter(None, (_starred(text) or phrase(text) for text in found.excluded))
    return replace(
        query, text=kept, excluded=(*query.excluded, *denied), demands=found.demands, today=today, plain=False
    )


def parse_part(text: str, whole: Query) -> Query:
    """Understand one word, phrase or filter of an expression; with a blank at its end it is finished.

    Args:
        text: It.
        whole: The query that it stands in.
    """
    return _ordinary(text, whole.today, dict(whole.keys), truncated=False)


def _ordinary(kept: str, today: date | None, keys: Keys, *, truncated: bool) -> Query:
    """Understand a text without AND, NOT and brackets."""
    text = straight(kept)
    building = _Building(today, keys)
    pieces = cut(text, keys)
    dashed, days = dashes(pieces), whole_dates(text, pieces)
    dated = 0
    for at, piece in enumerate(pieces):
        if building.words >= MOST_WORDS:
            truncated = True
            break
        if piece.start() < dated:
            continue
        if day := days.get(piece.start()):
            building.day(text[day.start : day.end], day.days)
            dated = day.end
            continue
        building.add(
            piece,
            last=piece.end() == len(text) and not truncated,
            dash=at in dashed,
            printed=piece["quoted"] is not None and kept[piece.start("quoted") - 1] in PRINTED,
        )
    return building.query(text, truncated=truncated)


def loosened(query: Query, phrases: Collection[Term]) -> Query:
    """The same query, of which some phrases rank and need not occur, unless nothing else is asked for."""
    if not query.groups and set(query.phrases) <= set(phrases):
        return query
    return replace(
        query,
        groups=(*query.groups, *((term,) for term in query.phrases if term in phrases))[:MOST_WORDS],
        phrases=tuple(term for term in query.phrases if term not in phrases),
        quotes=(*query.quotes, *(term for term in query.phrases if term in phrases)),
    )
