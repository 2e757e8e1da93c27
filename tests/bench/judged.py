"""What does a judged collection hold? Notes, questions, and which notes answer each of them.

A folder like those of BEIR: ``corpus.jsonl`` (``_id``, ``title``, ``text``) or ``notes.jsonl`` (``path``,
``text``), ``queries.jsonl`` (``_id``, ``text``), each perhaps with ``.gz``, and ``qrels.tsv`` or
``qrels/NAME.tsv`` (question, note, grade). Notes that are unpacked already may take the place of a corpus.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct

_LONGEST = 180
"""Bytes of a file name, without its ending; systems allow 255."""


class Question(Struct, frozen=True):
    """One question with its answers."""

    id: str
    text: str
    gains: dict[str, float]
    """What each note that answers it is worth, by path; positive, never empty."""


class Unusable(Exception):
    """A folder is no judged collection; the message says what it lacks."""


def lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Objects of ``NAME.jsonl`` or ``NAME.jsonl.gz``.

    Raises:
        Unusable: There is neither.
    """
    packed, plain = folder / f"{name}.jsonl.gz", folder / f"{name}.jsonl"
    if not packed.exists() and not plain.exists():
        raise Unusable(f"{folder} has neither {plain.name} nor {packed.name}")
    with gzip.open(packed, "rt", encoding="utf-8") if packed.exists() else plain.open(encoding="utf-8") as f:
        for line in f:
            if line.strip():
                yield json.loads(line)


def path_of(document: str) -> str:
    """The path of the note that a document of a corpus becomes: its id, where that can be a file name."""
    name = quote(document, safe=" ()[]+,;=@").replace("~", "%7E")
    name = f"%2E{name[1:]}" if name.startswith(".") else name
    if len(name) > _LONGEST or not name.strip():
        name = hashlib.sha256(document.encode()).hexdigest()
    return f"{name}.md"


def unpack(folder: Path, target: Path) -> int:
    """Write every document as a note below ``target``; returns how many there are.

    Raises:
        Unusable: The folder holds neither a corpus nor notes.
    """
    count = 0
    for path, text in _documents(folder):
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        count += 1
    return count


def _documents(folder: Path) -> Iterator[tuple[str, str]]:
    if _has(folder, "notes"):
        for one in lines(folder, "notes"):
            yield one["path"], one["text"]
        return
    for one in lines(folder, "corpus"):
        title = " ".join(one.get("title", "").split())
        yield path_of(one["_id"]), f"# {title}\n\n{one['text']}\n" if title else f"{one['text']}\n"


def _has(folder: Path, name: str) -> bool:
    return (folder / f"{name}.jsonl").exists() or (folder / f"{name}.jsonl.gz").exists()


def questions(folder: Path, split: str | None = None) -> list[Question]:
    """The questions that have an answer, in the order of their file.

    Args:
        folder: The collection.
        split: Which file of ``qrels/``; None: ``qrels.tsv``, else ``test.tsv``, else all of them.

    Raises:
        Unusable: Questions or judgements are missing.
    """
    by_id = _has(folder, "corpus") and not _has(folder, "notes")
    gains: dict[str, dict[str, float]] = {}
    for file in _judgements(folder, split):
        for line in file.read_text(encoding="utf-8").splitlines():
            query, document, grade = line.split("\t")[-3:] if line.count("\t") == 2 else _trec(line)
            if _number(grade) > 0:
                path = path_of(document) if by_id else document
                gains.setdefault(query, {})[path] = _number(grade)
    found = [
        Question(one["_id"], one["text"], gains[one["_id"]])
        for one in lines(folder, "queries")
        if one["_id"] in gains
    ]
    if not found:
        raise Unusable(f"{folder} judges no answer to any of its questions")
    return found


def _judgements(folder: Path, split: str | None) -> list[Path]:
    whole, parts = folder / "qrels.tsv", sorted((folder / "qrels").glob("*.tsv"))
    if split:
        found = [file for file in parts if file.stem == split]
    elif whole.exists():
        found = [whole]
    else:
        found = [file for file in parts if file.stem == "test"] or parts
    if not found:
        raise Unusable(f"{folder} has no {f'qrels/{split}.tsv' if split else 'qrels.tsv and no qrels/*.tsv'}")
    return found


def _trec(line: str) -> tuple[str, str, str]:
    """A line with a second column that says nothing, as TREC writes them."""
    parts = line.split()
    return (parts[0], parts[2], parts[3]) if len(parts) == 4 else ("", "", "0")


def _number(grade: str) -> float:
    """A grade; 0 for the word in the line of headings."""
    try:
        return float(grade)
    except ValueError:
        return 0.0


def sample(every: list[Question], count: int | None) -> list[Question]:
    """So many of some questions, evenly spread over the list: the same ones each time."""
    if count is None or count >= len(every):
        return every
    return [every[at * len(every) // count] for at in range(count)]
