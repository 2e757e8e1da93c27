"""How good are the answers of the running product, channel by channel, on judged collections?

    python tests/bench/relevance.py FOLDER... [--notes FOLDER] [--queries N] [--no-vectors] [--graph]
        [--limbic MODE] [--socket PATH] [--state FOLDER] [--split NAME] [KEY=JSON...]

Each FOLDER is a collection as ``judged`` describes it. Its notes are served by a real daemon on a state of
its own (``--state`` keeps it, with its vectors, for the next run), or by one that runs already. Every
question is asked by words alone, by meaning alone and with both fused, never leaving a record. Printed are
nDCG@10, MRR@10 and Recall@10 of each, and by how much the fusion differs from the better of the two, with a
95 % interval. The exit status is 1 where the fusion is more than 0.01 below it. KEY=JSON goes into every
request.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from bench.judged import Question, Unusable, questions, sample, unpack
from running import Running

from notesd.rank.evaluate import Interval, bootstrap_interval, ndcg, recall, reciprocal_rank
from notesd.serve.client import Client

K = 10
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
        found.mrr.append(reciprocal_rank(gains, K))
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


def collection(args: argparse.Namespace, folder: Path) -> dict[str, Measured]:
    """Measure one collection and print what was found.

    Raises:
        Unusable: It is no collection, or cannot be asked as wanted.
    """
    asked = sample(questions(folder, args.split), args.queries)
    ways = {}
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
    told(judge(ways), folder.name)
    for name, found in ways.items():
        if name.startswith(f"{FUSED} "):
            gaps = [a - b for a, b in zip(found.ndcg, ways[FUSED].ndcg, strict=True)]
            print(
                "  {} - {}: {:+.4f} [{:+.4f}, {:+.4f}]".format(
                    name, FUSED, mean(gaps), *bootstrap_interval(gaps)
                )
            )
    return ways


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
    return understood(known, words)


def main(words: Sequence[str]) -> int:
    """Measure every collection; returns the exit status."""
    args = options(words)
    try:
        every = {folder.name: collection(args, folder) for folder in args.folders}
    except Unusable as error:
        print(error, file=sys.stderr)
        return 2
    if len(every) > 1:
        whole(every)
    return int(any(judge(ways).fault for ways in every.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
