"""Notes around a note: each signal alone, all together, and what must not cost or matter."""

import math
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from notesd.index import notes
from notesd.index.store import Reader
from notesd.rank.related import Companion, Together
from notesd.search.related import FEW, Wish, related, sentence

NOTES = {
    # Links: out with a relation, out by an embed, in, and one note in between.
    "Loaf.md": "---\ntags: [all, food/bread]\nneeds: '[[Starter]]'\n---\nrye\n\n![[Oven]]\n\nsee [[Shop]]\n",
    "Starter.md": "---\ntags: [all]\n---\nyeast\n",
    "Oven.md": "---\ntags: [all]\n---\nstone\n",
    "Diary.md": "---\ntags: [all]\n---\nbaked a [[Loaf]]\n",
    "Mill.md": "---\ntags: [all]\n---\ngrinds for the [[Shop]]\n",
    "Shop.md": "---\ntags: [all]\n---\nsells\n",
    # Tags: the same rare one, its parent's other child.
    "Rolls.md": "---\ntags: [all, food/bread]\n---\nsmall\n",
    "Soup.md": "---\ntags: [all, food/soup]\n---\nhot\n",
    # Nothing but the tag of everyone.
    "Alone.md": "---\ntags: [all]\n---\nnothing\n",
    "Empty.md": "---\ntags: [all]\n---\n",
    **{f"rest/n{number:02}.md": f"---\ntags: [all]\n---\nfiller {number}\n" for number in range(20)},
}


class Vectors:
    """Vectors on a circle: a note is where its angles are."""

    def __init__(self, reader: Reader, angles: Mapping[str, Sequence[float]]) -> None:
        self._at = {_key(reader, path): some for path, some in angles.items()}
        self.asked = 0

    def passages_of(self, key: str, most: int) -> list[tuple[int, bytes]]:
        return [(n, array("f", [a]).tobytes()) for n, a in enumerate(self._at.get(key, ())[:most])]

    def nearest(self, query: bytes, k: int) -> list[Any]:
        self.asked += 1
        (angle,) = array("f", query)
        best = [
            max(_Near(key, math.cos(angle - a) - 0.005 * math.log2(1 + n), n) for n, a in enumerate(some))
            for key, some in self._at.items()
        ]
        return sorted(best, key=lambda near: (-near.score, near.note))[:k]

    def lines(self, near: Sequence[Any]) -> list[int]:
        return [one.position + 4 for one in near]


class _Near:
    """A note and how near it is."""

    def __init__(self, note: str, score: float, position: int) -> None:
        self.note, self.score, self.position = note, score, position
        self.cosine = score + 0.005 * math.log2(1 + position)

    def __lt__(self, other: "_Near") -> bool:
        return self.score < other.score


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """An index of a small folder with every kind of tie."""
    return indexed(NOTES)


def _key(reader: Reader, path: str) -> str:
    known = notes.by_path(reader, path)
    assert known is not None
    return known.key


def around(reader: Reader, path: str, **wish: Any) -> dict[str, dict[str, Any]]:
    """Results by path, in their order."""
    known = notes.by_path(reader, path)
    assert known is not None
    return {hit["path"]: hit for hit in related(reader, known, Wish(**{"limit": 100, **wish})).results}


def reasons(reader: Reader, path: str, other: str, **wish: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = around(reader, path, **wish)[other]["reasons"]
    return found


def test_links_of_every_kind_are_told(reader: Reader) -> None:
    """Relation, embed, direction and line, as they stand in the file that has the link."""
    plain = {"by": "links", "relation": None, "kind": "link"}

    assert reasons(reader, "Loaf.md", "Starter.md") == [
        {**plain, "relation": "needs", "direction": "out", "line": 3}
    ]
    assert reasons(reader, "Loaf.md", "Oven.md") == [
        {**plain, "kind": "embed", "direction": "out", "line": 7}
    ]
    assert reasons(reader, "Loaf.md", "Diary.md") == [{**plain, "direction": "in", "line": 4}]


def test_a_plain_link_beside_a_relation_says_nothing_more(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """Of several links the same way those that say why are told, once each."""
    told = indexed({"A.md": "- needs [[B]]\n\n[[B]] and [[B]]\n\n- needs [[B]]\n", "B.md": "[[A]] [[A]]\n"})
    links = reasons(told, "A.md", "B.md")

    assert [(one["direction"], one["relation"], one["line"]) for one in links] == [
        ("out", "needs", 1), ("in", None, 1),
    ]  # fmt: skip


def test_notes_linked_with_the_same_notes_come_after_linked_ones(reader: Reader) -> None:
    """The mill supplies the shop that the loaf links to: a tie, and a weaker one than any link."""
    found = around(reader, "Loaf.md")

    assert found["Mill.md"]["reasons"] == [
        {"by": "links", "relation": None, "direction": "shared", "via": ["Shop.md"], "count": 1}
    ]
    assert found["Mill.md"]["sentence"] == "linked with the same: Shop"
    assert list(found).index("Mill.md") > max(
        list(found).index(path) for path in ("Starter.md", "Oven.md", "Diary.md", "Shop.md")
    )


def test_a_stronger_link_comes_first(reader: Reader) -> None:
    """A relation and an embed say more than a plain link; equals come by path."""
    found = [path for path in around(reader, "Loaf.md") if path in {"Oven.md", "Starter.md", "Diary.md"}]

    assert found == ["Oven.md", "Starter.md", "Diary.md"]


def test_a_rare_tag_counts_and_the_tag_of_everyone_does_not(reader: Reader) -> None:
    """Equal tags before a shared parent; what all notes have makes nobody related."""
    found = around(reader, "Rolls.md")

    assert list(found) == ["Loaf.md", "Soup.md"]
    assert found["Loaf.md"]["reasons"] == [{"by": "tags", "tags": ["food/bread"]}]
    assert found["Soup.md"]["sentence"] == "shares #food"


def test_a_note_without_ties_has_no_result(reader: Reader) -> None:
    """Nothing related is an answer."""
    assert around(reader, "Alone.md") == {}


@pytest.mark.parametrize("path", sorted(NOTES))
def test_the_note_itself_is_never_among_them(reader: Reader, path: str) -> None:
    """Whatever it links to, shares or means."""
    vectors = Vectors(reader, {other: [0.01 * n] for n, other in enumerate(NOTES)})

    assert path not in around(reader, path, vectors=vectors, together=used(reader, path))


def used(reader: Reader, *paths: str) -> Together:
    """Notes that were used together with any note."""
    companions = [Companion(_key(reader, path), 3, 1_700_000_000.0, 0.5) for path in paths]
    return lambda _: [*companions, Companion("gone", 9, 0.0, 1.0)]


def test_use_is_told_with_count_and_day(reader: Reader) -> None:
    """Notes of the record that are gone, and the note itself, are passed over."""
    found = around(reader, "Alone.md", together=used(reader, "Soup.md", "Alone.md"))

    assert list(found) == ["Soup.md"]
    (reason,) = found["Soup.md"]["reasons"]
    assert (reason["by"], reason["count"]) == ("use", 3)
    assert reason["last"].startswith("2023-11-1")
    assert found["Soup.md"]["sentence"].startswith("used together 3 times, last on 2023-11-1")


def test_meaning_takes_the_best_pair_of_passages(reader: Reader) -> None:
    """A later passage may be the near one, at a cost; the snippet stands where it is."""
    angles = {f"rest/n{n:02}.md": [1.0 + 0.1 * n] for n in range(20)}
    near = Vectors(reader, {**angles, "Alone.md": [0.0, 0.5], "Mill.md": [3.0, 0.5], "Shop.md": [0.3]})
    found = around(reader, "Alone.md", vectors=near, evidence=(0.0, 1.0))

    assert list(found)[:2] == ["Mill.md", "Shop.md"]
    assert found["Mill.md"]["reasons"] == [
        {"by": "meaning", "distance": pytest.approx(0.0, abs=1e-6), "line": 5}
    ]
    assert found["Mill.md"]["distance"] == pytest.approx(0.0, abs=1e-6)
    assert found["Shop.md"]["reasons"][0]["distance"] == pytest.approx(1 - math.cos(0.2))


def test_what_is_as_near_as_most_is_no_result(reader: Reader) -> None:
    """Where neighbours are many, half of a small folder is near to nothing in particular."""
    near = Vectors(reader, {path: [0.05 * n] for n, path in enumerate(NOTES)})

    assert FEW < len(around(reader, "Loaf.md", vectors=near)) < len(NOTES) - 5


def test_without_vectors_meaning_says_nothing(reader: Reader) -> None:
    """A note without any is not compared, and the answer knows it."""
    near = Vectors(reader, {"Mill.md": [0.0]})
    known = notes.by_path(reader, "Alone.md")
    assert known is not None

    assert related(reader, known, Wish(10, near)).results == []
    assert not related(reader, known, Wish(10, near)).has_vectors
    assert near.asked == 0


def test_signals_add_up(reader: Reader) -> None:
    """A note with several ties stands before those with one of them, with a reason for each."""
    vectors = Vectors(
        reader, {**{path: [2.0 + 0.01 * n] for n, path in enumerate(NOTES)}, "Loaf.md": [0], "Rolls.md": [0]}
    )
    found = around(reader, "Rolls.md", vectors=vectors, together=used(reader, "Loaf.md"))
    first = next(iter(found))

    assert first == "Loaf.md"
    assert {reason["by"] for reason in found[first]["reasons"]} == {"meaning", "tags", "use"}
    assert found[first]["sentence"].count(";") == 2


def test_a_result_is_a_hit(reader: Reader) -> None:
    """The fields of a search hit, so that whoever shows one can show the other."""
    (hit, *_) = around(reader, "Loaf.md").values()

    assert {"name", "entityType", "path", "score", "tags", "modified", "snippet", "line"} <= set(hit)
    assert hit["score"] > 0


def test_the_limit_takes_the_first(reader: Reader) -> None:
    """Fewer are the beginning of more."""
    everyone = list(around(reader, "Loaf.md"))

    for limit in (1, 2, 5):
        assert list(around(reader, "Loaf.md", limit=limit)) == everyone[:limit]


def test_a_sentence_names_some_and_counts_the_rest() -> None:
    """Long lists are cut, in words."""
    told = sentence(
        [
            {"by": "tags", "tags": ["a", "b", "c", "d", "e"]},
            {"by": "links", "relation": None, "direction": "shared", "via": ["x/A b.md", "C.md"], "count": 9},
            {"by": "links", "direction": "in", "kind": "embed", "relation": None, "line": 1},
            {"by": "links", "direction": "out", "kind": "link", "relation": "needs", "line": 1},
            {"by": "use", "count": 1, "last": None},
        ]
    )

    assert told == (
        "shares #a #b #c and 2 more; linked with the same: A b, C and 7 more; it embeds this note; "
        "links to it as needs; used together once"
    )


def test_hubs_answer_in_bounded_time(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """A note with thousands of links either way, or of tags, says little by each and costs no more."""
    leaves = {f"leaf/n{n:04}.md": "see [[Hub]] #common/leaf\n" for n in range(3_000)}
    out = "\n".join(f"- [[n{n:04}]]" for n in range(3_000))
    tags = " ".join(f"#t{n}/x" for n in range(3_000))
    hub = indexed({**leaves, "Hub.md": f"{out}\n\n{tags}\n", "Tagged.md": "#common\n", "Few.md": out[:4_000]})

    def took(path: str) -> float:
        began = time.process_time()
        around(hub, path)
        return time.process_time() - began

    # What else the machine does can only make one longer: the shortest of several says most.
    many, few = (min(took(path) for _ in range(3)) for path in ("Hub.md", "Few.md"))
    found = around(hub, "Hub.md")
    leaf = around(hub, "leaf/n0007.md")

    assert len(found) == 100
    assert list(found) == sorted(found)
    assert all(hit["score"] < 0.6 / 61 for hit in found.values())
    assert "Hub.md" in leaf
    assert around(hub, "Tagged.md") == {}
    assert many < 5 * few + 0.1


def test_names_in_any_script_and_harmful_ones(indexed: Callable[[Mapping[str, str]], Reader]) -> None:
    """Unicode names are as on disk; what could command a terminal is kept for the door to show."""
    odd = indexed({"雪国.md": "[[Борщ]] [[a\x1bb]]\n", "Борщ.md": "#суп\n", "a\x1bb.md": "#суп\n"})

    assert set(around(odd, "雪国.md")) == {"Борщ.md", "a\x1bb.md"}
    assert "雪国.md" in around(odd, "Борщ.md")
