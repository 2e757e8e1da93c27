"""How honest an answer is about what may have changed since."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notesd.index import notes
from notesd.model import NotePath, Problem
from notesd.serve import freshness
from notesd.serve.freshness import State
from notesd.settings import Config, SpaceConfig
from notesd.space.condition import Freshness
from notesd.space.space import Space

A, B = NotePath("a.md"), NotePath("b/b.md")


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Space]:
    """A space that nobody tells of changes: it has no watcher."""
    root = tmp_path / "notes"
    (root / "b").mkdir(parents=True)
    (root / A).write_text("one\n")
    (root / B).write_text("two\n")
    space = Space(SpaceConfig("notes", str(root)), str(tmp_path / "state"), Config())
    space.start()
    space.settled().result(300)
    yield space
    space.stop()


def stale(space: Space) -> set[NotePath]:
    with space.reading() as reader:
        return freshness.stale(space, [A, B], notes.known_at(reader, [A, B]))


def to_a_link(root: Path) -> None:
    (root / "b" / "b.md").rename(root / "b" / "c.txt")
    (root / "b" / "b.md").symlink_to("c.txt")


def behind_a_link(root: Path) -> None:
    (root / "b").rename(root / "c")
    (root / "b").symlink_to("c")


CHANGES: list[tuple[str, Callable[[Path], object], set[NotePath]]] = [
    ("nothing", lambda root: None, set()),
    ("another file", lambda root: (root / "new.md").write_text("x"), set()),
    ("same bytes again", lambda root: (root / A).write_text("one\n"), {A}),
    ("longer", lambda root: (root / B).write_text("two and more\n"), {B}),
    ("gone", lambda root: (root / B).unlink(), {B}),
    ("its folder gone", lambda root: (root / "b").rename(root / "c"), {B}),
    ("a link now", to_a_link, {B}),
    ("behind a link", behind_a_link, {B}),
    ("the root gone", lambda root: root.rename(root.parent / "away"), {A, B}),
]


@pytest.mark.parametrize(("change", "expected"), [c[1:] for c in CHANGES], ids=[c[0] for c in CHANGES])
def test_a_hit_is_compared_with_its_file(
    space: Space, change: Callable[[Path], object], expected: set[NotePath]
) -> None:
    """A file that is another, gone or behind a link makes its note stale before anybody has noticed."""
    assert stale(space) == set()
    with space._wake:  # so that the space does not look at the folder meanwhile
        change(Path(space.root))
        found = stale_now(space)

    assert found == expected


def stale_now(space: Space) -> set[NotePath]:
    """The same while the space cannot move."""
    assert space.follower.store is not None
    with space.follower.store.read() as reader:
        return freshness.stale(space, [A, B], notes.known_at(reader, [A, B]))


def test_a_fence_is_not_looked_behind(space: Space) -> None:
    """A path that leads out of the space is never looked at; what is not known is stale."""
    outside = NotePath("../outside.md")
    (Path(space.root).parent / "outside.md").write_text("x")

    assert freshness.stale(space, [outside], {}) == {outside}


def test_a_complete_index_has_no_gaps(space: Space) -> None:
    """After a walk nothing is missing, and the answer says so."""
    with space.reading() as reader:
        state = freshness.state_of(reader, space)

    assert state.gaps == ()
    assert freshness.joined({"notes": state})["complete"] is True


def test_what_cannot_be_read_is_a_gap(space: Space) -> None:
    """A folder that could not be listed is named as long as it cannot."""
    ingest = space.follower.ingest
    assert ingest is not None
    ingest.unlisted = {"b": freshness_problem()}
    with space.reading() as reader:
        state = freshness.state_of(reader, space)

    assert state.gaps == ("1 folder could not be listed",)


def freshness_problem() -> Problem:
    return Problem("unreadable", "b could not be read: Permission denied")


def test_several_spaces_are_as_complete_as_the_least(space: Space) -> None:
    """Gaps name their space, numbers are those of the stalest."""
    current = State(Freshness(4, True, 1.0, {"files": 0, "embeddings": 0}, False), ())
    behind = State(
        Freshness(9, False, 7.5, {"files": 3, "embeddings": 0}, True), ("the index is still being built",)
    )
    whole = freshness.joined({"home": current, "work": behind})

    assert whole == {
        "generation": 9, "fresh": False, "lag_ms": 7.5, "pending": {"files": 3, "embeddings": 0},
        "counted": True, "building": True, "complete": False,
        "gaps": ["space work: the index is still being built"],
    }  # fmt: skip
    assert freshness.unsure(whole).startswith("; space work")
    assert freshness.unsure(freshness.joined({"home": current})) == ""


@pytest.mark.parametrize(
    ("fresh", "gap"),
    [
        (
            Freshness(1, False, 0.0, {"files": 1, "embeddings": 0}, True, False),
            "the index is still being built (its notes have not been counted yet)",
        ),
        (
            Freshness(1, False, 0.0, {"files": 6591, "embeddings": 0}, True),
            "the index is still being built (6591 files to go)",
        ),
        (Freshness(1, False, 0.0, {"files": 1, "embeddings": 0}, False), "1 change is still to be read"),
        (
            Freshness(1, False, 0.0, {"files": 1, "embeddings": 0}, False, False),
            "the folder has not been compared with the index yet",
        ),
    ],
    ids=["first walk", "build", "change", "doubt"],
)
def test_no_number_is_named_that_nobody_has_counted(
    space: Space, monkeypatch: pytest.MonkeyPatch, fresh: Freshness, gap: str
) -> None:
    """Before the first walk nobody knows how many notes there are; after it the number is the true one."""
    monkeypatch.setattr(Space, "freshness", lambda *_: fresh)
    with space.reading() as reader:
        assert freshness.state_of(reader, space).gaps == (gap,)
