"""How does a packed model become one that onnxruntime and tokenizers run?"""

import os
from typing import cast, get_args

from notesd.models.failures import ModelError
from notesd.models.manifest import MODEL, TOKENIZER
from notesd.models.network import Variant, write_network
from notesd.models.packed import Packed
from notesd.models.tokenizer_file import write_tokenizer


def convert(packed_file: str, folder: str, variant: str = "w8a8") -> None:
    """Write ``model.onnx``, its weights in ``model.onnx.data``, and ``tokenizer.json`` into a folder.

    Args:
        packed_file: The weights.
        folder: Exists; files of these names in it are overwritten.
        variant: ``w8a8``, ``w7a8``, ``q4`` or ``fp32``; see ``forms``.

    Raises:
        ModelBad: The packed file is damaged.
        ModelError: There is no such variant.
    """
    if variant not in get_args(Variant):
        raise ModelError(f"no variant {variant}; there are {', '.join(get_args(Variant))}", variant=variant)
    packed = Packed(packed_file)
    write_tokenizer(os.path.join(folder, TOKENIZER), packed.vocabulary)
    write_network(packed, cast("Variant", variant), os.path.join(folder, MODEL))
