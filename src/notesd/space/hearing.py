"""How does the model in use hear a question: what is near to it, and in which language is it?"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from notesd.models.catalogue import question_means
from notesd.models.manifest import Manifest

if TYPE_CHECKING:
    from notesd.search.voices import Voice, Voices


def evidence(known: Manifest | None) -> tuple[float, float]:
    """Return the cosine from which on a hit counts as evidence, and how far above it counts fully.

    Args:
        known: The model; None while it is being looked for.
    """
    return (known.evidence_low, known.evidence_span) if known else (0.0, 1.0)


def voices_heard(known: Manifest | None, question: str, vector: bytes) -> Sequence["Voice"]:
    """Return the languages that a question may be in, the likeliest first; none where the model has none."""
    if known is None:
        return ()
    voices = _read(known) if known.question_means else _shipped(known.name, known.dimensions)
    return voices.of(question, vector) if voices else ()


def _read(known: Manifest) -> "Voices | None":
    from notesd.search.voices import Voices  # noqa: PLC0415 - numpy comes with the optional packages

    return Voices.read(known.question_means, known.dimensions)


@functools.cache
def _shipped(name: str, dimensions: int) -> "Voices | None":
    from notesd.search.voices import Voices  # noqa: PLC0415 - as above

    return Voices.read(question_means(name), dimensions)
