"""Files of vectors: what is stored, refused, forgotten, trusted and found."""

import importlib.util
import math
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notesd.errors import BadVector, Busy, VectorsMissing
from notesd.index import vector_files
from notesd.index.store import Store
from notesd.index.vector_rows import changed_since, every_vector, places, vectors_of
from notesd.index.vectors import Counts, Piece, State, VectorStore

D = 4


def packed(*numbers: float) -> bytes:
    return struct.pack(f"{len(numbers)}f", *numbers)


ONE, TWO, THREE = packed(1, 0, 0, 0), packed(0, 1, 0, 0), packed(0.6, 0.8, 0, 0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    opened = VectorStore.open(str(tmp_path), "model", D)
    yield opened
    opened.close()


def put(store: VectorStore, note: str, *vectors: bytes, digest: bytes = b"d", words: int = 30) -> None:
    """Store vectors whose hashes are the vectors themselves."""
    with store.write() as writer:
        pieces = [Piece(at, vector, vector) for at, vector in enumerate(vectors)]
        store.put(writer, note, digest, words, pieces)


def remove(store: VectorStore, *notes: str) -> None:
    with store.write() as writer:
        store.remove(writer, notes)


def content(store: VectorStore) -> dict[str, list[bytes]]:
    """The vectors of each note in order."""
    with store.read() as reader:
        found: dict[str, list[bytes]] = {}
        for place in sorted(places(reader, "passages"), key=lambda place: place.position):
            found.setdefault(place.note, []).append(vectors_of(reader, [place.id])[place.id])
        return found


def nearest(store: VectorStore, query: bytes, k: int = 1) -> list[bytes]:
    """Ask vec0 itself."""
    with store.read() as reader:
        table = vector_files.vec_of(reader)
        sql = f"SELECT embedding FROM {table} WHERE embedding MATCH ? AND k = ? ORDER BY distance"
        return [row[0] for row in reader.rows(sql, (query, k))]


def chunks(store: VectorStore) -> int:
    with store.read() as reader:
        return int(reader.value(f"SELECT count(*) FROM {vector_files.vec_of(reader)}_chunks"))


def test_what_was_put_is_found(store: VectorStore) -> None:
    """A note's vectors come back in their order, and a search of vec0 finds them."""
    put(store, "a", ONE, TWO)
    put(store, "b", THREE)

    assert content(store) == {"a": [ONE, TWO], "b": [THREE]}
    assert nearest(store, packed(0.1, 1, 0, 0)) == [TWO]
    assert store.counts() == Counts(notes=2, passages=3, set_aside=0)
    assert store.check(["a", "b"]) == []


def test_a_note_can_be_embedded_again_and_again(store: VectorStore) -> None:
    """The second text's vector answers, and the first one's is gone."""
    for vector in (ONE, TWO, THREE):
        put(store, "a", vector)

    assert content(store) == {"a": [THREE]}
    assert nearest(store, ONE, k=3) == [THREE]


def test_a_passage_that_only_moved_keeps_its_row(store: VectorStore) -> None:
    """A paragraph put on top of a note does not write its other vectors anew."""
    put(store, "a", ONE, TWO)
    with store.read() as reader:
        before = {place.position: place.id for place in places(reader, "passages")}

    put(store, "a", THREE, ONE, TWO)

    with store.read() as reader:
        after = {place.position: place.id for place in places(reader, "passages")}
    assert (after[1], after[2]) == (before[0], before[1])
    assert content(store) == {"a": [THREE, ONE, TWO]}
    assert store.check(["a"]) == []


def test_the_same_passage_twice_has_two_rows(store: VectorStore) -> None:
    """Passages with one hash are counted each."""
    put(store, "a", ONE, ONE)
    put(store, "a", ONE, ONE, ONE)
    put(store, "a", ONE)

    assert content(store) == {"a": [ONE]}
    assert store.check(["a"]) == []


def test_an_id_is_never_given_twice(store: VectorStore) -> None:
    """Whoever remembers an id finds its own vector under it, or none."""
    put(store, "a", ONE)
    with store.read() as reader:
        (old,) = [place.id for place in places(reader, "passages")]
    remove(store, "a")
    put(store, "b", TWO)

    with store.read() as reader:
        assert vectors_of(reader, [old]) == {}


@pytest.mark.parametrize(
    "vector",
    [
        packed(math.nan, 1, 0, 0), packed(math.inf, 0, 0, 0), packed(1, -math.inf, 0, 0), packed(0, 0, 0, 0),
        packed(1e-30, 0, 0, 0), packed(3e38, 3e38, 0, 0), packed(1, 0, 0), packed(1, 0, 0, 0, 0), b"",
        ONE[:-1],
    ],
    ids=["nan", "inf", "-inf", "zero", "nearly zero", "too large", "short", "long", "empty", "cut"],
)  # fmt: skip
def test_what_is_no_vector_is_refused_whole(store: VectorStore, vector: bytes) -> None:
    """vec0 would answer every question with such a vector first; nothing of its note is written."""
    put(store, "a", ONE)

    with pytest.raises(BadVector), store.write() as writer:
        store.put(writer, "b", b"d", 30, [Piece(0, b"good", TWO), Piece(1, b"bad", vector)])
    with store.write() as writer:
        with pytest.raises(BadVector):
            store.put(writer, "a", b"new", 30, [Piece(0, b"good", TWO), Piece(1, b"bad", vector)])
        store.set_aside(writer, "a", b"new", "no vector")

    assert content(store) == {"a": [ONE]}
    assert store.state()["a"] == State(b"d", 30, b"new", "no vector", 1)
    assert store.check(["a"]) == []


def test_removed_notes_leave_nothing(store: VectorStore) -> None:
    """A note that goes takes its vectors with it; one that was never known is passed over."""
    put(store, "a", ONE, TWO)
    put(store, "b", THREE)
    with store.write() as writer:
        store.set_aside(writer, "c", b"d", "too strange")

    remove(store, "a", "c", "never seen")

    assert content(store) == {"b": [THREE]}
    assert store.state() == {"b": State(b"d", 30)}
    assert store.check(["b"]) == []


def test_state_says_what_is_done_and_what_failed(store: VectorStore) -> None:
    """Digest and words of what is embedded; reason and tries of what is not; success clears both."""
    put(store, "done", ONE, digest=b"1", words=7)
    put(store, "nothing to say", digest=b"2", words=0)
    with store.write() as writer:
        tries = [store.set_aside(writer, "bad", digest, "why") for digest in (b"3", b"3", b"4")]

    assert tries == [1, 2, 1]
    assert store.state() == {
        "done": State(b"1", 7), "nothing to say": State(b"2", 0), "bad": State(None, 0, b"4", "why", 1),
    }  # fmt: skip
    assert store.state(["bad", "unknown"]) == {"bad": State(None, 0, b"4", "why", 1)}

    put(store, "bad", ONE, digest=b"4")
    assert store.state(["bad"]) == {"bad": State(b"4", 30)}


def test_changes_are_told_by_generation(store: VectorStore) -> None:
    """Who knows one generation hears of every note that differs in the present one."""
    put(store, "a", ONE)
    put(store, "b", TWO)
    with store.read() as reader:
        known = reader.generation
    put(store, "b", THREE)
    put(store, "c", ONE)
    remove(store, "a")

    with store.read() as reader:
        told = changed_since(reader, known)
        assert told is not None
        assert sorted(told) == ["a", "b", "c"]
        assert changed_since(reader, reader.generation) == []


def test_work_survives_the_end_of_the_process(tmp_path: Path) -> None:
    """Killed in a transaction, the file holds every earlier one whole and nothing of the last."""
    code = f"""
import os
from notesd.index.vectors import Piece, VectorStore
store = VectorStore.open({str(tmp_path)!r}, "model", 4)
for note in "abc":
    with store.write() as writer:
        store.put(writer, note, b"d", 30, [Piece(0, b"h", bytes.fromhex({ONE.hex()!r}))])
        store.put(writer, note + "2", b"d", 30, [Piece(0, b"h", bytes.fromhex({TWO.hex()!r}))])
        if note == "c":
            os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9

    store = VectorStore.open(str(tmp_path), "model", D)

    assert store.damage == ()
    assert content(store) == {"a": [ONE], "a2": [TWO], "b": [ONE], "b2": [TWO]}
    assert store.check(["a", "a2", "b", "b2"]) == []
    store.close()


def test_chunks_are_given_back(store: VectorStore) -> None:
    """vec0 keeps the gaps that deleting leaves; once they are half of it, the rest moves together."""
    rows = 40 * vector_files.CHUNK
    with store.write() as writer:
        for number in range(rows):
            store.put(writer, f"{number:05d}", b"d", 30, [Piece(0, b"%d" % number, packed(1, number, 2, 3))])
    kept = [f"{number:05d}" for number in range(0, rows, vector_files.CHUNK)]
    assert (chunks(store), store.compact()) == (40, False)
    remove(store, *(set(store.state()) - set(kept)))
    before = content(store)
    store._store.harden()
    size = os.path.getsize(store.path)
    with store.read() as reader:
        ids, known = [place.id for place in places(reader, "passages")], reader.generation
    assert chunks(store) == 40

    assert store.compact()

    assert chunks(store) == 1
    assert content(store) == before
    with store.read() as reader:
        assert [place.id for place in places(reader, "passages")] == ids
        assert sorted(each for each, _ in every_vector(reader)) == ids
        assert changed_since(reader, known) == []
        assert changed_since(reader, known - 1) is None
    assert os.path.getsize(store.path) < size
    assert store.check(kept) == []
    put(store, "more", TWO)
    assert nearest(store, TWO) == [TWO]


def test_a_forced_copy_leaves_no_trace(store: VectorStore) -> None:
    """Neither key nor vector of a removed note is in the file afterwards."""
    secret = packed(0.123, 0.456, 0.789, 0.321)
    put(store, "id:secret-key", secret)
    put(store, "a", ONE)
    remove(store, "id:secret-key")

    store.compact(force=True)

    folder = Path(store.path).parent
    raw = b"".join(file.read_bytes() for file in folder.iterdir())
    assert secret not in raw
    assert b"secret-key" not in raw
    assert content(store) == {"a": [ONE]}


def test_readers_go_on_while_vectors_move(store: VectorStore) -> None:
    """Who reads sees one generation, whatever is copied meanwhile."""
    put(store, "a", ONE)
    with store.read() as reader:
        before = list(places(reader, "passages"))
        put(store, "a", TWO)
        store._store._writer.set_busy_timeout(1)  # emptying the log would wait for this reader
        store.compact(force=True)
        assert list(places(reader, "passages")) == before
        assert vectors_of(reader, [before[0].id]) == {before[0].id: ONE}
    assert content(store) == {"a": [TWO]}


# ---- which file -----------------------------------------------------------------------------------


def reopened(folder: Path, fingerprint: str = "model", dimensions: int = D) -> VectorStore:
    return VectorStore.open(str(folder), fingerprint, dimensions)


def files(folder: Path) -> int:
    return len(vector_files.vector_files(str(folder)))


def test_another_model_begins_beside_the_old_one(tmp_path: Path) -> None:
    """Never a mix: the old model's complete vectors stay until the new one's are complete."""
    old = reopened(tmp_path)
    put(old, "a", ONE)
    old.finish()
    old.close()

    new = reopened(tmp_path, "other", 3)
    assert (new.counts().notes, new.dimensions, new.complete, files(tmp_path)) == (0, 3, False, 2)
    new.close()
    back = reopened(tmp_path)
    assert (content(back), back.complete) == ({"a": [ONE]}, True)
    back.close()

    new = reopened(tmp_path, "other", 3)
    new.finish()
    assert files(tmp_path) == 1
    new.close()
    again = reopened(tmp_path)
    assert (again.counts().notes, again.damage) == (0, ())
    again.close()


def test_an_unfinished_build_is_taken_up(tmp_path: Path) -> None:
    """What was embedded before the daemon stopped is not embedded again."""
    store = reopened(tmp_path)
    put(store, "a", ONE)
    store.close()

    store = reopened(tmp_path)

    assert (content(store), store.complete, files(tmp_path)) == ({"a": [ONE]}, False, 1)
    store.close()


def test_same_model_with_another_size_is_another_model(tmp_path: Path) -> None:
    """Vectors of 4 and of 8 numbers never meet in a table."""
    reopened(tmp_path).close()

    store = reopened(tmp_path, dimensions=8)

    assert (store.dimensions, store.counts().notes) == (8, 0)
    store.close()


def cut(path: str) -> None:
    os.truncate(path, 5_000)


def emptied(path: str) -> None:
    os.truncate(path, 0)


def noise(path: str) -> None:
    with open(path, "r+b") as file:
        file.write(os.urandom(8_192))


def foreign(path: str) -> None:
    other = vector_files._create(os.path.dirname(path), vector_files._full_fingerprint("model", D), D)
    other.harden()
    other.close()
    shutil.move(other.path, path)


def row_lost(path: str) -> None:
    store = VectorStore(Store(path, prepare=vector_files.prepare))
    with store.write() as writer:
        writer.run("DELETE FROM passage")
    store.close()


def table_lost(path: str) -> None:
    store = VectorStore(Store(path, prepare=vector_files.prepare))
    with store.write() as writer:
        writer.run("DROP TABLE embedded")
        writer.run("DROP TABLE vec_1")
    store.close()


@pytest.mark.parametrize("harm", [cut, emptied, noise, foreign, row_lost, table_lost])
def test_a_file_that_cannot_be_trusted_begins_anew(tmp_path: Path, harm: Callable[[str], None]) -> None:
    """Damage costs the vectors and a sentence, never a wrong answer."""
    store = reopened(tmp_path)
    put(store, "a", ONE)
    store.finish()
    store.close()
    harm(store.path)

    store = reopened(tmp_path)

    assert (store.counts().notes, len(store.damage), files(tmp_path)) == (0, 1, 1)
    put(store, "a", ONE)
    assert store.check(["a"]) == []
    store.close()


def test_a_foreign_log_is_unmasked(tmp_path: Path) -> None:
    """SQLite replays the log of another file without a word; the nonce in the name gives it away."""
    store = reopened(tmp_path)
    put(store, "a", ONE)
    store._store.harden()
    other = reopened(tmp_path / "elsewhere")
    put(other, "stranger", TWO)
    shutil.copy(other.path + "-wal", tmp_path / "wal")
    other.close()
    store.close()
    shutil.move(tmp_path / "wal", store.path + "-wal")

    store = reopened(tmp_path)

    assert "stranger" not in store.state()
    store.close()


def test_check_names_what_is_wrong(store: VectorStore) -> None:
    """Orphans, lost rows and notes that are gone are each told in a sentence."""
    put(store, "a", ONE, TWO)
    put(store, "b", THREE)
    assert store.check(["a"]) == ["notes with vectors that the index does not know (1): b"]
    with store.write() as writer:
        writer.run("DELETE FROM passage WHERE note = 'a' AND position = 1")
        writer.run("DELETE FROM embedded WHERE note = 'b'")

    found = " ".join(store.check())

    assert "2 passages and 3 vectors" in found
    assert "vectors without a passage: 1" in found
    assert "does not know what was embedded (1): b" in found


def test_without_the_extension_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base install has no sqlite-vec; nothing is left behind by the attempt."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    with pytest.raises(VectorsMissing, match=r"notesd\[semantic\]"):
        VectorStore.open(str(tmp_path / "space"), "model", D)
    assert not (tmp_path / "space").exists()


def test_an_extension_that_does_not_load_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken sqlite-vec leaves no half-made file."""
    monkeypatch.setattr(vector_files, "extension", lambda: str(tmp_path / "nowhere"))

    with pytest.raises(VectorsMissing, match="cannot be loaded"):
        VectorStore.open(str(tmp_path / "space"), "model", D)
    assert files(tmp_path / "space") == 0


def test_vectors_need_neither_numpy_nor_the_package_itself() -> None:
    """Importing sqlite_vec would import numpy; the store does neither."""
    code = """
import sys, tempfile
from notesd.index.vectors import VectorStore
VectorStore.open(tempfile.mkdtemp(), "model", 4).close(delete=True)
print([name for name in ("numpy", "sqlite_vec", "onnxruntime") if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_closed_means_busy(store: VectorStore) -> None:
    """Who comes too late is told to try again."""
    store.close()

    with pytest.raises(Busy):
        store.counts()


numbers = st.floats(-10, 10, width=32).filter(lambda number: number == 0 or abs(number) > 1e-3)
some_vector = st.tuples(*[numbers] * D).filter(any).map(lambda vector: packed(*vector))
steps = st.lists(
    st.tuples(st.sampled_from("abcd"), st.one_of(st.none(), st.lists(some_vector, max_size=4))), max_size=12
)


@settings(max_examples=25, deadline=None)
@given(steps=steps)
def test_after_any_history_the_file_holds_what_it_should(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, list[bytes] | None]]
) -> None:
    """Whatever was put, replaced and removed: each note has its last vectors, once, and all are found."""
    store = reopened(tmp_path_factory.mktemp("history"))
    expected: dict[str, list[bytes]] = {}
    for note, vectors in steps:
        if vectors is None:
            remove(store, note)
            expected.pop(note, None)
        else:
            put(store, note, *vectors)
            expected[note] = vectors

    assert content(store) == {note: vectors for note, vectors in expected.items() if vectors}
    assert store.state().keys() == expected.keys()
    assert store.check(expected) == []
    assert sorted(nearest(store, ONE, k=100)) == sorted(v for vectors in expected.values() for v in vectors)
    store.close(delete=True)
