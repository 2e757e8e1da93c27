"""Which characters make words, and which are different ways of writing the same one?

FTS5's ``unicode61`` knows Unicode 6.1 only and folds little beyond Latin. So text is folded
here, once for the index and once for the query: what leaves ``fold`` holds, besides ASCII,
nothing but characters that FTS5 takes as part of a word.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Final


def _marks() -> str:
    """Return the vowel signs and other marks that belong to words (Mn, Mc), as a character class.

    Only the planes and blocks of living scripts are asked: a scan of all of Unicode costs 0.1 s.
    """
    blocks = chain(range(0x0300, 0x1E00), range(0xA66F, 0xAC00), (0x3099, 0x309A))
    return _class_of(chr(point) for point in blocks if unicodedata.category(chr(point)) in {"Mn", "Mc"})


def _class_of(characters: Iterable[str]) -> str:
    """Write rising characters as a character class of few ranges: an expression of it is compiled sooner."""
    runs: list[list[str]] = []
    for one in characters:
        if runs and ord(one) == ord(runs[-1][1]) + 1:
            runs[-1][1] = one
        else:
            runs.append([one, one])
    return "".join(f"{first}-{last}" for first, last in runs)


_MARKS: Final = _marks()
_HAN: Final = "\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_KANA: Final = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
_HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
_THAI_LAO: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u0edc-\u0edf"
_KHMER_MYANMAR: Final = "\u1780-\u17d3\u17d7\u17dc\u17dd\u1000-\u103f\u1050-\u108f\ua9e0-\ua9ef\uaa60-\uaa7f"
DENSE_SCRIPTS: Final = _HAN + _KANA + _HANGUL + _THAI_LAO + _KHMER_MYANMAR
"""Character class (without brackets) of scripts written without blanks between words."""

DENSE: Final = re.compile(f"[{DENSE_SCRIPTS}]")
"""One character of a script written without blanks between words (Korean: with endings attached)."""
DENSE_RUN: Final = re.compile(f"[{DENSE_SCRIPTS}]+")
_UNPARTED: Final = re.compile(f"[{_HAN}{_KANA}{_THAI_LAO}{_KHMER_MYANMAR}]")
_WORD: Final = re.compile(f"[\\w{_MARKS}]+")
_OF_LETTERS: Final = re.compile(r"[^\W\d_]+")

# Full- and half-width forms, ligatures, presentation forms, circled and Roman numbers, square
# abbreviations, digits that stand higher or lower, letter-like symbols (but not the trade mark signs,
# which would glue "tm" to a name) and the "fancy" mathematical alphabets.
_COMPATIBLE: Final = re.compile(
    "[\u00b2\u00b3\u00b5\u00b9\u2070-\u209c\u2100-\u211f\u2121\u2123-\u214f\u2160-\u2188\u2460-\u24ff\u3200-\u33ff\ufb00-\ufdff\ufe70-\ufefc"
    "\uff01-\uffee\U0001d400-\U0001d7ff]+"
)

# Marks that do not change which word it is (Latin accents, Arabic and Hebrew vowel signs, tatweel)
# and characters nobody sees (soft hyphen, joiners, directions, variation selectors).
_DROPPED: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff\u00ad\u200c-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+"
)

_ALIKE: Final = {
    "\u0131": "i",  # Turkish dotless i: its capital is the I of everyone else
    "\u00f8": "o",
    "\u01ff": "o",
    "\u0142": "l",
    "\u0111": "d",
    "\u0127": "h",
    "\u0167": "t",
    "\u00e6": "ae",
    "\u01fd": "ae",
    "\u01e3": "ae",
    "\u0153": "oe",
    "\u0451": "\u0435",  # Russian: the two dots are mostly left out in print
    "\u0450": "\u0435",
    "\u045d": "\u0438",
    "\u0622": "\u0627",  # Arabic: the forms of alef, and Persian letters on Arabic keyboards
    "\u0623": "\u0627",
    "\u0625": "\u0627",
    "\u0671": "\u0627",
    "\u0649": "\u064a",
    "\u06cc": "\u064a",
    "\u06a9": "\u0643",
}


def _bases() -> dict[str, str]:
    """Return lower-case Latin and Greek letters with accents -> the letter without."""
    bases = {}
    for point in chain(range(0x00C0, 0x0250), range(0x1E00, 0x2000), range(0x0370, 0x0400)):
        letter = chr(point)
        base = unicodedata.normalize("NFD", letter)[0]
        if letter == letter.casefold() and base != letter and base.isalpha():
            bases[letter] = base
    return bases | _ALIKE


_BASE: Final = _bases()
_ACCENTED: Final = re.compile(f"[{_class_of(sorted(_BASE))}]")
_SEPARATOR: Final = re.compile(f"[^\x00-\x7f\\w{_MARKS}]+")

_FOREIGN: Final = re.compile("[^\x00-\x7f]+")
# A mark that makes one letter out of itself and an ASCII one before it.
_ATTACHED: Final = re.compile(f"[{_MARKS}\u20d0-\u20ff\ufe20-\ufe2f](?<=[\x00-\x7f].)")


class _Runs(dict[str, str]):
    """Stretches without ASCII and what they are folded; the common ones are folded once."""

    MOST: Final = 20_000
    LONGEST: Final = 24

    def __missing__(self, run: str) -> str:
        found = _SEPARATOR.sub(" ", _folded(run))
        if len(run) <= self.LONGEST:
            if len(self) >= self.MOST:
                self.clear()
            self[run] = found
        return found


_RUNS: Final = _Runs()


def _plain_letters() -> dict[int, int]:
    """Return the code points of one byte that have a letter of ASCII without an accent, with its code."""
    bases = {point: _BASE.get(chr(point).lower(), "") for point in range(0xC0, 0x100)}
    return {point: ord(base) for point, base in bases.items() if len(base) == 1}


_PLAIN: Final = _plain_letters()
SIGNS: Final = (
    "\u00a0\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3020"
)
"""Character class (without brackets) of signs beyond ASCII that part words: blanks, quotes, dashes."""
_NOT_PLAIN: Final = re.compile(f"[^\x00-\x7f{''.join(map(chr, _PLAIN))}{SIGNS}]")
_LETTERS: Final = bytes(range(0x80)).lower() + bytes(_PLAIN.get(point, 0x20) for point in range(0x80, 0x100))


def _compatible(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found[0])


def _run(found: re.Match[str]) -> str:
    return _RUNS[found[0]]


def _base(found: re.Match[str]) -> str:
    return _BASE[found[0]]


def fold(text: str) -> str:
    """Write a text the one way the index knows: small letters, no accents, no odd widths.

    ASCII comes back in small letters. In other texts every character that is no part of a word
    and not ASCII becomes a blank. Length and positions may change.
    """
    if text.isascii():
        return text.lower()
    if _ATTACHED.search(text):
        return _SEPARATOR.sub(" ", _folded(text))
    text = _FOREIGN.sub(_run, text)
    return text.lower() if text.isascii() else text.casefold()


def in_place(text: str) -> str | None:
    """Fold a text so that each letter keeps its place; None where that cannot be done.

    What comes back is ASCII; each sign that parts words is a sign that does.
    """
    if text.isascii():
        return text.lower()
    if _NOT_PLAIN.search(text):
        return None
    return text.encode("latin-1", "replace").translate(_LETTERS).decode("ascii")


@lru_cache(4_096)
def fold_name(text: str) -> str:
    """Fold a name (a tag, a type, a path, a title) as ``fold`` folds words.

    What is no part of a word stays, or all tags that are emoji were one tag; runs of blanks become one
    blank, those at the ends go.
    """
    return " ".join((text.lower() if text.isascii() else _folded(text)).split())


def _folded(text: str) -> str:
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    text = _COMPATIBLE.sub(_compatible, text).casefold()
    return _ACCENTED.sub(_base, _DROPPED.sub("", text))


def word_count(text: str) -> float:
    """How long a text is, in words, wherever it is asked.

    Two characters of a script without blanks between words count as one; Korean has blanks.
    """
    rest, characters = (text, 0) if text.isascii() else _UNPARTED.subn(" ", text)
    return characters / 2 + len(_WORD.findall(rest))


def _table(kept: Callable[[str], bool]) -> bytes:
    """Return small letters for capitals, what is kept as it is, a blank for other ASCII, by UTF-8 byte."""
    ascii_ = (ord(letter.lower() if kept(letter) else " ") for letter in map(chr, range(128)))
    return bytes((*ascii_, *range(128, 256)))


_ALNUM_AND_NUL: Final = _table(lambda letter: letter.isalnum() or letter == "\0")
_ALPHA: Final = _table(str.isalpha)


def split_texts(folded: str) -> list[list[str]]:
    """Split folded texts with NUL between them into the words of each."""
    return [text.split() for text in _bared(folded, _ALNUM_AND_NUL).split("\0")]


def split_letters(folded: str) -> list[str]:
    """Split a folded text at all that is no letter; words of one letter may be among the others."""
    return _bared(folded, _ALPHA).split() if folded.isascii() else _OF_LETTERS.findall(folded)


def _bared(text: str, table: bytes) -> str:
    """Turn all that a table does not keep into blanks; several times as fast as an expression."""
    return text.encode("utf-8", "surrogatepass").translate(table).decode("utf-8", "surrogatepass")
