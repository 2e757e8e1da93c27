"""Whatever happens in a folder, the watcher says where to look, or that everything is in doubt."""

import contextlib
import ctypes
import errno
import os
import queue
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from notesd.errors import SpaceUnavailable
from notesd.files import watch as module
from notesd.files.ignore import Ignore
from notesd.files.inotify import Tree, Trees
from notesd.files.links import Links
from notesd.files.observer import Observed
from notesd.files.place import Place
from notesd.files.watch import Backend, Watcher

PATIENCE = 60.0


class Watched:
    """A watched folder and what was reported of it."""

    def __init__(self, root: Path, ignore: Ignore | None = None, links: Links | None = None) -> None:
        root.mkdir(exist_ok=True)
        self.root = root
        self.reports: queue.SimpleQueue[tuple[str, str | None]] = queue.SimpleQueue()
        self.watcher = Watcher(lambda name, path: self.reports.put((name, path)))
        self.kind = self.watcher.add("v", os.path.realpath(root), ignore or Ignore(), links)
        self.fences = 0

    def wait(self, *wanted: str | None) -> list[str | None]:
        """Wait until all these were reported; return everything that was."""
        missing = set(wanted)
        seen: list[str | None] = []
        until = time.monotonic() + PATIENCE
        while missing:
            try:
                _, path = self.reports.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"never reported: {missing}; reported: {seen}")
            seen.append(path)
            missing.discard(path)
        return seen

    def until_quiet(self, folder: str = "") -> list[str | None]:
        """Write a note until it is reported: everything before it was reported then.

        In a folder that was just made the first writes may be covered by the folder's report.
        """
        self.fences += 1
        path = os.path.join(folder, f"fence-{self.fences}.md")
        seen: list[str | None] = []
        until = time.monotonic() + PATIENCE
        while path not in seen:
            if time.monotonic() > until:
                pytest.fail(f"never reported: {path}; reported: {seen}")
            self.write(path)
            with contextlib.suppress(queue.Empty):
                while path not in seen:
                    seen.append(self.reports.get(timeout=0.3)[1])
        return [report for report in seen if not report or "fence-" not in report]

    def write(self, path: str, text: str = "text") -> None:
        """Write a note."""
        (self.root / path).write_text(text, encoding="utf-8")


@pytest.fixture(params=["inotify", "observer"])
def watched(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watched]:
    """Watch a folder, once in each way there is."""
    if request.param == "observer":
        monkeypatch.setattr(module, "_WAYS", (module._observed,))
    it = Watched(tmp_path / "v")
    yield it
    it.watcher.close()


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Watched]:
    """Watch a folder by our own tree of watches."""
    it = Watched(tmp_path / "v")
    yield it
    it.watcher.close()


def exchange(one: Path, other: Path) -> None:
    """Swap two names in one step."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2):
        raise OSError(ctypes.get_errno(), "renameat2")


@pytest.mark.parametrize("folder", ["work.nextcloud", "work.md.owncloud"])
def test_a_folder_named_like_a_placeholder(watched: Watched, folder: str) -> None:
    """A placeholder is a file: what is saved below such a folder is told of, also in one that is new."""
    (watched.root / folder).mkdir()
    watched.wait(folder)
    watched.until_quiet(folder)
    watched.write(f"{folder}/a.md")
    watched.wait(f"{folder}/a.md")
    watched.write(f"{folder}/b.md.nextcloud")
    watched.wait(f"{folder}/b.md")
    (watched.root / folder).rename(watched.root / "other")

    watched.wait(folder, "other")


def test_files(watched: Watched) -> None:
    """A note that comes, changes, is saved atomically, moves and goes is reported, with both ends."""
    assert watched.kind == "inotify"
    watched.write("a.md")
    watched.wait("a.md")
    watched.until_quiet()
    watched.write("a.md", "more")
    watched.wait("a.md")
    watched.write(".a.md.tmp")
    (watched.root / ".a.md.tmp").rename(watched.root / "a.md")
    assert ".a.md.tmp" not in watched.wait("a.md")
    watched.until_quiet()
    (watched.root / "a.md").rename(watched.root / "b.md")
    watched.wait("a.md", "b.md")
    watched.until_quiet()
    (watched.root / "b.md").unlink()
    watched.wait("b.md")


def test_odd_names(watched: Watched) -> None:
    """Names in any bytes are reported as the scan writes them, and watching goes on."""
    raw = os.fsencode(watched.root)
    for name in (b"caf\xe9.md", "e\u0301.md".encode(), b"a\nb.md"):
        with open(os.path.join(raw, name), "wb"):
            pass
    watched.wait("caf\uefe9.md", "e\u0301.md", "a\nb.md")
    watched.until_quiet()


def test_what_is_left_out_is_never_reported(watched: Watched) -> None:
    """Hidden names, temporary files and left-out folders make no report, nor does reading."""
    for folder in (".git", "node_modules", "s"):
        (watched.root / folder).mkdir()
    watched.wait("s")
    watched.until_quiet("s")
    for path in (".git/x.md", "node_modules/x.md", "4913", "a.md~", ".hidden.md", "s/#a.md#"):
        watched.write(path)
    watched.write("s/a.md")
    watched.wait("s/a.md")
    watched.until_quiet("s")
    for _ in range(3):
        (watched.root / "s" / "a.md").read_text(encoding="utf-8")
        os.listdir(watched.root / "s")
    assert watched.until_quiet("s") == []


def test_attachments(watched: Watched) -> None:
    """An attachment that comes or goes is reported."""
    watched.write("pic.png")
    watched.wait("pic.png")
    (watched.root / "pic.png").unlink()
    watched.wait("pic.png")


def test_a_new_folder_is_watched(tree: Watched) -> None:
    """A folder made with everything in it is reported, and later notes in its depth are."""
    (tree.root / "a" / "b" / "c").mkdir(parents=True)
    tree.write("a/b/c/early.md")
    tree.wait("a")
    tree.until_quiet("a/b/c")
    tree.write("a/b/c/late.md")
    tree.wait("a/b/c/late.md")


def test_a_folder_that_moves_inside(tree: Watched) -> None:
    """Both ends are reported; afterwards its notes are reported under the new name."""
    (tree.root / "a" / "sub").mkdir(parents=True)
    tree.wait("a")
    tree.until_quiet("a/sub")
    (tree.root / "a").rename(tree.root / "b")
    tree.wait("a", "b")
    tree.until_quiet("b/sub")
    tree.write("b/sub/n.md")
    tree.wait("b/sub/n.md")


def test_a_file_that_becomes_a_folder(tree: Watched) -> None:
    """A folder in a note's place is watched."""
    tree.write("a.md")
    tree.until_quiet()
    (tree.root / "a.md").unlink()
    (tree.root / "a.md").mkdir()
    tree.wait("a.md")
    tree.until_quiet("a.md")


def test_a_folder_that_moves_out(tree: Watched, tmp_path: Path) -> None:
    """Its going is reported; what happens to it outside is not, whatever stands in its place."""
    (tree.root / "a" / "sub").mkdir(parents=True)
    tree.until_quiet("a/sub")
    (tree.root / "a").rename(tmp_path / "out")
    tree.wait("a")
    (tree.root / "a").mkdir()
    tree.until_quiet("a")
    (tmp_path / "out" / "outside.md").touch()
    (tmp_path / "out" / "sub" / "outside.md").touch()
    shutil.rmtree(tmp_path / "out")
    reports = tree.until_quiet("a")
    assert [path for path in reports if path and ("outside" in path or path == "a")] == []
    assert tree.watcher.healthy() is None


def test_a_trashed_folder_made_again_and_renamed(tree: Watched, tmp_path: Path) -> None:
    """The ordinary desktop sequence that ends watchdog's own reader for ever."""
    (tree.root / "p").mkdir()
    tree.until_quiet("p")
    (tree.root / "p").rename(tmp_path / "trash")
    tree.until_quiet()
    (tree.root / "p").mkdir()
    (tree.root / "p").rename(tree.root / "p2")
    tree.until_quiet("p2")
    shutil.rmtree(tmp_path / "trash")
    tree.until_quiet()
    tree.until_quiet("p2")
    assert tree.watcher.healthy() is None


def test_swapped_folders(tree: Watched) -> None:
    """After two folders change places each reports under its own name."""
    (tree.root / "a" / "in_a").mkdir(parents=True)
    (tree.root / "b" / "in_b").mkdir(parents=True)
    tree.until_quiet("a/in_a")
    tree.until_quiet("b/in_b")
    exchange(tree.root / "a", tree.root / "b")
    tree.wait("a", "b")
    tree.until_quiet("a/in_b")
    tree.until_quiet("b/in_a")
    shutil.rmtree(tree.root / "a")
    tree.until_quiet("b/in_a")
    assert tree.watcher.healthy() is None


@pytest.mark.parametrize("seed", range(3))
def test_a_storm_of_moves(tree: Watched, tmp_path: Path, seed: int) -> None:
    """After hundreds of folders were made, moved in, out and about, every one left is watched."""
    random = Random(seed)
    out = tmp_path / "out"
    out.mkdir()

    def folders() -> list[str]:
        return [folder for folder, _, _ in os.walk(tree.root)]

    for step in range(400):
        inside, outside = folders(), os.listdir(out)
        some = random.choice(inside)
        name = random.choice("abcde")
        match random.randrange(6):
            case 0 | 1:
                os.makedirs(os.path.join(some, name, random.choice("abcde")), exist_ok=True)
            case 2 if len(inside) > 1:
                move(random.choice(inside[1:]), os.path.join(some, name))
            case 3 if len(inside) > 1:
                move(random.choice(inside[1:]), str(out / str(step)))
            case 4 if outside:
                move(str(out / random.choice(outside)), os.path.join(some, name))
            case 5 if len(inside) > 1:
                shutil.rmtree(random.choice(inside[1:]))
    tree.until_quiet()
    for folder in folders():
        tree.until_quiet(os.path.relpath(folder, tree.root).removeprefix("."))
    for folder in os.listdir(out):
        (out / folder / "outside.md").touch()
    assert [path for path in tree.until_quiet() if path and path.endswith("outside.md")] == []
    assert tree.watcher.healthy() is None
    assert tree.watcher.watches()[0] == len(folders())


def move(one: str, other: str) -> None:
    """Rename where the system allows it."""
    with contextlib.suppress(OSError):  # into itself, or onto a folder with something in it
        os.rename(one, other)


def test_links_are_not_followed(tree: Watched, tmp_path: Path) -> None:
    """A link to a folder leads to no watch, neither out of the space nor round in circles."""
    (tmp_path / "outside").mkdir()
    (tree.root / "loop").symlink_to(".")
    (tree.root / "out").symlink_to(tmp_path / "outside")
    tree.until_quiet()
    (tmp_path / "outside" / "n.md").touch()
    assert [path for path in tree.until_quiet() if path] == []
    assert tree.watcher.watches()[0] == 1


def test_left_out_folders_cost_no_watches(tmp_path: Path) -> None:
    """Folders that are left out are not watched; the limit of the system is known."""
    for folder in ("v/.git/objects/aa", "v/node_modules/p", "v/archive/x", "v/s/t"):
        (tmp_path / folder).mkdir(parents=True)
    it = Watched(tmp_path / "v", Ignore(("archive/",)))
    used, limit = it.watcher.watches()
    it.watcher.close()
    assert used == 3
    assert limit > 0


def test_overflow(tree: Watched) -> None:
    """When events were lost everything is in doubt once, and what is there now is watched."""
    backend = tree.watcher._backend
    assert isinstance(backend, Trees)
    a_tree = backend._trees["v"]
    (tree.root / "a").mkdir()
    tree.until_quiet("a")
    with a_tree._lock:
        a_tree._uproot("a")  # as if the event that made it had been lost
    assert tree.watcher.overflows == {}
    before = time.time()
    a_tree.on_queue_overflow()
    assert tree.wait(None).count(None) == 1
    tree.until_quiet("a")
    assert tree.watcher.healthy() is None
    assert before <= tree.watcher.overflows["v"].last <= time.time()


def test_overflow_again_and_again(tree: Watched) -> None:
    """A queue that runs over all the time is no longer chased; starting again is asked for."""
    backend = tree.watcher._backend
    assert isinstance(backend, Trees)
    for _ in range(3):
        backend._trees["v"].on_queue_overflow()
    assert "again and again" in (tree.watcher.healthy() or "")
    tree.watcher.restart()
    tree.wait(None)
    tree.until_quiet()
    assert tree.watcher.healthy() is None
    assert tree.watcher.overflows["v"].count == 3


def test_a_real_overflow(tree: Watched) -> None:
    """More events than the kernel's queue holds put the space in doubt, and watching goes on."""
    with open("/proc/sys/fs/inotify/max_queued_events", encoding="ascii") as file:
        queued = int(file.read())
    backend = tree.watcher._backend
    assert isinstance(backend, Trees)
    backend._reader._lock.acquire()  # the reader stops before its next read
    try:
        tree.write("wake.md")
        for number in range(queued // 2 + 200):  # a name made and one removed: two events that never merge
            path = tree.root / f"{number}.md"
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            path.unlink()
        (tree.root / "late").mkdir()
    finally:
        backend._reader._lock.release()
    tree.wait(None)
    tree.until_quiet("late")
    assert tree.watcher.healthy() is None


def test_a_root_that_vanishes_and_returns(tree: Watched, tmp_path: Path) -> None:
    """Its going is a doubt; another folder in its place is noticed, and watched after a restart."""
    tree.root.rename(tmp_path / "elsewhere")
    tree.wait(None)
    assert tree.watcher.healthy() is None  # nothing is there to be watched
    tree.root.mkdir()
    assert "another folder" in (tree.watcher.healthy() or "")
    tree.watcher.restart()
    tree.wait(None)
    tree.until_quiet()
    (tmp_path / "elsewhere" / "n.md").touch()
    assert tree.until_quiet() == []


def test_a_root_that_is_removed_and_made_again(watched: Watched) -> None:
    """Also when it is deleted, and in both ways of watching."""
    watched.root.rmdir()
    watched.wait(None)
    watched.root.mkdir()
    assert watched.watcher.healthy() is not None
    watched.watcher.restart()
    watched.wait(None)
    watched.until_quiet()
    assert watched.watcher.healthy() is None


def test_a_root_that_is_not_there_yet(tmp_path: Path) -> None:
    """Such a space is polled; once its folder is there a restart watches it."""
    it = Watched(tmp_path / "v")
    later = tmp_path / "later"
    assert it.watcher.add("later", str(later), Ignore()) == "polling"
    assert "later" in (it.watcher.shortfall() or "")
    assert it.watcher.healthy() is None
    later.mkdir()
    assert "is back" in (it.watcher.healthy() or "")
    it.watcher.restart()
    assert it.watcher.kinds() == {"v": "inotify", "later": "inotify"}
    assert it.watcher.shortfall() is None
    it.watcher.close()


def test_a_dead_reader_is_noticed(watched: Watched) -> None:
    """A reading thread that ended is noticed, though the observer says it is alive."""
    backend = watched.watcher._backend
    reader: Any = backend._reader if isinstance(backend, Trees) else backend._observer._inotify_fd  # type: ignore[union-attr]  # private to both
    reader.stop()
    reader.join()
    assert "has died" in (watched.watcher.healthy() or "")
    watched.watcher.restart()
    watched.wait(None)
    watched.until_quiet()
    assert watched.watcher.healthy() is None


def test_a_failing_listener_blinds_nobody(tmp_path: Path) -> None:
    """An exception in the callback ends no thread."""
    reports: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def listen(_name: str, path: str | None) -> None:
        if path == "bad.md":
            raise RuntimeError("unforeseen")
        reports.put(path)

    watcher = Watcher(listen)
    watcher.add("v", str(tmp_path), Ignore())
    (tmp_path / "bad.md").touch()
    (tmp_path / "good.md").touch()
    assert reports.get(timeout=PATIENCE) == "good.md"
    assert watcher.healthy() is None
    watcher.close()


def test_an_unforeseen_event_is_a_doubt(tree: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error while an event is understood puts the space in doubt and ends no thread."""

    def fail(*_args: object) -> None:
        raise KeyError("unforeseen")

    with monkeypatch.context() as patch:
        patch.setattr(Tree, "_take", fail)
        tree.write("a.md")
        tree.wait(None)
    tree.until_quiet()
    assert tree.watcher.healthy() is None


def test_two_spaces_and_a_removed_one(tree: Watched, tmp_path: Path) -> None:
    """Each space hears of itself alone, also one inside another; a removed one hears nothing."""
    inner, other = tree.root / "inner", tmp_path / "other"
    inner.mkdir()
    other.mkdir()
    tree.until_quiet("inner")
    tree.watcher.add("inner", str(inner), Ignore())
    tree.watcher.add("other", str(other), Ignore())
    (inner / "n.md").touch()
    seen = {tree.reports.get(timeout=PATIENCE), tree.reports.get(timeout=PATIENCE)}
    while not {("v", "inner/n.md"), ("inner", "n.md")} <= seen:
        seen.add(tree.reports.get(timeout=PATIENCE))
    tree.watcher.remove("other")
    tree.watcher.remove("nobody")
    (other / "n.md").touch()
    tree.write("last.md")
    names: list[tuple[str, str | None]] = []
    while not names or names[-1] != ("v", "last.md"):
        names.append(tree.reports.get(timeout=PATIENCE))
    assert "other" not in {name for name, _ in names}


@pytest.mark.parametrize(
    ("code", "refused"),
    [pytest.param(errno.ENOSPC, "a", id="a folder"), pytest.param(errno.ENOSPC, "", id="the root")],
)
def test_the_watch_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, refused: str) -> None:
    """At the limit a folder is said to be unwatched; a root falls back to polling; nothing is silent."""
    root = tmp_path / "v"
    (root / "a" / "b").mkdir(parents=True)
    (root / "c").mkdir()
    limit_watches(monkeypatch, os.path.realpath(root / refused), code)
    it = Watched(root)
    assert it.kind == ("inotify" if refused else "polling")
    assert "limit" in (it.watcher.shortfall() or "")
    assert it.watcher.healthy() is None  # starting again would not help
    if refused:
        it.until_quiet("c")
    monkeypatch.undo()
    it.watcher.restart()
    it.wait(None)
    it.until_quiet("a/b")
    assert it.watcher.shortfall() is None
    it.watcher.close()


def limit_watches(monkeypatch: pytest.MonkeyPatch, path: str, code: int) -> None:
    """Refuse a watch on one directory."""
    from watchdog.observers.inotify_c import InotifyFD

    real: Callable[..., Any] = InotifyFD.add_callback

    def refuse(self: InotifyFD, raw: bytes, *args: Any) -> Any:
        if raw == os.fsencode(path):
            raise OSError(code, "inotify watch limit reached")
        return real(self, raw, *args)

    monkeypatch.setattr(InotifyFD, "add_callback", refuse)


def test_an_unreadable_folder_is_watched_once_it_is_readable(
    tree: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder we may not see is watched as soon as its rights change."""
    with monkeypatch.context() as patch:
        limit_watches(patch, os.path.realpath(tree.root / "s"), errno.EACCES)
        (tree.root / "s").mkdir()
        tree.wait("s")
        tree.until_quiet()
    assert tree.watcher.shortfall() is None
    (tree.root / "s").chmod(0o700)
    tree.wait("s")
    tree.until_quiet("s")


def test_no_inotify_instance_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an instance everything is polled, and that is said; a restart tries again."""
    from watchdog.observers.inotify_c import InotifyFD

    def refuse(_cls: type) -> int:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    with monkeypatch.context() as patch:
        patch.setattr(InotifyFD, "_create_inotify_fd", classmethod(refuse))
        it = Watched(tmp_path / "v")
    assert it.kind == "polling"
    assert "instance limit" in (it.watcher.shortfall() or "")
    assert it.watcher.watches() == (0, 0)
    assert it.watcher.healthy() is None
    it.watcher.restart()
    it.wait(None)
    it.until_quiet()
    assert it.watcher.kinds() == {"v": "inotify"}
    it.watcher.close()


@pytest.mark.parametrize("make", [Trees, Observed])
def test_backends_refuse_a_missing_root(tmp_path: Path, make: Callable[[], Backend]) -> None:
    """A root that is not there is no folder without events."""
    backend = make()
    with pytest.raises(SpaceUnavailable):
        backend.add("v", str(tmp_path / "gone"), Ignore(), lambda _path: None, lambda: None)
    assert backend.illness() is None
    backend.close()


def test_close_twice(tree: Watched) -> None:
    """Closing is final and may be repeated; nothing is reported afterwards."""
    tree.watcher.close()
    tree.watcher.close()
    tree.write("a.md")
    assert tree.watcher.healthy() is None
    assert tree.watcher.kinds() == {}
    assert tree.reports.empty()


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Watched]:
    """Watch a folder with a link to a folder and one to a note."""
    (tmp_path / "ext" / "sub").mkdir(parents=True)
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone" / "one.md").write_text("text")
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "out").symlink_to("../ext")
    (tmp_path / "v" / "single.md").symlink_to("../lone/one.md")
    place = Place(str(tmp_path / "v"), Ignore(), follow_links=True)
    place.walk()
    it = Watched(tmp_path / "v", links=place.links)
    yield it
    it.watcher.close()


def test_what_happens_behind_links_is_reported_by_their_paths(behind: Watched) -> None:
    """Notes and folders, old and new; a note that is written in place, and one that is replaced, twice."""
    top = behind.root.parent
    (top / "ext" / "a.md").write_text("text")
    (top / "ext" / "sub" / "b.md").write_text("text")
    behind.wait("out/a.md", "out/sub/b.md")
    (top / "ext" / "new").mkdir()
    behind.wait("out/new")
    (top / "ext" / "new" / "c.md").write_text("text")
    behind.wait("out/new/c.md")
    (top / "lone" / "one.md").write_text("edited")
    behind.wait("single.md")
    for n in range(2):
        behind.until_quiet()
        (top / "lone" / f"new{n}.md").write_text("text")
        (top / "lone" / f"new{n}.md").replace(top / "lone" / "one.md")
        behind.wait("single.md")


def test_a_target_that_goes_is_reported(behind: Watched) -> None:
    """So is a link that is pointed elsewhere."""
    top = behind.root.parent
    (top / "ext").rename(top / "away")
    behind.wait("out")
    behind.until_quiet()
    (behind.root / "single.md").unlink()
    (behind.root / "single.md").symlink_to("../away")
    behind.wait("single.md")


def test_what_is_behind_links_and_not_watched_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other systems watch the folder alone: the shortfall has it walked more often."""
    monkeypatch.setattr("notesd.files.watch._WAYS", (Observed,))
    (tmp_path / "ext").mkdir()
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "out").symlink_to("../ext")
    place = Place(str(tmp_path / "v"), Ignore(), follow_links=True)
    place.walk()
    it = Watched(tmp_path / "v", links=place.links)
    shortfall = it.watcher.shortfall()
    it.watcher.close()

    assert shortfall
    assert "1 followed link" in shortfall
