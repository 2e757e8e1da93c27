"""Folders of spaces before a daemon starts: there, apart, and free of our own files."""

import os
from pathlib import Path

import pytest

from notesd.errors import ConfigError
from notesd.files.roots import check_spaces
from notesd.settings import Config, SpaceConfig


def config_of(**spaces: Path) -> Config:
    """Make a configuration of named folders."""
    return Config(spaces=tuple(SpaceConfig(name, str(path)) for name, path in spaces.items()))


def refusal(config: Config, state: Path, socket: Path | None = None) -> str:
    """Return the message that the check ends with."""
    with pytest.raises(ConfigError) as caught:
        check_spaces(config, str(state), None if socket is None else str(socket))
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Make a folder of notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def test_good_folders_pass(tmp_path: Path, notes: Path) -> None:
    """Folders side by side, with our own files elsewhere, are returned as they came."""
    (tmp_path / "notes-2").mkdir()
    config = config_of(a=notes, b=tmp_path / "notes-2")

    assert check_spaces(config, str(tmp_path / "state"), str(tmp_path / "run/notesd.sock")) == config
    assert not (tmp_path / "state").exists()


def test_a_missing_folder(tmp_path: Path) -> None:
    """A folder that is not there is named with its space and what to do."""
    folder = tmp_path / "none"

    assert refusal(config_of(a=folder), tmp_path / "state") == (
        f'space "a": "{folder}" does not exist; create the folder, mount it, or correct the path'
    )


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    """A file in place of the folder is told from a missing one."""
    file = tmp_path / "note.md"
    file.touch()

    assert refusal(config_of(a=file), tmp_path / "state") == (
        f'space "a": "{file}" is a file, not a folder; name the folder that holds the notes'
    )
    assert "does not exist" in refusal(config_of(a=file / "below"), tmp_path / "state")


def test_a_loop_of_links(tmp_path: Path) -> None:
    """A folder that cannot even be looked at says why."""
    (tmp_path / "loop").symlink_to("loop")

    assert "cannot be looked at: Too many levels of symbolic links" in refusal(
        config_of(a=tmp_path / "loop"), tmp_path / "state"
    )


def test_one_folder_under_two_names(tmp_path: Path, notes: Path) -> None:
    """A link to a folder does not make a second space of it."""
    (tmp_path / "link").symlink_to(notes)

    assert refusal(config_of(a=notes, b=tmp_path / "link"), tmp_path / "state") == (
        f'spaces "a" and "b" are one folder, "{tmp_path / "link"}"; remove one of them'
    )


@pytest.mark.parametrize("order", ["outer first", "inner first"])
@pytest.mark.parametrize("way", ["plain", "through a link"])
def test_nested_folders(tmp_path: Path, notes: Path, order: str, way: str) -> None:
    """A space inside another one is refused, in whatever order and by whatever name."""
    inner = notes / "deep" / "inner"
    inner.mkdir(parents=True)
    if way == "through a link":
        (tmp_path / "link").symlink_to(inner)
        inner = tmp_path / "link"
    config = config_of(o=notes, i=inner) if order == "outer first" else config_of(i=inner, o=notes)

    assert refusal(config, tmp_path / "state").startswith(
        f'space "i" ("{inner}") lies inside space "o" ("{notes}"); '
    )


@pytest.mark.parametrize("below", [".", ".notesd", "a/b"])
def test_state_folder_inside_the_notes(notes: Path, below: str) -> None:
    """The state folder may not lie where we promise never to write."""
    state = notes / below

    assert refusal(config_of(a=notes), state) == (
        f'the state folder "{state}" lies inside the notes of space "a" ("{notes}"), where notesd'
        " never writes; name another place with --state-dir or NOTESD_STATE_DIR"
    )


def test_state_folder_reached_through_a_link(tmp_path: Path, notes: Path) -> None:
    """A link does not hide that the state folder lies in the notes."""
    (notes / "below").mkdir()
    (tmp_path / "link").symlink_to(notes / "below")

    assert "lies inside the notes" in refusal(config_of(a=notes), tmp_path / "link" / "state")


def test_socket_inside_the_notes(tmp_path: Path, notes: Path) -> None:
    """Nor may the socket."""
    message = refusal(config_of(a=notes), tmp_path / "state", notes / "notesd.sock")

    assert message.startswith("the socket ")
    assert message.endswith("name another place with --socket or NOTESD_SOCKET")


def test_notes_below_the_state_folders_parent(tmp_path: Path, notes: Path) -> None:
    """Notes and state in one parent folder are the ordinary case."""
    config = config_of(a=notes)

    assert check_spaces(config, os.path.join(tmp_path, "state")) == config


def test_odd_names_are_quoted_whole(tmp_path: Path) -> None:
    """A path with control characters is shown escaped and is not cut."""
    folder = tmp_path / ("x" * 200 + "\x1b")
    message = refusal(config_of(a=folder), tmp_path / "state")

    assert "\x1b" not in message
    assert 'x\\u001b" does not exist' in message
