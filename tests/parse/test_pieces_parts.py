"""Long passages are cut, very long notes are read in parts: nothing is lost, lines stay right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.parse import parts as parts_module
from notesd.parse.parts import parts
from notesd.parse.pieces import MAX_PIECE, pieces


@given(st.lists(st.text(alphabet="ab c。", max_size=30).map(lambda text: text * 97), min_size=1, max_size=6))
def test_pieces_keep_every_word_on_its_line(lines: list[str]) -> None:
    """No piece is too long, the signs are all there in order, and each stands between its lines."""
    text = "\n".join(lines)
    found = list(pieces(text, range(10, 10 + len(lines)), 9 + len(lines)))

    assert "".join(text.split()) == "".join("".join(piece for piece, _, _ in found).split())
    for piece, first, last in found:
        assert len(piece) <= MAX_PIECE
        assert 10 <= first <= last <= 9 + len(lines)
        between = "\n".join(lines[first - 10 : last - 9])
        assert piece in between


def test_a_short_passage_is_one_piece() -> None:
    """What is short enough stays whole, with all its lines."""
    assert list(pieces("a\nb", [3, 4], 6)) == [("a\nb", 3, 6)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("word " * 1000, "word " * 399 + "word"),
        ("字。" * 2000, "字。" * 1000),
        ("x" * 5000, "x" * 2000),
    ],
    ids=["blank", "punctuation", "anywhere"],
)
def test_a_long_line_is_cut_where_it_hurts_least(text: str, first: str) -> None:
    """At a blank, else at punctuation, else anywhere."""
    assert next(pieces(text, [1], 1))[0] == first


def test_parts_are_cut_outside_of_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts end at blank lines and never inside a fence, and together they are the text."""
    monkeypatch.setattr(parts_module, "MAX_PART", 200)
    text = "~~~ a\n~~\n~~~~\npara\n\n" * 12 + "```\n" + "code\n\n" * 25 + "```\n" + "more\n\n" * 40
    found = list(parts(text))

    assert "".join(part.text for part in found) == text
    assert len(found) > 2
    for part in found:
        assert text.split("\n")[part.line] == part.text.split("\n")[0]
        assert part.text.count("```") % 2 == 0


def test_a_note_without_lines_is_cut_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one endless line is read in parts."""
    monkeypatch.setattr(parts_module, "MAX_PART", 200)

    assert [len(part.text) for part in parts("x" * 500)] == [200, 200, 100]


def test_what_costs_too_much_is_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the rest comes as one part that is not to be read; the first part always is."""
    monkeypatch.setattr(parts_module, "MAX_PART", 200)
    monkeypatch.setattr(parts_module, "MAX_COST", 100)
    found = list(parts("- [[a]]\n\n" * 100))

    assert [part.readable for part in found] == [True, False]
    assert sum(len(part.text) for part in found) == 900
