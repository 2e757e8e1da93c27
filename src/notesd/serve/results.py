"""What does an answer to ``search`` or ``feed`` say? Its fields in the order in which they are written."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, Raw, Struct, UnsetType, field, structs

ChannelState = Literal["off", "ok", "building", "unavailable", "timeout", "pending"]


class Correction(Struct, frozen=True):
    """A word, and a near one that was searched for as well."""

    typed: str = field(name="from")
    meant: str = field(name="to")


class NextPage(Struct, frozen=True):
    """The parameters that ask for what comes after a page that was cut."""

    offset: int


class Channels(Struct, frozen=True):
    """What came of asking each channel."""

    lexical: ChannelState
    semantic: ChannelState
    graph: ChannelState


class SearchResult(Struct, frozen=True):
    """One page of hits, and what is to be known of it."""

    query: str
    """As it was asked."""
    results: Sequence[Raw]
    """Hits as they will be written, best first."""
    total: int
    """Found so far, where it is not exact."""
    total_is_exact: bool
    corrected: Sequence[Correction]
    has_more: bool
    degraded: Sequence[Mapping[str, Any]]
    """What the answer lacks, and why."""
    index: Mapping[str, Any]
    """How far the index has followed the folder, see ``serve.freshness``."""
    took_ms: Mapping[str, float]
    """Milliseconds of each stage, of all spaces together."""
    spaces: Mapping[str, str]
    """Folder of each space that answered."""
    truncated: bool | UnsetType = UNSET
    """True: the page was cut; left out otherwise."""
    next: NextPage | UnsetType = UNSET
    explain: Mapping[str, Any] | UnsetType = UNSET
    """Where it was asked for, as are the next and the one after."""
    why: Mapping[str, Any] | UnsetType = UNSET
    channels: Channels | UnsetType = UNSET
    """Of ``search`` alone."""
    routing_strategy: str | UnsetType = UNSET
    """Where use may re-rank."""

    def partial(self, request_id: Raw | None) -> Mapping[str, object]:
        """The same as the parameters of the notification ``search.partial``."""
        said = {name: one for name, one in structs.asdict(self).items() if one is not UNSET}
        return {"id": request_id, **said}
