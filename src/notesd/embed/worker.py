"""The embedding process: loads a model, answers, and takes nothing down with it when it dies.

One thread reads and answers questions itself, so none waits for a passage or for another thread. Passages
are encoded by the main thread at low priority. The end of input ends the process at once, in the middle of
a text too: nothing here is worth keeping.
"""

import contextlib
import os
import queue
import resource
import signal
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

    def answer(self, encoder: "Encoder", ask: Ask) -> None:
        try:
            answer = _answer(encoder, ask)
        except ModelError as error:
            answer = Answer(ask.number, failure=error.message)
        except Exception as error:  # noqa: BLE001 - a text must not end the process
            answer = Answer(ask.number, failure=f"{type(error).__name__}: {error}"[:300])
        self.send(answer)


def main() -> None:
    """Serve until the daemon closes the pipe."""
    source = sys.stdin.buffer
    out = _Out(os.fdopen(os.dup(1), "wb"))
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C in a terminal is meant for the daemon, which then ends us
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
    others: queue.SimpleQueue[Ask | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(encoder, source, others, out), daemon=True).start()
    with contextlib.suppress(OSError):
        os.nice(NICE)  # on Linux of this thread alone; elsewhere of the whole process
    out.send(Ready(encoder.manifest.dimensions, encoder.tokenizer, encoder.remark))
    while (ask := others.get()) is not None:
        out.answer(encoder, ask)


def _read(encoder: "Encoder", source: BinaryIO, others: "queue.SimpleQueue[Ask | None]", out: _Out) -> None:
    """Take requests in; answer questions here and now, and hand on the rest."""
    asks = msgspec.msgpack.Decoder(Ask)
    with contextlib.suppress(OSError, msgspec.DecodeError):
        while (data := receive(source)) is not None:
            ask = asks.decode(data)
            if ask.kind == "query":
                out.answer(encoder, ask)
            else:
                others.put(ask)
    os._exit(0)  # the daemon is gone; a passage that is being encoded is for nobody


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
    return Encoder(hello.folder, hello.threads, hello.pad_to, hello.tokenizer)


def _answer(encoder: "Encoder", ask: Ask) -> Answer:
    if ask.kind == "count":
        return Answer(ask.number, counts=tuple(map(encoder.count_tokens, ask.texts)))
    (text,) = ask.texts
    vector = encoder.encode_query(text) if ask.kind == "query" else encoder.encode_passage(text)
    return Answer(ask.number, vector.astype("<f4").tobytes())


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main()
    os._exit(0)  # without waiting for the other thread
