"""How much may one request cost, and does anybody still wait for its answer?

Counted is the processor's time of the threads that work on it, not the time on the wall: a loaded machine
makes everybody slower, it does not make a question dearer.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterator

QUICK_S = 0.1
"""Seconds of CPU a request may take among the quick ones; what takes more goes on among the costly."""


class Interrupted(Exception):
    """Work on a request ends here. No ``NotesdError``, so that no part of the work takes it for its own."""


class Abandoned(Interrupted):
    """Nobody waits for the answer any more."""


class NotQuick(Interrupted):
    """It costs more than a quick request may; it is to be begun anew among the costly ones."""


class OverBudget(Interrupted):
    """It has cost what it may cost; what is known by now is the answer."""


class Budget:
    """What one request may cost, over all threads that work on it."""

    def __init__(self, cpu_s: float = math.inf) -> None:
        """Take the limit in seconds of CPU."""
        self.cpu_s = cpu_s
        self.spent_s = 0.0
        """By what has ended."""
        self.abandoned = False
        """Set from any thread; the work ends within a few milliseconds."""


class Meter:
    """One stretch of work on a request, in the thread that makes it."""

    def __init__(
        self, budget: Budget, *, quick: bool = False, clock: Callable[[], float] = time.thread_time
    ) -> None:
        """Begin to count.

        Args:
            budget: Of the request.
            quick: It has to end as a quick one.
            clock: Seconds of CPU of the running thread.
        """
        self._budget = budget
        self._quick = quick
        self._clock = clock
        self._began = clock()
        self._limit = QUICK_S if quick else budget.cpu_s
        self._rest_s = budget.cpu_s / 4
        self.over = False
        """Something was left out because of the cost."""

    def check(self) -> None:
        """Go on, or end here.

        Raises:
            Interrupted: Which kind says why.
        """
        if self._budget.abandoned:
            raise Abandoned
        if self._spent_s() > self._limit:
            if self._quick:
                raise NotQuick
            self.over = True
            raise OverBudget

    def wind_up(self) -> None:
        """After ``OverBudget``: allow a quarter of it again, for making an answer of what is known.

        The next time it is half as much, and so on: however often, half of it again altogether.
        """
        self._limit = self._spent_s() + self._rest_s
        self._rest_s /= 2

    def _spent_s(self) -> float:
        return self._budget.spent_s + self._clock() - self._began

    @contextlib.contextmanager
    def uncharged(self) -> Iterator[None]:
        """Work within this stretch that the request is not to pay for."""
        began = self._clock()
        try:
            yield
        finally:
            self._began += self._clock() - began

    def end(self) -> None:
        """Charge the request with this stretch."""
        self._budget.spent_s += self._clock() - self._began


FREE = Meter(Budget())
"""Of work that nobody limits."""
