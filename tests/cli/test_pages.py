"""The manual is printed by pages, and answers questions; what the README shows is what comes out."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running

from notesd.cli import main, pages

ROOT = Path(__file__).parents[2]
QUESTIONS = {
    "how do I leave a folder out": "configuration",
    "what does stale mean": "freshness",
    "install a model": "models",
    "how much memory does the model take": "models",
    "are private notes shown to agents": "agents",
    "search for a phrase": "queries",
    "exclude a word": "queries",
    "typos": "queries",
    "how do I open a note in obsidian": "configuration",
    "start at login": "service",
    "which files are read": "notes",
    "the disk is not mounted and notes are missing": "freshness",
    "neovim": "editors",
    "use it from python": "protocol",
    "forget what I opened": "use",
    "what happens when a note is renamed": "freshness",
    "does it write into my notes": "promises",
    "why are two notes related": "links",
}


def test_a_page_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """By its name; a verb of the same name says first what it takes."""
    for page in pages.pages():
        assert main.main(["help", page]) == 0
        assert capfd.readouterr().out.endswith(pages.read(page))
    assert main.main(["help", "links"]) == 0
    assert capfd.readouterr().out.startswith("usage: notesd links")


def test_help_names_every_page(capfd: pytest.CaptureFixture[str]) -> None:
    """Beside the verbs."""
    assert main.main(["help"]) == 0
    said = capfd.readouterr().out
    assert [page for page in pages.pages() if page not in said.partition("pages:")[2]] == []


def test_no_page_can_be_taken_for_another_file() -> None:
    """A word that is a path is a question."""
    with pytest.raises(OSError, match="No such file"):
        pages.read("nothing")
    assert "../../README" not in pages.pages()


@pytest.mark.parametrize(("question", "page"), QUESTIONS.items())
def test_a_question_finds_the_right_page_first(question: str, page: str) -> None:
    """As people ask."""
    assert pages.answer(question)[0].page == page


def test_an_answer_says_where_to_read_on(capfd: pytest.CaptureFixture[str]) -> None:
    """And what nothing answers is an error that lists the pages."""
    assert main.main(["help", "how do I leave", "a folder out"]) == 0
    said = capfd.readouterr().out
    assert said.startswith("configuration: ")
    assert "leave out a folder" in said
    assert said.endswith("To read on: notesd help configuration\n")
    assert main.main(["help", "qqzzx"]) == 2
    assert "promises" in capfd.readouterr().err


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    vault = tmp_path_factory.mktemp("readme") / "sample-vault"
    shutil.copytree(ROOT / "sample-vault", vault)
    with running(vault) as daemon:
        daemon.paths("settle")
        yield daemon


def shown() -> list[tuple[str, str]]:
    """Every command of the README that has output under it, and that output."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    one = re.compile(r"^\$ notesd (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
    found = [part for block in blocks for part in one.findall(block)]
    assert len(found) >= 5
    return found


@pytest.mark.process
@pytest.mark.parametrize(("command", "output"), shown(), ids=[command for command, _ in shown()])
def test_what_the_readme_shows_is_what_comes_out(sample: Running, command: str, output: str) -> None:
    """Line for line from the top; what follows may be left out."""
    words = [first or second for first, second in re.findall(r'"([^"]*)"|(\S+)', command)]
    options = [] if words[0] == "help" else ["--vault", str(sample.vault)]
    done = sample.run(*words, *options) if options else None
    if done is None:
        assert main.main(words) == 0
        return
    assert done.returncode == 0, done.stderr
    lines = done.stdout.replace(f"{sample.vault}/", "").splitlines()
    assert lines[: len(output.splitlines())] == output.splitlines()
