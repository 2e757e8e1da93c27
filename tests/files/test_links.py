"""Which links are followed, and what is read through them: judged on a real folder."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from notesd.files import links
from notesd.files.ignore import Ignore
from notesd.files.links import DEPTH, Links, target_of
from notesd.files.place import Place
from notesd.files.read import read_note
from notesd.files.scan import Scan, lstat_note
from notesd.model import NotePath


class Home:
    """A space ``v`` with a note, and a place beside it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.write("v/here.md")
        self.told: list[str] = []
        self.place = Place(
            str(top / "v"), Ignore(()), follow_links=True, on_new=lambda: self.told.append("new")
        )
        self.links = self.place.links

    def write(self, *paths: str) -> None:
        for path in paths:
            (self.top / path).parent.mkdir(parents=True, exist_ok=True)
            (self.top / path).write_text(path)

    def link(self, path: str, target: str) -> None:
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).unlink(missing_ok=True)
        (self.top / path).symlink_to(self.top / target)

    def walk(self) -> Scan:
        return self.place.walk()

    def reason(self, link: str) -> str:
        return self.walk().odd[NotePath(link)].reason


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Nothing is linked yet."""
    return Home(tmp_path)


def test_what_a_link_leads_to_lies_at_its_path(home: Home) -> None:
    """Folders with all in them, single notes, attachments; what is left out here is left out there."""
    home.write("ext/a.md", "ext/deep/b.md", "ext/pic.png", "ext/.hidden/c.md", "lone/one.md", "lone/two.md")
    home.link("v/sub/out", "ext")
    home.link("v/single.md", "lone/one.md")
    found = home.walk()

    assert sorted(found.notes) == ["here.md", "single.md", "sub/out/a.md", "sub/out/deep/b.md"]
    assert found.files == {"sub/out/pic.png"}
    assert (found.odd, found.unlisted) == ({}, {})
    assert home.links.place(NotePath("sub/out/deep/b.md")) == (str(home.top / "ext"), "deep/b.md")
    for path, stamp in found.notes.items():
        assert lstat_note(*home.links.place(path)) == stamp
    assert read_note(*home.links.place(NotePath("single.md")), 100).data == b"lone/one.md"


def test_without_the_switch_nothing_is_followed(home: Home) -> None:
    """As ever: named, not read."""
    home.write("ext/a.md")
    home.link("v/out", "ext")
    home.link("v/a.md", "ext/a.md")
    place = Place(str(home.top / "v"), Ignore(()))
    found = place.walk()

    assert sorted(found.notes) == ["here.md"]
    assert sorted(found.odd) == ["a.md", "out"]
    assert not place.links.concerns("out")
    assert not place.in_doubt()


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("v", "in this space itself"),
        ("v/inner", "in this space itself"),
        ("", "holds this space"),
        ("state", "own state"),
        ("state/spaces", "own state"),
        ("around", "holds notesd's own state of another"),
        ("/proc", "own files"),
        ("/", "holds"),
    ],
)
def test_a_link_into_or_around_what_is_not_to_be_read_is_refused(home: Home, target: str, why: str) -> None:
    """The space itself, whatever is fenced, the system's own files: named with the reason, nothing read."""
    home.write("v/inner/i.md", "state/spaces/s.md", "around/it/s.md", "around/a.md")
    home.links.fences = lambda: [
        ("notesd's own state", str(home.top / "state")),
        ("notesd's own state of another", str(home.top / "around" / "it")),
    ]
    home.link("v/out", target)

    assert sorted(home.walk().notes) == ["here.md", "inner/i.md"]
    assert why in home.reason("out")
    assert home.links.targets == {}


def test_a_link_behind_a_link_is_judged_like_any_other(home: Home) -> None:
    """A followed folder may hold links: further out they are followed, back in they are not."""
    home.write("ext/a.md", "far/f.md")
    home.link("v/out", "ext")
    home.link("ext/on", "far")
    home.link("ext/back", "v")
    home.link("far/round", "ext")
    found = home.walk()

    assert sorted(found.notes) == ["here.md", "out/a.md", "out/on/f.md"]
    assert "this space" in found.odd[NotePath("out/back")].reason
    assert "what out leads to" in found.odd[NotePath("out/on/round")].reason


def test_links_behind_links_have_an_end(home: Home) -> None:
    """A chain of folders that link to the next one is followed so far and no farther."""
    for n in range(DEPTH + 2):
        home.write(f"chain{n}/n{n}.md")
        home.link(f"chain{n}/next", f"chain{n + 1}")
    home.link("v/out", "chain0")
    found = home.walk()

    assert [path[-5:] for path in sorted(found.notes, key=len)][1:] == [f"n{n}.md" for n in range(DEPTH)]
    assert f"behind {DEPTH} other links" in found.odd[NotePath("out" + "/next" * DEPTH)].reason


@pytest.mark.parametrize(
    ("first", "second", "followed"),
    [("ext", "ext", "a"), ("ext/sub", "ext", "b"), ("ext", "ext/sub", "a"), ("ext/sub/s.md", "ext", "b")],
)
def test_one_folder_is_read_once(home: Home, first: str, second: str, followed: str) -> None:
    """The outermost folder counts, among equals the smaller path; the other link is named."""
    home.write("ext/sub/s.md")
    suffix = ".md" if first.endswith(".md") else ""
    home.link(f"v/a{suffix}", first)
    home.link("v/b", second)
    found = home.walk()

    assert list(found.targets) == [followed]
    assert len(found.notes) == 2
    assert f"what {followed} leads to" in next(iter(found.odd.values())).reason


def test_only_so_many_links_are_followed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is named."""
    monkeypatch.setattr(links, "MOST", 2)
    for n in range(3):
        home.write(f"ext{n}/n.md")
        home.link(f"v/out{n}", f"ext{n}")

    assert list(home.walk().targets) == ["out0", "out1"]
    assert "more than 2 links" in home.reason("out2")


def test_a_link_of_another_user_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may write into a shared folder does not decide what is read of mine."""
    home.write("ext/a.md")
    home.link("v/out", "ext")
    own, of_file = os.geteuid(), os.lstat

    def of_another(path: bytes) -> os.stat_result:
        return os.stat_result((*of_file(path)[:4], own + 2, *of_file(path)[5:]))

    monkeypatch.setattr(os, "lstat", of_another)
    judged = home.links.judge([NotePath("out")], {})

    assert judged.targets == []
    assert f"uid {own + 2}" in judged.refused[NotePath("out")].reason


@pytest.mark.parametrize("target", ["nowhere", "v/out", "here.md/below"])
def test_a_link_to_nothing_keeps_what_was_known(home: Home, target: str) -> None:
    """A missing disk or a loop proves nothing about the notes behind it."""
    home.link("v/out", target)
    found = home.walk()

    assert list(found.unlisted) == ["out"]
    assert found.unlisted["out"].kind == "unlinked"
    assert found.odd == {}


@pytest.mark.parametrize(
    "change",
    [
        lambda home: home.link("v/out", "other"),
        lambda home: (home.top / "v" / "out").unlink(),
        lambda home: (home.top / "ext").rename(home.top / "gone"),
        lambda home: home.link("v/single.md", "other/o.md"),
        lambda home: home.link("ext/inner", "far"),
    ],
    ids=["pointed elsewhere", "removed", "target gone", "file elsewhere", "behind a link"],
)
def test_what_links_lead_to_is_looked_at_all_the_time(home: Home, change: Callable[[Home], None]) -> None:
    """No event tells of a target that goes; the next look doubts the folder, a walk ends the doubt."""
    home.write("ext/a.md", "other/o.md", "far/f.md", "farther/f.md", "lone/one.md")
    home.link("ext/inner", "farther")
    home.link("v/out", "ext")
    home.link("v/single.md", "lone/one.md")
    home.walk()
    assert not home.place.in_doubt()
    change(home)

    assert home.place.in_doubt()
    home.walk()
    assert not home.place.in_doubt()
    assert len(home.told) == 2  # what is watched is another thing each time


def test_a_file_that_is_saved_is_the_same_target(home: Home) -> None:
    """Editors put another file in its place; that is an edit, not another link."""
    home.write("lone/one.md")
    home.link("v/single.md", "lone/one.md")
    home.walk()
    home.write("lone/new.md")
    (home.top / "lone/new.md").replace(home.top / "lone/one.md")

    assert not home.place.in_doubt()
    assert not home.links.concerns("single.md")
    assert home.links.targets["single.md"].stands()


def test_a_folder_that_was_swapped_is_not_read_through_the_old_judgement(home: Home) -> None:
    """Until the link was judged again, nothing is read where another folder stands, or a link."""
    home.write("ext/a.md", "secret/a.md")
    home.link("v/out", "ext")
    home.walk()
    target = target_of(home.links.targets, "out/a.md")
    assert target
    assert target.stands()
    (home.top / "ext").rename(home.top / "away")
    home.link("ext", "secret")

    assert not target.stands()


def test_many_links_cost_no_more_than_a_look_at_each(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of files that are all links into the space: refused, and not looked at again and again."""
    home.write("v/.store/object.md")
    for n in range(500):
        home.link(f"v/n{n:03}.md", "v/.store/object.md")
    looks: list[str] = []
    end = Links._end

    def counted(self: Links, link: str) -> object:
        looks.append(link)
        return end(self, link)

    found = home.walk()
    monkeypatch.setattr(Links, "_end", counted)

    assert len(found.odd) == 500
    assert not home.place.in_doubt()
    assert looks == []
    assert home.links.concerns("n123.md")
    assert home.links.concerns("")
    assert not home.links.concerns("n1")
    assert not home.links.concerns("zzz.md")
