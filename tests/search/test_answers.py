"""Answers of the engine: their accounts, their first part, and why a note is where it is."""

import math
from collections.abc import Callable, Mapping, Sequence

import pytest
from msgspec import structs

from notesd.index import notes
from notesd.index.budget import Budget, Meter, OverBudget
from notesd.index.filters import Narrowing, narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.rank.fuse import Ranking
from notesd.search import account, engine, lexical, why
from notesd.search.conditions import Asked, conditions, joined
from notesd.search.dates import parse_range
from notesd.search.query import Query, parse_query

NOTES = {
    "Bread.md": "---\ntags: [food/bread]\ncreated: 2024-05-01\n---\nA flat loaf of rye. See [[Oven]].\n",
    "Oven.md": "---\ntype: tool\naliases: [Stove]\n---\n# Oven\n\nHot stone for a loaf.\n",
    "sea/Quay.md": "# Quay\n\nShips rest here, the loaf is eaten.\n",
    **{f"many/n{number:03}.md": f"filler common {'common ' * number}\n" for number in range(150)},
}


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """An index of a small folder."""
    return indexed(NOTES)


def asked(text: str, **more: object) -> Asked:
    return structs.replace(Asked(parse_query(text), 10), **more)


def judged(reader: Reader, path: str, question: Asked) -> why.Verdict:
    note = notes.by_path(reader, path)
    assert note is not None
    return why.judge(reader, question, note)


def test_a_score_is_the_sum_of_its_account(reader: Reader) -> None:
    """What explain says of a hit adds up to the hit's score, and every number of a share is there."""
    found = engine.search(reader, asked("flat loaf", explain=True))

    assert len(found.hits) == 3
    for hit in found.hits:
        lists = hit["explain"]["lists"]
        assert hit["score"] == math.fsum(one["share"] for one in lists)
        assert [one["share"] for one in lists] == [
            one["weight"] * one["evidence"] / (60 + one["rank"]) for one in lists
        ]


def test_explaining_changes_no_answer(reader: Reader) -> None:
    """Order and scores are the same with and without the account."""
    plain = engine.search(reader, asked("bread oven loaf"))
    told = engine.search(reader, asked("bread oven loaf", explain=True))

    assert [(h["path"], h["score"]) for h in plain.hits] == [(h["path"], h["score"]) for h in told.hits]
    assert plain.explain is None
    assert "explain" not in plain.hits[0]


def test_an_account_says_where_each_word_stands(reader: Reader) -> None:
    """Columns for the words a note holds, none for those it does not."""
    (hit,) = engine.search(reader, asked("stove rye ", explain=True, types=("tool",))).hits

    assert hit["explain"]["words"] == [
        {"word": "stove", "columns": ["aliases"]}, {"word": "rye", "columns": []},
    ]  # fmt: skip


def test_an_index_tells_how_it_was_asked(reader: Reader) -> None:
    """Expression, stemmer, rarity, lists and conditions of one space."""
    told = engine.search(reader, asked("flat loaf tag:food", explain=True, folder="sea")).explain
    assert told is not None

    assert told["expressions"]["any"] == '"flat" OR "loaf"'
    assert told["filters"] == [
        {"filter": "folder", "value": "sea", "by": "parameter"},
        {"filter": "tag", "value": "food", "by": "query"},
    ]
    assert told["filtered"] is True
    assert told["stemmer"] == "en"
    assert [one["list"] for one in told["lists"]] == ["lexical"]


def test_the_words_answer_comes_first_then_the_fused_one(reader: Reader) -> None:
    """A slow channel is asked after the early answer was told, and its votes count in the last one."""
    quay = notes.by_path(reader, "sea/Quay.md")
    assert quay is not None
    early: list[engine.Found] = []

    def slow(
        reader: Reader, _q: Query, _n: Narrowing | None, _depth: int, found: Mapping[NoteId, float]
    ) -> Sequence[Ranking[NoteId]]:
        assert [h["path"] for h in early[0].hits] == ["Bread.md"]
        assert [one.path for one in notes.stored(reader, found).values()] == ["Bread.md"]
        return [Ranking("semantic", [quay.id], 3.0, raw={quay.id: 0.25})]

    found = engine.search(reader, asked("rye"), early.append, [slow])
    verdict = why.judge(reader, asked("rye"), quay, [slow])

    assert [h["path"] for h in found.hits] == ["sea/Quay.md", "Bread.md"]
    assert len(early) == 1
    assert (verdict.reason, verdict.details["rank"]) == ("found", 1)
    assert [one["list"] for one in verdict.details["lists"]] == ["semantic"]


@pytest.mark.parametrize("text", ["loaf", "tag:food", "", "zzz"])
def test_without_a_slow_channel_both_answers_are_one(reader: Reader, text: str) -> None:
    """Whatever is asked, the early answer is told once and is the answer."""
    early: list[engine.Found] = []
    found = engine.search(reader, asked(text), early.append)

    assert early == [found]


def test_conditions_together_are_the_filter(reader: Reader) -> None:
    """A note passes the whole filter when it passes each condition, and only then."""
    question = asked(
        'loaf "flat loaf" -ships title:bread tag:food type:note created:2024 path:bread links:Oven'
    )
    every = conditions(reader, question)
    one_by_one = [
        path
        for path in NOTES
        if (note := notes.by_path(reader, path))
        and all(notes.among(reader, [note.id], narrowing(one.filters)) for one in every)
    ]

    assert len(every) == 8
    assert one_by_one == ["Bread.md"]
    assert [h["path"] for h in engine.search(reader, question).hits] == one_by_one
    assert narrowing(joined(every)) is not None


FILTERED = [
    pytest.param("loaf tag:sea", {}, "tag", "query", id="tag"),
    pytest.param("loaf type:recipe", {}, "type", "query", id="type"),
    pytest.param("loaf path:sea/", {}, "path", "query", id="path"),
    pytest.param("loaf title:quay", {}, "title", "query", id="title"),
    pytest.param("loaf alias:stove", {}, "alias", "query", id="alias"),
    pytest.param('loaf "rye of"', {}, "phrase", "query", id="phrase"),
    pytest.param("loaf links:Quay", {}, "links", "query", id="links"),
    pytest.param("loaf linked:Quay", {}, "linked", "query", id="linked"),
    pytest.param("loaf rel:up", {}, "rel", "query", id="rel"),
    pytest.param("loaf created:2025..", {}, "created", "query", id="created"),
    pytest.param("loaf modified:..2001", {}, "modified", "query", id="modified"),
    pytest.param("loaf", {"folder": "sea"}, "folder", "parameter", id="folder-parameter"),
    pytest.param("loaf", {"tags": ("sea",)}, "tag", "parameter", id="tag-parameter"),
    pytest.param("loaf", {"types": ("recipe",)}, "type", "parameter", id="type-parameter"),
    pytest.param("loaf", {"relations": ("up",)}, "rel", "parameter", id="rel-parameter"),
    pytest.param("loaf", {"created": parse_range("2025")}, "created", "parameter", id="created-parameter"),
]


@pytest.mark.parametrize(("text", "more", "name", "by"), FILTERED)
def test_the_filter_in_the_way_is_named(
    reader: Reader, text: str, more: dict[str, object], name: str, by: str
) -> None:
    """A note that one condition keeps out is told exactly that condition and where it was asked."""
    verdict = judged(reader, "Bread.md", asked(text, **more))

    assert verdict.reason == "filtered"
    assert [(one["filter"], one["by"]) for one in verdict.details["filters"]] == [(name, by)]


def test_every_filter_in_the_way_is_named(reader: Reader) -> None:
    """Several at once are all told, the ones that pass are not, and what the note has instead is."""
    verdict = judged(reader, "Bread.md", asked("loaf tag:food type:tool -flat", folder="many"))

    assert verdict.reason == "filtered"
    assert {one["filter"]: one.get("has") for one in verdict.details["filters"]} == {
        "excluded": None, "folder": "Bread.md", "type": "note",
    }  # fmt: skip


def test_an_excluded_word_is_named(reader: Reader) -> None:
    """A note that holds what must not occur is excluded by it."""
    verdict = judged(reader, "Bread.md", asked("loaf -rye -ships"))

    assert verdict.reason == "excluded"
    assert "-rye" in verdict.sentence
    assert "-ships" not in verdict.sentence


DENIED = [
    ("-tag:food", {"Oven.md", "sea/Quay.md"}),
    ("-#food/bread", {"Oven.md", "sea/Quay.md"}),
    ("-type:tool", {"Bread.md", "sea/Quay.md"}),
    ("-type:note", {"Oven.md"}),
    ("-path:SEA/", {"Bread.md", "Oven.md"}),
    ("-title:bread", {"Oven.md", "sea/Quay.md"}),
    ("-alias:stove", {"Bread.md", "sea/Quay.md"}),
    ("-links:Oven", {"Oven.md", "sea/Quay.md"}),
    ("-linked:Bread", {"Bread.md", "sea/Quay.md"}),
    ("-links:Nobody", {"Bread.md", "Oven.md", "sea/Quay.md"}),
    ("-created:2024", {"Oven.md", "sea/Quay.md"}),
    ("-modified:..2001", {"Bread.md", "Oven.md", "sea/Quay.md"}),
    ("-tag:food -type:tool", {"sea/Quay.md"}),
    ("type:note -tag:food/bread", {"sea/Quay.md"}),
]


@pytest.mark.parametrize(("text", "expected"), DENIED)
def test_a_minus_before_an_operator_is_its_opposite(reader: Reader, text: str, expected: set[str]) -> None:
    """Each filter can be turned round, alone and beside others; the words are not touched by it."""
    assert {hit["path"] for hit in engine.search(reader, asked(f"loaf {text} ")).hits} == expected


def test_a_minus_alone_lists_the_rest(reader: Reader) -> None:
    """Without a word the notes that are not so come by date."""
    found = engine.search(reader, asked("-path:many -tag:food"))

    assert {hit["path"] for hit in found.hits} == {"Oven.md", "sea/Quay.md"}
    assert found.total == 2


def test_what_is_denied_is_told_as_such(reader: Reader) -> None:
    """The account names the filter with its minus; the note says what it has instead."""
    told = engine.search(reader, asked("loaf -tag:food ", explain=True)).explain
    verdict = judged(reader, "Bread.md", asked("loaf -tag:food -type:tool "))

    assert told is not None
    assert told["filters"] == [{"filter": "-tag", "value": "food", "by": "query"}]
    assert (verdict.reason, verdict.sentence) == ("excluded", "it has what the query excludes: -tag:food")
    assert verdict.details["filters"] == [
        {"filter": "-tag", "value": "food", "by": "query", "has": ["food/bread"]}
    ]


@pytest.mark.parametrize("path", ["Bread.md", "Oven.md", "sea/Quay.md"])
def test_a_found_note_has_the_account_of_its_hit(reader: Reader, path: str) -> None:
    """Rank, score and lists are those of the answer itself."""
    question = asked("flat loaf", explain=True)
    hits = engine.search(reader, question).hits
    (at,) = (place for place, hit in enumerate(hits, 1) if hit["path"] == path)
    verdict = judged(reader, path, question)

    assert (verdict.reason, verdict.details["rank"]) == ("found", at)
    assert verdict.details["score"] == hits[at - 1]["score"]
    assert verdict.details["lists"] == hits[at - 1]["explain"]["lists"]


def test_a_note_beyond_the_page_has_its_place_among_all(reader: Reader) -> None:
    """However far down, its rank is the place at which paging would come to it."""
    everything = engine.search(reader, asked("common", limit=1000)).hits
    last = everything[-1]["path"]
    verdict = judged(reader, last, asked("common"))

    assert len(everything) == 150
    assert (verdict.reason, verdict.details["rank"]) == ("found", 150)
    assert "offset 149" in verdict.sentence


def test_a_note_without_the_words_is_told_what_would_have_matched(reader: Reader) -> None:
    """Missing words are named with the note's own words that come near them."""
    verdict = judged(reader, "sea/Quay.md", asked("lof rye "))

    assert verdict.reason == "no_match"
    words = {one["word"]: one for one in verdict.details["words"]}
    assert words["lof"]["columns"] == []
    assert words["lof"]["nearest"] == ["loaf"]
    assert verdict.sentence.startswith("it holds none of the words that were looked for; loaf")


def test_a_note_that_is_found_by_a_near_word_is_told_so(reader: Reader) -> None:
    """No note holds "shops", so it was taken for "ships"."""
    verdict = judged(reader, "sea/Quay.md", asked("shops rye "))

    assert verdict.reason == "found"


def test_a_found_note_is_told_which_words_it_lacks(reader: Reader) -> None:
    """Being found by one word says nothing about the others."""
    verdict = judged(reader, "sea/Quay.md", asked("rye loaf "))

    assert verdict.reason == "found"
    assert {one["word"]: bool(one["columns"]) for one in verdict.details["words"]} == {
        "rye": False,
        "loaf": True,
    }


def test_filters_alone_make_a_list_by_date(reader: Reader) -> None:
    """A note in a list that only filters make has its place in it."""
    verdict = judged(reader, "Bread.md", asked("tag:food"))

    assert (verdict.reason, verdict.details["rank"], verdict.details["total"]) == ("found", 1, 1)


def test_an_empty_question_finds_nothing(reader: Reader) -> None:
    """A query without word and filter is no fault of the note."""
    assert judged(reader, "Bread.md", asked("  ")).reason == "nothing_asked"


def test_stop_words_that_do_not_rank_are_told() -> None:
    """The query as understood names the words that were left out."""
    told = account.understood(parse_query("the loaf of the day "))

    assert told["stop_words_dropped"] == ["the", "of"]
    assert told["words"] == [["the"], ["loaf"], ["of"], ["the"], ["day"]]


@pytest.mark.parametrize("weights", [None, {}])
def test_the_configured_constant_of_the_fusion_counts_with_links_too(
    reader: Reader, weights: Mapping[str, float] | None
) -> None:
    """Every share of every list is made with it, also where links follow a name."""
    found = engine.search(reader, asked("bread", explain=True, rrf_k=7, relation_weights=weights))
    lists = [one for hit in found.hits for one in hit["explain"]["lists"]]

    assert lists
    assert all(one["share"] == one["weight"] * one["evidence"] / (7 + one["rank"]) for one in lists)


class Costing(Meter):
    """A meter by which each look costs a hundredth of a second."""

    def __init__(self, cpu_s: float) -> None:
        self.looks = 0
        super().__init__(Budget(cpu_s), clock=self._now)

    def _now(self) -> float:
        self.looks += 1
        return self.looks / 100


def test_a_page_over_its_budget_ends_and_says_so(reader: Reader) -> None:
    """Its hits are the first ones of the whole page, and there are more."""
    whole = engine.search(reader, asked("common", limit=100))
    cut = engine.search(Reader(reader._db, meter=Costing(0.3)), asked("common", limit=100, explain=True))

    assert 0 < len(cut.hits) < len(whole.hits) == 100
    assert [hit["path"] for hit in cut.hits] == [hit["path"] for hit in whole.hits[: len(cut.hits)]]
    assert (cut.cut, cut.costly, cut.total_is_exact) == (True, True, False)
    assert (whole.cut, whole.costly) == (False, False)


def test_a_list_over_its_budget_ends_and_says_so(reader: Reader) -> None:
    """A list by date likewise."""
    cut = engine.feed(Reader(reader._db, meter=Costing(0.3)), asked("common", limit=100), "-modified")

    assert 0 < len(cut.hits) < 100
    assert (cut.cut, cut.costly) == (True, True)


def test_nothing_found_by_the_end_of_the_budget_is_an_answer(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No text is an error, however much it costs."""

    def endless(*_: object) -> None:
        raise OverBudget

    monkeypatch.setattr(engine, "conditions", endless)
    found = engine.search(reader, asked("common"))

    assert (found.hits, found.cut, found.total_is_exact) == ([], True, False)


def test_the_words_answer_when_their_finer_lists_cost_too_much(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What any word has found is the order then."""

    def endless(*_: object) -> None:
        raise OverBudget

    monkeypatch.setattr(lexical, "quoted", endless)
    found = engine.search(reader, asked("flat loaf of rye"))

    assert found.hits[0]["path"] == "Bread.md"
