"""Links of several notes at once, and what a hub among them costs."""

from collections.abc import Iterator

import pytest

from notesd.files.ignore import Ignore
from notesd.index.neighbours import EMBED, MOST_LINKS, Followed, neighbours, standings
from notesd.index.notes import NoteId
from notesd.index.store import Store
from notesd.ingest.follow import Follower
from notesd.settings import Config

LEAVES = MOST_LINKS + 50


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A hub that links to more notes than are looked at, as many that link to it, and two small notes."""
    home = tmp_path_factory.mktemp("neighbours")
    root = home / "notes"
    root.mkdir()
    for number in reversed(range(LEAVES)):  # what comes first in the index comes last by path
        (root / f"to{number:03}.md").write_text("leaf\n")
        (root / f"from{number:03}.md").write_text("[[hub]]\n")
    links = "".join(f"[[to{number:03}]]\n" for number in range(LEAVES))
    (root / "hub.md").write_text(f"{links}\n- needs [[last]]\n")
    (root / "last.md").write_text("leaf\n")
    (root / "small.md").write_text(
        "[[other]] ![[to000]] [[other]] [[small]] [[nowhere]]\n\n- part_of [[to001]]\n"
    )
    (root / "other.md").write_text("[[small]]\n")
    follower = Follower(str(root), str(home / "state"), Ignore(()), Config())
    follower.open()
    follower.scan()
    assert follower.store is not None
    yield follower.store
    follower.close()


def named(store: Store, *names: str) -> list[NoteId]:
    rows: dict[str, int] = dict(store.peek().rows("SELECT path, id FROM note"))
    return [NoteId(rows[f"{name}.md"]) for name in names]


def test_links_come_note_by_note_as_they_stand(store: Store) -> None:
    """Own links in the order of the file, then those of others; none with itself, none to nowhere."""
    small, other, first, second = named(store, "small", "other", "to000", "to001")
    found = [
        (seed, one.note, one.outgoing, one.relation, one.embed)
        for seed, one in neighbours(store.peek(), [other, small])
    ]
    assert found == [
        (other, small, True, None, False),
        (other, small, False, None, False),
        (other, small, False, None, False),
        (small, other, True, None, False),
        (small, first, True, None, True),
        (small, other, True, None, False),
        (small, second, True, "part of", False),
        (small, other, False, None, False),
    ]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_hub_takes_nothing_from_the_others(store: Store, place: int) -> None:
    """It is cut to the first of its links, wherever it stands; together they say what each says alone."""
    some = named(store, "small", "other")
    (hub,) = named(store, "hub")
    some.insert(place, hub)
    reader = store.peek()
    every = neighbours(reader, some)
    assert every == [row for one in some for row in neighbours(reader, [one])]
    own = [one.note for seed, one in every if seed == hub and one.outgoing]
    assert own == named(store, *(f"to{number:03}" for number in range(MOST_LINKS)))
    back = [one.note for seed, one in every if seed == hub and not one.outgoing]
    assert back == named(store, *(f"from{number:03}" for number in range(MOST_LINKS)))


def test_a_hub_is_linked_with_as_many_as_are_looked_at(store: Store) -> None:
    """Which of its links are cut off does not change the number."""
    (hub,) = named(store, "hub")
    assert standings(store.peek(), [hub])[hub].degree == 2 * MOST_LINKS


def test_relations_are_told_apart_before_a_hub_is_cut(store: Store) -> None:
    """A relation among the last links is found; what counts nothing takes no place."""
    hub, last, small, second = named(store, "hub", "last", "small", "to001")
    reader = store.peek()
    found = neighbours(reader, [hub, small], Followed(only=("needs",)))
    assert [(seed, one.note, one.relation) for seed, one in found] == [(hub, last, "needs")]
    found = neighbours(reader, [small], Followed(never=("part of", EMBED)))
    assert {one.note for _, one in found} == set(named(store, "other"))
    found = neighbours(reader, [small], Followed(only=("part of", "needs"), never=("needs",)))
    assert [one.note for _, one in found] == [second]


def test_a_hub_among_small_notes_is_cut(store: Store) -> None:
    """What all may have together is no licence for one of them."""
    many = named(store, "hub", *(f"to{number:03}" for number in range(9)))
    every = neighbours(store.peek(), many)
    assert sum(seed == many[0] for seed, _ in every) == 2 * MOST_LINKS


def test_standings_count_notes_and_not_links(store: Store) -> None:
    """Once read they are the same, from memory; who is not there has none."""
    small, first = named(store, "small", "to000")
    with store.read() as reader:
        for _ in range(2):
            found = standings(reader, [small, first, NoteId(10**6)])
            assert {note: (one.path, one.degree) for note, one in found.items()} == {
                small: ("small.md", 3), first: ("to000.md", 2),
            }  # fmt: skip
