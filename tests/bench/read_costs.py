"""What reading a note costs by stage, beside plain markdown-it-py on the same files."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from bench.process_tree import files
from markdown_it import MarkdownIt

from notesd.files.read import decode
from notesd.model import NotePath
from notesd.parse.columns import columns_of
from notesd.parse.note import parse_note

MOST = 2_000
"""Notes that are read, spread evenly over the folder."""
BLOCK = 20
"""Notes that one stage reads before it is the turn of the next."""
PLAIN = "plain markdown-it-py"


def stages(folder: str) -> dict[str, float]:
    """Milliseconds of processor time a note, by stage; in one process, blocks of notes in turn."""
    names = sorted(name for name in files(folder) if name.endswith(".md"))
    names = names[:: len(names) // MOST + 1]
    markdown = MarkdownIt("commonmark").enable("table")
    ways: dict[str, Callable[[Any], Any]] = {
        "read the file": _bytes,
        "decode": lambda data: decode(data)[0],
        PLAIN: markdown.parse,
        "parse": lambda text: parse_note(text, NotePath("note.md")),
        "columns": lambda note: columns_of(note, ("en",)),
    }
    took = dict.fromkeys(ways, 0.0)

    def turn(way: str, given: list[Any]) -> list[Any]:
        began = time.process_time()
        made = [ways[way](one) for one in given]
        took[way] += time.process_time() - began
        return made

    for start in range(0, len(names), BLOCK):
        texts = turn("decode", turn("read the file", names[start : start + BLOCK]))
        turn(PLAIN, texts)
        turn("columns", turn("parse", texts))
    return {way: seconds * 1_000 / max(len(names), 1) for way, seconds in took.items()}


def _bytes(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()


def told(found: Mapping[str, float]) -> list[str]:
    """One line a stage: milliseconds a note, and the ratio to plain markdown-it-py."""
    plain = found[PLAIN] or 1.0
    return [f"{ms:8.3f} ms a note  {ms / plain:5.2f}  {way}" for way, ms in found.items()]
