"""A note that takes long to parse holds up nothing: not other changes, not questions, not the end."""

import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import fake_worker
import pytest

from notesd.errors import Busy
from notesd.files import pool
from notesd.files.ignore import Ignore
from notesd.files.place import Place
from notesd.index import links, notes
from notesd.index.store import Writer
from notesd.settings import Config, SpaceConfig
from notesd.space.condition import Freshness
from notesd.space.space import Space

WAIT_S = 60
LONG = "bread and butter [[other]]\n" * 4_000
"""Long enough to be parsed in a process of its own."""


class Vault:
    """A folder with a space that follows it; a note called ``slow`` takes until ``go``."""

    def __init__(self, home: Path) -> None:
        self.root = home / "notes"
        self.root.mkdir()
        self.save("other.md", "quick")
        self.space = Space(SpaceConfig("n", str(self.root)), str(home / "state"), Config())
        self.space.start()
        self.space.settled().result(WAIT_S)

    def save(self, name: str, text: str, *, tell: bool = False) -> None:
        (self.root / name).write_text(f"# {name}\n\n{text}\n")
        if tell:
            self.space.mark(name)

    def delete(self, name: str) -> None:
        (self.root / name).unlink()
        self.space.mark(name)

    def go(self) -> None:
        (self.root / ".go").touch()

    def paths(self) -> set[str]:
        with self.space.reading() as reader:
            return set(notes.known(reader))

    def fresh(self) -> Freshness:
        with self.space.reading() as reader:
            return self.space.freshness(reader)

    def until(self, *names: str) -> None:
        """Look until these are the notes there are, by plain questions."""
        pause = Future[Any]()
        for _ in range(WAIT_S * 100):
            if self.paths() == set(names):
                return
            with pytest.raises(TimeoutError):
                pause.result(0.01)
        raise AssertionError(self.paths())


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    """One with a quick note."""
    monkeypatch.setattr(pool, "COMMAND", (sys.executable, "-P", fake_worker.__file__))
    vault = Vault(tmp_path)
    yield vault
    vault.go()
    vault.space.stop()


def test_other_changes_are_taken_in_while_a_note_is_read(vault: Vault) -> None:
    """It is pending all the while; who waits for everything on disk waits for it, too."""
    assert vault.fresh().fresh
    vault.save("slow.md", LONG, tell=True)
    assert not vault.fresh().fresh
    everything = vault.space.settled()
    for number in range(3):
        vault.save(f"small{number}.md", "quick", tell=True)
        vault.until("other.md", *(f"small{at}.md" for at in range(number + 1)))
        assert not vault.fresh().fresh
        assert vault.fresh().pending["files"] > 0
    assert not everything.done()
    vault.go()
    everything.result(WAIT_S)

    assert "slow.md" in vault.paths()
    vault.space.settled().result(WAIT_S)
    assert vault.fresh().fresh


def test_a_note_that_changes_while_it_is_read_is_read_again(vault: Vault) -> None:
    """What was read of it before is not the last word, nor does it hide that it is old."""
    vault.save("slow.md", LONG, tell=True)
    vault.save("small.md", "quick", tell=True)
    vault.until("other.md", "small.md")
    vault.save("slow.md", "short now", tell=True)
    everything = vault.space.settled()
    vault.go()
    everything.result(WAIT_S)
    with vault.space.reading() as reader:
        assert reader.value("SELECT size FROM note WHERE path = 'slow.md'") < 100


def test_a_note_that_goes_while_it_is_read_is_gone(vault: Vault) -> None:
    """At once, and for good."""
    vault.save("slow.md", LONG, tell=True)
    vault.save("small.md", "quick", tell=True)
    vault.until("other.md", "small.md")
    (vault.root / "slow.md").rename(vault.root / "fast.md")
    vault.space.mark("slow.md")
    vault.space.mark("fast.md")
    vault.until("other.md", "small.md", "fast.md")
    vault.go()
    vault.space.settled().result(WAIT_S)

    assert vault.paths() == {"other.md", "small.md", "fast.md"}


def test_an_old_note_is_deleted_while_its_new_text_is_read(vault: Vault) -> None:
    """What was known of it does not answer until it has been parsed for nothing."""
    vault.save("slow.md", "short", tell=True)
    vault.go()
    vault.until("other.md", "slow.md")
    (vault.root / ".go").unlink()
    vault.save("slow.md", LONG, tell=True)
    vault.save("small.md", "quick", tell=True)
    vault.until("other.md", "slow.md", "small.md")
    vault.delete("slow.md")
    vault.until("other.md", "small.md")
    vault.space.settled().result(WAIT_S)
    assert vault.fresh().fresh


def test_an_index_that_is_built_beside_another_holds_it_before_it_answers(vault: Vault) -> None:
    """The one that answers meanwhile goes on following the folder."""
    vault.save("slow.md", LONG, tell=True)
    rescan = vault.space.rescan()
    vault.save("small.md", "quick", tell=True)
    vault.until("other.md", "small.md")
    assert not rescan.done()
    vault.go()

    rescan.result(WAIT_S)
    assert vault.paths() == {"other.md", "small.md", "slow.md"}


def test_a_space_ends_while_a_note_is_read(vault: Vault) -> None:
    """Who waited is told why nothing came of it; nothing is lost at the next start."""
    vault.save("slow.md", LONG, tell=True)
    everything, rescan = vault.space.settled(), vault.space.rescan()
    vault.save("small.md", "quick", tell=True)
    vault.until("other.md", "small.md")
    vault.space.stop()

    assert not vault.space._thread.is_alive()
    assert isinstance(everything.exception(1), Busy)
    assert isinstance(rescan.exception(1), Busy)


def test_a_space_ends_in_the_midst_of_a_statement(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it would take."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    began = Future[None]()

    def resolve_all(writer: Writer, _breathe: object = None) -> None:
        began.set_result(None)
        writer.value(endless)

    monkeypatch.setattr(links, "resolve_all", resolve_all)
    rescan = vault.space.rescan()
    began.result(WAIT_S)
    vault.space.stop()

    assert not vault.space._thread.is_alive()
    assert isinstance(rescan.exception(1), Busy)


def test_a_walk_breathes_after_each_folder(vault: Vault) -> None:
    """What is raised there ends it."""
    for name in "abc":
        (vault.root / name).mkdir()
    breaths: list[int] = []
    place = Place(str(vault.root), Ignore())
    place.breathe = lambda: breaths.append(1)
    place.walk()

    assert len(breaths) == 4
