"""The shape of the code: small modules, small functions, each with its question."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
EXCUSE = re.compile(r"^#\s*(noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*|type:\s*ignore\[[a-z, -]+\])")
NO_NAMES = {"util", "utils", "helper", "helpers", "common", "base", "manager", "managers", "misc", "core"}

STILL_TWICE = {
    "Answer", "Answering", "Body", "Companion", "Cursor", "Entry", "Found", "Hello",
    "Job", "Judged", "Known", "Ledger", "Limits", "Near", "Opened", "Opening", "Page", "Part",
    "Passage", "Place", "Placed", "Reading", "Request", "Space", "Standing", "State",
    "Target", "Trace", "Tree", "Wanted",
}  # fmt: skip
"""Names of classes that stand for two things yet; none may be added, and what is renamed goes from here."""

each_module = pytest.mark.parametrize(
    "module", [pytest.param(file, id=str(file.relative_to(ROOT / "src"))) for file in SOURCES]
)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@each_module
def test_modules_are_short(module: Path) -> None:
    """A module that outgrows 400 lines is two rooms."""
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MAX_MODULE_LINES


@each_module
def test_functions_are_short(module: Path) -> None:
    """A function fits on a screen."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in functions(tree)
        if node.end_lineno is not None and node.end_lineno - node.lineno >= MAX_FUNCTION_LINES
    }

    assert long == {}


@each_module
def test_every_module_says_what_it_is_for(module: Path) -> None:
    """The first thing in a module is its docstring."""
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


@each_module
def test_no_module_is_a_drawer(module: Path) -> None:
    """What belongs to nothing in particular belongs to the noun it serves."""
    words = {
        word
        for part in module.relative_to(ROOT / "src").with_suffix("").parts
        for word in part.lower().split("_")
    }

    assert not words & NO_NAMES


@each_module
def test_every_package_has_its_docstring_and_nothing_else(module: Path) -> None:
    """Names are imported from the module that defines them; ``__init__`` re-exports nothing."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    code = [
        node
        for node in tree.body[1:]
        if not (
            isinstance(node, ast.Assign)
            and [ast.unparse(target) for target in node.targets] == ["__version__"]
        )
    ]

    assert module.name != "__init__.py" or code == []


def test_every_folder_is_a_package() -> None:
    """No folder of the product is an implicit namespace."""
    assert [file for file in SOURCES if not (file.parent / "__init__.py").is_file()] == []


@pytest.mark.parametrize(
    "file", [pytest.param(file, id=str(file.relative_to(ROOT))) for file in SOURCES + TESTS]
)
def test_every_excuse_has_its_reason(file: Path) -> None:
    """A ``noqa`` or ``type: ignore`` says on its line why it has to be."""
    text = file.read_text(encoding="utf-8")
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and re.match(r"#\s*(noqa|type:\s*ignore)", token.string)
    ]
    bare = [comment for comment in comments if len(re.findall(r"\w+", EXCUSE.sub("", comment))) < 2]

    assert bare == []


@pytest.mark.parametrize("file", [pytest.param(file, id=str(file.relative_to(ROOT))) for file in TESTS])
def test_every_test_states_its_promise(file: Path) -> None:
    """Each test function has a docstring."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    silent = [
        node.name for node in functions(tree) if node.name.startswith("test_") and not ast.get_docstring(node)
    ]

    assert silent == []


def test_nobody_reaches_through_a_space() -> None:
    """What follows a folder is the space's own matter: others ask the space, or listen to it."""
    rooms = [ROOT / "src/notesd/space/space.py", ROOT / "src/notesd/space/public.py"]
    rooms.append(ROOT / "src/notesd/space/followed.py")
    reaching = [
        f"{module.relative_to(ROOT)}:{node.lineno}"
        for module in SOURCES
        if module not in rooms
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "follower"
    ]

    assert reaching == []


def test_no_class_name_stands_for_two_things() -> None:
    """A public class has a name of its own; the list of those that have none only shrinks."""
    rooms: dict[str, int] = {}
    for module in SOURCES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                rooms[node.name] = rooms.get(node.name, 0) + 1

    assert {name for name, times in rooms.items() if times > 1} == STILL_TWICE
