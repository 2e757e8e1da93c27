"""Questions drawn from notes: what they are made of, and that they make a collection."""

import os
import random
from pathlib import Path

import pytest
from bench import drawn
from bench.judged import questions

PROSE = " ".join(f"word{number}" for number in range(40))
DENSE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 3


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Thirty notes that questions may be about, and one that is too short for them."""
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    for number in range(30):
        (folder / "sub" / f"{number}.md").write_text(f"# Title\n\nnote{number} {PROSE}\n", encoding="utf-8")
    (folder / "short.md").write_text("too little of it", encoding="utf-8")
    return folder


def test_only_prose_is_asked_for() -> None:
    """No front matter, headings, code, link targets or bare marks."""
    head, code = "---\ntags: [x]\n---\n# Head\n", "```\ncode\n```\n"
    text = f"{head}one [[Link]] two [three](http://x.y) - four\n{code}https://z five\n"

    assert drawn.words_of(text) == ["one", "two", "[three", "four", "five"]
    assert drawn.words_of("猫である word") == ["猫で", "ある", "word"]


@pytest.mark.parametrize("text", [PROSE, DENSE], ids=["words", "writing without blanks"])
def test_each_way_asks_with_words_of_the_note(text: str) -> None:
    """As they stand, with a third left out, or a few of them."""
    words = drawn.words_of(text)
    for seed in range(20):
        asked = {name: way(words, random.Random(seed)) for name, way in drawn.WAYS.items()}

        assert asked["verbatim"] in text
        assert asked["paragraph"] in text
        assert asked["gaps"] not in text
        assert all(part in text for part in asked["gaps"].split())
        assert all(part in text for part in asked["keywords"].split())


def test_halves_part_the_notes(notes: Path) -> None:
    """Every note with enough words belongs to one half, the same each time."""
    one, other, every = (dict(drawn.sources(notes, half)) for half in ("one", "other", None))

    assert one.keys() | other.keys() == every.keys() == {f"sub/{number}.md" for number in range(30)}
    assert one.keys() & other.keys() == set()
    assert one
    assert other


def test_what_is_written_is_a_collection(notes: Path, tmp_path: Path) -> None:
    """The same seed draws the same questions, another others; each is answered by its note."""
    folders = [tmp_path / name for name in ("a", "b", "c")]
    for folder, seed in zip(folders, ("1", "1", "2"), strict=True):
        assert drawn.main([str(notes), str(folder), "--seed", seed, "--count", "10"]) == 0
    first, again, another = ([questions(folder / way) for way in drawn.WAYS] for folder in folders)

    assert first == again != another
    assert [len(some) for some in first] == [10] * len(drawn.WAYS)
    for question in (one for some in first for one in some):
        (path,) = question.gains
        assert all(word.lower() in (notes / path).read_text().lower() for word in question.text.split())


def test_what_is_no_note_is_left_out(notes: Path) -> None:
    """Folders, pipes, links to nothing, dot names, and notes that notesd does not index."""
    (notes / "folder.md").mkdir()
    (notes / "nothing.md").symlink_to("gone")
    os.mkfifo(notes / "pipe.md")
    for name in (".trash/gone.md", "a\tb.md"):
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / name).write_text(PROSE, encoding="utf-8")
    (notes / "hidden.md").write_text(f"---\ntags: x\nindex: false\n---\n{PROSE}", encoding="utf-8")
    with open(os.fsencode(notes) + b"/\xff.md", "w", encoding="utf-8") as file:
        file.write(PROSE)

    assert {path for path, _ in drawn.sources(notes, None)} == {f"sub/{number}.md" for number in range(30)}


def test_a_file_in_the_place_of_the_folder_is_told(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So is a number of questions that is none."""
    (tmp_path / "out").write_text("")

    assert drawn.main([str(notes), str(tmp_path / "out")]) == 2
    with pytest.raises(SystemExit):
        drawn.main([str(notes), str(tmp_path / "new"), "--count", "0"])
    assert str(tmp_path / "out") in capsys.readouterr().err


def test_a_folder_without_notes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and nothing is written."""
    assert drawn.main([str(tmp_path), str(tmp_path / "out")]) == 2
    assert f"{tmp_path} holds no note" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
