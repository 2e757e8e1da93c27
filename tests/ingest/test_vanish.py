"""What is missing is deleted only when that can be told."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from notesd.errors import MassDeletion, SpaceUnavailable
from notesd.files.ignore import Ignore
from notesd.files.scan import RootId, Scan
from notesd.index import notes
from notesd.ingest.follow import Follower
from notesd.ingest.vanish import Vanishing, root_mark
from notesd.model import NotePath, Stamp
from notesd.settings import Config, IndexConfig


def scan_of(count: int, inode: int = 1, device: int = 1, disk: int = 7, first: int = 0) -> Scan:
    stamp = Stamp(1, 1, 1, 1, 1)
    found = {NotePath(f"{number}.md"): stamp for number in range(first, first + count)}
    return Scan(found, set(), {}, {}, RootId(device, inode), folders=1, dendron=False, disk=disk)


OLD = root_mark(scan_of(0, inode=1))
CASES = {
    "nothing known": (scan_of(0), 0, OLD, None),
    "same folder, some left": (scan_of(1), 1000, OLD, None),
    "same folder, empty": (scan_of(0), 10, OLD, 0),
    "other folder, empty": (scan_of(0, inode=2), 10, OLD, 0),
    "other folder, half of many": (scan_of(40, inode=2), 100, OLD, 0),
    "other folder, most of it": (scan_of(50, inode=2), 100, OLD, None),
    "other folder, few notes": (scan_of(1, inode=2), 40, OLD, None),
    "folder never noted": (scan_of(1, inode=2), 100, None, None),
    "folder noted without its disk": (scan_of(1), 100, "1:1", None),
    "other device, nothing known there": (scan_of(9, device=2, first=900), 40, OLD, 0),
    "other disk with the same number, nothing known there": (scan_of(9, disk=8, first=900), 40, OLD, 0),
    "other device, few of few": (scan_of(15, device=2), 40, OLD, 0),
    "other device, most of it": (scan_of(38, device=2), 40, OLD, None),
    "other device, in use": (scan_of(30, device=2, first=900), 40, OLD, 0),
}


def most_missing(judge: Vanishing, found: Scan, known: int, root: str | None = OLD) -> int | None:
    """Ask how many of the notes 0, 1, 2, ... that are missing are believed to be deleted."""
    names = {f"{number}.md" for number in range(known)}
    return judge.most_missing(found, known, root, lambda: len(names - found.notes.keys()))


@pytest.mark.parametrize(("found", "known", "root", "most"), CASES.values(), ids=CASES.keys())
def test_what_is_believed_at_once(found: Scan, known: int, root: str | None, most: int | None) -> None:
    """An empty folder and another one are doubted, on another disk however few the notes were."""
    assert most_missing(Vanishing(60), found, known, root) == most


@pytest.mark.parametrize(("inode", "believed"), [(1, True), (2, False)], ids=["same", "other"])
def test_empty_folder_is_believed_after_the_grace_time(inode: int, believed: bool) -> None:
    """The very folder, empty for a minute, was emptied; a mount point without its disk stays one."""
    now = [100.0]
    judge = Vanishing(60, clock=lambda: now[0])
    found = scan_of(0, inode)
    most_missing(judge, found, 10)
    assert "rescan --confirm-deletions" in judge.hold(MassDeletion("10 of 10")).message

    now[0] += 59
    assert most_missing(judge, found, 10) == 0
    now[0] += 2
    assert (most_missing(judge, found, 10) is None) is believed


@pytest.mark.parametrize(
    ("device", "empty_s", "believed"),
    [(1, 61, False), (1, 0, True), (2, 61, False), (2, 0, False)],
    ids=["left empty", "filled at once", "another device, left empty", "another device"],
)
def test_a_stray_file_does_not_end_a_doubt(device: int, empty_s: float, believed: bool) -> None:
    """A mount point into which something was written is still no folder that lost its notes."""
    now = [0.0]
    judge = Vanishing(60, clock=lambda: now[0])
    for _ in range(2):  # it is looked at again and again while it is empty
        assert most_missing(judge, scan_of(0, 2, device), 100) == 0
        judge.hold(MassDeletion("100"))
        now[0] += empty_s
        assert most_missing(judge, scan_of(0, 2, device), 100) == 0
    most_missing(judge, scan_of(3, 2, device, first=900), 100)
    now[0] += 61
    assert (most_missing(judge, scan_of(3, 2, device, first=900), 100) is None) is believed

    assert most_missing(judge, scan_of(100, 2, device), 100) is None or not believed
    judge.over()
    assert not judge.left_alone


class Stream:
    """Notes that go, and what is believed of it."""

    def __init__(self, known: int) -> None:
        self.now = 0.0
        self.judge = Vanishing(60, clock=lambda: self.now)
        self.known = self.there = known

    def go(self, count: int, after_s: float = 0.0, *, asked: bool = False) -> int:
        """Let so many notes go; returns how many the index knows then."""
        self.now += after_s
        self.there -= count
        gone = self.known - self.there
        if gone and self.judge.believes(gone, self.known, asked=asked):
            self.known = self.there
        elif gone:
            self.judge.hold(MassDeletion("gone"))
        return self.known


def test_a_few_notes_go_at_once() -> None:
    """Ordinary deletion is not slowed down, nor is that of small folders."""
    assert Stream(100).go(5) == 95
    assert Stream(1000).go(50) == 950
    assert Stream(19).go(18) == 1
    several = Stream(100)
    assert [several.go(1, after_s=30) for _ in range(4)] == [99, 98, 97, 96]


def test_many_notes_go_when_no_more_do() -> None:
    """A branch with fewer notes, a folder that was moved out: believed after a moment, at once when asked."""
    stream = Stream(100)
    assert stream.go(30) == 100
    assert stream.go(30, after_s=2) == 100
    assert stream.go(0, after_s=2) == 100
    assert stream.go(0, after_s=1.5) == 40
    assert Stream(100).go(70, asked=True) == 30


@pytest.mark.parametrize("at_once", [True, False], ids=["in one go", "one by one"])
@pytest.mark.parametrize("asked", [True, False], ids=["asked", "by itself"])
def test_nearly_all_notes_are_kept_for_the_grace_time(at_once: bool, asked: bool) -> None:
    """A synchroniser that takes a folder away brings it back; a person who deletes it need not."""
    stream = Stream(40)
    if at_once:
        assert stream.go(39, asked=asked) == 40
    else:
        for _ in range(39):
            stream.go(1, after_s=0.5)
        assert stream.known >= 35
    kept = stream.known
    assert stream.go(0, after_s=20, asked=asked) == kept
    assert stream.go(0, after_s=41, asked=asked) == 1


FOLLOWERS: list[Follower] = []


@pytest.fixture(autouse=True)
def end() -> Iterator[None]:
    """Close what was opened."""
    yield
    while FOLLOWERS:
        FOLLOWERS.pop().close()


class Vault:
    """Sixty notes and what follows them."""

    def __init__(self, home: Path, grace_s: float) -> None:
        self.root, self.home = home / "notes", home
        self.fill(60)
        self.follower = Follower(
            str(self.root),
            str(home / "state"),
            Ignore(()),
            Config(index=IndexConfig(deletion_grace_s=grace_s)),
        )
        FOLLOWERS.append(self.follower)
        self.follower.open()
        self.follower.scan()

    def fill(self, count: int, text: str = "note") -> None:
        self.root.mkdir(exist_ok=True)
        for number in range(count):
            (self.root / f"n{number}.md").write_text(f"{text} {number}\n")

    def count(self) -> int:
        assert self.follower.store is not None
        return notes.count(self.follower.store.peek())


def test_emptied_folder_is_held_then_followed(tmp_path: Path) -> None:
    """Nothing goes at once; a note that is back does not end the doubt, a part of them does."""
    vault = Vault(tmp_path, grace_s=3600)
    for file in vault.root.iterdir():
        file.unlink()
    with pytest.raises(SpaceUnavailable):
        vault.follower.scan()
    assert vault.count() == 60
    with pytest.raises(MassDeletion):
        vault.follower.scan(anew=True)
    assert vault.count() == 60

    vault.fill(1)
    with pytest.raises(MassDeletion):
        vault.follower.scan()
    assert vault.count() == 60
    vault.fill(6)
    vault.follower.scan()
    assert vault.count() == 6


def test_confirmed_deletion_is_followed_at_once(tmp_path: Path) -> None:
    """Somebody who says so is believed."""
    vault = Vault(tmp_path, grace_s=3600)
    shutil.rmtree(vault.root)
    vault.root.mkdir()
    with pytest.raises(MassDeletion):
        vault.follower.scan()
    vault.follower.scan(anew=True, confirmed=True)

    assert vault.count() == 0


def test_another_folder_is_followed_but_loses_nothing_at_once(tmp_path: Path) -> None:
    """What is new in it is found at once; what is missing stays for the grace time."""
    vault = Vault(tmp_path, grace_s=0)
    os.rename(vault.root, tmp_path / "away")
    vault.fill(1, "new")
    with pytest.raises(MassDeletion):
        vault.follower.scan()
    assert vault.count() == 60
    assert vault.follower.store is not None
    assert notes.observations(vault.follower.store.peek(), notes.NoteId(1))

    vault.follower.scan()
    assert vault.count() == 1


def test_many_deletions_in_the_same_folder_are_believed(tmp_path: Path) -> None:
    """Notes are deleted, however many, while some are left."""
    vault = Vault(tmp_path, grace_s=3600)
    for number in range(55):
        (vault.root / f"n{number}.md").unlink()
    vault.follower.scan()

    assert vault.count() == 5


@pytest.mark.parametrize("way", ["events", "walk", "rescan"])
def test_nearly_all_of_a_folder_is_held_then_followed(tmp_path: Path, way: str) -> None:
    """So it is by events, one note after another, by a walk, and by an index that is built anew."""
    vault = Vault(tmp_path, grace_s=3600)
    held = 0
    for number in range(59):
        (vault.root / f"n{number}.md").unlink()
        if way == "events":
            vault.follower.ledger.mark(f"n{number}.md")
            try:
                vault.follower.look_at()
            except MassDeletion:
                held += 1
    if way != "events":
        with pytest.raises(MassDeletion, match="59 notes are missing"):
            vault.follower.scan(anew=way == "rescan")
        held = 59
    assert held >= 54
    assert vault.count() == 1 + held

    vault.fill(60)
    vault.follower.scan()
    assert vault.count() == 60


def test_moved_notes_have_not_gone(tmp_path: Path) -> None:
    """All of them under another name, by events: nothing to be doubted."""
    vault = Vault(tmp_path, grace_s=3600)
    (vault.root / "below").mkdir()
    for number in range(60):
        (vault.root / f"n{number}.md").rename(vault.root / "below" / f"n{number}.md")
        vault.follower.ledger.mark(f"n{number}.md")
    vault.follower.ledger.mark("below")
    vault.follower.look_at()

    assert vault.follower.store is not None
    assert all(path.startswith("below/") for path in notes.known(vault.follower.store.peek()))


def test_a_loss_during_a_build_is_judged_too(tmp_path: Path) -> None:
    """A folder that is away when an index has just been built is not a folder without notes."""
    vault = Vault(tmp_path, grace_s=3600)
    walk = vault.follower.place.walk
    walks: list[int] = []

    def replaced() -> Scan:
        if walks:
            vault.root.rename(tmp_path / f"away{len(walks)}")
            vault.root.mkdir()
        walks.append(1)
        return walk()

    vault.follower.place.walk = replaced  # type: ignore[method-assign]  # the folder goes at this very moment
    with pytest.raises(SpaceUnavailable):
        vault.follower.scan(anew=True)

    assert vault.count() == 60


def test_a_folder_that_is_replaced_before_its_notes_are_read(tmp_path: Path) -> None:
    """What a walk found and another folder lacks has not been deleted."""
    vault = Vault(tmp_path, grace_s=3600)
    vault.fill(60, "changed")
    walk = vault.follower.place.walk

    def replaced() -> Scan:
        found = walk()
        vault.root.rename(tmp_path / "away")
        vault.root.mkdir()
        return found

    vault.follower.place.walk = replaced  # type: ignore[method-assign]  # the folder goes at this very moment
    with pytest.raises(SpaceUnavailable, match="became another folder"):
        vault.follower.scan()

    assert vault.count() == 60
