"""The answer of ``related``: which signals had a say, why the others had none, and what came of faults."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notesd.errors import Busy, StoreCorrupt, StoreError, UnknownNote
from notesd.files.ignore import Ignore
from notesd.ingest.follow import Follower
from notesd.model import NotePath
from notesd.rank.related import Companion
from notesd.serve import related
from notesd.settings import Config
from notesd.space.condition import Freshness, OutOfSight
from notesd.space.followed import FollowedFolder
from notesd.space.vectors import VectorState


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    """An index of two linked notes and one alone."""
    root = tmp_path / "notes"
    root.mkdir()
    (root / "A.md").write_text("[[B]]\n")
    (root / "B.md").write_text("b\n")
    (root / "C.md").write_text("c\n")
    opened = Follower(str(root), str(tmp_path / "state"), Ignore(()), Config())
    opened.open()
    opened.scan()
    yield opened
    opened.close()


class Vectors:
    """Vectors of a space in any state; those of the notes are equal."""

    def __init__(
        self, state: VectorState, *, wanted: bool = True, store: bool = True, own: bool = True
    ) -> None:
        self.state, self.wanted, self.store = state, wanted, store or None
        self.own, self.fault = own, False
        self.reported: list[StoreError] = []

    def report(self, error: StoreError) -> None:
        self.reported.append(error)

    @property
    def whole(self) -> bool:
        return self.state.state == "ready"

    def passages_of(self, _key: str, _most: int) -> list[tuple[int, bytes]]:
        if self.fault:
            raise StoreCorrupt("vectors-1.db is damaged; it is rebuilt", path="vectors-1.db")
        return [(0, b"")] if self.own else []

    def nearest(self, _query: bytes, _k: int) -> list[Any]:
        return []

    def lines(self, near: list[Any]) -> list[int]:
        return [1 for _ in near]


def answer(follower: Follower, path: str, vectors: Vectors, fault: str = "", **more: Any) -> dict[str, Any]:
    """Ask for what belongs with a note of that index."""
    assert follower.store is not None
    fresh = Freshness(3, fresh=True, lag_ms=0.0, pending={"files": 0, "embeddings": 0}, building=False)
    space: Any = SimpleNamespace(
        name="home", root=follower.root, place=follower.place, hidden_by=FollowedFolder(follower).hidden_by,
        fault=SimpleNamespace(reason=fault) if fault else None,
        freshness=lambda _: fresh, is_stale=lambda _: False, out_of_sight=lambda _: OutOfSight(),
    )  # fmt: skip
    given: Any = vectors
    together = more.get("together")
    return related.answer(follower.store.peek(), space, NotePath(path), 10, given, (0.75, 0.2), together)


OFF, READY = VectorState(), VectorState("ready")
BUILDING, BROKEN = VectorState("building", "building search index"), VectorState("unavailable", "no model")


@pytest.mark.parametrize(
    ("vectors", "state", "said"),
    [
        pytest.param(Vectors(OFF, wanted=False, store=False), "off", "", id="nobody asked for it"),
        pytest.param(Vectors(READY), "ok", "", id="ready"),
        pytest.param(Vectors(BUILDING), "building", "not all notes are known", id="building"),
        pytest.param(Vectors(OFF, store=False), "building", "not all notes are known", id="not opened yet"),
        pytest.param(Vectors(BROKEN, store=False), "unavailable", "no model", id="no model"),
        pytest.param(Vectors(BROKEN), "building", "(no model)", id="no model any more"),
        pytest.param(Vectors(READY, own=False), "unavailable", "A.md has no vectors", id="none of its own"),
    ],
)
def test_meaning_says_what_is_the_matter(follower: Follower, vectors: Vectors, state: str, said: str) -> None:
    """The channel has its state, the answer its reason, and the links answer in any case."""
    told = answer(follower, "A.md", vectors)

    assert told["channels"] == {"meaning": state, "links": "ok", "tags": "ok", "use": "off"}
    assert [one["channel"] for one in told["degraded"]] == (["meaning"] if said else [])
    assert all(said in one["reason"] for one in told["degraded"])
    assert [hit["path"] for hit in told["results"]] == ["B.md"]


def test_damaged_vectors_leave_the_rest(follower: Follower) -> None:
    """What is wrong with the file of vectors costs that signal alone."""
    vectors = Vectors(READY)
    vectors.fault = True
    told = answer(follower, "A.md", vectors)

    assert told["channels"]["meaning"] == "unavailable"
    assert "damaged" in told["degraded"][0]["reason"]
    assert len(vectors.reported) == 1
    assert [hit["path"] for hit in told["results"]] == ["B.md"]


def test_use_has_a_say_where_it_is_recorded(follower: Follower) -> None:
    """Companions by their keys; the channel says that it was asked."""
    assert follower.store is not None
    key = follower.store.peek().value("SELECT key FROM note WHERE path = 'C.md'")
    told = answer(
        follower, "A.md", Vectors(OFF, wanted=False), together=lambda _: [Companion(key, 2, 1e9, 1.0)]
    )

    assert told["channels"]["use"] == "ok"
    assert [hit["path"] for hit in told["results"]] == ["C.md", "B.md"]


def test_a_record_that_is_busy_is_said(follower: Follower) -> None:
    """It is not taken for one in which nothing stands; the other signals answer."""

    def busy(_: str) -> list[Companion]:
        raise Busy("the record of use is busy; this was answered without it")

    told = answer(follower, "A.md", Vectors(OFF, wanted=False), together=busy)

    assert told["channels"]["use"] == "unavailable"
    assert [(one["channel"], "busy" in one["reason"]) for one in told["degraded"]] == [("use", True)]
    assert [hit["path"] for hit in told["results"]] == ["B.md"]


def test_the_whole_shape(follower: Follower) -> None:
    """The note, results as hits, how complete the index is, what each stage took."""
    told = answer(follower, "B.md", Vectors(OFF, wanted=False), fault="the folder is gone")

    assert told["note"] == {"name": "B", "path": "B.md", "space": "home"}
    (hit,) = told["results"]
    assert (hit["path"], hit["space"], hit["stale"]) == ("A.md", "home", True)
    assert hit["sentence"] == "it links to this note"
    assert told["degraded"] == [{"channel": "index", "reason": "the folder is gone"}]
    assert told["index"]["complete"] is False
    assert set(told["took_ms"]) == {"meaning", "links", "tags", "use", "show"}


def test_a_note_that_has_just_gone_is_unknown(follower: Follower) -> None:
    """Between finding its name and asking, a note may be deleted."""
    with pytest.raises(UnknownNote, match="any more"):
        answer(follower, "Gone.md", Vectors(OFF, wanted=False))
