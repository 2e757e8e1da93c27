"""The programs that are measured beside each other: notesd in one or two versions, and its peers.

Each is used as its own manual says, in a home of its own, by words alone.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from bench.process_tree import Run, Taken, run, size

from notesd.errors import NotesdError
from notesd.serve.client import Client

DEADLINE_S = 3_600.0


class Program(Protocol):
    """One that can index a folder and be asked."""

    name: str

    def cold(self) -> Taken:
        """Index the folder from nothing."""

    def unchanged(self) -> Taken:
        """Look once more at the folder, in which nothing has changed."""

    def query(self, words: str) -> Taken:
        """Ask once, as a process of its own."""

    def index_bytes(self) -> int:
        """Bytes of what was kept on disk."""


class Home:
    """A home folder of one program's own."""

    def __init__(self, name: str, folder: str, scratch: str) -> None:
        self.name, self.folder = name, os.path.abspath(folder)
        self.home = os.path.join(scratch, name.replace("/", "_"))

    def empty(self) -> None:
        """Begin with nothing."""
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home, mode=0o700)

    def environment(self) -> dict[str, str]:
        """Nothing of the person who measures is found in it."""
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("NOTESD_", "XDG_"))}
        kinds = ("CACHE", "CONFIG", "DATA", "STATE")
        xdg = {f"XDG_{kind}_HOME": os.path.join(self.home, kind) for kind in kinds}
        return keep | {"HOME": self.home, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"} | xdg


class Notesd(Home):
    """A version of notesd, by the interpreter of the environment that it is installed in."""

    def __init__(self, name: str, folder: str, scratch: str, python: str = sys.executable) -> None:
        super().__init__(name, folder, scratch)
        self._python = python

    def _notesd(self, *arguments: str) -> list[str]:
        state, socket = (os.path.join(self.home, part) for part in ("state", "socket"))
        return [self._python, "-m", "notesd", *arguments, "--state-dir", state, "--socket", socket]

    def _fresh(self) -> bool:
        """Whether answers hold everything that is in the folder."""
        with contextlib.suppress(NotesdError):
            with contextlib.closing(Client(os.path.join(self.home, "socket"), DEADLINE_S)) as client:
                answer: Any = client.call("search", query="x", limit=1, record=False)
            return bool(answer["index"]["fresh"] and not answer["index"]["building"])
        return False

    def _served(self) -> Taken:
        """Wall time until answers are fresh; memory and processor time until the daemon has ended."""
        with self._daemon() as daemon:
            until = daemon.elapsed_s()
            return self._ended(daemon, until)

    @staticmethod
    def _ended(daemon: Run, wall_s: float) -> Taken:
        daemon.process.terminate()
        return daemon.taken(wall_s)

    @contextlib.contextmanager
    def _daemon(self) -> Iterator[Run]:
        with Run(self._notesd("serve", self.folder), self.environment()) as daemon:
            while not self._fresh():
                if daemon.process.poll() is not None or daemon.elapsed_s() > DEADLINE_S:
                    raise RuntimeError(f"{self.name}: the daemon ended, or was never ready")
                time.sleep(0.02)
            yield daemon

    def cold(self) -> Taken:
        """Index from nothing."""
        self.empty()
        return self._served()

    def unchanged(self) -> Taken:
        """Start again on what is there."""
        return self._served()

    def query(self, words: str) -> Taken:
        """Ask the running daemon once; what it takes itself is counted with the client."""
        with self._daemon() as daemon:
            command = self._notesd("query", "--no-record", "--limit", "10", *words.split())
            before = _cpu_s(daemon.process.pid)
            client = run(command, self.environment())
            more = _cpu_s(daemon.process.pid) - before
            self._ended(daemon, 0.0)
        return client._replace(cpu_s=client.cpu_s + more)

    def index_bytes(self) -> int:
        """Bytes of the index, without the record of use."""
        return size(os.path.join(self.home, "state", "spaces"))


def _cpu_s(process: int) -> float:
    with open(f"/proc/{process}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Qmd(Home):
    """qmd, full text alone."""

    def __init__(self, name: str, folder: str, scratch: str, program: str) -> None:
        super().__init__(name, folder, scratch)
        self._program = program

    def _run(self, *arguments: str) -> Taken:
        """With the node that lies beside the program first on the path."""
        path = os.path.dirname(self._program) + os.pathsep + os.environ["PATH"]
        return run([self._program, *arguments], self.environment() | {"PATH": path})

    def cold(self) -> Taken:
        """Add the folder as a collection, which indexes it."""
        self.empty()
        return self._run("collection", "add", self.folder, "--name", "c")

    def unchanged(self) -> Taken:
        """Update the collection."""
        return self._run("update")

    def query(self, words: str) -> Taken:
        """Search by words."""
        return self._run("search", words, "--json", "-n", "10")

    def index_bytes(self) -> int:
        """Bytes of its database."""
        return size(self.home, ".sqlite") + size(self.home, ".sqlite-wal")


class Recoll(Home):
    """recoll, Markdown read as plain text."""

    def __init__(self, name: str, folder: str, scratch: str, program: str) -> None:
        super().__init__(name, folder, scratch)
        self._program = program

    def _write(self, name: str, text: str) -> None:
        with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
            file.write(text)

    def cold(self) -> Taken:
        """Index with a configuration of its own, everything else as it comes."""
        self.empty()
        self._write("recoll.conf", f"topdirs = {self.folder}\n")
        self._write("mimemap", ".md = text/plain\n")
        return run([self._program, "-c", self.home, "-z"], self.environment())

    def unchanged(self) -> Taken:
        """Index again."""
        return run([self._program, "-c", self.home], self.environment())

    def query(self, words: str) -> Taken:
        """Ask with snippets."""
        ask = os.path.join(os.path.dirname(self._program), "recollq")
        return run([ask, "-c", self.home, "-n", "10", "-A", words], self.environment())

    def index_bytes(self) -> int:
        """Bytes of its Xapian database."""
        return size(os.path.join(self.home, "xapiandb"))


class Script(Home):
    """A library of Python that reads no Markdown: the least that a full-text index of the folder costs."""

    def __init__(self, name: str, folder: str, scratch: str, code: Mapping[str, str]) -> None:
        super().__init__(name, folder, scratch)
        self._code = code

    def _run(self, part: str, *words: str) -> Taken:
        program = [sys.executable, "-c", self._code[part], self.folder, os.path.join(self.home, "index")]
        return run([*program, *words], self.environment())

    def cold(self) -> Taken:
        """Index from nothing."""
        self.empty()
        return self._run("index")

    def unchanged(self) -> Taken:
        """Index from nothing again: it knows no changes."""
        return self.cold()

    def query(self, words: str) -> Taken:
        """Ask for any of the words."""
        return self._run("query", words)

    def index_bytes(self) -> int:
        """Bytes of what it wrote."""
        return size(self.home)


READ = """
import os, sys
folder, index = sys.argv[1:3]
def texts():
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".md"):
                with open(os.path.join(at, name), encoding="utf-8", errors="replace") as file:
                    yield os.path.join(at, name), file.read()
"""
TANTIVY = {
    "index": READ
    + """
import tantivy
fields = tantivy.SchemaBuilder()
fields.add_text_field("path", stored=True)
fields.add_text_field("body")
os.mkdir(index)
made = tantivy.Index(fields.build(), path=index)
writer = made.writer()
for path, text in texts():
    writer.add_document(tantivy.Document(path=path, body=text))
writer.commit()
writer.wait_merging_threads()
""",
    "query": """
import sys, tantivy
index = tantivy.Index.open(sys.argv[2])
for score, address in index.searcher().search(index.parse_query(sys.argv[3], ["body"]), 10).hits:
    print(score, index.searcher().doc(address)["path"])
""",
}
SQLITE_UTILS = {
    "index": READ
    + """
import sqlite_utils
db = sqlite_utils.Database(index)
db["note"].insert_all(({"path": path, "body": text} for path, text in texts()), pk="path")
db["note"].enable_fts(["body"])
""",
    "query": """
import sys, sqlite_utils
db = sqlite_utils.Database(sys.argv[2])
for row in db["note"].search(sys.argv[3], limit=10, quote=True):
    print(row["path"])
""",
}


def _importable(module: str) -> bool:
    command = [sys.executable, "-c", f"import {module}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def installed(folder: str, scratch: str, qmd: str | None, against: Sequence[str]) -> list[Program]:
    """Everything that can be run here: notesd, other versions of it, and the peers that are installed."""
    found: list[Program] = [Notesd("notesd", folder, scratch)]
    found += [Notesd(f"notesd at {python}", folder, scratch, python) for python in against]
    if qmd := qmd or shutil.which("qmd"):
        found.append(Qmd("qmd", folder, scratch, os.path.abspath(qmd)))
    if recoll := shutil.which("recollindex"):
        found.append(Recoll("recoll", folder, scratch, recoll))
    if _importable("tantivy"):
        found.append(Script("tantivy", folder, scratch, TANTIVY))
    if _importable("sqlite_utils"):
        found.append(Script("sqlite-utils", folder, scratch, SQLITE_UTILS))
    return found
