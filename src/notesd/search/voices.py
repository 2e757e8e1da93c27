"""In which language is a question, and are its notes in another one?

A note that is near to every question in a language says nothing by being near to one of them: among the
first five of 150 Spanish questions on English notes, one page of credits stood 79 times. So of each passage
is taken off half of how much nearer it is to the mean question of the language than passages are in general.
Where notes are in the language of the question there are hardly such notes, and nothing is taken off.

The means belong to the model; ``tests/bench/question_means.py`` makes them. Measured by meaning, with
multilingual-e5-small: nDCG@10 of Spanish questions on English help pages .70 -> .76, on English articles
.91 -> .93.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from notesd.parse.languages import WRITINGS, language_of
from notesd.search.codes import Codes, Float32

SHARE: Final = 0.5
"""So much of it is taken off: .3 gained less in another language, .7 no more."""
SPOKEN: Final = 0.1
"""Share of the passages from which on a language is one of the notes."""
DOUBT: Final = 0.01
"""A language of the notes is taken for that of a question, if it is nearly as near as the nearest."""

_IN_A_WRITING: Final = re.compile(f"[{''.join(WRITINGS.values())}]")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_CYRILLIC_LANGUAGES: Final = frozenset({"ru", "uk"})


class Voice(NamedTuple):
    """A language that a question may be in."""

    language: str
    mean: Float32
    """Of its questions."""
    nearness: float
    """Cosine of the question with it."""


class Voices(Struct, frozen=True):
    """How questions sound to a model in each language that it was tried with."""

    languages: tuple[str, ...]
    means: Float32
    """One row a language."""

    @classmethod
    def read(cls, stored: Mapping[str, bytes], dimensions: int) -> "Voices | None":
        """Read what a manifest holds; None where that is nothing, or of another size."""
        rows = [
            np.frombuffer(mean, "<f2").astype(np.float32) for mean in stored.values() if len(mean) % 2 == 0
        ]
        if not rows or len(rows) != len(stored) or any(len(row) != dimensions for row in rows):
            return None
        return cls(tuple(stored), np.stack(rows))

    def of(self, text: str, vector: bytes) -> tuple[Voice, ...]:
        """Return the languages that a question may be in, the likeliest first.

        Its words and its writing tell, where they can; else how near its vector is to the questions of each
        language that is written so.

        Args:
            text: The question.
            vector: Its vector, float32.
        """
        direction = np.frombuffer(vector, np.float32)
        if len(direction) != self.means.shape[1]:
            return ()
        sizes = np.linalg.norm(self.means, axis=1) * max(float(np.linalg.norm(direction)), 1e-9)
        near = (self.means @ direction / np.maximum(sizes, 1e-9)).tolist()
        every = map(Voice, self.languages, self.means, near)
        told = language_of(text)
        fitting = [one for one in every if (one.language == told if told else _may_be(one.language, text))]
        return tuple(sorted(fitting, key=lambda one: -one.nearness))


def _may_be(language: str, text: str) -> bool:
    """Whether a text of which neither words nor writing tell enough may be in a language."""
    if written := _IN_A_WRITING.search(text):
        characters = WRITINGS.get(language, "") + (WRITINGS["zh"] if language == "ja" else "")
        return bool(characters and re.match(f"[{characters}]", written[0]))
    return language not in WRITINGS and (language in _CYRILLIC_LANGUAGES) == bool(_CYRILLIC.search(text))


def foreign(heard: Sequence[Voice], passages: Mapping[str, int]) -> Voice | None:
    """Return the language of a question where the notes are in others; None: they share it, or nobody knows.

    Args:
        heard: What the question may be in, the likeliest first.
        passages: Number of passages in each language.
    """
    total = sum(passages.values())
    if not heard or not total:
        return None
    likely = [one for one in heard if one.nearness >= heard[0].nearness - DOUBT]
    shared = any(passages.get(one.language, 0) >= SPOKEN * total for one in likely)
    return None if shared else heard[0]


class Leanings:
    """What questions in a language take off the passages of one generation; found out once."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: dict[str, npt.NDArray[np.float64]] = {}

    def of(
        self, voice: Voice, codes: Codes, costs: npt.NDArray[np.float64], tongues: npt.NDArray[np.int16],
        languages: Sequence[str],
    ) -> npt.NDArray[np.float64]:  # fmt: skip
        """Return what is taken off each row.

        Args:
            voice: The language of the question.
            codes: The passages.
            costs: What is taken off them anyway; infinite: the row is gone.
            tongues: Place of each row's language in ``languages``, -1: not known.
            languages: Those in the language of the question keep all.
        """
        known = self._known.get(voice.language)
        if known is None:
            near = codes.cosines(voice.mean).astype(np.float64)
            known = SHARE * (near - near[np.isfinite(costs)].mean())
            if voice.language in languages:
                known[tongues == languages.index(voice.language)] = 0
            # Equal vectors differ in the seventh decimal.
            self._known[voice.language] = known = np.round(known, 6)
        return known
