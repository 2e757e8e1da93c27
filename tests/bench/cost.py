"""What does a cold index of a folder cost, one version of notesd beside another?

``python -m tests.bench.cost FOLDER PYTHON...``: each PYTHON is the interpreter of an environment in which one
version is installed, the first is what the others are compared with. Rounds are interleaved, because the
machine may have much else to do; what counts are the ratios of processor time and of bytes.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 3

ONE = """
import json, os, resource, sys
from msgspec.structs import replace
from notesd.config import load, space_from_folder
from notesd.daemon import _space
folder, state = sys.argv[1:]
config = load(None, {})
one = space_from_folder(folder, [])
space = _space(one, state, replace(config, spaces=(one,)))
space.start()
space.settled().result(900)
space.stop()
files = (os.path.join(at, name) for at, _, names in os.walk(state) for name in names)
print(sum(os.path.getsize(file) for file in files if file.endswith(".db") and "/index" in file))
"""


def measure(python: str, folder: str) -> tuple[float, int]:
    """Return seconds of processor time of all processes, starting included, and bytes of the index."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as state:
        command = [python, "-c", ONE, folder, state]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=1_000)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(done.stdout.split()[-1])


def main(folder: str, pythons: list[str]) -> None:
    """Print one line of JSON for each interpreter."""
    folder = os.path.abspath(folder)
    runs: list[list[tuple[float, int]]] = [[] for _ in pythons]
    for _ in range(ROUNDS):
        for python, found in zip(pythons, runs, strict=True):
            found.append(measure(python, folder))
    rows = [(statistics.median(s for s, _ in found), min(size for _, size in found)) for found in runs]
    for python, (seconds, size) in zip(pythons, rows, strict=True):
        ratios = {"cpu_ratio": round(seconds / rows[0][0], 2), "bytes_ratio": round(size / rows[0][1], 2)}
        print(json.dumps({"python": python, "cpu_s": round(seconds, 2), "bytes": size, **ratios}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
