"""The semantic channel: what it offers by itself, and what it says of notes that the words have found."""

from collections.abc import Callable, Collection, Mapping, Sequence

import pytest

from notesd.index import notes
from notesd.index.store import Reader
from notesd.search.matrix import Near
from notesd.search.query import parse_query
from notesd.search.semantic import Question


class Vectors:
    """Cosines of some notes, by key."""

    whole = True

    def __init__(self, cosines: Mapping[str, float]) -> None:
        self.cosines = cosines
        self.lifts: Mapping[str, float] = {}

    def nearest(self, _query: bytes, k: int, allowed: Collection[str] | None = None) -> Sequence[Near]:
        best = sorted(self.cosines.items(), key=lambda one: -one[1])
        return [
            Near(key, c, 0, c, self.lifts.get(key, 0.0))
            for key, c in best
            if allowed is None or key in allowed
        ][:k]

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
