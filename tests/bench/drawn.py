"""Questions that nobody has judged: words of a note, to which that note is the answer.

    python tests/bench/drawn.py NOTES OUT [--seed N] [--count N] [--half one|other]

Writes a collection for ``relevance.py`` below OUT for each way in which people ask for what they have read:

    verbatim    5 to 12 words as they stand
    gaps        the same, each third word left out
    keywords    three of 30 words, in any order
    paragraph   20 to 60 words as they stand

Then ``relevance.py OUT/gaps --notes NOTES``. Each note is asked for once at most. What was chosen on the
questions of one half of the notes can be tested on those of the other.
"""

import argparse
import hashlib
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

Words = Sequence[str]
Drawn = Sequence[tuple[str, str]]
"""Path and question."""

DENSE = "[\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
"""Writing without blanks; two of its characters count as a word."""
LEAST = 25
"""Words that a note has to have."""

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_NO_PROSE = re.compile(
    r"^(```|~~~).*?^\1 | ^\#.*?$ | !?\[\[.*?\]\] | \]\(.*?\) | https?://\S+",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_ODD = re.compile(r"(?:^|/)\.|[\t\n\r\ud800-\udfff]")
"""Paths that notesd leaves out, or that no table of judgements can hold."""
_UNINDEXED = re.compile(r"\A---\n(?:.*\n)*?index: *false\b")
_RUNS = re.compile(rf"{DENSE}+|(?:(?!{DENSE}).)+")
_SAID = re.compile(r"\w")
_REMEMBERED = re.compile(r"[\u3400-\u9fff]{2,4}|[\u30a1-\u30ff]{3,}|[^\W\u0e00-\u9fff]{5,}")


def words_of(text: str) -> list[str]:
    """The words of a note's prose in their order; of writing without blanks pairs of characters."""
    found: list[str] = []
    for word in filter(_SAID.search, _NO_PROSE.sub(" ", _FRONT_MATTER.sub("", text)).split()):
        for run in _RUNS.findall(word):
            found += [run[at : at + 2] for at in range(0, len(run), 2)] if re.match(DENSE, run) else [run]
    return found


def told(words: Words) -> str:
    """Words as a text again."""
    return re.sub(rf"(?<={DENSE}) (?={DENSE})", "", " ".join(words))


def some(words: Words, least: int, most: int, rng: random.Random) -> Words:
    """A run of words."""
    size = min(rng.randint(least, most), len(words))
    at = rng.randrange(len(words) - size + 1)
    return words[at : at + size]


def verbatim(words: Words, rng: random.Random) -> str:
    """A run of words as they stand."""
    return told(some(words, 5, 12, rng))


def gaps(words: Words, rng: random.Random) -> str:
    """A run of words without each third."""
    run = some(words, 5, 12, rng)
    return " ".join(told(run[at : at + 2]) for at in range(0, len(run), 3))


def keywords(words: Words, rng: random.Random) -> str:
    """Three of the longer words that stand together, in any order."""
    run = some(words, 30, 30, rng)
    known = sorted({word.lower() for word in _REMEMBERED.findall(told(run))}) or list(run)
    return " ".join(rng.sample(known, min(3, len(known))))


def paragraph(words: Words, rng: random.Random) -> str:
    """A longer run of words as they stand."""
    return told(some(words, 20, 60, rng))


WAYS: Mapping[str, Callable[[Words, random.Random], str]] = {
    way.__name__: way for way in (verbatim, gaps, keywords, paragraph)
}


def half_of(path: str) -> str:
    """To which half of the notes a note belongs: the same one each time."""
    return "one" if hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()[0] % 2 else "other"


def sources(notes: Path, half: str | None) -> Iterator[tuple[str, Words]]:
    """Path and words of each note that questions may be about, in the order of paths."""
    for file in sorted(notes.rglob("*.md")):
        path = file.relative_to(notes).as_posix()
        if _ODD.search(path) or not file.is_file() or half not in {None, half_of(path)}:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        words = words_of(text)
        if len(words) >= LEAST and not _UNINDEXED.search(text):
            yield path, words


def draw(every: Sequence[tuple[str, Words]], way: str, count: int, seed: int) -> Drawn:
    """Ask for some notes in one way; the same questions each time for the same seed."""
    rng = random.Random(f"{seed} {way}")
    return [(path, WAYS[way](words, rng)) for path, words in rng.sample(every, min(count, len(every)))]


def write(folder: Path, drawn: Drawn) -> None:
    """Write a collection without notes."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = (json.dumps({"_id": str(at), "text": text}) for at, (_, text) in enumerate(drawn))
    judged = (f"{at}\t{path}\t1" for at, (path, _) in enumerate(drawn))
    (folder / "queries.jsonl").write_text("\n".join(asked) + "\n", encoding="utf-8")
    (folder / "qrels.tsv").write_text("\n".join(judged) + "\n", encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """Draw questions of each kind; returns the exit status."""
    known = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = known.add_argument
    add("notes", type=Path)
    add("out", type=Path)
    add("--seed", type=int, default=1)
    add("--count", type=int, default=200, help="questions of each kind at most; default: 200")
    add("--half", choices=("one", "other"), help="ask for notes of that half only")
    args = known.parse_args(words)
    if args.count < 1:
        known.error("--count is 1 or more")
    try:
        every = list(sources(args.notes, args.half))
        for way in WAYS if every else ():
            write(args.out / way, draw(every, way, args.count, args.seed))
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    if not every:
        print(f"{args.notes} holds no note of {LEAST} words or more", file=sys.stderr)
    return 0 if every else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
