"""What ``tune`` and ``forget`` print and refuse."""

import io
import sys

import pytest

from notesd.cli.main import main
from notesd.cli.render import Answer, Style
from notesd.cli.usage import report

PLAIN = Style(colour=False)


def comparison(before: float, after: float) -> dict[str, object]:
    return {
        "searches": 40, "ndcg_before": before, "ndcg_after": after, "gain": after - before,
        "interval": [-0.01, 0.06], "lift_before": 1.5, "lift_after": 2.0,
    }  # fmt: skip


TOLD: Answer = {
    "space": "notes", "action": "tune", "blend": "bounded", "searches": 120, "treated": 60,
    "followed_by_opening": 45, "needed": 50, "applied": True,
    "old": {"GAMMA": 0.01, "BETA_SAL": 0.5}, "new": {"GAMMA": 0.019, "BETA_SAL": 0.55},
    "best": {"GAMMA": 0.1, "BETA_SAL": 1.0},
    "train": comparison(0.5, 0.6), "test": comparison(0.5, 0.53),
    "analysis": {"all": comparison(0.5, 0.75), "cosine_heavy": {"searches": 0}},
    "reason": "took a tenth of the way\x1b[2J to the best pair",
    "history": [
        {"at": "2026-11-30T04:00:00+00:00", "why": "tuned", "GAMMA": 0.019, "BETA_SAL": 0.55, "reverted": 1},
    ],
}  # fmt: skip


COUNTED = (
    "  120 searches logged, 60 answered in the order of use (tuning takes 50), "
    "45 followed by an opening within a day"
)


def test_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts, a small chart, both halves, what changed; parts without a search are left out."""
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    assert list(report(TOLD, PLAIN)) == [
        "notes  blend: bounded",
        COUNTED,
        "  all searches, 40 with an opening:",
        "    plain  nDCG@10 0.500 ████████████············  lift 1.50",
        "    use    nDCG@10 0.750 ██████████████████······  lift 2.00",
        "    gain   +0.2500  (95 of 100 resamples: -0.0100 to +0.0600)",
        "  earlier half, to choose on, 40 with an opening:",
        "    today  nDCG@10 0.500 ████████████············  lift 1.50",
        "    best   nDCG@10 0.600 ██████████████▍·········  lift 2.00",
        "    gain   +0.1000  (95 of 100 resamples: -0.0100 to +0.0600)",
        "  later half, to try on, 40 with an opening:",
        "    today  nDCG@10 0.500 ████████████············  lift 1.50",
        "    best   nDCG@10 0.530 ████████████▊···········  lift 2.00",
        "    gain   +0.0300  (95 of 100 resamples: -0.0100 to +0.0600)",
        "  best pair on the earlier half: GAMMA 0.1, BETA_SAL 1",
        "  took a tenth of the way\\x1b[2J to the best pair",
        "  GAMMA 0.01, BETA_SAL 0.5  ->  GAMMA 0.019, BETA_SAL 0.55",
        "  2026-11-30T04:00:00+00:00  tuned: GAMMA 0.019, BETA_SAL 0.55, reverted",
    ]


def test_the_chart_where_only_ascii_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """No escapes instead of a bar."""
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    chart = list(report({**TOLD, "analysis": {"all": comparison(0.5, 1.0)}}, PLAIN))[3:5]
    assert [line.split()[3] for line in chart] == ["############............", "#" * 24]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["forget"], "say what to forget"),
        (["tune", "--tune", "--set-beta", "1"], "give one of them"),
        (["tune", "--gamma-range", "0.1;0.2"], "numbers like 0.01,0.1"),
        (["tune", "--gamma"], "unknown option --gamma"),
        (["tune", "--set-gamma", "nan"], "expected a number"),
        (["tune", "--gamma-range", "0.1,inf"], "numbers like 0.01,0.1"),
        (["tune", "--tune", "--revert"], "not allowed with"),
        (["forget", "--note", ""], "an empty name"),
        (["forget", "--before", ""], "an empty name"),
        (["forget", "--space", ""], "an empty name"),
        (["forget", "--all", "--note", "x"], "give one of them"),
    ],
)
def test_wrong_words(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused before any daemon is asked."""
    assert main(words) == 2
    assert said in capsys.readouterr().err
