"""How are many vectors kept in little memory, and compared with one quickly?

One byte a number: each vector is scaled so that its largest number becomes 127. That is a quarter of what
float32 takes, costs a cosine about 0.0006, and leaves everything to one processor.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Float32 = npt.NDArray[np.float32]
Index = npt.NDArray[np.int64]

BLOCK = 4_096
"""Vectors in one piece of memory."""
_CAST = 1_024 * 384
"""Numbers turned into float32 at a time. As many stay in the processor's cache; with twice as many, numpy's
BLAS would call all processors, and wait for those that are busy: 700 ms instead of 9 were seen."""
_LEAST = np.float32(1e-30)


class Codes(NamedTuple):
    """Directions of vectors, in rows that never move; a change makes another ``Codes``.

    They share their blocks. Rows are added behind the last one, so whoever holds an older ``Codes`` never
    looks at what changes; only the newest may be added to.
    """

    blocks: tuple[npt.NDArray[np.int8], ...]
    scales: Float32
    """What one unit of each row's code is worth, for a row of length 1."""
    dimensions: int

    @classmethod
    def empty(cls, dimensions: int) -> "Codes":
        """No rows."""
        return cls((), np.empty(0, np.float32), dimensions)

    def plus(self, vectors: Float32) -> "Codes":
        """Add rows; ``vectors`` are finite, not zero, and need no particular length."""
        largest = np.maximum(np.abs(vectors).max(axis=1, initial=0), _LEAST)
        codes = np.rint(vectors * (np.float32(127) / largest)[:, None]).astype(np.int8)
        sizes = np.maximum(np.linalg.norm(vectors, axis=1), _LEAST)
        blocks, used, done = list(self.blocks), len(self.scales), 0
        while done < len(codes):
            start = used % BLOCK
            if start == 0:
                blocks.append(np.empty((BLOCK, self.dimensions), np.int8))
            taken = min(BLOCK - start, len(codes) - done)
            blocks[-1][start : start + taken] = codes[done : done + taken]
            used, done = used + taken, done + taken
        scales = (largest / (np.float32(127) * sizes)).astype(np.float32)
        return Codes(tuple(blocks), np.concatenate((self.scales, scales)), self.dimensions)

    def only(self, rows: Index) -> "Codes":
        """Copy some rows, ascending, to blocks of their own."""
        blocks, codes = [], np.empty((0, self.dimensions), np.int8)
        for start in range(0, len(rows), BLOCK):
            part = rows[start : start + BLOCK]
            codes = np.empty((BLOCK, self.dimensions), np.int8)
            at = 0
            for number, inside in _by_block(part):
                codes[at : at + len(inside)] = self.blocks[number][inside]
                at += len(inside)
            blocks.append(codes)
        return Codes(tuple(blocks), self.scales[rows], self.dimensions)

    def sums(self, groups: npt.NDArray[np.int16], count: int) -> npt.NDArray[np.float64]:
        """Sum of the directions of each of ``count`` groups; a row of a negative group counts for none."""
        found = np.zeros((count, self.dimensions))
        step = max(1, _CAST // self.dimensions)
        for number, inside in _every_block(len(self.scales)):
            for start in range(0, len(inside), step):
                part = inside[start : start + step]
                rows = slice(number * BLOCK + part[0], number * BLOCK + part[-1] + 1)
                numbers = self.blocks[number][part[0] : part[-1] + 1].astype(np.float32)
                for group in np.unique(groups[rows]).tolist():
                    if group >= 0:  # one at a time: for several at once BLAS would call all processors
                        found[group] += np.dot(self.scales[rows] * (groups[rows] == group), numbers)
        return found

    def cosines(self, query: Float32, rows: Index | None = None) -> Float32:
        """About the cosine of each row with a query of length 1.

        Args:
            query: The other direction.
            rows: Look at these alone, ascending; the answer is as long. None: at all.
        """
        length = len(self.scales) if rows is None else len(rows)
        found = np.empty(length, np.float32)
        step = max(1, _CAST // self.dimensions)
        buffer = np.empty((min(step, max(1, length)), self.dimensions), np.float32)
        at = 0
        for number, inside in _every_block(length) if rows is None else _by_block(rows):
            for start in range(0, len(inside), step):
                part = inside[start : start + step]
                chosen = slice(part[0], part[-1] + 1) if isinstance(part, range) else part
                numbers = buffer[: len(part)]
                np.copyto(numbers, self.blocks[number][chosen])
                np.dot(numbers, query, out=found[at : at + len(part)])
                at += len(part)
        found *= self.scales if rows is None else self.scales[rows]
        return found


def _every_block(length: int) -> list[tuple[int, Any]]:
    """Each block's number and the range of its rows."""
    return [(start // BLOCK, range(min(BLOCK, length - start))) for start in range(0, length, BLOCK)]


def _by_block(rows: Index) -> list[tuple[int, Any]]:
    """Each block's number and which of its rows are meant."""
    if not len(rows):
        return []
    edges = range(int(rows[0]) // BLOCK, int(rows[-1]) // BLOCK + 1)
    cuts = np.searchsorted(rows, [number * BLOCK for number in (*edges, edges[-1] + 1)])
    return [
        (number, rows[cuts[at] : cuts[at + 1]] - number * BLOCK)
        for at, number in enumerate(edges)
        if cuts[at] < cuts[at + 1]
    ]
