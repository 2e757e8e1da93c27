"""What people type into a search box brings the note they mean.

Each file here is one kind of need. A line is a folder of notes (``files``) with what is asked of it
(``asks``): the query ``q``, and the note that has to be ``first``, those that have to be found (``finds``)
or that must not (``not``).
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct, field

from notesd.files.ignore import Ignore
from notesd.ingest.follow import Follower
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query
from notesd.settings import Config

HERE = Path(__file__).parent
MOMENT = 1_700_000_000


class Ask(Struct, forbid_unknown_fields=True):
    """One query."""

    q: str
    first: str | None = None
    finds: tuple[str, ...] = ()
    no: tuple[str, ...] = field(name="not", default=())


class Vault(Struct, forbid_unknown_fields=True):
    """One folder."""

    files: Mapping[str, str]
    asks: tuple[Ask, ...]


VAULTS = [
    pytest.param(msgspec.json.decode(line, type=Vault), id=f"{path.stem}-{number}")
    for path in sorted(HERE.glob("*.jsonl"))
    for number, line in enumerate(path.read_bytes().splitlines(), 1)
]


@pytest.mark.parametrize("vault", VAULTS)
def test_what_is_typed_brings_the_note_that_is_meant(vault: Vault, tmp_path: Path) -> None:
    """By words alone."""
    root = tmp_path / "notes"
    for path, text in vault.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    follower = Follower(str(root), str(tmp_path / "state"), Ignore(()), Config())
    follower.open()
    follower.scan()
    assert follower.store is not None
    wrong = []
    with follower.store.read() as reader:
        for ask in vault.asks:
            assert ask.first or ask.finds or ask.no, ask
            found = engine.search(reader, Asked(parse_query(ask.q), 10)).hits
            paths = [str(hit["path"]) for hit in found]
            if ask.first and paths[:1] != [ask.first]:
                wrong.append((ask, paths))
            if not {*ask.finds} <= {*paths} or {*ask.no} & {*paths}:
                wrong.append((ask, paths))
    follower.close()

    assert not wrong
