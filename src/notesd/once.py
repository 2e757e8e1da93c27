"""What can be had of a folder without a daemon?"""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from notesd.config import load, space_from_folder
from notesd.files.roots import check_spaces
from notesd.index import properties
from notesd.locations import state_of
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query
from notesd.serve.report import export_of
from notesd.settings import Config
from notesd.space.space import Space


def export_folder(
    folder: str, queries: Sequence[str] = (), environ: Mapping[str, str] = os.environ
) -> dict[str, Any]:
    """Build the index of a folder in a temporary state, and describe it; no daemon is needed.

    Args:
        folder: The notes.
        queries: Asked of the new index; the paths found stand under ``search``.
        environ: Read for the search flags.

    Raises:
        ConfigError: The folder cannot be used.
        SpaceUnavailable: It cannot be read.
    """
    config = load(None, environ)
    with _indexed(folder, config) as reader:
        document = export_of(reader)
        if queries:
            document["search"] = [
                {"q": text, "paths": _paths(reader, text, config.search.limit)} for text in queries
            ]
    return document


def search_texts(texts: Mapping[str, str], query: str, limit: int) -> list[str]:
    """Search texts that lie in no folder of notes.

    Args:
        texts: By path, which ends in ``.md``.
        query: Query text.
        limit: How many results at most.

    Returns:
        Paths, best first.
    """
    with tempfile.TemporaryDirectory(prefix="notesd-") as folder:
        for path, text in texts.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(text)
        with _indexed(folder, load(None, {})) as reader:
            return _paths(reader, query, limit)


@contextlib.contextmanager
def _indexed(folder: str, config: Config) -> Iterator[Any]:
    """Read from the index of a folder, which is built in a temporary state."""
    one = space_from_folder(folder, [])
    with tempfile.TemporaryDirectory(prefix="notesd-", ignore_cleanup_errors=True) as state:
        config = check_spaces(replace(config, spaces=(one,)), state)
        space = Space(one, state_of(state, one.path), config)
        space.start()
        try:
            space.settled().result()
            with space.reading() as reader:
                yield reader
        finally:
            space.stop()


def _paths(reader: Any, text: str, limit: int) -> list[str]:  # noqa: ANN401 -- the reader of an index, which is not ours to name
    query = parse_query(text, datetime.now().astimezone().date(), properties.keys(reader))
    return [hit["path"] for hit in engine.search(reader, Asked(query, limit)).hits]
