"""What is the vector of a text? One model in this process, one text a run.

Texts are not padded and never share a run: on a processor that is the fastest way by far, and no text
changes the vector of another one. Needs the optional packages; only the embedding process imports this.
"""

import os
import re
import unicodedata
from typing import Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from notesd.embed.failures import ModelBad, TextRefused
from notesd.embed.manifest import MODEL, TOKENIZER, Manifest, check_files, read

Vector = npt.NDArray[np.float32]

LEAST: Final = 1e-9
"""What sums and lengths are divided by at least."""
CHARACTERS_PER_TOKEN: Final = 64
"""No piece is this long: what comes after that many characters a token is never seen by the model."""
_HIDDEN: Final = ("last_hidden_state", "token_embeddings")
_INPUTS: Final = {"input_ids", "attention_mask", "token_type_ids"}
_UNKNOWN: Final = re.compile(r"\W*unk\W*", re.IGNORECASE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_QUIET: Final = 4
"""onnxruntime says nothing below "fatal": its warnings are about machines, not about notes."""


class Encoder:
    """One loaded model. Several threads may use it at the same time."""

    def __init__(self, folder: str, threads: int = 1, pad_to: int | None = None) -> None:
        """Load a model and try it.

        Args:
            folder: ``.../models/NAME``.
            threads: Cores that one run uses.
            pad_to: Fill every text up to so many tokens, as the published design does. The vectors are
                the same and take up to nine times as long.

        Raises:
            ModelMissing: There is no such model.
            ModelBad: A file is not what the manifest says, or the model does not do what it says.
        """
        self.manifest: Manifest = read(folder)
        check_files(folder, self.manifest)
        self._pad_to = min(pad_to, self.manifest.max_tokens) if pad_to else 0
        try:
            self._tokenizer = Tokenizer.from_file(os.path.join(folder, TOKENIZER))
            self._session = _session(os.path.join(folder, MODEL), self.manifest, threads)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - both libraries raise whatever they like
            raise self._bad(f"{type(error).__name__}: {error}"[:300]) from None
        self._inputs = {each.name for each in self._session.get_inputs()}
        if "input_ids" not in self._inputs or not self._inputs <= _INPUTS:
            raise self._bad(f"its inputs are {', '.join(sorted(self._inputs))}")
        outputs = [each.name for each in self._session.get_outputs()]
        self._output = next((name for name in _HIDDEN if name in outputs), outputs[0])
        self._prepare_tokenizer()
        try:
            self.encode("a")
        except TextRefused as error:
            raise self._bad(error.message) from None

    def encode_query(self, text: str) -> Vector:
        """Return the vector of a question; see ``encode``."""
        return self.encode(self.manifest.query_prefix + text)

    def encode_passage(self, text: str) -> Vector:
        """Return the vector of a passage; see ``encode``."""
        return self.encode(self.manifest.passage_prefix + text)

    def encode(self, text: str) -> Vector:
        """Return the vector of a text as it is, ``[dimensions]``, of length 1 where the model says so.

        Raises:
            TextRefused: The model gives NaN, infinity or zeros for it, or cannot run it.
        """
        ids = self.token_ids(text)
        length = max(len(ids), self._pad_to)
        padded = np.full((1, length), self._pad, np.int64)
        padded[0, : len(ids)] = ids
        mask = np.zeros((1, length), np.int64)
        mask[0, : len(ids)] = 1
        feeds = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(mask)}
        try:
            hidden = self._session.run([self._output], {name: feeds[name] for name in self._inputs})[0]
        except Exception as error:  # noqa: BLE001 - onnxruntime names no class of its own
            raise TextRefused(
                f"the model cannot run this text: {type(error).__name__}: {error}"[:300]
            ) from None
        if hidden.shape != (1, length, self.manifest.dimensions):
            raise TextRefused(
                f"the model gives {list(hidden.shape)} instead of {self.manifest.dimensions} numbers"
            )
        return self._pool(hidden[0], mask[0])

    def token_ids(self, text: str) -> list[int]:
        """Return what the model sees of a text: its special tokens and as many pieces as fit between."""
        head, tail = self._around
        room = self.manifest.max_tokens - len(head) - len(tail)
        return [*head, *self._pieces(text[: CHARACTERS_PER_TOKEN * self.manifest.max_tokens])[:room], *tail]

    def count_tokens(self, text: str) -> int:
        """Count the pieces of a whole text, without special tokens."""
        return len(self._pieces(text))

    def _prepare_tokenizer(self) -> None:
        """Find out what the tokenizer puts around a text, and which tokens a text may not contain."""
        tokenizer = self._tokenizer
        tokenizer.no_padding()
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True
        added = tokenizer.get_added_tokens_decoder()
        names = {token.content: at for at, token in added.items() if token.special}
        self._special = frozenset(at for name, at in names.items() if not _UNKNOWN.fullmatch(name))
        self._typed = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))) or r"(?!)")
        self._pad = next((at for name, at in names.items() if "pad" in name.lower()), 0)
        inner, whole = self._pieces("a"), tokenizer.encode("a").ids
        starts = [at for at in range(len(whole)) if whole[at : at + len(inner)] == inner]
        if not inner or not starts:
            raise self._bad("its tokenizer makes nothing of a text")
        self._around = (whole[: starts[0]], whole[starts[0] + len(inner) :])

    def _pieces(self, text: str) -> list[int]:
        """Cut a text into pieces; special tokens that somebody typed stay text."""
        if _SURROGATE.search(text):
            text = _SURROGATE.sub("\ufffd", text)
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        if self._special.isdisjoint(ids):
            return ids
        # Some tokenizers find "</s>" in a text whatever they are told: a blank within hides it.
        text = self._typed.sub(
            lambda found: f"{found[0][0]} {found[0][1:]}", unicodedata.normalize("NFKC", text)
        )
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [each for each in ids if each not in self._special]

    def _pool(self, hidden: npt.NDArray[np.float32], mask: npt.NDArray[np.int64]) -> Vector:
        """Make one vector of those of the tokens; padding has no part in it."""
        if self.manifest.pooling == "cls":
            vector = hidden[0].astype(np.float32)
        else:
            kept = mask.astype(np.float32)
            vector = (hidden * kept[:, None]).sum(axis=0) / max(float(kept.sum()), LEAST)
        length = float(np.linalg.norm(vector))
        if not np.isfinite(vector).all() or not length > LEAST:
            raise TextRefused("the model gives no usable vector for this text (NaN, infinity or zeros)")
        return np.asarray(vector / max(length, LEAST) if self.manifest.normalize else vector, np.float32)

    def _bad(self, what: str) -> ModelBad:
        name = self.manifest.name
        return ModelBad(f"model {name} cannot be used: {what}; run: notesd model install {name}", model=name)


def _session(path: str, manifest: Manifest, threads: int) -> onnxruntime.InferenceSession:
    """Load the network; each setting won a measurement.

    One thread that does not spin: spinning takes a second core on a busy machine and is slower there.
    The arena may stay: with one text a run it grows to some 30 MB and no further.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        level.ORT_ENABLE_ALL if manifest.graph_level == "all" else level.ORT_ENABLE_BASIC
    )
    options.log_severity_level = _QUIET
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
