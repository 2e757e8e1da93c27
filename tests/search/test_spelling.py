"""Words that no note holds are taken for those that it holds, and only for near ones."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.index import fulltext
from notesd.index.budget import Budget, Meter
from notesd.index.store import Reader
from notesd.parse.edits import distance
from notesd.parse.terms import Term
from notesd.search.lexical import recall
from notesd.search.query import parse_query
from notesd.search.spelling import LONG_SLIP, Lexicon, _may_slip, spelled

Index = Callable[[Mapping[str, str]], Reader]
WORDS = st.text("ab", min_size=1, max_size=11)


@given(st.lists(WORDS, max_size=30), st.text("ab", min_size=5, max_size=11))
def test_the_near_words_are_all_that_differ_by_the_fewest_slips(words: list[str], word: str) -> None:
    """None is overlooked because a part of it stands in it twice."""
    most = 2 if len(word) >= LONG_SLIP else 1
    slips = {other: distance(word, other, most) for other in words}
    least = min(slips.values(), default=most + 1)
    wanted = sorted(other for other, number in slips.items() if number == least <= most)

    assert Lexicon(words).near(word) == wanted


def test_compounds_are_a_part_and_something_else() -> None:
    """Neither the word itself nor one with a mere ending, nor one in which the letters begin too late."""
    lexicon = Lexicon(["kuchen", "apfelkuchen", "kuchenform", "kuchens", "abkuchen", "torte"])

    assert lexicon.compounds("kuchen") == ["apfelkuchen", "kuchenform"]


@pytest.mark.parametrize(
    ("part", "language", "whole"),
    [
        ("stuga", "sv", "sommarstugan"),
        ("maskin", "sv", "tvattmaskinen"),
        ("hus", "da", "sommerhuset"),
        ("lijst", "nl", "boodschappenlijsten"),
    ],
)
def test_a_compound_is_found_by_its_part_in_any_form(part: str, language: str, whole: str) -> None:
    """In Swedish and Danish the article is an ending."""
    assert Lexicon([whole, "anders", f"x{part}"]).compounds(part, [language]) == [whole]


def test_two_words_that_ran_together_are_both_words_of_the_folder() -> None:
    """No other cut counts."""
    assert Lexicon(["rope", "ladder", "rop", "dder"]).halves("ropeladder") == [("rope", "ladder")]


@pytest.fixture(scope="module")
def notes(indexed: Index) -> Reader:
    """Some English notes."""
    return indexed(
        {
            "Lantern.md": "# Lantern\n\nThe lantern has been hung above the harpsichord.\n",
            "Currant.md": "# Currant\n\nA blackcurrant and what it was picked for.\n",
            "Climb.md": "# Climb\n\nWe were abseiling from the rope ladder.\n",
        }
    )


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [
        ("lantren ", (("lantren", "lantern"),)),
        ("latnern ", (("latnern", "lantern"),)),
        ("picekd ", (("picekd", "picked"),)),
        ("pikced ", (("pikced", "picked"),)),
        ("harpsicord ", (("harpsicord", "harpsichord"),)),
        ("ropeladder ", (("ropeladder", "rope ladder"),)),
        ("lantern ", ()),
        ("lanterns ", ()),
        ("black currant ", ()),
        ("abseilin", ()),
        ("gone ", ()),
        ('"lantren"', ()),
        ("zzzzzzzz ", ()),
    ],
)
def test_only_what_no_note_holds_is_corrected(
    notes: Reader, typed: str, corrected: tuple[tuple[str, str], ...]
) -> None:
    """Not what is a form or the beginning of a word, nor what stands in quotes."""
    assert spelled(notes, parse_query(typed).groups, fulltext.languages(notes)).corrected == corrected


@pytest.mark.parametrize(
    "typed", ['lan"tren', "lan'tren", "lantren\0", "lantren\ue02b", "lantren*", "NEAR(lantren"]
)
def test_no_sign_in_a_word_is_taken_for_the_language_of_the_index(notes: Reader, typed: str) -> None:
    """Every word is quoted."""
    recall(notes, parse_query(typed), None, 10)


def test_what_costs_too_much_is_not_corrected(indexed: Index) -> None:
    """The words as they are typed are looked for all the same."""
    reader = indexed({"a.md": "# Lantern\n\nThe lantern was here.\n"})
    clock = iter([0.0, *[2.0] * 10_000])
    reader.meter = Meter(Budget(1.0), clock=lambda: next(clock))

    assert recall(reader, parse_query("lantren "), None, 10).corrected == ()


@pytest.mark.parametrize("code", ["zqaaabakx", "xkcdzqnote", "aaabbbccc"])
def test_a_code_is_no_slip_for_another(code: str) -> None:
    """Letters that no word has side by side make a code, which means itself alone."""
    assert not _may_slip(Term(code, (code,)))
    assert _may_slip(Term("katarzina", ("katarzina",)))


@pytest.mark.parametrize(
    ("word", "typed"),
    [
        ("izquierda", "izqiuerda"),
        ("mezquita", "mezqita"),
        ("exquisite", "exquiste"),
        ("question", "qyestion"),
        ("ladder", "laddder"),
    ],
)
def test_a_slip_is_found_in_words_of_rare_letters(word: str, typed: str) -> None:
    """And where it makes such letters itself: one odd place is no code."""
    assert _may_slip(Term(typed, (typed,)))
    assert Lexicon([word, "other"]).near(typed) == [word]


@pytest.fixture(scope="module")
def mostly_right(indexed: Index) -> Reader:
    """Words that many notes spell, and one note otherwise; a title that looks like a slip of them."""
    often = {f"mail/{number}.md": "We receive the angel of the separate herd." for number in range(60)}
    once = {
        "odd.md": "They recieve it, seperate, at an angle.",
        "three.md": "the heard sound",
        "x.md": "heard",
    }
    return indexed({**often, **once, "names/Angle.md": "# Angle\n\nA hamlet.", "y.md": "heard"})


@pytest.mark.parametrize(("typed", "meant"), [("recieve", "receive"), ("seperate", "separate")])
def test_a_word_of_one_note_means_one_of_far_more_notes_as_well(
    mostly_right: Reader, typed: str, meant: str
) -> None:
    """Both are searched, and the note with the word as it is typed comes first."""
    found = recall(mostly_right, parse_query(f"{typed} "), None, 100)

    assert found.corrected == ((typed, meant),)
    assert len(found.rankings[0].notes) == 61
    assert mostly_right.value("SELECT path FROM note WHERE id = ?", (found.rankings[0].notes[0],)) == "odd.md"


@pytest.mark.parametrize(
    "typed",
    ["angle ", "heard ", '"recieve"', "receive ", "who was it that did recieve nothing here "],
    ids=["named by a title", "in three notes", "in quotes", "the common one", "a sentence"],
)
def test_a_word_that_is_known_well_enough_means_itself(mostly_right: Reader, typed: str) -> None:
    """However common a near word is."""
    assert not recall(mostly_right, parse_query(typed), None, 100).corrected
