"""config.toml and the two flags: what is accepted, and what an error says."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.config import find_space, load, shown, space_from_folder
from notesd.errors import ConfigError, UnknownSpace
from notesd.files.ignore import Ignore
from notesd.settings import Config, IndexConfig, SearchConfig, ServerConfig, SpaceConfig

HOME = {"HOME": "/home/ana"}

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a configuration and return its path."""

    def _write(text: str) -> str:
        file = tmp_path / "config.toml"
        file.write_text(text, encoding="utf-8")
        return str(file)

    return _write


def error_of(file: str | None, environ: dict[str, str] | None = None) -> str:
    """Return the message that loading ends with."""
    with pytest.raises(ConfigError) as caught:
        load(file, environ or HOME)
    assert "\n" not in caught.value.message
    return caught.value.message


def test_no_file_means_the_defaults() -> None:
    """Without a file every key has its default and there is no space."""
    config = load(None, HOME)

    assert config == Config()
    assert config.spaces == ()
    assert config.search.vector_search is False
    assert config.search.graph_boost is False


def test_every_key_is_read(write: Write) -> None:
    """Each key reaches the field of its name."""
    config = load(
        write(
            "[search]\nvector_search = true\ngraph_boost = true\nlimit = 25\nstemmer = 'none'\n"
            "relation_weights = { up = 2, 'depends on' = 0.5 }\n"
            "[index]\nmax_file_bytes = 2048\nrescan_interval_s = 60\nsettle_ms = 20\n"
            "parse_timeout_s = 0.5\nworkers = 3\n"
            "[server]\nmax_request_bytes = 4096\nmax_clients = 7\nsend_timeout_s = 1.5\n"
        ),
        HOME,
    )

    assert config.search == SearchConfig(
        vector_search=True, graph_boost=True, limit=25, stemmer="none",
        relation_weights={"up": 2.0, "depends on": 0.5},
    )  # fmt: skip
    assert config.index == IndexConfig(
        max_file_bytes=2048, rescan_interval_s=60.0, settle_ms=20.0, parse_timeout_s=0.5, workers=3
    )
    assert config.server == ServerConfig(max_request_bytes=4096, max_clients=7, send_timeout_s=1.5)


def test_spaces_keep_the_order_of_the_file(write: Write, tmp_path: Path) -> None:
    """Home folders are filled in, relative paths start beside the file, order is kept."""
    config = load(
        write(
            '[spaces.work]\npath = "~/work"\nignore = ["drafts/"]\n[spaces."mi jardín"]\npath = "jardín"\n'
        ),
        HOME,
    )

    assert config.spaces == (
        SpaceConfig("work", "/home/ana/work", ("drafts/",)),
        SpaceConfig("mi jardín", str(tmp_path / "jardín")),
    )


def test_a_byte_order_mark_is_allowed(tmp_path: Path) -> None:
    """A file saved with a byte-order mark reads like any other."""
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xef\xbb\xbf[search]\nlimit = 3\n")

    assert load(str(file), HOME).search.limit == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(
            '[search]\nlimit = "ten"',
            'search.limit = "ten": expected a whole number from 1 to 1000',
            id="kind",
        ),
        pytest.param(
            "[search]\nlimit = 0", "search.limit = 0: expected a whole number from 1 to 1000", id="range"
        ),
        pytest.param(
            "[search]\nlimit = true",
            "search.limit = true: expected a whole number from 1 to 1000",
            id="no number",
        ),
        pytest.param(
            "[search]\nvector_search = 1",
            "search.vector_search = 1: expected true or false",
            id="no switch",
        ),
        pytest.param(
            '[search]\nstemmer = "snowball"',
            'search.stemmer = "snowball": expected one of "auto", "porter", "none"',
            id="choice",
        ),
        pytest.param(
            "[index]\nrescan_interval_s = nan",
            "index.rescan_interval_s = NaN: expected a number of seconds from 1 to 86400",
            id="no number at all",
        ),
        pytest.param(
            "[index]\nsettle_ms = 2026-11-30",
            'index.settle_ms = "2026-11-30": expected a number of milliseconds from 0 to 10000',
            id="date",
        ),
        pytest.param(
            "[search]\nlimt = 3", "search.limt = 3: no such key; did you mean limit?", id="misspelt key"
        ),
        pytest.param(
            '[search]\ntokenizer = "sentencepiece"',
            'search.tokenizer = "sentencepiece": no such key; '
            "sentencepiece cuts texts wherever it is installed, so take this line out",
            id="a key of before",
        ),
        pytest.param(
            "[search]\nSTEMMER = 3", "search.STEMMER = 3: no such key; did you mean stemmer?", id="capitals"
        ),
        pytest.param(
            "[server]\nzzz = 3",
            "server.zzz = 3: no such key; known here: max_clients, max_request_bytes, send_timeout_s",
            id="strange key",
        ),
        pytest.param(
            "[serach]\nlimit = 3",
            'serach = {"limit": 3}: no such key; did you mean search?',
            id="misspelt table",
        ),
        pytest.param(
            "[search]\nrelation_weights = { up = 11 }\n",
            'search.relation_weights = {"up": 11}: expected a table of relation names, each with a number '
            "from 0 to 10",
            id="weight out of range",
        ),
        pytest.param("search = 3", "search = 3: expected a table, written [search]", id="no table"),
        pytest.param("spaces = 3", "spaces = 3: expected a table, written [spaces.NAME]", id="no spaces"),
        pytest.param(
            '[spaces]\nnotes = "~/notes"',
            'spaces.notes = "~/notes": expected a table,'
            ' written [spaces.notes] with path = "FOLDER" below it',
            id="space is a text",
        ),
        pytest.param(
            "[spaces.notes]",
            'spaces.notes.path is missing: add path = "FOLDER"',
            id="space without path",
        ),
        pytest.param(
            "[spaces.notes]\npath = ''",
            'spaces.notes.path = "": expected the path of a folder of notes',
            id="empty path",
        ),
        pytest.param(
            '[spaces.notes]\npath = "a\\u0000b"',
            'spaces.notes.path = "a\\u0000b": expected the path of a folder of notes',
            id="NUL in path",
        ),
        pytest.param(
            "[spaces.notes]\npath = '/n'\nignroe = []",
            "spaces.notes.ignroe = []: no such key; did you mean ignore?",
            id="key of a space",
        ),
        pytest.param(
            "[spaces.notes]\npath = '/n'\nignore = 'drafts/'",
            'spaces.notes.ignore = "drafts/": expected a list of patterns such as ["drafts/", "*.tmp.md"]',
            id="ignore is a text",
        ),
        *(
            pytest.param(
                f"[spaces.notes]\npath = '/n'\nextensions = {value}",
                f'spaces.notes.extensions = {shown}: expected a list such as [".md", ".canvas", ".pdf"]',
                id=f"extensions is {value}",
            )
            for value, shown in (("'.md'", '".md"'), ("[]", "[]"))
        ),
        *(
            pytest.param(
                f"[spaces.notes]\npath = '/n'\nextensions = ['.md', {value}]",
                "spaces.notes.extensions[1] = "
                f'{value}: expected an extension with its dot, such as ".canvas"',
                id=f"extensions holds {value}",
            )
            for value in ('"canvas"', '"*.md"', '"."', '"a/.md"', '""', "1")
        ),
        pytest.param(
            "[spaces.notes]\npath = '/n'\nname_only = ['Papers/', '!x']",
            'spaces.notes.name_only[1] = "!x": expected a pattern such as "drafts/" or "*.tmp.md"; '
            '"!" brings nothing back',
            id="name_only holds a pattern with !",
        ),
        pytest.param(
            "[spaces.notes]\npath = '/n'\nembed = ['pdf']",
            'spaces.notes.embed[0] = "pdf": expected an extension with its dot, such as ".canvas"',
            id="embed holds no extension",
        ),
        pytest.param(
            "[spaces.notes]\npath = '/n'\ndemote = 'Archive/'",
            'spaces.notes.demote = "Archive/": expected a list of folders such as ["Archive/", "Templates/"]',
            id="demote is a text",
        ),
        *(
            pytest.param(
                f"[spaces.notes]\npath = '/n'\ndemote = ['a', {folder}]",
                f"spaces.notes.demote[1] = {folder}: expected a folder below that of the space such as"
                ' "Archive/" or "Work/Templates"',
                id=f"demote holds {folder}",
            )
            for folder in ('"/Archive"', '"~/Archive"', '"../x"', '"./"', '""', "1")
        ),
        *(
            pytest.param(
                f"[spaces.notes]\npath = '/n'\nignore = ['a', {pattern}]",
                f"spaces.notes.ignore[1] = {pattern}: expected a pattern such as"
                ' "drafts/" or "*.tmp.md"; "!" brings nothing back',
                id=f"ignore holds {pattern}",
            )
            for pattern in ("3", '"!kept.md"', '"/"', '" "')
        ),
        pytest.param(
            "[spaces.a]\npath = '/n'\n[spaces.b]\npath = '/m/../n/'",
            'spaces.b.path = "/m/../n/": expected a folder of its own, but spaces.a has it too;'
            " remove one of them",
            id="one folder twice",
        ),
        pytest.param(
            "[spaces.'']\npath = '/n'",
            'spaces."": expected a name that is not empty and holds no / and no control character',
            id="empty name",
        ),
        pytest.param(
            "[spaces.'a/b']\npath = '/n'",
            'spaces."a/b": expected a name that is not empty and holds no / and no control character',
            id="slash in name",
        ),
        pytest.param(
            '[spaces."a\\u001bb"]\npath = "/n"',
            'spaces."a\\u001bb": expected a name that is not empty and holds no / and no control character',
            id="escape in name",
        ),
    ],
)
def test_an_error_names_file_key_value_and_expectation(write: Write, text: str, says: str) -> None:
    """One line says where, which key, what stands there and what was expected."""
    file = write(text)

    assert error_of(file) == f"{file}: {says}"


def test_long_values_are_cut(write: Write) -> None:
    """A huge value does not flood the terminal."""
    message = error_of(write(f'[search]\nlimit = "{"x" * 10_000}"'))

    assert len(message) < 400
    assert "..." in message


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(
            b"[search]\nlimit = \n", ", line 2, column 9: not valid TOML: Invalid value", id="line and column"
        ),
        pytest.param(b"[search]\nlimit = [1,", ", last line: not valid TOML: ", id="end of file"),
        pytest.param(b"[a]\n[a]\n", ", line 2, column 3: not valid TOML: Cannot declare", id="table twice"),
        pytest.param(b"[search]\n# caf\xe9\n", ", line 2: not UTF-8; save the file as UTF-8", id="Latin-1"),
        pytest.param(b"x = " + b"[" * 100_000, ": not usable as TOML: ", id="endless nesting"),
    ],
)
def test_broken_toml_names_the_line(tmp_path: Path, data: bytes, says: str) -> None:
    """A file that does not parse says in which line."""
    file = tmp_path / "config.toml"
    file.write_bytes(data)

    assert error_of(str(file)).startswith(f"{file}{says}")


@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_every_accepted_pattern_can_be_used(pattern: str) -> None:
    """A pattern that the configuration lets through is one that the walk understands."""
    quoted = json.dumps(pattern, ensure_ascii=False).replace("\x7f", "\\u007f")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "config.toml"
        file.write_text(f'[spaces.notes]\npath = "/n"\nignore = [{quoted}]\n', encoding="utf-8")
        try:
            (space,) = load(str(file), HOME).spaces
        except ConfigError:
            return

    assert space.ignore == (pattern,)
    Ignore(space.ignore)


def test_a_named_file_has_to_exist(tmp_path: Path) -> None:
    """Naming a file that is not there is an error; the default file may be missing."""
    file = str(tmp_path / "none.toml")

    assert error_of(file) == f"{file}: no such configuration file; create it or name another"
    assert load(file, HOME, required=False) == Config()


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    """A folder in place of the file is one line, not a traceback."""
    assert error_of(str(tmp_path)) == f"{tmp_path}: cannot be read: Is a directory; expected a TOML file"


@pytest.mark.parametrize("variable", ["VECTOR_SEARCH", "GRAPH_BOOST"])
@pytest.mark.parametrize(
    ("word", "value"),
    [
        *((word, True) for word in ("1", "true", "yes", "on", "TRUE", "Yes", " on ")),
        *((word, False) for word in ("0", "false", "no", "off", "FALSE", "No", "oFF")),
    ],
)
def test_flags_override_the_file(write: Write, variable: str, word: str, value: bool) -> None:
    """Each spelling of a flag wins over the file's value and touches no other key."""
    file = write(f"[search]\nlimit = 7\n{variable.lower()} = {str(not value).lower()}")
    config = load(file, {**HOME, variable: word})

    assert getattr(config.search, variable.lower()) is value
    assert config.search.limit == 7


@pytest.mark.parametrize("variable", ["VECTOR_SEARCH", "GRAPH_BOOST"])
@pytest.mark.parametrize("word", ["", "2", "maybe", "y", "truee", "1\x1b"])
def test_any_other_flag_is_an_error(variable: str, word: str) -> None:
    """A flag that is neither on nor off is refused under its variable's name."""
    assert error_of(None, {variable: word}) == (
        f"environment: {variable} = {shown(word)}: expected 1, true, yes, on or 0, false, no, off"
    )


@pytest.mark.parametrize(
    ("folder", "taken", "name"),
    [
        pytest.param("/data/notes", (), "notes", id="its own name"),
        pytest.param("/data/notes/", (), "notes", id="slash at the end"),
        pytest.param("/data/notes", ("notes", "notes-2"), "notes-3", id="made unique"),
        pytest.param("/data/mi jardín", (), "mi jardín", id="blanks and accents stay"),
        pytest.param("/data/a\x1b[2Jb", (), "a_[2Jb", id="control characters go"),
        pytest.param("/data/caf\udce9", (), "caf_", id="bytes that are no text"),
        pytest.param("/", (), "root", id="the whole disk"),
    ],
)
def test_space_of_a_folder(folder: str, taken: tuple[str, ...], name: str) -> None:
    """A folder on the command line becomes a space that is called like it."""
    space = space_from_folder(folder, taken)

    assert space.name == name
    assert space.path == (folder.rstrip("/") or "/")
    assert space.ignore == ()


def test_space_of_a_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``.`` is called like the working directory."""
    monkeypatch.chdir(tmp_path)

    assert space_from_folder(".", ()) == SpaceConfig(tmp_path.name, str(tmp_path))


@pytest.mark.parametrize("folder", ["", "  ", "a\0b"])
def test_no_folder_at_all(folder: str) -> None:
    """An empty folder name, or one no system can have, is refused."""
    with pytest.raises(ConfigError, match="expected the path of a folder of notes"):
        space_from_folder(folder, ())


@given(st.text(st.characters(blacklist_characters="\0"), min_size=1).filter(str.strip))
def test_every_space_name_made_from_a_folder_is_a_good_one(folder: str) -> None:
    """Whatever a folder is called, its space has a name that a configuration would accept."""
    name = space_from_folder(f"/data/{folder}", ("taken",)).name

    assert name.strip()
    assert "/" not in name
    assert name != "taken"
    name.encode()


def test_a_space_is_found_by_name() -> None:
    """An unknown space is told the nearest one, or all there are."""
    config = Config(spaces=(SpaceConfig("garden", "/g"), SpaceConfig("work log", "/w")))

    assert find_space(config, "garden").path == "/g"
    with pytest.raises(UnknownSpace, match=r'^space "Gardn": no such space; did you mean garden\?$'):
        find_space(config, "Gardn")
    with pytest.raises(UnknownSpace, match=r'known here: garden, "work log"$'):
        find_space(config, "x")
    with pytest.raises(UnknownSpace, match=r"known here: none$"):
        find_space(Config(), "x")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_every_value_can_be_shown(value: object) -> None:
    """A value in a message is one printable line of bounded length."""
    text = shown(value)

    assert text.isprintable()
    assert 0 < len(text) <= 80


# ---- whose it is ---------------------------------------------------------------------------------


def test_a_link_to_a_configuration_is_followed(write: Write, tmp_path: Path) -> None:
    """Many keep it among their dotfiles; what the link leads to is what is looked at."""
    file = Path(write("[search]\nlimit = 3\n"))
    (tmp_path / "link.toml").symlink_to(file)

    assert load(str(tmp_path / "link.toml"), HOME).search.limit == 3
    file.chmod(0o646)
    assert "link.toml: can be written to by everybody; run: chmod go-w" in error_of(
        str(tmp_path / "link.toml")
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_configuration_of_another_user_is_refused(write: Write) -> None:
    """It could name any folder; whose it is is said."""
    file = write("")
    os.chown(file, 65534, 65534)

    assert f"{file}: belongs to another user (uid 65534, and this is uid 0)" in error_of(file)


def test_a_configuration_may_come_from_a_device_or_a_pipe() -> None:
    """``--config /dev/null`` is no configuration."""
    assert load("/dev/null", HOME) == Config()
