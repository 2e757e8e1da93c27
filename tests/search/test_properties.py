"""Any property that the notes have is a filter; what stands before any other colon is text."""

from collections.abc import Callable, Mapping
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from notesd.index import notes, properties
from notesd.index.store import Reader
from notesd.search import engine, why
from notesd.search.conditions import Asked
from notesd.search.query import Query, parse_query
from notesd.search.unheard import of_keys, told

TODAY = date(2031, 2, 5)
NOTES = {
    "a.md": (
        '---\nstatus: Active\nauthor: "[[People/Iain Banks|Banks]]"\nrating: 4.5\ndue: 2031-02-05\n'
        "genre: [Jazz, Soul]\ndone: yes\nDue Date: 2031-03-01\nSeite: Ａ\n---\nlamp\n"
    ),
    "b.md": (
        "---\nstatus: done\nauthor: Ursula K. Le Guin\nrating: 3\ndue: 2031-04-05\nyear: 2019\n"
        "nested: {inner: x}\ngenre: Jazz, Blues\n---\nlamp\n"
    ),
    "c.md": "lamp [rating:: 10] [Státus:: ACTIVE] (due:: tomorrow)\n\nurl:: https://x.y/z\n",
    "d.md": "lamp http://foo.bar TODO:fix C:\\x std::vector 12:30 note:this\n",
}
ALL = set("abcd")


@pytest.fixture(scope="module")
def reader(indexed: Callable[[Mapping[str, str]], Reader]) -> Reader:
    """An index of notes with properties of many kinds."""
    return indexed(NOTES)


def parsed(reader: Reader, text: str) -> Query:
    return parse_query(text, TODAY, properties.keys(reader))


def found(reader: Reader, text: str) -> set[str]:
    hits = engine.search(reader, Asked(parsed(reader, text), 10)).hits
    return {hit["path"].removesuffix(".md") for hit in hits}


@pytest.mark.parametrize(
    ("text", "holding"),
    [
        ("status:active", "ac"), ("STATUS:ÁCTIVE", "ac"), ("státus:ａｃｔｉｖｅ", "ac"),
        ('author:"Iain Banks"', "a"), ("author:banks", "a"), ("author:[[Iain Banks]]", "a"),
        ("author:[[People/Iain Banks]]", "a"), ('author:"le guin"', "b"), ("author:le", "b"),
        ("author:eguin", ""), ("rating:>3", "ac"), ("rating:>=3", "abc"), ("rating:<4", "b"),
        ("rating:≤4.5", "ab"), ("rating:3..5", "ab"), ("rating:..3", "b"), ("rating:4,6..", "c"),
        ("rating:3.0", "b"), ("rating:=10", "c"), ("rating:>abc", ""), ("author:>j", "b"),
        ("author:<=banks", "a"),
        ("due:..2031-02", "a"), ("due:<2031-03-01", "a"), ("due:>2031-02", "b"), ("due:>=2031-02", "ab"),
        ("due:2031", "ab"), ("due:today", "a"), ("due:tomorrow", "c"), ("due:this-week", "a"),
        ('due:"next month"', ""), ("due:>7d", "ab"), ('due:"5 April 2031"', "b"), ("due:>x", ""),
        ("year:2019", "b"), ("year:<2020", "b"), ("year:2018..2020", "b"),
        ("done:true", "a"), ("done:yes", "a"), ("done:no", ""), ("genre:soul", "a"), ("genre:jazz", "ab"),
        ("genre:jazz genre:soul", "a"), ("nested.inner:x", "b"), ("seite:a", "a"), ("url:https://x.y/z", "c"),
        ('"due date":2031-03', "a"), ("due-date:2031-03-01", "a"), ("due_date:>2031-02", "a"),
        ("due date:2031-03-01", "a"), ("due:*", "abc"), ("status:act*", "ac"), ("property.status:done", "b"),
    ],
)  # fmt: skip
def test_a_property_is_a_filter_and_its_minus_the_contrary(reader: Reader, text: str, holding: str) -> None:
    """Numbers compare as numbers, dates as dates, texts as folded texts; other kinds of values never fit."""
    assert found(reader, text) == set(holding)
    assert found(reader, f"lamp {text}") == set(holding)
    if " " not in text.replace('"due date"', "").partition(":")[0] and text.count("genre") < 2:
        assert found(reader, f"lamp -{text}") == ALL - set(holding)
        assert found(reader, f"lamp AND NOT {text}") == ALL - set(holding)


@pytest.mark.parametrize(
    ("text", "holding"),
    [
        ("status:done OR rating:>9", "bc"),
        ("(status:done OR rating:>9) lamp", "bc"),
        ("-(status:done OR rating:>9) lamp", "ad"),
        ("(rating:>9 OR due date:2031-03-01) AND lamp", "ac"),
        ('lamp AND NOT (author:"Iain Banks" OR "due date":2032)', "bcd"),
        ("(author:[[Iain Banks]] OR url:*) AND status:active", "ac"),
    ],
)
def test_properties_stand_within_expressions(reader: Reader, text: str, holding: str) -> None:
    """AND, OR, NOT and brackets take them as all other filters."""
    assert found(reader, text) == set(holding)


@pytest.mark.parametrize(
    "text", ["http://foo.bar", "TODO:fix", "C:\\x", "std::vector", "12:30", "note:this", "status::active"]
)
def test_what_is_no_key_of_the_folder_is_text(reader: Reader, text: str) -> None:
    """An address, a time or a name with colons is looked for word by word."""
    query = parsed(reader, text)

    assert query.properties == ()
    assert query == parse_query(text, TODAY)


@pytest.mark.parametrize("text", ["status:", "status: active", "status:>", "rating:= ", 'status:""'])
def test_a_key_without_a_value_is_text(reader: Reader, text: str) -> None:
    """It is still being typed, or says something else."""
    assert parsed(reader, text).properties == ()


def test_a_key_of_a_filter_that_is_always_there_stays_that_filter(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """A property of the same name is asked for with ``property.`` before it."""
    reader = indexed({"x/a.md": "---\npath: lane\nmodified: 2020-01-01\n---\n", "lane/b.md": "word\n"})

    assert found(reader, "path:lane") == {"lane/b"}
    assert found(reader, "property.path:lane") == {"x/a"}
    assert found(reader, "property.modified:2020") == {"x/a"}


def test_tags_and_aliases_are_found_by_the_keys_of_front_matter_too(
    indexed: Callable[[Mapping[str, str]], Reader],
) -> None:
    """``tags:x`` is what ``tag:x`` is."""
    reader = indexed({"a.md": "---\ntags: [x/y]\naliases: [Boss]\n---\n", "b.md": "x boss #x\n"})

    assert found(reader, "tags:x") == {"a", "b"}
    assert found(reader, "aliases:boss") == {"a"}


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("status:actve", ["status:Active"]),
        ('author:"Iain Bnks"', ['author:"Iain Banks"', "author:Banks"]),
        ("-status:dnoe", ["status:done"]),
        ("genre:qqqqqqq", []),
    ],
)
def test_a_value_that_no_note_has_is_told_with_the_nearest(
    reader: Reader, text: str, nearest: list[str]
) -> None:
    """As it is of folders, tags and types."""
    (entry,) = told([engine.search(reader, Asked(parsed(reader, f"lamp {text}"), 10)).unheard])

    assert entry["filter"] == ("-property" if text.startswith("-") else "property")
    assert entry["nearest"] == nearest
    assert ("leaves nothing out" in entry["reason"]) is text.startswith("-")


@pytest.mark.parametrize("text", ["status:active", "rating:>99", "due:2050", "author:banks", "due:today"])
def test_a_value_that_is_there_and_a_range_without_notes_are_not_told_of(reader: Reader, text: str) -> None:
    """Nothing that is due today is no slip."""
    assert engine.search(reader, Asked(parsed(reader, f"lamp {text}"), 10)).unheard == ()


def test_what_is_nearly_a_key_is_text_and_told(reader: Reader) -> None:
    """A typo of a key is told with the key, a word with a colon is not."""
    keys = properties.keys(reader)

    (entry,) = of_keys("lamp statsu:active", keys)
    assert (entry["value"], entry["nearest"]) == ("statsu", ["status"])
    assert "searched as text" in entry["reason"]
    assert of_keys("http://x TODO:fix duo:x 12:30 status:active status:actve title:x", keys) == []


def test_why_says_which_property_a_note_lacks(reader: Reader) -> None:
    """As it does of every filter."""
    note = notes.by_path(reader, "b.md")
    assert note is not None
    verdict = why.judge(reader, Asked(parsed(reader, "lamp status:active"), 10), note)

    assert verdict.reason == "filtered"
    assert "status:active" in verdict.sentence
    assert "property:" not in verdict.sentence
    assert [one["has"] for one in verdict.details["filters"]] == [["done"]]


def test_many_properties_are_one_set(reader: Reader) -> None:
    """A thousand of them cost one look at the index, and each is left out as it would be alone."""
    many = Query("lamp", parsed(reader, "lamp ").groups)
    names = [f"-status:zz{number}" for number in range(1_000)]
    without = tuple(one for name in (*names, "-status:active") for one in parsed(reader, name).without)
    asked = Asked(Query("lamp", many.groups, without=without), 10)

    assert {hit["path"] for hit in engine.search(reader, asked).hits} == {"b.md", "d.md"}


PIECES = st.sampled_from(
    [
        "status", "rating", "due", "author", "due date", '"due date"', "property.", ":", "::", ">", "<", "=",
        ">=", "..", "3", "4,5", "1e400", "9" * 400, "2031-02", "today", "7d", "*", "-", "(", ")", "OR", "AND",
        "NOT", '"', "[[", "]]", "active", "lamp", " ", "\x00", "\x01", "\U0010ffff", "É",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=14).map("".join), st.booleans())
@example("rating:" + "9" * 4000, False)
@example("due:0000..9999-12-31 due:>9999-12-31", False)
@example("-status:a " * 400, False)
@example(" ".join(f"rating:>{number}" for number in range(340)), False)
def test_whatever_is_typed_of_a_property_gets_an_answer(reader: Reader, text: str, spaced: bool) -> None:
    """No sign, range or bracket is an error, whatever the values in the folder are."""
    text = " ".join(text) if spaced else text
    asked = Asked(parsed(reader, text), 10)
    note = notes.by_path(reader, "a.md")
    assert note is not None
    told([engine.search(reader, asked).unheard])
    engine.feed(reader, asked, "-modified")
    why.judge(reader, asked, note)
    of_keys(text, properties.keys(reader))
