"""How many notes are taken in at once?"""

from collections.abc import Iterator

from notesd.files.reading import Reading

BATCH = 400
"""Notes in one transaction: few enough that a reader of the log waits for none, many enough to be fast."""
FIRST_BATCH = 50
"""Notes in the first transaction of a build; each further one is twice as large, so that questions find
something at once."""


def batched(readings: Iterator[Reading], size: int) -> Iterator[tuple[list[Reading], bool]]:
    """Put readings together, the first ``size`` of them and then twice as many each time, up to a batch.

    Yields each batch and whether it is the last one; there is always a last one, be it empty.
    """
    batch: list[Reading] = []
    for reading in readings:
        if len(batch) == size:
            yield batch, False
            batch, size = [], min(2 * size, BATCH)
        batch.append(reading)
    yield batch, True
