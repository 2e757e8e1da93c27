"""How are the products of the network computed? Three ways, from smallest error to smallest cost.

``Full``     full precision with nothing but standard operators: large, slow, and what the others are
             measured against.
``FourBit``  the four-bit blocks as they are, by onnxruntime's own kernel.
``Int8``     weights as int8, one scale per output; activations as uint8, one scale per token. A token's
             numbers then depend on nothing but its text: what is encoded beside it changes nothing. (One
             scale per tensor, as onnxruntime's own dynamic quantisation has it, moves vectors by 0.026.)
             ``in_pairs`` is for processors that add the products of two neighbours in 16 bits.
"""

import math
from abc import ABC, abstractmethod
from typing import Final

import numpy as np
import numpy.typing as npt

from notesd.models.onnx_file import FLOAT, INT32, MICROSOFT, Graph
from notesd.models.packed import BLOCK, Floats, Packed

_LARGEST: Final = 127
"""Largest whole number of a weight, as of an activation."""
_ACCURACY: Final = 4
"""MatMulNBits: activations as int8."""


class _Fused(ABC):
    """What the forms for everyday use share: onnxruntime's own operators around the products."""

    def __init__(self, graph: Graph, packed: Packed) -> None:
        """Nothing is added yet."""
        self._graph = graph
        self._packed = packed

    @abstractmethod
    def linear(self, x: str, matrices: tuple[str, ...], size_in: int, size_out: int) -> str:
        """See ``network.Form``."""

    def words(self) -> str:
        """Look words up in the table as it is packed: it loses nothing and is a sixth as large."""
        graph, shape = self._graph, self._packed.shape
        scales, nibbles = self._packed.blocks("emb.word", shape.rows, shape.hidden)
        inputs = [
            graph.constant("words", _pairs(nibbles)),
            "input_ids",
            graph.constant("words.scale", scales),
        ]
        graph.add(
            "GatherBlockQuantized", inputs, "words.half", domain=MICROSOFT,
            gather_axis=0, quantize_axis=1, block_size=BLOCK, bits=4,
        )  # fmt: skip
        return graph.add("Cast", ["words.half"], "word", to=FLOAT)

    def attention(self, x: str, layer: str) -> str:
        """Multiply by all three matrices at once, and leave the rest to one operator."""
        graph, packed = self._graph, self._packed
        hidden, heads = packed.shape.hidden, packed.shape.heads
        names = tuple(f"{layer}{each}" for each in "qkv")
        joint = self.linear(x, names, hidden, hidden)
        bias = graph.constant(
            f"{layer}qkv.b", np.concatenate([packed.vector(f"{name}.b", hidden) for name in names])
        )
        joint = graph.add("Add", [joint, bias], f"{layer}qkv")
        graph.constant("thirds", np.array([hidden] * 3, np.int64))
        graph.add("Split", [joint, "thirds"], names, axis=-1)
        mask = graph.add("Cast", ["attention_mask"], f"{layer}mask", to=INT32)
        inputs = [*names, "", mask]
        return graph.add("MultiHeadAttention", inputs, f"{layer}context", domain=MICROSOFT, num_heads=heads)

    def bend(self, x: str, name: str) -> str:
        """See ``network.Form``."""
        inputs = [x, vector(self._graph, self._packed, f"{name}.b", self._packed.shape.ffn)]
        return self._graph.add("BiasGelu", inputs, f"{name}.gelu", domain=MICROSOFT)


class Int8(_Fused):
    """Multiplies whole numbers; both sides get their scale back afterwards."""

    def __init__(self, graph: Graph, packed: Packed, *, in_pairs: bool = False) -> None:
        """Add what all products need.

        Args:
            graph: Where to write.
            packed: The weights.
            in_pairs: See ``whole_numbers``.
        """
        super().__init__(graph, packed)
        self._in_pairs = in_pairs
        self._rounded: set[str] = set()
        graph.scalar("1", 1.0)
        graph.scalar("1/127", 1 / _LARGEST)
        graph.scalar("tiny", 1e-12)
        graph.scalar("middle", np.uint8(128))
        graph.constant("flat", np.array([-1], np.int64))

    def linear(  # type: ignore[explicit-override]  # 3.12 has it
        self, x: str, matrices: tuple[str, ...], size_in: int, size_out: int
    ) -> str:
        """See ``network.Form``."""
        weights = _stacked(self._packed, matrices, size_in, size_out)
        whole, scales = whole_numbers(weights, in_pairs=self._in_pairs)
        name = "+".join(matrices)
        self._round(x, size_in)
        graph = self._graph
        graph.constant(f"{name}.w", whole.T)
        graph.constant(f"{name}.scale", scales)
        inputs = [f"{x}/whole", f"{name}.w", "1", f"{name}.scale", "middle"]
        product = graph.add("MatMulIntegerToFloat", inputs, f"{name}.product", domain=MICROSOFT)
        return graph.add("Mul", [product, f"{x}/scale"], f"{name}.y")

    def _round(self, x: str, size: int) -> None:
        """Write a tensor as whole numbers 1 to 255 around 128, with a scale for each token."""
        if x in self._rounded:
            return
        self._rounded.add(x)
        graph = self._graph
        graph.add("Abs", [x], f"{x}/abs")
        graph.add("ReduceMax", [f"{x}/abs"], f"{x}/largest", axes=[-1], keepdims=1)
        graph.add("Mul", [f"{x}/largest", "1/127"], f"{x}/share")
        graph.add("Add", [f"{x}/share", "tiny"], f"{x}/scale")  # a token of zeros must not divide by zero
        graph.add("Reshape", [f"{x}/scale", "flat"], f"{x}/scales")
        graph.add("Shape", [f"{x}/scales"], f"{x}/tokens")
        graph.add("Expand", ["middle", f"{x}/tokens"], f"{x}/middles")
        graph.constant(f"rows of {size}", np.array([-1, size], np.int64))
        graph.add("Reshape", [x, f"rows of {size}"], f"{x}/rows")
        graph.add("QuantizeLinear", [f"{x}/rows", f"{x}/scales", f"{x}/middles"], f"{x}/rounded", axis=0)
        graph.add("Shape", [x], f"{x}/shape")
        graph.add("Reshape", [f"{x}/rounded", f"{x}/shape"], f"{x}/whole")


class FourBit(_Fused):
    """Multiplies by the four-bit blocks."""

    def linear(  # type: ignore[explicit-override]  # 3.12 has it
        self, x: str, matrices: tuple[str, ...], size_in: int, size_out: int
    ) -> str:
        """See ``network.Form``."""
        parts = [self._packed.blocks(f"{name}.w", size_out, size_in) for name in matrices]
        scales = np.concatenate([scale for scale, _ in parts]).astype(np.float32)
        pairs = _pairs(np.concatenate([nibbles for _, nibbles in parts]))
        name, rows = "+".join(matrices), len(scales)
        weights = self._graph.constant(f"{name}.w", pairs.reshape(rows, size_in // BLOCK, BLOCK // 2))
        inputs = [x, weights, self._graph.constant(f"{name}.scale", scales)]
        return self._graph.add(
            "MatMulNBits", inputs, f"{name}.y", domain=MICROSOFT,
            K=size_in, N=rows, bits=4, block_size=BLOCK, accuracy_level=_ACCURACY,
        )  # fmt: skip


class Full:
    """Standard operators and full precision."""

    def __init__(self, graph: Graph, packed: Packed) -> None:
        """Turn the attention mask into what is added: 0, or the lowest number there is."""
        self._graph = graph
        self._packed = packed
        graph.add(
            "Unsqueeze", ["attention_mask", graph.constant("1, 2", np.array([1, 2], np.int64))], "mask.4"
        )
        graph.add("Cast", ["mask.4"], "mask.kept", to=FLOAT)
        graph.add("Sub", [graph.scalar("1", 1.0), "mask.kept"], "mask.lost")
        graph.add("Mul", ["mask.lost", graph.scalar("lowest", float(np.finfo(np.float32).min))], "mask")

    def words(self) -> str:
        """See ``network.Form``."""
        table = self._packed.matrix("emb.word", self._packed.shape.rows, self._packed.shape.hidden)
        return self._graph.add("Gather", [self._graph.constant("words", table), "input_ids"], "word", axis=0)

    def linear(self, x: str, matrices: tuple[str, ...], size_in: int, size_out: int) -> str:
        """See ``network.Form``."""
        name = "+".join(matrices)
        weights = self._graph.constant(f"{name}.w", _stacked(self._packed, matrices, size_in, size_out).T)
        return self._graph.add("MatMul", [x, weights], f"{name}.y")

    def attention(self, x: str, layer: str) -> str:
        """See ``network.Form``."""
        graph, shape = self._graph, self._packed.shape
        size = shape.hidden // shape.heads
        graph.constant("heads", np.array([0, 0, shape.heads, size], np.int64))
        graph.constant("joined", np.array([0, 0, shape.hidden], np.int64))
        for each in ("q", "k", "v"):
            name = f"{layer}{each}"
            y = self.linear(x, (name,), shape.hidden, shape.hidden)
            y = graph.add(
                "Add", [y, vector(graph, self._packed, f"{name}.b", shape.hidden)], f"{name}.biased"
            )
            y = graph.add("Reshape", [y, "heads"], f"{name}.heads")
            graph.add("Transpose", [y], name, perm=[0, 2, 3, 1] if each == "k" else [0, 2, 1, 3])
        y = graph.add("MatMul", [f"{layer}q", f"{layer}k"], f"{layer}qk")
        y = graph.add("Div", [y, graph.scalar("root", math.sqrt(size))], f"{layer}qk.scaled")
        y = graph.add("Add", [y, "mask"], f"{layer}qk.masked")
        y = graph.add("Softmax", [y], f"{layer}share", axis=-1)
        y = graph.add("MatMul", [y, f"{layer}v"], f"{layer}seen")
        y = graph.add("Transpose", [y], f"{layer}seen.joined", perm=[0, 2, 1, 3])
        return graph.add("Reshape", [y, "joined"], f"{layer}context")

    def bend(self, x: str, name: str) -> str:
        """See ``network.Form``."""
        graph = self._graph
        bias = vector(graph, self._packed, f"{name}.b", self._packed.shape.ffn)
        x = graph.add("Add", [x, bias], f"{name}.biased")
        y = graph.add("Div", [x, graph.scalar("root of 2", math.sqrt(2.0))], f"{name}.g1")
        y = graph.add("Erf", [y], f"{name}.g2")
        y = graph.add("Add", [y, graph.scalar("1", 1.0)], f"{name}.g3")
        y = graph.add("Mul", [x, y], f"{name}.g4")
        return graph.add("Mul", [y, graph.scalar("half", 0.5)], f"{name}.gelu")


def whole_numbers(weights: Floats, *, in_pairs: bool) -> tuple[npt.NDArray[np.int8], Floats]:
    """Round weights to whole numbers, -127 to 127, with a scale for each output.

    Args:
        weights: ``[outputs, inputs]``.
        in_pairs: Two neighbours of one sign are 128 together at most, so that the sum of their products with
            activations, 255 * 128, fits into 16 bits. Few rows have two large ones side by side: most weights
            keep nearly eight bits.

    Returns:
        The whole numbers, and what each row of them is to be multiplied by.
    """
    reach: Floats = np.abs(weights).max(axis=1)
    if in_pairs:
        for way in (weights, -weights):
            one_sign = np.maximum(way, 0)
            reach = np.maximum(reach, (one_sign[:, 0::2] + one_sign[:, 1::2]).max(axis=1))
    scales = (np.maximum(reach, 1e-12) / _LARGEST).astype(np.float32)
    # Rounding adds a half to each of the two at most: 127 of both become 128.
    return np.rint(weights / scales[:, None]).clip(-_LARGEST, _LARGEST).astype(np.int8), scales


def vector(graph: Graph, packed: Packed, name: str, size: int) -> str:
    """Add a tensor of full precision."""
    return graph.constant(name, packed.vector(name, size))


def _stacked(packed: Packed, matrices: tuple[str, ...], size_in: int, size_out: int) -> Floats:
    """Return matrices, one below the other, ``[outputs, inputs]``."""
    return np.concatenate([packed.matrix(f"{name}.w", size_out, size_in) for name in matrices])


def _pairs(nibbles: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Put two neighbours into each byte, the first one low."""
    both: npt.NDArray[np.uint8] = np.bitwise_or(nibbles[..., 0::2], nibbles[..., 1::2] * np.uint8(16))
    return both
