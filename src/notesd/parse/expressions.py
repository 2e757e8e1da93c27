"""How is the full-text index asked for a term? In FTS5's own words, everything quoted."""

import re
from collections.abc import Iterable, Iterator, Sequence

from notesd.parse.characters import DENSE
from notesd.parse.joined import COMPOUND, LONGEST
from notesd.parse.stems import all_stems, stems
from notesd.parse.terms import Term

_PHRASE = re.compile(r'"((?:[^"]|"")*)"(?! \*)')
_STEM = 4
"""Letters of a word from which on longer ones that begin so are forms of it."""


def match(term: Term, languages: Sequence[str] = (), columns: str | None = None) -> str:
    """Return the FTS5 expression for a term in any of its forms, everything quoted.

    Args:
        term: What to look for.
        languages: Of the space, whose stems count; none: words count as they are.
        columns: Names with blanks between, to look for the words only there; signs are kept for the
            whole note and are asked of it.
    """
    sign = _sign(term)
    if sign and (not term.tokens or (len(term.tokens) == 1 and columns is None)):
        return sign
    where = f"{{{columns}}} : " if columns else ""
    forms = _forms(term, languages)
    words = [] if term.prefix and DENSE.match(term.tokens[-1]) else [_quoted(form) for form in forms]
    if term.prefix:
        words = [word for word in words if word != _quoted(term.tokens)]
        words += [f"{_quoted([*form[:-1], term.tokens[-1]])} *" for form in forms]
    if joined := _joined(term):
        words.append(_quoted([joined]) + " *" * term.prefix)
    further = [stem for word in term.compounds for stem in all_stems(word, languages)]
    words += [_quoted([*form[:-1], stem]) for stem in (*term.also, *further) for form in forms]
    words = [where + form for form in dict.fromkeys(words)]
    whole = words[0] if len(words) == 1 else f"({' OR '.join(words)})"
    return f"({whole} AND {sign})" if sign else whole


def written(term: Term) -> str:
    """Return the FTS5 expression for the words of a term as they are written, wherever they stand.

    Empty for a term of which that cannot be told: writing without blanks is kept by its pairs, signs have
    but one form.
    """
    plain = [token for token in term.tokens if not DENSE.match(token)]
    if not plain:
        return ""
    *whole, last = plain
    demands = [_quoted([token]) for token in whole]
    demands.append(_quoted([last]) + " *" * (term.prefix and last == term.tokens[-1]))
    return " AND ".join(dict.fromkeys(demands))


def loosely(expression: str) -> str:
    """Return the expression that finds longer words, too: names of files are indexed as they are written."""
    return _PHRASE.sub(
        lambda found: found[0] + " *" * (len(found[1].rpartition(" ")[2]) >= _STEM), expression
    )


def _sign(term: Term) -> str:
    return f'{{signs}} : "{_quotable(term.sign)}"' if term.sign else ""


def _joined(term: Term) -> str:
    """Return a word that is written in parts as one (``Wi-Fi``, ``2.10.3``); empty: it has no parts."""
    whole = "".join(term.tokens)
    if len(term.tokens) == 1 or len(whole) > LONGEST or any(map(DENSE.match, term.tokens)):
        return ""
    return whole if whole.isdecimal() or COMPOUND.fullmatch(term.text) else ""


def _forms(term: Term, languages: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what stands in the index for a term, once for each language that differs."""
    spoken = (languages if term.languages is None else term.languages) or ("",)
    forms = (tuple(stems(term.tokens, language)) if language else term.tokens for language in spoken)
    return list(dict.fromkeys(forms))


def near(terms: Sequence[Term], most: int, languages: Sequence[str]) -> Iterator[str]:
    """Yield the FTS5 expressions for finished words of one column with at most ``most`` others between them.

    One for each language: a note is written in one. Of writing without blanks one character alone begins a
    pair.
    """
    for language in languages or ("",):
        parts = dict.fromkeys(
            _quoted(stems(term.tokens, language) if language else term.tokens)
            + " *" * (len(term.tokens[-1]) == 1 and DENSE.match(term.tokens[-1]) is not None)
            for term in terms
        )
        yield f"NEAR({' '.join(parts)}, {most})"


def quoted_word(word: str) -> str:
    """Return the FTS5 expression for one written word."""
    return _quoted([word])


def _quoted(tokens: Iterable[str]) -> str:
    return f'"{_quotable(" ".join(tokens))}"'


def _quotable(text: str) -> str:
    return text.replace("\0", "").replace('"', '""')
