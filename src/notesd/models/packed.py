"""What stands in a packed model file? Weights in blocks of four bits, the vocabulary, a table of characters.

Little-endian. ``"E5S1"``, version 1; the sizes of the network; the vocabulary (texts and scores); the
normalisation (one code point to any number of them); a directory of tensors. A block of 32 weights is a
half-precision scale and 16 bytes: byte j holds weight j in its low and weight j + 16 in its high nibble, and
``weight = (nibble - 8) * scale``. Matrices are kept as rows of outputs.
"""

import mmap
import struct
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from notesd.models.failures import ModelBad

BLOCK: Final = 32
"""Weights that share a scale."""
_BLOCK_BYTES: Final = 18
_MAGIC: Final = b"E5S1"
_LIMITS: Final = {
    "hidden": 8192, "layers": 128, "heads": 128, "ffn": 65536, "positions": 65536, "types": 16,
    "rows": 1 << 21, "pieces": 1 << 21, "block": BLOCK,
}  # fmt: skip
"""Largest values believed; more means a damaged file."""
_LONGEST_MAPPING: Final = 64

Floats = npt.NDArray[np.float32]


class Shape(NamedTuple):
    """The sizes of the network."""

    hidden: int
    layers: int
    heads: int
    ffn: int
    rows: int
    """Rows of the word table; at least the number of pieces."""
    positions: int
    types: int
    epsilon: float
    """Of the layer normalisations."""


class Vocabulary(NamedTuple):
    """The pieces of words and what is done to a text before it is cut into them."""

    pieces: tuple[tuple[str, float], ...]
    """Text and score (log probability), by id."""
    bos: int
    eos: int
    pad: int
    unk: int
    characters: dict[int, tuple[int, ...]]
    """Code points that are replaced, and by what; an empty tuple drops one."""


class _Tensor(NamedTuple):
    quantised: bool
    weights: int
    offset: int
    size: int


class Packed:
    """A packed file, mapped into memory and checked against its own length."""

    def __init__(self, path: str) -> None:
        """Read all but the weights.

        Raises:
            ModelBad: It is not such a file, is cut off, or contradicts itself.
            OSError: It cannot be opened.
        """
        self._path = path
        with open(path, "rb") as source:
            try:
                self._data = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                raise self._bad("it is empty") from None
        self._at = 0
        if self._take(4) != _MAGIC:
            raise self._bad("it is not a packed model (it does not start with E5S1)")
        (version,) = self._unpack("<I")
        if version != 1:
            raise self._bad(f"version {version} of the format is not known, only 1")
        self.shape = self._read_shape()
        self.vocabulary = self._read_vocabulary()
        self._tensors = self._read_directory()

    def vector(self, name: str, size: int) -> Floats:
        """Read a tensor that is kept in full precision."""
        tensor = self._find(name, size, quantised=False)
        values = np.frombuffer(self._data, "<f4", tensor.weights, tensor.offset).copy()
        if not np.isfinite(values).all():
            raise self._bad(f"{name} holds a weight that is no number")
        return values

    def blocks(
        self, name: str, rows: int, columns: int
    ) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.uint8]]:
        """Read a matrix as it is kept.

        Returns:
            Scales ``[rows, columns / 32]`` and nibbles, 0 to 15, ``[rows, columns]``.
        """
        tensor = self._find(name, rows * columns, quantised=True)
        raw = np.frombuffer(self._data, np.uint8, tensor.size, tensor.offset).reshape(rows, -1, _BLOCK_BYTES)
        scales = raw[:, :, :2].copy().view("<f2").reshape(rows, -1)
        if not np.isfinite(scales).all():
            raise self._bad(f"{name} holds a scale that is no number")
        nibbles = np.empty((rows, columns // BLOCK, BLOCK), np.uint8)
        np.bitwise_and(raw[:, :, 2:], 15, out=nibbles[:, :, : BLOCK // 2])
        np.right_shift(raw[:, :, 2:], 4, out=nibbles[:, :, BLOCK // 2 :])
        return scales, nibbles.reshape(rows, columns)

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """Read a matrix ``[rows, columns]`` as numbers."""
        scales, nibbles = self.blocks(name, rows, columns)
        weights = nibbles.reshape(rows, -1, BLOCK).astype(np.float32)
        weights -= 8
        weights *= scales.astype(np.float32)[:, :, None]
        return weights.reshape(rows, columns)

    def _read_shape(self) -> Shape:
        hidden, layers, heads, ffn, rows, positions, types = self._unpack("<7i")
        epsilon, block = self._unpack("<fi")
        sizes = {"hidden": hidden, "layers": layers, "heads": heads, "ffn": ffn}
        sizes |= {"rows": rows, "positions": positions, "types": types, "block": block}
        for name, value in sizes.items():
            if not 0 < value <= _LIMITS[name]:
                raise self._bad(f"{name} is {value}, which cannot be")
        if block != BLOCK or hidden % BLOCK or ffn % BLOCK or hidden % heads:
            raise self._bad(f"hidden {hidden}, ffn {ffn}, heads {heads}, block {block} do not fit together")
        if not 0 < epsilon < 1:
            raise self._bad(f"layer-norm epsilon is {epsilon}")
        return Shape(hidden, layers, heads, ffn, rows, positions, types, float(np.float32(epsilon)))

    def _read_vocabulary(self) -> Vocabulary:
        count, bos, eos, pad, unk = self._unpack("<5i")
        (length,) = self._unpack("<Q")
        if not 4 <= count <= _LIMITS["pieces"] or not all(0 <= each < count for each in (bos, eos, pad, unk)):  # noqa: PLR2004 - the four special pieces
            raise self._bad(f"{count} pieces with the special ones at {bos}, {eos}, {pad}, {unk}")
        if count > self.shape.rows:
            raise self._bad(f"{count} pieces but only {self.shape.rows} rows of words")
        offsets = np.frombuffer(self._take(4 * (count + 1)), "<u4")
        scores = np.frombuffer(self._take(4 * count), "<f4")
        blob = self._take(length)
        if (
            int(offsets[-1]) > length
            or bool((offsets[1:] < offsets[:-1]).any())
            or not np.isfinite(scores).all()
        ):
            raise self._bad("the vocabulary's offsets or scores are damaged")
        try:
            texts = [blob[start:end].decode() for start, end in pairwise(offsets)]
        except UnicodeDecodeError:
            raise self._bad("the vocabulary is not UTF-8") from None
        pieces = tuple(zip(texts, map(float, scores), strict=True))
        return Vocabulary(pieces, bos, eos, pad, unk, self._read_characters())

    def _read_characters(self) -> dict[int, tuple[int, ...]]:
        count, size = self._unpack("<iI")
        end = self._at + size
        table = {}
        for _ in range(count):
            point, length = self._unpack("<IB")
            into = self._unpack(f"<{length}I")
            if length > _LONGEST_MAPPING or not all(_is_character(each) for each in (point, *into)):
                raise self._bad(f"the normalisation of code point {point:#x} is damaged")
            table[point] = into
        if count < 0 or self._at != end:
            raise self._bad("the normalisation table is damaged")
        return table

    def _read_directory(self) -> dict[str, _Tensor]:
        (count,) = self._unpack("<i")
        tensors = {}
        for _ in range(count):
            (length,) = self._unpack("<H")
            name = self._take(length).decode("utf-8", "replace")
            kind, weights, offset, size = self._unpack("<BIQQ")
            expected = {0: weights * 4, 1: weights // BLOCK * _BLOCK_BYTES}.get(kind)
            if size != expected or offset + size > len(self._data) or (kind == 1 and weights % BLOCK):
                raise self._bad(
                    f"tensor {name} ({weights} weights of kind {kind}, {size} bytes) is damaged or cut off"
                )
            tensors[name] = _Tensor(kind == 1, weights, offset, size)
        return tensors

    def _find(self, name: str, count: int, *, quantised: bool) -> _Tensor:
        tensor = self._tensors.get(name)
        if tensor is None or tensor.weights != count or tensor.quantised != quantised:
            kind = "four-bit" if quantised else "full-precision"
            raise self._bad(f"no {kind} tensor {name} of {count} weights in it")
        return tensor

    def _unpack(self, form: str) -> tuple[int, ...]:
        values: tuple[int, ...] = struct.unpack(form, self._take(struct.calcsize(form)))
        return values

    def _take(self, size: int) -> bytes:
        start, self._at = self._at, self._at + size
        if self._at > len(self._data):
            raise self._bad(f"it is cut off after {len(self._data)} bytes")
        return self._data[start : self._at]

    def _bad(self, what: str) -> ModelBad:
        return ModelBad(f"{self._path}: {what}")


def _is_character(point: int) -> bool:
    return 0 < point < 0xD800 or 0xDFFF < point < 0x110000  # noqa: PLR2004 - Unicode scalar values
