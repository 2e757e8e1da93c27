"""What can be had of a folder without a daemon?"""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
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
    one = space_from_folder(folder, [])
    state = tempfile.mkdtemp(prefix="notesd-")
    try:
        config = check_spaces(replace(config, spaces=(one,)), state)
        space = Space(one, state_of(state, one.path), config)
        space.start()
        try:
            space.settled().result()
            with space.reading() as reader:
                document = export_of(reader)
                if queries:
                    document["search"] = [
                        {"q": text, "paths": _paths(reader, text, config)} for text in queries
                    ]
        finally:
            space.stop()
    finally:
        shutil.rmtree(state, ignore_errors=True)
    return document


def _paths(reader: Any, text: str, config: Config) -> list[str]:  # noqa: ANN401 -- the reader of an index, which is not ours to name
    query = parse_query(text, datetime.now().astimezone().date(), properties.keys(reader))
    asked = Asked(query, config.search.limit)
    return [hit["path"] for hit in engine.search(reader, asked).hits]
