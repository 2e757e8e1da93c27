"""What does the model see of a text?

Its special tokens and, between them, pieces of the text. Whatever cuts the pieces, special tokens that
somebody typed stay text here.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from tokenizers import Tokenizer

CHARACTERS_PER_TOKEN: Final = 64
"""No piece is this long: what comes after that many characters a token is never seen by the model."""
_UNKNOWN: Final = re.compile(r"\W*unk\W*", re.IGNORECASE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class NoSmallForm(Exception):
    """The vocabulary is of another kind than sentencepiece's; see ``small``."""


class Cutter(Protocol):
    """Cuts texts into pieces of a vocabulary."""

    @property
    def specials(self) -> Mapping[str, int]:
        """Number of each special token."""

    @property
    def around(self) -> tuple[Sequence[int], Sequence[int]] | None:
        """What stands before and behind a text; None when nothing can be made of one."""

    def cut(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text; special tokens may be found in it."""


class Whole:
    """The tokenizers library with all that the model's file says."""

    def __init__(self, path: str) -> None:
        """Read ``tokenizer.json``; the library raises whatever it likes."""
        self._tokenizer = Tokenizer.from_file(path)
        prepare(self._tokenizer)
        added = self._tokenizer.get_added_tokens_decoder()
        self.specials = {token.content: at for at, token in added.items() if token.special}
        self.around = find_around(self._tokenizer)

    def cut(self, text: str) -> list[int]:
        """See ``Cutter``."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def prepare(tokenizer: Tokenizer) -> None:
    """Let a tokenizer neither pad nor cut off, and look for no special tokens in a text."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True


def find_around(tokenizer: Tokenizer) -> tuple[list[int], list[int]] | None:
    """Return what a tokenizer puts around a text; None when it makes nothing of one."""
    inner = tokenizer.encode("a", add_special_tokens=False).ids
    whole = tokenizer.encode("a").ids
    starts = [at for at in range(len(whole)) if whole[at : at + len(inner)] == inner]
    return (whole[: starts[0]], whole[starts[0] + len(inner) :]) if inner and starts else None


class Tokens:
    """Cuts texts for one model; several threads may use it at the same time."""

    def __init__(self, cutter: Cutter, longest: int) -> None:
        """Find out which tokens a text may not contain.

        Args:
            cutter: What cuts.
            longest: Tokens of the longest input, special ones included.

        Raises:
            ValueError: The cutter makes nothing of a text.
        """
        if cutter.around is None:
            raise ValueError("its tokenizer makes nothing of a text")
        self._cutter, self._longest, self._around = cutter, longest, cutter.around
        names = cutter.specials
        self._special = frozenset(at for name, at in names.items() if not _UNKNOWN.fullmatch(name))
        self._typed = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))) or r"(?!)")
        self.pad = next((at for name, at in names.items() if "pad" in name.lower()), 0)

    def whole(self, text: str) -> list[int]:
        """Return what the model sees: its special tokens and as many pieces as fit between."""
        head, tail = self._around
        room = self._longest - len(head) - len(tail)
        return [*head, *self.pieces(text[: CHARACTERS_PER_TOKEN * self._longest])[:room], *tail]

    def pieces(self, text: str) -> list[int]:
        """Cut a text into pieces; special tokens that somebody typed stay text."""
        if _SURROGATE.search(text):
            text = _SURROGATE.sub("\ufffd", text)
        ids = self._cutter.cut(text)
        if self._special.isdisjoint(ids):
            return ids
        # Some tokenizers find "</s>" in a text whatever they are told: a blank within hides it.
        text = self._typed.sub(
            lambda found: f"{found[0][0]} {found[0][1:]}", unicodedata.normalize("NFKC", text)
        )
        return [each for each in self._cutter.cut(text) if each not in self._special]
