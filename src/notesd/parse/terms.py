"""What is a word, in the index and in a query alike?

FTS5 splits and stems; this module prepares what it is given, on both sides in the same way:
folded letters (``parse.characters``), scripts without blanks as overlapping pairs of characters,
and "signs": tokens for words that lose their meaning with their punctuation (``C++``, ``.NET``,
emoji), kept in a column of their own.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from notesd.parse.characters import DENSE, DENSE_RUN, fold
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
_FLAG: Final = "(?<=[\U0001f1e6-\U0001f1ff])[\U0001f1e6-\U0001f1ff]"
_DRESS: Final = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
_PICTURE: Final = re.compile(f"[{_SYMBOL}](?:{_FLAG}|{_DRESS}(?:\u200d[{_SYMBOL}]{_DRESS})*)")
_UNDRESS: Final = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


_ELISION: Final = re.compile(r"[^\W\d_]{1,2}['\u2019][^\W\d_]{3}")


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
    also: tuple[str, ...] = ()
    """Stems that count as well as that of the last token: of words of the folder that begin so."""
    languages: tuple[str, ...] | None = None
    """Languages whose stems count; None: all of the space."""
    compounds: tuple[str, ...] = ()
    """Written words of the folder that it is a part of."""
    bigrams: bool = False
    """The tokens are the overlapping pairs of one run of Chinese, Japanese, Thai, Korean, ..."""


def index_text(text: str) -> str:
    """Prepare a text for a column of the FTS5 table.

    ASCII passes untouched, but for "words" longer than ``LONGEST_WORD``. Runs of scripts without
    blanks become overlapping pairs and, at the end, their last character alone, so that one
    character searched as a prefix is found wherever it stands.
    """
    return _without_data(text) if text.isascii() else folded_text(fold(text))


def folded_text(text: str) -> str:
    """Do as ``index_text`` with a folded text."""
    if not text.isascii() and DENSE.search(text):
        text = DENSE_RUN.sub(_pairs, text)
    return _without_data(text)


def _without_data(text: str) -> str:
    if _may_hold_data(text) and max(map(len, text.split()), default=0) > LONGEST_WORD:
        return _LONG.sub(" ", text)
    return text


def _may_hold_data(text: str) -> bool:
    """Say whether more characters than a word has may stand without a space; a look at a few is enough."""
    start = 0
    while len(text) - start > LONGEST_WORD:
        space = text.rfind(" ", start, start + LONGEST_WORD + 1)
        if space < 0:
            return True
        start = space + 1
    return False


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


def as_prefix(term: Term, *, alone: bool = False) -> Term:
    """Take the last word as a beginning too, where it can be one and is long enough to say much.

    Args:
        term: The word.
        alone: It is all that was typed: a stop word may become a name then (``will``, William).
    """
    if term.sign or term.bigrams or not ends_in_word(term.text):
        return term
    if (is_stop_term(term) and not alone) or len(term.tokens[-1]) < SHORTEST_PREFIX:
        return term
    if len(term.tokens) > 1 and all(map(str.isdecimal, term.tokens)):
        return term  # 1234.56 is a whole number
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


def finish(term: Term) -> Term:
    """Take the last word of a term as whole, where it might have been a beginning."""
    return (
        term
        if not term.prefix or term.bigrams or DENSE.match(term.tokens[-1])
        else replace(term, prefix=False)
    )


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
    """Say whether a term holds stop words only (``it's``: with what is left of contracted ones).

    In capitals it is a name: ``IT``.
    """
    if term.sign is not None or not any(map(is_stopword, term.tokens)):
        return False
    if len(term.text) > 1 and term.text.isupper():
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
    "finish",
    "index_text",
    "is_stop_term",
    "is_stopword",
    "phrase",
    "rank_terms",
    "signs",
    "split",
    "terms",
]
