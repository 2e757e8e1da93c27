"""What is missing is deleted only when that can be told."""

import os
import shutil
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


def scan_of(count: int, inode: int = 1) -> Scan:
    stamp = Stamp(1, 1, 1, 1, 1)
    found = {NotePath(f"{number}.md"): stamp for number in range(count)}
    return Scan(found, set(), {}, {}, RootId(1, inode), folders=1, dendron=False)


OLD = root_mark(scan_of(0, inode=1))
CASES = {
    "nothing known": (scan_of(0), 0, OLD, None),
    "same folder, some left": (scan_of(1), 1000, OLD, None),
    "same folder, empty": (scan_of(0), 10, OLD, 0),
    "other folder, empty": (scan_of(0, inode=2), 10, OLD, 0),
    "other folder, half of many": (scan_of(40, inode=2), 100, OLD, 50),
    "other folder, few notes": (scan_of(1, inode=2), 40, OLD, 49),
    "folder never noted": (scan_of(1, inode=2), 100, None, None),
}


@pytest.mark.parametrize(("found", "known", "root", "most"), CASES.values(), ids=CASES.keys())
def test_what_is_believed_at_once(found: Scan, known: int, root: str | None, most: int | None) -> None:
    """Only an empty folder, or another one, is doubted."""
    assert Vanishing(60).most_missing(found, known, root) == most


@pytest.mark.parametrize(("inode", "believed"), [(1, True), (2, False)], ids=["same", "other"])
def test_empty_folder_is_believed_after_the_grace_time(inode: int, believed: bool) -> None:
    """The very folder, empty for a minute, was emptied; a mount point without its disk stays one."""
    now = [100.0]
    judge = Vanishing(60, clock=lambda: now[0])
    found = scan_of(0, inode)
    judge.most_missing(found, 10, OLD)
    assert "rescan --confirm-deletions" in judge.hold(MassDeletion("10 of 10")).message

    now[0] += 59
    assert judge.most_missing(found, 10, OLD) == 0
    now[0] += 2
    assert (judge.most_missing(found, 10, OLD) is None) is believed


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
    """Nothing goes at once, everything after the grace time; a note that is back ends the doubt."""
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
    vault.follower.scan()
    assert vault.count() == 1


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
    """Notes that go one by one are deleted, however many."""
    vault = Vault(tmp_path, grace_s=3600)
    for number in range(59):
        (vault.root / f"n{number}.md").unlink()
    vault.follower.scan()

    assert vault.count() == 1
