"""An index file made for a test."""

from pathlib import Path

from notesd.index import index_files
from notesd.index.store import Store


def made(folder: Path, *, complete: bool = True, fact: str = "") -> Store:
    """A new index that says whether it is complete, and one fact."""
    store = index_files.create(str(folder), fingerprint="f", stemmer="none")
    with store.write() as writer:
        writer.set_meta("complete", int(complete))
        writer.set_meta("fact", fact)
    return store
