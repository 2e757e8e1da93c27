"""The relevance benchmark: what it reads, what it concludes, and one run over a real daemon."""

import gzip
import json
import math
from pathlib import Path

import pytest
from bench import relevance
from bench.judged import Question, Unusable, path_of, questions, sample, unpack
from bench.relevance import Measured, judge, measured

DOCUMENTS = [
    {"_id": "d1", "title": "Rye loaf", "text": "flour water salt"},
    {"_id": "a/b:c", "title": "", "text": "ships in the harbour"},
    {"_id": ".hidden", "title": "x", "text": "nothing of it"},
]
QUERIES = [
    {"_id": "q1", "text": "flour and salt"},
    {"_id": "q2", "text": "harbour"},
    {"_id": "q3", "text": "z"},
]


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """A collection as BEIR has them, packed."""
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    for name, rows in (("corpus", DOCUMENTS), ("queries", QUERIES)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\t.hidden\t1\nq2\ta/b:c\t1\nq2\td1\t0\n"
    )
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq3\td1\t1\n")
    return folder


def test_documents_become_notes(beir: Path, tmp_path: Path) -> None:
    """A title is a heading; an id that can be no file name is written so that it can."""
    assert unpack(beir, tmp_path / "out") == 3
    assert (tmp_path / "out" / "d1.md").read_text() == "# Rye loaf\n\nflour water salt\n"
    assert (tmp_path / "out" / "a%2Fb%3Ac.md").read_text() == "ships in the harbour\n"
    assert not path_of(".hidden").startswith(".")
    assert len(path_of("x" * 500)) < 200


def test_judgements_name_notes(beir: Path) -> None:
    """The test split is the one that counts, grades are gains, and a grade of nothing is no answer."""
    assert questions(beir) == [
        Question("q1", "flour and salt", {"d1.md": 2.0, path_of(".hidden"): 1.0}),
        Question("q2", "harbour", {path_of("a/b:c"): 1.0}),
    ]
    assert [question.id for question in questions(beir, "train")] == ["q3"]


def test_notes_by_path(tmp_path: Path) -> None:
    """Notes that have a path keep it, also in a folder of its own."""
    (tmp_path / "notes.jsonl").write_text(json.dumps({"path": "sub/A.md", "text": "a"}) + "\n")
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": "a"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tpath\tscore\n1\tsub/A.md\t1\n")

    assert unpack(tmp_path, tmp_path / "out") == 1
    assert (tmp_path / "out" / "sub" / "A.md").read_text() == "a"
    assert questions(tmp_path) == [Question("1", "a", {"sub/A.md": 1.0})]


@pytest.mark.parametrize("split", [None, "dev"])
def test_what_is_missing_is_named(tmp_path: Path, split: str | None) -> None:
    """A folder that is no collection says what it lacks."""
    with pytest.raises(Unusable, match="qrels"):
        questions(tmp_path, split)


def test_a_sample_is_spread_and_the_same_each_time() -> None:
    """Every so many, from the first on."""
    every = [Question(str(n), "", {"a": 1.0}) for n in range(10)]

    assert [question.id for question in sample(every, 4)] == ["0", "2", "5", "7"]
    assert sample(every, 20) == sample(every, None) == every


def test_worked_measures() -> None:
    """One question answered in the second place, one not at all."""
    asked = [Question("1", "", {"a": 1.0}), Question("2", "", {"b": 1.0, "c": 1.0})]
    found = measured([["x", "a"], ["y"]], asked)

    assert found.ndcg == pytest.approx([0.6309297535714575, 0.0])
    assert found.mrr == [0.5, 0.0]
    assert found.recall == [1.0, 0.0]


@pytest.mark.parametrize(("fused", "fault"), [(0.8, False), (0.795, False), (0.78, True), (0.9, False)])
def test_a_fusion_below_its_best_channel_is_a_fault(fused: float, fault: bool) -> None:
    """More than 0.01 below the better one, whichever that is."""

    def level(value: float) -> Measured:
        return Measured([value] * 5, [0.0] * 5, [0.0] * 5)

    verdict = judge({"lexical": level(0.5), "semantic": level(0.8), "fused": level(fused)})

    assert (verdict.best, verdict.fault) == ("semantic", fault)
    assert verdict.interval == pytest.approx((fused - 0.8, fused - 0.8))


@pytest.mark.process
def test_a_run_over_a_real_daemon(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By words alone: each channel a line, the fusion beside it, no fault."""
    status = relevance.main([str(beir), "--no-vectors", "--graph", "limit=5"])
    printed = capsys.readouterr().out

    assert status == 0
    assert "tiny: 3 notes, 2 queries" in printed
    assert [line.split("  ")[1].strip() for line in printed.splitlines() if " ms a query" in line] == [
        "lexical", "fused", "fused + graph",
    ]  # fmt: skip
    assert "fused - lexical: +0.0000 [+0.0000, +0.0000]" in printed


def test_one_table_of_all_collections() -> None:
    """Channels and fusion, by how much that is better, and what each stage and each list adds."""
    ways = {"lexical": 0.5, "semantic": 0.25, "fused": 0.75, "fused + graph": 0.625}
    every = {"tiny": {name: Measured([value], [value], [value]) for name, value in ways.items()}}
    heads, row = (line.split() for line in relevance.table(every, {"tiny": {"near": 0.125}}))
    assert heads == ["nDCG@10", "lexical", "semantic", "fused", "-", "best", "fused", "+", "graph", "near"]
    assert row == ["tiny", "0.5000", "0.2500", "0.7500", "+0.2500", "-0.1250", "+0.1250"]


def test_what_a_list_adds_is_what_is_lost_without_it() -> None:
    """Hits are put in order by what is left of their accounts."""

    def hit(path: str, **shares: float) -> dict[str, object]:
        return {"path": path, "explain": {"lists": [{"list": k, "share": v} for k, v in shares.items()]}}

    hits = [hit("a.md", lexical=0.1, near=0.3), hit("b.md", lexical=0.2)]
    found = relevance.parts([hits, hits], [Question("1", "", {"a.md": 1}), Question("2", "", {"b.md": 1})])
    assert found == {"near": pytest.approx(0.0)}
    (found_alone,) = relevance.parts([hits], [Question("1", "", {"a.md": 1})]).values()
    assert found_alone == pytest.approx(1 - 1 / math.log2(3))
