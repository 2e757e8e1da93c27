"""Every word of a note is kept as a stem for ranking and as it is written."""

import pytest

from notesd.model import NotePath
from notesd.parse.columns import Columns, columns_of
from notesd.parse.note import parse_note


def columns(text: str, languages: tuple[str, ...] = ("en",), path: str = "Kilns/Firing.md") -> Columns:
    return columns_of(parse_note(text, NotePath(path)), languages)


def test_stems_rank_and_written_words_stand_beside_them() -> None:
    """Each written word once."""
    made = columns("# Firing\n\nThe kilns were loaded, the kilns were fired.\n")

    assert made.body.split().count("kiln") == 2
    assert made.written.words.split().count("kilns") == 1
    assert (made.written.names, made.written.folders, made.written.languages) == ("firing", "kilns", "en")


def test_without_languages_words_are_kept_as_they_are() -> None:
    """So does a folder whose stemmer is none."""
    assert "kilns" in columns("# A\n\nThe kilns\n", ()).body.split()


def test_a_note_is_cut_in_its_own_language_and_may_be_of_any_where_none_can_be_told() -> None:
    """A word alone tells none."""
    spanish = columns("# Cerámica\n\nLos hornos están en la casa.\n", ("en", "es"))
    unknown = columns("# Flores\n", ("en", "es"), "x.md")

    assert spanish.written.languages == "es"
    assert unknown.written.languages == "en es"
    assert {"flore", "flor"} <= set(f"{unknown.name} {unknown.forms}".split())


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Wi-Fi", "wifi"),
        ("on 9 April 2032", "day20320409"),
        ("parseHttpHeader", "header"),
        ("call 020 7946 0321", "02079460321"),
    ],
)
def test_other_ways_of_writing_stand_beside(text: str, word: str) -> None:
    """In a column of their own."""
    assert word in columns(f"# A\n\n{text}\n").forms.split()


def test_addresses_have_a_column() -> None:
    """Their words are kept apart from the text."""
    made = columns("# A\n\n[x](https://potters.example/celadon)\n")

    assert "celadon" in made.addresses.split()
    assert "celadon" not in made.body.split()


@pytest.mark.parametrize("sign", ["\0", '"', "\ue02b", "\n", "'", "\U0010ffff"])
def test_any_character_may_stand_in_a_note(sign: str) -> None:
    """None ends a word's column."""
    assert "glaze" in columns(f"# A\n\n{sign} glaze {sign}\n").body.split()
