"""The promise that matters most: an index that followed every change equals one built from nothing."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from notesd.files.ignore import Ignore
from notesd.index import fulltext
from notesd.ingest.follow import Follower
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query
from notesd.serve.report import export_of
from notesd.settings import Config

FOLDERS = ["", "a", "a/b", "projects", "É"]
STEMS = [
    "note",
    "Note",
    "index",
    "README",
    "pic",
    "x___y",
    "20240101120000 log",
    "day-one",
    "day one",
    "v1.2",
    "café",
]
ENDINGS = [".md", ".md", ".md", ".png", ".MD", ".Pdf"]
TARGETS = [
    "note", "Note", "a/note", "projects", "Boss", "x/y", "20240101120000", "day_one", "pic.png", "v1.2",
    "cafe\u0301",
    "../note", "/a/b/index", "#part", "nobody", "K1", "day one", "README",
]  # fmt: skip
PIECES = [
    *(f"[[{target}]]\n" for target in TARGETS), *(f"![[{target}]]\n" for target in TARGETS[:4]),
    "- likes [[note]]\n", "up:: [[Boss]]\n", "[m](note.md) [n](../a/day%20one.md)\n", "# Boss\n",
    "# Title two\n",
    "#tag/sub word\n",
    "state:: done [pages:: 300]\n",
    "The houses are where they have been, and this is what was said of the books.\n",
    "Das sind nicht die Häuser, von denen wir auch noch Bücher hatten.\n",
    "Los libros que no están en las casas son de los otros.\n",
    "Это было не только потому, что он хотел книгу.\n",
    "Häuser, Bücher\n", "libros rojos\n", "red books\n", "книги\n", "the boxes of los libros\n",
]  # fmt: skip
HEADS = [
    "", "---\naliases: [Boss, note]\n---\n", "---\ntitle: Boss\ntags: [x, Y]\n---\n", "---\nid: K1\n---\n",
    "---\nstate: [Done, open]\npages: 1,300\ndue: 2031-02-05\n---\n",
    "---\nindex: false\n---\n", "---\nbad: [\n---\n",
]  # fmt: skip

paths = st.builds(
    lambda folder, stem, ending: f"{folder}/{stem}{ending}" if folder else stem + ending,
    st.sampled_from(FOLDERS), st.sampled_from(STEMS), st.sampled_from(ENDINGS),
)  # fmt: skip
texts = st.builds(
    lambda head, pieces: head + "".join(pieces),
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(PIECES), max_size=4),
)
QUERIES = ["boss", "title two", "word", "note", "tag:tag", "links:note", "log -word"]
QUERIES += ["haus", "buch", "libro", "house", "book", "книга", "box", "häuser bücher"]
QUERIES += ["type:attachment", "ext:png -day", "type:image", "pic", "days png", "links:pic.png", "cafe.pdf"]


def described(follower: Follower) -> dict[str, Any]:
    """Everything that a person can see of an index."""
    assert follower.store is not None
    with follower.store.read() as reader:
        answers = {
            text: [
                (hit["path"], round(hit["score"], 9))
                for hit in engine.search(reader, Asked(parse_query(text), 50)).hits
            ]
            for text in QUERIES
        }
        values = "SELECT path, property.* FROM property JOIN note ON note.id = note"
        compared = sorted(
            map(repr, ((path, key, value, *rest) for path, key, value, _, *rest in reader.rows(values)))
        )
        columns = "path, path_folded, stem_folded, extension"
        files = reader.rows(f"SELECT {columns} FROM attachment ORDER BY path")
        languages = fulltext.languages(reader)
        told: dict[str, Any] = {"answers": answers, "properties": compared, "languages": languages}
        told["attachments"] = files
        return export_of(reader) | told


class Folder(RuleBasedStateMachine):
    """Creates, edits, renames, moves and deletes notes and folders; the index follows."""

    def __init__(self) -> None:
        """Make an empty folder and an index that follows it."""
        super().__init__()
        # In memory where there is such a place: thousands of files are made, and none outlives its example.
        self.home = Path(tempfile.mkdtemp(prefix="nd", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        self.root = self.home / "notes"
        self.root.mkdir()
        (self.root / "keep.txt").write_text("an empty root would be taken for an unmounted disk")
        self.follower = self.made("state")

    def made(self, state: str) -> Follower:
        follower = Follower(str(self.root), str(self.home / state), Ignore(()), Config())
        follower.open()
        return follower

    @initialize()
    def first(self) -> None:
        """Build the first index."""
        self.follower.scan()

    @rule(path=paths, text=texts, hinted=st.booleans())
    def write(self, path: str, text: str, hinted: bool) -> None:
        """Save a file, new or old."""
        file = self.root / path
        if not file.is_dir():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.look(hinted, path)

    @rule(path=paths, hinted=st.booleans())
    def delete(self, path: str, hinted: bool) -> None:
        """Remove a file."""
        (self.root / path).unlink(missing_ok=True)
        self.look(hinted, path)

    @rule(old=paths, new=paths, hinted=st.booleans())
    def rename(self, old: str, new: str, hinted: bool) -> None:
        """Rename a file, over another one too."""
        if (self.root / old).is_file() and not (self.root / new).is_dir():
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.root / old, self.root / new)
        self.look(hinted, old, new)

    @rule(
        old=st.sampled_from(FOLDERS[1:]),
        new=st.sampled_from(["a", "moved", "projects/in", "É"]),
        hinted=st.booleans(),
    )
    def move_folder(self, old: str, new: str, hinted: bool) -> None:
        """Rename a folder with all in it."""
        if (
            (self.root / old).is_dir()
            and not (self.root / new).exists()
            and not f"{new}/".startswith(f"{old}/")
        ):
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.root / old, self.root / new)
        self.look(hinted, old, new)

    @rule(folder=st.sampled_from(FOLDERS[1:]), hinted=st.booleans())
    def delete_folder(self, folder: str, hinted: bool) -> None:
        """Remove a folder with all in it."""
        shutil.rmtree(self.root / folder, ignore_errors=True)
        self.look(hinted, folder)

    @rule()
    def restart(self) -> None:
        """End and begin again with the index that is there."""
        self.follower.close()
        self.follower = self.made("state")
        self.follower.scan()

    @rule()
    def rescan(self) -> None:
        """Build anew beside the old index."""
        self.follower.scan(anew=True)

    def look(self, hinted: bool, *dirty: str) -> None:
        if hinted:
            self.follower.look_at(set(dirty))
        else:
            self.follower.scan()

    @invariant()
    def equals_a_fresh_build(self) -> None:
        """What the index says is what one built from nothing says."""
        if self.follower.ingest is None:
            return
        fresh = self.made("fresh")
        try:
            fresh.scan()
            assert described(self.follower) == described(fresh)
        finally:
            fresh.close()
            shutil.rmtree(self.home / "fresh")

    def teardown(self) -> None:  # type: ignore[explicit-override]  # 3.12 has it
        """Remove everything."""
        self.follower.close()
        shutil.rmtree(self.home)


Folder.TestCase.settings = settings(
    max_examples=40, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
# 800 steps, each with an index built from nothing: minutes where the machine has other things to do.
TestIncrementalEqualsRebuild = pytest.mark.timeout(900)(Folder.TestCase)
