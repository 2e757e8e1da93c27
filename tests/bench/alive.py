"""How fast is a change found, what does following cost, and do questions suffer meanwhile?

    python tests/bench/alive.py FOLDER [--edits 200] [--rounds 20] [--burst 5000] [--idle 60]

FOLDER is copied; a daemon follows the copy. Prints figures beside the limits we set ourselves, and
ratios against the bare operation measured in the same run.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from running import Running, running


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def save_to_searchable(daemon: Running, count: int) -> list[float]:
    """Seconds from a save to the first plain question that finds it."""
    notes = sorted(daemon.vault.rglob("*.md"))
    found = []
    for number in range(count):
        note = notes[number * 7919 % len(notes)]
        word = f"zqedit{number:04d}kx"
        with note.open("a") as file:
            file.write(f"\n{word}\n")
        begin = time.perf_counter()
        while not daemon.ask("search", query=word, record=False)["results"]:
            pass
        found.append(time.perf_counter() - begin)
    return found


def bursts(daemon: Running, size: int, rounds: int) -> tuple[list[float], int]:
    """Seconds until a burst of new notes is answered with wait, and how many of all were lost."""
    took, lost = [], 0
    folder = daemon.vault / "burst"
    for number in range(rounds):
        for i in range(size):
            note = folder / f"d{i % 50}" / f"b{i}.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"# Burst {i}\n\nround{number}word note{i}\n")
        begin = time.perf_counter()
        answer = daemon.ask("search", query=f"round{number}word", wait=True, limit=1, record=False)
        took.append(time.perf_counter() - begin)
        known = daemon.ask("feed", q=f"round{number}word", limit=1)["total"]
        lost += size - known
        assert answer["index"]["fresh"]
    shutil.rmtree(folder)
    daemon.ask("search", query="x", wait=True)
    return took, lost


def question_times(daemon: Running, seconds: float, until: threading.Event | None = None) -> list[float]:
    words = ["river", "garden", "time", "vida", "house letter", "como una", "new year"]
    took: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end and not (until and until.is_set()):
        begin = time.perf_counter()
        daemon.ask("search", query=words[len(took) % len(words)], record=False)
        took.append(time.perf_counter() - begin)
    return took


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bare_walk(folder: str) -> float:
    begin = time.perf_counter()
    todo = [folder]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
    return time.perf_counter() - begin


def report_follows(daemon: Running, edits: int, burst: int, rounds: int) -> None:
    """Print how fast changes are found."""
    took = save_to_searchable(daemon, edits)
    median, worst = statistics.median(took) * 1000, max(took) * 1000
    print(f"save to searchable: median {median:.0f} ms (limit 150), worst {worst:.0f} ms (limit 1000)")
    took, lost = bursts(daemon, burst, rounds)
    print(f"burst of {burst}, {rounds} rounds: all found after {statistics.median(took):.2f} s, {lost} lost")


def report_walk(daemon: Running) -> None:
    """Print what looking at an unchanged folder costs."""
    walks = [bare_walk(str(daemon.vault)) for _ in range(5)]
    waits = []
    for _ in range(5):
        begin = time.perf_counter()
        daemon.ask("search", query="zqnothing", wait=True, record=False)
        waits.append(time.perf_counter() - begin)
    ratio = statistics.median(waits) / statistics.median(walks)
    print(f"no-change reconcile: {ratio:.2f} times a bare walk (limit 3)")


def report_rescan(daemon: Running) -> None:
    """Print what questions feel of a rescan."""
    calm = question_times(daemon, 5)
    done = threading.Event()

    def rescan() -> None:
        daemon.ask("rescan", wait=True)
        done.set()

    thread = threading.Thread(target=rescan)
    thread.start()
    busy = question_times(daemon, 600, done)
    thread.join()
    ratio = percentile(busy, 0.99) / percentile(calm, 0.99)
    print(f"questions during a rescan: p99 {ratio:.2f} times the calm one (limit 3), {len(busy)} asked")


def report_idle(daemon: Running, seconds: float) -> None:
    """Print what following costs when nothing happens."""
    pid = daemon.ask("ping")["pid"]
    time.sleep(25)  # parsers end, caches settle
    before = cpu_seconds(pid)
    time.sleep(seconds)
    share = (cpu_seconds(pid) - before) / seconds * 100
    memory = daemon.ask("status")["rss_bytes"] / 1e6
    print(f"idle: {share:.2f} % of a core (limit 0.5), {memory:.0f} MB (limit 80)")


def main() -> None:
    """Run everything on a copy of the folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--burst", type=int, default=5000)
    parser.add_argument("--idle", type=float, default=60)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nb", dir="/tmp") as home:
        vault = Path(home) / "vault"
        shutil.copytree(args.folder, vault)
        with running(vault) as daemon:
            begin = time.perf_counter()
            daemon.ask("search", query="x", wait=True)
            known = daemon.ask("status")["spaces"][0]["notes"]
            print(f"first index: {known} notes in {time.perf_counter() - begin:.1f} s")
            report_follows(daemon, args.edits, args.burst, args.rounds)
            report_walk(daemon)
            report_rescan(daemon)
            report_idle(daemon, args.idle)


if __name__ == "__main__":
    main()
