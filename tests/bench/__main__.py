"""notesd beside its peers on the same folder, in one run.

    python -m tests.bench FOLDER [WORDS...] [--rounds N] [--against PYTHON] [--qmd PATH]
                           [--json FILE] [--svg FILE] [--stages]

Measured are a cold index, a look at the folder in which nothing has changed, a query as a process of its own,
and the bytes of the index. Rounds are interleaved and medians printed, with ratios to the first program; what
counts are the ratios, from a machine on which nothing else runs. Peers are taken where they are installed
(qmd, recoll, and in the environment of this Python tantivy and sqlite-utils); the others are named.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from bench.picture import bars
from bench.process_tree import size
from bench.programs import Program, installed
from bench.read_costs import stages, told

PEERS = ("qmd", "recoll", "tantivy", "sqlite-utils")
WORDS = ("change", "note")
JOBS = ("cold", "unchanged", "query")
FIGURES = ("wall_s", "cpu_s", "peak_mb")


def measured(programs: Sequence[Program], words: str, rounds: int) -> dict[str, dict[str, float]]:
    """Medians of each job and figure for each program; rounds begin with another one each time."""
    runs: dict[str, dict[str, list[float]]] = {one.name: {} for one in programs}
    for number in range(rounds):
        turn = number % len(programs)
        for one in (*programs[turn:], *programs[:turn]):
            for job in JOBS:
                taken = one.query(words) if job == "query" else getattr(one, job)()
                for figure in FIGURES:
                    runs[one.name].setdefault(f"{job} {figure}", []).append(getattr(taken, figure))
            runs[one.name].setdefault("index bytes", []).append(one.index_bytes())
            print(f"round {number + 1}: {one.name}", file=sys.stderr)
    return {
        name: {row: statistics.median(values) for row, values in rows.items()} for name, rows in runs.items()
    }


def table(found: Mapping[str, Mapping[str, float]], text_bytes: int) -> list[str]:
    """One line a row, one column a program; beside each figure its ratio to that of the first program."""
    names = list(found)
    lines = ["| | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for row, first in found[names[0]].items():
        cells = []
        for name in names:
            value = found[name][row]
            ratio = f" ({value / first:.2f})" if first else ""
            said = f"{value / text_bytes:.2f} of the text" if row == "index bytes" else f"{value:.3g}"
            cells.append(said + ratio)
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


def understood(words: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    known = argparse.ArgumentParser(
        prog="python -m tests.bench", description=(__doc__ or "").split("\n", 1)[0]
    )
    known.add_argument("folder", help="folder of notes; it is only read")
    known.add_argument("words", nargs="*", default=WORDS, help="the query, default: change note")
    known.add_argument("--rounds", type=int, default=5, metavar="N", help="N rounds, default 5")
    known.add_argument(
        "--against", action="append", default=[], metavar="PYTHON",
        help="interpreter of an environment in which another version of notesd is installed",
    )  # fmt: skip
    known.add_argument("--qmd", metavar="PATH", help="the program qmd, if it is not on PATH")
    known.add_argument("--only-notesd", action="store_true", help="leave all peers out")
    known.add_argument("--json", metavar="FILE", help="write all figures there")
    known.add_argument("--svg", metavar="FILE", help="draw the ratios there")
    known.add_argument("--stages", action="store_true", help="say as well what each stage of reading costs")
    return known.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Measure, print the table and write the files; returns the exit status."""
    args = understood(words)
    text_bytes = size(args.folder, ".md")
    with tempfile.TemporaryDirectory(prefix="nb", dir="/tmp") as scratch:
        programs = installed(args.folder, scratch, args.qmd, args.against)
        if args.only_notesd:
            programs = programs[: 1 + len(args.against)]
        missing = [peer for peer in PEERS if peer not in {one.name for one in programs}]
        found = measured(programs, " ".join(args.words), args.rounds)
    print("\n".join(table(found, text_bytes)))
    if missing:
        print(f"not measured: {', '.join(missing)}", file=sys.stderr)
    folder = os.path.basename(os.path.abspath(args.folder))
    result: dict[str, Any] = {"folder": folder, "text_bytes": text_bytes}
    result |= {"rounds": args.rounds, "missing": missing, "programs": found}
    if args.stages:
        result["stages"] = stages(args.folder)
        print("\n".join(told(result["stages"])))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    if args.svg:
        with open(args.svg, "w", encoding="utf-8") as file:
            file.write(bars(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
