"""The import contracts hold, and each of them turns red when somebody breaks it."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RED = "BROKEN"

FLOW = "data flows one way"
SEARCH = "inside search: engine > channels > words"
INGEST = "inside ingest: follow > ingest > moves, what is owed"
SPACE = "inside space: meaning > embedding > vectors > space > what it says of itself"
PURE = "pure core"
SQL = "only the stores speak SQL"
CHILDREN = "inside children: both ends speak in frames"
DOOR = "one door to onnxruntime, which keeps it silent"
DOCUMENTS = "one door to native code that reads documents, in a process that may be lost"
LOOP = "one event loop, at the door"
CLIENT = "the client stays light"

IN_FUNCTION = "\n\ndef planted():\n    {}\n"
FOR_TYPES = "\n\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    {}\n"

FAULTS = [
    pytest.param(FLOW, "errors.py", "import notesd.model", id="flow: upwards"),
    pytest.param(FLOW, "model.py", IN_FUNCTION.format("import notesd.config"), id="flow: inside a function"),
    pytest.param(
        FLOW, "config.py", FOR_TYPES.format("from notesd.parse import terms"), id="flow: for types only"
    ),
    pytest.param(FLOW, "parse/terms.py", "import notesd.resolve.names", id="flow: a sibling"),
    pytest.param(FLOW, "files/scan.py", "import notesd.index.store", id="flow: disk knows the index"),
    pytest.param(FLOW, "search/query.py", "import notesd.ingest", id="flow: search reaches ingest"),
    pytest.param(FLOW, "serve/wire.py", "import notesd.daemon", id="flow: the socket knows the daemon"),
    pytest.param(
        SEARCH, "search/query.py", "import notesd.search.lexical", id="search: words know a channel"
    ),
    pytest.param(SEARCH, "search/lexical.py", "import notesd.search.engine", id="search: a channel asks"),
    pytest.param(INGEST, "ingest/moves.py", "import notesd.ingest.ingest", id="ingest: what it stands on"),
    pytest.param(SPACE, "space/lapse.py", "import notesd.space.meaning", id="space: a part knows the whole"),
    pytest.param(
        CHILDREN, "children/frames.py", "import notesd.children.child", id="children: frames know an end"
    ),
    pytest.param(PURE, "model.py", "import os", id="pure: the system"),
    pytest.param(PURE, "parse/terms.py", IN_FUNCTION.format("import time"), id="pure: a clock in a function"),
    pytest.param(PURE, "resolve/names.py", FOR_TYPES.format("import socket"), id="pure: for types only"),
    pytest.param(PURE, "search/snippet.py", "import logging", id="pure: a log"),
    pytest.param(PURE, "files/changes.py", "import threading", id="pure: a thread"),
    pytest.param(SQL, "ingest/ingest.py", "import apsw", id="SQL: ingest"),
    pytest.param(SQL, "search/engine.py", IN_FUNCTION.format("import apsw"), id="SQL: search"),
    pytest.param(DOOR, "embed/encoder.py", "import onnxruntime", id="door: the encoder"),
    pytest.param(DOOR, "cli/models.py", IN_FUNCTION.format("import onnxruntime"), id="door: in a function"),
    pytest.param(DOCUMENTS, "files/pool.py", "import pypdfium2", id="documents: the daemon"),
    pytest.param(LOOP, "ingest/ingest.py", "import asyncio", id="loop: ingest"),
    pytest.param(LOOP, "files/watch.py", IN_FUNCTION.format("import asyncio"), id="loop: the watcher"),
    pytest.param(CLIENT, "cli/main.py", "import msgspec", id="client: a heavy library"),
    pytest.param(CLIENT, "serve/client.py", "import notesd.index.store", id="client: the index"),
    pytest.param(CLIENT, "cli/main.py", "import notesd.config", id="client: a library at one remove"),
]

NEW_MODULES = [
    pytest.param(FLOW, "util.py", id="flow: a module without a place"),
    pytest.param(SEARCH, "search/more.py", id="search: a module without a place"),
    pytest.param(INGEST, "ingest/more.py", id="ingest: a module without a place"),
    pytest.param(SPACE, "space/more.py", id="space: a module without a place"),
    pytest.param(CHILDREN, "children/more.py", id="children: a module without a place"),
]


def lint(folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts of ``folder`` on its own ``src``."""
    command = shutil.which("lint-imports", path=os.path.dirname(sys.executable)) or "lint-imports"
    return subprocess.run(
        [command, "--no-logo", "--cache-dir", str(cache)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def contracts() -> list[str]:
    """Return the names of all contracts."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Share what the linter learned of unchanged modules."""
    return tmp_path_factory.mktemp("import-cache")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy the product, to plant a fault in it."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_contract_is_kept(cache: Path) -> None:
    """The product as it stands keeps all contracts."""
    result = lint(ROOT, cache)

    assert result.returncode == 0, result.stdout + result.stderr
    assert f"Contracts: {len(contracts())} kept, 0 broken." in result.stdout


@pytest.mark.parametrize(("contract", "module", "fault"), FAULTS)
def test_a_planted_import_is_seen(copy: Path, cache: Path, contract: str, module: str, fault: str) -> None:
    """One forbidden import breaks the contract that forbids it."""
    file = copy / "src" / "notesd" / module
    file.write_text(file.read_text(encoding="utf-8") + f"\n{fault}\n", encoding="utf-8")
    result = lint(copy, cache)

    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{contract} {RED}" in result.stdout


@pytest.mark.parametrize(("contract", "module"), NEW_MODULES)
def test_a_module_without_a_place_is_seen(copy: Path, cache: Path, contract: str, module: str) -> None:
    """A new module has to be given its layer before anything passes."""
    (copy / "src" / "notesd" / module).write_text('"""Anything."""\n', encoding="utf-8")
    result = lint(copy, cache)

    assert result.returncode != 0
    assert f"{contract} {RED}" in result.stdout


def test_every_contract_has_a_planted_fault() -> None:
    """No contract stands in the settings without a proof that it can fail."""
    assert {str(fault.values[0]) for fault in FAULTS} == set(contracts())


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        pytest.param('LOADED = open("notes.md").read()', "PTH123", id="open"),
        pytest.param(
            'from pathlib import Path\n\nLOADED = Path("notes.md").read_text()', "TID251", id="Path"
        ),
        pytest.param("import time\n\nNOW = time.time()", "TID251", id="clock"),
        pytest.param("from notesd import errors\nfrom . import model", "TID252", id="relative import"),
    ],
)
def test_what_the_contracts_cannot_see_the_linter_sees(copy: Path, fault: str, rule: str) -> None:
    """Reading a file or the clock in a pure module without an import of os is an error of ruff."""
    file = copy / "src" / "notesd" / "resolve" / "planted.py"
    file.write_text(f'"""Planted."""\n\n{fault}\n', encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", str(file)],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 1
    assert f" {rule} " in result.stdout
