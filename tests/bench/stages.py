"""What do fusion, links and use take after the channels have answered, through the running product?

    python tests/bench/stages.py FOLDER... [the options of relevance.py] [--rounds N] [--opened N]

The record of use begins empty and is filled first: every question is asked, and the first hits of its page
are opened. Then each question is asked in several rounds with links and use on, every channel offering its
hundred notes. Printed are the median and the 95th percentile of each stage in milliseconds, as the answers
themselves tell it, and how many times the words took each is; so runs on different machines compare.
"""

import argparse
import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from bench.judged import Question
from bench.relevance import K, each_collection, parser, understood

from notesd.serve.client import Client

STAGES = ("fuse", "links", "use")
SUM = "together"
WORDS = "lexical"


def fill(client: Client, asked: Sequence[Question], params: Mapping[str, Any], opened: int) -> None:
    """Leave a history in which the first hits of every page were opened, one after the other."""
    for question in asked:
        answer: Any = client.call("search", query=question.text, limit=K, **params)
        for hit in answer["results"][:opened]:
            client.call("open", notes=[hit["path"]])


def laps(client: Client, asked: Sequence[Question], params: Mapping[str, Any]) -> dict[str, list[float]]:
    """What each stage took for each question, in milliseconds."""
    found: dict[str, list[float]] = {name: [] for name in (WORDS, *STAGES, SUM)}
    for question in asked:
        answer: Any = client.call("search", query=question.text, limit=K, record=False, **params)
        took = answer["took_ms"]
        for name in (WORDS, *STAGES):
            found[name].append(took.get(name, 0.0))
        found[SUM].append(sum(took.get(name, 0.0) for name in STAGES))
    return found


def told(found: Mapping[str, Sequence[float]]) -> None:
    """Print one row for each stage."""
    words = statistics.median(found[WORDS])
    print(f"  {'':10} {'median':>8} {'p95':>8} {'of words':>9}")
    for name, values in found.items():
        middle, late = statistics.median(values), statistics.quantiles(values, n=20)[-1]
        print(f"  {name:10} {middle:8.3f} {late:8.3f} {middle / words:9.2f}")


def collection(client: Client, asked: Sequence[Question], args: argparse.Namespace) -> None:
    """Measure one collection."""
    params = {"vector_search": args.vectors, "graph_boost": True, "limbic": "on", **args.extra}
    client.call("forget", all=True)
    fill(client, asked, params, args.opened)
    laps(client, asked, params)  # the first round reads pages and the record into memory
    every = [laps(client, asked, params) for _ in range(args.rounds)]
    told({name: [value for one in every for value in one[name]] for name in every[0]})
    client.call("forget", all=True)


def main(words: Sequence[str]) -> int:
    """Measure each collection; returns the exit status."""
    known = parser(__doc__ or "")
    known.add_argument("--opened", type=int, default=1, metavar="N", help="open N hits of every first page")
    known.add_argument("--rounds", type=int, default=3, metavar="N", help="ask every question N times")
    return each_collection(understood(known, words), "ms of each stage", collection)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
