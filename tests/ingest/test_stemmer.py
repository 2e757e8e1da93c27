"""The stemmer suits the notes there are, not those there once were."""

from pathlib import Path

import pytest

from notesd.files.ignore import Ignore
from notesd.ingest.follow import Follower
from notesd.settings import Config

ENGLISH = "# Walk {}\n\nThis is what they would have done with the walking of the dogs.\n"
GERMAN = "# Weg {}\n\nDas ist nicht, was wir auch noch mit den Hunden machen wollten.\n"


class Vault:
    """A folder and the index of it."""

    def __init__(self, home: Path) -> None:
        self.root = home / "notes"
        self.root.mkdir()
        self.follower = Follower(str(self.root), str(home / "state"), Ignore(()), Config())
        self.follower.open()
        self.follower.scan()

    def write(self, text: str, numbers: range) -> None:
        """Write some notes, one event each."""
        for number in numbers:
            (self.root / f"{number}.md").write_text(text.format(number), encoding="utf-8")
            self.follower.look_at({f"{number}.md"})

    def fact(self, name: str) -> object:
        assert self.follower.store is not None
        return self.follower.store.peek().meta(name)

    def index(self) -> str:
        assert self.follower.store is not None
        return self.follower.store.path


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Nothing yet."""
    return Vault(tmp_path)


def test_it_is_chosen_anew_when_the_notes_double(vault: Vault) -> None:
    """Who begins with an empty folder gets what a new index of the full one gets."""
    vault.write(GERMAN, range(3))
    assert vault.fact("stemmer") == "de"
    vault.write(ENGLISH, range(3, 9))
    assert vault.fact("stemmer") == "en,de"


def test_a_folder_in_which_no_language_can_be_told_is_taken_for_english(vault: Vault) -> None:
    """Notes of a few words hold no stop words."""
    vault.write("# {}\n\nMilk, bread\n", range(3))

    assert vault.fact("stemmer") == "en"


def test_where_it_still_suits_nothing_is_built(vault: Vault) -> None:
    """Nor is it asked again before there are twice as many."""
    vault.write(ENGLISH, range(4))
    index, chosen = vault.index(), vault.fact("chosen_from")
    vault.write(ENGLISH, range(4, 30))

    assert (vault.index(), chosen, vault.fact("chosen_from")) == (index, 4, 16)


def test_it_is_chosen_anew_when_half_are_gone(vault: Vault) -> None:
    """As it would be for the rest alone."""
    vault.write(ENGLISH, range(6))
    vault.write(GERMAN, range(6, 9))
    for number in range(6):
        (vault.root / f"{number}.md").unlink()
        vault.follower.look_at({f"{number}.md"})

    assert str(vault.fact("stemmer")).startswith("de")
