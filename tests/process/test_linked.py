"""Linked folders, with a real daemon: what links lead to is read, watched, kept and named."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import Running, running

pytestmark = pytest.mark.process


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A space with a note, folders beside it, and another space."""
    for name in ("v/here.md", "ext/a.md", "ext/sub/b.md", "next/n.md", "lone/one.md", "b/x.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{name.replace('/', ' ').removesuffix('.md').replace(' ', '')}word")
    (tmp_path / "v" / "out").symlink_to("../ext")
    (tmp_path / "v" / "single.md").symlink_to("../lone/one.md")
    return tmp_path


@pytest.fixture
def daemon(home: Path) -> Iterator[Running]:
    """Serve both spaces; links are followed in the first."""
    config = home / "config.toml"
    config.write_text(
        f'[spaces.v]\npath = "{home / "v"}"\nfollow_links = true\n[spaces.b]\npath = "{home / "b"}"\n'
    )
    with running(home / "v", NOTESD_CONFIG=str(config)) as one:
        yield one


def paths(daemon: Running, word: str) -> list[str]:
    return [hit["path"] for hit in daemon.ask("search", query=word)["results"]]


def comes(daemon: Running, word: str, path: str) -> None:
    daemon.until(lambda: paths(daemon, word) == [path])


def point(link: Path, target: str) -> None:
    """Point a link elsewhere, in one step."""
    (link.parent / "new").symlink_to(target)
    (link.parent / "new").rename(link)


def named(daemon: Running) -> dict[str, str]:
    """What is said of links, by path."""
    return {one["path"]: one["reason"] for one in daemon.ask("check")["problems"]}


def test_what_happens_behind_links_is_heard_of(home: Path, daemon: Running) -> None:
    """Read at the start; then new, edited and moved notes, a note that is replaced, a link put elsewhere."""
    comes(daemon, "extsubbword", "out/sub/b.md")
    comes(daemon, "loneoneword", "single.md")
    (home / "ext" / "sub" / "later.md").write_text("laterword")
    comes(daemon, "laterword", "out/sub/later.md")
    (home / "ext" / "sub").rename(home / "ext" / "deep")
    comes(daemon, "laterword", "out/deep/later.md")
    (home / "lone" / "t").write_text("replacedword")
    (home / "lone" / "t").rename(home / "lone" / "one.md")
    comes(daemon, "replacedword", "single.md")
    point(home / "v" / "out", "../next")
    comes(daemon, "nextnword", "out/n.md")
    assert paths(daemon, "extaword") == []
    (home / "next" / "m.md").write_text("mword")
    comes(daemon, "mword", "out/m.md")
    daemon.restart()
    comes(daemon, "mword", "out/m.md")
    (home / "v" / "out").unlink()
    daemon.until(lambda: paths(daemon, "mword") == [])
    index = daemon.ask("search", query="mword", wait=True)["index"]
    assert index["complete"]


def test_a_target_that_goes_keeps_its_notes_and_is_said(home: Path, daemon: Running) -> None:
    """No event tells of it where it is a mount; the notes answer as stale until it is back."""
    comes(daemon, "extaword", "out/a.md")
    (home / "ext").rename(home / "away")
    reason = daemon.until(lambda: named(daemon).get("out"))
    answer = daemon.ask("search", query="extaword", wait=True)

    assert reason
    assert "leads nowhere now" in reason
    assert [(hit["path"], hit["stale"]) for hit in answer["results"]] == [("out/a.md", True)]
    assert not answer["index"]["complete"]
    daemon.ask("rescan")
    assert paths(daemon, "extaword") == ["out/a.md"]
    (home / "away" / "a.md").write_text("afterword")
    (home / "away").rename(home / "ext")
    comes(daemon, "afterword", "out/a.md")
    assert "out" not in named(daemon)


def test_check_names_what_is_followed_and_what_is_not(home: Path, daemon: Running) -> None:
    """Our own state, another space, the space itself, what holds them, one folder twice: refused, unread."""
    comes(daemon, "extaword", "out/a.md")
    (daemon.state / "secret.md").write_text("secretword")
    refused = {"own": str(daemon.state), "other": "../b", "inner": ".", "up": "..", "again": "../ext/sub"}
    for name, target in refused.items():
        (home / "v" / name).symlink_to(target)
    (home / "v" / "x.md").symlink_to("../b/x.md")
    (home / "v" / "loop").symlink_to("loop")
    daemon.until(lambda: named(daemon).keys() >= {*refused, "x.md", "loop"})
    said = named(daemon)
    followed: list[dict[str, Any]] = daemon.ask("check")["followed_links"]

    assert [(one["space"], one["path"], one["target"]) for one in followed] == [
        ("v", "out", str(home / "ext")), ("v", "single.md", str(home / "lone" / "one.md")),
    ]  # fmt: skip
    assert "own state" in said["own"]
    assert "space b" in said["other"]
    assert "space b" in said["x.md"]
    assert "this space" in said["inner"]
    assert "holds" in said["up"]
    assert "what out leads to" in said["again"]
    assert daemon.ask("search", query="secretword", wait=True)["results"] == []
    assert daemon.ask("search", query="bxword", wait=True)["total"] == 1
    assert daemon.ask("search", query="nothinghere", wait=True)["index"]["complete"]
    why = daemon.run("query", "--why", "other/x.md", "bxword")
    assert "not_regular" in why.stdout
    told = daemon.run("check")
    assert f"{home / 'ext'}" in told.stdout


def test_a_note_behind_a_link_is_opened_like_any_other(home: Path, daemon: Running) -> None:
    """By its path, absolute or not, or that of what the link leads to; with the text of its file."""
    comes(daemon, "extsubbword", "out/sub/b.md")
    names = {
        "out/sub/b.md": "out/sub/b.md",
        f"{home}/v/out/sub/b.md": "out/sub/b.md",
        "single.md": "single.md",
    }
    real = {f"{home}/ext/sub/b.md": "out/sub/b.md", f"{home}/lone/one.md": "single.md"}
    for name, path in {**names, **real}.items():
        [entity] = daemon.ask("open", notes=[name], text=True)["entities"]
        assert entity["path"] == path
        assert "word" in str(entity["text"])


def test_a_space_that_comes_later_is_read_there_alone(home: Path, daemon: Running) -> None:
    """What a link led to becomes a space of its own: the link is refused from then on."""
    comes(daemon, "extaword", "out/a.md")
    config = home / "config.toml"
    config.write_text(f'{config.read_text()}[spaces.ext]\npath = "{home / "ext"}"\n')
    daemon.until(lambda: any(one["name"] == "ext" for one in daemon.ask("status")["spaces"]))
    comes(daemon, "extaword", "a.md")

    assert "space ext" in named(daemon)["out"]
