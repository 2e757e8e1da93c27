"""What is shown of a note that was found."""

from collections.abc import Callable, Mapping

import pytest

from notesd.index.store import Reader
from notesd.search import engine
from notesd.search.conditions import Asked
from notesd.search.query import parse_query

SPANISH = "El perro que vive en la casa de los vecinos no come nada por la noche, pero duerme mucho."
ENGLISH = "The dog that lives in the house of the neighbours does not eat at night, and it sleeps a lot."
FORMS = {f"es{at}.md": f"# Uno {at}\n\n{SPANISH}\n" for at in range(4)} | {
    f"en{at}.md": f"# One {at}\n\n{ENGLISH}\n" for at in range(4)
}
QUOTING = "\n\n".join(["# Walks", " ".join([SPANISH] * 3), "They are walking.", *[ENGLISH] * 20])
"""A note that begins in another language than it is written in."""


def test_words_are_marked_in_the_language_that_the_index_has_of_the_note(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """A form that found the note is marked in it, whatever its first lines are written in."""
    reader = indexed({**FORMS, "walks.md": QUOTING})
    hits = engine.search(reader, Asked(parse_query("walked "), 10)).hits

    assert [hit["path"] for hit in hits] == ["walks.md"]
    assert "<mark>walking</mark>" in hits[0]["snippet"]


@pytest.mark.parametrize("depth", [10, 100])
def test_notes_with_either_of_two_words_are_counted_from_what_is_known(
    indexed: Callable[[Mapping[str, str]], Reader], monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    """How many hold each, and how many hold both, tells how many hold any; none is looked for again."""
    fruit = {at: ("plum " * (at % 2 == 0) + "quince " * (at % 3 == 0)).strip() for at in range(240)}
    reader = indexed({f"{at}.md": f"# Crate {at}\n\n{text or 'empty'}\n" for at, text in fruit.items()})
    monkeypatch.setattr("notesd.index.fulltext.count_to", None)
    found = engine.search(reader, Asked(parse_query("plum quince "), depth))

    assert (found.total, found.total_is_exact) == (sum(map(bool, fruit.values())), True)
