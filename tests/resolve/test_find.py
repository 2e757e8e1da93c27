"""A person who types a name gets the note, all notes it could be, or the nearest names."""

import pytest

from notesd.model import NotePath
from notesd.resolve.find import find_notes, nearest
from notesd.resolve.lookup import Entry, NameTable


def note(path: str, title: str = "", aliases: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> Entry:
    """Build a note's entry; its title is its file name unless given."""
    return Entry(NotePath(path), True, title or path.rpartition("/")[2][:-3], aliases, names)


TABLE = NameTable(
    [
        note("Plan.md"),
        note("a/Plan.md"),
        note("old/a/Plan.md"),
        note("Polish.md"),
        note("polish.md"),
        note("x/watch.md", "Night Watch", ("The Boss",), ("x7k2p",)),
        note("y/nw.md", "Night Watch"),
        note("z/Boss list.md", "Boss list"),
        note("projects/index.md", "Start"),
        note("p/ship___log.md"),
        note("20240115 Storm.md"),
        Entry(NotePath("LICENSE"), False),
        Entry(NotePath("img/plate.png"), False),
    ]
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("Plan.md", ["Plan.md"], id="a whole path is that note"),
        pytest.param("./Plan.md", ["Plan.md"], id="as a shell completes it"),
        pytest.param("a/Plan", ["a/Plan.md"], id="a whole path without extension"),
        pytest.param("A/PLAN.MD", ["a/Plan.md"], id="a whole path in other case"),
        pytest.param("Plan", ["Plan.md", "a/Plan.md", "old/a/Plan.md"], id="a bare name is all of them"),
        pytest.param("polish.md", ["polish.md"], id="a whole path in its own case"),
        pytest.param("POLISH.md", ["Polish.md", "polish.md"], id="a whole path in neither case"),
        pytest.param("night watch", ["y/nw.md", "x/watch.md"], id="a shared title"),
        pytest.param("x7k2p", ["x/watch.md"], id="an id"),
        pytest.param("the boss", ["x/watch.md"], id="an alias"),
        pytest.param("boss-list", ["z/Boss list.md"], id="another spelling"),
        pytest.param("projects", ["projects/index.md"], id="a folder"),
        pytest.param("ship/log", ["p/ship___log.md"], id="a joined name"),
        pytest.param("20240115", ["20240115 Storm.md"], id="a number"),
        pytest.param("LICENSE", [], id="an attachment is no note"),
        pytest.param("img/plate.png", [], id="an attachment by path is no note"),
        pytest.param("Nobody", [], id="nobody"),
        pytest.param("", [], id="nothing"),
        pytest.param("/Plan.md", [], id="absolute"),
        pytest.param("C:\\Plan.md", [], id="absolute on Windows"),
        pytest.param("../Plan.md", [], id="out"),
        pytest.param("a/../Plan.md", [], id="out and in"),
        pytest.param("Plan.md\0", [], id="NUL"),
        pytest.param("..", [], id="dots"),
    ],
)
def test_find_notes(name: str, expected: list[str]) -> None:
    """A typed name gives the notes it could mean, the likeliest first."""
    assert find_notes(name, TABLE) == expected


def test_nearest() -> None:
    """The closest names come first, whatever their case and accents."""
    names = ["Harbour Rules", "Harbor rule", "Café Zürich", "Night Watch"]
    assert nearest("harbour rule", names) == ["Harbour Rules", "Harbor rule"]
    assert nearest("cafe zurich", names) == ["Café Zürich"]
    assert nearest("harbour rule", names, limit=1) == ["Harbour Rules"]


def test_nearest_says_nothing_rather_than_nonsense() -> None:
    """Nothing close, nothing typed and nothing to choose from all give nothing."""
    assert nearest("zzz", ["Harbour Rules"]) == []
    assert nearest("", ["Harbour Rules"]) == []
    assert nearest("a", []) == []
