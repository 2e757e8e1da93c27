"""The embedding process: loads a model, answers, and takes nothing down with it when it dies.

Questions have a thread of their own, so one is answered while a passage is being encoded. Passages and
everything else run at low priority. The end of input ends the process at once, in the middle of a text too:
nothing here is worth keeping.
"""

import contextlib
import os
import queue
import resource
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from notesd.embed.failures import ExtraMissing, ModelBad, ModelError
from notesd.embed.frames import Answer, Ask, Hello, Ready, Refused, frame, receive
from notesd.embed.manifest import read

if TYPE_CHECKING:
    from notesd.embed.encoder import Encoder

MEMORY_BYTES: Final = 4 << 30
"""Address space; a text that wants more fails instead of driving the machine into swapping."""
NICE: Final = 10
OOM_SCORE: Final = "500"
"""When memory runs out the system is to end this process, not the daemon or an editor."""


class _Out:
    """Standard output, one frame at a time."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def send(self, value: Ready | Refused | Answer) -> None:
        with self._lock:
            self._pipe.write(frame(value))
            self._pipe.flush()


def main() -> None:
    """Serve until the daemon closes the pipe."""
    source = sys.stdin.buffer
    out = _Out(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # whatever a library prints must not look like an answer
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write(OOM_SCORE)
    first = receive(source)
    if first is None:
        return
    try:
        encoder = _load(msgspec.msgpack.decode(first, type=Hello))
    except ModelError as error:
        out.send(Refused(error.message))
        return
    questions: queue.SimpleQueue[Ask] = queue.SimpleQueue()
    others: queue.SimpleQueue[Ask] = queue.SimpleQueue()
    threading.Thread(target=_serve, args=(encoder, questions, out), daemon=True).start()
    with contextlib.suppress(OSError):
        os.nice(NICE)  # on Linux this thread and those it starts from here on; elsewhere the whole process
    threading.Thread(target=_serve, args=(encoder, others, out), daemon=True).start()
    out.send(Ready(encoder.manifest.dimensions))
    asks = msgspec.msgpack.Decoder(Ask)
    while (data := receive(source)) is not None:
        ask = asks.decode(data)
        (questions if ask.kind == "query" else others).put(ask)


def _load(hello: Hello) -> "Encoder":
    """Load the model that the daemon means, or say why not."""
    found = {(file.name, file.sha256) for file in read(hello.folder).files}
    if found != set(hello.files):
        raise ModelBad("the model was replaced by another one while notesd ran; restart the daemon")
    try:
        from notesd.embed.encoder import Encoder  # noqa: PLC0415 - it needs packages that may be missing
    except ImportError as error:
        raise ExtraMissing(
            f'the packages that run models are not installed ({error}); run: pip install "notesd[semantic]"'
        ) from None
    return Encoder(hello.folder, hello.threads, hello.pad_to)


def _serve(encoder: "Encoder", asks: "queue.SimpleQueue[Ask]", out: _Out) -> None:
    """Answer one request after the other."""
    while True:
        ask = asks.get()
        try:
            answer = _answer(encoder, ask)
        except ModelError as error:
            answer = Answer(ask.number, failure=error.message)
        except Exception as error:  # noqa: BLE001 - a text must not end the process
            answer = Answer(ask.number, failure=f"{type(error).__name__}: {error}"[:300])
        try:
            out.send(answer)
        except OSError:
            return  # the daemon is gone; the end of input follows


def _answer(encoder: "Encoder", ask: Ask) -> Answer:
    if ask.kind == "count":
        return Answer(ask.number, counts=tuple(map(encoder.count_tokens, ask.texts)))
    (text,) = ask.texts
    vector = encoder.encode_query(text) if ask.kind == "query" else encoder.encode_passage(text)
    return Answer(ask.number, vector.astype("<f4").tobytes())


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main()
    os._exit(0)  # without waiting for a text that is being encoded
