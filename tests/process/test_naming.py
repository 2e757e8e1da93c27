"""A real daemon over two folders: a path means that file, and a name that is not clear says so."""

import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from agent import agent
from running import Running, running

from notesd.errors import AmbiguousNote, UnknownNote

pytestmark = pytest.mark.process
DECOMPOSED = unicodedata.normalize("NFD", "Über.md")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two spaces, ``work`` and ``home``, both with a Home.md; beside them links to both."""
    top = tmp_path_factory.mktemp("spaces")
    for name in ("work", "home"):
        (top / name / "sub").mkdir(parents=True)
        (top / name / "Home.md").write_text(f"# Home\n\nAt {name}.\n")
    (top / "work" / "Knots.md").write_text("Only at work. See [[Home]].\n")
    (top / "work" / "sub" / "Deep.md").write_text("Deep at work.\n")
    (top / "home" / "A.md").write_text("Capital.\n")
    (top / "home" / "a.md").write_text("Small.\n")
    (top / "home" / DECOMPOSED).write_text("Composed otherwise.\n")
    (top / "link").symlink_to("work")
    (top / "Inbox.md").symlink_to("work/Knots.md")
    (top / "down").symlink_to("home/sub")
    return top


@pytest.fixture(scope="module")
def daemon(folders: Path) -> Iterator[Running]:
    """A daemon that serves both."""
    with running(folders / "work") as started:
        started.stop()
        config = started.home / "config.toml"
        config.write_text(f'[spaces.work]\npath = "{folders}/work"\n[spaces.home]\npath = "{folders}/home"\n')
        started._more["NOTESD_CONFIG"] = str(config)
        started.process = started._start()
        started.paths("settle")
        yield started


def opened(daemon: Running, name: str) -> list[tuple[str, str]]:
    """Space and path of what a name opens."""
    answer = daemon.ask("open", notes=[name], record=False)
    return [(one["space"], one["path"]) for one in answer["entities"]]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("work/Home.md", ("work", "Home.md")),
        ("home/Home.md", ("home", "Home.md")),
        ("work/Knots", ("work", "Knots.md")),
        ("home/../work/Knots.md", ("work", "Knots.md")),
        ("./work//sub/./Deep.md", ("work", "sub/Deep.md")),
        ("link/Knots.md", ("work", "Knots.md")),
        ("link/sub/Deep.md", ("work", "sub/Deep.md")),
        ("Inbox.md", ("work", "Knots.md")),
        ("down/../Home.md", ("home", "Home.md")),
        ("home/A.md", ("home", "A.md")),
        ("home/a.md", ("home", "a.md")),
        ("home/Über.md", ("home", DECOMPOSED)),
        (f"home/{DECOMPOSED}", ("home", DECOMPOSED)),
    ],
)
def test_an_absolute_path_means_that_file(
    daemon: Running, folders: Path, written: str, meant: tuple[str, str]
) -> None:
    """Whichever way leads to it, and whatever the same path means in another space."""
    path = f"{folders}/{written}"

    assert opened(daemon, path) == [meant]
    assert (daemon.ask("links", note=path)["space"], daemon.ask("links", note=path)["note"]) == meant


@pytest.mark.parametrize("written", ["home/Knots.md", "home/sub/Home.md", "work/A.md", "down/../Knots.md"])
def test_a_path_where_no_note_is_opens_no_other(daemon: Running, folders: Path, written: str) -> None:
    """Not the one of that path in another space, nor one of that name elsewhere."""
    path = f"{folders}/{written}"
    answer = daemon.ask("open", notes=[path])

    assert answer["entities"] == []
    assert answer["missing"][0]["note"] == path
    for method in ("links", "related", "forget"):
        with pytest.raises(UnknownNote):
            daemon.ask(method, note=path)


@pytest.mark.parametrize("path", ["/etc/passwd", "/", "//", "/../..", "/\0", "/work/Home.md"])
def test_a_path_outside_of_all_spaces_says_where_they_are(daemon: Running, folders: Path, path: str) -> None:
    """Every method that takes a note says so."""
    reason = daemon.ask("open", notes=[path])["missing"][0]["reason"]

    assert f"lies in none of the folders of notes that were asked: {folders}/work (space work)" in reason
    for method in ("links", "related", "forget"):
        with pytest.raises(UnknownNote, match="lies in none of the folders"):
            daemon.ask(method, note=path)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("work/Home.md", ("work", "Home.md")),
        ("home/Home", ("home", "Home.md")),
        ("home/über", ("home", DECOMPOSED)),
        ("work/sub/Deep.md", ("work", "sub/Deep.md")),
        ("work/Deep", ("work", "sub/Deep.md")),
        ("[[Deep]]", ("work", "sub/Deep.md")),
        ("[[work/Home|at work]]", ("work", "Home.md")),
        ("[[Deep#Part]]", ("work", "sub/Deep.md")),
    ],
)
def test_a_name_may_be_a_link_or_begin_with_its_space(
    daemon: Running, written: str, meant: tuple[str, str]
) -> None:
    """As notes and answers have it; where something is called so, that comes first."""
    assert opened(daemon, written) == [meant]
    assert opened(daemon, f"{'work/' * 2000}Home.md") == []


@pytest.mark.parametrize(
    "written",
    ["note://elsewhere/Home.md", "note://work", "note://work/", "note://[x/Home.md", "note://work/%00"],
)
def test_an_address_of_no_note_means_none(daemon: Running, written: str) -> None:
    """Nor is the path in it looked for in another space."""
    assert opened(daemon, written) == []


def test_a_folder_called_like_a_space_comes_first(daemon: Running, folders: Path) -> None:
    """What lies in it is named as it always was."""
    (folders / "home" / "work").mkdir()
    (folders / "home" / "work" / "Knots.md").write_text("Not at work.\n")
    daemon.paths("settle")
    try:
        assert opened(daemon, "work/Knots.md") == [("home", "work/Knots.md")]
        assert opened(daemon, "note://work/Knots.md?lines=1..2") == [("work", "Knots.md")]
        assert opened(daemon, "note://home/work/Knots.md") == [("home", "work/Knots.md")]
        with agent(daemon.options(), daemon.environment()) as asked:
            told = asked.told("read_note", note="note://work/Knots.md")
            assert (told["space"], told["path"]) == ("work", "Knots.md")
            assert asked.told("related_notes", note="note://work/Knots.md")["note"] == "Knots.md"
    finally:
        shutil.rmtree(folders / "home" / "work")
        daemon.paths("settle")


def test_a_path_in_a_space_that_was_not_asked_is_outside(daemon: Running, folders: Path) -> None:
    """``--space`` narrows paths, too."""
    answer = daemon.ask("open", notes=[f"{folders}/work/Knots.md"], space="home")

    assert answer["entities"] == []
    assert f"{folders}/home (space home)" in answer["missing"][0]["reason"]


def test_what_is_not_clear_names_spaces_and_full_paths(daemon: Running, folders: Path) -> None:
    """One of them, given back, means that note."""
    with pytest.raises(AmbiguousNote) as caught:
        daemon.ask("links", note="Home")
    paths = [f"{folders}/work/Home.md", f"{folders}/home/Home.md"]
    missing = daemon.ask("open", notes="Home.md")["missing"][0]

    assert f"{paths[0]} (space work), {paths[1]} (space home)" in caught.value.message
    assert caught.value.data["nearest"] == missing["nearest"] == paths
    assert opened(daemon, missing["nearest"][1]) == [("home", "Home.md")]
    with pytest.raises(AmbiguousNote, match="space home"):
        daemon.ask("forget", note="Home")


@pytest.mark.parametrize(("name", "path"), [("A", "A.md"), ("a", "a.md"), ("A.md", "A.md"), ("a.md", "a.md")])
def test_a_name_that_is_spelt_exactly_comes_first(daemon: Running, name: str, path: str) -> None:
    """As for ``[[A]]``; another case is good enough where there is nothing better."""
    assert opened(daemon, name) == [("home", path)]
    assert opened(daemon, "kNOTS") == [("work", "Knots.md")]


def test_why_takes_a_path(daemon: Running, folders: Path) -> None:
    """The account is of that file and of no other of its name."""

    def why(path: str, query: str = "home") -> Any:
        return daemon.ask("search", query=query, why=path, record=False)["why"]

    told = why(f"{folders}/home/Home.md")
    assert (told["space"], told["path"], told["reason"], "others" in told) == (
        "home",
        "Home.md",
        "found",
        False,
    )
    assert why(f"{folders}/link/Knots.md", "capital")["reason"] == "no_match"
    assert why(f"{folders}/home/Knots.md")["reason"] == "absent"
    assert why("/etc/passwd")["reason"] == "unknown"


def test_a_path_where_no_note_is_names_the_nearest_all_the_same(daemon: Running, folders: Path) -> None:
    """What a note is called counts, not the folders above it."""
    path = f"{folders}/home/Hoem.md"

    assert daemon.ask("search", query="home", why=path, record=False)["why"]["nearest"] == ["Home"]
    assert daemon.ask("open", notes=[path])["missing"][0]["nearest"] == ["Home"]


@pytest.mark.parametrize("verb", ["check", "export", "rescan", "status"])
def test_spaces_are_named_one_by_one(daemon: Running, folders: Path, verb: str) -> None:
    """Every verb takes ``--space`` again and again, and a folder of its own beside it."""
    both = daemon.run(verb, "--space", "home", "--space", "work", "--json")
    beside = daemon.run(verb, "--space", "home", *(("--vault", str(folders / "work")) * (verb != "export")))

    assert (both.returncode, beside.returncode) == (0, 0), both.stderr + beside.stderr
    if verb != "rescan":
        assert "Capital" in both.stdout or '"home"' in both.stdout
        assert "Knots.md" in both.stdout or '"work"' in both.stdout
    assert daemon.run(verb, "--space", "home", "--space", "nobody").returncode == 2


def test_forgetting_by_path_forgets_that_note(daemon: Running, folders: Path) -> None:
    """The note of the same path in the other space is still known; one that is gone can be forgotten too."""
    gone = folders / "work" / "Gone.md"
    gone.write_text("Soon gone.\n")
    daemon.paths("gone")
    for path in ("work/Home.md", "home/Home.md", "work/Gone.md"):
        daemon.ask("open", notes=[f"{folders}/{path}"])
    gone.unlink()
    daemon.paths("gone")

    assert daemon.ask("forget", note=f"{folders}/work/Home.md")["erased"]["notes"] == 1
    assert daemon.ask("forget", note=str(gone))["erased"]["notes"] == 1
    assert daemon.ask("forget", note=f"{folders}/home/Home.md")["erased"]["notes"] == 1


@pytest.mark.parametrize(
    ("where", "word", "space"),
    [
        ("home", "./Home.md", "home"),
        ("home", "Home.md", "home"),
        ("work/sub", "../Home.md", "work"),
        ("work/sub", "Deep.md", "work"),
        ("link/sub", "../Home.md", "work"),
        (".", "link/Home.md", "work"),
        (".", "home/Home.md", "home"),
        ("home", "Knots", "work"),
        ("home", "Knots.md", "work"),
    ],
)
def test_a_shell_names_notes_from_where_it_is(
    daemon: Running, folders: Path, where: str, word: str, space: str
) -> None:
    """As tab completion writes them; what is no file there is a name."""
    done = subprocess.run(
        [sys.executable, "-m", "notesd", "show", "--no-record", word, *daemon.options()],
        capture_output=True, text=True, timeout=300, env=daemon.environment(), cwd=folders / where,
    )  # fmt: skip

    assert (done.returncode, f"[{space}]" in done.stdout) == (0, True), done.stderr


def test_a_path_from_outside_of_all_spaces_is_refused(daemon: Running, folders: Path) -> None:
    """``./`` always means the file in the current folder."""
    done = subprocess.run(
        [sys.executable, "-m", "notesd", "show", "./Home.md", *daemon.options()],
        capture_output=True, text=True, timeout=300, env=daemon.environment(), cwd=folders,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (1, "")
    assert "lies in none of the folders" in done.stderr


def test_what_an_agent_is_told_it_can_name(daemon: Running) -> None:
    """Every tool takes a hit of another one, as the path with its space, as an address and as it is cited."""
    with agent(daemon.options(), daemon.environment()) as asked:
        hits = asked.told("recent_notes", limit=20)["results"]
        assert {hit["space"] for hit in hits} == {"work", "home"}
        for hit in hits:
            place = (hit["space"], hit["path"])
            written = f"{hit['space']}/{hit['path']}"
            for name in (written, f"note://{quote(written)}", f"{written}:1"):
                read = asked.told("read_note", note=name)
                assert (read["space"], read["path"]) == place
                (entity,) = asked.told("open_nodes", names=[name])["entities"]
                assert (entity["space"], entity["path"]) == place
                assert asked.told("related_notes", note=name)["note"] == hit["path"]
