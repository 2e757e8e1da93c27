"""Where notesd looks for its files: options, variables, base directories, in that order."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from notesd.errors import ConfigError
from notesd.locations import absolute, locate

HOME = {"HOME": "/home/ana"}
ALL = {
    **HOME,
    "XDG_CONFIG_HOME": "/x/config",
    "XDG_STATE_HOME": "/x/state",
    "XDG_CACHE_HOME": "/x/cache",
    "XDG_RUNTIME_DIR": "/run/user/1000",
}


def test_home_folder_alone_is_enough() -> None:
    """Without any variable but HOME, everything lies where the XDG specification says."""
    paths = locate(HOME, platform="linux")

    assert paths.config == "/home/ana/.config/notesd/config.toml"
    assert paths.state == "/home/ana/.local/state/notesd"
    assert paths.socket == "/home/ana/.local/state/notesd/notesd.sock"
    assert paths.models == "/home/ana/.cache/notesd/models"
    assert paths.config_named is False


def test_xdg_variables_are_obeyed() -> None:
    """Each base directory variable moves what belongs in it."""
    paths = locate(ALL)

    assert paths.config == "/x/config/notesd/config.toml"
    assert paths.state == "/x/state/notesd"
    assert paths.socket == "/run/user/1000/notesd/notesd.sock"
    assert paths.models == "/x/cache/notesd/models"


def test_relative_xdg_variables_are_ignored() -> None:
    """A relative base directory counts as not set, as the specification demands."""
    paths = locate({**HOME, "XDG_STATE_HOME": "state", "XDG_RUNTIME_DIR": "run"}, platform="linux")

    assert paths.state == "/home/ana/.local/state/notesd"
    assert paths.socket == "/home/ana/.local/state/notesd/notesd.sock"


def test_variables_beat_base_directories() -> None:
    """The NOTESD variables name the files themselves."""
    environ = {
        **ALL,
        "NOTESD_CONFIG": "/n/my.toml",
        "NOTESD_STATE_DIR": "/n/state",
        "NOTESD_SOCKET": "/n/sock",
    }
    paths = locate(environ)

    assert (paths.config, paths.state, paths.socket) == ("/n/my.toml", "/n/state", "/n/sock")
    assert paths.config_named is True


def test_options_beat_variables() -> None:
    """What the command line names wins over everything."""
    environ = {
        **ALL,
        "NOTESD_CONFIG": "/n/my.toml",
        "NOTESD_STATE_DIR": "/n/state",
        "NOTESD_SOCKET": "/n/sock",
    }
    paths = locate(environ, config="/o/c.toml", state="/o/state", socket="/o/sock")

    assert (paths.config, paths.state, paths.socket) == ("/o/c.toml", "/o/state", "/o/sock")


@pytest.mark.parametrize(
    ("environ", "socket"),
    [
        pytest.param(ALL, "/run/user/1000/notesd/notesd.sock", id="runtime directory"),
        pytest.param(HOME, "/o/state/notesd.sock", id="no runtime directory"),
    ],
)
def test_socket_of_a_named_state_folder(environ: dict[str, str], socket: str) -> None:
    """A named state folder moves the socket only where there is no runtime directory."""
    assert locate(environ, state="/o/state").socket == socket


def test_empty_means_not_given() -> None:
    """An empty option or variable is as good as none."""
    paths = locate({**ALL, "NOTESD_SOCKET": "", "NOTESD_CONFIG": ""}, config="", state="", socket="")

    assert paths.socket == "/run/user/1000/notesd/notesd.sock"
    assert paths.config_named is False


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("~", "/home/ana"),
        ("~/notes", "/home/ana/notes"),
        ("/a//b/../c/", "/a/c"),
        ("//a", "/a"),
        ("notes", "/base/notes"),
        ("./notes", "/base/notes"),
        ("a~b", "/base/a~b"),
        ("~nobody-of-this-name/x", "/base/~nobody-of-this-name/x"),
    ],
)
def test_absolute(written: str, expected: str) -> None:
    """A path is completed from the home folder or the base, and tidied."""
    assert absolute(written, HOME, base="/base") == expected


def test_relative_options_start_at_the_working_directory(
    tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path on the command line means what the shell means by it."""
    monkeypatch.chdir(tmp_path)

    assert locate(HOME, socket="s.sock").socket == os.path.join(os.getcwd(), "s.sock")


def test_home_without_variable_comes_from_the_user_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service without HOME still finds the user's folder."""
    monkeypatch.delenv("HOME", raising=False)

    assert locate({}, platform="linux").state == os.path.expanduser("~/.local/state/notesd")


@pytest.mark.parametrize("home", ["", "relative/home", "~"])
def test_a_home_that_is_no_absolute_path_counts_as_not_set(home: str) -> None:
    """Nothing is ever put below whatever folder a person happens to stand in."""
    known = pwd.getpwuid(os.getuid()).pw_dir

    assert locate({"HOME": home}, platform="linux").state == f"{known}/.local/state/notesd"


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state folder has to be named then; the rest goes there, too."""

    def unknown(_uid: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(ConfigError, match="--state-dir"):
        locate({}, platform="linux")
    paths = locate({}, state="/s", platform="linux")

    assert (paths.config, paths.socket, paths.models) == ("/s/config.toml", "/s/notesd.sock", "/s/models")


def test_a_working_directory_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path from there names nothing, and that is said."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(ConfigError, match="current folder was removed"):
        locate(HOME, socket="s.sock")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_ask_platformdirs(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where XDG is not the custom, the system's own folders are used."""
    for ask in ("user_config_dir", "user_state_dir", "user_cache_dir"):
        monkeypatch.setattr(platformdirs, ask, lambda app, *, appauthor, ask=ask: f"/{ask}/{app}/{appauthor}")
    paths = locate(HOME, platform=platform)

    assert paths.config == "/user_config_dir/notesd/False/config.toml"
    assert paths.state == "/user_state_dir/notesd/False"
    assert paths.models == "/user_cache_dir/notesd/False/models"


def test_our_linux_rule_is_the_one_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule written out here, to spare an import, is the rule of the library."""
    from platformdirs.unix import Unix

    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", "/home/ana")
    library = Unix("notesd", appauthor=False)
    paths = locate(HOME, platform="linux")

    assert paths.config == f"{library.user_config_dir}/config.toml"
    assert paths.state == library.user_state_dir
    assert paths.models == f"{library.user_cache_dir}/models"


def test_a_client_pays_for_names_only() -> None:
    """Importing the path rules loads no configuration reader and no third-party module."""
    code = (
        "import sys; before = set(sys.modules); import notesd.locations;"
        "print(*sorted(set(sys.modules) - before))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert not {"tomllib", "msgspec", "platformdirs", "pathlib", "typing"} & set(shown.split())
