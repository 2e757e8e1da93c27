"""The semantic channel: what it offers by itself, and what it says of notes that the words have found."""

from collections.abc import Callable, Collection, Mapping, Sequence

import pytest

from notesd.errors import Busy, StoreCorrupt, StoreError
from notesd.index import notes
from notesd.index.store import Reader
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.matrix import Near
from notesd.search.query import parse_query
from notesd.search.semantic import Question
from notesd.search.voices import Voice


class Vectors:
    """Cosines of some notes, by key."""

    broken: StoreError | Busy | None = None
    reported: StoreError | None = None
    generation = 0
    """Up to which all is known."""

    def __init__(self, cosines: Mapping[str, float]) -> None:
        self.cosines = cosines
        self.lifts: Mapping[str, float] = {}
        self.heard: Sequence[Voice] = ()
        self.by_headings = False

    def nearest(
        self, _query: bytes, k: int, allowed: Collection[str] | None = None, heard: Sequence[Voice] = (),
        *, by_headings: bool = False,
    ) -> Sequence[Near]:  # fmt: skip
        self.heard, self.by_headings = heard, by_headings
        if self.broken:
            raise self.broken
        best = sorted(self.cosines.items(), key=lambda one: -one[1])
        return [
            Near(key, c, 0, c, self.lifts.get(key, 0.0))
            for key, c in best
            if allowed is None or key in allowed
        ][:k]

    def knows(self, generation: int) -> bool:
        return generation <= self.generation

    def progress(self) -> str:
        return " (3 of 9)"

    def report(self, error: StoreError) -> None:
        self.reported = error

    def lines(self, near: Sequence[Near]) -> Sequence[int]:
        return [1] * len(near)


def test_notes_found_by_words_are_judged_too(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """They come behind those the channel offers, each once, each as sure as its cosine says."""
    reader = indexed({f"{name}.md": f"{name}\n" for name in "abcd"})
    rows = {name: note for name in "abcd" if (note := notes.by_path(reader, f"{name}.md"))}
    vectors = Vectors({rows["a"].key: 0.9, rows["b"].key: 0.88, rows["c"].key: 0.85, rows["d"].key: 0.8})
    ask = Question(lambda _: b"vector", (0.75, 0.2)).channel(vectors)

    (ranking,) = ask(reader, parse_query("x"), None, 2, dict.fromkeys((rows[name].id for name in "dac"), 0.5))
    (alone,) = ask(reader, parse_query("x"), None, 2, {})

    assert list(ranking.notes) == [rows[name].id for name in "abcd"]
    assert list(alone.notes) == [rows["a"].id, rows["b"].id]
    assert ranking.evidence is not None
    assert round(ranking.evidence[rows["d"].id], 6) == 0.25


def test_of_notes_in_another_language_meaning_speaks_for_the_words_too(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """As far as it is surer than they are; of notes in the language of the question it does not."""
    reader = indexed({f"{name}.md": f"{name}\n" for name in "abc"})
    rows = {name: note for name in "abc" if (note := notes.by_path(reader, f"{name}.md"))}
    vectors = Vectors({rows["a"].key: 0.9, rows["b"].key: 0.85, rows["c"].key: 0.8})
    vectors.lifts = {rows["b"].key: 0.03, rows["c"].key: 0.03}
    ask = Question(lambda _: b"vector", (0.75, 0.2)).channel(vectors)

    _, across = ask(reader, parse_query("x"), None, 3, {rows["b"].id: 0.1, rows["c"].id: 0.9})

    assert across.name == "across"
    assert dict(across.evidence or {}) == {rows["b"].id: pytest.approx(0.4)}
    assert list(across.notes) == [rows["b"].id]


def test_vectors_that_are_being_replaced_cost_meaning_alone(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """For that question; nothing is wrong with them."""
    reader, vectors = indexed({"a.md": "a"}), Vectors({})
    vectors.broken = Busy("the index is being replaced; try again")
    question = Question(lambda _: b"vector", (0.75, 0.2))

    assert question.channel(vectors)(reader, parse_query("x"), None, 2, {}) == []
    assert (question.outcome, vectors.reported) == ("unavailable", None)


def test_what_is_wrong_with_the_vectors_costs_meaning_alone(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """It is passed on to who mends them, and the question says why it goes without."""
    reader, vectors = indexed({"a.md": "a"}), Vectors({})
    vectors.broken = StoreCorrupt("vectors.db is damaged")
    question = Question(lambda _: b"vector", (0.75, 0.2))

    assert question.channel(vectors)(reader, parse_query("x"), None, 2, {}) == []
    assert (question.outcome, question.reason) == ("unavailable", "vectors.db is damaged")
    assert vectors.reported is vectors.broken


def test_vectors_of_before_a_change_say_so(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """What the index says now may not be what the vectors were made of."""
    reader, vectors = indexed({"a.md": "a"}), Vectors({})
    question = Question(lambda _: b"vector", (0.75, 0.2))
    question.channel(vectors)(reader, parse_query("x"), None, 2, {})
    assert question.outcome == "building"

    vectors.generation = reader.generation
    question = Question(lambda _: b"vector", (0.75, 0.2))
    question.channel(vectors)(reader, parse_query("x"), None, 2, {})
    assert question.outcome == "ok"


def test_a_note_without_its_vector_yet_stands_where_the_words_put_it(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """It is taken to be as near as the note that has that place by meaning; once all is known it is not."""
    texts = {f"{name}.md": name for name in "abcd"} | {"no.md": "---\nembed: false\n---\na"}
    reader = indexed(texts)
    rows = {path[:-3]: note for path in texts if (note := notes.by_path(reader, path))}
    vectors = Vectors({rows["a"].key: 0.92, rows["b"].key: 0.85})
    found = {
        rows[name].id: value for name, value in zip(("c", "no", "a", "d"), (0.9, 0.8, 0.7, 0.1), strict=True)
    }
    question = Question(lambda _: b"v", (0.75, 0.2))

    meant, awaited = question.channel(vectors)(reader, parse_query("x"), None, 9, found)

    sure = meant.evidence or {}
    assert (awaited.name, list(awaited.notes)) == ("awaited", [rows["c"].id, rows["d"].id])
    assert awaited.evidence == {rows["c"].id: sure[rows["a"].id], rows["d"].id: sure[rows["b"].id]}
    assert question.reason.endswith("(3 of 9)")
    vectors.generation = reader.generation
    assert (
        len(Question(lambda _: b"v", (0.75, 0.2)).channel(vectors)(reader, parse_query("x"), None, 9, found))
        == 1
    )


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("copia de seguridad", True),
        ("one two three four five six seven", True),
        ("one two three four five six seven eight", False),
        ("如何同步多个设备", True),
        ("如何在多个设备之间同步我的笔记和设置以及附件", False),
    ],
)
def test_a_short_question_is_compared_with_headings_too(
    indexed: Callable[[Mapping[str, str]], Reader], text: str, *, short: bool
) -> None:
    """A sentence is not."""
    vectors = Vectors({})

    Question(lambda _: b"v", (0.75, 0.2)).channel(vectors)(
        indexed({"a.md": "a"}), parse_query(text), None, 2, {}
    )

    assert vectors.by_headings is short


def test_equals_by_path_and_nobody_who_asks_not_to_be_embedded(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """Whatever vectors there may still be."""
    texts = {f"{name}.md": "alike" for name in "dbacef"}
    reader = indexed(
        {**texts, "private.md": "---\nprivate: true\n---\nalike", "no.md": "---\nembed: false\n---\na"}
    )
    known = {path: note for path in (*texts, "private.md", "no.md") if (note := notes.by_path(reader, path))}
    vectors = Vectors({note.key: 0.8 if path == "e.md" else 0.9 for path, note in known.items()})
    (ranking,) = Question(lambda _: b"v", (0.75, 0.2)).channel(vectors)(reader, parse_query("x"), None, 9, {})

    assert [str(notes.stored(reader, [note])[note].path) for note in ranking.notes] == [
        "a.md", "b.md", "c.md", "d.md", "f.md", "e.md",
    ]  # fmt: skip


def test_what_is_far_in_meaning_and_holds_no_word_is_told_from_an_answer(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """A note that holds a word is no guess, nor is one that is near."""
    reader = indexed({"word.md": "kiln\n", "near.md": "oven\n", "far.md": "boat\n"})
    rows = {name: note for name in ("word", "near", "far") if (note := notes.by_path(reader, f"{name}.md"))}
    vectors = Vectors({rows["word"].key: 0.8, rows["near"].key: 0.88, rows["far"].key: 0.82})

    for meaning_only, low in ((False, {"far.md"}), (True, {"far.md"})):
        channel = Question(lambda _: b"vector", (0.75, 0.2)).channel(vectors)
        asked = Asked(parse_query("kiln "), 10, meaning_only=meaning_only)
        hits = engine.search(reader, asked, slow=[channel]).hits

        assert {hit["path"] for hit in hits if hit.get("evidence") == "low"} == low
        assert len(hits) == 3
