"""What the name of a file tells: its words, its extension and its kind."""

import pytest

from notesd.parse.filenames import extensions_of, kind_of, name_words, parted

PARTED = [
    ("plan.pdf", "plan", "pdf"),
    ("Plan.PDF", "Plan", "pdf"),
    ("coast.tar.gz", "coast.tar", "gz"),
    ("Makefile", "Makefile", ""),
    (".profile", ".profile", ""),
    ("minutes v1.2 final", "minutes v1.2 final", ""),
    ("ends with a dot.", "ends with a dot.", ""),
    ("a.notanextensionatall", "a.notanextensionatall", ""),
]


@pytest.mark.parametrize(("name", "stem", "extension"), PARTED)
def test_the_extension_is_what_follows_the_last_dot(name: str, stem: str, extension: str) -> None:
    """In small letters; a name with blanks behind its last dot has none, nor has one that begins with it."""
    assert parted(name) == (stem, extension)


def test_words_of_a_name_and_of_its_folders_stand_apart() -> None:
    """Dashes and underscores part words, accents go, and the extension is a word."""
    words = name_words("Fotos/Ägäis 2031/Segel_plan-2.PNG")

    assert words.name.split() == ["segel", "plan", "2", "png"]
    assert words.folders.split() == ["fotos", "agais", "2031"]


def test_a_day_in_a_name_is_a_word_of_its_own() -> None:
    """However the day is written, the same word stands for it."""
    for name in ("scan 2031-02-05.pdf", "scan 20310205.pdf", "5 Feb 2031 scan.pdf"):
        assert "day20310205" in name_words(name).forms.split()


@pytest.mark.parametrize(
    ("extension", "kind"), [("jpg", "image"), ("opus", "audio"), ("pdf", "document"), ("x", "file")]
)
def test_kinds(extension: str, kind: str) -> None:
    """The extension tells the kind, and a kind all its extensions."""
    assert kind_of(extension) == kind
    assert extension in extensions_of(kind) | extensions_of(extension)
