"""Pages of the weights are given back, and nothing but pages that can be read again."""

import mmap
import re
import sys
from pathlib import Path

import pytest

from notesd.embed.mapped import TOKENS, MappedWeights

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is given back elsewhere")
DATA = bytes(range(256)) * 4096


def resident(path: Path) -> int:
    """Return how many bytes of a mapped file are in our memory."""
    maps = Path("/proc/self/smaps").read_text(encoding="utf-8")
    found = re.findall(
        rf" {re.escape(str(path))}\n(?:Size|KernelPageSize|MMUPageSize).*?Rss: +(\d+)", maps, re.DOTALL
    )
    return 1024 * sum(map(int, found))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of a megabyte."""
    path = tmp_path / "model.onnx.data"
    path.write_bytes(DATA)
    return path


def test_pages_are_given_back_now_and_then(file: Path) -> None:
    """At once when the model is loaded, then after so many tokens; what is read stays the same."""
    with file.open("rb") as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert mapped[:] == DATA
        assert resident(file) == len(DATA)
        weights = MappedWeights(str(file))
        assert (weights.size, resident(file)) == (len(DATA), 0)

        assert mapped[:] == DATA
        weights.used(TOKENS - 1)
        assert resident(file) == len(DATA)
        weights.used(1)
        assert resident(file) == 0
        assert mapped[:] == DATA


def test_what_was_written_to_is_kept(file: Path) -> None:
    """A mapping that somebody changed in memory is left alone."""
    with file.open("rb") as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_COPY) as mapped:
        mapped[5000:5003] = b"new"
        weights = MappedWeights(str(file))
        weights.used(TOKENS)

        assert weights.size == 0
        assert mapped[5000:5003] == b"new"


def test_a_file_that_is_not_mapped(file: Path) -> None:
    """Weights inside the model's own file are not mapped; there is nothing to do."""
    weights = MappedWeights(str(file))
    weights.used(TOKENS)

    assert weights.size == 0
    assert MappedWeights(str(file / "missing")).size == 0
