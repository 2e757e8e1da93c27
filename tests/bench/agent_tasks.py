"""How many calls and characters does it take an agent to find what notes say? By its tools alone.

Usage: ``python tests/bench/agent_tasks.py``; it starts a daemon of its own over a copy of ``sample-vault``.

A scripted agent goes on like a model: it searches, reads the first hits one after the other, and where the
answer is said to be behind a link, follows the links of what it has read. A task is done when it has read the
note that has the answer.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))

from agent import Agent, agent  # noqa: E402 -- found by the line above
from running import running  # noqa: E402 -- as above

TASKS = Path(__file__).with_suffix(".jsonl")
MOST_READ = 3
"""Hits that are read before the agent gives up."""


def tasks() -> list[dict[str, Any]]:
    """What is asked: the words searched for, the note that answers, whether it is behind a link."""
    return [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]


def is_done(asked: Agent, task: dict[str, Any]) -> bool:
    """Work on one task; whether the note that answers was read."""
    hits = asked.told("search_notes", query=task["search"], limit=5)["results"]
    for hit in hits[:MOST_READ]:
        note = asked.told("read_note", note=hit["path"])
        if note["path"] == task["answer"]:
            return True
        ends = [one["target"] for one in note["relations"] if one["target"].endswith(".md")]
        if task.get("behind") and task["answer"] in ends:
            return bool(asked.told("read_note", note=task["answer"])["text"])
    return False


def measured() -> list[tuple[dict[str, Any], bool, int, int]]:
    """Each task with whether it was done, in how many calls, and how many characters were read for it."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "notes"
        shutil.copytree(TESTS.parent / "sample-vault", vault)
        with running(vault) as daemon:
            daemon.paths("settle")
            with agent(daemon.options(), daemon.environment()) as asked:
                for task in tasks():
                    before = (asked.calls, asked.characters)
                    done = is_done(asked, task)
                    found.append((task, done, asked.calls - before[0], asked.characters - before[1]))
    return found


def main() -> None:
    """Print what each task took, and all of them."""
    rows = measured()
    for task, done, calls, characters in rows:
        print(f"{'done' if done else 'LOST'}  {calls:3} calls {characters:7} characters  {task['search']}")
    print(
        f"{sum(done for _, done, *_ in rows)} of {len(rows)} tasks, {sum(row[2] for row in rows)} calls, "
        f"{sum(row[3] for row in rows)} characters"
    )


if __name__ == "__main__":
    main()
