"""What may one answer of each method cost and hold? One table for all of them."""

import math
from collections.abc import Mapping

from msgspec import Struct

MOST_BYTES = 4 << 20
"""Bytes of the lists of an answer; what does not fit is on the next page."""
LONGEST_ANSWER = 8 << 20
"""Bytes of an answer with everything in it. No request should come near it; one that does is refused."""


class Bound(Struct, frozen=True):
    """What one request may ask for."""

    items: int
    """Entries of all lists of its answer together."""
    cpu_s: float = math.inf
    """Seconds of the processor's time; infinite for what nobody waits for in line."""
    more_s: float = 0.0
    """Seconds more for each entry that a request asks for with ``limit``."""
    costly: bool = False
    """It is known to take a while, so it is not even begun among the quick ones."""
    binding: bool = False
    """It changes something, so it is carried out even when the client leaves."""


BOUNDS: Mapping[str, Bound] = {
    "ping": Bound(1, 1.0),
    "status": Bound(1_000, 5.0),
    "search": Bound(1_000, 0.65, 0.001),
    "feed": Bound(1_000, 0.65, 0.001),
    "open": Bound(20_000, 2.0),
    "links": Bound(10_000, 2.0),
    "related": Bound(1_000, 1.0, 0.001),
    "check": Bound(10_000, 5.0, costly=True),
    "properties": Bound(10_000, 2.0),
    "names": Bound(1_000, 0.65),
    "export": Bound(100_000, 5.0, costly=True),
    "rescan": Bound(1, binding=True),
    "subscribe": Bound(1_000, 1.0),
    "tune": Bound(100, binding=True),
    "forget": Bound(1, binding=True),
}
