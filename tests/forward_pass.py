"""The encoder computed a second time, with numpy alone from the packed weights, to compare vectors with."""

import math
from collections.abc import Sequence

import numpy as np

from notesd.models.packed import Packed

_erf = np.frompyfunc(math.erf, 1, 1)


class ForwardPass:
    """One packed model, its matrices unpacked once."""

    def __init__(self, packed: Packed) -> None:
        """Unpack it."""
        self.packed, self.shape = packed, packed.shape
        hidden, ffn = self.shape.hidden, self.shape.ffn
        self.words = packed.matrix("emb.word", self.shape.rows, hidden)
        self.positions = packed.vector("emb.pos", self.shape.positions * hidden).reshape(-1, hidden)
        self.types = packed.vector("emb.type", self.shape.types * hidden).reshape(-1, hidden)
        sizes = dict.fromkeys(("q", "k", "v", "ao"), (hidden, hidden)) | {
            "fi": (ffn, hidden),
            "fo": (hidden, ffn),
        }
        self.matrices = {
            f"l{layer}.{name}": packed.matrix(f"l{layer}.{name}.w", *size)
            for layer in range(self.shape.layers)
            for name, size in sizes.items()
        }

    def vector(self, ids: Sequence[int]) -> np.ndarray:
        """Return the vector of a text: the mean over its tokens, of length 1."""
        x = self.words[list(ids)] + self.positions[: len(ids)] + self.types[0]
        x = self._norm(x, "emb.ln")
        for layer in range(self.shape.layers):
            x = self._norm(
                x + self._linear(self._attention(x, f"l{layer}."), f"l{layer}.ao"), f"l{layer}.aln"
            )
            y = self._linear(x, f"l{layer}.fi").astype(np.float64)
            y = y * (1 + np.asarray(_erf(y / math.sqrt(2)), np.float64)) / 2
            x = self._norm(x + self._linear(y.astype(np.float32), f"l{layer}.fo"), f"l{layer}.oln")
        mean = x.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean))

    def _attention(self, x: np.ndarray, name: str) -> np.ndarray:
        heads = self.shape.heads
        q, k, v = (
            self._linear(x, name + each).reshape(len(x), heads, -1).transpose(1, 0, 2) for each in "qkv"
        )
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[2])
        shares = np.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        return np.asarray((shares @ v).transpose(1, 0, 2).reshape(len(x), -1))

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return np.asarray(
            x @ self.matrices[name].T + self.packed.vector(f"{name}.b", len(self.matrices[name]))
        )

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        scale, shift = (self.packed.vector(f"{name}.{each}", self.shape.hidden) for each in "wb")
        centred = x - x.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + self.shape.epsilon)
        return np.asarray(centred / spread * scale + shift)
