"""One order, however far down it is looked at: pages never overlap and never leave anything out."""

import random
from collections.abc import Callable, Mapping

import pytest
from msgspec import structs

from notesd.index.filters import Narrowing
from notesd.index.notes import NoteId, by_path
from notesd.index.store import Reader
from notesd.rank.fuse import Ranking
from notesd.search import engine, several, why
from notesd.search.conditions import Asked
from notesd.search.query import Query, parse_query

COUNT = 260
LINKED = 170
"""Further down by words than the first level reaches."""
NOTES = {
    f"n{number:03}.md": f"zebra {'filler ' * (20 + number)}{f'[[n{LINKED}]]' if number == 0 else ''}\n"
    for number in range(COUNT)
}


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """Many notes that fit, the first of them linked with one that hardly does."""
    return indexed(NOTES)


def by_meaning(
    reader: Reader, query: Query, narrowed: Narrowing | None, depth: int, found: Mapping[NoteId, float]
) -> list[Ranking[NoteId]]:
    """A channel that finds notes in another order, also some that the words find further down."""
    every = [NoteId(row[0]) for row in reader.rows("SELECT id FROM note ORDER BY path")]
    random.Random(3).shuffle(every)
    first = every[:depth]
    rest = [note for note in found if note not in first]
    evidence = {note: 1.1 - place / 300 for place, note in enumerate([*first, *rest])}
    return [Ranking("semantic", [*first, *rest], 0.5, evidence, raw={n: 1 - e for n, e in evidence.items()})]


@pytest.mark.parametrize("links", [False, True], ids=["", "links"])
@pytest.mark.parametrize("meaning", [False, True], ids=["", "meaning"])
@pytest.mark.parametrize("size", [7, 10, 50])
def test_pages_are_cut_from_one_order(reader: Reader, *, links: bool, meaning: bool, size: int) -> None:
    """Every note that fits stands on exactly one page, where ``--why`` says it does."""
    slow = [by_meaning] if meaning else []
    asked = Asked(parse_query("zebra "), size, relation_weights={} if links else None)
    paths: list[str] = []
    for offset in range(0, COUNT, size):
        page = engine.search(reader, structs.replace(asked, offset=offset), slow=slow)
        paths += [hit["path"] for hit in page.hits]
    assert len(paths) == COUNT
    assert set(paths) == NOTES.keys()
    for place in (0, 3, 99, 120, 200, COUNT - 1):
        note = by_path(reader, paths[place])
        assert note is not None
        assert why.judge(reader, asked, note, slow).details["rank"] == place + 1


def test_several_pages_at_once_are_the_same_pages(reader: Reader) -> None:
    """As a merged answer of several spaces asks for them."""
    asked = Asked(parse_query("zebra "), 10, offset=150, relation_weights={})
    page = [hit["path"] for hit in engine.search(reader, asked, slow=[by_meaning]).hits]
    whole = engine.search(reader, several.paged_from_start(asked), slow=[by_meaning]).hits
    assert [hit["path"] for hit in whole[150:]] == page


def test_the_last_page_ends(reader: Reader) -> None:
    """Beyond the last note there is nothing, however far beyond."""
    for offset in (COUNT, COUNT + 1, 100_000):
        assert (
            engine.search(reader, Asked(parse_query("zebra "), 10, offset=offset), slow=[by_meaning]).hits
            == []
        )


def test_words_answer_first_however_far_down(reader: Reader) -> None:
    """Whoever has the words first gets a page of them, also one beyond what they offered at once."""
    early: list[engine.Found] = []
    asked = Asked(parse_query("zebra "), 10, offset=150)
    engine.search(reader, asked, early.append, [by_meaning])
    (first,) = early
    assert first.hits == engine.search(reader, asked).hits
    assert len(first.hits) == asked.limit
