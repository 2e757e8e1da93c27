r"""What each verb prints for a given answer of the daemon.

``NOTESD_GOLDEN=write pytest tests/cli/test_golden_cli.py`` writes the outputs anew; the difference is
to be reviewed as text. In the file a command begins with ``$``, a line of standard error with ``!``,
and an exit status other than 0 stands in brackets. Bytes that are not UTF-8 and controls are shown as
``\xNN``.
"""

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from notesd.cli import main
from notesd.errors import UnknownSpace
from notesd.serve import params, wire
from notesd.serve.listener import Peer

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
TRANSCRIPT = GOLDEN / "verbs.txt"
ANSWERS = json.loads((GOLDEN / "answers.json").read_text(encoding="utf-8"))
COMMANDS = [line for line in TRANSCRIPT.read_text(encoding="utf-8").splitlines() if line.startswith("$ ")]
KINDS: dict[str, type[Struct]] = {
    "search": params.SearchParams,
    "feed": params.FeedParams,
    "open": params.OpenParams,
    "links": params.LinksParams,
    "related": params.RelatedParams,
    "properties": params.PropertiesParams,
    "status": params.SpaceParams,
    "rescan": params.RescanParams,
}


async def handle(request: wire.Request, _peer: Peer) -> object:
    """Answer from the file, after looking at the parameters as the daemon does."""
    asked: Any = params.read(request.params, KINDS.get(request.method, params.SpaceParams))
    if request.method != "status" and asked.space not in (None, "home", ["home"]):
        raise UnknownSpace(f"no space is called {asked.space}; there is home")
    special = (
        f"{request.method} {getattr(asked, 'query', getattr(asked, 'note', getattr(asked, 'name', '')))}"
    )
    return ANSWERS.get(special, ANSWERS[request.method])


def _transcript(command: str, socket: str, capture: pytest.CaptureFixture[bytes]) -> str:
    """Run one command and write down what it printed."""
    status = main.main([*shlex.split(command)[2:], "--socket", socket])
    out, err = (
        part.decode("utf-8", "backslashreplace").replace(socket, "SOCKET") for part in capture.readouterr()
    )
    lines = [command, *out.replace("\0", "\\0").splitlines()]
    lines += [f"! {line}" for line in err.splitlines()]
    if status:
        lines.append(f"[{status}]")
    return "\n".join(lines) + "\n"


def _visible(raw: bytes) -> str:
    """Return what a command printed, with everything but line ends visible."""
    text = raw.decode("utf-8", "backslashreplace")
    return re.sub(r"[\x00-\x09\x0b-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def _recorded() -> dict[str, str]:
    """Return the text on record for each command."""
    blocks = ("\n" + TRANSCRIPT.read_text(encoding="utf-8")).split("\n$ ")[1:]
    return {f"$ {block.partition(chr(10))[0]}": f"$ {block.rstrip(chr(10))}\n" for block in blocks}


def test_each_verb_prints_what_is_on_record(serving: Any, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Standard output, standard error and exit status, to the byte."""
    path = serving(handle).path
    printed = {command: _transcript(command, path, capsysbinary) for command in COMMANDS}
    if os.environ.get("NOTESD_GOLDEN") == "write":
        TRANSCRIPT.write_text("\n".join(printed.values()), encoding="utf-8")
        pytest.fail("the outputs were written anew: review them, then run again")

    assert _recorded() == printed
