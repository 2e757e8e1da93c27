"""What waits for the embedding process, what is under way, and which text is to blame for its death?

Questions go first. Passages are sent a few ahead, so that the process never waits for us; of those under
way when it dies, the first is the suspect: it goes to the end of the queue and is tried again alone. Twice
the culprit, and a text is set aside; the texts around it are not touched.

Nothing here locks: ``process`` does.
"""

import hashlib
import math
import sys
import threading
from array import array
from collections import deque
from typing import Final, NamedTuple

from notesd.embed.messages import Answer, AskKind
from notesd.errors import counted

AHEAD: Final = 4
"""Passages sent before the first of them is answered."""
STRIKES: Final = 2.0
"""So often to blame, and a text is set aside."""
DOUBT: Final = 0.7
"""Counts instead of a whole strike when something else may have been the cause."""
_REMEMBERED: Final = 256
"""Questions that took the process down."""
_FLOAT_BYTES: Final = 4


class SetAside(NamedTuple):
    """The model has no vector for this text, and trying again will not change that."""

    reason: str


class Unavailable(NamedTuple):
    """The process could not be asked, or did not answer in time. Later it may."""

    reason: str


Result = bytes | tuple[int, ...] | SetAside | Unavailable


class Job:
    """One request and, once ``done`` is set, its result."""

    __slots__ = ("abandoned", "done", "kind", "number", "result", "sent_at", "strikes", "texts")

    def __init__(self, kind: AskKind, texts: tuple[str, ...]) -> None:
        """Nothing has happened yet."""
        self.kind: AskKind = kind
        self.texts = texts
        self.done = threading.Event()
        self.result: Result = Unavailable("not asked yet")
        self.number = 0
        self.sent_at = 0.0
        self.strikes = 0.0
        self.abandoned = False
        """Nobody waits for it any more."""

    def finish(self, result: Result) -> None:
        """Hand the result to whoever waits."""
        self.result = result
        self.done.set()


class Jobs:
    """The queues."""

    def __init__(self, dimensions: int) -> None:
        """Start empty; vectors have to have so many numbers."""
        self.settled = 0
        """Requests answered and texts set aside: it grows as long as there is progress."""
        self._dimensions = dimensions
        self._questions: deque[Job] = deque()
        self._others: deque[Job] = deque()
        self._under_way: dict[int, Job] = {}
        self._culprits: dict[bytes, float] = {}
        self._number = 0
        self._other_answer_at = 0.0

    def put(self, job: Job) -> None:
        """Queue a request; a question that took the process down twice is refused."""
        if job.kind != "query":
            self._others.append(job)
        elif self._culprits.get(_digest(job), 0.0) >= STRIKES:
            job.finish(Unavailable("this question took the embedding process down twice"))
        else:
            self._questions.append(job)

    def take(self, now: float) -> Job | None:
        """Take the next request that is to be sent now."""
        while self._questions:
            job = self._questions.popleft()
            if not job.abandoned:
                return self._send(job, now)
        others = [job for job in self._under_way.values() if job.kind != "query"]
        if not self._others or len(others) >= AHEAD or any(job.strikes for job in others):
            return None
        if others and self._others[0].strikes:
            return None  # a suspect is tried alone
        return self._send(self._others.popleft(), now)

    def _send(self, job: Job, now: float) -> Job:
        self._number += 1
        job.number, job.sent_at = self._number, now
        self._under_way[job.number] = job
        return job

    def accept(self, answer: Answer, now: float) -> None:
        """Take an answer in.

        Raises:
            ValueError: Nobody asked for it.
        """
        job = self._under_way.pop(answer.number, None)
        if job is None:
            raise ValueError("gave an answer to nothing")
        if job.kind != "query":
            self._other_answer_at = now
        failure = answer.failure or self._flaw(job, answer)
        if not failure:
            self.settled += 1
            job.finish(answer.counts if job.kind == "count" else answer.vector)
        elif job.kind == "query":
            job.finish(Unavailable(failure))
        else:
            self._strike(job, 1.0, failure)

    def lost(self, reason: str, *, doubtful: bool) -> None:
        """The process is gone with all that was under way.

        Args:
            reason: What became of it, a whole sentence.
            doubtful: It may have been ended from outside.
        """
        under_way = list(self._under_way.values())
        self._under_way.clear()
        questions = [job for job in under_way if job.kind == "query"]
        others = [job for job in under_way if job.kind != "query"]
        weight = DOUBT if doubtful or (questions and others) else 1.0
        for job in questions:
            digest = _digest(job)
            self._culprits[digest] = self._culprits.pop(digest, 0.0) + weight
            job.finish(Unavailable(reason))
        while len(self._culprits) > _REMEMBERED:
            del self._culprits[next(iter(self._culprits))]
        self._others.extendleft(reversed(others[1:]))
        for job in others[:1]:
            self._strike(job, weight, reason)

    def _strike(self, job: Job, weight: float, reason: str) -> None:
        job.strikes += weight
        if job.strikes >= STRIKES:
            self.settled += 1
            job.finish(SetAside(f"{reason} (tried {counted(math.ceil(job.strikes), 'time')})"))
        else:
            self._others.append(job)

    def refuse_questions(self, reason: str) -> None:
        """Answer all waiting questions with a reason."""
        while self._questions:
            self._questions.popleft().finish(Unavailable(reason))

    def refuse_all(self, reason: str) -> None:
        """Answer everything, under way or not, with a reason."""
        self.refuse_questions(reason)
        for job in (*self._under_way.values(), *self._others):
            job.finish(Unavailable(reason))
        self._under_way.clear()
        self._others.clear()

    def is_idle(self) -> bool:
        """Say whether there is nothing to do and nothing under way."""
        return not (self._questions or self._others or self._under_way)

    def deadline(self, question_s: float, other_s: float) -> float:
        """Return when the process will have been silent for too long; infinite when nothing is under way."""
        ends = [math.inf]
        for job in self._under_way.values():
            if job.kind == "query":
                ends.append(job.sent_at + question_s)
            else:  # they are answered in turn, so each one's time starts with the answer before it
                ends.append(max(job.sent_at, self._other_answer_at) + other_s)
        return min(ends)

    def _flaw(self, job: Job, answer: Answer) -> str:
        """Say what is wrong with an answer, "" when it is good."""
        if job.kind == "count":
            good = len(answer.counts) == len(job.texts) and min(answer.counts, default=0) >= 0
            return "" if good else "the embedding process miscounted"
        numbers = array("f", answer.vector[: len(answer.vector) // _FLOAT_BYTES * _FLOAT_BYTES])
        if sys.byteorder == "big":
            numbers.byteswap()
        if len(answer.vector) != _FLOAT_BYTES * self._dimensions:
            return f"the model gave {len(numbers)} numbers instead of {self._dimensions}"
        if not all(map(math.isfinite, numbers)) or not any(numbers):
            return "the model gave no usable vector for this text (NaN, infinity or zeros)"
        return ""


def _digest(job: Job) -> bytes:
    return hashlib.blake2b(job.texts[0].encode(), digest_size=16).digest()
