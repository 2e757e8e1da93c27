"""A day at the desk: an editor does all it can think of, and the index is what a new one would be."""

import os
import random
import shutil
from pathlib import Path

import pytest
from running import Running, running

pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]
SEEDS = int(os.environ.get("NOTESD_DAY_SEEDS", "2"))
NOTES = int(os.environ.get("NOTESD_DAY_NOTES", "150"))
STEPS = int(os.environ.get("NOTESD_DAY_STEPS", "250"))
WORDS = [
    "river", "stone", "garden", "window", "paper", "meeting", "budget", "project", "summer", "letter",
]  # fmt: skip


class Editor:
    """Does at random what people and their programs do to a folder."""

    def __init__(self, vault: Path, dice: random.Random) -> None:
        self.vault, self.dice, self.made = vault, dice, 0
        self.away = vault.with_name("away")
        for _ in range(NOTES):
            self.create()

    def text(self) -> str:
        self.made += 1
        links = " ".join(f"[[note {self.dice.randrange(NOTES)}]]" for _ in range(2))
        words = " ".join(self.dice.choices(WORDS, k=12))
        head = f"---\naliases: [alias {self.made}]\n---\n# Note {self.made}\n\n"
        return f"{head}{words} {links} #t{self.made % 9}\n"

    def notes(self) -> list[Path]:
        return sorted(self.vault.rglob("*.md"))

    def folders(self) -> list[Path]:
        return sorted(path for path in self.vault.rglob("*") if path.is_dir())

    def create(self) -> None:
        folder = self.vault / self.dice.choice(["", "daily", "people", "projects/alpha", "ref/deep/er"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"note {self.made}.md").write_text(self.text())

    def edit(self) -> None:
        self.dice.choice(self.notes()).write_text(self.text())

    def append(self) -> None:
        with self.dice.choice(self.notes()).open("a") as file:
            file.write(f"\nmore {self.dice.choice(WORDS)}\n")

    def save_atomically(self) -> None:
        note = self.dice.choice(self.notes())
        draft = note.with_name(f".{note.name}.tmp")
        draft.write_text(self.text())
        draft.replace(note)

    def save_with_backup(self) -> None:
        note = self.dice.choice(self.notes())
        backup = note.with_name(f"{note.name}~")
        note.rename(backup)
        note.write_text(self.text())
        backup.unlink()

    def rename(self) -> None:
        note = self.dice.choice(self.notes())
        note.rename(note.with_name(f"renamed {self.made}-{self.dice.randrange(1000)}.md"))

    def move(self) -> None:
        note, folder = self.dice.choice(self.notes()), self.dice.choice([self.vault, *self.folders()])
        note.rename(folder / note.name)

    def delete(self) -> None:
        self.dice.choice(self.notes()).unlink()

    def move_folder(self) -> None:
        folders = self.folders()
        if folders:
            folder = self.dice.choice(folders)
            folder.rename(self.vault / f"moved {self.made}-{self.dice.randrange(1000)}")

    def trash_folder(self) -> None:
        folders = self.folders()
        if folders:
            shutil.move(
                self.dice.choice(folders),
                self.away.with_name(f"trash{self.made}-{self.dice.randrange(1000)}"),
            )

    def attach(self) -> None:
        self.made += 1
        (self.vault / f"picture {self.made}.png").write_bytes(b"\x89PNG")

    def root_away_and_back(self) -> None:
        self.vault.rename(self.away)
        self.away.rename(self.vault)

    def step(self) -> None:
        common = [
            self.create,
            self.edit,
            self.append,
            self.save_atomically,
            self.save_with_backup,
            self.rename,
            self.move,
        ]
        rare = [self.delete, self.move_folder, self.trash_folder, self.attach, self.root_away_and_back]
        if len(self.notes()) < NOTES // 2:
            self.create()
        else:
            self.dice.choice(self.dice.choices([common, rare], weights=[5, 1])[0])()


def settled_export(daemon: Running) -> object:
    daemon.paths("settle")
    return daemon.ask("export")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_day_at_the_desk(tmp_path: Path, seed: int) -> None:
    """After everything an editor can do, the index equals a fresh build."""
    vault = tmp_path / "vault"
    vault.mkdir()
    dice = random.Random(seed)
    editor = Editor(vault, dice)
    with running(vault) as daemon:
        for number in range(STEPS):
            editor.step()
            if number % 50 == 49:
                daemon.paths("river")
        mine = settled_export(daemon)
        with running(vault) as fresh:
            assert mine == settled_export(fresh)
        assert daemon.ask("status")["spaces"][0]["problems"] == []
