"""Which operators make up the encoder? The chain that all forms of the network share.

Word, type and position of every piece are added; then, layer by layer, every token looks at the others
and is bent through a wider space; after each step the branch is added to the main line and normalised.
How a product, the attention and the bending are written depends on the form (``forms``).

The graph takes ``input_ids``, ``attention_mask`` and ``token_type_ids`` (int64 ``[batch, sequence]``) and
gives ``last_hidden_state`` (float32 ``[batch, sequence, hidden]``).
"""

from typing import Final, Literal, Protocol

import numpy as np

from notesd.models.forms import FourBit, Full, Int8, vector
from notesd.models.onnx_file import Graph
from notesd.models.packed import Packed

Variant = Literal["w8a8", "w7a8", "q4", "fp32"]
OUTPUT: Final = "last_hidden_state"


class Form(Protocol):
    """How the parts with weights are written."""

    def words(self) -> str:
        """Look the pieces up in the word table, ``[batch, sequence, hidden]``."""

    def linear(self, x: str, matrices: tuple[str, ...], size_in: int, size_out: int) -> str:
        """Multiply by matrices whose outputs stand side by side, ``size_out`` each, without biases."""

    def attention(self, x: str, layer: str) -> str:
        """Let every token look at every other one that the mask leaves."""

    def bend(self, x: str, name: str) -> str:
        """Add the bias ``name.b``; then x times the share of a normal distribution below x."""


def write_network(packed: Packed, variant: Variant, path: str) -> None:
    """Write ``model.onnx``."""
    graph = Graph("text encoder")
    _chain(graph, packed, _form(graph, packed, variant))
    sides = ("batch", "sequence")
    inputs = dict.fromkeys(("input_ids", "attention_mask", "token_type_ids"), sides)
    graph.save(path, inputs, {OUTPUT: (*sides, packed.shape.hidden)})


def _form(graph: Graph, packed: Packed, variant: Variant) -> Form:
    match variant:
        case "w8a8":
            return Int8(graph, packed)
        case "w7a8":
            return Int8(graph, packed, in_pairs=True)
        case "q4":
            return FourBit(graph, packed)
        case "fp32":
            return Full(graph, packed)


def _chain(graph: Graph, packed: Packed, form: Form) -> None:
    """Write the whole network down."""
    shape = packed.shape
    x = _embeddings(graph, packed, form)
    for number in range(shape.layers):
        layer = f"l{number}."
        y = form.linear(form.attention(x, layer), (f"{layer}ao",), shape.hidden, shape.hidden)
        x = _rejoin(graph, packed, (y, x), (f"{layer}ao", f"{layer}aln"), f"{layer}middle")
        y = form.bend(form.linear(x, (f"{layer}fi",), shape.hidden, shape.ffn), f"{layer}fi")
        y = form.linear(y, (f"{layer}fo",), shape.ffn, shape.hidden)
        out = OUTPUT if number == shape.layers - 1 else f"{layer}out"
        x = _rejoin(graph, packed, (y, x), (f"{layer}fo", f"{layer}oln"), out)


def _embeddings(graph: Graph, packed: Packed, form: Form) -> str:
    shape = packed.shape
    for name, value in (("zero", 0), ("one", 1), ("two", 2)):
        graph.constant(name, np.array([value], np.int64))
    positions = packed.vector("emb.pos", shape.positions * shape.hidden).reshape(-1, shape.hidden)
    types = packed.vector("emb.type", shape.types * shape.hidden).reshape(-1, shape.hidden)
    graph.add("Shape", ["input_ids"], "shape")
    graph.add("Slice", ["shape", "one", "two"], "length")
    # A slice, not a lookup of 0, 1, 2, ...: onnxruntime 1.32 rewrites that one into a wrong slice.
    graph.add("Slice", [graph.constant("emb.pos", positions), "zero", "length", "zero"], "at position")
    graph.add("Gather", [graph.constant("emb.type", types), "token_type_ids"], "of type", axis=0)
    graph.add("Add", [form.words(), "of type"], "word and type")
    graph.add("Add", ["word and type", "at position"], "embedded")
    return _norm(graph, packed, "embedded", "emb.ln", "in")


def _rejoin(graph: Graph, packed: Packed, lines: tuple[str, str], names: tuple[str, str], out: str) -> str:
    """Bring a branch back to the main line: add its bias and both, normalise.

    Args:
        graph: Where to write.
        packed: The weights.
        lines: The branch and the main line.
        names: Of the branch's last matrix and of the normalisation.
        out: Name of the result.
    """
    branch, main = lines
    matrix, norm = names
    graph.add("Add", [branch, vector(graph, packed, f"{matrix}.b", packed.shape.hidden)], f"{matrix}.biased")
    graph.add("Add", [f"{matrix}.biased", main], f"{matrix}.sum")
    return _norm(graph, packed, f"{matrix}.sum", norm, out)


def _norm(graph: Graph, packed: Packed, x: str, name: str, out: str) -> str:
    scale, shift = (vector(graph, packed, f"{name}.{each}", packed.shape.hidden) for each in "wb")
    return graph.add("LayerNormalization", [x, scale, shift], out, axis=-1, epsilon=packed.shape.epsilon)
