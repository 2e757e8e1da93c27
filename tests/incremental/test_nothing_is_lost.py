"""Changes come at any moment: between two steps, within a walk, before a swap. None of them is lost.

A real space whose turns the test takes itself; at every stage of every pass it lets a change happen to
the folder, as its watcher would tell it, and compares what the index says with what stands there.
"""

import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from notesd.errors import StoreCorrupt, StoreFull
from notesd.files.place import Place
from notesd.files.pool import Pool
from notesd.files.reading import Job, Limits, Reading, read_one
from notesd.index import index_files
from notesd.ingest import follow
from notesd.ingest.follow import Follower
from notesd.model import NotePath
from notesd.serve.report import export_of
from notesd.settings import Config, SpaceConfig
from notesd.space.space import Space

NAMES = ["a.md", "b.md", "f/c.md", "f/d.md", "g/e.md"]
ENGLISH = "This is what they would have done with the walking of the dogs.\n"
GERMAN = "Das ist nicht, was wir auch noch mit den Hunden machen wollten.\n"
HIDDEN = "---\nindex: false\n---\n"


class Act(Struct, frozen=True):
    """Something that happens from outside."""

    kind: str
    name: str = ""
    other: str = ""


names = st.sampled_from(NAMES)
acts = st.one_of(
    st.builds(Act, st.sampled_from(["write", "hide", "delete", "german"]), names),
    st.builds(Act, st.just("rename"), names, names),
    st.builds(Act, st.just("many"), st.sampled_from(["x", "y"])),
    st.builds(Act, st.sampled_from(["wait", "rescan", "fail", "doubt", "silent"]), names),
)
moments = st.lists(st.one_of(st.none(), acts), max_size=14)
turns = st.sampled_from(["look", "scan", "rescan", "suspect", "lose", "outdate"])


class Late(Pool):
    """Answers late on some notes: after a few looks, with what stood there when it was asked."""

    names = frozenset({"b.md", "f/d.md", "x3.md"})

    def __init__(self, root: str, limits: Limits, **_: Any) -> None:
        super().__init__(root, limits)
        self._late: dict[NotePath, Reading] = {}
        self._looks = 0

    def read(self, jobs: Iterable[Job], *, leave_slow: bool = False) -> Generator[Reading]:  # type: ignore[explicit-override]  # 3.12 has it
        for job in jobs:
            reading = read_one(self._hello.root, job, self._hello.limits)
            if leave_slow and job.path in self.names and not reading.same:
                assert job.path not in self._late
                self._late[job.path] = reading
            else:
                yield reading

    def arrived(self, wait_s: float = 0.0) -> list[Reading]:  # type: ignore[explicit-override]  # 3.12 has it
        self._looks += 1
        path = next(iter(self._late), None)
        return [self._late.pop(path)] if path and self._looks % 3 == 0 else []

    def under_way(self) -> set[NotePath]:  # type: ignore[explicit-override]  # 3.12 has it
        return set(self._late)

    def forget(self, path: str) -> None:  # type: ignore[explicit-override]  # 3.12 has it
        self._late.pop(NotePath(path), None)

    def close(self) -> None:  # type: ignore[explicit-override]  # 3.12 has it
        self._late.clear()


class Unlucky:
    """A space to which things happen at every stage of its work."""

    def __init__(self, home: Path) -> None:
        self.root = home / "notes"
        self.root.mkdir()
        (self.root / "keep.txt").write_text("an empty root would be taken for an unmounted disk")
        self.space = Space(SpaceConfig("n", str(self.root)), str(home / "state"), Config())
        self.space.follower.open()
        self.moments: Iterator[Act | None] = iter(())
        self.version = 0
        self.history: dict[str, list[int | None]] = {}
        """All that ever stood at a path: a version, None for nothing to be indexed."""
        self.floor: dict[str, int] = {}
        """Place in the history that the answers have reached for sure."""
        self.generation = -1
        self.asked: list[Future[Any]] = []
        self.wrong: list[AssertionError] = []
        self.silent: set[str] = set()
        """Changes that no event told of; only a walk finds them."""

    # ---- what happens ------------------------------------------------------------------------

    def stage(self, *, may_fail: bool = True) -> None:
        """One stage of some pass: look, let something happen, look again."""
        self.look()
        act = next(self.moments, None)
        if act is not None:
            self.happen(act, may_fail=may_fail)
            self.look()

    def happen(self, act: Act, *, may_fail: bool = False) -> None:
        if act.kind == "fail":
            if may_fail:
                raise StoreFull("the disk is full")
        elif act.kind == "doubt":
            self.space.mark(None)
        elif act.kind == "wait":
            self.ask(self.space.settled())
        elif act.kind == "rescan":
            self.ask(self.space.rescan())
        elif act.kind == "rename":
            self.rename(act.name, act.other)
        elif act.kind == "delete":
            (self.root / act.name).unlink(missing_ok=True)
            self.stands(act.name, None)
        elif act.kind == "many":
            for number in range(6):
                self.write(f"{act.name}{number}.md", GERMAN if act.name == "x" else ENGLISH)
        elif act.kind == "silent":
            self.silent.add(act.name)
            self.write(act.name, ENGLISH)
        else:
            self.write(act.name, {"hide": HIDDEN, "german": GERMAN}.get(act.kind, ENGLISH))

    def write(self, name: str, text: str) -> None:
        self.version += 1
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(f"{text}\n# version{self.version}end\n")
        self.stands(name, None if text == HIDDEN else self.version)

    def rename(self, name: str, other: str) -> None:
        if name != other and (self.root / name).exists():
            (self.root / other).parent.mkdir(exist_ok=True)
            (self.root / name).replace(self.root / other)
            self.stands(other, self.history[name][-1])
            self.stands(name, None)

    def stands(self, name: str, version: int | None) -> None:
        self.history.setdefault(name, [None]).append(version)
        if name not in self.silent:
            self.space.mark(name)

    def ask(self, future: Future[Any]) -> None:
        """From the answer on everything that stands there now is seen."""
        places = {name: len(versions) - 1 for name, versions in self.history.items()}

        def answered(done: Future[Any]) -> None:
            if not done.exception():
                self.floor |= {name: max(place, self.floor.get(name, 0)) for name, place in places.items()}
                self.look()

        future.add_done_callback(answered)
        self.asked.append(future)

    # ---- what is seen ------------------------------------------------------------------------

    def seen(self) -> dict[str, int]:
        with self.space.reading() as reader:
            return {
                note["path"]: int(re.findall(r"version(\d+)end", str(note))[-1])
                for note in export_of(reader)["notes"]
            }

    def look(self) -> None:
        """Nothing goes back to an older state, and what calls itself fresh is.

        The space survives whatever is raised in its pass, so what is wrong is kept for the end.
        """
        try:
            self.compare()
        except AssertionError as error:
            self.wrong.append(error)

    def compare(self) -> None:
        with self.space.reading() as reader:
            fresh = self.space.freshness(reader)
        seen = self.seen()
        assert fresh.generation >= self.generation
        self.generation = fresh.generation
        if not fresh.building:
            for name, versions in self.history.items():
                assert seen.get(name) in versions[self.floor.get(name, 0) :], name
        if fresh.fresh:
            stands = {
                name: versions[-1] for name, versions in self.history.items() if name not in self.silent
            }
            told = {name: version for name, version in stands.items() if version is not None}
            assert {name: v for name, v in seen.items() if name not in self.silent} == told
            assert fresh.pending["files"] == 0
        else:
            assert fresh.pending["files"] > 0

    # ---- what the space does -----------------------------------------------------------------

    def turn(self, kind: str) -> None:
        space = self.space
        if kind == "scan":
            space.mark(None)
        elif kind == "rescan":
            self.ask(space.rescan())
        elif kind == "suspect" and space.follower.store:
            space.report_damage(StoreCorrupt("a page could not be read", path=space.follower.store.path))
        elif kind == "lose" and space.follower.store:
            Path(space.follower.store.path).unlink()
            self.floor.clear()
        elif kind == "outdate" and space.follower.store:
            with space.follower.store.write() as writer:
                writer.set_meta("fingerprint", "of other rules")
            space.mark(None)
        self.take_turn()

    def take_turn(self) -> None:
        space = self.space
        space.follower.has_more()
        with space._wake:
            work = space._take()
        space._turn(work)
        self.look()

    def rest(self) -> None:
        """Nothing more happens: take turns as the thread would, until nothing is left to do."""
        self.moments = iter(())
        self.silent.clear()
        self.space.mark(None)
        for _ in range(60):
            space = self.space
            if not (space.ledger.debt().files or space._waiters or space._rescans):
                break
            self.take_turn()


@pytest.fixture(scope="module")
def hooked() -> Iterator[list[Callable[..., None]]]:
    """Every place where a pass looks at the folder or changes what answers calls the last of these."""
    stages: list[Callable[..., None]] = [lambda **_: None]
    with pytest.MonkeyPatch.context() as patch:

        def around(owner: Any, name: str, **how: bool) -> None:
            before = getattr(owner, name)

            def hooked(*args: Any, **kwargs: Any) -> Any:
                stages[-1](**how)
                found = before(*args, **kwargs)
                stages[-1](**how)
                return found

            patch.setattr(owner, name, hooked)

        around(Space, "_between")
        around(Place, "walk")
        around(Follower, "_swap", may_fail=False)
        around(follow, "choose_stemmer")
        around(index_files, "purged")
        around(Late, "arrived", may_fail=False)
        patch.setattr(follow, "Pool", Late)
        yield stages


@example([("look", [Act("write", "b.md")]), ("lose", [Act("rename", "b.md", "a.md")])])
@example([("look", [None, Act("write", "f/d.md"), Act("delete", "f/d.md"), Act("many", "x")])])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=st.lists(st.tuples(turns, moments), min_size=1, max_size=4))
@pytest.mark.timeout(300)
def test_whatever_happens_at_whatever_moment_is_in_the_answers(
    hooked: list[Callable[..., None]], plan: list[tuple[str, list[Act | None]]]
) -> None:
    """In the end the index equals one built from nothing; on the way nothing that was seen goes away."""
    home = Path(tempfile.mkdtemp(prefix="nd"))
    try:
        unlucky = Unlucky(home)
        hooked.append(unlucky.stage)
        for kind in NAMES[:3]:
            unlucky.write(kind, ENGLISH)
        unlucky.take_turn()
        for kind, happening in plan:
            unlucky.moments = iter(happening)
            unlucky.turn(kind)
        unlucky.rest()
        hooked.pop()
        assert unlucky.wrong == []
        with unlucky.space.reading() as reader:
            assert unlucky.space.freshness(reader).fresh
            found = export_of(reader)
        assert all(future.done() for future in unlucky.asked)
        fresh = Follower(str(unlucky.root), str(home / "fresh"), unlucky.space.follower.ignore, Config())
        fresh.open()
        fresh.scan()
        assert fresh.store is not None
        assert found == export_of(fresh.store.peek())
        fresh.close()
        unlucky.space.follower.close()
    finally:
        del hooked[1:]
        shutil.rmtree(home)
