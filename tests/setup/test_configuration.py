"""Folders come into the configuration and go, and all else that people wrote stays."""

import os
from pathlib import Path

import pytest

from notesd.config import load
from notesd.errors import ConfigError, UnknownSpace
from notesd.locations import Paths, locate
from notesd.setup import configuration

WRITTEN = """\
# my notes
[search]
limit = 5   # five are enough

[spaces.old]
path = "~/old"
ignore = [
  "drafts/",  # not yet
]

# at the end
[index]
settle_ms = 10
"""


class Desk:
    """A home with folders of notes, and a configuration."""

    def __init__(self, home: Path) -> None:
        self.home, self.environ = home, {"HOME": str(home)}
        self.file = home / ".config" / "notesd" / "config.toml"
        for name in ("old", "new", "mi jardín", "a.b"):
            (home / name).mkdir()

    @property
    def paths(self) -> Paths:
        return locate(self.environ)

    def write(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text)

    def spaces(self) -> dict[str, str]:
        return {space.name: space.path for space in load(str(self.file), self.environ).spaces}

    def add(self, folder: str, name: str | None = None) -> configuration.Added:
        return configuration.add(self.paths, folder, self.environ, name)

    def remove(self, which: str) -> str:
        return configuration.remove(self.paths, which, self.environ).name


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_the_first_folder_makes_the_file(desk: Desk) -> None:
    """Private, with the path as people write it."""
    assert desk.add(str(desk.home / "new")).new
    assert desk.spaces() == {"new": f"{desk.home}/new"}
    assert 'path = "~/new"' in desk.file.read_text()
    assert desk.file.stat().st_mode & 0o777 == 0o600
    assert not desk.add(f"{desk.home}/new/").new


@pytest.mark.parametrize("name", [None, "notes", "a b", 'quo"te', "ñ", "a.b"])
def test_what_people_wrote_stays(desk: Desk, name: str | None) -> None:
    """Comments, order, values on several lines; and what was added can be taken out again."""
    desk.write(WRITTEN)
    done = desk.add(str(desk.home / "mi jardín"), name)
    assert desk.spaces() == {"old": f"{desk.home}/old", done.space.name: f"{desk.home}/mi jardín"}
    lines = [line for line in WRITTEN.splitlines() if line]
    assert [line for line in desk.file.read_text().splitlines() if line in lines and line] == lines
    assert desk.remove(done.space.name) == done.space.name
    assert [line for line in desk.file.read_text().splitlines() if line] == lines


def test_a_comment_about_what_follows_is_not_taken_along(desk: Desk) -> None:
    """It stands between two tables, and belongs to the second."""
    desk.write(WRITTEN)
    assert desk.remove(str(desk.home / "old")) == "old"
    assert desk.file.read_text().count("# at the end\n[index]") == 1
    assert "drafts" not in desk.file.read_text()


@pytest.mark.parametrize(
    "text",
    [
        '[spaces]\nold = { path = "~/old" }\n',
        'spaces = { old = { path = "~/old" } }\n',
        'spaces.old.path = "~/old"\n[search]\nlimit = 3\n',
        '[spaces.old]\npath = "~/old"\n[search]\nlimit = 3\n[spaces.x]\npath = "~/new"\n',
        '\ufeff[spaces.old]\r\npath = "~/old"\r\n',
    ],
)
def test_it_may_be_written_in_any_way(desk: Desk, text: str) -> None:
    """As TOML allows it."""
    desk.write(text)
    before = desk.spaces()
    desk.add(str(desk.home / "a.b"))
    assert desk.spaces() == {**before, "a.b": f"{desk.home}/a.b"}
    desk.remove("old")
    assert "old" not in desk.spaces()
    assert "a.b" in desk.spaces()


def test_a_linked_file_stays_a_link(desk: Desk) -> None:
    """People keep their configuration in a repository."""
    real = desk.home / "dotfiles.toml"
    real.write_text(WRITTEN)
    desk.file.parent.mkdir(parents=True)
    desk.file.symlink_to(real)
    desk.add(str(desk.home / "new"))
    assert desk.file.is_symlink()
    assert "[spaces.new]" in real.read_text()


def test_what_would_not_be_served_is_refused(desk: Desk) -> None:
    """Nothing is written then."""
    desk.write(WRITTEN)
    (desk.home / "old" / "inner").mkdir()
    (desk.home / "file").write_text("x")
    for folder, name, told in (
        ("none", None, "does not exist"),
        ("file", None, "is a file"),
        ("old/inner", None, "lies inside space"),
        ("", None, "holds|lies inside"),
        ("old", "other", "configured already"),
        ("new", "old", "another space is called"),
        ("new", "a/b", "holds no /"),
    ):
        with pytest.raises(ConfigError, match=told):
            desk.add(f"{desk.home}/{folder}", name)
    assert desk.file.read_text() == WRITTEN
    with pytest.raises(UnknownSpace, match="did you mean old"):
        desk.remove("odl")


def test_a_file_that_is_wrong_is_not_touched(desk: Desk) -> None:
    """What is wrong is said."""
    desk.write("[search]\nlimits = 5\n")
    with pytest.raises(ConfigError, match="did you mean limit"):
        desk.add(str(desk.home / "new"))
    assert desk.file.read_text() == "[search]\nlimits = 5\n"


def test_a_file_beside_the_configuration_stays(desk: Desk) -> None:
    """A copy that somebody keeps there, or a pipe, costs nothing and holds nothing up."""
    desk.write(WRITTEN)
    kept, pipe = desk.file.with_name("config.toml.new"), desk.file.with_name("config.toml.tmp")
    kept.write_text("mine")
    os.mkfifo(pipe)
    desk.file.chmod(0o640)
    desk.add(str(desk.home / "new"))
    assert kept.read_text() == "mine"
    assert desk.file.stat().st_mode & 0o777 == 0o640
    assert not list(desk.file.parent.glob(".*"))
