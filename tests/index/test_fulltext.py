"""The full-text index: how it is asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stores import made

from notesd.index import fulltext
from notesd.index.filters import Filters, narrowing
from notesd.index.notes import NoteId
from notesd.index.store import Reader


def test_whatever_is_left_out_the_words_are_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FTS5 can be asked for one note at a time; for each of ten thousand of a folder that took a minute."""
    plans: list[str] = []
    plain = Reader.rows

    def rows(self: Reader, sql: str, args: Sequence[object] = ()) -> list[Any]:
        if "MATCH" in sql:
            plans.extend(row[3] for row in plain(self, f"EXPLAIN QUERY PLAN {sql}", args))
        return plain(self, sql, args)

    monkeypatch.setattr(Reader, "rows", rows)
    narrowed = narrowing(Filters(folder="sub", tags=("x",), matches=("c",), without=Filters(matches=("d",))))
    with made(tmp_path).read() as reader:
        for among in (None, narrowed):
            fulltext.ranked(reader, "a OR b", 10, among)
            fulltext.first_matching(reader, "a OR b", 10, among)
            fulltext.count(reader, "a OR b", among)
            fulltext.count_to(reader, "a OR b", 10, among)
        fulltext.columns_holding(reader, "a", [NoteId(1), NoteId(2)])
        fulltext.matching(reader, "a", [NoteId(1), NoteId(2)])

    asked = [plan for plan in plans if "fulltext VIRTUAL TABLE" in plan]
    assert len(asked) > 8
    assert [plan for plan in asked if ":=" in plan] == []
