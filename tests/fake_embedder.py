"""A stand-in for the embedding process: no model, vectors made of words, and whatever fault a text asks for.

Run as a program: ``python fake_embedder.py DIMENSIONS [HOW TO START]``.
"""

import hashlib
import math
import os
import signal
import struct
import sys
import time
from collections.abc import Callable

import msgspec

from notesd.children.parent import Parent
from notesd.embed.messages import Answer, Ask, Hello, Ready, Refused

FAULTS: dict[str, Callable[[], object]] = {
    "SEGFAULT": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "KILLED": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "EXIT": lambda: os._exit(3),
    "HANG": lambda: time.sleep(3600),
    "STOP": lambda: os.kill(os.getpid(), signal.SIGSTOP),
}


def vector(text: str, dimensions: int) -> bytes:
    """Return a vector that texts with common words share a part of."""
    numbers = [0.0] * dimensions
    for word in text.casefold().split() or ["nothing"]:
        digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
        numbers[int.from_bytes(digest[:4], "big") % dimensions] += 1 if digest[4] & 1 else -1
    length = math.hypot(*numbers) or 1.0
    if not any(numbers):
        numbers[0] = 1.0
    return struct.pack(f"<{dimensions}f", *(number / length for number in numbers))


def main() -> None:
    """Answer like the real one until the input ends."""
    dimensions, how = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    parent = Parent()
    send = parent.send
    first = parent.receive()
    if first is None:
        return
    msgspec.msgpack.decode(first, type=Hello)
    if how in FAULTS:
        FAULTS[how]()
    if how == "REFUSE":
        send(Refused("model.onnx: 1000 bytes instead of 223377; run: notesd model install tiny"))
        return
    send(Ready(dimensions + (how == "WRONG DIMENSION")))
    while (data := parent.receive()) is not None:
        ask = msgspec.msgpack.decode(data, type=Ask)
        text = ask.texts[0]
        for name, fault in FAULTS.items():
            if name in text:
                fault()
        if "SLOW" in text:
            time.sleep(0.1)
        if "GARBAGE" in text:
            os.write(int(sys.argv[-1]), b"\xff\xff\xff\xffnonsense")
        elif ask.kind == "count":
            send(Answer(ask.number, counts=tuple(len(each.split()) for each in ask.texts)))
        elif "NAN" in text:
            send(Answer(ask.number, struct.pack(f"<{dimensions}f", *[math.nan] * dimensions)))
        elif "ZEROS" in text:
            send(Answer(ask.number, bytes(4 * dimensions)))
        elif "SHORT" in text:
            send(Answer(ask.number, bytes(8)))
        elif "FAILS" in text:
            send(Answer(ask.number, failure="MemoryError: no room for this text"))
        elif "STRANGER" in text:
            send(Answer(ask.number + 1000, vector(text, dimensions)))
        else:
            send(Answer(ask.number, vector(text, dimensions)))


if __name__ == "__main__":
    main()
