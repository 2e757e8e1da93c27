"""What is shown of a note that was found."""

from collections.abc import Callable, Mapping

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
