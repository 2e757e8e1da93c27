"""How fast, how exact and how large is the embedding? Ratios, measured side by side in one run.

``python tests/bench/bench_embedding.py PACKED [TEXTS]``: PACKED is the file of packed weights that the
default model is made of, TEXTS the number of texts whose vectors are compared with a computation by numpy.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from forward_pass import ForwardPass
from many_tongues import TEXTS, all_texts
from tiny_model import describe

from notesd.embed.encoder import Encoder
from notesd.embed.process import EmbeddingProcess
from notesd.models.convert import convert
from notesd.models.manifest import read
from notesd.models.packed import Packed
from notesd.models.runtime import onnxruntime

ROUNDS = 3


def main() -> None:
    """Convert, compare, time, weigh."""
    weights, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
    with tempfile.TemporaryDirectory() as top:
        folders = {variant: os.path.join(top, variant) for variant in ("w8a8", "w7a8", "q4", "fp32")}
        for variant, folder in folders.items():
            os.mkdir(folder)
            start = time.perf_counter()
            convert(weights, folder, variant)
            took = time.perf_counter() - start
            describe(folder, dimensions=384, max_tokens=512, variant=variant)
            size = sum(entry.stat().st_size for entry in os.scandir(folder)) / 1e6
            print(f"{variant}: converted in {took:.1f} s, {size:.0f} MB")
        exactness(folders, weights, count)
        throughput(folders)
        questions(folders["w8a8"])


def exactness(folders: dict[str, str], weights: str, count: int) -> None:
    """Compare vectors with those that numpy computes."""
    texts, reference = all_texts(count), ForwardPass(Packed(weights))
    encoders = {variant: Encoder(folder) for variant, folder in folders.items()}
    by_hand = [reference.vector(encoders["fp32"].token_ids(f"passage: {text}")) for text in texts]
    print(f"cosine to numpy over {count} texts in {len(TEXTS)} languages: min / median")
    for variant, encoder in encoders.items():
        pairs = zip(map(encoder.encode_passage, texts), by_hand, strict=True)
        cosines = [float(vector @ one) for vector, one in pairs]
        print(f"  {variant}: {min(cosines):.5f} / {statistics.median(cosines):.5f}")


def throughput(folders: dict[str, str]) -> None:
    """Encode the same texts in every way."""
    encoder = Encoder(folders["w8a8"])
    for tokens in (60, 200, 480):
        texts = [cut(encoder, text, tokens) for text in all_texts(200)[-8:]]
        seen = sum(len(encoder.token_ids(f"passage: {text}")) for text in texts)
        process = EmbeddingProcess(folders["w8a8"], read(folders["w8a8"]))
        process.encode_passages(texts[:1])
        session, ids = bare(folders["w8a8"]), [encoder.token_ids(f"passage: {text}") for text in texts]
        full = Encoder(folders["fp32"])
        padded = Encoder(folders["fp32"], pad_to=512)
        ways: dict[str, Callable[[], object]] = {
            "process": partial(process.encode_passages, texts),
            "encoder": partial(each, encoder.encode_passage, texts),
            "bare onnxruntime, w8a8, tokens ready": partial(each, partial(run, session), ids),
            "fp32, unpadded": partial(each, full.encode_passage, texts),
            "fp32, padded to 512": partial(each, padded.encode_passage, texts),
        }
        times = compare(ways)
        process.close()
        print(f"{tokens} tokens a text")
        for name, took in times.items():
            ratio = took / times["process"]
            print(f"  {name}: {seen / took:.0f} tokens/s, {ratio:.2f} times the process's time")


def questions(folder: str) -> None:
    """Time one question, through the process and bare; weigh the process."""
    process = EmbeddingProcess(folder, read(folder))
    encoder, session = Encoder(folder), bare(folder)
    texts = [text for group in TEXTS.values() for text in group][:20]
    process.encode_query(texts[0], 60)
    print(f"process after its first question: {rss(process):.0f} MB")
    ids = [encoder.token_ids(f"query: {text}") for text in texts]
    ways: list[tuple[str, Callable[[int], object]]] = [
        ("process", lambda at: process.encode_query(texts[at], 60)),
        ("encoder in this process", lambda at: encoder.encode_query(texts[at])),
        ("bare onnxruntime, tokens ready", lambda at: run(session, ids[at])),
    ]
    times: dict[str, list[float]] = {name: [] for name, _ in ways}
    for _ in range(10):
        for at in range(len(texts)):
            for name, way in ways:
                start = time.perf_counter()
                way(at)
                times[name].append(time.perf_counter() - start)
    best = statistics.median(times["bare onnxruntime, tokens ready"])
    for name, took in times.items():
        middle = statistics.median(took)
        print(f"question, p50, {name}: {middle * 1e3:.2f} ms, {middle / best:.2f} times bare")
    process.encode_passages([" ".join(texts)] * 3)
    print(f"process after long passages: {rss(process):.0f} MB")
    process.close()


def each(way: Callable[[Any], object], things: Sequence[Any]) -> None:
    """Do one after the other."""
    for thing in things:
        way(thing)


def compare(ways: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Run all ways in turn, several times; the fastest round of each counts."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - start)
    return {name: min(took) for name, took in times.items()}


def bare(folder: str) -> onnxruntime.InferenceSession:
    """Load a model with nothing but the thread count set."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options)


def run(session: onnxruntime.InferenceSession, ids: Sequence[int]) -> object:
    """Run one text."""
    feed = np.array([ids], np.int64)
    feeds = {"input_ids": feed, "attention_mask": np.ones_like(feed), "token_type_ids": np.zeros_like(feed)}
    return session.run(None, feeds)


def cut(encoder: Encoder, text: str, tokens: int) -> str:
    """Make a text of about so many tokens."""
    words = (text + " ") * 20
    share = tokens / max(1, encoder.count_tokens(words))
    return words[: int(len(words) * share)]


def rss(process: EmbeddingProcess) -> float:
    """Return the resident memory of a process in MB (10**6 bytes)."""
    with open(f"/proc/{process.state().pid}/status", encoding="ascii") as source:
        line = next(line for line in source if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
