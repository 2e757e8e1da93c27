"""How does a text become pieces in a sixth of the memory?

The tokenizers library keeps a large vocabulary as a tree of small tables, 280 MB for 250,000 pieces. Here it
still prepares the texts and splits them into words, which takes no vocabulary; the words are cut here, by the
pieces and scores that sentencepiece keeps in 40 MB. So what a text is turned into before it is cut is the
same by construction, and so is the way that is chosen: see ``Small.cut``.

What this needs is made once from ``tokenizer.json`` and kept beside it. The file says what it was made from
and carries its own sha256, so one that is damaged, or of another vocabulary, is made anew.
"""

import contextlib
import functools
import hashlib
import json
import math
import os
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sentencepiece
from msgspec import Struct
from tokenizers import Tokenizer

from notesd.embed.tokens import NoSmallForm, find_around, prepare
from notesd.models import protobuf
from notesd.models.manifest import TOKENIZER, private

SMALL: Final = "tokenizer.small"
_FORMAT: Final = 1
_DIGEST_BYTES: Final = 32
_PLACE: Final = 255
"""Number of the only piece of the vocabulary that is left to the tokenizers library."""
_UNKNOWN_COSTS: Final = 10.0
"""An unknown character scores so much less than the worst piece, in either library."""
_NORMAL: Final = 1
_UNKNOWN: Final = 2
_UNIGRAM: Final = 1
_REMEMBERED: Final = 1 << 15
"""Words; each takes about 200 bytes."""
_REMEMBERED_CHARACTERS: Final = 64
"""Longest word that is remembered."""
_WEIGHED_CHARACTERS: Final = 1 << 16
"""Longest word that is weighed here; a model sees half as much of a text. The count of pieces of a longer
one may differ, by one in a million."""


class _Kept(Struct, frozen=True):
    """The content of the file."""

    format: int
    source: str
    """sha256 of the ``tokenizer.json``."""
    specials: dict[str, int]
    unknown: int
    """Number of the piece for characters that are in none."""
    unknown_text: str
    """What that piece is called; a person may type it."""
    lowest: float
    """Lowest score of a piece."""
    longest: int
    """Characters of the longest piece."""
    frame: str
    """The ``tokenizer.json`` without its vocabulary."""
    model: bytes
    """The vocabulary as sentencepiece reads it."""


class Small:
    """sentencepiece behind the preparations of the tokenizers library."""

    def __init__(self, folder: str, source: str) -> None:
        """Read the small form of a model's tokenizer; make it where it is not there or not right.

        Args:
            folder: ``.../models/NAME``.
            source: sha256 of its ``tokenizer.json``.

        Raises:
            NoSmallForm: This tokenizer has none; the message says why.
        """
        kept = _read(folder, source) or _make(folder, source)
        frame = Tokenizer.from_str(kept.frame)
        prepare(frame)
        self._normalise = frame.normalizer.normalize_str if frame.normalizer else str
        self._split = frame.pre_tokenizer.pre_tokenize_str
        self._words = sentencepiece.SentencePieceProcessor(model_proto=kept.model, num_threads=1)
        self._unknown, self._unknown_text, self._longest = kept.unknown, kept.unknown_text, kept.longest
        self._unknown_score = kept.lowest - _UNKNOWN_COSTS
        self.specials = kept.specials
        self.around = find_around(frame)
        self._weigh = functools.lru_cache(_REMEMBERED)(self._weighed)

    def cut(self, text: str) -> list[int]:
        """See ``tokens.Cutter``.

        sentencepiece itself would cut as fast, but it adds scores in single precision, the other library in
        double. That decides where two ways score the same: "iii" is "i ii" as well as "ii i", and "ces" and
        "sive" score to the last bit what "cess" and "ive" do. So its table is used, and the sums are ours.
        """
        words = (word for word, _ in self._split(self._normalise(text)))
        return [each for word in words for each in self._chosen(word)]

    def _chosen(self, word: str) -> Sequence[int]:
        if len(word) > _WEIGHED_CHARACTERS:
            cut: list[int] = self._words.encode(word, out_type=int)
            return cut
        return self._weigh(word) if len(word) <= _REMEMBERED_CHARACTERS else self._weighed(word)

    def _weighed(self, word: str) -> tuple[int, ...]:
        """Cut a word along the path with the highest score, summed up in double precision from the left."""
        number_of, score_of, unknown, size = (
            self._words.piece_to_id,
            self._words.get_score,
            self._unknown,
            len(word),
        )
        scores, origins = [0.0, *[-math.inf] * size], [(0, 0)] * (size + 1)
        for start in range(size):
            here, single = scores[start], False
            if here == -math.inf:
                continue
            for end in range(start + 1, min(size, start + self._longest) + 1):
                piece = word[start:end]
                number = number_of(piece)
                if number != unknown or piece == self._unknown_text:
                    single = single or end == start + 1
                    score = here + score_of(number)
                    if score > scores[end]:
                        scores[end], origins[end] = score, (start, number)
            if not single and here + self._unknown_score > scores[start + 1]:
                scores[start + 1], origins[start + 1] = here + self._unknown_score, (start, unknown)
        path: list[int] = []
        while size:
            size, number = origins[size]
            if not (path and number == path[-1] == unknown):  # unknown neighbours are one piece
                path.append(number)
        return tuple(reversed(path))


def _read(folder: str, source: str) -> _Kept | None:
    """Read the file; None when it is missing, damaged, or made of another vocabulary."""
    try:
        with open(os.path.join(folder, SMALL), "rb") as file:
            digest, data = file.read(_DIGEST_BYTES), file.read()
        if hashlib.sha256(data).digest() != digest:
            return None
        kept = msgspec.msgpack.decode(data, type=_Kept)
    except (OSError, msgspec.DecodeError):
        return None
    return kept if (kept.format, kept.source) == (_FORMAT, source) else None


def _make(folder: str, source: str) -> _Kept:
    """Make the small form, and keep it where the folder can be written to."""
    with open(os.path.join(folder, TOKENIZER), "rb") as file:
        kept = small_form(json.loads(file.read()), source)
    data = msgspec.msgpack.encode(kept)
    path = os.path.join(folder, SMALL)
    part = f"{path}.{os.getpid()}"
    with contextlib.suppress(OSError):  # without it, it is made again next time
        try:
            with open(part, "wb", opener=private) as sink:
                sink.write(hashlib.sha256(data).digest() + data)
                sink.flush()
                os.fsync(sink.fileno())
            os.replace(part, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(part)
    return kept


def small_form(described: dict[str, Any], source: str) -> _Kept:
    """Turn the content of a ``tokenizer.json`` into its small form.

    Args:
        described: The content.
        source: sha256 of the file.

    Raises:
        NoSmallForm: It is not of the kind, or uses what sentencepiece does not do the same way.
    """
    model = described["model"]
    kind, unknown = model.get("type"), model.get("unk_id")
    if kind != "Unigram" or unknown is None or model.get("byte_fallback"):
        raise NoSmallForm(f"its vocabulary is of another kind ({kind})")
    if any(not token["special"] for token in described["added_tokens"]):
        raise NoSmallForm("its tokenizer has words beside the vocabulary")
    if described["pre_tokenizer"] is None:
        raise NoSmallForm("its tokenizer does not split texts into words")
    pieces: list[tuple[str, float]] = model["vocab"]
    places = [[f"\ue000{at}", 0.0] for at in range(_PLACE + 1)]
    frame = described | {
        "added_tokens": [], "truncation": None, "padding": None,
        "model": model | {"vocab": places, "unk_id": _PLACE},
    }  # fmt: skip
    return _Kept(
        format=_FORMAT, source=source,
        specials={token["content"]: token["id"] for token in described["added_tokens"]},
        unknown=unknown, unknown_text=pieces[unknown][0], lowest=min(score for _, score in pieces),
        longest=max(len(text) for text, _ in pieces),
        frame=json.dumps(frame), model=_vocabulary(pieces, unknown),
    )  # fmt: skip


def _vocabulary(pieces: list[tuple[str, float]], unknown: int) -> bytes:
    """Write a SentencePiece model that leaves a text as it is and only cuts it.

    Special pieces are ordinary ones here, with their scores, as they are for the other library. Source of the
    field numbers: ``sentencepiece_model.proto``.
    """
    rows = (
        protobuf.text(1, text) + protobuf.real(2, score)
        + protobuf.number(3, _UNKNOWN if at == unknown else _NORMAL)
        for at, (text, score) in enumerate(pieces)
    )  # fmt: skip
    trainer = protobuf.number(3, _UNIGRAM) + protobuf.number(4, len(pieces)) + protobuf.number(40, unknown)
    # No prefix, blanks kept as they are, blanks not written as signs: all of that has been done by then.
    as_it_is = protobuf.text(1, "identity") + b"".join(protobuf.number(field, 0) for field in (3, 4, 5))
    return (
        b"".join(protobuf.message(1, row) for row in rows)
        + protobuf.message(2, trainer)
        + protobuf.message(3, as_it_is)
    )
