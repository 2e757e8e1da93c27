"""How good are the answers of the running product, channel by channel, on judged collections?

    python tests/bench/relevance.py FOLDER... [--notes FOLDER] [--queries N] [--no-vectors] [--graph]
        [--limbic MODE] [--parts] [--socket PATH] [--state FOLDER] [--split NAME] [KEY=JSON...]

Each FOLDER is a collection as ``judged`` describes it. Its notes are served by a real daemon on a state of
its own (``--state`` keeps it, with its vectors, for the next run), or by one that runs already. Every
question is asked by words alone, by meaning alone and with both fused, never leaving a record. Printed are
nDCG@10, MRR@10 and Recall@10 of each, and by how much the fusion differs from the better of the two, with a
95 % interval; at the end one table of all collections with the part of each stage, and with ``--parts`` of
each list that is fused. The exit status is 1 where the fusion is more than 0.01 below it. KEY=JSON goes into
every request.
"""

import argparse
import contextlib
import json
import math
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from bench.judged import Question, Unusable, questions, sample, unpack
from running import Running

from notesd.rank.evaluate import Interval, bootstrap_interval, ndcg, recall
from notesd.serve.client import Client

K = 10
DEEP = 40
"""Hits that are looked at to tell what a list adds."""
ALLOWED = 0.01
"""So far below the best single channel the fusion may be; more is a fault."""
SINGLE = ("lexical", "semantic")
FUSED = "fused"


class Measured(NamedTuple):
    """One way to ask, question by question."""

    ndcg: list[float]
    mrr: list[float]
    recall: list[float]

    def means(self) -> tuple[float, float, float]:
        """The mean of each measure."""
        return mean(self.ndcg), mean(self.mrr), mean(self.recall)


class Verdict(NamedTuple):
    """The fusion beside the best single channel."""

    best: str
    difference: float
    interval: Interval
    fault: bool
    """The fusion is further below than is allowed."""


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def measured(orders: Sequence[Sequence[str]], asked: Sequence[Question]) -> Measured:
    """Measure the orders that some questions were answered with."""
    found = Measured([], [], [])
    for order, question in zip(orders, asked, strict=True):
        gains = [question.gains.get(path, 0.0) for path in order]
        found.ndcg.append(ndcg(gains, question.gains.values(), K))
        found.mrr.append(next((1 / place for place, gain in enumerate(gains[:K], 1) if gain > 0), 0.0))
        found.recall.append(recall(gains, len(question.gains), K))
    return found


def judge(ways: Mapping[str, Measured]) -> Verdict:
    """Compare the fusion with the single channel that has the best mean."""
    best = max((name for name in SINGLE if name in ways), key=lambda name: mean(ways[name].ndcg))
    gaps = [ours - theirs for ours, theirs in zip(ways[FUSED].ndcg, ways[best].ndcg, strict=True)]
    return Verdict(best, mean(gaps), bootstrap_interval(gaps), mean(gaps) < -ALLOWED)


def ways_of(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The ways to ask, each with its parameters."""
    whole = {"vector_search": args.vectors, "graph_boost": False, "limbic": "off"}
    ways: dict[str, dict[str, Any]] = {"lexical": {"mode": "lexical", "limbic": "off"}}
    if args.vectors:
        ways["semantic"] = {"mode": "semantic", "limbic": "off"}
    ways[FUSED] = whole
    if args.graph:
        ways["fused + graph"] = {**whole, "graph_boost": True}
    if args.limbic:
        ways["fused + limbic"] = {**whole, "graph_boost": args.graph, "limbic": args.limbic}
    return {name: {**params, **args.extra} for name, params in ways.items()}


def ask(
    client: Client, asked: Sequence[Question], params: Mapping[str, Any]
) -> tuple[list[list[str]], Counter[str]]:
    """Ask every question; returns the paths of each answer, and how often what was missing."""
    orders, missing = [], Counter[str]()
    for question in asked:
        answer: Any = client.call("search", **{"limit": K, **params, "query": question.text, "record": False})
        orders.append([hit["path"] for hit in answer["results"]])
        missing.update(f"{one['channel']}: {one['reason']}" for one in answer["degraded"])
    return orders, missing


def settled(client: Client, *, vectors: bool) -> int:
    """Wait until the index, and the vectors where they are wanted, are whole; returns the number of notes.

    Raises:
        Unusable: There will be no vectors.
    """
    client.call("search", query="settle", limit=1, wait=True, record=False, mode="lexical")
    if vectors:  # whoever asks by meaning makes the daemon want them
        client.call("search", query="settle", limit=1, record=False, mode="semantic")
    while True:
        status: Any = client.call("status")
        states = [space["vectors"] for space in status["spaces"]]
        if not vectors or all(one["state"] == "ready" for one in states):
            return sum(space["notes"] for space in status["spaces"])
        broken = [one["reason"] for one in states if one["state"] == "unavailable"]
        if broken and "looked for" not in broken[0]:
            raise Unusable(f"there are no vectors: {broken[0]}; --no-vectors measures the words alone")
        time.sleep(0.5)


@contextlib.contextmanager
def daemon(args: argparse.Namespace, folder: Path) -> Iterator[Client]:
    """A connection to the daemon that serves the notes of a collection."""
    with contextlib.ExitStack() as stack:
        if args.socket:
            yield stack.enter_context(contextlib.closing(Client(args.socket, None)))
            return
        kept = args.state and args.state / folder.name
        home = Path(kept or stack.enter_context(tempfile.TemporaryDirectory(prefix="nd", dir="/tmp")))
        vault = args.notes or (folder / "notes" if (folder / "notes").is_dir() else home / folder.name)
        if not vault.is_dir():
            unpack(folder, vault)
        more = {name: os.environ[name] for name in ("XDG_CACHE_HOME",) if name in os.environ}
        if not more and "HOME" in os.environ:
            more = {"XDG_CACHE_HOME": os.path.join(os.environ["HOME"], ".cache")}
        run = Running(vault.absolute(), home.absolute(), VECTOR_SEARCH="1" if args.vectors else "0", **more)
        stack.callback(run.stop)
        run.ask("ping")
        yield stack.enter_context(contextlib.closing(Client(str(run.socket), None)))


def each_collection(
    args: argparse.Namespace,
    about: str,
    measure: Callable[[Client, Sequence[Question], argparse.Namespace], None],
) -> int:
    """Measure every collection through a daemon of its own; returns the exit status."""
    try:
        for folder in args.folders:
            asked = sample(questions(folder, args.split), args.queries)
            with daemon(args, folder) as client:
                notes = settled(client, vectors=args.vectors)
                print(f"\n{folder.name}: {notes} notes, {len(asked)} queries; {about}")
                measure(client, asked, args)
    except Unusable as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def collection(args: argparse.Namespace, folder: Path) -> tuple[dict[str, Measured], dict[str, float]]:
    """Measure one collection and print what was found; returns it, and what each list adds.

    Raises:
        Unusable: It is no collection, or cannot be asked as wanted.
    """
    asked = sample(questions(folder, args.split), args.queries)
    ways, added = {}, {}
    with daemon(args, folder) as client:
        notes = settled(client, vectors=args.vectors)
        print(f"\n{folder.name}: {notes} notes, {len(asked)} queries")
        print(f"  {'':16} {'nDCG@10':>8} {'MRR@10':>8} {'Recall@10':>9}")
        for name, params in ways_of(args).items():
            began = time.perf_counter()
            orders, missing = ask(client, asked, params)
            took = (time.perf_counter() - began) / len(asked) * 1000
            ways[name] = measured(orders, asked)
            print(
                "  {:16} {:8.4f} {:8.4f} {:9.4f}   {:.1f} ms a query".format(name, *ways[name].means(), took)
            )
            for reason, count in missing.items():
                print(f"  ! {count} of {len(asked)} answers lacked {reason}")
        if args.parts:
            params = {**ways_of(args)[FUSED], "limit": DEEP, "explain": True, "record": False}
            answers: list[Any] = [client.call("search", query=one.text, **params) for one in asked]
            added = parts([answer["results"] for answer in answers], asked)
    told(judge(ways), folder.name)
    for name, found in ways.items():
        if name.startswith(f"{FUSED} "):
            gaps = [a - b for a, b in zip(found.ndcg, ways[FUSED].ndcg, strict=True)]
            print(
                "  {} - {}: {:+.4f} [{:+.4f}, {:+.4f}]".format(
                    name, FUSED, mean(gaps), *bootstrap_interval(gaps)
                )
            )
    return ways, added


def told(verdict: Verdict, name: str) -> None:
    """Print how the fusion compares with its best channel."""
    print(
        "  {} - {}: {:+.4f} [{:+.4f}, {:+.4f}]".format(
            FUSED, verdict.best, verdict.difference, *verdict.interval
        )
    )
    if verdict.fault:
        print(
            f"  ! {name}: fused is {-verdict.difference:.4f} below {verdict.best} alone; {ALLOWED} is allowed"
        )


def parts(answers: Sequence[Sequence[Mapping[str, Any]]], asked: Sequence[Question]) -> dict[str, float]:
    """What each list adds to the fusion in nDCG@10: how much less it is when the list gives no hit anything.

    Args:
        answers: Hits with their accounts, more than ``K`` of them, because others come up without a list.
        asked: The questions, in the same order.
    """
    shares = [
        [(hit["path"], {one["list"]: one["share"] for one in hit["explain"]["lists"]}) for hit in hits]
        for hits in answers
    ]
    names = dict.fromkeys(name for hits in shares for _, given in hits for name in given)

    def without(left_out: str) -> float:
        orders = [
            [path for path, _ in sorted(hits, key=lambda hit: math.fsum(
                -share for name, share in hit[1].items() if name != left_out))][:K]
            for hits in shares
        ]  # fmt: skip
        return mean(measured(orders, asked).ndcg)

    complete = without("")
    return {name: complete - without(name) for name in names if name not in SINGLE}


def table(every: Mapping[str, Mapping[str, Measured]], added: Mapping[str, Mapping[str, float]]) -> list[str]:
    """One line a collection: nDCG@10 of the channels, of the fusion, and by how much it is better.

    Then the part of each stage after it, and of each list within it where that was asked for.
    """
    ways = next(iter(every.values()))
    stages = [name for name in ways if name not in SINGLE]
    lists = list(dict.fromkeys(name for found in added.values() for name in found))
    heads = [*(name for name in ways if name in SINGLE), FUSED, "- best", *stages[1:], *lists]
    lines = [" ".join([f"{'nDCG@10':24}", *(f"{head:>15}" for head in heads)])]
    for name, found in every.items():
        scores = {way: mean(one.ndcg) for way, one in found.items()}
        cells = [f"{scores[way]:15.4f}" for way in (*(way for way in ways if way in SINGLE), FUSED)]
        cells.append(f"{judge(found).difference:+15.4f}")
        cells += [f"{scores[after] - scores[before]:+15.4f}" for before, after in pairwise(stages)]
        cells += [f"{added.get(name, {}).get(one, 0.0):+15.4f}" for one in lists]
        lines.append(" ".join([f"{name:24}", *cells]))
    return lines


def whole(every: Mapping[str, Mapping[str, Measured]]) -> None:
    """Print the mean over several collections, each counted once."""
    print(f"\nmean of {len(every)} collections")
    for way in next(iter(every.values())):
        columns = zip(*(ways[way].means() for ways in every.values()), strict=True)
        print("  {:16} {:8.4f} {:8.4f} {:9.4f}".format(way, *map(mean, columns)))


def parser(about: str) -> argparse.ArgumentParser:
    """The options of a benchmark on judged collections."""
    found = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = found.add_argument
    add("words", nargs="+", metavar="FOLDER | KEY=JSON")
    add("--notes", type=Path, help="the notes of the one collection, unpacked already")
    add("--socket", help="of a daemon that serves the one collection already")
    add("--state", type=Path, help="keep notes, index and vectors of each collection below this folder")
    add("--queries", type=int, help="ask so many, evenly spread; default: all")
    add("--split", help="which file of qrels/; default: test")
    add("--vectors", action=argparse.BooleanOptionalAction, default=True, help="measure meaning, too")
    add("--graph", action="store_true", help="also with links as evidence")
    return found


def understood(known: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Read a command line."""
    args = known.parse_intermixed_args(words)
    args.extra = {
        key: json.loads(value) for key, _, value in (w.partition("=") for w in args.words if "=" in w)
    }
    args.folders = [Path(word).absolute() for word in args.words if "=" not in word]
    if not args.folders:
        known.error("name a folder with a judged collection")
    if len(args.folders) > 1 and (args.notes or args.socket):
        known.error("--notes and --socket belong to one collection")
    return args


def options(words: Sequence[str]) -> argparse.Namespace:
    """Read the command line of this benchmark."""
    known = parser(__doc__ or "")
    known.add_argument("--limbic", metavar="MODE", help="also with re-ranking by use")
    known.add_argument("--parts", action="store_true", help="also what each list adds to the fusion")
    return understood(known, words)


def main(words: Sequence[str]) -> int:
    """Measure every collection; returns the exit status."""
    args = options(words)
    try:
        found = {folder.name: collection(args, folder) for folder in args.folders}
    except Unusable as error:
        print(error, file=sys.stderr)
        return 2
    every = {name: ways for name, (ways, _) in found.items()}
    if len(every) > 1:
        whole(every)
    print()
    print("\n".join(table(every, {name: added for name, (_, added) in found.items()})))
    return int(any(judge(ways).fault for ways in every.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
