"""What git leaves out is left out where asked for, by git's own rules."""

import subprocess
from pathlib import Path

import pytest

from notesd.files.gitignore import Gitignored
from notesd.files.ignore import Rule
from notesd.files.walk import scan

RULES = {
    ".gitignore": "drafts/\n*.tmp.md\n!keep.tmp.md\n/root-only.md\n",
    "a/.gitignore": "!b.tmp.md\nprivate*\n",
}
FILES = [
    "x.md", "drafts/y.md", "one.tmp.md", "keep.tmp.md", "root-only.md", "a/root-only.md", "a/b.tmp.md",
    "a/c.tmp.md", "a/private.md", "a/deep/private-too.md", "b/private.md",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with rules at two levels."""
    for name, text in (*RULES.items(), *((name, name) for name in FILES)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_same_as_git(folder: Path) -> None:
    """The notes are the files that git would take."""
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    taken = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()

    assert set(scan(str(folder), Gitignored(str(folder))).notes) == {
        name for name in taken if name.endswith(".md")
    }


def test_rules_are_read_again_at_each_walk(folder: Path) -> None:
    """A rule that is taken back brings its notes back."""
    ignore = Gitignored(str(folder))
    assert "drafts/y.md" not in scan(str(folder), ignore).notes
    (folder / ".gitignore").unlink()
    ignore.refresh()

    assert "drafts/y.md" in scan(str(folder), ignore).notes


def test_odd_rules_stop_nothing(folder: Path) -> None:
    """A folder called .gitignore, and bytes that are no rules, are no rules."""
    (folder / ".gitignore").unlink()
    (folder / ".gitignore").mkdir()
    (folder / "a" / ".gitignore").write_bytes(b"\xff\xfe[\n\0!\n")

    assert "one.tmp.md" in scan(str(folder), Gitignored(str(folder))).notes


def test_the_rule_is_named(folder: Path) -> None:
    """Who asks why a note is not there is told that git's rules leave it out."""
    ignore = Gitignored(str(folder))

    assert ignore.rule("drafts/y.md") == Rule("gitignore", ".gitignore", "drafts")
    assert ignore.rule("a/private.md") == Rule("gitignore", ".gitignore", "a/private.md")
    assert ignore.rule("x.md") is None
