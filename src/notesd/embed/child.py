"""The embedding process as a child: its program, and what it says."""

import sys
from collections.abc import Iterator
from typing import Final

import msgspec

from notesd.children.child import Child, ChildLost
from notesd.embed.messages import Reply

COMMAND: Final = (sys.executable, "-P", "-m", "notesd.embed.worker")
"""``-P``: a package called notesd in the current folder must not be taken for ours."""
ENVIRONMENT: Final = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "MALLOC_ARENA_MAX": "2",  # every further one is memory that comes back late
}

_replies = msgspec.msgpack.Decoder(Reply)


def replies(child: Child) -> Iterator[Reply]:
    """Take the replies that have arrived.

    Raises:
        ChildLost: After all that can be read: there will be no more.
    """
    while (data := child.take()) is not None:
        try:
            yield _replies.decode(data)
        except msgspec.DecodeError:
            raise ChildLost("gave an answer that cannot be read") from None
