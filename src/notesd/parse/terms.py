"""What is a word, in the index and in a query alike?

FTS5 splits and stems; this module prepares what it is given, on both sides in the same way:
folded letters (``parse.characters``), scripts without blanks as overlapping pairs of characters,
and "signs": tokens for words that lose their meaning with their punctuation (``C++``, ``.NET``,
emoji), kept in a column of their own.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from notesd.parse.characters import DENSE, DENSE_RUN, fold
from notesd.parse.stems import stem
from notesd.parse.stopwords import ALL, CONTRACTED, STOPWORDS

TOKENIZER: Final = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
"""FTS5 tokenizer (without stemmer) that ``index_text`` and ``terms`` are written for. Mn and Mc
keep Indic and Thai vowel signs inside their words, Co the private characters of signs."""

LONGEST_WORD: Final = 256
"""Characters; longer "words" are encoded data, which nobody types."""
PAIR: Final = 2
SHORTEST_PREFIX: Final = 2
"""Characters; shorter beginnings match nearly every note and cost seconds."""
SHORTEST_PART: Final = 3
"""Letters of a word joined to another one from which on it is searched on its own as well."""
MOST_TOKENS: Final = 64
"""Tokens of one term that count; the rest of a longer one is not looked for."""

_LONG: Final = re.compile(r"(?<![0-9A-Za-z+/=])[0-9A-Za-z+/=]{257,}+|(?<![^\W_])[^\W_]{257,}+")
_TOKEN: Final = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
_GAP: Final = re.compile(
    r"[\s\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30fb\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]+"
)

# Signs. The letters beside are ASCII so that Chinese or Japanese around a name does not hide it.
_MARKED: Final = re.compile(
    r"[+#*.](?:(?<=\+)(?:\+(?![+#A-Za-z_])|(?![+#\w]))|(?<=#)(?![#+A-Za-z_])|(?<=\*)(?![*\w])|(?<=\.)(?=[A-Za-z]))"
)
_BEFORE: Final = re.compile(r"[0-9A-Za-z]{1,40}\Z")
_AFTER: Final = re.compile(r"[0-9A-Za-z]{1,40}")
_OPENERS: Final = frozenset("([{<\"'`,;:=|/")
_PRIVATE: Final = {ord(sign): 0xE000 + ord(sign) for sign in "+#*."}

_SYMBOL: Final = (
    "\u00a2-\u00a5\u00a7\u20a0-\u20cf\u2190-\u245f\u2500-\u2775\u2794-\u2bff"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001faff"
)
_FLAG: Final = "[\U0001f1e6-\U0001f1ff]{2}"
_DRESS: Final = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
_PICTURE: Final = re.compile(f"{_FLAG}|[{_SYMBOL}]{_DRESS}(?:\u200d[{_SYMBOL}]{_DRESS})*")
_UNDRESS: Final = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


_ELISION: Final = re.compile(r"[^\W\d_]{1,2}['\u2019][^\W\d_]{3}")
SHORTEST_ROOT: Final = 3
"""Letters that an English ending needs before it."""
_FOLLOWING: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_DOUBLED: Final = re.compile(r"[a-z]([bcdfgjkmnprtvz])\1e?\Z")
# Endings that Porter's stemmer cuts off. One that has only its "e" typed is left out: words that
# end in "e" are mostly finished.
_SUFFIXES: Final = (
    *("ability", "able", "al", "ally", "ance", "ant", "ate", "ation", "ator", "ed", "ement", "ence", "ent"),
    *(
        "fulness",
        "ibility",
        "ible",
        "ical",
        "ing",
        "ion",
        "ism",
        "ist",
        "ities",
        "ity",
        "ive",
        "iveness",
        "ization",
    ),
    *("ize", "izer", "ly", "ment", "ness", "ousness"),
)


class Term(Struct, frozen=True, gc=False):
    """One word or phrase to look for."""

    text: str
    """As typed."""
    tokens: tuple[str, ...]
    """What FTS5 has to find side by side, before stemming; empty for an emoji."""
    prefix: bool = False
    """The last token may be the beginning of a longer one."""
    sign: str | None = None
    """Token of the column ``signs`` that has to occur too (alone when it says it all)."""
    bigrams: bool = False
    """The tokens are the overlapping pairs of one run of Chinese, Japanese, Thai, Korean, ..."""


def index_text(text: str) -> str:
    """Prepare a text for a column of the FTS5 table.

    ASCII passes untouched, but for "words" longer than ``LONGEST_WORD``. Runs of scripts without
    blanks become overlapping pairs and, at the end, their last character alone, so that one
    character searched as a prefix is found wherever it stands.
    """
    if text.isascii():
        return _without_data(text)
    text = fold(text)
    if DENSE.search(text):
        text = DENSE_RUN.sub(_pairs, text)
    return _without_data(text)


def _without_data(text: str) -> str:
    if len(text) > LONGEST_WORD and max(map(len, text.split()), default=0) > LONGEST_WORD:
        return _LONG.sub(" ", text)
    return text


def _pairs(run: re.Match[str]) -> str:
    letters = run[0]
    if len(letters) == 1:
        return f" {letters} "
    return f" {' '.join(map(''.join, pairwise(letters)))} {letters[-1]} "


def signs(text: str) -> list[str]:
    """Return the tokens for words whose punctuation matters, each once, in order of the text.

    ``C++``, ``C#``, ``A*``, ``.NET``, emoji (a joined one also by its parts) and other symbols.
    The tokens hold letters, digits and private-use characters only, so FTS5 keeps them whole.
    """
    found = dict.fromkeys(_marked_words(text))
    if not text.isascii():
        for picture in dict.fromkeys(_PICTURE.findall(text)):
            whole = _picture_token(picture)
            found[whole] = None
            if "\u200d" in picture:
                found.update(dict.fromkeys(whole))
    return list(found)


def _marked_words(text: str) -> Iterator[str]:
    for mark in _MARKED.finditer(text):
        start, end = mark.span()
        if text[start] == ".":
            word = _AFTER.match(text, end)
            if word and (start == 0 or _opens(text[start - 1])):
                yield (mark[0] + word[0]).lower().translate(_PRIVATE)
        else:
            before = _BEFORE.search(text[max(0, start - 40) : start])
            if before and (text[start] != "*" or _is_lone_letter(text, start - 1)):
                yield (before[0] + mark[0]).lower().translate(_PRIVATE)


def _opens(before: str) -> bool:
    """Say whether a dot behind this character begins a word, rather than ends or parts one."""
    if before.isascii():
        return before in _OPENERS or before.isspace()
    return not before.isalnum() or DENSE.match(before) is not None


def _is_lone_letter(text: str, at: int) -> bool:
    return text[at].isalpha() and (at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "*_"))


def _picture_token(picture: str) -> str:
    bare = _UNDRESS.sub("", picture) or picture
    return "".join(chr(0xF0000 + (ord(symbol) & 0xFFFF)) for symbol in bare)


def terms(text: str, *, last_is_prefix: bool) -> list[Term]:
    """Split a text into the terms to look for, one a word, in order.

    ``foo-bar`` is one term of two tokens. A word without any letter, digit or sign gives none;
    so does one longer than ``LONGEST_WORD``. With ``last_is_prefix`` the last word is taken as a
    beginning too, when the text ends in a letter or digit of it, and it has two characters at
    least and is no stop word. One Chinese, Japanese, Thai or Korean character always is a prefix.
    """
    found: list[Term] = []
    if not text.isascii():
        text = _PICTURE.sub(_apart, text)
    for word in _GAP.split(text):
        term = phrase(word) if word else None
        if term:
            found.append(term)
    if last_is_prefix and found and ends_in_word(text):
        found[-1] = as_prefix(found[-1])
    return found


def as_prefix(term: Term) -> Term:
    """Take the last word as a beginning too, where it can be one and is long enough to say much."""
    if term.sign or term.bigrams or not ends_in_word(term.text):
        return term
    if is_stop_term(term) or len(term.tokens[-1]) < SHORTEST_PREFIX:
        return term
    return replace(term, prefix=True)


def ends_in_word(text: str) -> bool:
    """Say whether the last character of a text is a letter, a digit or a mark upon one."""
    return text[-1:].isalnum() or unicodedata.category(text[-1:] or " ")[0] == "M"


def _apart(picture: re.Match[str]) -> str:
    return f" {picture[0]} "


def phrase(text: str) -> Term | None:
    """Take a whole text as one term: its tokens side by side; None when nothing can be looked for.

    Of the signs in it the first counts.
    """
    tokens = _query_tokens(text)
    sign = next(iter(signs(text)), None)
    if not tokens and sign is None:
        return None
    dense = bool(tokens) and DENSE.match(tokens[-1]) is not None
    return Term(
        text=text,
        tokens=tokens,
        prefix=dense and len(tokens[-1]) == 1,
        sign=sign,
        bigrams=dense and all(len(token) == PAIR and DENSE.match(token) for token in tokens),
    )


def _query_tokens(text: str) -> tuple[str, ...]:
    """Return the tokens that the text has inside any longer text.

    Where the text ends within a run, the index may go on with the next pair: the last character
    alone is not asked for.
    """
    folded = index_text(text)
    tokens = _TOKEN.findall(folded.lower() if folded.isascii() else folded)
    if len(tokens) > 1 and _is_rest(tokens[-2], tokens[-1]):
        tokens.pop()
    return tuple(tokens[:MOST_TOKENS])


def _is_rest(pair: str, token: str) -> bool:
    """Say whether a token is what ``_pairs`` puts behind the last pair of a run."""
    return len(token) == 1 and len(pair) == PAIR and pair[1] == token and bool(DENSE.match(pair))


def match(term: Term, columns: str | None = None, *, finished: bool = True) -> str:
    """Return the FTS5 expression for a term, everything quoted.

    Args:
        term: What to look for.
        columns: Names with blanks between, to look for the words only there; signs are kept for the
            whole note and are asked of it.
        finished: Of a beginning, also find words that share but the stem of one that it may become:
            "noti" may become "noting", whose stem is that of "note".
    """
    sign = f'{{signs}} : "{_quotable(term.sign)}"' if term.sign else ""
    if sign and (not term.tokens or (len(term.tokens) == 1 and columns is None)):
        return sign
    if term.prefix:
        *first, typed = term.tokens
        found = [*_beginnings(typed), *((word, False) for word in _finished(typed) if finished)]
        forms = [_quoted([*first, word]) + " *" * begins for word, begins in found]
        words = forms[0] if len(forms) == 1 else f"({' OR '.join(forms)})"
    else:
        words = _quoted(term.tokens)
    if columns is not None:
        words = f"{{{columns}}} : {words}"
    return f"({words} AND {sign})" if sign else words


def _beginnings(typed: str) -> list[tuple[str, bool]]:
    """Return what finds the words that begin with ``typed``: words, and whether each is a beginning.

    The stemmer is asked about a beginning as if it were a word: "city" would look for ``citi...``, which
    finds citizens but no cityscape. So a beginning that it would change is looked for as the word it is
    and with each letter that may follow.
    """
    root = stem(typed)
    if typed == root or (typed == root + "e" and len(root) > SHORTEST_ROOT):
        return [(typed, True)]
    longer = [typed + letter for letter in _FOLLOWING]
    if typed.endswith("y"):  # keystone: "keys" alone is stemmed
        longer += [typed + "s" + letter for letter in _FOLLOWING]
    return [(typed, False), *((word, stem(word).startswith(typed)) for word in longer)]


def _finished(typed: str) -> list[str]:
    """Return words that a beginning becomes when an English ending is finished, one a stem.

    The index holds ``configur`` for "configuration", which does not begin with a typed "configurat".
    """
    if not (typed.isascii() and typed.isalpha()):
        return []
    words = [
        typed + suffix[size:]
        for suffix in _SUFFIXES
        for size in range(1, min(len(suffix), len(typed) - SHORTEST_ROOT + 1))
        if typed.endswith(suffix[:size]) and (size > 1 or suffix[0] != "e")
    ]
    if _DOUBLED.search(typed):  # planned, running
        words += (typed + "ing", typed.removesuffix("e") + "ed")
    root = stem(typed)
    return list({ends: word for word in words if not (ends := stem(word)).startswith(root)}.values())


def _quoted(tokens: Iterable[str]) -> str:
    return f'"{_quotable(" ".join(tokens))}"'


def _quotable(text: str) -> str:
    return text.replace("\0", "").replace('"', '""')


def rank_terms(term: Term) -> tuple[Term, ...]:
    """Return what a term adds to the ranking.

    A run of a script without blanks: its pairs one by one. Words joined by a hyphen or the like: the
    whole and each word, because others write them apart. Of ``l'hiver`` the whole and the long word,
    which elsewhere stands without its article. Anything else (``1.0.21``, ``f(x)``): as it is.
    """
    if len(term.tokens) > 1 and any(map(DENSE.match, term.tokens)):
        return split(term)
    if len(term.tokens) > 1 and all(map(_is_plain_word, term.tokens)):
        return (term, *split(term))
    if len(term.tokens) > 1 and _ELISION.match(term.text) and not is_stop_term(term):
        return (term, *(part for part in split(term) if part.tokens and _is_plain_word(part.tokens[0])))
    return (term,)


def _is_plain_word(token: str) -> bool:
    return len(token) >= SHORTEST_PART and token.isalpha()


def split(term: Term) -> tuple[Term, ...]:
    """Return the tokens of a term as terms of their own, each once; its sign comes last."""
    last = len(term.tokens) - 1
    parts = {
        token: Term(
            text=token,
            tokens=(token,),
            prefix=term.prefix and at == last,
            bigrams=len(token) == PAIR and DENSE.match(token) is not None,
        )
        for at, token in enumerate(term.tokens)
        if at == 0 or not _is_rest(term.tokens[at - 1], token)
    }
    if term.sign is None:
        return tuple(parts.values())
    return (*parts.values(), Term(text=term.text, tokens=(), sign=term.sign))


def is_stopword(token: str) -> bool:
    """Say whether a folded word is grammar only in any of the languages of ``STOPWORDS``."""
    return token in ALL


def is_stop_term(term: Term) -> bool:
    """Say whether a term holds stop words only (``it's``: with what is left of contracted ones)."""
    if term.sign is not None or not any(map(is_stopword, term.tokens)):
        return False
    return all(token in ALL or token in CONTRACTED for token in term.tokens)


__all__ = [
    "LONGEST_WORD",
    "MOST_TOKENS",
    "STOPWORDS",
    "TOKENIZER",
    "Term",
    "as_prefix",
    "ends_in_word",
    "index_text",
    "is_stop_term",
    "is_stopword",
    "match",
    "phrase",
    "rank_terms",
    "signs",
    "split",
    "terms",
]
