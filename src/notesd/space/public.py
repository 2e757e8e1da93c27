"""A space as agents see it: its private notes are as if they were not there."""

from contextlib import AbstractContextManager

from notesd.errors import MassDeletion, StoreCorrupt
from notesd.index import around
from notesd.index.budget import Meter
from notesd.index.store import Reader, Store
from notesd.ingest.ledger import Debt
from notesd.model import NotePath, Problem, Stamp
from notesd.space.condition import OutOfSight
from notesd.space.space import Space


class PublicSpace(Space):
    """The same space with another index to read.

    All that is derived from notes is read from an index that has no private note (``ingest.public``). What
    is known beside the index names notes by their paths, and is told of those alone that this index has.
    """

    def __init__(self, whole: Space) -> None:
        """See a space so; it goes on running."""
        self.__dict__ = whole.__dict__  # no state of its own

    @property
    def fault(self) -> Problem | None:  # type: ignore[explicit-override]  # 3.12 has it
        """The same, without a number: of the notes that are missing some may be private."""
        fault = super().fault
        if fault is None or fault.kind != MassDeletion.kind:
            return fault
        return Problem(fault.kind, f"notes are missing in {self.root}; what is known of them is kept for now")

    def _read(self, store: Store, meter: Meter) -> AbstractContextManager[Reader]:  # type: ignore[explicit-override]  # 3.12 has it
        return self.follower.public.read(store, meter)

    def _owed(self) -> Debt:  # type: ignore[explicit-override]  # 3.12 has it
        return self.ledger.debt(self.follower.public.hidden)

    def out_of_sight(self, reader: Reader | None) -> OutOfSight:  # type: ignore[explicit-override]  # 3.12 has it
        """The same, of notes that are known and not private: what nobody could read may be private."""
        whole = super().out_of_sight(reader)

        def is_public(path: str) -> bool:
            return reader is not None and around.any_at_or_below(reader, path)

        unlisted = {
            path: problem
            for path, problem in whole.unlisted.items()
            if problem.kind not in {"offline", "unlinked"} or is_public(path)
        }
        return OutOfSight(
            unlisted, whole.odd, {path: one for path, one in whole.unread.items() if is_public(path)}
        )

    def file_at(self, _path: NotePath, /) -> Stamp | Problem | None:  # type: ignore[explicit-override]  # 3.12 has it
        """Nothing: whatever is there was not read, so it may be private."""
        return None

    def report_damage(self, error: StoreCorrupt) -> None:  # type: ignore[explicit-override]  # 3.12 has it
        """The same; the copy without private notes is made anew in any case."""
        self.follower.public.drop()
        super().report_damage(error)
