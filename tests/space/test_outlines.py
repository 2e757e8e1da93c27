"""Of many new notes title and headings get their vectors first, so that all can be found by meaning soon."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from notesd.embed.jobs import SetAside
from notesd.files.ignore import Ignore
from notesd.index.store import Reader
from notesd.index.vector_cache import VectorCache
from notesd.ingest.follow import Follower
from notesd.models.manifest import File, Manifest
from notesd.settings import Config
from notesd.space.embedding import SHORT_WORDS, Embedder
from notesd.space.vectors import OUTLINES_FROM, SpaceVectors

D = 8
LONG = " ".join(f"word{at}" for at in range(SHORT_WORDS))


def vector(text: str) -> bytes:
    """Some vector, always the same of one text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    return np.random.default_rng(seed).standard_normal(D).astype(np.float32).tobytes()


class Process:
    """Encodes at once, and remembers what."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def encode_passages(self, texts: Sequence[str]) -> list[bytes | SetAside]:
        self.texts += texts
        return [vector(text) for text in texts]


class Folder:
    """A folder of notes, indexed; as much of a space as its vectors need."""

    def __init__(self, home: Path) -> None:
        self.root = home / "notes"
        self.root.mkdir()
        self._follower = Follower(str(self.root), str(home / "state"), Ignore(()), Config())
        self._follower.open()
        self.folder = str(home / "vectors")
        self.fault = None
        self.cache = VectorCache(str(home / "cache"), "model", D)

    def write(self, name: str, text: str) -> None:
        (self.root / f"{name}.md").write_text(text)

    def scan(self) -> None:
        self._follower.scan()

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        assert self._follower.store
        yield self._follower.store.peek()

    def vectors(self) -> SpaceVectors:
        made = SpaceVectors(cast("Any", self))
        made.open("model", D, "tiny")
        return made

    def close(self) -> None:
        self._follower.close()
        self.cache.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = Folder(tmp_path)
    for at in range(OUTLINES_FROM):
        made.write(f"n{at:03d}", f"# Note {at}\n\n## Harbour {at}\n\n{LONG}\n")
    made.scan()
    yield made
    made.close()


def embedder(folder: Folder) -> tuple[Embedder, Process]:
    manifest = Manifest(
        name="tiny", source="a test", variant="none", licence="MIT", dimensions=D, max_tokens=512,
        files=(File("model.onnx", "0" * 64, 1), File("tokenizer.json", "0" * 64, 1)),
    )  # fmt: skip
    process = Process()
    return Embedder(cast("Any", process), folder.cache, manifest, "passages"), process


def go_on(vectors: SpaceVectors, by: Embedder, most: int = 10**6) -> int:
    """Embed some notes as the thread does; returns how many turns it took."""
    vectors.look()
    for turn in range(most):
        outlines = bool(vectors.unoutlined)
        batch = vectors.next_notes(16)
        if not batch:
            return turn
        by.embed(vectors, batch, outlines=outlines)
        vectors.tell_building()
    return most


def found(vectors: SpaceVectors, text: str, **more: Any) -> list[tuple[str, int]]:
    return [(near.note, near.position) for near in vectors.nearest(vector(text), 1, **more)]


def test_all_are_found_by_title_and_headings_before_the_first_has_its_passages(folder: Folder) -> None:
    """Then each by its passages, and its headings no longer count for a question in its own language."""
    vectors, (by, process) = folder.vectors(), embedder(folder)
    turns = -(-OUTLINES_FROM // 16)

    go_on(vectors, by, turns)

    assert not any(LONG in text for text in process.texts)
    assert (vectors.done, vectors.state.outlined) == (0, OUTLINES_FROM)
    assert f"0 of {OUTLINES_FROM} by their text" in vectors.progress()
    titled = {found(vectors, f"Note {at}")[0] for at in range(OUTLINES_FROM)}
    headed = {found(vectors, f"Note {at} > Harbour {at}")[0] for at in range(OUTLINES_FROM)}
    assert len(titled) == len(headed) == OUTLINES_FROM
    assert {position for _, position in headed} == {-1}

    go_on(vectors, by)

    assert (vectors.done, vectors.state.outlined, vectors.progress()) == (OUTLINES_FROM, 0, "")
    said = {found(vectors, f"Note {at} > Harbour {at}\n{LONG}")[0] for at in range(OUTLINES_FROM)}
    assert said == {(note, 0) for note, _ in titled}
    store = vectors.store
    assert store is not None
    assert store.check() == []
    assert store.counts().passages == 2 * OUTLINES_FROM  # the titles alone are gone
    assert len(process.texts) == len(set(process.texts)) == 3 * OUTLINES_FROM


def test_an_interrupted_pass_goes_on_where_it_was(folder: Folder) -> None:
    """Outlines are known for what they are after a restart, and nothing is encoded twice."""
    vectors, (by, process) = folder.vectors(), embedder(folder)
    go_on(vectors, by, 5)
    assert vectors.store is not None
    vectors.store.close()

    again = folder.vectors()
    again.look()
    again.tell_building()

    assert (again.done, again.state.outlined, len(again.unoutlined)) == (0, 80, 0)
    assert [len(found(again, f"Note {at}")) for at in range(3)] == [1, 1, 1]
    go_on(again, by)
    assert (again.done, again.state.outlined) == (OUTLINES_FROM, 0)
    assert len(process.texts) == len(set(process.texts))


def test_a_short_note_is_embedded_whole_at_once(folder: Folder) -> None:
    """Its passage costs no more than its outline."""
    folder.write("short", "# Kiln\n\nThe glaze is fired.\n")
    folder.scan()
    vectors, (by, process) = folder.vectors(), embedder(folder)

    go_on(vectors, by, -(-(OUTLINES_FROM + 1) // 16))

    assert vectors.done == 1
    assert "Kiln\nThe glaze is fired." in process.texts
    assert "Kiln" not in process.texts


def test_few_new_notes_have_their_passages_at_once(folder: Folder) -> None:
    """An outline would only be thrown away; so would one of a note that has vectors already."""
    vectors, (by, process) = folder.vectors(), embedder(folder)
    go_on(vectors, by)
    del process.texts[:]
    folder.write("new", f"# New\n\n## Part\n\n{LONG}\n")
    folder.write("n000", f"# Note 0\n\n## Harbour 0\n\nchanged {LONG}\n")
    folder.scan()

    go_on(vectors, by)

    assert sorted(process.texts) == sorted(
        [f"New > Part\n{LONG}", "New > Part", f"Note 0 > Harbour 0\nchanged {LONG}"]
    )


def test_what_is_gone_or_asks_not_to_be_embedded_leaves_no_outline(folder: Folder) -> None:
    """Deleted, hidden and private notes."""
    vectors, (by, _) = folder.vectors(), embedder(folder)
    go_on(vectors, by, -(-OUTLINES_FROM // 16))
    (folder.root / "n000.md").unlink()
    folder.write("n001", f"---\nembed: false\n---\n# Note 1\n\n{LONG}\n")
    folder.write("n002", f"---\nprivate: true\n---\n# Note 2\n\n{LONG}\n")
    folder.scan()

    vectors.look()
    vectors.tell_building()

    assert vectors.state.outlined == OUTLINES_FROM - 3
    assert vectors.store is not None
    assert vectors.store.counts().notes == OUTLINES_FROM - 3
    with folder.reading() as reader:
        live = [row[0] for row in reader.rows("SELECT key FROM note WHERE embed AND NOT private")]
    assert vectors.store.check(live) == []


@pytest.mark.parametrize("allowed", [None, "some"])
def test_a_filter_holds_for_outlines_too(folder: Folder, allowed: str | None) -> None:
    """Only notes that a filter lets through are found, by whatever."""
    vectors, (by, _) = folder.vectors(), embedder(folder)
    go_on(vectors, by, -(-OUTLINES_FROM // 16) + 3)
    keys = [note for note, _ in (found(vectors, f"Note {at}")[0] for at in range(9))]

    only = None if allowed is None else set(keys[:3])
    every = {near.note for near in vectors.nearest(vector("x"), OUTLINES_FROM, only)}

    assert len(every) == (OUTLINES_FROM if only is None else 3)
    assert only is None or every == only
