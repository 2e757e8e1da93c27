"""How is a network written as an ONNX file?

ONNX is a protocol buffer with few kinds of field, so its own library is not needed to write one.
Weights stand in a second file, ``model.onnx.data``: onnxruntime maps it, and a process takes 70 MB less than
with one file.

Source of the field numbers: ``onnx.proto`` of ONNX 1.16 (IR version 9).
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from notesd.models.manifest import private
from notesd.models.protobuf import message, number, real, text

IR_VERSION: Final = 9
OPSET: Final = 17
MICROSOFT: Final = "com.microsoft"
"""Domain of onnxruntime's own operators."""

FLOAT: Final = 1
UINT8: Final = 2
INT32: Final = 6
INT64: Final = 7
_TYPES: Final = {"float32": FLOAT, "uint8": UINT8, "int8": 3, "int32": INT32, "int64": INT64, "float16": 10}

DATA: Final = ".data"
"""Ending of the file of weights."""
LARGE_BYTES: Final = 4096
"""Constants from this size on stand in the file of weights."""
_PAGE: Final = 4096

Attribute = int | float | Sequence[int]
Sides = Sequence[str | int]
"""Dimensions: known ones, and names of those that differ from run to run."""
_PIECE = 1 << 16
"""Bytes written at a time. The system keeps a file in pieces as large as it was written, and whoever reads
one row of a table later has the whole piece in memory."""


class Graph:
    """A network under construction: operators in the order they run, and constants."""

    def __init__(self, name: str) -> None:
        """Start with nothing."""
        self._name = name
        self._nodes: list[bytes] = []
        self._constants: dict[str, npt.NDArray[Any]] = {}

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        """Add a constant and return its name; one that is there already is kept."""
        self._constants.setdefault(name, np.ascontiguousarray(value))
        return name

    def scalar(self, name: str, value: float | np.uint8) -> str:
        """Add one number; a Python float becomes float32."""
        return self.constant(
            name, np.array(value, np.float32) if isinstance(value, float) else np.array(value)
        )

    def add(
        self,
        operator: str,
        inputs: Sequence[str],
        output: str | Sequence[str],
        domain: str = "",
        **more: Attribute,
    ) -> str:
        """Add an operator and return the name of its (first) output.

        Args:
            operator: Its ONNX name.
            inputs: Names; "" leaves an optional input out.
            output: Name or names of what it gives.
            domain: Whose operator it is; "" is ONNX itself.
            more: Its attributes.
        """
        outputs = [output] if isinstance(output, str) else list(output)
        node = b"".join(text(1, name) for name in inputs) + b"".join(text(2, name) for name in outputs)
        node += text(3, outputs[0]) + text(4, operator)
        node += b"".join(message(5, _attribute(name, value)) for name, value in more.items())
        self._nodes.append(node + text(7, domain) if domain else node)
        return outputs[0]

    def small(self, inputs: Mapping[str, Sides], outputs: Mapping[str, Sides]) -> bytes:
        """Return the whole file, of a network without large constants; see ``save`` for the arguments."""
        return self._written(self._tensors("")[0], inputs, outputs)

    def save(self, path: str, inputs: Mapping[str, Sides], outputs: Mapping[str, Sides]) -> None:
        """Write the file and, beside it, the file of its weights; only their owner may read them.

        Args:
            path: Where.
            inputs: Name and dimensions of each input; all are int64.
            outputs: Name and dimensions of each output; all are float32.
        """
        tensors, large = self._tensors(os.path.basename(path) + DATA)
        with open(path + DATA, "wb", opener=private) as sink:
            for offset, value in large:
                sink.seek(offset)
                data = value.reshape(-1).view(np.uint8).data
                for at in range(0, len(data), _PIECE):
                    sink.write(data[at : at + _PIECE])
                    sink.flush()
            sink.flush()
            os.fsync(sink.fileno())
        with open(path, "wb", opener=private) as sink:
            sink.write(self._written(tensors, inputs, outputs))
            sink.flush()
            os.fsync(sink.fileno())

    def _written(self, tensors: bytes, inputs: Mapping[str, Sides], outputs: Mapping[str, Sides]) -> bytes:
        """Put the parts of the file together."""
        nodes = b"".join(message(1, node) for node in self._nodes)
        shapes = b"".join(message(11, _value(name, INT64, shape)) for name, shape in inputs.items())
        shapes += b"".join(message(12, _value(name, FLOAT, shape)) for name, shape in outputs.items())
        head = number(1, IR_VERSION) + text(2, "notesd")
        head += message(8, number(2, OPSET)) + message(8, text(1, MICROSOFT) + number(2, 1))
        return head + message(7, nodes + text(2, self._name) + tensors + shapes)

    def _tensors(self, data_name: str) -> tuple[bytes, list[tuple[int, npt.NDArray[Any]]]]:
        """Write the constants: small ones whole, of large ones where in the data file they will be."""
        tensors = b""
        large: list[tuple[int, npt.NDArray[Any]]] = []
        end = 0
        for name, value in self._constants.items():
            head = b"".join(number(1, size) for size in value.shape)
            head += number(2, _TYPES[value.dtype.name]) + text(8, name)
            if value.nbytes < LARGE_BYTES:
                tensors += message(5, head + message(9, value.tobytes()))
                continue
            offset = -(-end // _PAGE) * _PAGE
            end = offset + value.nbytes
            large.append((offset, value))
            place = {"location": data_name, "offset": str(offset), "length": str(value.nbytes)}
            head += b"".join(message(13, text(1, key) + text(2, each)) for key, each in place.items())
            tensors += message(5, head + number(14, 1))
        return tensors, large


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return text(1, name) + real(2, value) + number(20, 1)
    if isinstance(value, int):
        return text(1, name) + number(3, value) + number(20, 2)
    return text(1, name) + b"".join(number(8, each) for each in value) + number(20, 7)


def _value(name: str, kind: int, shape: Sides) -> bytes:
    """Describe an input or output."""
    sizes = (number(1, size) if isinstance(size, int) else text(2, size) for size in shape)
    dimensions = b"".join(message(1, size) for size in sizes)
    return text(1, name) + message(2, message(1, number(1, kind) + message(2, dimensions)))
