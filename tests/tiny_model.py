"""A model small enough to be made in a test: two layers, 32 numbers, a hundred pieces; packed."""

import os
import struct
from collections.abc import Mapping, Sequence

import numpy as np

from notesd.models.convert import convert
from notesd.models.manifest import MANIFEST, Manifest, measure, write

HIDDEN, LAYERS, HEADS, FFN, POSITIONS, TYPES = 32, 2, 2, 64, 64, 2
EPSILON = 1e-5
BOS, PAD, EOS, UNK = 0, 1, 2, 3
WORDS = ("▁the", "▁bread", "▁pan", "▁query", "▁passage", "ing", "ción", "▁de", "世界")
CONFIG = '[search]\nmodel = "tiny"\nvector_search = true\nquery_timeout_s = 30\n'
"""Configuration that finds by meaning with it; no question does without its vector on a busy machine."""
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,:;!?()<>/-'éñü日本語世界\u0301▁"
CHARACTERS = {
    **{ord("ａ") + at: (ord("a") + at,) for at in range(26)},
    **{ord("A") + at: (ord("a") + at,) for at in range(26)},
    0x09: (0x20,),
    0x0A: (0x20,),
    0x200B: (0x20,),
    0x01: (),
    0xFB01: (ord("f"), ord("i")),
}


def vocabulary() -> list[tuple[str, float]]:
    """Return the pieces: four special ones, words, letters, and the mask at the end."""
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces += [(word, -4.0 - at / 8) for at, word in enumerate(WORDS)]
    pieces += [(letter, -7.0 - at / 64) for at, letter in enumerate(LETTERS)]
    return [*pieces, ("<mask>", 0.0)]


def tensors(seed: int = 7) -> dict[str, np.ndarray]:
    """Make weights up: matrices as rows of outputs."""
    random = np.random.default_rng(seed)

    def some(*shape: int, spread: float = 0.4) -> np.ndarray:
        return random.normal(0, spread, shape).astype(np.float32)

    rows = len(vocabulary()) + 3
    made = {
        "emb.word": some(rows, HIDDEN),
        "emb.pos": some(POSITIONS, HIDDEN),
        "emb.type": some(TYPES, HIDDEN),
    }
    norms = ["emb.ln"]
    for layer in range(LAYERS):
        sizes = {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN)}
        sizes |= {"ao": (HIDDEN, HIDDEN), "fi": (FFN, HIDDEN), "fo": (HIDDEN, FFN)}
        for name, shape in sizes.items():
            made[f"l{layer}.{name}.w"] = some(*shape)
            made[f"l{layer}.{name}.b"] = some(shape[0], spread=0.1)
        norms += [f"l{layer}.aln", f"l{layer}.oln"]
    for norm in norms:
        made[f"{norm}.w"] = 1 + some(HIDDEN, spread=0.05)
        made[f"{norm}.b"] = some(HIDDEN, spread=0.05)
    return made


def quantise(matrix: np.ndarray) -> bytes:
    """Write a matrix as blocks of 32 four-bit weights."""
    blocks = matrix.reshape(-1, 32)
    scales = (np.abs(blocks).max(axis=1) / 7).astype("<f2")
    nibbles = (np.rint(blocks / scales.astype(np.float32)[:, None]) + 8).clip(0, 15).astype(np.uint8)
    packed = nibbles[:, :16] | (nibbles[:, 16:] << 4)
    return b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(scales, packed, strict=True))


def packed_bytes(
    weights: Mapping[str, np.ndarray] | None = None,
    pieces: Sequence[tuple[str, float]] | None = None,
    sizes: Sequence[int] | None = None,
) -> bytes:
    """Return a packed file."""
    weights, pieces = weights or tensors(), pieces or vocabulary()
    sizes = sizes or (HIDDEN, LAYERS, HEADS, FFN, len(weights["emb.word"]), POSITIONS, TYPES)
    texts = [text.encode() for text, _ in pieces]
    out = b"E5S1" + struct.pack("<I7ifi", 1, *sizes, EPSILON, 32)
    out += struct.pack("<5iQ", len(pieces), BOS, EOS, PAD, UNK, sum(map(len, texts)))
    out += struct.pack(f"<{len(pieces) + 1}I", *(sum(map(len, texts[:at])) for at in range(len(pieces) + 1)))
    out += struct.pack(f"<{len(pieces)}f", *(score for _, score in pieces)) + b"".join(texts)
    table = b"".join(struct.pack(f"<IB{len(to)}I", at, len(to), *to) for at, to in CHARACTERS.items())
    out += struct.pack("<iI", len(CHARACTERS), len(table)) + table
    kept = {
        name: quantise(value) if value.ndim == 2 and name not in {"emb.pos", "emb.type"} else value.tobytes()
        for name, value in weights.items()
    }
    start = len(out) + 4 + sum(23 + len(name) for name in kept)
    directory = struct.pack("<i", len(kept))
    for name, data in kept.items():
        kind = int(weights[name].ndim == 2 and name not in {"emb.pos", "emb.type"})
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, weights[name].size, start, len(data))
        start += len(data)
    return out + directory + b"".join(kept.values())


def make_model(folder: str, variant: str = "fp32", **changes: object) -> Manifest:
    """Make an installed model of it."""
    os.makedirs(folder, exist_ok=True)
    packed = os.path.join(folder, "packed")
    with open(packed, "wb") as sink:
        sink.write(packed_bytes())
    convert(packed, folder, variant)
    os.remove(packed)
    return describe(folder, variant=variant, **changes)


def describe(folder: str, **changes: object) -> Manifest:
    """Write the manifest that fits what lies in a folder."""
    names = sorted(name for name in os.listdir(folder) if name != MANIFEST)
    facts: dict[str, object] = {
        "name": os.path.basename(folder), "source": "a test", "variant": "fp32", "licence": "MIT",
        "dimensions": HIDDEN, "max_tokens": 64, "token_budget": 48, "query_prefix": "query: ",
        "passage_prefix": "passage: ", "files": tuple(measure(folder, name) for name in names),
    }  # fmt: skip
    manifest = Manifest(**(facts | changes))  # type: ignore[arg-type]  # facts of several kinds
    write(folder, manifest)
    return manifest
