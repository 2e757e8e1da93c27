"""What is this model, and are its files what they were?

A model is a folder with ``model.onnx``, ``tokenizer.json`` and ``manifest.json``; all that the
encoder, the index and the ranking have to know of a model stands in the last one, so another model
is another folder and no other code.
"""

import hashlib
import os
import re
from collections.abc import Callable
from typing import Final, Literal

import msgspec
from msgspec import Struct

from notesd import trust
from notesd.models.failures import ModelBad, ModelMissing

MANIFEST: Final = "manifest.json"
MODEL: Final = "model.onnx"
WEIGHTS: Final = "model.onnx.data"
"""Weights of a converted model; models from elsewhere have them in ``model.onnx``."""
TOKENIZER: Final = "tokenizer.json"

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700

_COMPUTED: Final = 2
"""Raised when the same files give other vectors: up to 1 products overflowed on some processors."""
_CHUNK: Final = 1 << 20
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")

COMPANION_DIMENSIONS: Final = 512
"""Numbers of the second encoder; see ``models.companion``."""
COMPANION_WEIGHT: Final = 0.1
"""Of its cosine, where that of the model has 1. Between .06 and .15 the gain is about the same."""
COMPANION_USUAL: Final = 0.08
"""Cosine of any question with any passage, as the second encoder has it in general."""

Granularity = Literal["passages", "snapshot"]


class File(Struct, frozen=True):
    """One file of a model."""

    name: str
    """Without folders."""
    sha256: str
    """Lower-case hexadecimal."""
    size: int
    """Bytes."""


class Manifest(Struct, frozen=True, kw_only=True):
    """What has to be known of a model to use it."""

    name: str
    source: str
    """Where it came from, for people."""
    variant: str
    """How its weights are kept: ``w8a8``, ``fp32``, ``q4``, ``int8``, ..."""
    licence: str
    revision: str = ""
    """Commit of the hub's repository that all files are of; "" where the source names none."""
    dimensions: int
    """Numbers in a vector, those of a second encoder included."""
    companion: str = ""
    """Version of the second encoder whose vector stands behind the model's own; "": there is none. See
    ``models.companion``."""
    max_tokens: int
    """Longest input, its two special tokens included; the rest of a text is cut off."""
    files: tuple[File, ...]
    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Literal["mean", "cls"] = "mean"
    normalize: bool = True
    """Vectors have length 1."""
    token_budget: int = 480
    """Tokens of a snapshot's observations."""
    evidence_low: float = 0.75
    """Cosine from which on a hit counts as evidence."""
    evidence_span: float = 0.20
    """Cosine above ``evidence_low`` at which a hit counts fully."""
    question_means: dict[str, bytes] = {}
    """Mean vector of short questions by their language's code, little-endian float16; empty: those that come
    with notesd, where the model is known by name. See ``search.voices``."""
    graph_level: Literal["all", "basic"] = "all"
    """How far onnxruntime may rewrite the graph."""
    format: Literal[1] = 1


def is_name(name: str) -> bool:
    """Say whether a word can name a model or one of its files: one plain part of a path."""
    return _PLAIN_NAME.fullmatch(name) is not None


def read(folder: str) -> Manifest:
    """Read the manifest of an installed model.

    Raises:
        ModelMissing: The folder or its manifest is not there.
        ModelBad: The manifest cannot be read or contradicts itself; or somebody else can write to a file
            of the model.
    """
    path = os.path.join(folder, MANIFEST)
    name = os.path.basename(folder)
    try:
        trust.check_read_folder(folder)
        with open(trust.open_read(path, follow=False), "rb") as source:
            data = source.read(_CHUNK)
    except (FileNotFoundError, NotADirectoryError):
        raise ModelMissing(
            f"model {name} is not installed ({path} does not exist); run: notesd model install {name}",
            model=name,
        ) from None
    except OSError as error:
        raise ModelBad(f"{error.filename or path}: {error.strerror or error}", model=name) from None
    manifest = parse(data, path, name)
    for file in manifest.files:
        try:
            os.close(trust.open_read(os.path.join(folder, file.name), follow=False))
        except trust.Untrusted as error:
            raise ModelBad(f"{error.filename}: {error.strerror}", model=name) from None
        except OSError:
            pass  # a file that cannot be read is found, and named, when it is
    return manifest


def parse(data: bytes, where: str, name: str) -> Manifest:
    """Read a manifest's bytes; ``where`` and ``name`` are for the messages.

    Raises:
        ModelBad: It is not JSON, lacks a key, or a value is out of range.
    """
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise _bad(where, str(error), name) from None
    names = {file.name for file in manifest.files}
    if not {MODEL, TOKENIZER} <= names or MANIFEST in names or not all(map(is_name, {manifest.name, *names})):
        raise _bad(where, f"files must be plain names, {MODEL} and {TOKENIZER} among them", name)
    if any(not _SHA256.fullmatch(file.sha256) or file.size < 1 for file in manifest.files):
        raise _bad(where, "every file needs its size and its sha256", name)
    if not 1 <= manifest.dimensions <= 8192 or not 8 <= manifest.max_tokens <= 65536:  # noqa: PLR2004 - vec0's limit; sanity
        raise _bad(where, "dimensions or max_tokens out of range", name)
    if manifest.companion and manifest.dimensions <= COMPANION_DIMENSIONS:
        raise _bad(where, f"a companion takes {COMPANION_DIMENSIONS} of the dimensions", name)
    if not manifest.evidence_span > 0:
        raise _bad(where, "evidence_span must be above 0", name)
    return manifest


def write(folder: str, manifest: Manifest) -> None:
    """Write the manifest of a model into its folder."""
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    with open(os.path.join(folder, MANIFEST), "wb", opener=private) as sink:
        sink.write(data + b"\n")
        sink.flush()
        os.fsync(sink.fileno())


def private(path: str, flags: int) -> int:
    """Open a file that only its owner may read; an ``opener`` for ``open``."""
    return os.open(path, flags | os.O_CLOEXEC, FILE_MODE)


def measure(folder: str, name: str) -> File:
    """Describe a file as it is now."""
    path = os.path.join(folder, name)
    return File(name, digest(path), os.path.getsize(path))


def digest(path: str, progress: Callable[[int], None] | None = None) -> str:
    """Compute the sha256 of a file; ``progress`` is told how many bytes were read each time."""
    found = hashlib.sha256()
    with open(path, "rb") as source:
        while piece := source.read(_CHUNK):
            found.update(piece)
            if progress:
                progress(len(piece))
    return found.hexdigest()


def check_files(folder: str, manifest: Manifest, progress: Callable[[int], None] | None = None) -> None:
    """Compare every file of a model with its manifest.

    Raises:
        ModelBad: A file is missing, has another size, or other bytes.
    """
    for file in manifest.files:
        path = os.path.join(folder, file.name)
        try:
            size = os.stat(path).st_size
            if size != file.size:
                raise _bad(path, f"{size} bytes instead of {file.size}", manifest.name)
            if digest(path, progress) != file.sha256:
                raise _bad(path, "its bytes have changed since it was installed", manifest.name)
        except OSError as error:
            raise _bad(path, error.strerror or str(error), manifest.name) from None


def fingerprint(manifest: Manifest, granularity: Granularity, text_rules: int) -> str:
    """Name everything that makes two vectors comparable, in 32 hexadecimal digits.

    Vectors of one fingerprint may stand in one index; any other fingerprint means a rebuild of the
    vectors. Names, sources and the evidence scale do not change a vector and are left out.

    Args:
        manifest: The model.
        granularity: How notes are cut.
        text_rules: Version of the rules that turn a note into texts.
    """
    files = sorted((file.name, file.sha256) for file in manifest.files)
    parts = (
        *(manifest.dimensions, manifest.max_tokens, manifest.query_prefix, manifest.passage_prefix),
        *(manifest.pooling, manifest.normalize, granularity, text_rules),
        manifest.token_budget if granularity == "snapshot" else 0,
        *(manifest.variant, _COMPUTED),
        files,
        *((manifest.companion, COMPANION_WEIGHT) if manifest.companion else ()),
    )
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]


def _bad(where: str, what: str, name: str) -> ModelBad:
    return ModelBad(f"{where}: {what}; run: notesd model install {name}", model=name)
