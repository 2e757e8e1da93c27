"""Where in the passages of a note do the words of a query stand?

Works on the note's own text: passages that hold the beginning of a searched stem are found first, by plain
substrings, and only there words are cut and stemmed. Most texts can be written in small ASCII letters without
that a letter changes its place; then one look at the whole note does for all of its passages.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from math import log2
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from notesd.model import Observation
from notesd.parse.characters import DENSE, DENSE_SCRIPTS, SIGNS, fold, in_place
from notesd.parse.terms import Term, index_text


class Tokenize(Protocol):
    """How the words of one note are cut."""

    def __call__(self, text: str, /) -> Sequence[tuple[int, int, str]]:
        """Return (first character, one after the last, stem) of every word."""

    def beginnings(self, stem: str, /) -> tuple[str, ...]:
        """Return what the folded words with this stem begin with."""


MOST_TEXT: Final = 60_000
"""Characters of candidate passages of one note that are looked at closely: of a longer note those that
hold the most and the rarest words."""
MOST_SHOWN: Final = 10_000
"""Characters of passages with matches after which no more of a document are looked at: three are shown."""
MOST_SCANNED: Final = 4_000_000
"""Characters of one note in which candidates are looked for."""
MOST_FOLDED: Final = 100_000
"""Characters of passages in other than plain letters that are folded; beyond, words are found as written."""
LONGEST_PASSAGE: Final = 100_000
"""Characters of one passage that are looked at."""
MOST_SPANS: Final = 200
"""Matches of one passage that are kept."""
MOST_LEARNT: Final = 20_000
"""Words that are remembered from one note to the next."""

_END: Final = "\0"
"""Stands between passages that are looked at together."""


class Found(Struct):
    """One candidate passage."""

    at: int
    """Its place in the note, from 0."""
    spans: list[tuple[int, int, int]]
    """(first character, one after the last, number of the target), in order."""


class _Target(Struct, frozen=True):
    """What to look for, for one term."""

    stems: tuple[str, ...]
    """Stemmed tokens, side by side; empty: look for ``literal``."""
    beginning: str
    """What the last word may begin with, unstemmed; empty: the whole word has to fit."""
    literal: str
    """Folded text to look for as it is."""
    needles: tuple[str, ...]
    """Every word that can match begins with one of these; what the cheap first test looks for."""


class _Word(NamedTuple):
    """A word of a note."""

    tokens: Sequence[tuple[str, str]] = ()
    """As (stem, folded); empty for a word that cannot match."""
    alone: Sequence[int] = ()
    """Numbers of the targets of one word that it matches."""


class _Learnt(dict[str, _Word]):
    """Words of notes, each looked at once."""

    def __init__(self, targets: Sequence[_Target], tokenize: Tokenize) -> None:
        super().__init__()
        self._targets = [(number, target) for number, target in enumerate(targets) if len(target.stems) == 1]
        self._tokenize = tokenize
        stems = chain.from_iterable(target.stems for target in targets)
        self._beginnings = tuple({way for stem in stems for way in tokenize.beginnings(stem)})

    def __missing__(self, word: str) -> _Word:
        found = self[word] = self._learn(word.lower() if word.isascii() else index_text(word).strip())
        return found

    def _learn(self, folded: str) -> _Word:
        inside = " " in folded and any(part in folded for part in self._beginnings)
        if not inside and not folded.startswith(self._beginnings):
            return _Word()
        tokens = [(stem, folded[start:end]) for start, end, stem in self._tokenize(folded)]
        alone = [at for at, target in self._targets if any(_same(own, target, 0) for own in tokens)]
        return _Word(tokens, alone)


class Sought:
    """The words of a query, as they are looked for in notes of one language."""

    def __init__(self, terms: Sequence[Term], tokenize: Tokenize) -> None:
        """Prepare to look for some terms in notes that are cut by ``tokenize``."""
        self.targets = _targets(terms, tokenize)
        self.literals = any(target.literal for target in self.targets)
        self.learnt = _Learnt(self.targets, tokenize)

    def among(self, observations: Sequence[Observation], enough: int = MOST_TEXT) -> Iterator[Found]:
        """Yield the passages of a note that hold any of the terms; in order, but for a very long note.

        Args:
            observations: The passages.
            enough: Characters of passages after which no more are yielded; of more those that hold the most
                and the rarest words come first.
        """
        if not self.targets:
            return
        if len(self.learnt) > MOST_LEARNT:
            self.learnt.clear()
        note = _Note(observations, literals=self.literals)
        for at, present in _promising(note, self.targets, enough):
            text, plain = note.texts[at], note.plain[at]
            spans = _literals(text, self.targets, present) if self.literals else []
            spans += _words(text, plain, self, present)
            if spans:
                spans.sort()
                yield Found(at, spans[:MOST_SPANS])
                enough -= len(text)
                if enough < 0:
                    return


def _targets(terms: Sequence[Term], tokenize: Tokenize) -> list[_Target]:
    targets = []
    for term in terms:
        literal = fold(term.text).strip().rstrip("*").rstrip()
        if term.sign is not None and len(term.tokens) <= 1:
            literal = term.text.lower().strip()
        elif not any(map(DENSE.match, term.tokens)):
            stems = tuple(token for _, _, token in tokenize(" ".join(term.tokens)))
            if stems:
                longest = max(map(tokenize.beginnings, stems), key=lambda every: min(map(len, every)))
                beginning = term.tokens[-1] if term.prefix else ""
                targets.append(_Target(stems, beginning, "", longest))
            continue
        if literal:
            targets.append(_Target((), "", literal, (literal,)))
    return targets


_SIGNS: Final = f"{SIGNS}\uff01\uff0c"
"""What parts words most, besides ASCII; the index parts them at every other sign, too."""
_WORD: Final = re.compile(rf"[^\s\x00-/:-@\[-`{{-\x7f{DENSE_SCRIPTS}{_SIGNS}]+")
_PLAIN_WORD: Final = re.compile("[0-9a-z]+")
_REST: Final = re.compile("[0-9a-z]*")
_LETTERS_AND_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


class _Note:
    """The passages of a note, as far as it is scanned."""

    def __init__(self, observations: Sequence[Observation], *, literals: bool) -> None:
        """Write the passages so that words can be found in them.

        Args:
            observations: The passages.
            literals: Texts are looked for as they are written, too.
        """
        self.texts = [one.text[:LONGEST_PASSAGE] for one in observations]
        ends = list(accumulate(map(len, self.texts)))
        if ends and ends[-1] > MOST_SCANNED:
            del self.texts[bisect_right(ends, MOST_SCANNED) :]
        self.plain = self._plain()
        """Each passage in small ASCII letters; None where it has others that mean something."""
        if None in self.plain or (literals and not all(map(str.isascii, self.texts))):
            self.searched: Sequence[str] = self._folded()
        else:
            self.searched = [text for text in self.plain if text is not None]
        """What of each passage is searched for needles."""

    def _plain(self) -> Sequence[str | None]:
        whole = in_place(_END.join(self.texts))
        parts = [] if whole is None else whole.split(_END)
        return parts if len(parts) == len(self.texts) else [in_place(text) for text in self.texts]

    def _folded(self) -> list[str]:
        """Each passage folded, as long as not too much is, and in small letters."""
        folding: dict[int, str] = {}
        left = MOST_FOLDED
        for at, text in enumerate(self.texts):
            if self.plain[at] is None and left > 0:
                folding[at] = text
                left -= len(text)
        folded = fold(_END.join(folding.values())).split(_END)
        if len(folded) != len(folding):
            folded = [fold(text) for text in folding.values()]
        ways: Mapping[int, str] = dict(zip(folding, folded, strict=True))
        return [
            (ways.get(at) or self.plain[at] or "") + ("" if text.isascii() else text.lower())
            for at, text in enumerate(self.texts)
        ]


def _promising(note: _Note, targets: Sequence[_Target], enough: int) -> Iterator[tuple[int, Sequence[int]]]:
    """Passages that hold a needle, with the numbers of those they hold, as many as may be looked at closely.

    Where that is not all of them, those with the rarest needles come first: a word that stands in every line
    of a long log must not use up what is left for the one that stands in a single line.
    """
    holding = _holding(note.searched, targets)
    if sum(len(note.texts[at]) for at, _ in holding) > min(enough, MOST_TEXT):
        counts = Counter(number for _, present in holding for number in present)
        worth = {number: 1 + log2(len(holding) / count) for number, count in counts.items()}
        holding.sort(key=lambda one: (-sum(worth[number] for number in one[1]), one[0]))
    looked_at = 0
    for at, present in holding:
        if looked_at > MOST_TEXT:
            return
        looked_at += len(note.texts[at])
        yield at, present


def _holding(passages: Sequence[str], targets: Sequence[_Target]) -> list[tuple[int, Sequence[int]]]:
    """The cheap first test: which passages hold which needles, in order."""
    whole = _END.join(passages)
    begins = list(accumulate((len(text) + len(_END) for text in passages), initial=0))
    found: dict[int, list[int]] = {}
    for number, target in enumerate(targets):
        held = set()
        for needle in target.needles:
            start = whole.find(needle)
            while start >= 0:
                at = bisect_right(begins, start) - 1
                held.add(at)
                start = whole.find(needle, begins[at + 1])
        for at in held:
            found.setdefault(at, []).append(number)
    return sorted(found.items())


def _literals(text: str, targets: Sequence[_Target], present: Sequence[int]) -> list[tuple[int, int, int]]:
    """Find signs and scripts without blanks, as they are written."""
    lowered = text.lower()
    if len(lowered) != len(text):  # one capital letter, the dotted I, is two small ones
        lowered = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    spans: list[tuple[int, int, int]] = []
    for number in present:
        literal = targets[number].literal
        start = lowered.find(literal) if literal else -1
        while start >= 0 and len(spans) < MOST_SPANS:
            end = start + len(literal)
            inside = (
                literal[0].isalnum() and literal[0].isascii() and lowered[max(0, start - 1) : start].isalnum()
            )
            if not inside:
                spans.append((start, end, number))
            start = lowered.find(literal, end)
    return spans


def _words(
    text: str, plain: str | None, sought: Sought, present: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Find stemmed words and, for terms of several, their words side by side."""
    wanted = [number for number in present if sought.targets[number].stems]
    several = [number for number in wanted if len(sought.targets[number].stems) > 1]
    if not wanted:
        return []
    if plain is not None and not several:
        return _beginning(plain, sought, wanted)
    words = (_WORD if plain is None else _PLAIN_WORD).finditer(text if plain is None else plain)
    found = _side_by_side(words, sought, wanted, several) if several else _one_by_one(words, sought, wanted)
    spans: list[tuple[int, int, int]] = []
    for some in found:
        spans += some
        if len(spans) >= MOST_SPANS:
            break
    return spans


def _one_by_one(
    words: Iterable[re.Match[str]], sought: Sought, wanted: Sequence[int]
) -> Iterator[list[tuple[int, int, int]]]:
    """Yield the matches of each word that has any, for terms of one word."""
    learnt = sought.learnt
    for word in words:
        if alone := learnt[word[0]].alone:
            yield [(*word.span(), number) for number in alone if number in wanted]


def _side_by_side(
    words: Iterable[re.Match[str]], sought: Sought, wanted: Sequence[int], several: Sequence[int]
) -> Iterator[list[tuple[int, int, int]]]:
    """Yield the same, where some terms are of several words."""
    every = [(*word.span(), sought.learnt[word[0]]) for word in words]
    for at, (start, end, word) in enumerate(every):
        if word.tokens:
            spans = [(start, end, number) for number in word.alone if number in wanted]
            for number in several:
                last = _matches(sought.targets[number], every, at)
                if last is not None:
                    spans.append((start, max(end, every[last][1]), number))
            yield spans


def _beginning(plain: str, sought: Sought, wanted: Sequence[int]) -> list[tuple[int, int, int]]:
    """Find words in a plain text, for terms of one word.

    One run of letters and digits is one token there, so only words that begin with a needle can match.
    """
    learnt, rest = sought.learnt, _REST.match
    found: dict[int, list[tuple[int, int, int]]] = {}
    for needle in {needle for number in wanted for needle in sought.targets[number].needles}:
        start = plain.find(needle)
        while start >= 0:
            if start in found or (start and plain[start - 1] in _LETTERS_AND_DIGITS):
                start = plain.find(needle, start + 1)
                continue
            end = rest(plain, start + len(needle)).end()  # type: ignore[union-attr]  # an empty rest fits, too
            found[start] = [(start, end, at) for at in learnt[plain[start:end]].alone if at in wanted]
            start = plain.find(needle, end)
    return list(chain.from_iterable(map(found.__getitem__, sorted(found))))


_Words = Sequence[tuple[int, int, _Word]]
"""(first character, one after the last, what it is) of each word of a passage."""


def _matches(target: _Target, words: _Words, at: int) -> int | None:
    """Return the index of the last word of a match that starts in word ``at``.

    A word may hold several tokens; a match may begin and end within one.
    """
    for first, own in enumerate(words[at][2].tokens):
        if _same(own, target, 0):
            last = _follow(target, words, at, first)
            if last is not None:
                return last
    return None


def _follow(target: _Target, words: _Words, at: int, first: int) -> int | None:
    """Return the index of the last word of a match that starts with token ``first`` of word ``at``."""
    needed = 0
    for number in range(at, len(words)):
        # A word without stems cannot match.
        for own in words[number][2].tokens[first if number == at else 0 :] or (("", ""),):
            if not _same(own, target, needed):
                return None
            needed += 1
            if needed == len(target.stems):
                return number
    return None


def _same(own: tuple[str, str], target: _Target, number: int) -> bool:
    stem, folded = own
    if stem == target.stems[number]:
        return True
    is_last = number == len(target.stems) - 1
    return is_last and bool(target.beginning) and folded.startswith(target.beginning)
