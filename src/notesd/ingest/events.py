"""What does a space tell of, as its index follows its folder?"""

from collections.abc import Sequence
from typing import Protocol

from notesd.ingest.ingest import Progress
from notesd.model import NotePath


class Events(Protocol):
    """Who listens to one space. All of it is called in the space's thread, and must not wait."""

    def changed(self, generation: int, paths: Sequence[NotePath] | None, /) -> None:
        """Questions see another generation of the index, in which these notes differ; None: perhaps all."""

    def progressed(self, now: Progress, /) -> None:
        """A step of a pass is over."""

    def replaced(self) -> None:
        """Another folder stands there, or a disk came or went: watches on what was there are blind."""
