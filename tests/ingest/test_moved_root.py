"""The folder of a space is what its path leads to now, not what it led to once."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from notesd.errors import MassDeletion, SpaceUnavailable
from notesd.files.ignore import Ignore
from notesd.index import notes
from notesd.ingest.follow import Follower
from notesd.ingest.ingest import Progress
from notesd.model import NotePath
from notesd.settings import Config


class Told:
    """Who hears of the folder."""

    def __init__(self) -> None:
        self.replaced_times = 0

    def changed(self, generation: int, paths: Sequence[NotePath] | None, /) -> None:
        """Not counted."""

    def progressed(self, now: Progress, /) -> None:
        """Not counted."""

    def replaced(self) -> None:
        self.replaced_times += 1


class Linked:
    """Two folders of notes, a path that leads to the first, and what follows the path."""

    def __init__(self, home: Path) -> None:
        self.home = home
        for name in ("A", "B"):
            (home / "disks" / name).mkdir(parents=True)
            (home / "disks" / name / f"{name}.md").write_text(f"only in {name}\n")
            (home / "disks" / name / "both.md").write_text(f"both, here {name}\n")
        self.path = home / "notes"
        self.path.symlink_to(home / "disks" / "A")
        self.follower = Follower(str(self.path), str(home / "state"), Ignore(()), Config())
        self.follower.open()
        self.follower.scan()

    def lead_to(self, name: str) -> None:
        self.path.unlink()
        self.path.symlink_to(self.home / "disks" / name)

    def replace_by_folder(self) -> None:
        self.path.unlink()
        (self.home / "disks" / "B").rename(self.path)

    def known(self) -> list[str]:
        assert self.follower.store is not None
        return sorted(notes.known(self.follower.store.peek()))


@pytest.fixture
def linked(tmp_path: Path) -> Linked:
    """Follow a link."""
    return Linked(tmp_path)


@pytest.mark.parametrize(
    "move",
    [lambda linked: linked.lead_to("B"), Linked.replace_by_folder],
    ids=["pointed elsewhere", "replaced by a folder"],
)
@pytest.mark.parametrize("hinted", [True, False], ids=["event", "walk"])
def test_a_link_is_followed_to_where_it_leads(
    linked: Linked, move: Callable[[Linked], None], hinted: bool
) -> None:
    """Another folder behind the path is doubted, walked as a whole and watched."""
    told = Told()
    linked.follower.events.append(told)
    assert not linked.follower.in_doubt()
    move(linked)
    assert linked.follower.in_doubt()
    if hinted:
        linked.follower.look_at({"A.md"})
    else:
        linked.follower.scan()

    assert linked.known() == ["B.md", "both.md"]
    assert told.replaced_times == 1
    assert not linked.follower.in_doubt()


def test_notes_that_another_folder_lacks_are_not_gone_at_once(linked: Linked) -> None:
    """An event says where to look, not that anybody deleted what does not stand in the other folder."""
    for number in range(20):
        (linked.home / "disks" / "A" / f"n{number:02}.md").write_text("only in A\n")
    linked.follower.scan()
    before = linked.known()
    linked.lead_to("B")
    with pytest.raises(MassDeletion, match="21 notes are missing"):
        linked.follower.look_at({"n00.md"})

    assert linked.known() == sorted([*before, "B.md"])


def test_a_folder_above_may_be_a_link(tmp_path: Path) -> None:
    """So are links anywhere in the path."""
    for name in ("A", "B"):
        (tmp_path / name / "notes").mkdir(parents=True)
        (tmp_path / name / "notes" / f"{name}.md").write_text("x\n")
    above = tmp_path / "above"
    above.symlink_to("A")
    follower = Follower(str(above / "notes"), str(tmp_path / "state"), Ignore(()), Config())
    follower.open()
    follower.scan()
    above.unlink()
    above.symlink_to("B")
    assert follower.in_doubt()
    follower.scan()

    assert follower.store is not None
    assert list(notes.known(follower.store.peek())) == ["B.md"]


def test_a_link_that_leads_nowhere_is_a_missing_folder(linked: Linked) -> None:
    """All is kept, by a walk and by an event; the message names both ends of the link."""
    linked.lead_to("C")
    assert linked.follower.in_doubt()
    with pytest.raises(SpaceUnavailable, match=r"notes, which leads to .*/disks/C, cannot be listed"):
        linked.follower.scan()
    with pytest.raises(SpaceUnavailable):
        linked.follower.look_at({"A.md"})
    assert linked.known() == ["A.md", "both.md"]

    told = Told()
    linked.follower.events.append(told)
    linked.lead_to("A")
    linked.follower.scan()
    assert told.replaced_times == 1  # the watcher lost sight of it
    assert linked.known() == ["A.md", "both.md"]


def test_a_folder_that_is_not_admitted_is_not_followed(linked: Linked) -> None:
    """What is known is kept, for as long as the path leads there."""

    def refuse() -> None:
        raise SpaceUnavailable("it lies inside another space")

    linked.lead_to("B")
    linked.follower.place.admit = refuse
    for _ in range(2):
        with pytest.raises(SpaceUnavailable, match="inside another"):
            linked.follower.scan()
    with pytest.raises(SpaceUnavailable, match="inside another"):
        linked.follower.look_at({"A.md"})
    assert not linked.follower.place.stands()
    assert linked.known() == ["A.md", "both.md"]

    linked.lead_to("A")
    linked.follower.scan()
    assert linked.follower.place.stands()
