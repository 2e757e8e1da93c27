"""An index that follows links: equal to a fresh one after whatever happens to links and behind them."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec import structs

from notesd.files.ignore import Ignore
from notesd.files.links import Judged, Links, Targets
from notesd.index import around, canonical, notes
from notesd.ingest.follow import Follower
from notesd.model import NotePath
from notesd.settings import Config


class Linked:
    """A space with a link to a folder and one to a note, and what follows it."""

    def __init__(self, home: Path) -> None:
        self.home, self.count = home, 0
        for name in ("ext/a.md", "ext/sub/b.md", "other/o.md", "lone/one.md", "v/here.md"):
            self.write(name, f"{name} says so, see [[a]]")
        self.link("v/out", "ext")
        self.link("v/single.md", "lone/one.md")
        self.follower = self.another()

    def another(self, *, follow: bool = True, state: str | None = None) -> Follower:
        self.count += 1
        follower = Follower(
            str(self.home / "v"), str(self.home / (state or f"state{self.count}")), Ignore(()), Config(),
            follow_links=follow,
        )  # fmt: skip
        follower.open()
        follower.scan()
        return follower

    def write(self, name: str, text: str = "words") -> None:
        (self.home / name).parent.mkdir(parents=True, exist_ok=True)
        (self.home / name).write_text(text)

    def link(self, name: str, target: str) -> None:
        (self.home / name).unlink(missing_ok=True)
        (self.home / name).symlink_to(self.home / target)

    def settle(self, *paths: str) -> None:
        """Take in what an event, or the look every two seconds, would have marked."""
        for path in paths or (None,):
            self.follower.ledger.mark(path)
        for _ in range(3):
            if self.follower.ledger.answering.doubtful:
                self.follower.scan(asked=False)
            elif self.follower.ledger.answering.marked:
                self.follower.look_at()
        assert not self.follower.ledger.debt().files

    def known(self, follower: Follower | None = None) -> list[str]:
        store = (follower or self.follower).store
        assert store
        return sorted(notes.known(store.peek()))

    def check(self) -> None:
        """The index is that of a fresh build."""
        fresh = self.another()
        assert self.follower.store
        assert fresh.store
        ours, theirs = (canonical.notes(one.store.peek()) for one in (self.follower, fresh) if one.store)
        assert ours == theirs
        fresh.close()


@pytest.fixture
def linked(tmp_path: Path) -> Linked:
    """Begin to follow."""
    return Linked(tmp_path)


FIRST = ["here.md", "out/a.md", "out/sub/b.md", "single.md"]


def test_notes_behind_links_are_notes(linked: Linked) -> None:
    """Their words and links are in the index; links to them are resolved."""
    assert linked.known() == FIRST
    assert linked.follower.store
    reader = linked.follower.store.peek()
    here = notes.by_path(reader, "here.md")
    assert here
    out = [tie.note for tie in around.ties(reader, here.id) if tie.outgoing]
    assert list(around.paths_of(reader, out).values()) == ["out/a.md"]
    linked.check()


def test_changes_behind_links_are_taken_in_by_their_paths(linked: Linked) -> None:
    """New, edited, moved and deleted notes and folders, without a walk of everything."""
    linked.write("ext/new.md")
    linked.write("ext/sub/b.md", "other words")
    linked.write("lone/one.md", "edited")
    (linked.home / "ext/a.md").rename(linked.home / "ext/moved.md")
    linked.settle("out/new.md", "out/sub", "out/a.md", "out/moved.md", "single.md")

    assert linked.known() == ["here.md", "out/moved.md", "out/new.md", "out/sub/b.md", "single.md"]
    linked.check()


def test_a_link_that_is_pointed_elsewhere_takes_its_notes_along(linked: Linked) -> None:
    """The event names the link alone."""
    linked.link("v/out", "other")
    linked.settle("out")

    assert linked.known() == ["here.md", "out/o.md", "single.md"]
    linked.check()


def test_a_link_that_is_new_or_removed(linked: Linked) -> None:
    """Also in a folder that is new itself, and when what kept another link from being followed goes."""
    linked.link("v/again", "ext/sub")
    (linked.home / "v/dir").mkdir()
    linked.link("v/dir/more", "other")
    linked.settle("again", "dir")
    assert linked.known() == sorted([*FIRST, "dir/more/o.md"])
    (linked.home / "v/out").unlink()
    linked.settle("out")

    assert linked.known() == ["again/b.md", "dir/more/o.md", "here.md", "single.md"]
    linked.check()


def test_a_renamed_link_keeps_what_is_known_of_its_notes(linked: Linked) -> None:
    """The notes were moved: they keep their keys."""
    assert linked.follower.store
    before = notes.by_path(linked.follower.store.peek(), "out/a.md")
    (linked.home / "v/out").rename(linked.home / "v/into")
    linked.settle("out", "into")
    after = notes.by_path(linked.follower.store.peek(), "into/a.md")

    assert linked.known() == ["here.md", "into/a.md", "into/sub/b.md", "single.md"]
    assert before
    assert after
    assert before.key == after.key


@pytest.mark.parametrize("way", ["event", "walk", "rebuild", "restart"])
def test_notes_behind_a_link_that_leads_nowhere_are_kept(linked: Linked, way: str) -> None:
    """A disk that is not there deletes nothing, by no way; back again, all is current."""
    (linked.home / "ext").rename(linked.home / "away")
    (linked.home / "lone").rename(linked.home / "alone")
    if way == "rebuild":
        linked.follower.scan(anew=True)
    elif way == "restart":
        linked.follower.close()
        linked.follower = linked.another(state="state1")
    else:
        linked.settle(*(("out", "single.md") if way == "event" else ()))

    assert linked.known() == FIRST
    assert linked.follower.ingest
    assert {p.kind for p in linked.follower.ingest.unlisted.values()} == {"unlinked"}
    assert linked.follower.ingest.hidden_by(NotePath("out/sub/b.md"))
    (linked.home / "away").rename(linked.home / "ext")
    (linked.home / "alone").rename(linked.home / "lone")
    linked.write("ext/back.md")
    assert linked.follower.in_doubt()
    linked.settle()
    assert linked.known() == sorted([*FIRST, "out/back.md"])
    linked.check()


def test_notes_of_a_link_that_leads_to_another_disk_are_kept(
    linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty mount point is no deletion, behind a link neither."""
    judge = Links.judge

    def elsewhere(self: Links, links: Iterable[NotePath], taken: Targets) -> Judged:
        judged = judge(self, links, taken)
        judged.targets[:] = [structs.replace(one, device=one.device + 1) for one in judged.targets]
        return judged

    (linked.home / "empty").mkdir()
    linked.link("v/out", "empty")
    monkeypatch.setattr(Links, "judge", elsewhere)
    linked.settle("out")

    assert linked.known() == FIRST
    assert linked.follower.ingest
    assert linked.follower.ingest.unlisted["out"].kind == "covered"


def test_the_switch_takes_them_in_and_out(linked: Linked) -> None:
    """Off, the notes behind links go; on, they come."""
    linked.follower.close()
    off = linked.another(follow=False, state="state1")
    assert linked.known(off) == ["here.md"]
    off.close()

    assert linked.known(linked.another(state="state1")) == FIRST
