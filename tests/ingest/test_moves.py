"""A note that is moved, renamed or away for a while stays the same note."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from notesd.files.ignore import Ignore
from notesd.index import notes
from notesd.ingest.follow import Follower
from notesd.settings import Config


class Vault:
    """A folder and the index that follows it."""

    def __init__(self, home: Path) -> None:
        self.root, self.home = home / "notes", home
        self.root.mkdir()
        (self.root / "other.md").write_text("something else\n")
        self.follower = self.opened()

    def opened(self) -> Follower:
        follower = Follower(str(self.root), str(self.home / "state"), Ignore(()), Config())
        follower.open()
        follower.scan()
        return follower

    def note(self, path: str) -> notes.StoredNote:
        """The note at a path, which has to be there."""
        assert self.follower.store is not None
        found = notes.by_path(self.follower.store.peek(), path)
        assert found is not None
        return found

    def paths(self) -> list[str]:
        assert self.follower.store is not None
        return sorted(notes.known(self.follower.store.peek()))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A folder with one note to move about."""
    vault = Vault(tmp_path)
    (vault.root / "a.md").write_text("# The note\n\nThat goes places, see [[other]].\n")
    vault.follower.scan()
    return vault


def rename(root: Path) -> str:
    os.rename(root / "a.md", root / "b.md")
    return "b.md"


def move_folder(root: Path) -> str:
    (root / "deep" / "er").mkdir(parents=True)
    os.rename(root / "a.md", root / "deep" / "er" / "a.md")
    os.rename(root / "deep", root / "up")
    return "up/er/a.md"


def copy_and_delete(root: Path) -> str:
    (root / "copy.md").write_bytes((root / "a.md").read_bytes())
    (root / "a.md").unlink()
    return "copy.md"


def move_and_edit(root: Path) -> str:
    (root / "sub").mkdir()
    os.rename(root / "a.md", root / "sub" / "a.md")
    with (root / "sub" / "a.md").open("a") as file:
        file.write("and more\n")
    return "sub/a.md"


@pytest.mark.parametrize("act", [rename, move_folder, copy_and_delete, move_and_edit])
def test_moved_note_is_the_same_note(vault: Vault, act: Callable[[Path], str]) -> None:
    """Row and key stay, the old path is gone, in one transaction."""
    before = vault.note("a.md")
    assert vault.follower.store is not None
    generation = vault.follower.store.peek().generation
    path = act(vault.root)
    vault.follower.scan()

    after = vault.note(path)
    assert (after.id, after.key) == (before.id, before.key)
    assert vault.paths() == sorted(["other.md", path])
    assert vault.follower.store.peek().generation == generation + 1


def test_another_note_in_a_freed_inode_is_another_note(vault: Vault) -> None:
    """A new file that happens to get the number of a removed one inherits nothing."""
    before = vault.note("a.md")
    (vault.root / "a.md").unlink()
    (vault.root / "new.md").write_text("quite another text\n")
    vault.follower.scan()

    assert vault.note("new.md").key != before.key


def test_front_matter_id_outlives_everything(vault: Vault) -> None:
    """A note with an id of its own is known by it, rewritten and renamed at once."""
    (vault.root / "a.md").write_text("---\nid: k7\n---\nold text\n")
    vault.follower.scan()
    before = vault.note("a.md")
    (vault.root / "a.md").unlink()
    (vault.root / "z.md").write_text("---\nid: k7\n---\nnew text altogether\n")
    vault.follower.scan()

    assert vault.note("z.md").key == before.key


@pytest.mark.parametrize("comes_back_as", ["a.md", "elsewhere.md"])
def test_note_that_was_away_is_the_same_note(vault: Vault, tmp_path: Path, comes_back_as: str) -> None:
    """Moved out and back in, between two looks, under any name: the key is the old one."""
    before = vault.note("a.md")
    shutil.move(vault.root / "a.md", tmp_path / "out.md")
    vault.follower.scan()
    shutil.move(tmp_path / "out.md", vault.root / comes_back_as)
    vault.follower.scan()

    assert vault.note(comes_back_as).key == before.key


def test_rebuild_keeps_the_keys(vault: Vault) -> None:
    """A rescan, and a move while nobody looked, cost no note its key."""
    before = {path: vault.note(path).key for path in ("a.md", "other.md")}
    vault.follower.scan(anew=True)
    assert {path: vault.note(path).key for path in before} == before

    vault.follower.close()
    os.rename(vault.root / "a.md", vault.root / "moved.md")
    vault.follower = vault.opened()
    vault.follower.scan(anew=True)

    assert vault.note("moved.md").key == before["a.md"]


def test_two_notes_with_one_id_have_two_keys(vault: Vault) -> None:
    """A copied id is not a shared identity."""
    for name in ("x.md", "y.md"):
        (vault.root / name).write_text(f"---\nid: same\n---\n{name}\n")
    vault.follower.scan()

    assert vault.note("x.md").key != vault.note("y.md").key


def test_a_note_renamed_over_another_is_not_there_twice(vault: Vault) -> None:
    """The other one takes over its text; its own path is gone at once."""
    before = vault.note("other.md")
    os.replace(vault.root / "a.md", vault.root / "other.md")
    vault.follower.look_at({"a.md", "other.md"})

    assert vault.paths() == ["other.md"]
    assert (vault.note("other.md").title, vault.note("other.md").key) == ("The note", before.key)
