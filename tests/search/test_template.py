"""Notes of one template: what they share because of it makes nobody related."""

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from notesd.index import notes
from notesd.index.store import Reader
from notesd.search.related import Wish, related
from notesd.search.template import HOLDERS, MOST_BYTES, MOST_SHARE, template_of

Build = Callable[[Mapping[str, str]], Reader]
DAYS = HOLDERS + 4
HEADINGS = "## Highlights\n\n{}\n\n## What fell short\n\n## Lesson of the day\n"
LABELS = "Highlights: {}\nWhat fell short: nothing\nLesson of the day:\n"
EVIDENCE = (0.0, 2.0)


class _Near:
    def __init__(self, note: str, score: float, position: int) -> None:
        self.note, self.score, self.cosine, self.position = note, score, score, position


class Vectors:
    """What notes mean, in as many dimensions as a test likes."""

    def __init__(self, reader: Reader, at: Mapping[str, Sequence[float]]) -> None:
        known = {path: notes.by_path(reader, path) for path in at}
        self._at = {one.key: _unit(at[path]) for path, one in known.items() if one}

    def passages_of(self, key: str, most: int) -> list[tuple[int, bytes]]:
        return [(0, array("f", self._at[key]).tobytes())] if key in self._at and most else []

    def nearest(self, query: bytes, k: int) -> list[Any]:
        asked = _unit(array("f", query))
        scores = [(sum(a * b for a, b in zip(asked, one, strict=True)), key) for key, one in self._at.items()]
        return [_Near(key, score, 0) for score, key in sorted(scores, reverse=True)[:k]]

    def lines(self, near: Sequence[Any]) -> list[int]:
        return [1 for _ in near]


def _unit(numbers: Sequence[float]) -> list[float]:
    return [number / math.hypot(*numbers) for number in numbers]


def journal(form: str, sentence: str = "Fell into deep powder snow") -> dict[str, str]:
    """Days of one form, the first of which says something, notes on two subjects, and some on nothing."""
    days = {f"day/{n:02}.md": form.format(f"Thing number {'x' * n}") for n in range(DAYS)}
    rest = {f"rest/{n:02}.md": f"{'y' * n} something of its own" for n in range(DAYS)}
    return {
        **days,
        **rest,
        "day/00.md": form.format(sentence),
        "topic/Skiing.md": "Weight on the downhill ski",
    }


def meant(template: float = 3.0) -> dict[str, Sequence[float]]:
    """The form is most of what days mean; the first one is about skiing besides."""
    days = {f"day/{n:02}.md": (template, 0.2, 0.1 * math.sin(n), 0.1 * math.cos(n)) for n in range(1, DAYS)}
    rest = {f"rest/{n:02}.md": (0.2, 0.0, math.sin(n), math.cos(n)) for n in range(DAYS)}
    return {**days, **rest, "day/00.md": (template, 1.5, 0.0, 0.0), "topic/Skiing.md": (1.0, 3.0, 0.0, 0.0)}


def hits(reader: Reader, path: str, vectors: Vectors) -> dict[str, dict[str, Any]]:
    known = notes.by_path(reader, path)
    assert known is not None
    return {hit["path"]: hit for hit in related(reader, known, Wish(100, vectors, EVIDENCE)).results}


@pytest.mark.parametrize("form", [HEADINGS, LABELS], ids=["headings", "labels"])
def test_a_note_on_the_subject_comes_before_notes_of_the_template(indexed: Build, form: str) -> None:
    """A day is related with what it is about, not with every other day; with headings or without."""
    reader = indexed(journal(form))
    found = hits(reader, "day/00.md", Vectors(reader, meant()))

    assert next(iter(found)) == "topic/Skiing.md"


def test_the_distance_is_that_of_the_notes_as_they_are(indexed: Build) -> None:
    """What was taken off to compare does not show in what is told."""
    reader = indexed(journal(HEADINGS))
    found = hits(reader, "day/00.md", Vectors(reader, meant()))
    day, topic = _unit(meant()["day/00.md"]), _unit(meant()["topic/Skiing.md"])
    whole = 1.0 - sum(a * b for a, b in zip(day, topic, strict=True))

    assert found["topic/Skiing.md"]["distance"] == pytest.approx(whole, abs=1e-6)
    assert found["topic/Skiing.md"]["reasons"][0]["distance"] == found["topic/Skiing.md"]["distance"]


def test_notes_that_share_a_heading_and_a_subject_stay_together(indexed: Build) -> None:
    """Recipes share headings that are little of their text: other recipes come before what is no food."""
    food = {
        f"recipe/{n:02}.md": f"## Ingredients\n\n{'flour ' * 30}{n}\n\n## Method\n\n{'stir ' * 30}{n}\n"
        for n in range(DAYS)
    }
    rest = {f"rest/{n:02}.md": f"{n} something else" for n in range(DAYS)}
    reader = indexed({**food, **rest})
    at = {path: (3.0, 0.3 * math.sin(n), 0.3 * math.cos(n)) for n, path in enumerate(food)}
    away = {path: (0.5, math.sin(n), math.cos(n)) for n, path in enumerate(rest)}
    found = list(hits(reader, "recipe/00.md", Vectors(reader, {**at, **away})))

    assert set(found[: DAYS - 2]) <= food.keys()


def test_a_form_that_nobody_filled_in_is_near_to_nothing(indexed: Build) -> None:
    """Empty days are equal: none is nearer than another, and comparing them is no fault."""
    reader = indexed({f"day/{n:02}.md": HEADINGS.format("") for n in range(DAYS)})
    vectors = Vectors(reader, {f"day/{n:02}.md": (1.0, 2.0) for n in range(DAYS)})

    assert hits(reader, "day/00.md", vectors) == {}


def template(reader: Reader, path: str) -> tuple[float, int] | None:
    known = {row[0]: row[1] for row in reader.rows("SELECT path, key FROM note ORDER BY path")}
    found = template_of(reader, known[path], [key for other, key in known.items() if other != path])
    return (found.share, len(found.mates)) if found else None


def test_the_share_is_that_of_the_lines_that_many_hold(indexed: Build) -> None:
    """The more a note says of its own, the less its template counts."""
    words = {"day/00.md": "short", "day/01.md": "much longer than that, and then some more of it " * 5}
    days = {f"day/{n:02}.md": HEADINGS.format(words.get(f"day/{n:02}.md", f"{n}")) for n in range(DAYS)}
    reader = indexed(days)
    short, long = template(reader, "day/00.md"), template(reader, "day/01.md")

    assert short
    assert long
    assert long[0] < 0.2
    assert 0.8 < short[0] <= MOST_SHARE
    assert short[1] == long[1] == DAYS - 1


def test_too_few_notes_are_no_template(indexed: Build) -> None:
    """What fewer than ten others hold is what the note says."""
    reader = indexed({f"day/{n:02}.md": HEADINGS.format(n) for n in range(HOLDERS)})
    more = indexed({f"day/{n:02}.md": HEADINGS.format(n) for n in range(HOLDERS + 1)})

    assert template(reader, "day/00.md") is None
    assert template(more, "day/00.md") is not None


def test_a_note_that_lacks_most_of_the_lines_is_no_mate(indexed: Build) -> None:
    """One heading that happens to be the same does not make a day of a note; a day may lack one, though."""
    days = {f"day/{n:02}.md": HEADINGS.format(n) for n in range(DAYS)}
    reader = indexed(
        {**days, "Other.md": "## Highlights\n\nof a match", "Two.md": "## Highlights\n\n## Lesson of the day"}
    )
    found = template(reader, "day/00.md")

    assert found
    assert found[1] == DAYS - 1 + 1


def test_a_long_note_has_no_template(indexed: Build) -> None:
    """Nobody waits for a hundred books to be compared line by line."""
    days = {f"day/{n:02}.md": HEADINGS.format(n) for n in range(DAYS)}
    reader = indexed({**days, "day/00.md": HEADINGS.format("word " * MOST_BYTES)})

    assert template(reader, "day/00.md") is None
