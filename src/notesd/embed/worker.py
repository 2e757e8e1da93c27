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
import threading
from typing import TYPE_CHECKING, Final

import msgspec

from notesd.children.frames import FrameError
from notesd.children.parent import Parent
from notesd.embed.messages import Answer, Ask, Hello, Ready, Refused
from notesd.models.failures import ExtraMissing, ModelBad, ModelError
from notesd.models.manifest import read

if TYPE_CHECKING:
    from notesd.embed.encoder import Encoder

MEMORY_BYTES: Final = 4 << 30
"""Address space; a text that wants more fails instead of driving the machine into swapping."""
NICE: Final = 10
OOM_SCORE: Final = "500"
"""When memory runs out the system is to end this process, not the daemon or an editor."""


def main() -> None:
    """Serve until the daemon closes the pipe."""
    parent = Parent()
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C in a terminal is meant for the daemon, which then ends us
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write(OOM_SCORE)
    first = parent.receive()
    if first is None:
        return
    try:
        encoder = _load(msgspec.msgpack.decode(first, type=Hello))
    except ModelError as error:
        parent.send(Refused(error.message))
        return
    others: queue.SimpleQueue[Ask | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(encoder, parent, others), daemon=True).start()
    with contextlib.suppress(OSError):
        os.nice(NICE)  # on Linux of this thread alone; elsewhere of the whole process
    parent.send(Ready(encoder.manifest.dimensions, encoder.tokenizer, encoder.remark))
    while (ask := others.get()) is not None:
        parent.send(_answer(encoder, ask))


def _read(encoder: "Encoder", parent: Parent, others: "queue.SimpleQueue[Ask | None]") -> None:
    """Take requests in; answer questions here and now, and hand on the rest."""
    asks = msgspec.msgpack.Decoder(Ask)
    with contextlib.suppress(OSError, FrameError, msgspec.DecodeError):
        while (data := parent.receive()) is not None:
            ask = asks.decode(data)
            if ask.kind == "query":
                parent.send(_answer(encoder, ask))
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
    return Encoder(hello.folder, hello.threads, hello.pad_to)


def _answer(encoder: "Encoder", ask: Ask) -> Answer:
    try:
        return _result(encoder, ask)
    except ModelError as error:
        return Answer(ask.number, failure=error.message)
    except Exception as error:  # noqa: BLE001 - a text must not end the process
        return Answer(ask.number, failure=f"{type(error).__name__}: {error}"[:300])


def _result(encoder: "Encoder", ask: Ask) -> Answer:
    if ask.kind == "count":
        return Answer(ask.number, counts=tuple(map(encoder.count_tokens, ask.texts)))
    (text,) = ask.texts
    vector = encoder.encode_query(text) if ask.kind == "query" else encoder.encode_passage(text)
    return Answer(ask.number, vector.astype("<f4").tobytes())


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main()
    os._exit(0)  # without waiting for the other thread
