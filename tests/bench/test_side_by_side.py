"""The benchmark beside peers runs, and what it writes can be read."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from bench.__main__ import JOBS, main, table
from bench.picture import bars
from bench.process_tree import Run, memory_mb, run
from bench.read_costs import PLAIN, stages

FOUND = {
    "notesd": {"cold wall_s": 2.0, "index bytes": 50.0},
    "other": {"cold wall_s": 9.0, "index bytes": 25.0},
}


def test_every_job_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the real program, which leaves nothing in the folder of notes."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "lamp.md").write_text("# Lamp\n\nmend the lamp\n")
    figures, picture = tmp_path / "figures.json", tmp_path / "ratios.svg"
    args = [
        str(notes),
        "lamp",
        "--rounds",
        "1",
        "--only-notesd",
        "--json",
        str(figures),
        "--svg",
        str(picture),
    ]

    assert main(args) == 0
    found = json.loads(figures.read_text())["programs"]["notesd"]
    assert {row.split()[0] for row in found} == {*JOBS, "index"}
    assert all(found[f"{job} cpu_s"] > 0 for job in JOBS)
    assert found["index bytes"] > 0
    assert "not measured: qmd" in capsys.readouterr().err
    assert ET.parse(picture).getroot().tag.endswith("svg")
    assert [one.name for one in notes.iterdir()] == ["lamp.md"]


def test_figures_stand_beside_their_ratios() -> None:
    """To the first program."""
    assert table(FOUND, 100)[2:] == [
        "| cold wall_s | 2 (1.00) | 9 (4.50) |",
        "| index bytes | 0.50 of the text (1.00) | 0.25 of the text (0.50) |",
    ]


def test_a_bar_beyond_the_scale_keeps_its_figure() -> None:
    """It ends at four times the first one."""
    bar = [one for one in ET.fromstring(bars(FOUND)) if one.tag.endswith("rect")]

    assert [float(one.attrib["width"]) for one in bar] == [105.0, 420.0, 105.0, 52.5]
    assert "other 4.50" in bars(FOUND)


def test_a_tree_is_measured_whole() -> None:
    """The processor time and the memory of children are those of the program that started them."""
    work = "x = bytearray(40_000_000); import time\nwhile time.process_time() < .4: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True)"
    taken = run([sys.executable, "-c", parent], {})

    assert taken.cpu_s > 0.4
    assert taken.wall_s > 0.4
    assert taken.peak_mb > 38


def test_a_program_that_fails_is_no_figure() -> None:
    """It is an error."""
    with pytest.raises(RuntimeError, match="status 3"):
        run([sys.executable, "-c", "raise SystemExit(3)"], {})


def test_what_still_runs_is_ended() -> None:
    """When the block is left."""
    with Run([sys.executable, "-c", "import time; time.sleep(100)"], {}) as running:
        assert memory_mb(running.process.pid) >= 0
    assert running.process.poll() is not None


def test_stages_are_told_of_the_same_notes(tmp_path: Path) -> None:
    """Each with what it took a note."""
    for number in range(50):
        (tmp_path / f"n{number}.md").write_text("# One\n\nsome *text* with [[links]]\n" * 20)
    found = stages(str(tmp_path))

    assert set(found) == {"read the file", "decode", PLAIN, "parse", "columns"}
    assert found[PLAIN] > 0
    assert found["parse"] > 0
