"""Does the matrix in memory find what exact search finds, and how much faster than vec0 is it?

    python tests/bench/vectors.py [--vectors 100000] [--queries 60]

Vectors are made up, but lie as those of multilingual-e5 do: in a narrow cone (two texts that have nothing
to do with each other have a cosine of about .75), in clusters, and two passages a note.
Prints figures, ratios within this run, and the limits we set ourselves.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
import numpy as np
import numpy.typing as npt

from notesd.index.vector_files import prepare
from notesd.index.vectors import Piece, VectorStore
from notesd.search.matrix import Matrix

DIMENSIONS = 384
K = 30
Vectors = npt.NDArray[np.float32]


def like_e5(rng: np.random.Generator, count: int) -> Vectors:
    """Unit vectors around one direction; some numbers are far larger than others, as in the model."""
    weights = rng.gamma(2.0, 0.5, DIMENSIONS)
    cone = rng.standard_normal(DIMENSIONS) * weights
    cone /= np.linalg.norm(cone)
    centres = rng.standard_normal((max(20, count // 200), DIMENSIONS)) * weights
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    own = rng.standard_normal((count, DIMENSIONS)) * weights
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    found = 1.75 * cone + 0.8 * centres[rng.integers(len(centres), size=count)] + 0.62 * own
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.astype(np.float32)


def filled(folder: str, vectors: Vectors) -> tuple[VectorStore, float]:
    """A store with two passages a note, and the seconds that took."""
    store = VectorStore.open(folder, "bench", DIMENSIONS)
    begin = time.perf_counter()
    for start in range(0, len(vectors), 2_000):
        with store.write() as writer:
            for at in range(start, min(start + 2_000, len(vectors)), 2):
                pieces = [Piece(p, b"%d" % (at + p), vectors[at + p].tobytes()) for p in (0, 1)]
                store.put(writer, f"{at // 2:016x}", b"d", 100, pieces)
    return store, time.perf_counter() - begin


def plain_vec0(path: str, vectors: Vectors) -> Callable[[Vectors], None]:
    """What anybody would write: one table of vec0, one search."""
    db = apsw.Connection(path)
    db.execute("PRAGMA journal_mode = wal").fetchall()
    prepare_plain(db)
    db.execute(f"CREATE VIRTUAL TABLE vec USING vec0(embedding float[{DIMENSIONS}] distance_metric=cosine)")
    with db:
        db.executemany(
            "INSERT INTO vec (rowid, embedding) VALUES (?, ?)",
            ((at, vector.tobytes()) for at, vector in enumerate(vectors)),
        )

    def ask(query: Vectors) -> None:
        sql = "SELECT rowid, distance FROM vec WHERE embedding MATCH ? AND k = ?"
        found = db.execute(sql, (query.tobytes(), K)).fetchall()
        assert len(found) == K

    return ask


def prepare_plain(db: apsw.Connection) -> None:
    """The extension, and SQLite's own page size."""
    prepare(db)
    db.execute("PRAGMA page_size = 4096").fetchall()


def exact(vectors: Vectors, query: Vectors) -> list[str]:
    """The nearest notes by float32 cosines of every passage."""
    cosines = vectors @ query
    cosines[1::2] -= 0.005 * np.log2(2)
    best = np.maximum(cosines[::2], cosines[1::2])
    return [f"{note:016x}" for note in np.argsort(-best, kind="stable")[:K]]


def took(ask: Callable[[], object], times: int) -> list[float]:
    """Milliseconds of each time, sorted."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        ask()
        found.append((time.perf_counter() - begin) * 1e3)
    return sorted(found)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    vectors = like_e5(rng, options.vectors)
    some = vectors[rng.integers(len(vectors), size=2_000)]
    spread = (some[:1_000] @ some[1_000:].T).ravel()
    print("cosines of two passages: 5 %, median, 95 %:", np.percentile(spread, [5, 50, 95]).round(3))
    noise = rng.standard_normal((options.queries, DIMENSIONS)) * 0.02
    queries = (vectors[rng.integers(len(vectors), size=options.queries)] + noise).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)

    with tempfile.TemporaryDirectory() as folder:
        store, seconds = filled(folder, vectors)
        print(f"stored {len(vectors) / seconds:,.0f} vectors a second")
        plain = plain_vec0(str(Path(folder) / "plain.db"), vectors)
        matrix = Matrix(store)
        begin, busy = time.perf_counter(), time.process_time()
        matrix.nearest(queries[0].tobytes(), 1)
        seconds, busy = time.perf_counter() - begin, time.process_time() - busy
        print(f"loaded in {seconds:.2f} s, {busy:.2f} s of CPU (limit 1 s for 100,000)")

        # One question after the other, so that both meet the same load of the machine.
        ours, theirs = [], []
        for query in queries:
            ours += took(partial(matrix.nearest, query.tobytes(), K), 1)
            theirs += took(partial(plain, query), 1)
        ours.sort()
        theirs.sort()
        recall = sum(
            len({near.note for near in matrix.nearest(query.tobytes(), K)} & set(exact(vectors, query)))
            for query in queries
        ) / (K * len(queries))
        half = len(ours) // 2
        print(f"recall@{K} against exact float32: {recall:.4f} (limit 0.99)")
        print(f"matrix: fastest {ours[0]:.1f} ms, median {ours[half]:.1f}")
        print(f"vec0:   fastest {theirs[0]:.1f} ms, median {theirs[half]:.1f}")
        print(f"ratio:  fastest {theirs[0] / ours[0]:.1f}, median {theirs[half] / ours[half]:.1f} (limit 5)")
        for share in (0.5, 0.1, 0.001):
            allowed = {f"{note:016x}" for note in range(int(len(vectors) / 2 * share))}
            times = took(partial(matrix.nearest, queries[0].tobytes(), K, allowed), 9)
            print(f"filter that lets {share:.1%} through: median {times[4]:.1f} ms")
        changed = [f"{note:016x}" for note in range(50)]
        with store.write() as writer:
            store.remove(writer, changed)
        took_ms = took(partial(matrix.nearest, queries[0].tobytes(), 1), 1)[0]
        print(f"50 notes gone, caught up in {took_ms:.1f} ms")
        print("check:", store.check() or "all is well", f"; peak of this process {peak_mb():.0f} MB")
        assert recall >= 0.99


if __name__ == "__main__":
    main()
