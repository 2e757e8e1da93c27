"""What is hearing use worth, on judged collections, through the running product?

    python tests/bench/use.py FOLDER... [the options of relevance.py] [--loop N]

Each history begins with an empty record, and the plain order is measured against the order of use:
``none``; ``fits``: for every other question the notes that answer it are opened; ``fits not``: for the same
questions a note of the first page that answers nothing is opened instead, the same one each time. ``asked``
are the questions with such a history, ``others`` all others. ``--loop`` asks so many questions without
opening anything, and prints by how many places any note was lifted at most.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from bench.judged import Question
from bench.relevance import K, ask, each_collection, mean, measured, parser, understood

from notesd.rank.evaluate import bootstrap_interval
from notesd.serve.client import Client

DEEP = 50
"""Places looked at for notes that were lifted."""


def fits(client: Client, question: Question, params: dict[str, Any]) -> list[str]:
    """The notes that answer a question."""
    client.call("search", query=question.text, limit=K, **params)
    return sorted(question.gains)


def fits_not(client: Client, question: Question, params: dict[str, Any]) -> list[str]:
    """A note of the first page that does not; none where all of them do."""
    answer: Any = client.call("search", query=question.text, limit=K, **params)
    wrong = [hit["path"] for hit in answer["results"] if hit["path"] not in question.gains]
    return [wrong[len(question.text) % len(wrong)]] if wrong else []


def gains(client: Client, asked: Sequence[Question], params: dict[str, Any]) -> list[float]:
    """What the order of use changes, question by question, in nDCG."""
    plain, _ = ask(client, asked, {**params, "limbic": "off"})
    heard, _ = ask(client, asked, {**params, "limbic": "on"})
    before, after = measured(plain, asked).ndcg, measured(heard, asked).ndcg
    return [new - old for old, new in zip(before, after, strict=True)]


def line(name: str, values: Sequence[float]) -> None:
    """Print one row."""
    print("  {:18} {:+.4f} [{:+.4f}, {:+.4f}]".format(name, mean(values), *bootstrap_interval(values)))


def lifted(client: Client, asked: Sequence[Question], params: dict[str, Any]) -> int:
    """The most places that any note of any answer stands higher with use than without."""
    most = 0
    for question in asked:
        orders = []
        for mode in ("off", "on"):
            wish = {**params, "limbic": mode, "limit": DEEP, "record": False}
            answer: Any = client.call("search", query=question.text, **wish)
            orders.append([hit["path"] for hit in answer["results"]])
        plain, heard = orders
        before = {path: place for place, path in enumerate(plain)}
        most = max([most, *(before.get(path, DEEP) - place for place, path in enumerate(heard))])
    return most


def collection(client: Client, asked: Sequence[Question], args: argparse.Namespace) -> None:
    """Measure every history on one collection."""
    params = {"vector_search": args.vectors, "graph_boost": args.graph, **args.extra}
    client.call("forget", all=True)
    line("none", gains(client, asked, params))
    for name, history in (("fits", fits), ("fits not", fits_not)):
        for question in asked[::2]:
            notes = history(client, question, params)
            if notes:
                client.call("open", notes=notes)
        changed = gains(client, asked, params)
        line(name, changed)
        line(f"  {name}, asked", changed[::2])
        line(f"  {name}, others", changed[1::2])
        client.call("forget", all=True)
    for at in range(args.loop):
        # Every second question is the same: nothing is as popular as what is always asked.
        question = asked[0] if at % 2 else asked[at // 2 % len(asked)]
        client.call("search", query=question.text, limit=K, **params)
    if args.loop:
        print(
            f"  {args.loop} searches without an opening lift a note by {lifted(client, asked, params)} places"
        )
        client.call("forget", all=True)


def main(words: Sequence[str]) -> int:
    """Measure each collection; returns the exit status."""
    known = parser(__doc__ or "")
    known.add_argument("--loop", type=int, default=0, metavar="N", help="ask N questions without an opening")
    return each_collection(understood(known, words), f"nDCG@{K} with use - without", collection)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
