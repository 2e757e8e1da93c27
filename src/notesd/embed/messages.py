"""What do the daemon and its embedding process say to each other?

In: one ``Hello``, then ``Ask``. Out: one ``Ready`` or ``Refused``, then an ``Answer`` for each ``Ask``, in
any order. Each is one frame (``children.frames``).
"""

from typing import Literal

from msgspec import Struct

TokenizerName = Literal["tokenizers", "sentencepiece"]
AskKind = Literal["query", "passage", "count"]


class Hello(Struct, frozen=True, array_like=True):
    """What to load, and how."""

    folder: str
    files: tuple[tuple[str, str], ...]
    """Name and sha256 of every file that the daemon expects there."""
    threads: int
    pad_to: int | None


class Ask(Struct, frozen=True, array_like=True):
    """One thing to do."""

    number: int
    kind: AskKind
    texts: tuple[str, ...]
    """One, or several to be counted."""


class Ready(Struct, frozen=True, array_like=True, tag=True):
    """The model is loaded."""

    dimensions: int
    tokenizer: TokenizerName = "tokenizers"
    """What cuts texts."""
    remark: str = ""
    """Why that takes more memory than it could; "" where it does not."""


class Refused(Struct, frozen=True, array_like=True, tag=True):
    """The model cannot be loaded, and trying again changes nothing."""

    reason: str


class Answer(Struct, frozen=True, array_like=True, tag=True):
    """The result of one ``Ask``."""

    number: int
    vector: bytes = b""
    """Little-endian float32; empty for counts and failures."""
    counts: tuple[int, ...] = ()
    failure: str = ""
    """Why there is neither."""


Reply = Ready | Refused | Answer
