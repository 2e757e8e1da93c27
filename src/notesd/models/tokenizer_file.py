"""How does a text become pieces? The ``tokenizer.json`` that says it to the tokenizers library.

Canonical composition, then the model's own table of characters, then runs of blanks to one; the best
path through the vocabulary by its scores; ``<s> text </s>``.

A person may type ``</s>`` in a note. The library would find it in the vocabulary and end the text
there, so these pieces get a score that no path through a text can win with: what is typed stays text,
as in the model's original tokenizer, where they are control symbols.
"""

import base64
import itertools
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from notesd.models.manifest import private
from notesd.models.packed import Vocabulary

SPECIAL_SCORE: Final = -1000.0
"""Far below any sum of real scores (-3 to -21 each) for as many characters."""
_SPACE: Final = "\u2581"
_MASK: Final = "<mask>"

_LEAF: Final = 1 << 31
_HAS_LEAF: Final = 1 << 8
_FARTHEST: Final = 1 << 21
"""Offsets beyond need another coding, which a table of single characters never does."""


def write_tokenizer(path: str, vocabulary: Vocabulary) -> None:
    """Write the file; only its owner may read it."""
    with open(path, "w", encoding="utf-8", opener=private) as sink:
        json.dump(describe(vocabulary), sink, ensure_ascii=False, separators=(",", ":"))


def describe(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the content of ``tokenizer.json``."""
    pieces = vocabulary.pieces
    special = {vocabulary.bos, vocabulary.pad, vocabulary.eos, vocabulary.unk}
    special |= {len(pieces) - 1} if pieces[-1][0] == _MASK else set()
    scored = [(text, SPECIAL_SCORE if at in special else score) for at, (text, score) in enumerate(pieces)]
    bos, eos = pieces[vocabulary.bos][0], pieces[vocabulary.eos][0]
    metaspace = {"type": "Metaspace", "replacement": _SPACE, "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(at, pieces[at][0]) for at in sorted(special)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFC"},
                {"type": "Precompiled", "precompiled_charsmap": _base64(charsmap(vocabulary.characters))},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_special(bos), _sequence("A"), _special(eos)],
            "pair": [
                _special(bos),
                _sequence("A"),
                _special(eos),
                _special(eos),
                _sequence("B"),
                _special(eos),
            ],
            "special_tokens": {
                text: {"id": text, "ids": [at], "tokens": [text]}
                for text, at in ((bos, vocabulary.bos), (eos, vocabulary.eos))
            },
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": vocabulary.unk, "vocab": scored, "byte_fallback": False},
    }


def _added(at: int, text: str) -> dict[str, Any]:
    shape = {
        "single_word": False,
        "lstrip": text == _MASK,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
    return {"id": at, "content": text, **shape}


def _special(text: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": text, "type_id": 0}}


def _sequence(name: str) -> dict[str, Any]:
    return {"Sequence": {"id": name, "type_id": 0}}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def charsmap(table: Mapping[int, Sequence[int]]) -> bytes:
    """Write a table of characters as SentencePiece's precompiled map.

    Length of the trie in bytes, the trie (a double array over UTF-8 bytes), then the replacements, each
    ended by a zero byte; the trie's leaves say where a replacement starts.
    """
    replacements = bytearray()
    places: dict[bytes, int] = {}
    root: dict[int, Any] = {}
    for point, into in table.items():
        text = "".join(map(chr, into)).encode()
        if text not in places:
            places[text] = len(replacements)
            replacements += text + b"\0"
        node = root
        for byte in chr(point).encode():
            node = node.setdefault(byte, {})
        node[0] = places[text]
    units = _double_array(root)
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + bytes(replacements)


def _double_array(root: dict[int, Any]) -> list[int]:
    """Lay a trie out so that the child of a node by a byte is at ``place ^ offset ^ byte``.

    Label 0 holds the value of a node. No two nodes share ``place ^ offset``: a child could be taken for the
    other's.
    """
    units: list[int] = [0] * 256
    taken = bytearray(b"\1" + bytes(255))
    targets: set[int] = set()
    waiting: list[tuple[dict[int, Any], int]] = [(root, 0)] if root else []
    while waiting:
        node, place = waiting.pop()
        target = _free_target(sorted(node), taken, targets)
        targets.add(target)
        missing = (target | 255) + 1 - len(units)
        units.extend([0] * missing)
        taken.extend(bytes(max(0, missing)))
        if target ^ place >= _FARTHEST:
            raise ValueError("too many characters for one trie")
        units[place] |= (target ^ place) << 10 | (_HAS_LEAF if 0 in node else 0)
        for label, below in node.items():
            taken[target ^ label] = 1
            units[target ^ label] = below | _LEAF if label == 0 else label
        waiting += ((below, target ^ label) for label, below in node.items() if label)
    return units


def _free_target(labels: Sequence[int], taken: bytearray, targets: set[int]) -> int:
    """Find the first place around which a node's children all find room; beyond the end all is free."""

    def fits(target: int) -> bool:
        spots: Iterable[int] = (target ^ label for label in labels)
        return target > 0 and target not in targets and not any(at < len(taken) and taken[at] for at in spots)

    free = taken.find(0)
    start = len(taken) if free < 0 else free
    return next(place ^ labels[0] for place in itertools.count(start) if fits(place ^ labels[0]))
