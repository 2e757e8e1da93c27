"""What tests of the search stand on: an index of a few notes."""

from collections.abc import Callable, Iterator, Mapping

import pytest

from notesd.files.ignore import Ignore
from notesd.index.store import Reader
from notesd.ingest.follow import Follower
from notesd.settings import Config


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Mapping[str, str]], Reader]]:
    """Index small folders, given as path and text; each call makes one more."""
    followers: list[Follower] = []

    def index(texts: Mapping[str, str]) -> Reader:
        home = tmp_path_factory.mktemp("indexed")
        root = home / "notes"
        root.mkdir()
        for path, text in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        followers.append(Follower(str(root), str(home / "state"), Ignore(()), Config()))
        followers[-1].open()
        followers[-1].scan()
        store = followers[-1].store
        assert store is not None
        return store.peek()

    yield index
    for follower in followers:
        follower.close()
