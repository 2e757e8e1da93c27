"""The daemon gets its vectors, whatever becomes of the process that makes them."""

import os
import signal
import struct
import threading
import time
from collections.abc import Callable

import fake_embedder
import pytest

from notesd.embed import process as module
from notesd.embed.jobs import SetAside, Unavailable
from notesd.embed.process import EmbeddingProcess, Limits
from notesd.models.failures import ModelDown, TextRefused

DIMENSIONS = 16
HASTY = Limits(load_s=60, passage_s=2, question_s=2, back_off_s=0.01, back_off_most_s=0.2)
"""For tests in which something hangs; no other text takes as long, however busy the machine is."""
Fake = Callable[..., EmbeddingProcess]


def expected(text: str) -> bytes:
    """Return what the fake process makes of a text."""
    return fake_embedder.vector(text, DIMENSIONS)


def wait_for(process: EmbeddingProcess, name: str, timeout_s: float = 300.0) -> None:
    """Wait until the process is in a state."""
    end = time.monotonic() + timeout_s
    while process.state().name != name:
        assert time.monotonic() < end, process.state()
        threading.Event().wait(0.005)


def test_a_question_gets_its_vector(fake: Fake) -> None:
    """The process starts when it is needed, and answers."""
    process = fake()
    assert process.state().name == "off"

    assert process.encode_query("bread and butter", timeout_s=60) == expected("bread and butter")
    assert process.state().name == "ready"


def test_passages_keep_their_order(fake: Fake) -> None:
    """A hundred passages give a hundred vectors, each its own."""
    texts = [f"passage {at}" for at in range(100)]

    assert fake().encode_passages(texts) == [expected(text) for text in texts]


def test_tokens_are_counted(fake: Fake) -> None:
    """Counting goes the same way."""
    process = fake()

    assert process.count_tokens(["one two", "", "one two three"]) == [2, 0, 3]
    assert process.count_tokens([]) == []


def test_many_threads_ask_at_once(fake: Fake) -> None:
    """Questions and passages from many threads are not mixed up."""
    process = fake()
    wrong: list[str] = []

    def ask(name: str) -> None:
        for at in range(20):
            text = f"{name} {at}"
            if process.encode_query(text, 60) != expected(text):
                wrong.append(text)
            if process.encode_passages([text, text + " x"]) != [expected(text), expected(text + " x")]:
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(f"thread{at}",)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


@pytest.mark.parametrize("fault", ["SEGFAULT", "EXIT", "HANG", "STOP", "KILLED", "GARBAGE", "STRANGER"])
def test_a_poisonous_passage_costs_only_itself(fake: Fake, fault: str) -> None:
    """The text that takes the process down is set aside, with the reason; its neighbours are encoded."""
    texts = (
        [f"before {at}" for at in range(3)] + [f"this one is {fault}"] + [f"after {at}" for at in range(6)]
    )

    results = fake(limits=HASTY).encode_passages(texts)

    assert [at for at, result in enumerate(results) if not isinstance(result, bytes)] == [3]
    assert isinstance(results[3], SetAside)
    assert "the embedding process" in results[3].reason
    assert [results[at] for at in (0, 2, 4, 9)] == [expected(texts[at]) for at in (0, 2, 4, 9)]


@pytest.mark.parametrize("flaw", ["NAN", "ZEROS", "SHORT", "FAILS"])
def test_a_useless_vector_is_never_handed_on(fake: Fake, flaw: str) -> None:
    """NaN, zeros, a wrong length or a failure set the text aside and cost no restart."""
    process = fake()
    process.encode_query("start", 60)
    pid = process.state().pid

    results = process.encode_passages(["good", f"bad {flaw}", "good too"])

    assert isinstance(results[1], SetAside)
    assert (results[0], results[2]) == (expected("good"), expected("good too"))
    assert process.state().pid == pid


def test_several_poisonous_passages(fake: Fake) -> None:
    """Each culprit is found, and only they."""
    texts = [f"EXIT {at}" if at in (0, 5, 6, 11) else f"fine {at}" for at in range(12)]

    results = fake().encode_passages(texts)

    assert [at for at, result in enumerate(results) if isinstance(result, SetAside)] == [0, 5, 6, 11]


@pytest.mark.parametrize("fault", ["SEGFAULT", "EXIT", "GARBAGE"])
def test_a_poisonous_question_gets_a_reason_and_passages_go_on(fake: Fake, fault: str) -> None:
    """A question that kills the process twice is refused from then on, without another restart."""
    process = fake()
    process.encode_query("start", 60)

    for _ in range(2):
        assert isinstance(process.encode_query(fault, 60), Unavailable)
        assert process.encode_passages(["fine"]) == [expected("fine")]
    pid = process.state().pid
    refused = process.encode_query(fault, 60)

    assert isinstance(refused, Unavailable)
    assert "twice" in refused.reason
    assert process.state().pid == pid


def test_a_question_is_never_waited_for_beyond_its_time(fake: Fake) -> None:
    """A process that hangs holds nobody up, and is replaced."""
    process = fake(limits=HASTY)
    process.encode_query("start", 60)

    answer = process.encode_query("HANG", timeout_s=0.2)

    assert isinstance(answer, Unavailable)
    assert "gave no answer within 0.2 s" in answer.reason, "nobody waited for the process to be given up"
    assert process.encode_passages(["later"]) == [expected("later")]


def test_a_stopped_process_is_replaced(fake: Fake) -> None:
    """A process that somebody stopped is noticed by its silence."""
    process = fake(limits=HASTY)
    process.encode_query("start", 60)
    pid = process.state().pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)

    assert isinstance(process.encode_query("hello", 0.1), Unavailable)
    assert process.encode_passages(["later"]) == [expected("later")]
    assert process.state().pid != pid


def test_killed_twenty_times_a_build_still_completes(fake: Fake) -> None:
    """Whoever kills the process again and again delays the vectors and loses none."""
    process = fake()
    texts = [f"note {at}" + " SLOW" * (at % 10 == 0) for at in range(200)]
    results: list[object] = []
    builder = threading.Thread(target=lambda: results.extend(process.encode_passages(texts)))
    builder.start()
    killed: set[int] = set()
    while len(killed) < 20 and builder.is_alive():
        pid = process.state().pid
        if pid and pid not in killed:
            killed.add(pid)
            threading.Event().wait(0.05)
            os.kill(pid, signal.SIGKILL)
    builder.join(300)

    assert results == [expected(text) for text in texts]


def test_a_model_that_cannot_be_loaded_is_not_tried_again_and_again(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the process says of the model is what everybody is told, at once, without a restart storm."""
    process = fake("REFUSE")

    first = process.encode_query("hello", 60)
    monkeypatch.setattr(module, "Child", None)  # another one could not be started
    results = process.encode_passages(["one", "two"])

    assert isinstance(first, Unavailable)
    assert "run: notesd model install" in first.reason
    assert results == [first, first]
    assert process.state() == ("down", first.reason, None)


def test_a_mended_model_is_tried_at_once(fake: Fake, tmp_path: object) -> None:
    """When the files of a refused model change, the next request tries again."""
    process = fake("REFUSE")
    process.encode_query("hello", 60)
    started = []
    process._command = (*process._command[:-1], "")  # the same program, now content with the model
    started.append(isinstance(process.encode_query("hello", 60), Unavailable))
    with open(f"{tmp_path}/model.onnx", "w", encoding="ascii") as sink:
        sink.write("new")

    assert process.encode_query("hello", 60) == expected("hello")
    assert started == [True]


def test_another_dimension_is_refused(fake: Fake) -> None:
    """A model with other dimensions than the index knows gives reasons, no vectors."""
    answer = fake("WRONG DIMENSION").encode_query("hello", 60)

    assert isinstance(answer, Unavailable)
    assert "17 numbers instead of 16" in answer.reason


@pytest.mark.parametrize("how", ["SEGFAULT", "EXIT"])
def test_a_process_that_dies_while_loading_is_given_up_for_a_while(fake: Fake, how: str) -> None:
    """Passages are not kept waiting for a process that never comes up; none is blamed."""
    process = fake(how)

    results = process.encode_passages(["one", "two"])

    assert all(isinstance(result, Unavailable) for result in results)
    assert process.state().name == "down"
    with pytest.raises(ModelDown):
        process.count_tokens(["one"])


def test_a_program_that_is_not_there(fake: Fake) -> None:
    """No program, no vectors, a reason."""
    process = fake(command=("/does/not/exist",))

    (result,) = process.encode_passages(["one"])

    assert isinstance(result, Unavailable)
    assert "could not be started" in result.reason


def test_a_program_that_speaks_nonsense(fake: Fake) -> None:
    """Any other program in its place is found out."""
    process = fake(command=("/bin/echo", "hello, this is not a frame"))

    (result,) = process.encode_passages(["one"])

    assert isinstance(result, Unavailable)


def test_a_text_that_cannot_be_counted(fake: Fake) -> None:
    """A text that kills the tokenizer is named, not retried for ever."""
    with pytest.raises(TextRefused, match="status 3"):
        fake().count_tokens(["EXIT"])


def test_the_process_ends_when_nobody_asks(fake: Fake) -> None:
    """Its memory is given back after a while, and the next question starts it again."""
    process = fake(idle_s=0.05)
    process.encode_query("hello", 60)
    wait_for(process, "off")

    assert process.encode_query("hello again", 60) == expected("hello again")


def test_a_question_while_the_model_is_loaded(fake: Fake) -> None:
    """A question does not wait for the model beyond its time, and is told why."""
    process = fake("HANG")

    answer = process.encode_query("hello", 0.1)

    assert isinstance(answer, Unavailable)
    assert "still being loaded" in answer.reason


def test_closing_ends_every_wait(fake: Fake) -> None:
    """Whoever waits when the daemon closes gets a reason at once, and so does whoever comes later."""
    process = fake(limits=Limits(passage_s=600, question_s=600))
    process.encode_query("start", 60)
    results: list[object] = []
    waiting = threading.Thread(target=lambda: results.extend(process.encode_passages(["HANG", "x"])))
    waiting.start()
    threading.Event().wait(0.05)

    process.close()
    waiting.join(60)

    assert all(isinstance(result, Unavailable) for result in results)
    assert len(results) == 2
    assert process.encode_query("late", 1) == Unavailable("notesd is shutting down")
    process.close()


def test_halves_of_characters_are_replaced(fake: Fake) -> None:
    """A question with half a surrogate pair is a question all the same."""
    assert fake().encode_query("a \ud83d b", 60) == expected("a \ufffd b")


def test_vectors_are_little_endian_floats(fake: Fake) -> None:
    """Four bytes a number, of length 1."""
    vector = fake().encode_query("one two three", 60)
    assert isinstance(vector, bytes)

    assert sum(number**2 for number in struct.unpack(f"<{DIMENSIONS}f", vector)) == pytest.approx(1.0)
