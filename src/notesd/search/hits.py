"""What is shown of a note that was found: its facts, the passages that answer, a marked line."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from notesd.index import fulltext, notes
from notesd.index.bodies import Body, bodies
from notesd.index.budget import OverBudget
from notesd.index.notes import NoteId
from notesd.index.store import Reader
from notesd.model import Observation
from notesd.parse.terms import Term
from notesd.search import snippet
from notesd.search.matches import MOST_SHOWN, MOST_TEXT, Sought

PASSAGES = 3
"""Passages shown of a hit."""
READ_TOGETHER = 10
"""Hits of which the text is read at once."""


class Shower:
    """Makes hits of notes: facts, the passages that answer, a marked snippet."""

    def __init__(
        self, reader: Reader, terms: Sequence[Term], note_ids: Sequence[NoteId],
        lines: Mapping[NoteId, int] | None = None,
    ) -> None:  # fmt: skip
        self._reader = reader
        self._terms = terms
        self._stored = notes.stored(reader, note_ids)
        self._tokenizer = fulltext.tokenizer(reader)
        self._sought: dict[fulltext.Tokenizer, Sought] = {}
        self._lines = lines or {}

    def _sought_in(self, language: str | None, observations: Sequence[Observation]) -> Sought:
        """The words as they are looked for in a note, which depends on its language."""
        tokenize = self._tokenizer(language, lambda: snippet.beginning(observations))
        if tokenize not in self._sought:
            self._sought[tokenize] = Sought(self._terms, tokenize)
        return self._sought[tokenize]

    def key(self, note_id: NoteId) -> str:
        """Stable key of a note."""
        return self._stored[note_id].key

    def hits(self, scored: Iterable[tuple[NoteId, Mapping[str, Any]]]) -> list[dict[str, Any]]:
        """Notes as the protocol writes hits, as many of the first as may be afforded."""
        found: list[dict[str, Any]] = []
        try:
            found.extend(self.each(scored))
        except OverBudget:
            self._reader.meter.wind_up()
        return found

    def each(self, scored: Iterable[tuple[NoteId, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
        """Notes as the protocol writes hits, one by one.

        Raises:
            OverBudget: The next one may not be afforded.
        """
        left = iter(scored)
        while some := list(islice(left, READ_TOGETHER)):
            read = bodies(self._reader, [note_id for note_id, _ in some])
            for note_id, scores in some:
                self._reader.meter.check()
                yield self._hit(note_id, read[note_id], scores)

    def _hit(self, note_id: NoteId, body: Body, scored: Mapping[str, Any]) -> dict[str, Any]:
        """One note as the protocol writes a hit, with ``scored``, without ``space`` and ``stale``."""
        note, observations = self._stored[note_id], body.observations
        shown = snippet.answer(
            observations, body.headings, self._sought_in(body.language, observations), PASSAGES,
            MOST_SHOWN if notes.is_document(note_id) else MOST_TEXT,
        )  # fmt: skip
        line = self._lines.get(note_id, 0)
        if line and not any(passage.spans for passage in shown.passages):
            shown = snippet.at_line(observations, line) or shown  # no word of it: what it means stands here
        return {
            "name": note.title,
            "entityType": note.entity_type or "note",
            "path": note.path,
            "line": shown.line,
            "heading": list(shown.heading),
            "observations": [
                {
                    "text": p.text,
                    "line_start": p.line_start,
                    "line_end": p.line_end,
                    "heading": list(p.heading),
                }
                for p in shown.passages
            ],
            "snippet": shown.snippet,
            "tags": list(body.tags),
            "created": note.created,
            "modified": modified_text(note.mtime_ns),
            **scored,
        }


def modified_text(mtime_ns: int) -> str | None:
    """A file's time as ISO 8601 in the local zone, None for a year that no calendar has."""
    with contextlib.suppress(OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(mtime_ns // 1_000_000_000).astimezone().isoformat()
    return None
