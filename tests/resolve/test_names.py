"""Two names are the same name after composition and case folding, and loosely after joints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.resolve.names import canonical, coarse, fold, fold_accents, loose, without_extension


@pytest.mark.parametrize(
    ("one", "other"),
    [("Cafe\u0301", "CAFÉ"), ("straße", "STRASSE"), ("ΣΑΣ", "σας"), ("\u212b", "å"), ("ǰ", "J\u030c")],
    ids=["composition", "sharp s", "final sigma", "singleton", "expanding"],
)
def test_fold_meets(one: str, other: str) -> None:
    """Composition and case never tell two names apart."""
    assert fold(one) == fold(other)


@given(st.text(max_size=12))
def test_fold_twice_changes_nothing(text: str) -> None:
    """Folding a folded text gives it back."""
    assert fold(text) == fold(fold(text))


def test_fold_is_stable_for_every_character() -> None:
    """Folding is stable for each single character, also before a combining mark."""
    marks = ("", "\u0301", "\u0345", "\u0323\u0301")
    unstable = [
        (char, mark)
        for char in map(chr, (*range(0xD800), *range(0xE000, 0x11000), *range(0x1D000, 0x1F000)))
        for mark in marks
        if fold(fold(char + mark)) != fold(char + mark)
    ]
    assert unstable == []


@given(st.text(max_size=8), st.text(max_size=8))
def test_fold_keeps_path_parts_apart(one: str, other: str) -> None:
    """Folding a path is folding its parts."""
    assert fold(f"{one}/{other}") == f"{fold(one)}/{fold(other)}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Night_Watch - plan", "night watch plan"), ("_a", " a"), ("a\u00a0b", "a b"), ("a–b", "a–b")],
    ids=["runs", "ends stay", "no-break blank", "other dashes stay"],
)
def test_loose(text: str, expected: str) -> None:
    """Blanks, dashes and underscores are one joint."""
    assert loose(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("  Crème   BRÛLÉE ", "creme brulee"), ("ﬁx Å", "fix a"), ("Straße", "strasse"), ("й", "и")],
)
def test_fold_accents(text: str, expected: str) -> None:
    """Accents, case and spare blanks do not matter to a person who searches."""
    assert fold_accents(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a.md", "a"), ("a.MD", "a"), ("a.md.md", "a.md"), (".md", ".md"), ("v1.2", "v1.2")],
)
def test_without_extension(text: str, expected: str) -> None:
    """One final .md goes, in any case; other dots belong to the name."""
    assert without_extension(text) == expected


def test_canonical_and_coarse() -> None:
    """A further name is trimmed and loses empty parts; its key is the loose last part."""
    assert canonical(" /Specs//Rules/ ") == "specs/rules"
    assert coarse("a/Night_Watch.md.MD") == "night watch"
