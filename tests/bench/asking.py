"""What does a question by words cost, by its kind, and how many times the bare full-text query of its words?

    python tests/bench/asking.py INDEX.db QUESTIONS [--rounds N]

INDEX is the index file of a space (`index-*.db` below the state folder), QUESTIONS a file of texts, one a
line. Each text is asked as it stands, by its longest word, by its first two words, by the beginning of a word
and with a slip, in turn with the full-text query that ranks the notes with any of its words. Printed are, in
milliseconds of this thread's processor time, the medians and the 99th percentile of both, and the ratio.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

from notesd.index import fulltext
from notesd.index.store import Reader, Store
from notesd.parse.expressions import match
from notesd.search import engine, lexical
from notesd.search.conditions import Asked
from notesd.search.query import parse_query

PAGE = 10

_MATCHED = "SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY bm25(fulltext) LIMIT ?"


def longest(text: str) -> str:
    """The word of a text with the most letters."""
    return max(text.split(), key=len)


def with_a_slip(text: str) -> str:
    """The longest word without the letter in its middle."""
    word = longest(text)
    return word[: len(word) // 2] + word[len(word) // 2 + 1 :]


KINDS: Mapping[str, Callable[[str], str]] = {
    "as it stands": lambda text: f"{text} ",
    "two words": lambda text: f"{' '.join(text.split()[:2])} ",
    "one word": lambda text: f"{longest(text)} ",
    "a beginning": lambda text: longest(text)[:4],
    "a slip": lambda text: f"{with_a_slip(text)} ",
}


def spent(work: Callable[[], object]) -> float:
    """Milliseconds of processor time that some work takes."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000


def measured(reader: Reader, texts: Sequence[str], rounds: int) -> tuple[list[float], list[float]]:
    """What each text takes, asked whole and bare, at the median of some rounds."""
    whole, bare = [], []
    for text in texts:
        asked = Asked(parse_query(text), PAGE)
        words = [match(term, fulltext.languages(reader)) for term in lexical.meant_terms(reader, asked.query)]
        any_word = " OR ".join(words) or '""'
        took: list[tuple[float, float]] = []
        for _ in range(rounds):
            engine_ms = spent(lambda asked=asked: engine.search(reader, asked))  # type: ignore[misc]  # bound at once
            bare_ms = spent(lambda one=any_word: reader.rows(_MATCHED, (one, PAGE)))  # type: ignore[misc]  # as above
            took.append((engine_ms, bare_ms))
        whole.append(statistics.median(one for one, _ in took))
        bare.append(statistics.median(one for _, one in took))
    return whole, bare


def main() -> None:
    """Print one row a kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("questions")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with open(args.questions, encoding="utf-8") as file:
        texts = [line.strip() for line in file if line.strip()]
    print(f"{'':14} {'p50':>8} {'p99':>8} {'bare':>8} {'bare p99':>8} {'ratio':>6} {'p99':>6}")
    with Store(args.index).read() as reader:
        for kind, way in KINDS.items():
            whole, bare = measured(reader, [way(text) for text in texts], args.rounds)
            row = [*map(_middle, (whole, bare)), *map(_late, (whole, bare))]
            ratios = f"{row[0] / row[1]:6.2f} {row[2] / row[3]:6.2f}"
            print(f"{kind:14} {row[0]:8.2f} {row[2]:8.2f} {row[1]:8.2f} {row[3]:8.2f} {ratios}")


def _middle(values: Sequence[float]) -> float:
    return statistics.median(values)


def _late(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


if __name__ == "__main__":
    main()
