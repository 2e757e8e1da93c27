"""How long does a small query take while others ask for the dearest things there are?

``crowd.py NOTES [SECONDS]`` starts a daemon on a folder of notes, asks it small queries alone, then beside
four clients that ask random, costly questions without a pause, then beside such that ask and leave. It prints
median and 95th percentile in milliseconds, how many times longer than alone that is, the processor's time,
and the largest answer.
"""

import contextlib
import json
import os
import random
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Self

from running import Running

WORDS = ["error", "lamp", "note", "the", "and", "a", "de", "la", "que", "tide", "rope", "salt", "is", "of"]
"""Words that stand in many notes."""


def costly(rng: random.Random, words: list[str]) -> tuple[str, dict[str, Any]]:
    """One request that costs as much as its author could make it."""
    some = rng.choices(words, k=rng.choice([1, 8, 64]))
    filters = " ".join(
        f"{rng.choice(['-', ''])}{rng.choice(['tag', 'path', 'title', 'type'])}:{w}" for w in some
    )
    text = rng.choice(
        [
            " ".join(some), " ".join(f"{word[:2]}*" for word in some), f'"{" ".join(some[:8])}"',
            filters, " ".join(f"-tag:a{i}" for i in range(450)), " OR ".join(some), "a* " * 64,
            f"links:{some[0]} linked:{some[-1]} {' '.join(some)}", "x" * 4000,
            " ".join(f"é{word}" for word in some),
        ]
    )  # fmt: skip
    search = {
        "query": text, "limit": rng.choice([10, 1000]), "offset": rng.choice([0, 0, 900, 90_000]),
        "explain": rng.random() < 0.5, "record": False,
        **({"why": rng.choice(words)} if rng.random() < 0.2 else {}),
        **({"tag": [f"t{i}" for i in range(500)]} if rng.random() < 0.1 else {}),
    }  # fmt: skip
    names = rng.choices(words, k=rng.choice([1, 50, 3000]))
    return rng.choice(
        [
            ("search", search), ("search", search), ("search", search),
            ("feed", {"q": text, "limit": 1000}),
            ("open", {"notes": names + [f"nobody {i}" for i in range(200)], "record": False}),
            ("links", {"note": rng.choice(words), "depth": 5}),
            ("related", {"note": rng.choice(words), "limit": 1000}),
            ("export", {}), ("check", {}), ("status", {}),
        ]
    )  # fmt: skip


class Line:
    """One connection, without any help."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(120)
        self.socket.connect(path)

    def ask(self, method: str, params: dict[str, Any]) -> bytes:
        """The whole answer, as it came."""
        self.send(method, params)
        answer = bytearray()
        while not answer.endswith(b"\n"):
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                break
            answer += chunk
        return bytes(answer)

    def send(self, method: str, params: dict[str, Any]) -> None:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")


class Crowd:
    """Four clients that ask without a pause."""

    def __init__(self, path: str, words: list[str], *, leaving: bool) -> None:
        self.largest = self.asked = 0
        self.dearest: tuple[float, str] = (0.0, "")
        self._path, self._words, self._leaving = path, words, leaving
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._loop, args=(seed,)) for seed in range(4)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _loop(self, seed: int) -> None:
        rng = random.Random(seed)
        while not self._stop.is_set():
            method, params = costly(rng, self._words)
            line = Line(self._path)
            began = time.monotonic()
            if self._leaving:
                line.send(method, params)
                self._stop.wait(0.01)
            else:
                self.largest = max(self.largest, len(line.ask(method, params)))
                self.dearest = max(self.dearest, (time.monotonic() - began, f"{method} {str(params)[:150]}"))
            line.socket.close()
            self.asked += 1


def cpu_s(pid: int) -> float:
    """Processor's time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def small(path: str, seconds: float, word: str) -> list[float]:
    """Milliseconds of each of many small queries, each on a connection of its own."""
    taken = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        line = Line(path)
        line.ask("search", {"query": word, "limit": 5, "record": False})
        line.socket.close()
        taken.append((time.monotonic() - began) * 1000)
        time.sleep(0.02)
    return sorted(taken)


def told(name: str, taken: list[float], alone: list[float]) -> str:
    """One line about some queries."""
    median, p95 = taken[len(taken) // 2], taken[int(len(taken) * 0.95)]
    ratio = p95 / alone[int(len(alone) * 0.95)]
    return f"{name:31} {len(taken):5} queries  median {median:7.1f} ms  p95 {p95:6.1f} ms ({ratio:.1f} times)"


def main(folder: str, seconds: float) -> None:
    """Measure and print."""
    names = [one.stem for one in Path(folder).rglob("*.md")]
    words = WORDS + random.Random(1).sample(names, min(200, len(names)))
    with tempfile.TemporaryDirectory(prefix="nd", dir="/tmp") as home:
        daemon = Running(Path(folder), Path(home))
        try:
            while daemon.ask("status")["state"] != "ready":
                time.sleep(0.2)
            path = str(daemon.socket)
            alone = small(path, seconds, "lamp")
            print(told("alone", alone, alone))
            for name, leaving in (("beside four who ask", False), ("beside four who ask and leave", True)):
                before = cpu_s(daemon.process.pid)
                with Crowd(path, words, leaving=leaving) as crowd:
                    print(told(name, small(path, seconds, "lamp"), alone))
                spent = cpu_s(daemon.process.pid) - before
                print(f"    {crowd.asked} requests, {spent:.1f} s of CPU, largest {crowd.largest} bytes")
                print(f"    longest: {crowd.dearest[0]:.1f} s {crowd.dearest[1]}")
            before = cpu_s(daemon.process.pid)
            time.sleep(5)
            print(f"5 s after the last: {cpu_s(daemon.process.pid) - before:.2f} s of CPU")
        finally:
            with contextlib.suppress(ProcessLookupError):
                daemon.stop()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 20.0)
