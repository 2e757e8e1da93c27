"""Which notes a query quotes, word by word or with gaps."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from notesd.index import fulltext, notes
from notesd.index.filters import Filters, narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.rank.fuse import Ranking, reciprocal_rank_fusion
from notesd.search import lexical
from notesd.search.query import parse_query
from notesd.search.quotation import MOST_HITS, expressions, quoted

Indexed = Callable[[Mapping[str, str]], Reader]

EXPRESSIONS = {
    "five words": (
        "The tide turned at noon ",
        [
            '"the tide turned at noon"',
            'NEAR("the" "tide" "turned" "at" "noon", 6)',
            'NEAR("the" "tide" "turned" "at" "noon", 10)',
        ],
    ),
    "a word that is typed": (
        "tide at the noon tur",
        [
            '"tide at the noon tur"',
            'NEAR("tide" "at" "the" "noon" "tur", 6)',
            'NEAR("tide" "at" "the" "noon" "tur", 10)',
            'NEAR("tide" "at" "the" "noon", 4)',
            'NEAR("tide" "at" "the" "noon", 8)',
        ],
    ),
    "four words": (
        "tide at the noon ",
        ['NEAR("tide" "at" "the" "noon", 4)', 'NEAR("tide" "at" "the" "noon", 8)'],
    ),
    "three words": ("tide turned noon ", []),
    "one that is no stop word": ("to be or not to tide ", ['"to be or not to tide"']),
    "one word twice": ("the tide and the tide ", ['"the tide and the tide"']),
    "none but stop words": ("to be or not to be ", ['"to be or not to be"']),
    "a word of two": (
        "well-known to tide ",
        ['NEAR("well known" "to" "tide", 4)', 'NEAR("well known" "to" "tide", 8)'],
    ),
    "five pairs": ("吾輩は猫であ", ['"吾輩 輩は は猫 猫で であ"']),
    "pairs with a gap": (
        "吾輩は 猫であ",
        ['NEAR("吾輩 輩は" "猫で であ", 4)', 'NEAR("吾輩 輩は" "猫で であ", 8)'],
    ),
    "one character alone": (
        "昨天 图书 馆 看书 下雨 ",
        ['NEAR("昨天" "图书" "馆" * "看书" "下雨", 6)', 'NEAR("昨天" "图书" "馆" * "看书" "下雨", 10)'],
    ),
    "signs": (
        "a C++ tide of C# ",
        [
            f'NEAR("a" "c" "tide" "of", {most}) AND {{signs}} : "c\ue02b\ue02b" AND {{signs}} : "c\ue023"'
            for most in (6, 10)
        ],
    ),
    "emoji": ("a tide 😀 of the ", []),
    "operator": ("one tide three turned five -six", []),
    "quoted": ('"one tide three turned five"', []),
    "or": ("one tide three turned OR five", []),
    "star": ("one tide three turned five*", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS.values(), ids=EXPRESSIONS.keys())
def test_what_is_asked(text: str, expected: list[str]) -> None:
    """Five words may be a quotation, four one with gaps; a text with operators is none."""
    asked = [(name, expression) for name, expression, _ in expressions(parse_query(text))]
    assert [one for name, one in asked if name == "near" or "signs" not in one] == expected


@pytest.mark.parametrize(
    "text",
    [
        "tide at the noon turned ",
        "well-known to the tide, isn't it",
        "C++ is a tide of the sea ",
        "1 2 3 4 5 ",
        "on 5 May 2031 the tide turned",
        "the tide and the tide turned tu",
        "吾輩は 猫であ",
        "l'heure de la marée haute ",
        "Wi-Fi at noon is slow on 10 000 boats",
    ],
)
def test_what_stands_nowhere_is_not_looked_for_closer(indexed: Indexed, text: str) -> None:
    """What is asked first holds in every note in which what it stands for holds."""
    words = text.split()
    texts = [text, " ".join(reversed(words)), " filler ".join(words), " filler filler ".join(words), words[0]]
    reader = indexed({f"{at}.md": one for at, one in enumerate(texts)})
    for _, expression, within in expressions(parse_query(text), fulltext.languages(reader)):
        holding = fulltext.first_matching(reader, expression, 10)
        assert not within or set(holding) <= set(fulltext.first_matching(reader, within, 10))


def test_a_question_that_quotes_nothing_is_looked_for_once(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that was not asked is told as looked for nevertheless."""
    asked: list[str] = []
    look = fulltext.first_matching

    def counted(reader: Reader, match: str, *rest: Any) -> list[NoteId]:
        asked.append(match)
        return look(reader, match, *rest)

    reader = indexed(TEXTS)
    monkeypatch.setattr(fulltext, "first_matching", counted)
    found = quoted(reader, parse_query("the herring of a submarine keeper "), None)
    assert [one.name for one in found] == ["phrase", "near", "near"]
    assert asked == [found[-1].expression]


TEXTS = {
    "quoted.md": "filler " * 40 + "the old lighthouse keeper counts herring barrels by lantern light",
    "apart.md": "lighthouse " + "filler " * 60 + "keeper " + "filler " * 60 + "herring " * 5 + " lantern",
    **{f"saying{number}.md": "time and tide wait for no man" for number in range(MOST_HITS + 1)},
    "deck.md": "filler " * 20 + "the keeper and the c deck",
    "wide.md": "a kettle that " + "one two three four " * 2 + "then whistled",
}


def found(reader: Reader, query: str, filters: Filters | None = None) -> tuple[str, list[str]]:
    """Return how the query was looked for at last, and the paths of what that found."""
    last = quoted(reader, parse_query(query), narrowing(filters) if filters else None)[-1]
    stored = notes.stored(reader, last.notes)
    return last.name, [str(stored[note].path) for note in last.notes]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("old lighthouse keeper counts herring", ("phrase", ["quoted.md"]), id="word by word"),
        pytest.param(
            "old lighthouse keeper herring barrels lantern ", ("near", ["quoted.md"]), id="with gaps"
        ),
        pytest.param("herring the keeper lighthouse ", ("near", ["quoted.md"]), id="in any order"),
        pytest.param("the lighthouse keeper herring ba", ("near", ["quoted.md"]), id="half typed"),
        pytest.param("herring of keeper and lighthouse ", ("near", []), id="with words of a question"),
        pytest.param("time and tide wait for no man", ("phrase", []), id="a figure of speech"),
        pytest.param("tide and time wait for no man ", ("near", []), id="a figure of speech with gaps"),
        pytest.param("a kettle then whistled ", ("near", []), id="too far apart"),
        pytest.param("kettle that two then whistled ", ("near", ["wide.md"]), id="further apart"),
        pytest.param("the C++ deck and the keeper ", ("near", []), id="a word that lost its sign"),
        pytest.param("the C deck and the keeper ", ("near", ["deck.md"]), id="a word that has no sign"),
        pytest.param("herring submarine of the keeper", ("near", []), id="nobody"),
    ],
)
def test_notes_that_are_quoted(indexed: Indexed, query: str, expected: tuple[str, list[str]]) -> None:
    """The surest way that finds any note counts, and says nothing where it finds many."""
    assert found(indexed(TEXTS), query) == expected


def test_a_filter_decides_who_is_quoted(indexed: Indexed) -> None:
    """Notes that may not answer do not make a saying of a quotation."""
    reader = indexed({**TEXTS, "sub/saying.md": "time and tide wait for no man"})

    below = Filters(folder="sub")
    assert found(reader, "time and tide wait for no man", below) == ("phrase", ["sub/saying.md"])
    assert found(reader, "tide and time for man ", below) == ("near", ["sub/saying.md"])


def test_the_best_of_several_comes_first(indexed: Indexed) -> None:
    """Of notes that are quoted alike, the one that is about it."""
    long = "filler " * 80 + "a copper kettle on the stove"
    reader = indexed({"a.md": long, "b.md": "a copper kettle on the stove", "c.md": long})

    assert found(reader, "copper kettle the stove ") == ("near", ["b.md", "a.md", "c.md"])


def test_a_question_is_no_quotation(indexed: Indexed) -> None:
    """A note that happens to have its words side by side does not come before the one about them."""
    about = "# Watering controller\n\nIt waters " + "the beds " * 30 + "unless the gauge says that it rains."
    reader = indexed({"controller.md": about, "today.md": "Rain: link the gauge to the watering controller."})
    words = lexical.recall(
        reader, parse_query("what does the watering controller do when it rains"), None, 100
    )

    assert {ranking.name for ranking in words.rankings}.isdisjoint({"phrase", "near"})


def test_a_quotation_outvotes_a_channel_that_is_sure_of_another_note(indexed: Indexed) -> None:
    """The words stand in many notes, together in one: meaning and the words alone would name another."""
    about = {f"about{number}.md": "lighthouse keeper herring lantern " * 3 for number in range(2)}
    spread = {f"spread{number}.md": " filler ".join(["keeper", "lantern"] * 9) for number in range(12)}
    reader = indexed({**TEXTS, **spread, **about})
    words = lexical.recall(reader, parse_query("the keeper herring barrels by light"), None, 100)
    paths = {note: str(one.path) for note, one in notes.stored(reader, words.rankings[0].notes).items()}
    rows = {path: note for note, path in paths.items()}
    evidence = dict.fromkeys(rows.values(), 1.2)
    sure = Ranking("semantic", [rows["about0.md"], rows["about1.md"]], evidence=evidence)

    assert [one.name for one in words.rankings] == ["lexical", "near", "every"]
    assert words.expressions["near"].startswith("NEAR(")
    assert paths[reciprocal_rank_fusion([*words.rankings, sure], paths=paths)[0].note] == "quoted.md"


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        pytest.param("herring barrels by the light ", False, id="a sentence"),
        pytest.param("keeper herring barrels light ", True, id="key words"),
        pytest.param("吾輩は 猫であ", False, id="without blanks"),
    ],
)
def test_key_words_that_stand_together_may_do_so_by_chance(
    indexed: Indexed, text: str, doubtful: bool
) -> None:
    """A remembered sentence has stop words; what is no sentence may not outvote words and meaning."""
    dense = "吾輩は黒い猫である。"
    reader = indexed({"a.md": "The keeper counts herring barrels by the dim light.", "b.md": dense})
    found = [one for one in quoted(reader, parse_query(text), None) if one.notes]
    assert [(one.name, one.doubtful) for one in found] == [("near", doubtful)]
