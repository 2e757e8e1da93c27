"""What is the vector of a text? One model in this process, one text a run.

Texts are not padded and never share a run: on a processor that is the fastest way by far, and no text
changes the vector of another one. Needs the optional packages; only the embedding process imports this.
"""

import os
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from notesd.embed.mapped import MappedWeights
from notesd.embed.tokens import Cutter, NoSmallForm, Tokens, Whole
from notesd.models.companion import Companion, side_by_side, version
from notesd.models.failures import ModelBad, TextRefused
from notesd.models.manifest import (
    COMPANION_DIMENSIONS,
    MODEL,
    TOKENIZER,
    WEIGHTS,
    Manifest,
    check_files,
    read,
)
from notesd.models.runtime import open_network

if TYPE_CHECKING:
    from notesd.embed.messages import TokenizerName

Vector = npt.NDArray[np.float32]

LEAST: Final = 1e-9
"""What sums and lengths are divided by at least."""
_HIDDEN: Final = ("last_hidden_state", "token_embeddings")
_INPUTS: Final = {"input_ids", "attention_mask", "token_type_ids"}


class Encoder:
    """One loaded model. Several threads may use it at the same time."""

    def __init__(
        self,
        folder: str,
        threads: int = 1,
        pad_to: int | None = None,
    ) -> None:
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
            cutter, self.tokenizer, self.remark = _cutter(folder, self.manifest)
            self._tokens = Tokens(cutter, self.manifest.max_tokens)
            self._session = open_network(os.path.join(folder, MODEL), self.manifest, threads)
        except (MemoryError, ModelBad):
            raise
        except Exception as error:  # noqa: BLE001 - both libraries raise whatever they like
            raise self._bad(f"{type(error).__name__}: {error}"[:300]) from None
        self._weights: MappedWeights | None = None
        self._inputs = {each.name for each in self._session.get_inputs()}
        if "input_ids" not in self._inputs or not self._inputs <= _INPUTS:
            raise self._bad(f"its inputs are {', '.join(sorted(self._inputs))}")
        outputs = [each.name for each in self._session.get_outputs()]
        self._output = next((name for name in _HIDDEN if name in outputs), outputs[0])
        self._companion = _companion(self.manifest)
        try:
            self.encode("a")
        except TextRefused as error:
            raise self._bad(error.message) from None
        self._weights = MappedWeights(os.path.join(folder, WEIGHTS))

    def encode_query(self, text: str) -> Vector:
        """Return the vector of a question, ``[dimensions]``, of length 1 where the model says so.

        Raises:
            TextRefused: The model gives NaN, infinity or zeros for it, or cannot run it.
        """
        vector = self.encode(self.manifest.query_prefix + text)
        return side_by_side(vector, self._companion.of_question(text)) if self._companion else vector

    def encode_passage(self, text: str) -> Vector:
        """Return the vector of a passage; see ``encode_query``."""
        vector = self.encode(self.manifest.passage_prefix + text)
        return side_by_side(vector, self._companion.of_passage(text)) if self._companion else vector

    def encode(self, text: str) -> Vector:
        """Return the model's own vector of a text as it is, without that of a second encoder.

        Raises:
            TextRefused: The model gives NaN, infinity or zeros for it, or cannot run it.
        """
        ids = self.token_ids(text)
        length = max(len(ids), self._pad_to)
        padded = np.full((1, length), self._tokens.pad, np.int64)
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
        expected = self.manifest.dimensions - (COMPANION_DIMENSIONS if self._companion else 0)
        if hidden.shape != (1, length, expected):
            raise TextRefused(f"the model gives {list(hidden.shape)} instead of {expected} numbers")
        if self._weights:
            self._weights.used(length)
        return self._pool(hidden[0], mask[0])

    def token_ids(self, text: str) -> list[int]:
        """Return what the model sees of a text: its special tokens and as many pieces as fit between."""
        return self._tokens.whole(text)

    def count_tokens(self, text: str) -> int:
        """Count the pieces of a whole text, without special tokens."""
        return len(self._tokens.pieces(text))

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


def _companion(manifest: Manifest) -> Companion | None:
    """Load the second encoder, where the model has one.

    Raises:
        ExtraMissing: Its package is not installed.
        ModelBad: Another version of it is.
    """
    if not manifest.companion:
        return None
    if (here := version()) != manifest.companion:
        raise ModelBad(
            f"model {manifest.name} was installed with version {manifest.companion} of the second encoder, "
            f"and {here} is here; run: notesd model install {manifest.name}",
            model=manifest.name,
        )
    return Companion()


def _cutter(folder: str, manifest: Manifest) -> tuple[Cutter, "TokenizerName", str]:
    """Return what cuts texts, its name, and why it takes more memory than it could; "" where it does not.

    sentencepiece gives the same tokens in a sixth of the memory, for the vocabularies that it can hold.
    """
    remark = ""
    try:
        from notesd.embed.small import Small  # noqa: PLC0415 - not every system has the package

        digest = next(file.sha256 for file in manifest.files if file.name == TOKENIZER)
        return Small(folder, digest), "sentencepiece", ""
    except NoSmallForm:
        pass  # the large one is the only one for this model, and nothing can be done about it
    except ImportError as error:
        remark = f'sentencepiece is not installed ({error}); run: pip install "notesd[semantic]"'
    except (RuntimeError, ValueError, KeyError, TypeError, OSError) as error:
        remark = f"sentencepiece cannot read the vocabulary of {manifest.name}: {error}"[:300]
    if remark:
        remark = f"the model takes 250 MB more memory than it needs: {remark}"
    return Whole(os.path.join(folder, TOKENIZER)), "tokenizers", remark
