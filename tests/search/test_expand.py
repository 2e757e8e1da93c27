"""Links after the fusion: the gate, what may move and what may not, filters, weights, accounts."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec import structs

from notesd.index import notes
from notesd.index.store import Reader
from notesd.parse.characters import word_count
from notesd.rank.spread import SMOOTHED_FROM
from notesd.search import engine, why
from notesd.search.conditions import Asked
from notesd.search.query import parse_query

PASSAGE = " ".join(f"word{number}" for number in range(45))

NOTES = {
    # Called by its name: it links to two notes, one links to it.
    "Harbour.md": "---\naliases: [Port]\n---\nShips rest here.\n\nsee [[Crane]]\n\n- depends_on [[Quay]]\n",
    "Crane.md": "---\ntags: [steel]\n---\nIt lifts.\n",
    "Quay.md": "A wall of stone.\n",
    "Diary.md": "Went to the [[Harbour]].\n",
    # Held by many words: one note that fits, one that it cites, one that cites it.
    "Passage.md": f"{PASSAGE}\n\n[[Cited]]\n",
    "Cited.md": "Nothing of the kind.\n",
    "Citing.md": "About [[Passage]].\n",
    # Ordinary questions: kiln is in three notes, one of them linked with the best.
    "oven/best.md": "kiln kiln kiln of bricks\n\n[[linked]]\n\n![[shown]]\n",
    "oven/linked.md": f"One kiln among many things. {'Filler of another kind. ' * 12}\n",
    "oven/alone.md": f"One kiln among many things. {'Filler of another kind. ' * 11}\n",
    "oven/shown.md": "Clay.\n",
    **{f"hub/h{number:03}.md": "leaf [[hub]]\n" for number in range(60)},
    "hub/hub.md": "centre\n",
}


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """An index of a small linked folder."""
    return indexed(NOTES)


def asked(text: str, **more: object) -> Asked:
    return structs.replace(Asked(parse_query(text), 100, relation_weights={}), **more)


def answer(reader: Reader, text: str, **more: object) -> dict[str, dict[str, Any]]:
    """Hits by path, in their order."""
    return {hit["path"]: hit for hit in engine.search(reader, asked(text, **more)).hits}


def gate(reader: Reader, text: str) -> dict[str, Any]:
    told = engine.search(reader, asked(text, explain=True)).explain
    assert told is not None
    links: dict[str, Any] = told["links"]
    return links


@pytest.mark.parametrize("name", ["harbour", "HÁRBOUR", "port"])
def test_a_name_brings_what_its_note_links_to(reader: Reader, name: str) -> None:
    """The note asked for by title or alias stays on top, then what it links to, and not what links to it."""
    hits = answer(reader, name)

    assert list(hits)[:1] == ["Harbour.md"]
    assert set(hits) - {"Diary.md"} == {"Harbour.md", "Crane.md", "Quay.md"}
    assert hits["Crane.md"]["channels"] == {"graph": {"rank": 1, "via": ["Harbour.md"]}}
    assert "graph" not in hits["Harbour.md"]["channels"]
    assert "graph" not in hits.get("Diary.md", {"channels": {}})["channels"]
    assert hits["Harbour.md"]["channels"].get("lexical", {}).get("rank") == 1
    assert gate(reader, name) == {"gate": "name", "seeds": ["Harbour.md"], "neighbours": 2}


def test_a_passage_brings_what_its_note_is_linked_with(reader: Reader) -> None:
    """The first hit for a long text stays on top; what it links to counts before what links to it."""
    hits = answer(reader, PASSAGE)

    assert list(hits) == ["Passage.md", "Cited.md", "Citing.md"]
    assert [hits[path]["channels"]["graph"] for path in ("Cited.md", "Citing.md")] == [
        {"rank": 1, "via": ["Passage.md"]},
        {"rank": 2, "via": ["Passage.md"]},
    ]
    assert gate(reader, PASSAGE)["gate"] == "passage"


def test_a_question_is_only_smoothed(reader: Reader) -> None:
    """A note that is linked with the best hit passes one that is as good by its words, never the best."""
    plain = answer(reader, "bricks from a kiln", relation_weights=None)
    hits = answer(reader, "bricks from a kiln")

    assert list(plain) == ["oven/best.md", "oven/alone.md", "oven/linked.md"]
    assert [path for path in hits if path in plain] == ["oven/best.md", "oven/linked.md", "oven/alone.md"]
    assert hits["oven/shown.md"]["channels"] == {"graph": {"rank": 2, "via": ["oven/best.md"]}}
    assert hits["oven/linked.md"]["channels"]["graph"]["via"] == ["oven/best.md"]
    assert hits["oven/alone.md"] == plain["oven/alone.md"]
    assert gate(reader, "bricks from a kiln")["gate"] == "closed"


def test_notes_that_quote_the_question_keep_their_place(reader: Reader) -> None:
    """Links move nothing past a note that holds the whole question word by word."""
    text = "One kiln among many things. Filler of another kind."
    plain = list(answer(reader, text, relation_weights=None))

    hits = answer(reader, text)

    assert list(hits)[:2] == plain[:2] == ["oven/alone.md", "oven/linked.md"]
    assert "graph" not in hits["oven/linked.md"]["channels"]


@pytest.mark.parametrize(
    ("text", "more", "left"),
    [
        pytest.param("harbour", {"tags": ("steel",)}, {"Crane.md"}, id="not even a seed"),
        pytest.param("bricks from a kiln", {"folder": "kiln"}, set(NOTES), id="folder"),
        pytest.param("bricks from a kiln path:best", {}, {"oven/best.md"}, id="path"),
        pytest.param("bricks from a kiln -clay", {}, set(NOTES) - {"oven/shown.md"}, id="excluded word"),
        pytest.param(PASSAGE, {"relations": ("depends on",)}, {"Harbour.md"}, id="relation"),
    ],
)
def test_filters_hold_for_neighbours(reader: Reader, text: str, more: dict[str, Any], left: set[str]) -> None:
    """No link leads to a note that the question leaves out."""
    assert set(answer(reader, text, **more)) <= left


def test_relations_can_be_weighted(reader: Reader) -> None:
    """A heavier relation comes first, one of weight 0 leads nowhere; embeds have a weight of their own."""
    heavy = answer(reader, "harbour", relation_weights={"depends on": 2.0})
    none = answer(reader, "harbour", relation_weights={"depends on": 0.0})
    shown = answer(reader, "bricks from a kiln", relation_weights={"embed": 0.0})

    assert heavy["Quay.md"]["channels"]["graph"]["rank"] == 1
    assert "Quay.md" not in none
    assert "Crane.md" in none
    assert "oven/shown.md" not in shown
    assert "oven/linked.md" in shown


def test_only_links_of_a_wanted_relation_are_followed(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """``rel:`` says which notes may answer, and by which links they may be reached."""
    reader = indexed(
        {
            "Mast.md": "- needs [[Sail]]\n\nsee [[Flag]]\n",
            "Sail.md": "- Needs [[Rope]]\n",
            "Flag.md": "- needs [[Rope]]\n",
            "Rope.md": "Hemp.\n",
        }
    )

    assert set(answer(reader, "mast")) == {"Mast.md", "Sail.md", "Flag.md"}
    assert list(answer(reader, "mast", relations=("needs",))) == ["Mast.md", "Sail.md"]
    assert list(answer(reader, "mast", relations=("NEEDS",))) == ["Mast.md", "Sail.md"]


@pytest.mark.parametrize("text", ["harbour", PASSAGE, "bricks from a kiln", "leaf"])
def test_a_score_with_links_is_the_sum_of_its_account(reader: Reader, text: str) -> None:
    """Scores fall from hit to hit, add up to what explain says, and explaining changes nothing."""
    hits = engine.search(reader, asked(text, explain=True)).hits

    for hit in hits:
        assert hit["score"] == math.fsum(one["share"] for one in hit["explain"]["lists"])
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert [hit["path"] for hit in hits] == list(answer(reader, text))


def test_pages_are_parts_of_one_list(reader: Reader) -> None:
    """What links bring stands on exactly one page."""
    whole = list(answer(reader, "leaf"))
    pages = [list(answer(reader, "leaf", limit=7, offset=offset)) for offset in range(0, len(whole), 7)]

    assert [path for page in pages for path in page] == whole
    assert len(set(whole)) == len(whole) == 61


def test_a_hub_is_reached_from_the_first_hits_alone(reader: Reader) -> None:
    """A note that all hits link to names the first of them, and a few places down says as little."""
    place = answer(reader, "leaf")["hub/hub.md"]["channels"]["graph"]

    assert sorted(place["via"]) == [f"hub/h{number:03}.md" for number in range(SMOOTHED_FROM)]


def test_why_knows_what_links_have_brought(reader: Reader) -> None:
    """A note that is there by its links alone is found, at the place it has."""
    note = notes.by_path(reader, "Cited.md")
    assert note is not None

    verdict = why.judge(reader, asked(PASSAGE), note)

    assert (verdict.reason, verdict.details["rank"]) == ("found", 2)
    assert [one["list"] for one in verdict.details["lists"]] == ["graph"]


def test_without_links_nothing_changes(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """In a folder without links the order, the scores and the channels stay as they are."""
    bare = indexed({f"n{number}.md": f"plain text {'more ' * number}\n" for number in range(20)})

    for text in ("more of the text", "n3", " ".join(["plain", *PASSAGE.split()])):
        order = [hit["path"] for hit in engine.search(bare, asked(text)).hits]
        plain = engine.search(bare, asked(text, relation_weights=None)).hits
        assert order == [hit["path"] for hit in plain]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("ships, and the sea's", 5),
        ("港町", 1),
        ("ひらがなとカタカナ", 4.5),
        ("2 港", 1.5),
        ("한국어 문장", 2),
        ("สวัสดี ชาว", 4.5),
    ],
)
def test_words_of_a_question(text: str, words: float) -> None:
    """Two characters of Chinese or Japanese writing count as one word."""
    assert word_count(text) == words


TOLD = " ".join(f"told{number}" for number in range(45))


@pytest.fixture(scope="module")
def certain(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """More notes of one name than links are followed from, and two that hold one long passage."""
    return indexed(
        {
            **{f"{folder}/Index.md": "[[Apple]] and [[Pear]]\n" for folder in "abcde"},
            "Apple.md": "A fruit.\n",
            "Pear.md": "Another one.\n",
            "first.md": f"{TOLD}\n\n[[Plum]] [[second]]\n",
            "second.md": f"{TOLD}\n\nmore of it\n",
            "Plum.md": "A third one.\n",
        }
    )


def test_every_note_of_the_name_keeps_its_place(certain: Reader) -> None:
    """Links are followed from the first three, and lead to nothing before the last."""
    hits = answer(certain, "Index")
    assert list(hits)[:5] == [f"{folder}/Index.md" for folder in "abcde"]
    assert {"Apple.md", "Pear.md"} < set(hits)


def test_every_note_with_the_passage_keeps_its_place(certain: Reader) -> None:
    """The likeliest stays first though it links to the other, and what it links to comes after both."""
    plain = list(answer(certain, TOLD, relation_weights=None))
    hits = answer(certain, TOLD)
    assert list(hits)[:2] == plain[:2]
    assert list(hits)[2] == "Plum.md"
    assert "graph" not in hits[plain[1]]["channels"]
