"""What the papers say is what the code does: versions, verbs, keys, errors."""

import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

import notesd
from notesd import errors
from notesd.settings import Config, SpaceConfig

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "src/notesd/manual").glob("*.md"))
}
MANUAL = "\n".join(PAGES.values())
PAPERS = [
    ROOT / "README.md", ROOT / "tests" / "README.md", ROOT / "src" / "notesd" / "README.md",
    *sorted((ROOT / "src" / "notesd" / "manual").glob("*.md")),
]  # fmt: skip
LONGEST_README = 8_192
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def notesd_help(*words: str) -> str:
    """Return the help text of the command or of one verb."""
    return subprocess.run(
        [sys.executable, "-m", "notesd", *words, "--help"],
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def verbs() -> list[str]:
    """Return the verbs that the command line knows, in its own order."""
    found = re.findall(r"^  ([a-z]+) {2,}\S", notesd_help(), re.MULTILINE)
    assert found
    return found


def error_classes() -> list[type[errors.NotesdError]]:
    """Return every error class that the one tree holds."""
    return [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.NotesdError)
    ]


def every_error_with_a_code() -> list[type[errors.NotesdError]]:
    """Return the errors of all packages that have a code of their own."""
    for found in pkgutil.walk_packages(notesd.__path__, "notesd."):
        if found.name.rpartition(".")[2] not in {"__main__", "worker"}:
            importlib.import_module(found.name)
    known, left = set(), [errors.NotesdError]
    while left:
        one = left.pop()
        left += one.__subclasses__()
        if "code" in vars(one) and one.__module__.startswith("notesd."):
            known.add(one)
    return sorted(known, key=lambda one: one.code)


def test_one_version() -> None:
    """Package, project file and changelog agree."""
    newest = re.search(r"^## (\d+\.\d+\.\d+)\b", CHANGELOG, re.MULTILINE)

    assert newest is not None
    assert notesd.__version__ == PYPROJECT["project"]["version"] == newest[1]


def test_the_manual_describes_every_verb() -> None:
    """Each verb of the command line stands in the manual."""
    assert [verb for verb in verbs() if f"notesd {verb}" not in MANUAL] == []


def test_the_manual_describes_no_verb_that_does_not_exist() -> None:
    """The table of verbs holds the verbs there are."""
    table = PAGES["commands"].split("## Verbs", 1)[1].split("\n#", 1)[0]
    described = re.findall(r"^\| `notesd ([a-z]+)", table, re.MULTILINE)

    assert sorted(described) == sorted(verbs())


def test_the_manual_describes_every_option() -> None:
    """Each long option of each verb stands in the manual."""
    options = {option for verb in verbs() for option in re.findall(r"--[a-z][a-z-]+", notesd_help(verb))}

    assert sorted(option for option in options - {"--help"} if option not in MANUAL) == []


def test_the_manual_describes_every_key() -> None:
    """Each key of the configuration stands in the manual."""
    defaults = msgspec.to_builtins(Config())
    keys = {key for name, table in defaults.items() if name != "spaces" for key in table}
    keys |= {field.name for field in msgspec.structs.fields(SpaceConfig)} - {"name"}

    assert sorted(key for key in keys if f"`{key}`" not in MANUAL) == []


def test_the_manual_names_every_method() -> None:
    """Each method of the protocol stands in the manual."""
    from notesd.serve.methods import TABLE

    named = re.search(r"^Methods: (.*?)\.$", MANUAL, re.MULTILINE | re.DOTALL)
    assert named is not None
    assert sorted(re.findall(r"`(\w+)`", named[1])) == sorted(TABLE)


def test_the_readme_is_short() -> None:
    """A visitor reads it whole."""
    assert len(README.encode()) <= LONGEST_README


def test_the_readme_names_every_page_of_the_manual() -> None:
    """Each with a link to it."""
    assert [page for page in PAGES if f"(src/notesd/manual/{page}.md)" not in README] == []


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(paper: Path) -> None:
    """To a file that there is, and to a heading of it."""
    wrong = []
    text = re.sub(
        r"^```.*?^```|`[^`\n]*`", "", paper.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        file = paper.parent / name if name else paper
        headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
        if not file.exists() or (anchor and anchor not in map(slug, headings)):
            wrong.append(target)

    assert wrong == []


def test_the_setup_is_two_commands() -> None:
    """The first code block of the manual holds two commands, and the second one runs the tests."""
    block = re.search(r"^```(?:sh|bash|console)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert block is not None
    commands = [line for line in block[1].splitlines() if line.strip() and not line.startswith("#")]

    assert len(commands) == 2
    assert "sample-vault" in commands[0]
    assert re.search(r"\bNOTESD_TEST_MODELS=\S+ \S*pytest -q\b", commands[1]), (
        "every test, those of real models too"
    )


def test_ci_runs_the_second_command_as_it_stands() -> None:
    """What CI runs is what the manual tells people to run."""
    assert "README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", range(1, 13))
def test_the_manual_marks_every_promise(number: int) -> None:
    """Each of the twelve promises says whether it holds yet."""
    promises = PAGES["promises"].split("## Promises", 1)[1].split("\n## ", 1)[0]

    assert re.search(rf"^\| {number} \| .+ \| (holds|partly|later)\b.* \|$", promises, re.MULTILINE)


def test_the_error_tree_is_drawn_whole() -> None:
    """Every error class stands in the tree that opens its module."""
    assert errors.__doc__ is not None
    assert [one.__name__ for one in error_classes() if one.__name__ not in errors.__doc__] == []


def test_the_manual_lists_every_kind_of_error() -> None:
    """Code and kind of each error class stand in the table, and nothing else does."""
    table = re.findall(r"^\| (-32\d{3}) \| `([a-z_]+)` \| .+ \|$", PAGES["protocol"], re.MULTILINE)

    assert sorted(table) == sorted((str(one.code), one.kind) for one in every_error_with_a_code())


def test_error_codes_are_unique() -> None:
    """No two errors answer with the same code or kind."""
    classes = every_error_with_a_code()

    assert len({one.code for one in classes}) == len(classes)
    assert len({one.kind for one in classes}) == len(classes)


def parameters_of_methods() -> list[str]:
    """The table of parameters: each with the methods that take it and what its value has to be."""
    from notesd.serve.methods import TABLE

    rows: dict[tuple[str, str], list[str]] = {}
    for method, known in TABLE.items():
        for field in msgspec.structs.fields(known.params):
            metas = getattr(field.type, "__metadata__", ())
            value = next((one.description for one in metas if one.description), "")
            needed = "; required" if field.required else ""
            rows.setdefault((field.encode_name, f"{value}{needed}"), []).append(method)
    every = len(TABLE)
    return [
        f"| `{name}` | {'all' if len(of) == every else ', '.join(f'`{one}`' for one in of)} | {value} |"
        for (name, value), of in rows.items()
    ]


def test_the_manual_has_every_parameter_of_every_method() -> None:
    """The table is what the types say, row by row; a failure shows the rows that are to stand there."""
    table = PAGES["protocol"].split("## Parameters", 1)[1].split("\n## ", 1)[0]

    assert [row for row in table.splitlines() if row.startswith("| `")] == parameters_of_methods()


def test_the_manual_has_every_field_of_an_answer_to_search() -> None:
    """In the order in which they are written."""
    from notesd.serve.results import SearchResult

    table = PAGES["protocol"].split("## The answer to a search", 1)[1].split("\n## ", 1)[0]

    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == [
        field.encode_name for field in msgspec.structs.fields(SearchResult)
    ]
