"""Does the sample vault answer as it should, kind by kind?

``queries.jsonl`` holds the questions, one a line: ``kind``, ``query`` and the ``notes`` that answer it.
``floors.toml`` says how each kind is asked and what it has to reach. To add a question, add a line.
"""

import contextlib
import json
import os
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec
import pytest
from real_models import folder_with, packed_weights
from running import DEADLINE_S, Running, running

from notesd.models.catalogue import find
from notesd.models.convert import convert
from notesd.models.manifest import measure, write
from notesd.models.network import Variant
from notesd.rank.evaluate import ndcg

pytestmark = pytest.mark.process
HERE = Path(__file__).parent
SAMPLE = HERE.parents[1] / "sample-vault"
FLOORS: Mapping[str, Mapping[str, Any]] = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))
MODEL = "multilingual-e5-small"
K = 10


class Line(NamedTuple):
    """One question."""

    kind: str
    query: str
    notes: tuple[str, ...]


@cache
def lines() -> list[Line]:
    """Every question, in the order of the file."""
    texts = (HERE / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [Line(one["kind"], one["query"], tuple(one["notes"])) for one in map(json.loads, texts)]


@pytest.fixture(scope="module")
def words() -> Iterator[Running]:
    """The sample vault, known by its words and links."""
    with running(SAMPLE) as daemon:
        daemon.paths("settle")
        yield daemon


@contextlib.contextmanager
def by_meaning(models: str) -> Iterator[Running]:
    """Run a daemon over the sample vault, with vectors of the model in a folder of models."""
    with tempfile.TemporaryDirectory() as top:
        home = Path(top)
        (home / "notesd").mkdir()
        (home / "notesd" / "models").symlink_to(models, target_is_directory=True)
        # A slow machine is not what is tested here: no question may do without its vector.
        (home / "config.toml").write_text("[search]\nvector_search = true\nquery_timeout_s = 60\n")
        more = {"XDG_CACHE_HOME": str(home), "NOTESD_CONFIG": str(home / "config.toml")}
        with running(SAMPLE, **more) as daemon:
            daemon.paths("settle", mode="lexical")
            end = time.monotonic() + DEADLINE_S
            while (state := daemon.ask("status")["spaces"][0]["vectors"])["state"] != "ready":
                assert time.monotonic() < end, state
                time.sleep(0.2)
            yield daemon


@pytest.fixture(scope="module")
def meaning() -> Iterator[Running]:
    """The sample vault, with vectors of the real model."""
    with by_meaning(folder_with(MODEL)) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def used() -> Iterator[Running]:
    """The sample vault, after days of somebody who keeps opening what the questions of kind ``use`` want."""
    with running(SAMPLE) as daemon:
        daemon.paths("settle")
        for line in lines():
            if line.kind == "use":
                for _ in range(3):
                    daemon.ask("search", query=line.query)
                    daemon.ask("open", notes=list(line.notes))
        yield daemon


def asked(daemon: Running, some: Sequence[Line], params: Mapping[str, Any]) -> list[list[str]]:
    """Paths of the answer to each question, best first."""
    found = []
    for line in some:
        answer = daemon.ask("search", **{"limit": K, **params, "query": line.query, "record": False})
        lacking = [  # what is said of the question itself is no lack
            one for one in answer["degraded"] if one["channel"] != "filter" and one.get("evidence") != "low"
        ]
        assert lacking == [], (line.query, lacking)
        found.append([hit["path"] for hit in answer["results"]])
    return found


def gain(order: Sequence[str], line: Line) -> float:
    """How good one answer is, as nDCG."""
    return ndcg([1.0 if path in line.notes else 0.0 for path in order], [1.0] * len(line.notes), K)


def mean(orders: Sequence[Sequence[str]], some: Sequence[Line]) -> float:
    """How good some answers are together."""
    return sum(gain(order, line) for order, line in zip(orders, some, strict=True)) / len(some)


def fallen(orders: Sequence[Sequence[str]], some: Sequence[Line]) -> str:
    """The questions that are not answered as they should be, and what came instead."""
    told = []
    for order, line in zip(orders, some, strict=True):
        value = gain(order, line)
        if value < 1:
            told.append(
                f"  {value:.2f}  {line.query!r} wants {', '.join(line.notes)}; came {', '.join(order[:3])}"
            )
    return "\n".join(["", *sorted(told)])


def measured(daemon: Running, kind: str) -> tuple[list[Line], list[list[str]], float, str]:
    """Ask the questions of a kind and hold the answers against its floor.

    Returns:
        The questions, the answer to each, their mean nDCG, and all of that in a sentence.
    """
    floor = FLOORS[kind]
    some = [line for line in lines() if line.kind in (kind, *floor.get("kinds", ()))]
    orders = asked(daemon, some, floor["ask"])
    first = sum(bool(order) and order[0] in line.notes for order, line in zip(orders, some, strict=True))
    reached = mean(orders, some)
    told = f"{kind}: hits@1 {first / len(some):.3f}, nDCG@10 {reached:.3f}, {len(some)} questions"
    print(told)
    assert first / len(some) >= floor["hits_at_1"], told + fallen(orders, some)
    assert reached >= floor["ndcg_at_10"], told + fallen(orders, some)
    return some, orders, reached, told


@pytest.mark.parametrize("kind", FLOORS)
def test_each_kind_keeps_its_floor(kind: str, request: pytest.FixtureRequest) -> None:
    """First answers and nDCG of a kind stay above what was once reached."""
    floor = FLOORS[kind]
    daemon = request.getfixturevalue(floor.get("from", "meaning" if floor.get("model") else "words"))
    some, orders, reached, told = measured(daemon, kind)
    if "over" in floor:
        before = mean(asked(daemon, some, floor["over"]), some)
        print(f"{kind}: without {before:.3f}")
        assert reached >= before + floor["gain"], f"{told}; without {before:.3f}" + fallen(orders, some)
    for way in floor.get("not_below", ()):
        other = asked(daemon, some, way)
        print(f"{kind}: {way} {mean(other, some):.3f}")
        worse = [
            f"  {gain(mine, line):.2f} < {gain(theirs, line):.2f}  {line.query!r} came {', '.join(mine[:3])}"
            for mine, theirs, line in zip(orders, other, some, strict=True)
            if gain(mine, line) < gain(theirs, line)
        ]
        assert reached >= mean(other, some) - floor["slack"], "\n".join([f"{told}; {way}", *worse])


@pytest.mark.parametrize("form", get_args(Variant))
def test_every_form_of_the_model_keeps_the_floors(form: Variant) -> None:
    """Whichever form is chosen, by a machine or a person, meaning finds what it has to."""
    known = find(MODEL)
    assert known
    weights = packed_weights()
    with tempfile.TemporaryDirectory() as models:
        folder = os.path.join(models, MODEL)
        os.mkdir(folder)
        convert(weights, folder, form)
        files = tuple(measure(folder, name) for name in sorted(os.listdir(folder)))
        write(folder, msgspec.structs.replace(known.template, variant=form, files=files))
        with by_meaning(models) as daemon:
            for kind, floor in FLOORS.items():
                if floor.get("model") and "kinds" not in floor:
                    measured(daemon, kind)


def test_every_line_can_be_asked() -> None:
    """Known kinds, notes that exist, no question twice; every kind has its questions."""
    kinds = {line.kind for line in lines()}

    assert kinds | {kind for kind, floor in FLOORS.items() if "kinds" in floor} == set(FLOORS)
    assert [
        (line.query, path) for line in lines() for path in line.notes if not (SAMPLE / path).is_file()
    ] == []
    assert len({(line.kind, line.query) for line in lines()}) == len(lines())
    assert all(line.notes for line in lines())
