"""An agent finds what the sample notes say by our tools alone."""

import pytest
from bench.agent_tasks import measured

pytestmark = pytest.mark.process

TASKS, MOST_CALLS, MOST_CHARACTERS = 40, 100, 130_000
"""How many tasks there are, and what they take together: a little more than when this was written."""


def test_forty_tasks_are_done_in_few_calls() -> None:
    """Single questions, and answers that are behind a link of another note; the benchmark prints each."""
    rows = measured()

    assert len(rows) == TASKS
    assert [task["search"] for task, done, *_ in rows if not done] == []
    assert sum(calls for *_, calls, _ in rows) <= MOST_CALLS
    assert sum(characters for *_, characters in rows) <= MOST_CHARACTERS
