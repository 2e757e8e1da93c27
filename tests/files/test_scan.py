"""A walk sees every note once, follows nothing, and tells absence from blindness."""

import errno
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from notesd.errors import SpaceUnavailable
from notesd.files import offline
from notesd.files.changes import diff
from notesd.files.ignore import Ignore
from notesd.files.scan import Scan, is_another_root, lstat_note, root_id, stamp_of
from notesd.files.walk import scan, scan_below
from notesd.model import NotePath, Problem, Stamp

PLAIN = Ignore()
STAT = {"st_size": 1, "st_mtime_ns": 2, "st_ctime_ns": 3, "st_ino": 4, "st_dev": 5}


def write(root: Path, *paths: str) -> None:
    """Write small files, folders included."""
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path, encoding="utf-8")


def stamp_at(path: Path) -> Stamp:
    """Take a stamp by other means than the product's."""
    found = os.lstat(path)
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make listing a folder fail as if the system refused it; works for root, too."""

    def arrange(folder: Path, code: int, after: int = 0) -> None:
        real = os.scandir

        def scandir(path: Any) -> Any:
            if os.fsencode(path) != os.fsencode(folder):
                return real(path)
            if not after:
                raise OSError(code, os.strerror(code), path)
            return Failing(real(path), code, after)

        monkeypatch.setattr(os, "scandir", scandir)

    return arrange


class Failing:
    """A listing that breaks off."""

    def __init__(self, real: Any, code: int, after: int) -> None:
        self.entries, self.code, self.after = list(real), code, after

    def __enter__(self) -> Iterator[Any]:
        return self.run()

    def __exit__(self, *_args: object) -> None:
        pass

    def run(self) -> Iterator[Any]:
        """Yield some entries, then fail."""
        yield from self.entries[: self.after]
        raise OSError(self.code, os.strerror(self.code))


def test_what_a_walk_sees(tmp_path: Path) -> None:
    """Notes with stamps, attachments by name, nothing that is left out."""
    write(
        tmp_path, "a.md", "B.MD", "s/t/c.md", "s/pic.png", "dendron.yml", ".obsidian/x.md", ".h.md", "a.md~",
        "node_modules/p/README.md",
    )  # fmt: skip
    (tmp_path / "empty").mkdir()
    found = scan(str(tmp_path), PLAIN)
    assert found.notes == {path: stamp_at(tmp_path / path) for path in ("a.md", "B.MD", "s/t/c.md")}
    assert found.files == {"s/pic.png", "dendron.yml"}
    assert found.dendron
    assert found.folders == 4
    assert found.root == root_id(str(tmp_path))
    assert (found.odd, found.unlisted) == ({}, {})


def test_configured_patterns(tmp_path: Path) -> None:
    """What the configuration leaves out is not seen, and its folders are not entered."""
    write(tmp_path, "a.md", "drafts/b.md", "x/c.md", "x/d.md")
    found = scan(str(tmp_path), Ignore(("drafts/", "x/c.md")))
    assert set(found.notes) == {"a.md", "x/d.md"}
    assert found.folders == 2


def test_odd_names(tmp_path: Path) -> None:
    """Names in any bytes and either composition are seen, each as itself, and lead back to the file."""
    raw_root = os.fsencode(tmp_path)
    names = [
        b"caf\xe9.md",
        "e\u0301.md".encode(),
        "é.md".encode(),
        b"a\nb.md",
        b" x .md",
        b"-rf.md",
        b"%00.md",
    ]
    names += [b"x" * 252 + b".md", "🌊.md".encode(), b"'\"\\.md"]
    for name in names:
        with open(os.path.join(raw_root, name), "wb"):
            pass
    found = scan(str(tmp_path), PLAIN)
    assert len(found.notes) == len(names)
    assert "caf\uefe9.md" in found.notes
    for path, stamp in found.notes.items():
        assert lstat_note(str(tmp_path), path) == stamp


def test_odd_things(tmp_path: Path) -> None:
    """FIFOs, sockets and links with a note's name are said, not read, and links to folders or nothing."""
    outside = tmp_path / "outside"
    root = tmp_path / "v"
    write(outside, "secret.md")
    write(root, "a.md", "s/b.md")
    os.mkfifo(root / "fifo.md")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(root)  # a socket's path is short
        server.bind("sock.md")
        os.chdir(here)
    (root / "link.md").symlink_to(outside / "secret.md")
    (root / "dangling.md").symlink_to("nowhere")
    (root / "itself.md").symlink_to("itself.md")
    (root / "folder").symlink_to(outside)
    (root / "s" / "up").symlink_to("..")
    (root / "pic.png").symlink_to("a.md")
    (root / "gone").symlink_to("nowhere")
    (root / "drafts").symlink_to(outside)
    (root / ".hidden").symlink_to(outside)
    found = scan(str(root), Ignore(("drafts/",)))
    assert set(found.notes) == {"a.md", "s/b.md"}
    assert found.files == set()
    links = {"link.md", "dangling.md", "itself.md", "folder", "s/up", "gone"}
    assert set(found.odd) == {"fifo.md", "sock.md"} | links
    assert "link to a folder" in found.odd[NotePath("folder")].reason
    assert "leads nowhere" in found.odd[NotePath("gone")].reason
    for path in ("folder", "gone"):
        assert scan_below(str(root), path, PLAIN).odd == {path: found.odd[NotePath(path)]}
    assert {problem.kind for problem in found.odd.values()} == {"not_regular"}
    assert "FIFO" in found.odd[NotePath("fifo.md")].reason
    assert found.folders == 2


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.EMFILE, errno.ESTALE])
def test_a_folder_that_cannot_be_listed(tmp_path: Path, refuse: Callable[..., None], code: int) -> None:
    """Its notes are kept, the rest is seen, and the reason is said."""
    write(tmp_path, "a.md", "s/b.md", "s/t/c.md", "z/d.md")
    before = scan(str(tmp_path), PLAIN)
    refuse(tmp_path / "s", code)
    found = scan(str(tmp_path), PLAIN)
    assert set(found.notes) == {"a.md", "z/d.md"}
    assert set(found.unlisted) == {"s"}
    assert found.unlisted["s"].kind == "unreadable"
    changes = diff(found, before.notes, before.files)
    assert (changes.removed, changes.kept) == ((), ("s/b.md", "s/t/c.md"))


def test_a_listing_that_breaks_off(tmp_path: Path, refuse: Callable[..., None]) -> None:
    """What was listed before the error is seen, what was not is kept."""
    write(tmp_path, *(f"s/{letter}.md" for letter in "abcdef"))
    before = scan(str(tmp_path), PLAIN)
    refuse(tmp_path / "s", errno.EIO, after=3)
    found = scan(str(tmp_path), PLAIN)
    changes = diff(found, before.notes, before.files)
    assert (len(found.notes), changes.removed, len(changes.kept)) == (3, (), 3)


def test_a_note_that_cannot_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of stat keeps that note."""
    write(tmp_path, "a.md", "b.md")

    before = scan(str(tmp_path), PLAIN)
    broken = scan_with_failing_stat(tmp_path, monkeypatch)
    assert set(broken.unlisted) == {"b.md"}
    assert diff(broken, before.notes, set()).kept == ("b.md",)


def scan_with_failing_stat(root: Path, monkeypatch: pytest.MonkeyPatch) -> Scan:
    """Scan while looking at b.md fails."""
    real = os.scandir

    class Entry:
        """A directory entry whose stat fails for one name."""

        def __init__(self, entry: os.DirEntry[bytes]) -> None:
            self.entry = entry
            self.name = entry.name
            self.is_dir, self.is_file = entry.is_dir, entry.is_file

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            """Fail for b.md."""
            if self.name == b"b.md":
                raise OSError(errno.EIO, "bad disk")
            return self.entry.stat(follow_symlinks=follow_symlinks)

    class Listing:
        """A listing of such entries."""

        def __init__(self, path: bytes) -> None:
            with real(path) as entries:
                self.entries = [Entry(entry) for entry in entries]

        def __enter__(self) -> Iterator[Entry]:
            return iter(self.entries)

        def __exit__(self, *_args: object) -> None:
            pass

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", Listing)
        return scan(str(root), PLAIN)


def test_a_folder_that_goes_during_the_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is gone when its turn comes is gone, not unreadable."""
    write(tmp_path, "a.md", "s/b.md")
    before = scan(str(tmp_path), PLAIN)
    real = os.scandir

    def scandir(path: bytes) -> Any:
        if path.endswith(b"/s"):
            os.unlink(path + b"/b.md")
            os.rmdir(path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = scan(str(tmp_path), PLAIN)
    assert found.unlisted == {}
    assert diff(found, before.notes, set()).removed == ("s/b.md",)


def test_a_folder_that_goes_with_the_one_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking at a folder whose parent is removed at that moment finds nothing, and is no error."""
    write(tmp_path, "a.md", "s/t/b.md")
    real = PLAIN.directory

    def directory(path: str) -> bool:
        shutil.rmtree(tmp_path / "s")
        return real(path)

    monkeypatch.setattr(PLAIN, "directory", directory)
    found = scan_below(str(tmp_path), "s/t", PLAIN)
    assert (found.notes, found.unlisted) == ({}, {})


def test_a_disk_that_denies_a_folder(tmp_path: Path, refuse: Callable[..., None]) -> None:
    """A folder that "does not exist" when it is listed, and does, is unreadable: its notes are kept."""
    write(tmp_path, "a.md", "s/b.md")
    before = scan(str(tmp_path), PLAIN)
    refuse(tmp_path / "s", errno.ENOENT)
    found = scan(str(tmp_path), PLAIN)
    assert set(found.unlisted) == {"s"}
    assert diff(found, before.notes, set()).kept == ("s/b.md",)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EMFILE, errno.ENOENT])
def test_a_root_that_cannot_be_listed(tmp_path: Path, refuse: Callable[..., None], code: int) -> None:
    """That is a fault of the space, never an empty folder."""
    write(tmp_path, "a.md")
    refuse(tmp_path, code)
    with pytest.raises(SpaceUnavailable, match="cannot be listed"):
        scan(str(tmp_path), PLAIN)


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    """A missing root and a file in its place are faults of the space, for every way of looking."""
    write(tmp_path, "file")
    for root in (str(tmp_path / "gone"), str(tmp_path / "file")):
        with pytest.raises(SpaceUnavailable):
            scan(root, PLAIN)
        with pytest.raises(SpaceUnavailable):
            scan_below(root, "a.md", PLAIN)
        with pytest.raises(SpaceUnavailable):
            lstat_note(root, NotePath("a.md"))


def test_another_root(tmp_path: Path) -> None:
    """A folder that was moved away and made again is another one; a missing one is not."""
    root = tmp_path / "v"
    root.mkdir()
    known = root_id(str(root))
    assert not is_another_root(str(root), known)
    root.rename(tmp_path / "old")
    assert not is_another_root(str(root), known)
    root.mkdir()
    assert is_another_root(str(root), known)
    assert is_another_root(str(root), None)


def test_looking_below_a_folder(tmp_path: Path) -> None:
    """A part of a space is seen as the whole walk sees it."""
    write(tmp_path, "a.md", "s/b.md", "s/t/c.md", "s/pic.png", "s/.x/d.md")
    whole, part = scan(str(tmp_path), PLAIN), scan_below(str(tmp_path), "s", PLAIN)
    assert part.notes == {path: stamp for path, stamp in whole.notes.items() if path.startswith("s/")}
    assert part.files == {"s/pic.png"}
    assert part.root == whole.root
    assert scan_below(str(tmp_path), "", PLAIN) == whole


def test_looking_at_one_path(tmp_path: Path) -> None:
    """A path is a note, an attachment, nothing, or left out."""
    write(tmp_path, "a.md", "pic.png", ".git/x.md", "drafts/b.md")
    root, ignore = str(tmp_path), Ignore(("drafts/",))
    assert set(scan_below(root, "a.md", ignore).notes) == {"a.md"}
    assert scan_below(root, "pic.png", ignore).files == {"pic.png"}
    for path in (
        "gone.md",
        "gone/x.md",
        "a.md/x.md",
        ".git",
        ".git/x.md",
        "drafts",
        "drafts/b.md",
        "../x",
        "/etc",
        "a\0",
    ):
        found = scan_below(root, path, ignore)
        assert (found.notes, found.files, found.unlisted, found.odd) == ({}, set(), {}, {})


def test_a_file_that_became_a_folder_and_back(tmp_path: Path) -> None:
    """What the path is now decides: the note goes, what is in the folder comes, and back again."""
    root = str(tmp_path)
    write(tmp_path, "a.md")
    before = scan(root, PLAIN)
    (tmp_path / "a.md").unlink()
    write(tmp_path, "a.md/in.md")
    swapped = scan_below(root, "a.md", PLAIN)
    changes = diff(swapped, before.notes, set(), below="a.md")
    assert (changes.read, changes.removed) == (("a.md/in.md",), ("a.md",))
    assert lstat_note(root, NotePath("a.md")) is None
    (tmp_path / "a.md" / "in.md").unlink()
    (tmp_path / "a.md").rmdir()
    write(tmp_path, "a.md")
    changes = diff(scan_below(root, "a.md", PLAIN), swapped.notes, set(), below="a.md")
    assert (changes.read, changes.removed) == (("a.md",), ("a.md/in.md",))


def test_a_folder_that_became_a_link(tmp_path: Path) -> None:
    """What lies behind a link is outside, even when asked for by its path."""
    root, outside = tmp_path / "v", tmp_path / "outside"
    write(root, "s/b.md")
    write(outside, "b.md")
    before = scan(str(root), PLAIN)
    (root / "s" / "b.md").unlink()
    (root / "s").rmdir()
    (root / "s").symlink_to(outside)
    assert lstat_note(str(root), NotePath("s/b.md")) is None
    assert diff(scan_below(str(root), "s", PLAIN), before.notes, set(), below="s").removed == ("s/b.md",)
    assert diff(scan_below(str(root), "s/b.md", PLAIN), before.notes, set(), below="s/b.md").removed == (
        "s/b.md",
    )


def test_lstat_note(tmp_path: Path) -> None:
    """A note's stamp, an odd thing's name, or proof of absence."""
    write(tmp_path, "s/a.md")
    os.mkfifo(tmp_path / "fifo.md")
    (tmp_path / "link.md").symlink_to("s/a.md")
    root = str(tmp_path)
    assert lstat_note(root, NotePath("s/a.md")) == stamp_at(tmp_path / "s" / "a.md")
    for name in ("fifo.md", "link.md"):
        problem = lstat_note(root, NotePath(name))
        assert isinstance(problem, Problem)
        assert problem.kind == "not_regular"
    for name in (
        "gone.md",
        "s",
        "s/a.md/b.md",
        "gone/b.md",
        "../x.md",
        "/etc/passwd",
        "a\0.md",
        "x" * 300 + ".md",
    ):
        assert lstat_note(root, NotePath(name)) is None


@pytest.mark.parametrize("code", [errno.EACCES, errno.EMFILE, errno.EIO])
def test_not_being_able_to_look_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Any error but "not there" keeps the note."""
    write(tmp_path, "s/a.md")
    before = scan(str(tmp_path), PLAIN)
    real = os.open

    def refused(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        if path == b"s":
            raise OSError(code, os.strerror(code))
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", refused)
    problem = lstat_note(str(tmp_path), NotePath("s/a.md"))
    assert isinstance(problem, Problem)
    assert problem.kind == "unreadable"
    found = scan_below(str(tmp_path), "s/a.md", PLAIN)
    assert diff(found, before.notes, set(), below="s/a.md").kept == ("s/a.md",)


def test_edits_that_hide_their_time(tmp_path: Path) -> None:
    """An edit of the same size whose time was put back, and an older file moved over a note, are seen."""
    write(tmp_path, "a.md", "old.md")
    os.utime(tmp_path / "old.md", (1, 1))
    before = scan(str(tmp_path), PLAIN).notes
    stamp = before[NotePath("a.md")]
    (tmp_path / "a.md").write_text("A.md", encoding="utf-8")
    os.utime(tmp_path / "a.md", ns=(stamp.mtime_ns, stamp.mtime_ns))
    assert diff(scan(str(tmp_path), PLAIN), before, set()).read == ("a.md",)
    before = scan(str(tmp_path), PLAIN).notes
    (tmp_path / "old.md").rename(tmp_path / "a.md")
    changes = diff(scan(str(tmp_path), PLAIN), before, set())
    assert (changes.read, changes.removed) == (("a.md",), ("old.md",))


@pytest.mark.parametrize(
    "seconds", [4_070_908_800, 0, -1, 15_000_000_000], ids=["2099", "1970", "before 1970", "2445"]
)
def test_strange_times_are_stable(tmp_path: Path, seconds: int) -> None:
    """A note from the future or from before all time is read once, not at each scan."""
    write(tmp_path, "a.md")
    os.utime(tmp_path / "a.md", (seconds, seconds))
    first = scan(str(tmp_path), PLAIN)
    assert not diff(scan(str(tmp_path), PLAIN), first.notes, set())


@pytest.mark.parametrize(
    ("field", "number"),
    [("st_mtime_ns", 2**64), ("st_ctime_ns", -(2**64)), ("st_ino", 2**64 - 1), ("st_dev", 2**63)],
)
def test_stamps_fit_into_64_bits(field: str, number: int) -> None:
    """Numbers of the system that no column of the index could hold are kept as ones that it can."""
    found = SimpleNamespace(**{**STAT, field: number})
    numbers = msgspec.structs.astuple(stamp_of(cast("os.stat_result", found)))
    assert all(-(2**63) <= one < 2**63 for one in numbers)
    assert numbers != msgspec.structs.astuple(stamp_of(cast("os.stat_result", SimpleNamespace(**STAT))))


PLACEHOLDERS = {"a.md": ".a.md.icloud", "s/b.md": "s/b.md.nextcloud", "s/C.MD": "s/C.MD.owncloud"}


def test_notes_that_a_cloud_service_put_away(tmp_path: Path) -> None:
    """What stands for a note says that it is there; the note itself, and what is left out, count more."""
    write(tmp_path, *PLACEHOLDERS.values(), ".here.md.icloud", "here.md", ".pic.png.icloud", ".x~.md.icloud")
    write(tmp_path, ".icloud", "drafts/.d.md.icloud", "plain.icloud")
    found = scan(str(tmp_path), Ignore(("drafts/", "x*.md")))
    assert set(found.notes) == {"here.md"}
    assert found.files == {"pic.png", "plain.icloud"}
    assert set(found.unlisted) == set(PLACEHOLDERS)
    assert {problem.kind for problem in found.unlisted.values()} == {"offline"}
    for path in PLACEHOLDERS:
        assert set(scan_below(str(tmp_path), path, PLAIN).unlisted) == {path}
    assert scan_below(str(tmp_path), "s/nothing.md", PLAIN).unlisted == {}


def test_folders_stand_for_nothing(tmp_path: Path) -> None:
    """Whatever a folder is called, what lies in it are notes, and no note was put away for it."""
    write(tmp_path, "work.nextcloud/a.md", "b.md.owncloud/c.md", ".d.md.icloud/e.md", "f.md.nextcloud/g.md")
    found = scan(str(tmp_path), PLAIN)
    assert set(found.notes) == {"work.nextcloud/a.md", "b.md.owncloud/c.md", "f.md.nextcloud/g.md"}
    assert found.unlisted == {}
    for path in ("b.md", "d.md", "f.md", "work"):
        below = scan_below(str(tmp_path), path, PLAIN)
        assert (below.notes, below.unlisted) == ({}, {})


def test_files_without_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system marks a note whose contents are elsewhere, it is not opened, nor changed."""
    write(tmp_path, "a.md", "b.md")
    monkeypatch.setattr(offline, "HAS_FLAGS", True)
    away = os.stat(tmp_path / "a.md").st_ino
    monkeypatch.setattr(offline, "is_dataless", lambda found: found.st_ino == away)
    found = scan(str(tmp_path), PLAIN)
    assert set(found.notes) == {"b.md"}
    assert (set(found.unlisted), found.unlisted["a.md"].kind) == ({"a.md"}, "offline")
    seen = lstat_note(str(tmp_path), NotePath("a.md"))
    assert isinstance(seen, Problem)
    assert seen.kind == "offline"


def test_what_macos_says_of_a_file_without_contents() -> None:
    """Its mark is one of several."""
    assert offline.is_dataless(SimpleNamespace(st_flags=0x40000020))  # type: ignore[arg-type]  # the flags alone
    assert not offline.is_dataless(SimpleNamespace(st_flags=0x20))  # type: ignore[arg-type]  # as above
