"""The real program of the embedding process, with a tiny model: what it promises the machine it runs on."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tiny_model import make_model

from notesd.embed.encoder import Encoder
from notesd.embed.jobs import Unavailable
from notesd.embed.process import EmbeddingProcess
from notesd.models.manifest import Manifest

DEADLINE_S = 300.0
"""Far beyond what anything takes on a busy machine: it ends what hangs."""
TEXTS = ("the bread", "pan de trigo", "日本語 世界", "", "a </s> b")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., EmbeddingProcess]]:
    """Start the real program with a tiny model."""
    manifest = make_model(str(tmp_path / "tiny"), "w8a8")
    made: list[EmbeddingProcess] = []

    def one(known: Manifest = manifest, **more: float) -> EmbeddingProcess:
        made.append(EmbeddingProcess(str(tmp_path / "tiny"), known, **more))  # type: ignore[arg-type]  # numbers only
        return made[-1]

    yield one
    for process in made:
        process.close()


def pid_of(process: EmbeddingProcess) -> int:
    """Return the process's number, once it runs."""
    assert isinstance(process.encode_query("hello", DEADLINE_S), bytes)
    pid = process.state().pid
    assert pid is not None
    return pid


def test_vectors_are_the_encoder_s(start: Callable[..., EmbeddingProcess], tmp_path: Path) -> None:
    """Questions and passages come through unchanged, with their prefixes."""
    process, encoder = start(), Encoder(str(tmp_path / "tiny"))

    vectors = process.encode_passages(TEXTS)

    assert vectors == [encoder.encode_passage(text).tobytes() for text in TEXTS]
    assert process.encode_query("pan", DEADLINE_S) == encoder.encode_query("pan").tobytes()
    assert process.count_tokens(TEXTS) == [encoder.count_tokens(text) for text in TEXTS]
    assert np.frombuffer(b"".join(map(bytes, vectors)), "<f4").shape == (32 * len(TEXTS),)  # type: ignore[arg-type]  # all are bytes


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how a process is ranked")
def test_it_steps_back_for_everybody_else(start: Callable[..., EmbeddingProcess]) -> None:
    """Low priority for passages, normal for questions, and the first to go when memory runs out."""
    pid = pid_of(start())

    nice = sorted(os.getpriority(os.PRIO_PROCESS, int(thread)) for thread in os.listdir(f"/proc/{pid}/task"))

    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, pid) == min(own + 10, 19)
    assert nice[0] == own
    assert Path(f"/proc/{pid}/oom_score_adj").read_text(encoding="ascii").strip() == "500"


def test_it_ends_with_the_daemon(start: Callable[..., EmbeddingProcess]) -> None:
    """When the daemon closes, or its end of the pipe is gone, nothing is left running."""
    process = start()
    pid = pid_of(process)
    child = process._child
    assert child is not None
    process.close()
    child._process.wait(DEADLINE_S)  # a busy machine takes its time to end what was killed

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_it_ends_when_the_daemon_dies(start: Callable[..., EmbeddingProcess]) -> None:
    """A daemon that is killed cannot say goodbye: the closed pipe is enough."""
    process = start()
    pid_of(process)
    child = process._child
    assert child is not None
    os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), child._sink)  # its number is still the child's

    assert child._process.wait(DEADLINE_S) == 0


def test_control_c_is_for_the_daemon(start: Callable[..., EmbeddingProcess]) -> None:
    """The signal of a terminal does not end the process before the daemon does."""
    process = start()
    pid = pid_of(process)
    os.kill(pid, signal.SIGINT)

    assert isinstance(process.encode_query("still there?", DEADLINE_S), bytes)
    assert process.state().pid == pid


def test_a_question_does_not_wait_for_the_passages(start: Callable[..., EmbeddingProcess]) -> None:
    """While a long queue of passages is being encoded, a question is answered among the first."""
    process = start()
    pid_of(process)
    builder = threading.Thread(target=process.encode_passages, args=(["a b c " * 20] * 1500,))
    builder.start()

    answers = [process.encode_query(f"question {at}", DEADLINE_S) for at in range(20)]

    assert builder.is_alive()
    assert all(isinstance(answer, bytes) for answer in answers)
    builder.join()


def test_another_model_in_its_place_is_refused(
    start: Callable[..., EmbeddingProcess], tmp_path: Path
) -> None:
    """Vectors of two models are never mixed: what is loaded is the model that the daemon knows, or none."""
    process = start()
    make_model(str(tmp_path / "tiny"), "q4")

    answer = process.encode_query("hello", DEADLINE_S)

    assert isinstance(answer, Unavailable)
    assert "replaced by another one" in answer.reason


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "manifest.json", "model.onnx.data"])
def test_a_damaged_model_is_named_once_and_heals(
    start: Callable[..., EmbeddingProcess], tmp_path: Path, name: str
) -> None:
    """A file cut off gives a reason that names it; put right, the next question works."""
    path = tmp_path / "tiny" / name
    good = path.read_bytes()
    os.truncate(path, 100)
    process = start()

    answer = process.encode_query("hello", DEADLINE_S)

    assert isinstance(answer, Unavailable)
    assert name in answer.reason
    assert "run: notesd model install tiny" in answer.reason
    assert process.state().name == "down"
    path.write_bytes(good)
    assert isinstance(process.encode_query("hello", DEADLINE_S), bytes)


def test_it_can_be_started_ahead(start: Callable[..., EmbeddingProcess]) -> None:
    """A daemon that expects questions can have the model loaded before the first one."""
    process = start()
    process.warm_up()
    end = time.monotonic() + DEADLINE_S
    while process.state().name != "ready" and time.monotonic() < end:
        threading.Event().wait(0.01)

    assert process.state().name == "ready"
