"""Which passages are shown, and how the words in them are marked."""

import time
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notesd.index.fulltext import Tokenizer
from notesd.model import Heading, Observation
from notesd.search import matches
from notesd.search.excerpt import LONGEST_EXCERPT, excerpt
from notesd.search.matches import Sought
from notesd.search.query import parse_query
from notesd.search.snippet import Answer, Passage, answer, passages
from notesd.search.wanted import ranking_terms


def english() -> Tokenizer:
    """Return what cuts English notes."""
    connection = apsw.Connection(":memory:")
    cut = connection.fts5_tokenizer("unicode61", ["remove_diacritics", "2", "categories", "L* N* Co Mn Mc"])
    tokenizer = Tokenizer(cut, "en")
    # apsw's tokenizer lives no longer than its connection.
    tokenizer.connection = connection  # type: ignore[attr-defined]  # an object like any other
    return tokenizer


TOKENIZE = english()


def note(*texts: str) -> list[Observation]:
    """Make one paragraph of each text, ten lines apart."""
    return [Observation(text, 10 * at, 10 * at, ("Top",), "paragraph") for at, text in enumerate(texts, 1)]


def sought(query: str) -> Sought:
    """Return what a query looks for in English notes."""
    return Sought(ranking_terms(parse_query(query)), TOKENIZE)


def best(query: str, *texts: str, limit: int = 10) -> list[Passage]:
    """Return the passages of a note for a query."""
    return passages(note(*texts), sought(query), limit)


def marked(query: str, text: str) -> list[str]:
    """Return the matches in one passage."""
    (passage,) = best(query, text)
    return [passage.text[start:end] for start, end in passage.spans]


MARKED = {
    "word": ("zebra ", "A zebra, two zebras.", ["zebra", "zebras"]),
    "stem": ("running ", "He runs and ran.", ["runs", "ran"]),
    "stem with another letter": ("happy ", "Such happiness!", ["happiness"]),
    "stem within": ("conflate ", "conflated data", ["conflated"]),
    "beginning": ("zeb", "A Zebra.", ["Zebra"]),
    "beginning within an ending": ("configurat", "The configuration", ["configuration"]),
    "whole word only": ("zeb ", "A zebra.", []),
    "beginning as typed": ("planning", "planning a planet", ["planning"]),
    "doubled letter": ("tagg", "it was tagged", ["tagged"]),
    "curly apostrophe": ("o'reilly ", "O’Reilly’s book", ["O’Reilly"]),
    "within a contraction": ("homme d'affaires ", "l’homme d’affaires", ["homme", "d’affaires"]),
    "dashes": ("war peace ", "war—peace", ["war", "peace"]),
    "foreign quotes": ("zebra ", "«zebra» and „zebra…", ["zebra", "zebra"]),
    "odd signs within": ("beta gamma ", "alpha→beta→gamma", ["alpha→beta→gamma"]),
    "accents": ("jamon ", "El Jamón", ["Jamón"]),
    "decomposed": ("café ", "un cafe\u0301 noir", ["cafe\u0301"]),
    "sharp s": ("strasse ", "die Straße", ["Straße"]),
    "Greek": ("ανθρωπος ", "Ο ΆΝΘΡΩΠΟΣ", ["ΆΝΘΡΩΠΟΣ"]),
    "Arabic": ("مدرسة ", "هذه مَدرسة", ["مَدرسة"]),
    "Turkish": ("istanbul ", "İSTANBUL çok", ["İSTANBUL"]),
    "joined": ("foo-bar ", "bar foo, foo-bar, foo bar", ["bar", "foo", "foo-bar", "foo bar"]),
    "version": ("1.0.21 ", "1.0.2 and 1.0.21", ["1.0.21"]),
    "C++": ("C++", "C and C++, not xC++", ["C++"]),
    "C++ and C": ("C++ parser ", "a C++ parser in C", ["C++", "parser"]),
    "NET": (".NET", "the net, .NET", [".NET"]),
    "emoji": ("😀", "so 😀 happy", ["😀"]),
    "Chinese": ("学习", "机器学习的学习", ["学习", "学习"]),
    "Chinese run": ("机器学习", "机器学习的研究", ["机器学习"]),
    "one Chinese character": ("学", "机器学习", ["学"]),
    "Japanese beside Latin": ("C言語", "C言語入門", ["C言語"]),
    "Thai": ("ไทย", "ภาษาไทยนี้", ["ไทย"]),
    "Korean": ("한국어", "한국어를", ["한국어"]),
    "phrase by words": ('"green tea"', "tea, green tea", ["tea", "green", "tea"]),
    "after a dotted I": ("zebra 学", "İİ zebra İ 学", ["zebra", "学"]),
}


@pytest.mark.parametrize(("query", "text", "expected"), MARKED.values(), ids=MARKED.keys())
def test_matches_are_where_the_words_are(query: str, text: str, expected: list[str]) -> None:
    """The spans cover the words that the index matched, as written."""
    assert marked(query, text) == expected


def test_best_passage_comes_first() -> None:
    """More of the words count more, rare ones more than common ones, then the order of the note."""
    found = best("green tea ceremony ", "tea", "tea here", "green tea ceremony", "nothing", "ceremony")
    assert [passage.line_start for passage in found] == [30, 50, 10, 20]
    assert found[0].heading == ("Top",)


def test_words_side_by_side_come_first() -> None:
    """Of two passages with the same words, the one that has them as asked is better."""
    found = best("green tea ", "tea that is green", "cold green tea")
    assert [passage.line_start for passage in found] == [20, 10]


def test_a_note_found_by_its_name_shows_its_beginning() -> None:
    """Where no passage holds a word the first one is shown, unmarked."""
    (passage,) = best("zebra ", "one", "two")
    assert (passage.line_start, passage.score, passage.spans) == (10, 0.0, ())
    assert best("zebra ") == []
    assert len(best("", "one", "two")) == 1


def test_a_note_found_by_its_name_shows_its_text_before_its_properties() -> None:
    """A property is shown only where there is nothing else."""
    properties = Observation("type: person", 2, 2, (), "raw")
    text = Observation("text", 5, 5, (), "paragraph")
    assert [passage.text for passage in passages([properties, text], sought("zebra "), 3)] == ["text"]
    assert [passage.text for passage in passages([properties], sought("zebra "), 3)] == ["type: person"]


def test_limit() -> None:
    """No more passages than asked for."""
    assert len(best("tea ", "tea", "tea", "tea", limit=2)) == 2
    assert best("tea ", "tea", limit=0) == []


HEADINGS = [Heading(1, "Zebra crossing", 7)]


def test_answer_of_a_passage() -> None:
    """A hit points to its best passage."""
    shown = answer(note("no", "a zebra"), HEADINGS, sought("zebra "), 3)
    assert (shown.line, shown.heading, shown.snippet) == (20, ("Top",), "a <mark>zebra</mark>")


def test_answer_of_a_heading() -> None:
    """When only a heading holds the word, the hit points to it."""
    shown = answer(note("no", "nor this"), HEADINGS, sought("zebra "), 3)
    assert (shown.line, shown.snippet) == (7, "<mark>Zebra</mark> crossing")
    assert [passage.text for passage in shown.passages] == ["no"]


def test_answer_of_an_empty_note() -> None:
    """A note without text still is an answer."""
    assert answer([], [], sought("zebra"), 3) == Answer(1, (), (), "")
    assert answer([], HEADINGS, sought("x"), 3).snippet == "Zebra crossing"


EXCERPTS = {
    "short": ("a zebra here", [(2, 7)], "a <mark>zebra</mark> here"),
    "blanks": ("a\n\n zebra\there ", [(4, 9)], "a <mark>zebra</mark> here"),
    "no match": ("plain text", [], "plain text"),
    "empty": ("", [], ""),
    "own mark": ("a <mark>b</MARK> c", [(8, 9)], "a ‹mark><mark>b</mark>‹/MARK> c"),
    "other tags stay": ("<b>x</b>", [], "<b>x</b>"),
}


@pytest.mark.parametrize(("text", "spans", "expected"), EXCERPTS.values(), ids=EXCERPTS.keys())
def test_excerpts(text: str, spans: list[tuple[int, int]], expected: str) -> None:
    """An excerpt is one line with the matches marked, and no other marks."""
    assert excerpt(text, spans) == expected


def test_excerpt_of_a_long_text_is_cut_between_words() -> None:
    """The densest matches are in view, words stay whole, ellipses say what is left out."""
    words = [f"word{number:03}" for number in range(300)]
    words[50] = words[200] = words[203] = "zebra"
    text = " ".join(words)
    shown = excerpt(text, best("zebra ", text)[0].spans)
    assert shown.count("<mark>zebra</mark>") == 2
    assert shown.startswith("…")
    assert shown.endswith("…")
    plain = shown.strip("…").replace("<mark>", "").replace("</mark>", "").split()
    assert set(plain) <= set(words)
    assert len(plain) > 20


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from(list("ab \n<mark>/日x")), max_size=700),
    st.lists(st.tuples(st.integers(0, 700), st.integers(1, 400)), max_size=30),
)
def test_excerpts_are_one_short_line(text: str, places: list[tuple[int, int]]) -> None:
    """Whatever the text and the matches: one line, bounded, every mark closed."""
    spans: list[tuple[int, int]] = []
    for start, size in sorted(places):
        if start + size <= len(text) and (not spans or start >= spans[-1][1]):
            spans.append((start, start + size))
    shown = excerpt(text, spans)
    assert len(shown) <= LONGEST_EXCERPT
    assert "\n" not in shown
    assert shown.count("<mark>") == shown.count("</mark>") <= len(spans)
    if spans and any(text[a:b].strip() for a, b in spans):
        assert "<mark>" in shown


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40), st.lists(st.text(max_size=80), max_size=4))
def test_any_query_on_any_note(query: str, texts: list[str]) -> None:
    """Nothing raises; spans are in order, apart and within their passage."""
    for passage in best(query, *texts):
        borders = [place for span in passage.spans for place in span]
        assert borders == sorted(borders)
        assert all(0 <= start < end <= len(passage.text) for start, end in passage.spans)
        excerpt(passage.text, passage.spans)


BIG = {
    "many paragraphs": ["the zebra of the plain is here " * 10] * 30_000,
    "one block": ["zebra word " * 900_000],
    "no blank": ["zebra" * 2_000_000],
    "accents": ["la cebra está aquí, zebra según él " * 10] * 28_000,
    "dense": ["機械学習の研究" * 1_400_000],
    "nothing": ["nothing at all " * 20] * 30_000,
}


@pytest.mark.parametrize("texts", BIG.values(), ids=BIG.keys())
def test_a_huge_note_is_answered_at_once(texts: list[str]) -> None:
    """Ten megabytes cost no more than a bounded look at them."""
    observations = note(*texts)
    started = time.process_time()
    shown = answer(observations, [], sought("zebra plain word 学習 está"), 3)
    assert time.process_time() - started < 5
    assert len(shown.snippet) <= LONGEST_EXCERPT


def pasted_log(lines: int = 17_000, stretch: int = 36) -> list[Observation]:
    """A log of nearly a megabyte, cut into passages as the parser does."""
    said = [f"2026-11-29 12:00 line {at} error in module{at % 50} of host" for at in range(lines)]
    return [
        Observation("\n".join(said[at : at + stretch]), at + 1, at + stretch, ("Log",), "paragraph")
        for at in range(0, lines, stretch)
    ]


def test_the_rare_word_at_the_end_of_a_long_log_is_shown() -> None:
    """Words of every line do not use up what may be looked at."""
    shown = answer(pasted_log(), [], sought("error in line 16991"), 3)

    assert "line 16991 " in shown.passages[0].text


def test_a_long_log_is_looked_at_closely_in_part_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a word stands in a note, about as much text is cut into words."""
    looked_at = 0
    closely = matches._words

    def counted(text: str, *rest: Any) -> list[tuple[int, int, int]]:
        nonlocal looked_at
        looked_at += len(text)
        return closely(text, *rest)

    monkeypatch.setattr(matches, "_words", counted)
    for query in ("error", "module7 error", '"error in module7"'):
        looked_at = 0
        shown = answer(pasted_log(), [], sought(query), 3)
        assert "<mark>" in shown.snippet
        assert looked_at < 70_000


def test_words_at_the_borders_of_ascii_words() -> None:
    """A match begins where a word begins, whatever stands before it, and takes the whole word."""
    assert marked("log ", "catalog Log_file(log)9log LOGs log9 logging") == ["Log", "log", "LOGs", "logging"]
    assert marked("log", "log9 prolog") == ["log9"]


LATIN = st.text("aeioun áéñÜçÀÿ\u00a0«»“”—’.,;_-\n\0ßæø°²→zebrsZ1", max_size=60)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(LATIN, max_size=4),
    st.sampled_from(["zebra", "anos ", "ser era", '"era zebra"', "e* ", "c++ una "]),
)
def test_letters_with_accents_are_found_as_by_folding_each_word(texts: list[str], query: str) -> None:
    """The quick way to look for words in a text, letter by letter, finds what the thorough way finds."""
    observations = note(*texts, "La zebra y los años; c++ «era zebra», él será una sola")
    quick = passages(observations, sought(query), 10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "in_place", lambda text: text.lower() if text.isascii() else None)
        assert passages(observations, sought(query), 10) == quick
