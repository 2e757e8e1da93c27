"""Which notes a query quotes, word by word or with gaps."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index import notes
from notesd.index.filters import Filters, narrowing
from notesd.index.store import Reader
from notesd.rank.fuse import Ranking, reciprocal_rank_fusion
from notesd.search import lexical
from notesd.search.query import parse_query
from notesd.search.quotation import MOST_HITS, expressions, quoted

Indexed = Callable[[Mapping[str, str]], Reader]

EXPRESSIONS = {
    "five words": (
        "The tide turned at noon",
        ['"the tide turned at noon"', 'NEAR("tide" "turned" "noon", 6)', 'NEAR("tide" "turned" "noon", 10)'],
    ),
    "four words": ("tide at the noon", ['NEAR("tide" "noon", 4)', 'NEAR("tide" "noon", 8)']),
    "three words": ("tide turned noon", []),
    "one that is no stop word": ("to be or not to tide", ['"to be or not to tide"']),
    "one word twice": ("the tide and the tide", ['"the tide and the tide"']),
    "a word of two": ("well-known to tide", ['NEAR("well known" "tide", 4)', 'NEAR("well known" "tide", 8)']),
    "five pairs": ("吾輩は猫であ", ['"吾輩 輩は は猫 猫で であ"']),
    "pairs with a gap": (
        "吾輩は 猫であ",
        ['NEAR("吾輩 輩は" "猫で であ", 6)', 'NEAR("吾輩 輩は" "猫で であ", 10)'],
    ),
    "signs": ("the C++ and C# tide", ['NEAR("c" "tide", 6)', 'NEAR("c" "tide", 10)']),
    "emoji": ("a tide 😀 😀 😀 of the", []),
    "operator": ("one tide three turned five -six", []),
    "quoted": ('"one tide three turned five"', []),
    "or": ("one tide three turned OR five", []),
    "star": ("one tide three turned five*", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS.values(), ids=EXPRESSIONS.keys())
def test_what_is_asked(text: str, expected: list[str]) -> None:
    """Five words may be a quotation, four one with gaps; a text with operators is none."""
    asked = [expression for _, expression in expressions(parse_query(text))]
    assert [one for one in asked if "{signs}" not in one] == expected


TEXTS = {
    "quoted.md": "filler " * 40 + "the old lighthouse keeper counts herring barrels by lantern light",
    "apart.md": "lighthouse " + "filler " * 60 + "keeper " + "filler " * 60 + "herring " * 5 + " lantern",
    **{f"saying{number}.md": "time and tide wait for no man" for number in range(MOST_HITS + 1)},
    "wide.md": "a kettle that " + "one two three four " * 2 + "then whistled",
}


def found(reader: Reader, query: str, filters: Filters | None = None) -> list[tuple[str, list[str]]]:
    """Return how the query was looked for, in turn, and the paths that each way found."""
    asked = quoted(reader, parse_query(query), narrowing(filters) if filters else None)
    stored = notes.stored(reader, [note for one in asked for note in one.notes])
    return [(one.name, [str(stored[note].path) for note in one.notes]) for one in asked]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("old lighthouse keeper counts herring", [("phrase", ["quoted.md"])], id="word by word"),
        pytest.param(
            "the lighthouse keeper herring barrels lantern",
            [("phrase", []), ("near", ["quoted.md"])],
            id="with gaps",
        ),
        pytest.param(
            "herring lighthouse the keeper", [("near", ["quoted.md"])], id="in any order, not far apart"
        ),
        pytest.param("time and tide wait for no man", [("phrase", [])], id="a figure of speech"),
        pytest.param("tide and time wait for a man", [("phrase", []), ("near", [])], id="one with gaps"),
        pytest.param("the kettle has whistled", [("near", []), ("near", [])], id="too far apart"),
        pytest.param(
            "the kettle it has whistled",
            [("phrase", []), ("near", []), ("near", ["wide.md"])],
            id="further apart",
        ),
        pytest.param(
            "herring submarine of the keeper", [("phrase", []), ("near", []), ("near", [])], id="nobody"
        ),
    ],
)
def test_notes_that_are_quoted(indexed: Indexed, query: str, expected: list[tuple[str, list[str]]]) -> None:
    """The surest way that finds any note counts, and says nothing where it finds many."""
    assert found(indexed(TEXTS), query) == expected


def test_a_filter_decides_who_is_quoted(indexed: Indexed) -> None:
    """Notes that may not answer do not make a saying of a quotation."""
    reader = indexed({**TEXTS, "sub/saying.md": "time and tide wait for no man"})

    assert found(reader, "time and tide wait for no man", Filters(folder="sub")) == [
        ("phrase", ["sub/saying.md"])
    ]
    assert found(reader, "tide and time for man", Filters(folder="sub"))[-1] == ("near", ["sub/saying.md"])


def test_the_best_of_several_comes_first(indexed: Indexed) -> None:
    """Of notes that are quoted alike, the one that is about it."""
    long = "filler " * 80 + "a copper kettle on the stove"
    reader = indexed({"a.md": long, "b.md": "a copper kettle on the stove", "c.md": long})

    assert found(reader, "copper kettle and the stove") == [
        ("phrase", []),
        ("near", ["b.md", "a.md", "c.md"]),
    ]


def test_a_quotation_outvotes_a_channel_that_is_sure_of_another_note(indexed: Indexed) -> None:
    """The words stand in many notes, together in one: meaning and the words alone would name another."""
    about = {f"about{number}.md": "lighthouse keeper herring lantern " * 3 for number in range(2)}
    spread = {f"spread{number}.md": " filler ".join(["keeper", "lantern"] * 9) for number in range(12)}
    reader = indexed({**TEXTS, **spread, **about})
    with_gaps = lexical.recall(reader, parse_query("the keeper herring barrels by light"), None, 100)
    paths = {note: str(one.path) for note, one in notes.stored(reader, with_gaps.rankings[0].notes).items()}
    rows = {path: note for note, path in paths.items()}
    sure = Ranking(
        "semantic", [rows["about0.md"], rows["about1.md"]], evidence=dict.fromkeys(rows.values(), 1.2)
    )

    assert [one.name for one in with_gaps.rankings] == ["lexical", "near", "every"]
    assert with_gaps.expressions["near"].startswith("NEAR(")
    assert paths[reciprocal_rank_fusion([*with_gaps.rankings, sure], paths=paths)[0].note] == "quoted.md"
