"""Notes found by words in a real index, and in which order."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from notesd.index import fulltext, index_files, notes
from notesd.index.filters import Filters, narrowing
from notesd.index.store import Store
from notesd.model import NotePath, Stamp
from notesd.parse.columns import columns_of
from notesd.parse.note import parse_note
from notesd.rank.fuse import Ranking, reciprocal_rank_fusion
from notesd.search import lexical
from notesd.search.query import parse_query


def indexed(folder: Path, texts: Mapping[str, str]) -> Store:
    """Return an index of some notes."""
    store = index_files.create(str(folder), fingerprint="f", stemmer="en")
    with store.write() as writer:
        for path, text in texts.items():
            note = parse_note(text, NotePath(path))
            read = notes.Read(note, Stamp(0, 0, 0, 0, 0), racy=False, digest=b"")
            note_id = notes.put(writer, read, None)
            fulltext.put(writer, {note_id: fulltext.Words(columns_of(note, ("en",)), new=True)})
    return store


def ranked(store: Store, query: str, filters: Filters | None = None) -> list[str]:
    """Return the paths of what the words find, best first."""
    with store.read() as reader:
        found = lexical.recall(reader, parse_query(query), narrowing(filters) if filters else None, 100)
        order = found.rankings[0].notes
        stored = notes.stored(reader, order)
        return [stored[note].path for note in order]


TYPED = {
    "notion.md": "a notion, among many other words that make it a long and unlikely first result",
    "note.md": "note note note",
    "garden.md": "# Garden\nnote",
    "other.md": "garden of a notion",
}


@pytest.mark.parametrize(
    ("query", "first", "everything"),
    [
        ("noti", {"notion.md", "other.md"}, {"notion.md", "other.md"}),
        ("garden noti", {"other.md"}, {"notion.md", "other.md", "garden.md"}),
        ("note", {"note.md"}, {"note.md", "garden.md"}),
    ],
)
def test_words_that_begin_as_typed_come_first(
    tmp_path: Path, query: str, first: set[str], everything: set[str]
) -> None:
    """A "noti" begins a notion and no note; a whole word comes before the beginning of another."""
    order = ranked(indexed(tmp_path, TYPED), query)
    assert set(order[: len(first)]) == first
    assert set(order) == everything


@pytest.mark.parametrize("folder", ["sub", "sub/", "/sub", "./sub", "./sub/"])
def test_a_folder_is_named_in_any_usual_way(tmp_path: Path, folder: str) -> None:
    """Slashes at the ends and a leading dot are how shells and people write it."""
    store = indexed(tmp_path, {"sub/a.md": "zebra", "subway/b.md": "zebra", "c.md": "zebra"})
    assert ranked(store, "zebra", Filters(folder=folder)) == ["sub/a.md"]


def whole(store: Store, query: str) -> list[str] | None:
    """Return the paths of the list of notes that hold every word, None where there is no such list."""
    with store.read() as reader:
        found = lexical.recall(reader, parse_query(query), None, 100)
        lists = {one.name: one.notes for one in found.rankings}
        stored = notes.stored(reader, lists.get("every", ()))
        return [stored[note].path for note in lists["every"]] if "every" in lists else None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("apple pear ", ["short.md", "long.md"], id="two words"),
        pytest.param("what is the plum of a pear? ", ["long.md"], id="a question"),
        pytest.param("(apple OR plum) ", None, id="one word or another"),
        pytest.param("pear apple OR plum ", ["short.md", "long.md"], id="an alternative"),
        pytest.param("pear ", None, id="one word says no more than the channel"),
        pytest.param("apple cherry ", None, id="nobody holds both"),
        pytest.param("common word ", None, id="too many hold both"),
        pytest.param("common app", ["short.md", "apples.md", "long.md"], id="as far as it is typed"),
    ],
)
def test_few_notes_that_hold_every_word(tmp_path: Path, query: str, expected: list[str] | None) -> None:
    """They are a list of their own, in the order of the channel; many are none."""
    texts = {
        "short.md": "apple pear common",
        "long.md": f"apple pear plum common {'and filler ' * 40}",
        "apples.md": f"apples common {'and filler ' * 80}",
        **{f"n{number}.md": "common word" for number in range(lexical.MOST_WHOLE_HITS + 1)},
    }
    assert whole(indexed(tmp_path, texts), query) == expected


def test_holding_every_word_counts_fully_for_the_first_note_alone(tmp_path: Path) -> None:
    """Two words that stand somewhere in several notes say little about those that are not ranked first."""
    texts = {"short.md": "apple pear", "long.md": f"apple pear {'and filler ' * 40}", "n.md": "filler"}
    with indexed(tmp_path, texts).read() as reader:
        found = lexical.recall(reader, parse_query("apple pear "), None, 9)
    lists = {one.name: one for one in found.rankings}
    evidence = [(lists["every"].evidence or {})[note] for note in lists["lexical"].notes]
    assert evidence == [1.0, lexical.ANOTHER_WHOLE]


def test_meaning_does_not_outvote_the_one_note_with_every_word(tmp_path: Path) -> None:
    """Words quoted with gaps: no phrase, no name, and a channel that is sure of something else."""
    store = indexed(
        tmp_path,
        {
            "right.md": f"ember river {'and filler ' * 30} copper lantern",
            "wrong.md": "ember",
            "other.md": "copper river",
        },
    )
    with store.read() as reader:
        found = lexical.recall(reader, parse_query("ember river copper lantern "), None, 100)
        paths = {note: str(one.path) for note, one in notes.stored(reader, found.rankings[0].notes).items()}
        rows = {path: note for note, path in paths.items()}
        sure = [rows["wrong.md"], rows["other.md"], rows["right.md"]]
        meaning = Ranking("semantic", sure, 1.0, dict(zip(sure, (1.2, 1.1, 0.9), strict=True)))
        order = reciprocal_rank_fusion([*found.rankings, meaning], paths=paths)
    assert paths[order[0].note] == "right.md"


@pytest.mark.parametrize("query", ["wooden boats crossing stormy northern waters", "boats crossing waters"])
def test_of_several_words_those_that_are_said_as_typed_count_a_little_more(
    tmp_path: Path, query: str
) -> None:
    """Else they tie with their other forms, and the order falls to the path."""
    texts = {
        "a.md": "wooden boat cross stormy northern water",
        "b.md": "wooden boats crossing stormy northern waters",
        "c.md": "the shop sells bread and other things of the north",
    }
    store = indexed(tmp_path, texts)
    assert ranked(store, query)[:2] == ["b.md", "a.md"]
    store.close()


def test_a_title_with_the_words_as_typed_counts_more_than_one_with_their_other_forms(tmp_path: Path) -> None:
    """Of two titles that are alike but for the forms, what was typed is meant, beside further words."""
    said = "what sailors tell of stormy northern winters beside the harbour"
    texts = {
        "a.md": f"# Crossing boats\n\nboat cross, {said}, and of crossings",
        "b.md": f"# Cross boat\n\ncrossing boats, {said}, and of crossings",
        "c.md": "the shop sells bread and other things",
    }
    store = indexed(tmp_path, texts)
    assert ranked(store, "cross boat stories of northern winters and storms")[0] == "b.md"
    assert ranked(store, "crossing boats stories of northern winters and storms")[0] == "a.md"
    store.close()
