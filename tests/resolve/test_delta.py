"""After a change, exactly the names that changed are asked for again."""

from notesd.model import NotePath
from notesd.resolve.delta import affected_keys
from notesd.resolve.lookup import Entry

ANN = Entry(NotePath("crew/ann.md"), True, "Ann", ("The Boss",), ("x7",))


def test_nothing_changed() -> None:
    """An equal file touches no link."""
    assert affected_keys([ANN], [ANN]) == frozenset()


def test_new_and_gone() -> None:
    """A file that comes or goes touches every name it has."""
    everything = frozenset({"ann", "the boss", "x7"})
    assert affected_keys([], [ANN]) == everything
    assert affected_keys([ANN], []) == everything


def test_new_alias_alone() -> None:
    """A note that gains an alias leaves the links to its file name alone."""
    renamed = Entry(ANN.path, True, "Ann", ("The Boss", "Captain/Ann B."), ("x7",))
    assert affected_keys([ANN], [renamed]) == {"ann b."}


def test_title_in_other_case() -> None:
    """A title that only changes its case can win or lose a tie."""
    assert affected_keys([ANN], [Entry(ANN.path, True, "ANN", ("The Boss",), ("x7",))]) == {"ann"}


def test_rename() -> None:
    """A file that moves touches its names under both paths."""
    assert affected_keys([ANN], [Entry(NotePath("ann-b.md"), True, "Ann", ("The Boss",), ("x7",))]) == {
        "ann",
        "ann b",
        "the boss",
        "x7",
    }
