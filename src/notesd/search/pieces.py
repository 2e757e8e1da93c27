"""Which pieces is a query cut into: words, phrases in quotes, ``key:value``, each with its minus?"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from notesd.parse.properties import fold_key

PROSE_WORDS: Final = 8
"""Words beside a quoted phrase from which on the text is prose: somebody's question that quotes a
title, not a demand that every answer holds it. Its phrases rank and do not have to occur."""
BUILT_IN: Final = (
    "title", "alias", "aliases", "tag", "tags", "path", "type", "ext", "rel", "links", "linked", "created",
    "modified",
)  # fmt: skip
"""Keys of filters that are there in every folder."""
OWN: Final = "property."
"""What stands before a key to say that the property is meant, not the filter of that name."""
_MOST_BLANKS: Final = 3
"""Blanks in a key that stands without quotes."""
_LONGEST_KEY: Final = 100

_UNSEEN: Final = re.compile("[\0\ud800-\udfff]+")
PRINTED: Final = frozenset("“”„‟")
"""Quotation marks of print."""
_STRAIGHT: Final = str.maketrans({**dict.fromkeys(PRINTED, '"'), "‘": "'", "’": "'"})  # noqa: RUF001 - the quotes that people's keyboards make
_SWITCH: Final = re.compile("[A-Za-z]")
_COLON: Final = re.compile(r":(?=[^\s:])")
_BEFORE: Final = re.compile(r'[^\s":()]+(?: [^\s":()]+)*\Z')
_TAG: Final = re.compile(r"#([^\s#]+)")
_NO_TAG: Final = re.compile(r"[\x00-,.:-@\[-^`{-\x7f]")
_STOPS: Final = ".,;:!?)"

Keys = Mapping[str, str]
"""Keys of properties as they are typed in a text, without the colon, and as the index knows them."""
NO_KEYS: Final[Keys] = MappingProxyType({})


def seen(text: str) -> str:
    """Return a text without what no text holds."""
    return _UNSEEN.sub("", text)


def straight(text: str) -> str:
    """Return a text with the quotes that operators are written with; every character keeps its place."""
    return text.translate(_STRAIGHT)


def typed_keys(text: str) -> Keys:
    """Return what stands before the colons of a text and may be the key of a property.

    A key with blanks may stand in quotes or without them. That of a filter which is there in every folder is
    none, unless ``property.`` stands before it.

    Args:
        text: With straight quotes.
    """
    found: dict[str, str] = {}
    for colon in _COLON.finditer(text):
        for typed in _before(text[max(0, colon.start() - _LONGEST_KEY) : colon.start()]):
            name = typed.strip('"')
            own = name.lower().startswith(OWN)
            folded = fold_key(name[len(OWN) :] if own else name)
            if folded and (own or folded not in BUILT_IN):
                found[typed] = folded
    return found


def _before(text: str) -> Iterator[str]:
    if text.endswith('"'):
        start = text.rfind('"', 0, -1)
        if start >= 0 and text[start + 1 : -1].strip():
            yield text[start:]
        return
    words = found[0].split(" ") if (found := _BEFORE.search(text)) else []
    for many in range(1, 2 + min(_MOST_BLANKS, len(words) - 1)):
        yield " ".join(words[-many:]).removeprefix("-")


def known_keys(text: str, keys: Collection[str]) -> Keys:
    """Return those of the ``typed_keys`` of a text that are keys of properties.

    Args:
        text: With straight quotes.
        keys: Those that there are, folded.
    """
    return {typed: key for typed, key in typed_keys(text).items() if key in keys} if keys else {}


def key_pattern(keys: Keys) -> str:
    """Return an expression for any key: those of properties, the longest first, or a single word."""
    known = (f"{re.escape(typed)}(?=:[^\\s:])" for typed in sorted(keys, key=len, reverse=True))
    return "|".join([*known, "[A-Za-z]+"])


def cut(text: str, keys: Keys) -> list[re.Match[str]]:
    """Cut a text with straight quotes into pieces.

    Each has the groups ``minus``, ``whole``, ``key``, and one of ``quoted``, ``wiki`` and ``word``.
    """
    piece = rf"""(?P<minus>-(?=[^\s-]))?
        (?P<whole>(?:(?P<key>{key_pattern(keys)}):)?
            (?: (?:(?<!\d)"(?=\S)|(?<![^\s:(-])")(?P<quoted>[^"]*)"
              | (?<=:)\[\[(?P<wiki>[^\[\]"\n]*)\]\](?!\S) | (?P<word>[^\s"]+) )
        )"""
    return list(re.finditer(piece, text, re.VERBOSE))


def dashes(pieces: Sequence[re.Match[str]]) -> set[int]:
    """Return which pieces begin with a minus that excludes nothing.

    The switch of a command (``curl -v``) is one letter. Within prose a minus is a dash or belongs to a
    command that is quoted; who excludes a word there writes it first or last.
    """
    words = [at for at, piece in enumerate(pieces) if not piece["minus"] and piece["word"]]
    prose = len(words) >= PROSE_WORDS
    return {
        at
        for at, piece in enumerate(pieces)
        if piece["minus"] and piece["word"] and not piece["key"] and words and words[0] < at
        if _SWITCH.fullmatch(piece["word"]) or (prose and at < words[-1])
    }


def hashtags(word: str) -> Sequence[str]:
    """Return the tags of ``#tag`` or ``#one#two``; none where the word is anything else."""
    if not word.startswith("#"):
        return ()
    bare = word.rstrip(_STOPS)
    names = [name.rstrip("/") for name in _TAG.findall(bare)]
    if "".join(f"#{name}" for name in names) != bare.replace("/#", "#").rstrip("/"):
        return ()
    if any(not name or name.isdecimal() or _NO_TAG.search(name) for name in names):
        return ()
    return names
