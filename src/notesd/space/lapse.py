"""Was the machine asleep, or was its clock set, since we last looked?

Events of a file system are not to be relied on over a sleep (a network folder may have changed, the
system may have dropped some), and times of files written before and after a jump do not compare.
"""

import time

_SLEPT_S = 1.0
_SET_S = 5.0
"""Smaller steps are what time servers do all day."""


class Lapse:
    """Remembers how the clocks stood to each other."""

    def __init__(self) -> None:
        self._before = _clocks()

    def happened(self) -> bool:
        """Say whether time has passed that we know nothing of; each lapse is told once."""
        slept, wall = _clocks()
        slept_before, wall_before = self._before
        self._before = (slept, wall)
        return slept - slept_before > _SLEPT_S or abs(wall - wall_before - (slept - slept_before)) > _SET_S


def _clocks() -> tuple[float, float]:
    """Seconds slept since boot, where the system says, and the wall clock; both less the monotonic clock."""
    now = time.monotonic()
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    slept = time.clock_gettime(boot) - now if boot is not None else 0.0
    return slept, time.time() - now
