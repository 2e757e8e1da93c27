"""Which words of the folder can a typed word mean, besides itself?

What no note holds is looked for among the words that the notes do hold: as the beginning of one, as a part
of a compound, as one that is spelt a little otherwise, as two that ran together. A word that stands in a
note means itself; in one or two notes also a word that is a usual slip away and stands in far more.
"""

import heapq
import itertools
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from notesd.index import documents, fulltext
from notesd.index.store import Reader
from notesd.parse.characters import DENSE
from notesd.parse.edits import distance
from notesd.parse.expressions import match
from notesd.parse.stems import all_stems, stems
from notesd.parse.terms import Term, is_stop_term, is_stopword

MOST_BEGUN: Final = 40
"""Words that begin as the typed one does which are looked at, the commonest first."""
SHORTEST_SLIP: Final = 5
"""Letters of a word in which a slip is looked for; shorter ones are near to too many."""
LONG_SLIP: Final = 9
"""Letters from which on a word may be two slips away."""
RARE: Final = 2
"""Notes that hold a word in any form up to which it may be a slip itself."""
MANY_TIMES: Final = 30
"""So many notes have to hold a near word for each that holds the word."""
MOST_NEAR: Final = 3
"""Near words that a slip may mean."""
SHORTEST_PART: Final = 4
"""Letters of a part of a compound."""
SHORTEST_REST: Final = 3
"""Letters of what stands before or behind it."""
MOST_COMPOUNDS: Final = 30
MOST_JOINED: Final = 4
"""Words of a query up to which two that follow each other may be one."""
SHORTEST_HALF: Final = 3
"""Letters of each of two words that ran together."""
COMPOUNDING: Final = frozenset({"de", "nl", "sv", "da", "no", "fi", "hu"})
"""Languages that write compounds as one word."""
_WITH_ARTICLES: Final = frozenset({"sv", "da", "no"})
_ARTICLES: Final = frozenset({"n", "en", "an", "et", "t", "na", "ne", "ene", "erna", "arna", "orna"})
"""Endings that say "the" in Swedish, Danish and Norwegian; Snowball leaves some of them on."""

_ENDINGS: Final = ("s", "es", "n", "en", "er", "r", "ar", "or")
"""Of plurals: of a word with a slip in it often the plural alone stands in the notes."""
_FEW: Final = 3
"""Words of a query up to which these are taken off. Many words of another language are like plurals in the
notes: with any number of words, Spanish questions about English notes lost 0.004 nDCG@10."""

_ODD: Final = re.compile("[fgjkpvwxyz]q|q[bcdfghjkmpqvxyz]|[bfgjkqvz]x|x[jkqxz]|(.)\\1\\1")
"""Letters that hardly stand side by side in words."""
MOST_ODD: Final = 1
"""So often they may all the same: izquierda, exquisite, and where the slip is (laddder). More make a code,
which is never a slip for another."""
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_OF_ONE_KIND: Final = re.compile(r"\d{1,6}|[^\W\d_]{1,12}")
_MAY_BE_DOUBLE: Final = re.compile("(?<=[aeiou])[cdfglmnprstz](?=[aeiouy]|$)")
_DOUBLED: Final = re.compile(r"(.)\1")
_LONGEST_SINGLE: Final = 16
"""Letters of a word of which others are doubled: so long there are about a hundred such words."""


class Spelled(Struct, frozen=True):
    """The words of a query, with what else each may mean."""

    groups: tuple[tuple[Term, ...], ...]
    corrected: tuple[tuple[str, str], ...] = ()
    """Words that were taken for near ones: as typed, and as the folder spells it."""
    standing: tuple[str, ...] = ()
    """Words that might have been, and were not: a note holds them."""


class Lexicon:
    """The written words of an index; those of one length are one text that is searched for parts of words."""

    def __init__(self, words: Iterable[str]) -> None:
        """Take the words, each once."""
        by_length: dict[int, list[str]] = {}
        for word in words:
            if _LETTERS.fullmatch(word):
                by_length.setdefault(len(word), []).append(word)
        self._texts = {length: "\n".join(sorted(some)) for length, some in by_length.items()}

    def __contains__(self, word: str) -> bool:
        text, step = self._texts.get(len(word), ""), len(word) + 1
        at = bisect_left(
            range((len(text) + 1) // step), word, key=lambda at: text[at * step : at * step + step - 1]
        )
        return text.startswith(word, at * step) and bool(word)

    def holding(self, part: str, length: int, first: int, last: int) -> Iterator[str]:
        """Yield the words of a length that hold a part, each once, in order.

        Args:
            part: Letters.
            length: Of the words.
            first: Letters that have to stand before the part at least.
            last: Letters at most.
        """
        text, step = self._texts.get(length, ""), length + 1
        at = text.find(part)
        while at >= 0:
            row, before = divmod(at, step)
            if first <= before <= last:
                yield text[row * step : row * step + length]
                at = text.find(part, (row + 1) * step)
            else:
                at = text.find(part, at + 1)

    def near(self, word: str, endings: Sequence[str] = ()) -> list[str]:
        """Return the words that differ by the fewest slips, by one or, of long words, two.

        Where there are none: those that do so once an ending is taken off them (rutabega, rutabagas).

        Of so many slips and one part more, one part is untouched: words that hold it are compared. Where
        two letters of two parts changed places, they are put back first.
        """
        most = 2 if len(word) >= LONG_SLIP else 1
        borders = [len(word) * number // (most + 1) for number in range(most + 2)]
        found: dict[str, int] = {}
        for start, end in itertools.pairwise(borders):
            for part in dict.fromkeys(way[start:end] for way in _swapped(word, borders[1:-1])):
                for length in range(len(word) - most, len(word) + most + 1 + bool(endings)):
                    for other in self.holding(part, length, start - most, start + most):
                        if other not in found:
                            found[other] = distance(word, other, most)
        least = min(found.values(), default=most + 1)
        if least > most:
            longer = ((other, other.removesuffix(ending)) for other in found for ending in endings)
            return sorted(
                {other for other, bare in longer if bare != other and distance(word, bare, most) <= most}
            )
        return sorted(other for other, slips in found.items() if slips == least <= most)

    def doubled(self, word: str) -> list[str]:
        """Return the words with the same letters of which other ones, at most two, are doubled: Phillipa."""
        single = _DOUBLED.sub(r"\1", word)
        if single == word or len(single) > _LONGEST_SINGLE:
            return []
        places = range(len(single))
        ways = itertools.chain(((at,) for at in places), itertools.combinations(places, 2))
        found = {"".join(letter * (1 + (at in way)) for at, letter in enumerate(single)) for way in ways}
        return [other for other in sorted(found - {word}) if other in self]

    def compounds(self, part: str, languages: Sequence[str] = ()) -> list[str]:
        """Return the words that are put together of a part and something else, in any form of languages."""
        cut = {language: stems([part], language)[0] for language in languages}
        held = min(
            (part, *(s for s in cut.values() if len(s) >= SHORTEST_PART and part.startswith(s))), key=len
        )
        lengths = [length for length in self._texts if length > len(held)]
        every = heapq.merge(*(self.holding(held, length, 0, length) for length in lengths))
        found = (word for word in every if _is_compound(word, part) or _ends_in_form_of(word, cut))
        return list(itertools.islice(found, MOST_COMPOUNDS))

    def halves(self, word: str) -> list[tuple[str, str]]:
        """Return the ways to cut a word into two words of the folder."""
        places = range(SHORTEST_HALF, len(word) - SHORTEST_HALF + 1)
        ways = [(word[:at], word[at:]) for at in places]
        return [way for way in ways if all(half in self and not is_stopword(half) for half in way)]


def _swapped(word: str, borders: Sequence[int]) -> list[str]:
    """Return a word with the letters on both sides of each of some places as they are, and swapped."""
    ways = [word]
    for at in borders:
        ways += [way[: at - 1] + way[at] + way[at - 1] + way[at + 1 :] for way in ways]
    return ways


def _is_compound(word: str, part: str) -> bool:
    """Say whether a word begins or ends with a part, or holds it between others, none too short."""
    rests = (place for place in range(len(word) - len(part) + 1) if word.startswith(part, place))
    return any(
        all(not rest or rest >= SHORTEST_REST for rest in (at, len(word) - at - len(part))) for at in rests
    )


def _ends_in_form_of(word: str, stems_of_part: Mapping[str, str]) -> bool:
    """Say whether a word without its ending ends in a part without its own: sommarstugan, stuga."""
    for language, part in stems_of_part.items():
        before, held, ending = word.rpartition(part)
        (stem,) = stems([word], language)
        ends = stem.endswith(part) or (language in _WITH_ARTICLES and ending in _ARTICLES)
        if held and ends and len(before) >= SHORTEST_REST:
            return True
    return False


def begun(reader: Reader, term: Term, languages: Sequence[str]) -> Term:
    """Take in the words that a half-typed one may become but whose stem does not begin so.

    The stem of "bouldering" is ``boulder``, which does not begin with a typed "boulderi".
    """
    if not term.prefix or DENSE.match(term.tokens[-1]):
        return term
    typed = term.tokens[-1]
    stems = [
        stem
        for word, _ in fulltext.beginning_so(reader, typed, MOST_BEGUN)
        for stem in all_stems(word, languages)
        if word != typed and not stem.startswith(typed)
    ]
    return replace(term, also=tuple(dict.fromkeys((*term.also, *stems))))


def continued(reader: Reader, word: str, languages: Sequence[str]) -> list[str]:
    """Return the written words that are a form of a word and begin with it: boek, boeken."""
    own = set(all_stems(word, languages))
    begun_so = fulltext.beginning_so(reader, word, MOST_BEGUN)
    return [form for form, _ in begun_so if own.intersection(all_stems(form, languages))]


def spelled(
    reader: Reader, groups: Sequence[Sequence[Term]], languages: Sequence[str],
    elsewhere: Collection[str] = (),
) -> Spelled:  # fmt: skip
    """Find out what each word of a query may mean besides itself.

    Args:
        reader: The index.
        groups: One a word, its alternatives together; words in quotes are not among them.
        languages: Of the space.
        elsewhere: Words that notes of other spaces hold, which are not taken for near ones here either.

    Raises:
        OverBudget: It costs more than the question may.
    """
    meant: list[list[Term]] = []
    corrected: dict[tuple[str, str], None] = {}
    standing: list[str] = []
    endings = _ENDINGS if len(groups) <= _FEW else ()
    for group in groups:
        whole = []
        for term in group:
            reader.meter.check()
            known = _in_its_languages(reader, begun(reader, term, languages), languages)
            if _may_slip(known):
                known = _part(reader, known, languages)
                expression = match(known, languages)
                if known.compounds or _held(reader, expression):
                    standing.append(term.text)
                    if 0 < fulltext.holders(reader, expression) <= RARE and endings:
                        known, near = _far_commoner(reader, known, languages)
                        corrected.update(dict.fromkeys((term.text, word) for word in near))
                elif term.text not in elsewhere:
                    known, near = _other(reader, known, languages, endings)
                    corrected.update(dict.fromkeys((term.text, word) for word in near))
            whole.append(known)
        meant.append(whole)
    if len(meant) <= MOST_JOINED:
        _join(reader, meant, languages)
    return Spelled(tuple(map(tuple, meant)), tuple(corrected), tuple(standing))


def _held(reader: Reader, expression: str) -> bool:
    return fulltext.holders(reader, expression) > 0 or documents.hold(reader, expression)


def _in_its_languages(reader: Reader, term: Term, languages: Sequence[str]) -> Term:
    """Let a word that stands in the folder be cut only as in the languages of the notes that hold it.

    The Spanish stem of "files" is that of "filas", rows; nobody who types it means those.
    """
    if len(languages) < 2 or not _is_word(term) or len(all_stems(term.tokens[0], languages)) == 1:  # noqa: PLR2004 -- nothing to choose from
        return term
    spoken = fulltext.languages_of(reader, term.tokens[0], languages)
    return replace(term, languages=tuple(spoken)) if spoken else term


def _is_word(term: Term) -> bool:
    if len(term.tokens) != 1 or term.sign or DENSE.match(term.tokens[0]):
        return False
    return _LETTERS.fullmatch(term.tokens[0]) is not None


def _may_slip(term: Term) -> bool:
    if not _is_word(term) or len(term.tokens[0]) < SHORTEST_PART or _is_code(term.tokens[0]):
        return False
    return not is_stop_term(term)


def _is_code(word: str) -> bool:
    return len(_ODD.findall(word)) > MOST_ODD


def _part(reader: Reader, term: Term, languages: Sequence[str]) -> Term:
    """Let a word that is written so in no note also mean the compounds that it is a part of."""
    word = term.tokens[0]
    if not COMPOUNDING.intersection(languages) or fulltext.held(reader, [word]):
        return term  # the lexicon is read anew after each change, and for most words not needed
    if term.prefix and fulltext.beginning_so(reader, word, 1):
        return term
    return replace(term, compounds=tuple(_lexicon(reader).compounds(word)))


def _other(
    reader: Reader, term: Term, languages: Sequence[str], endings: Sequence[str]
) -> tuple[Term, list[str]]:
    """What a word that no note holds may mean; returns also the near words that it was taken for."""
    lexicon, word = _lexicon(reader), term.tokens[0]
    compounding = sorted(COMPOUNDING.intersection(languages))
    if compounding and (whole := lexicon.compounds(word, compounding)):
        return replace(term, compounds=tuple(whole)), []
    if len(word) < SHORTEST_SLIP:
        return term, []
    if halves := lexicon.halves(word):
        joined = [" ".join(pair) for way in halves for pair in _pairs(way, languages)]
        return replace(term, also=(*term.also, *joined)), [" ".join(way) for way in halves[:1]]
    near = lexicon.near(word) or lexicon.doubled(word) or (lexicon.near(word, endings) if endings else [])
    near = fulltext.commonest(reader, near, MOST_NEAR)
    return _also(term, near, languages), near


def _far_commoner(reader: Reader, term: Term, languages: Sequence[str]) -> tuple[Term, list[str]]:
    """What a word that hardly any note holds may mean, where many hold one that is a usual slip away."""
    word = term.tokens[0]
    usual = (
        [near for near in usual_slips(word) if not is_stopword(near)] if len(word) >= SHORTEST_SLIP else []
    )
    if not fulltext.in_many(reader, usual, MANY_TIMES) or fulltext.named(reader, word):
        return term, []
    own, counts = set(all_stems(word, languages)), fulltext.counted(reader, [word, *usual])
    far = [near for near in usual if counts.get(near, 0) >= MANY_TIMES * max(1, counts.get(word, 0))]
    near = [one for one in far if own.isdisjoint(all_stems(one, languages))][:1]
    return _also(term, near, languages), near


def usual_slips(word: str) -> list[str]:
    """Return the words from which a word is one usual slip away: neighbours swapped, other letters doubled.

    Of all that differ by a letter these are few enough to be asked for one by one, without the words of the
    folder; and where the word is one that somebody wrote on purpose, few of them are words.
    """
    swapped = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1))
    doubled = (word[: one.end()] + one[0] + word[one.end() :] for one in _MAY_BE_DOUBLE.finditer(word))
    single = (word[:at] + word[at + 1 :] for at in range(len(word) - 1) if word[at] == word[at + 1])
    parted = (word[:at] + "a" + word[at + 1 :] for at, letter in enumerate(word) if at and letter == "e")
    return [one for one in dict.fromkeys((*swapped, *doubled, *single, *parted)) if one != word]


def _pairs(words: Sequence[str], languages: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Two words as they stand side by side in the index, once for each language that differs."""
    yield from dict.fromkeys(
        tuple(all_stems(word, [language])[0] for word in words) for language in languages
    ) or [tuple(words)]


def _join(reader: Reader, meant: Sequence[list[Term]], languages: Sequence[str]) -> None:
    """Let two words that follow each other also mean the one that they make up: ``black currant``."""
    pairs = [pair for pair in itertools.pairwise(meant) if all(map(_may_be_half, pair)) or _is_code_of(*pair)]
    wholes = [first[0].tokens[0] + second[0].tokens[0] for first, second in pairs]
    known = fulltext.held(reader, wholes)
    for pair, whole in zip(pairs, wholes, strict=True):
        if whole in known:
            for group in pair:
                group[0] = _also(group[0], [whole], languages)


def _may_be_half(group: Sequence[Term]) -> bool:
    return len(group) == 1 and _is_word(group[0]) and len(group[0].tokens[0]) >= SHORTEST_HALF


def _is_code_of(*pair: Sequence[Term]) -> bool:
    """Say whether letters and digits follow each other that may be one name elsewhere: EA 227."""
    if any(len(group) != 1 or len(group[0].tokens) != 1 or group[0].sign for group in pair):
        return False
    one, other = (group[0].tokens[0] for group in pair)
    return one.isdecimal() != other.isdecimal() and all(map(_OF_ONE_KIND.fullmatch, (one, other)))


def _also(term: Term, words: Iterable[str], languages: Sequence[str]) -> Term:
    stems = [stem for word in words for stem in all_stems(word, languages)]
    return replace(term, also=tuple(dict.fromkeys((*term.also, *stems))))


def _lexicon(reader: Reader) -> Lexicon:
    """The words of an index, read once for each of its generations."""
    kept: dict[str, Lexicon] = reader.known("lexicon")
    if "" not in kept:
        kept[""] = Lexicon(fulltext.every_word(reader))
    return kept[""]
