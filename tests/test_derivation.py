"""An index is built anew when the code derives something else, and only then."""

import ast
import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from notesd import derivation

SAME = {
    "a comment": ("def f(a):\n    return a + 1\n", "# why\ndef f(a):\n\n    # indeed\n    return a + 1\n"),
    "a docstring": (
        '"""One."""\ndef f(a):\n    """Two."""\n    return a\n',
        '"""A."""\ndef f(a):\n    """B."""\n    return a\n',
    ),
    "a docstring of a class": (
        'class A:\n    """One."""\n    x = 1\n',
        'class A:\n    """Two."""\n    x = 1\n',
    ),
    "what stands below a field": (
        'class A:\n    x = 1\n    """One."""\n',
        'class A:\n    x = 1\n    """Two."""\n',
    ),
    "a set in another order": ("A = 'x' in {'a', 'b', 'c'}\n", "A = 'x' in {'c', 'b', 'a'}\n"),
}
OTHER = {
    "a constant": ("def f(a):\n    return a + 1\n", "def f(a):\n    return a + 2\n"),
    "a text": ("X = 'one'\n", "X = 'two'\n"),
    "a text that a function returns": ("def f():\n    return 'one'\n", "def f():\n    return 'two'\n"),
    "a type of constant": ("X = 1\n", "X = 1.0\n"),
    "a name": ("def f(a):\n    return a.one\n", "def f(a):\n    return a.two\n"),
    "an operator": ("def f(a):\n    return a < 1\n", "def f(a):\n    return a > 1\n"),
    "a function within": (
        "def f():\n    def g():\n        return 1\n    return g\n",
        "def f():\n    def g():\n        return 3\n    return g\n",
    ),
    "a class": ("class A:\n    x = 'one'\n", "class A:\n    x = 'two'\n"),
}


def digest_of(folder: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Digest one module of that source."""
    name = f"derived{len(list(folder.iterdir()))}"
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    parts = list(derivation._parts(derivation._code(name)))
    return "\n".join(parts).replace(name, "")


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_how_it_is_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one: str, other: str
) -> None:
    """A better sentence is no reason to read a hundred thousand notes again."""
    assert digest_of(tmp_path, one, monkeypatch) == digest_of(tmp_path, other, monkeypatch)


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER.keys())
def test_what_it_does_changes_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one: str, other: str
) -> None:
    """Whatever could derive something else."""
    assert digest_of(tmp_path, one, monkeypatch) != digest_of(tmp_path, other, monkeypatch)


DECIDES_NOTHING = {
    "notesd.errors",  # what is said
    *("notesd.files.paths", "notesd.files.links"),  # where a file is
    # which files there are, not what they say
    *("notesd.files.ignore", "notesd.files.offline", "notesd.files.scan", "notesd.files.changes"),
    "notesd.derivation",
    # how what was derived is kept and asked
    *("notesd.index.store", "notesd.index.filters", "notesd.index.standing", "notesd.index.keys"),
}


def imported(module: str) -> set[str]:
    """Modules of ours that a module imports."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    found: set[str] = set()
    for node in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("notesd"):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name for name in (*whole, node.module or "") if _is_module(name)}
    return found


def _is_module(name: str) -> bool:
    if name in sys.modules and getattr(sys.modules[name], "__file__", None):
        return not hasattr(sys.modules[name], "__path__")
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.submodule_search_locations is None


def test_every_module_that_decides_what_is_derived_is_digested() -> None:
    """All that reading a file, and writing its row, stands on."""
    counted = set(derivation._modules(derivation.INDEXING))
    left = ["notesd.files.reading", "notesd.index.notes", "notesd.index.links", "notesd.index.fulltext"]
    seen: set[str] = set()
    while left:
        module = left.pop()
        if module in seen or module in DECIDES_NOTHING:
            continue
        seen.add(module)
        left += imported(module)
    assert not seen - counted
