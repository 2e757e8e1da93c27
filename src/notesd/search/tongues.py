"""How much nearer is a question to the notes in its own language, whatever they say?

A multilingual model puts texts of one language together. So in a folder of several, a note in the language of
the question came first, and one in another language that answers it did not. How near a question is to a
language as a whole says nothing about a note: what a language lacks compared with the nearest is made up for.

Measured with multilingual-e5-small and 300 Spanish questions on 349 notes, each in Spanish or in English:
nDCG@10 of the English ones .37 -> .80, of the Spanish ones .968 -> .963; where nearly all notes are Spanish,
.32 -> .54 and .947 as before. On seven collections in one language nothing changes by more than .002.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from notesd.search.codes import Codes, Float32

SHARE = 0.85
"""So much of the difference is made up for. With all of it, notes in the language of the question lose."""
STEADY = 10
"""A language counts as if it had so many more passages, as they are in general: a few say little about it."""

Tongues = npt.NDArray[np.int16]
"""Place of each row's language in a list; -1: not known, or the row is gone."""


class Centres(Struct, frozen=True):
    """Where the passages of each language lie."""

    means: Float32
    """One row a language."""

    def lifts(self, direction: Float32) -> Float32:
        """What is added to the cosines of each language, 0 or more; in the end 0, for those without one."""
        near = self.means @ direction
        return np.append(SHARE * (near.max() - near), 0).astype(np.float32)


def centres(codes: Codes, tongues: Tongues) -> Centres | None:
    """Look where each language lies; None where there is but one."""
    count = int(tongues.max(initial=-1)) + 1
    if len(np.unique(tongues[tongues >= 0])) < 2:  # noqa: PLR2004 - one language has nothing to make up for
        return None
    sums = codes.sums(tongues, count)
    numbers = np.bincount(tongues[tongues >= 0], minlength=count)
    general = sums.sum(axis=0) / numbers.sum()
    means = (sums + STEADY * general) / (numbers + STEADY)[:, None]
    return Centres(means.astype(np.float32))


def numbered(languages: Iterable[str | None], known: list[str]) -> Tongues:
    """The languages of some rows as places in ``known``, to which new ones are added."""
    places = {language: at for at, language in enumerate(known)}
    found = []
    for language in languages:
        if language is not None and language not in places:
            places[language] = len(known)
            known.append(language)
        found.append(-1 if language is None else places[language])
    return np.array(found, np.int16)
