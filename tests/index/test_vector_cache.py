"""What a model encoded once is known afterwards, here and elsewhere, and costs nothing when it is lost."""

import math
import os
import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from notesd.errors import InvalidParams, StoreError
from notesd.index.vector_archive import HASH_BYTES
from notesd.index.vector_cache import Imported, VectorCache

D = 4
DAY = 86_400


def packed(*numbers: float) -> bytes:
    return struct.pack(f"{len(numbers)}f", *numbers)


def of(text: str) -> bytes:
    return sha256(text.encode()).digest()[:HASH_BYTES]


def vector(number: int) -> bytes:
    return packed(1, number, 0, 0)


def opened(folder: Path, fingerprint: str = "model") -> VectorCache:
    return VectorCache(str(folder), fingerprint, D)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    made = opened(tmp_path)
    yield made
    made.close()


def test_what_was_put_is_known_after_a_restart(tmp_path: Path) -> None:
    """Each known text gives its vector; an unknown one gives nothing."""
    cache = opened(tmp_path)
    cache.put({of("a"): vector(1), of("b"): vector(2)})
    cache.close()

    cache = opened(tmp_path)

    assert cache.get([of("a"), of("c"), of("a")]) == {of("a"): vector(1)}
    assert cache.count() == 2
    cache.close()


def test_models_do_not_share(tmp_path: Path) -> None:
    """Another fingerprint is another file."""
    one, other = opened(tmp_path, "one"), opened(tmp_path, "other")
    one.put({of("a"): vector(1)})

    assert other.get([of("a")]) == {}
    one.close()
    other.close()


@pytest.mark.parametrize(
    ("text_hash", "bad"),
    [(of("x"), packed(math.nan, 0, 0, 1)), (of("x"), packed(0, 0, 0, 0)), (of("x"), b"short"),
     (b"short", vector(1))],
    ids=["nan", "zero", "size", "hash"],
)  # fmt: skip
def test_what_is_no_vector_is_passed_over(cache: VectorCache, text_hash: bytes, bad: bytes) -> None:
    """The others of the same call are remembered."""
    cache.put({of("a"): vector(1), text_hash: bad})

    assert cache.get([of("a"), text_hash]) == {of("a"): vector(1)}


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    """Beyond its size the cache keeps what was asked for last."""
    now = [0.0]
    cache = VectorCache(str(tmp_path), "model", D, most_bytes=400_000, clock=lambda: now[0])
    cache.put({of(f"first{i}"): vector(i) for i in range(2_000)})
    now[0] = 3 * DAY
    wanted = [of(f"first{i}") for i in range(0, 2_000, 10)]
    assert len(cache.get(wanted)) == 200
    now[0] = 4 * DAY
    for start in range(0, 4_000, 500):
        cache.put({of(f"next{i}"): vector(i) for i in range(start, start + 500)})

    kept = len(cache.get([of(f"next{i}") for i in range(4_000)]))

    assert 2_000 < cache.count() < 5_000
    assert kept > 2_000
    assert len(cache.get([of(f"first{i}") for i in range(1, 2_000, 2)])) < 500
    assert len(cache.get(wanted)) >= min(200, cache.count() - kept)
    cache.close()


def test_forgotten_texts_leave_no_trace(tmp_path: Path) -> None:
    """A note that is private now has no vector in the file any more."""
    secret = packed(0.123, 0.456, 0.789, 0.321)
    cache = opened(tmp_path)
    cache.put({of("secret"): secret, of("a"): vector(1)})

    cache.forget([of("secret"), of("never seen")])

    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert secret not in raw
    assert of("secret") not in raw
    assert cache.count() == 1
    cache.close()


def cut(path: str) -> None:
    os.truncate(path, 5_000)


def noise(path: str) -> None:
    with open(path, "r+b") as file:
        file.write(os.urandom(12_000))


def text(path: str) -> None:
    Path(path).write_text("not a database at all, but long enough to be one " * 100)


def another(path: str) -> None:
    folder = Path(path).parent
    opened(folder, "other").close()
    os.replace(folder / "other.db", path)


@pytest.mark.parametrize("harm", [cut, noise, text, another])
def test_a_damaged_cache_begins_anew(tmp_path: Path, harm: Callable[[str], None]) -> None:
    """The damaged file is kept aside, once, and nothing fails."""
    for _ in range(2):
        cache = opened(tmp_path)
        cache.put({of("a"): vector(1)})
        cache.close()
        harm(cache.path)

    cache = opened(tmp_path)

    assert cache.get([of("a")]) == {}
    cache.put({of("a"): vector(1)})
    assert cache.get([of("a")]) == {of("a"): vector(1)}
    assert sorted(os.listdir(tmp_path)) == ["model.db", "model.db-shm", "model.db-wal", "model.db.damaged"]
    cache.close()


def test_damage_while_it_is_open_is_mended(tmp_path: Path) -> None:
    """Noise written into the open file costs what was known and no exception."""
    cache = opened(tmp_path)
    cache.put({of(str(i)): vector(i) for i in range(2_000)})
    store = cache._store
    assert store is not None
    store.harden()
    store.peek().rows("PRAGMA shrink_memory")
    with open(cache.path, "r+b") as file:
        file.seek(4_096)
        file.write(os.urandom(os.path.getsize(cache.path) - 4_096))

    cache.get([of(str(i)) for i in range(2_000)])
    cache.put({of("a"): vector(1)})
    cache.get([of("a")])
    cache.put({of("a"): vector(1)})

    assert cache.get([of("a")]) == {of("a"): vector(1)}
    cache.close()


def test_a_cache_taken_away_begins_anew(tmp_path: Path) -> None:
    """Somebody emptied the folder: the next vectors are remembered again."""
    cache = opened(tmp_path / "vectors")
    cache.put({of("a"): vector(1)})
    for file in (tmp_path / "vectors").iterdir():
        file.unlink()
    (tmp_path / "vectors").rmdir()

    assert cache.get([of("a")]) == {}
    cache.put({of("a"): vector(1)})

    assert cache.get([of("a")]) == {of("a"): vector(1)}
    cache.close()


# ---- to another machine ------------------------------------------------------------------------------


def exported(folder: Path, count: int = 10) -> Path:
    cache = opened(folder / "here")
    cache.put({of(str(i)): vector(i) for i in range(count)})
    assert cache.export(str(folder / "file")) == count
    cache.close()
    return folder / "file"


def test_vectors_travel(tmp_path: Path) -> None:
    """What one machine exports, another one knows; a second import changes nothing."""
    file = exported(tmp_path)
    there = opened(tmp_path / "there")
    there.put({of("0"): vector(77)})

    assert there.import_(str(file)) == Imported(10, 0)
    assert there.import_(str(file)) == Imported(10, 0)

    assert there.count() == 10
    assert there.get([of("9"), of("0")]) == {of("9"): vector(9), of("0"): vector(77)}
    assert os.stat(file).st_mode & 0o077 == 0
    assert sorted(os.listdir(tmp_path)) == ["file", "here", "there"]
    there.close()


def test_a_bad_row_costs_itself_alone(tmp_path: Path, cache: VectorCache) -> None:
    """A flipped bit and a lost end refuse their rows; all others are taken."""
    file = exported(tmp_path)
    size = 4 + HASH_BYTES + 4 * D
    raw = bytearray(file.read_bytes())
    raw[-3 * size + 25] ^= 4
    file.write_bytes(raw[:-5])

    assert cache.import_(str(file)) == Imported(8, 2)
    assert cache.count() == 8


@pytest.mark.parametrize(
    ("fingerprint", "content"),
    [("other", None), ("model", b""), ("model", b"SQLite format 3\0" * 10),
     ("model", b"notesd vectors 1\n\xff\xff\xff\xff\xff\xff")],
    ids=["another model", "empty", "something else", "absurd"],
)  # fmt: skip
def test_what_is_not_of_this_model_is_refused(
    tmp_path: Path, fingerprint: str, content: bytes | None
) -> None:
    """Not one row of a wrong file is taken."""
    file = exported(tmp_path)
    if content is not None:
        file.write_bytes(content)
    cache = opened(tmp_path / "there", fingerprint)

    with pytest.raises(InvalidParams):
        cache.import_(str(file))
    assert cache.count() == 0
    cache.close()


def test_a_file_that_is_not_there_is_an_error_of_ours(tmp_path: Path, cache: VectorCache) -> None:
    """Neither reading nor writing lets the system's own errors through, or leaves half a file."""
    with pytest.raises(StoreError, match="cannot be read"):
        cache.import_(str(tmp_path / "missing"))
    with pytest.raises(StoreError, match="cannot be written"):
        cache.export(str(tmp_path / "missing" / "file"))
