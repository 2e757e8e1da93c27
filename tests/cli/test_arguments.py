"""The words of the command line: help, misspelt verbs and options, exit statuses."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from notesd import __version__
from notesd.cli import main, options
from notesd.cli.options import Usage

WRONG = [
    pytest.param(["qurey", "x"], 'unknown verb "qurey": did you mean query?', id="verb"),
    pytest.param(["zzz"], 'unknown verb "zzz": there are query, feed, pick, show', id="verb-far"),
    pytest.param(["web", "x"], 'unknown verb "web"', id="verb-of-a-later-version"),
    pytest.param(["--space", "a", "query"], "the verb comes first", id="option-first"),
    pytest.param(["query", "x", "--limt", "3"], "unknown option --limt: did you mean --limit?", id="option"),
    pytest.param(["query", "x", "--lim=3"], "unknown option --lim=3: did you mean --limit?", id="option-cut"),
    pytest.param(["query", "-bread"], "put it after -- if it is not meant as one", id="dash-word"),
    pytest.param(["stop", "-x"], "there are --help, --socket, --state-dir, --config", id="where-no-word-is"),
    pytest.param(["model", "list", "x"], "takes no NAME", id="model-list"),
    pytest.param(["query", "x", "--config", "/no.toml"], "/no.toml: no such configuration", id="no-config"),
    pytest.param(["query", "x", "-n", "ten"], "invalid int value: 'ten'", id="number"),
    pytest.param(["query", "x", "--wait=soon"], "--wait", id="wait"),
    pytest.param(["query", "x", "--format", "xml"], "invalid choice: 'xml'", id="format"),
    pytest.param(["query"], "say what to search for", id="no-text"),
    pytest.param(["query", "x", "--rye"], "unknown option --rye", id="two-dashes-after-text"),
    pytest.param(["query", "--tag", "x", "-rye"], "unknown option -rye", id="dash-word-after-a-value"),
    pytest.param(["show", "x", "-rye"], "unknown option -rye", id="dash-word-where-no-text-is"),
    pytest.param(["show"], "required: NOTE", id="no-note"),
    pytest.param(["links", "a", "b"], 'one word too many: "b"', id="too-many"),
    pytest.param(["export", "--query", "x"], "--query needs --vault", id="query-without-vault"),
    pytest.param(["query", "x", "--vault", "/no/such"], "/no/such does not exist", id="no-folder"),
    pytest.param(["query", "x", "--vault", __file__], "is not a folder", id="no-folder-but-a-file"),
    pytest.param(["serve", "/no/such"], "/no/such does not exist", id="serve-no-folder"),
    pytest.param(["query", "x", "--vault", ""], "name the folder", id="empty-folder"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_wrong_usage_is_one_line_and_status_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line says what was wrong and what is near; nothing is printed as a result."""
    status = main.main(words)
    out, err = capsys.readouterr()

    assert status == 2
    assert out == ""
    assert err.startswith("notesd: ")
    assert err.count("\n") == 1
    assert sentence in err


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help_lists_every_verb_once(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One line a verb, with what it does."""
    assert main.main(words) == 0
    lines = capsys.readouterr().out.splitlines()

    assert dict.fromkeys(main.VERBS, 1) == {
        name: sum(line.startswith(f"  {name} ") and verb.summary in line for line in lines)
        for name, verb in main.VERBS.items()
    }


def test_no_words_are_wrong_usage_that_helps(capsys: pytest.CaptureFixture[str]) -> None:
    """``notesd`` alone shows what there is, and fails."""
    assert main.main([]) == 2
    assert "query" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The name and the number."""
    assert main.main([word]) == 0
    assert capsys.readouterr().out == f"notesd {__version__}\n"


@pytest.mark.parametrize("name", sorted(main.VERBS))
def test_every_verb_has_help_and_a_function(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The table leads somewhere."""
    verb = main.VERBS[name]
    with pytest.raises(SystemExit) as ended:
        main.main([name, "--help"])

    assert ended.value.code == 0
    assert f"usage: notesd {name}" in capsys.readouterr().out
    assert callable(getattr(__import__(f"notesd.cli.{verb.module}", fromlist=[name]), name))


@pytest.mark.parametrize(
    ("words", "text", "wait"),
    [
        pytest.param(["a", "b"], ["a", "b"], None, id="words"),
        pytest.param(["a", "--limit", "3", "b"], ["a", "b"], None, id="around-an-option"),
        pytest.param(["--", "-a", "--limit"], ["-a", "--limit"], None, id="after-two-dashes"),
        pytest.param(["--limit", "3", "--", "-a"], ["-a"], None, id="option-and-dashes"),
        pytest.param(["a -b"], ["a -b"], None, id="minus-inside"),
        pytest.param(["bread", "-rye"], ["bread", "-rye"], None, id="minus-after-text"),
        pytest.param(["a", "-noise", "-#x", "-tag:y"], ["a", "-noise", "-#x", "-tag:y"], None, id="minuses"),
        pytest.param(["bread", "-rye", "flour"], ["bread", "-rye", "flour"], None, id="minus-between"),
        pytest.param(["--tag", "x", "a", "-rye", "-n", "3"], ["a", "-rye"], None, id="minus-before-options"),
        pytest.param(["bread", "-n3", "-rye", "--wait"], ["bread", "-rye"], True, id="minus-after-options"),
        pytest.param(["a", "--", "-rye", "-n"], ["a", "-rye", "-n"], None, id="minus-after-two-dashes"),
        pytest.param(["--wait", "a"], ["a"], True, id="wait-before-text"),
        pytest.param(["a", "--wait"], ["a"], True, id="wait-last"),
        pytest.param(["a", "--wait", "250"], ["a"], 250, id="wait-milliseconds"),
        pytest.param(["a", "--wait=250"], ["a"], 250, id="wait-equals"),
        pytest.param(["--", "--wait"], ["--wait"], None, id="wait-as-text"),
    ],
)
def test_text_and_wait(words: list[str], text: list[str], wait: object) -> None:
    """The text of a query may stand anywhere; ``--wait`` takes a number only where one follows."""
    args = options.build("query", "", options.query).read(words)

    assert (text, wait) == (args.text, args.wait)


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        pytest.param([], "vector_search", None, id="vector-unsaid"),
        pytest.param(["--vector"], "vector_search", True, id="vector"),
        pytest.param(["--no-vector"], "vector_search", False, id="no-vector"),
        pytest.param(["--graph"], "graph_boost", True, id="graph"),
        pytest.param(["--no-graph"], "graph_boost", False, id="no-graph"),
        pytest.param(["--no-record"], "record", False, id="no-record"),
        pytest.param(["--tag", "a", "--tag", "b/c"], "tag", ["a", "b/c"], id="tags"),
        pytest.param(["--space", "a", "--space", "b"], "space", ["a", "b"], id="spaces"),
        pytest.param(["--json"], "format", "json", id="json"),
        pytest.param(["-0"], "null", True, id="null"),
        pytest.param(["-n", "5"], "limit", 5, id="limit"),
        pytest.param(["--limbic", "ab"], "limbic", "ab", id="limbic"),
    ],
)
def test_options_of_query(words: list[str], name: str, value: object) -> None:
    """Each option sets its parameter; one that was not given leaves it to the daemon."""
    args = options.build("query", "", options.query).read(["x", *words])

    assert value == getattr(args, name)


def test_an_abbreviated_option_is_unknown() -> None:
    """A script that works today must not change its meaning with a new option."""
    with pytest.raises(Usage):
        options.build("query", "", options.query).read(["x", "--off", "3"])


def test_a_query_imports_nothing_heavy(short_folder: str) -> None:
    """The whole process has to start as fast as a bare socket program."""
    heavy = "asyncio subprocess pathlib tempfile shutil logging threading msgspec apsw rich inspect difflib"
    code = (
        "import sys; from notesd.cli import main, find; from notesd.cli import options as o;"
        "o.build('query', '', o.query).read(['a', '--json']);"
        f"print(*sorted(set({heavy.split()!r}) & set(sys.modules)), end='')"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=short_folder
    )

    assert out.stdout == ""


def test_every_option_of_the_contract_is_in_the_help() -> None:
    """``query`` takes what scripts may rely on."""
    text = options.build("query", "", options.query).format_help()
    promised = (
        "--socket --state-dir --config --space --json -n --limit --offset --folder --tag --type --created "
        "--modified --format -0 --explain --why --wait --vector --no-vector --graph --no-graph --limbic "
        "--no-record"
    )

    assert [word for word in promised.split() if not re.search(rf"(?<![\w-]){word}(?![\w-])", text)] == []


def test_the_program_can_be_run_as_a_module() -> None:
    """``python -m notesd`` is ``notesd``."""
    out = subprocess.run(
        [sys.executable, "-m", "notesd", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )

    assert out.stdout == f"notesd {__version__}\n"
