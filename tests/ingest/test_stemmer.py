"""The stemmer suits the notes there are, not those there once were."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from notesd.files.ignore import Ignore
from notesd.files.reading import Job, Reading
from notesd.index import spoken
from notesd.ingest.follow import Follower
from notesd.search.conditions import Asked
from notesd.search.engine import search
from notesd.search.query import parse_query
from notesd.settings import Config

ENGLISH = "# Walk {}\n\nThis is what they would have done with the walking of the dogs.\n"
GERMAN = "# Weg {}\n\nDas ist nicht, was wir auch noch mit den Hunden machen wollten.\n"


class Ended(Exception):
    """The daemon was ended here."""


def ended() -> None:
    """End it."""
    raise Ended


class Vault:
    """A folder and the index of it."""

    def __init__(self, home: Path) -> None:
        self.root = home / "notes"
        self.root.mkdir()
        self.state = str(home / "state")
        self.begin()

    def begin(self) -> None:
        """Take up the index that is there."""
        self.follower = Follower(str(self.root), self.state, Ignore(()), Config())
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

    def hits(self, text: str) -> list[str]:
        """Return the notes that answer a query, sorted."""
        assert self.follower.store is not None
        with self.follower.store.read() as reader:
            return sorted(hit["path"] for hit in search(reader, Asked(parse_query(text), 10)).hits)

    def reads(self) -> list[str]:
        """Return the paths of the notes that are read from now on, as they are read."""
        assert self.follower.ingest is not None
        pool = self.follower.ingest.pool
        paths: list[str] = []
        read = pool.read

        def noted(jobs: Iterable[Job], **how: bool) -> Iterator[Reading]:
            jobs = list(jobs)
            paths.extend(job.path for job in jobs)
            return read(jobs, **how)

        pool.read = noted  # type: ignore[method-assign, assignment]  # an iterator is all that is needed
        return paths

    def index(self) -> str:
        assert self.follower.store is not None
        return self.follower.store.path


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Nothing yet."""
    return Vault(tmp_path)


def test_it_follows_the_notes_that_come(vault: Vault) -> None:
    """Who begins with an empty folder gets what a new index of the full one gets."""
    vault.write(GERMAN, range(3))
    assert vault.fact("stemmer") == "de"
    vault.write(ENGLISH, range(3, 9))
    assert vault.fact("stemmer") == "en,de"


def test_a_folder_in_which_no_language_can_be_told_is_taken_for_english(vault: Vault) -> None:
    """Notes of a few words hold no stop words."""
    vault.write("# {}\n\nMilk, bread\n", range(3))

    assert vault.fact("stemmer") == "en"


def test_it_follows_the_notes_that_go(vault: Vault) -> None:
    """As it would be for the rest alone."""
    vault.write(ENGLISH, range(6))
    vault.write(GERMAN, range(6, 9))
    for number in range(6):
        (vault.root / f"{number}.md").unlink()
        vault.follower.look_at({f"{number}.md"})

    assert vault.fact("stemmer") == "de"


def test_it_follows_notes_that_are_written_in_another_language(vault: Vault) -> None:
    """Their number stays as it is."""
    vault.write(ENGLISH, range(4))
    vault.write(GERMAN, range(3))

    assert vault.fact("stemmer") == "de,en"


def test_only_notes_whose_stems_may_be_others_are_read_again(vault: Vault) -> None:
    """Those whose own language stays one of the folder's are left as they are, and the index with them."""
    vault.write(ENGLISH, range(4))
    vault.write("# {}\n\ngesungen\n", range(4, 6))
    index, read = vault.index(), vault.reads()
    vault.write(GERMAN, range(7, 8))

    assert vault.fact("stemmer") == "en,de"
    assert sorted(set(read)) == ["4.md", "5.md", "7.md"]
    assert vault.index() == index
    assert vault.hits("singen ") == ["4.md", "5.md"]


def test_in_a_folder_of_two_languages_alike_a_note_more_in_either_changes_nothing(vault: Vault) -> None:
    """Notes that are written twice, once in each."""
    vault.write(ENGLISH, range(10))
    vault.write(GERMAN, range(10, 20))
    vault.write("# {}\n\ngesungen\n", range(20, 22))
    read = vault.reads()
    for number in range(22, 26):
        vault.write(GERMAN if number % 2 else ENGLISH, range(number, number + 1))

    assert read == ["22.md", "23.md", "24.md", "25.md"]


def test_what_was_not_read_again_before_the_daemon_ended_is_read_by_the_next(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No index stays between two sets of languages."""
    vault.write(ENGLISH, range(4))
    vault.write("# {}\n\ngesungen\n", range(4, 6))
    choose = spoken.choose

    def chosen_and_ended(*arguments: Any) -> Any:
        assert vault.follower.ingest is not None
        vault.follower.ingest.breathe = ended
        return choose(*arguments)

    monkeypatch.setattr(spoken, "choose", chosen_and_ended)
    with pytest.raises(Ended):
        vault.write(GERMAN, range(7, 8))
    assert vault.hits("singen ") == []
    vault.follower.close()
    vault.begin()

    assert vault.fact("stemmer") == "en,de"
    assert vault.hits("singen ") == ["4.md", "5.md"]
