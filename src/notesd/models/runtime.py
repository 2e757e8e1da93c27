"""How does a network run on this machine? Silently, and with every product right.

Everything that needs onnxruntime takes it from here, for two reasons. It measures its own use: from 1.32 on
it asks for its maker's host every 30 s and writes a lasting number of the machine into the user's cache,
unless a variable forbids it before the library is loaded. And on x86 processors without VNNI it adds the
products of two bytes in 16 bits, which overflow; it can do without that, a fifth slower, and has to be asked.
"""

import functools
import os
from typing import Final

import numpy as np

from notesd.models.failures import ModelBad
from notesd.models.manifest import Manifest
from notesd.models.onnx_file import FLOAT, UINT8, Graph

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

__all__ = ["multiplies_bytes", "onnxruntime", "open_network"]

_QUIET: Final = 4
"""onnxruntime says nothing below "fatal": its warnings are about machines, not about notes."""
_INT8: Final = {"w8a8", "int8"}
"""Forms that surely multiply whole bytes."""
_IN_PAIRS: Final = "w7a8"
"""The form whose products fit into 16 bits: it is right everywhere, and would only become slower."""
_ROWS, _INPUTS, _OUTPUTS = 4, 64, 32
_LARGEST_ACTIVATION, _LARGEST_WEIGHT = 255, 127


def open_network(path: str, manifest: Manifest, threads: int = 1) -> onnxruntime.InferenceSession:
    """Load a network so that it computes here what it computes anywhere.

    Args:
        path: Its ``model.onnx``.
        manifest: What kind of network it is.
        threads: Cores that one run uses.

    Raises:
        ModelBad: Its kind of product comes out wrong on this machine, whatever is asked for.
        Exception: Whatever onnxruntime raises when the file is no network.
    """
    precise = manifest.variant != _IN_PAIRS and not multiplies_bytes(precise=False)
    if precise and manifest.variant in _INT8 and not multiplies_bytes(precise=True):
        raise ModelBad(
            f"model {manifest.name} is kept as {manifest.variant}, which this machine computes wrongly; run: "
            f"notesd model install {manifest.name} --source package, which takes a form that comes out right",
            model=manifest.name,
        )
    return onnxruntime.InferenceSession(
        path,
        _options(threads, basic=manifest.graph_level == "basic", precise=precise),
        providers=["CPUExecutionProvider"],
    )


@functools.cache
def multiplies_bytes(*, precise: bool) -> bool:
    """Say whether products of whole bytes come out right on this machine, by computing the largest.

    Args:
        precise: Ask for products that do not overflow.
    """
    graph = Graph("largest products")
    graph.add("Cast", ["activations"], "bytes", to=UINT8)
    graph.constant("weights", np.full((_INPUTS, _OUTPUTS), _LARGEST_WEIGHT, np.int8))
    graph.add("MatMulInteger", ["bytes", "weights"], "sums")
    graph.add("Cast", ["sums"], "products", to=FLOAT)
    network = graph.small({"activations": (_ROWS, _INPUTS)}, {"products": (_ROWS, _OUTPUTS)})
    session = onnxruntime.InferenceSession(
        network, _options(1, basic=False, precise=precise), providers=["CPUExecutionProvider"]
    )
    activations = np.full((_ROWS, _INPUTS), _LARGEST_ACTIVATION, np.int64)
    (products,) = session.run(None, {"activations": activations})
    return bool((products == _INPUTS * _LARGEST_ACTIVATION * _LARGEST_WEIGHT).all())


def _options(threads: int, *, basic: bool, precise: bool) -> onnxruntime.SessionOptions:
    """Choose how a network runs; each setting won a measurement.

    One thread that does not spin: spinning takes a second core on a busy machine and is slower there.
    The arena may stay: with one text a run it grows to some 30 MB and no further.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_BASIC if basic else level.ORT_ENABLE_ALL
    if precise:
        options.add_session_config_entry("session.x64quantprecision", "1")
        options.graph_optimization_level = level.ORT_ENABLE_ALL  # at the basic level nobody heeds it
    options.log_severity_level = _QUIET
    return options
