"""What tests of the semantic channel stand on: the real model where it is installed, fake processes."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import fake_embedder
import pytest
from real_models import folder_with, packed_weights

from notesd.embed.process import EmbeddingProcess, Limits
from notesd.models.manifest import File, Manifest

DIMENSIONS = 16


@pytest.fixture(scope="session")
def real_models() -> str:
    """Folder of real models: ``NOTESD_TEST_MODELS``, filled from the package index, or the user's own."""
    return folder_with("multilingual-e5-small", "all-MiniLM-L6-v2")


@pytest.fixture(scope="session")
def real_weights() -> str:
    """The packed weights that the default model is made of."""
    return packed_weights()


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
        limits = Limits(load_s=60, passage_s=60, question_s=60, back_off_s=0.01, back_off_most_s=0.2)
        facts = {"limits": limits, **more}
        made.append(EmbeddingProcess(str(tmp_path), manifest, command=program, **facts))  # type: ignore[arg-type]  # facts of several kinds
        return made[-1]

    yield start
    for process in made:
        process.close()
