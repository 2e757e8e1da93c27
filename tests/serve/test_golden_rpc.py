"""The protocol as it is on the wire, request by request.

``NOTESD_GOLDEN=write pytest tests/serve/test_golden_rpc.py`` writes the answers anew; the difference is
to be reviewed as text.
"""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notesd.errors import UnknownNote
from notesd.serve import params, wire
from notesd.serve.listener import Peer

GOLDEN = Path(__file__).parents[1] / "golden" / "rpc" / "conversation.jsonl"
WRITE = os.environ.get("NOTESD_GOLDEN") == "write"

TABLE: dict[str, tuple[type, Callable[[Any], object]]] = {
    "ping": (params.NoParams, lambda _: {"pong": True}),
    "search": (
        params.SearchParams,
        lambda asked: {"query": asked.query, "limit": asked.limit, "tag": asked.tag},
    ),
    "open": (params.OpenParams, lambda asked: {"notes": asked.notes}),
}


async def handle(request: wire.Request, _peer: Peer) -> object:
    """Answer as the daemon would, without any notes."""
    if request.method in {"links", "related"}:
        named: Any = {"links": params.LinksParams, "related": params.RelatedParams}[request.method]
        asked: Any = params.read(request.params, named)
        raise UnknownNote(f'no note is called "{asked.note}"', nearest=["Home"])
    if request.method not in TABLE:
        near = params.nearest(request.method, TABLE)
        raise wire.UnknownMethod(f"no method has this name; did you mean {near}?", nearest=near)
    kind, answer = TABLE[request.method]
    return answer(params.read(request.params, kind))


def test_the_conversation_is_as_recorded(serving: Any) -> None:
    """Every line sent gets exactly the answer on record, in order, on one connection."""
    turns = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    with socket.socket(socket.AF_UNIX) as client, client.makefile("rb") as stream:
        client.settimeout(60)
        client.connect(serving(handle).path)
        for turn in turns:
            client.sendall(turn["send"].encode("utf-8", "surrogateescape") + b"\n")
            turn["got"] = json.loads(stream.readline())
    if WRITE:
        lines = [json.dumps({"send": turn["send"], "answer": turn["got"]}) for turn in turns]
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
        pytest.fail("the answers were written anew: review them, then run again")

    assert [turn["answer"] for turn in turns] == [turn["got"] for turn in turns]
