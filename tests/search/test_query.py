"""What a query text is understood to ask for."""

import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notesd.parse.expressions import match
from notesd.search.dates import DateRange
from notesd.search.query import LONGEST_QUERY, MOST_WORDS, Query, parse_query
from notesd.search.quotation import expressions
from notesd.search.wanted import ranking_terms, wanted


def spelled(query: Query) -> dict[str, object]:
    """Return what a query says, its terms as FTS5 expressions, what is empty left out."""
    said: dict[str, object] = {"groups": [[match(term) for term in group] for group in query.groups]}
    for name in ("phrases", "quotes", "excluded", "titles", "aliases"):
        said[name] = [match(term) for term in getattr(query, name)]
    for name in ("tags", "paths", "types", "rels", "links", "linked"):
        said[name] = list(getattr(query, name))
    said["without"] = [spelled(one) for one in query.without]
    return {name: value for name, value in said.items() if value}


EIGHT = ("one", "two", "three", "four", "five", "six", "seven", "eight")
OPERATORS = {
    "words": ("two words ", {"groups": [['"two"'], ['"words"']]}),
    "last word": ("two word", {"groups": [['"two"'], ['"word" *']]}),
    "phrase": ('"a phrase"', {"phrases": ['"a phrase"']}),
    "curly quotes": ("“a phrase”", {"phrases": ['"a phrase"']}),
    "phrase in a word": ('one"two three"', {"groups": [['"one"']], "phrases": ['"two three"']}),
    "open quote": ('"open quote ', {"groups": [['"open"'], ['"quote"']]}),
    "empty phrase": ('""', {}),
    "phrase, one before it": ('one "two three"', {"groups": [['"one"']], "phrases": ['"two three"']}),
    "printed phrase, one before it": ("one “two three”", {"groups": [['"one"']], "phrases": ['"two three"']}),
    "printed phrase in prose": (
        "one two three „four five“",
        {"groups": [['"one"'], ['"two"'], ['"three"'], ['"four five"']], "quotes": ['"four five"']},
    ),
    "straight phrase in as much": (
        'one two three "four five"',
        {"groups": [['"one"'], ['"two"'], ['"three"']], "phrases": ['"four five"']},
    ),
    "printed phrase in Japanese prose": (
        "港町の歴史 港町 “一 二”",
        {"groups": [['"港町 町の の歴 歴史"'], ['"港町"'], ['"一 二" *']], "quotes": ['"一 二" *']},
    ),
    "inches": ('5" pipe 3" hose ', {"groups": [['"5"'], ['"pipe"'], ['"3"'], ['"hose"']]}),
    "closed, then opened": ('one" two "three ', {"groups": [['"one"'], ['"two"'], ['"three"']]}),
    "phrase with blanks in it": ('" a phrase "', {"phrases": ['"a phrase"']}),
    "not": ("foo -bar", {"groups": [['"foo"']], "excluded": ['"bar"']}),
    "not a phrase": ('-"a b"', {"excluded": ['"a b"']}),
    "not a beginning": ("-foo*", {"excluded": ['"foo" *']}),
    "not an operator's": ("-foo:x", {"excluded": ['"foo x"']}),
    "not a tag": ("-tag:x", {"without": [{"tags": ["x"]}]}),
    "not two tags": ("-#a#b", {"without": [{"tags": ["a", "b"]}]}),
    "not a type, path, relation": (
        'x -type:list -path:"a b" -rel:up ',
        {"groups": [['"x"']], "without": [{"types": ["list"]}, {"paths": ["a b"]}, {"rels": ["up"]}]},
    ),
    "not a title": ("-title:a", {"without": [{"titles": ['"a"']}]}),
    "not linked": ("-links:[[A b]] -linked:C", {"without": [{"links": ["A b"]}, {"linked": ["C"]}]}),
    "not a number sign": ("-#5 ", {"excluded": ['"5"']}),
    "not without a value": ("-tag: ", {"excluded": ['"tag"']}),
    "not a tag, in prose": (
        "one two three four -#five six seven eight nine ",
        {
            "groups": [[f'"{word}"'] for word in (*EIGHT, "nine") if word != "five"],
            "without": [{"tags": ["five"]}],
        },
    ),
    "a command's switch": ("curl -v x ", {"groups": [['"curl"'], ['"v"'], ['"x"']]}),
    "nothing but a letter": ("-v", {"excluded": ['"v"']}),
    "a dash in prose": (
        "one two three four -five- six seven eight nine ",
        {"groups": [[f'"{word}"'] for word in (*EIGHT, "nine")]},
    ),
    "not, after prose": (
        "one two three four five six seven eight -nine",
        {
            "groups": [[f'"{word}"'] for word in EIGHT],
            "excluded": ['"nine"'],
        },
    ),
    "not, before prose": (
        "-nine one two three four five six seven eight ",
        {
            "groups": [[f'"{word}"'] for word in EIGHT],
            "excluded": ['"nine"'],
        },
    ),
    "not, in a few words": ("one -two three ", {"groups": [['"one"'], ['"three"']], "excluded": ['"two"']}),
    "hyphen within": ("foo-bar ", {"groups": [['("foo bar" OR "foobar")']]}),
    "two hyphens": ("--force ", {"groups": [['"force"']]}),
    "star": ("foo* x", {"groups": [['"foo" *'], ['"x"']]}),
    "star after one letter": ("a* ", {"groups": [['{signs} : "a\ue02a"']]}),
    "star after one Chinese": ("日* ", {"groups": [['"日" *']]}),
    "title": ("title:foo ", {"titles": ['"foo"']}),
    "title being typed": ("title:foo", {"titles": ['"foo" *']}),
    "title with blanks": ('title:"a b"', {"titles": ['"a b"']}),
    "title in capitals": ("Title:foo ", {"titles": ['"foo"']}),
    "alias": ("alias:foo-bar ", {"aliases": ['("foo bar" OR "foobar")']}),
    "tag": ("tag:a/b", {"tags": ["a/b"]}),
    "tag with hash": ("tag:#a", {"tags": ["a"]}),
    "hash tag": ("#Project/x", {"tags": ["Project/x"]}),
    "hash tag, comma": ("#a, b ", {"tags": ["a"], "groups": [['"b"']]}),
    "hash tags touching": ("#a#b", {"tags": ["a", "b"]}),
    "hash tag with slash at its end": ("#a/", {"tags": ["a"]}),
    "hash tag in Japanese": ("#料理", {"tags": ["料理"]}),
    "hash tag with emoji": ("#😀", {"tags": ["😀"]}),
    "path": ("path:../../etc", {"paths": ["../../etc"]}),
    "path with blanks": ('path:"a b/c"', {"paths": ["a b/c"]}),
    "type": ("type:person", {"types": ["person"]}),
    "relation": ("rel:part-of", {"rels": ["part-of"]}),
    "links": ("links:Note", {"links": ["Note"]}),
    "links with blanks": ('links:"Note name"', {"links": ["Note name"]}),
    "links in brackets": ("links:[[Note name]]", {"links": ["Note name"]}),
    "linked": ("linked:a/b.md", {"linked": ["a/b.md"]}),
    "or": ("a OR b c ", {"groups": [['"a"', '"b"'], ['"c"']]}),
    "or or": ("a OR b OR c ", {"groups": [['"a"', '"b"', '"c"']]}),
    "or of phrases": ('"a b" OR "c d"', {"groups": [['"a b"', '"c d"']]}),
    "or at an end": ("foo OR", {"groups": [['"foo"'], ['"or"']]}),
    "or at the beginning": ('OR "p" OR c ', {"groups": [['"or"'], ['"p"', '"c"']]}),
    "or beside a filter": ("foo OR tag:x", {"groups": [['"foo"'], ['"or"']], "tags": ["x"]}),
    "small or": ("a or b ", {"groups": [['"a"'], ['"or"'], ['"b"']]}),
    "two ors": ("AND OR NOT", {"groups": [['"and"', '"not" *']]}),
}


@pytest.mark.parametrize(("text", "expected"), OPERATORS.values(), ids=OPERATORS.keys())
def test_operators(text: str, expected: dict[str, object]) -> None:
    """Each operator of the query language is understood."""
    assert spelled(parse_query(text)) == expected


TEXTS = {
    "empty title": ("title: ", [['"title"']]),
    "empty title in quotes": ('title:"" ', [['"title"']]),
    "empty tag": ("tag: ", [['"tag"']]),
    "tag of a hash": ("tag:# ", [['"tag"']]),
    "hash": ("#", []),
    "hash and digits": ("#12 ", [['"12"']]),
    "hash and punctuation": ("#!/bin/sh ", [['"bin sh"']]),
    "empty links": ("links: ", [['"links"']]),
    "unknown operator": ("a:b ", [['"a b"']]),
    "address": ("https://example.org/x ", [['"https example org x"', '"example org x"']]),
    "range of nonsense": ("created:2024-99-99..x ", [['"created 2024 99 99 x"']]),
    "open range": ("created:.. ", [['"created"']]),
    "word as range": ("modified:abc ", [['"modified abc"']]),
    "minus": ("-", []),
    "minuses": ("-- ", []),
    "star": ("*", []),
    "near": ("NEAR(a b, 2) ", [['"near a"'], ['"b"'], ['"2"']]),
    "column": ("{a b}: c ", [['"a"'], ['"b"'], ['"c"']]),
    "sql": ("'; DROP TABLE notes; -- ", [['"drop"'], ['"table"'], ['"notes"']]),
    "nul": ("a\0b ", [['"ab"']]),
    "lone surrogate": ("a\ud800b ", [['"ab"']]),
    "emoji": ("😀", [['{signs} : "\U000ff600"']]),
    "blank": (" \t\n\u3000", []),
    "percent": ("%", []),
}


@pytest.mark.parametrize(("text", "groups"), TEXTS.values(), ids=TEXTS.keys())
def test_what_is_no_operator_is_text(text: str, groups: list[list[str]]) -> None:
    """What forms no valid operator is searched as text."""
    said = spelled(parse_query(text))
    assert said.pop("groups", []) == groups
    assert not said


# The texts that a client of the socket once broke something with, or might.
QUERIES = [
    "C++",
    "foo-bar",
    '"',
    '""',
    '"unclosed phrase',
    "it's",
    "AND",
    "OR",
    "NOT",
    "AND OR NOT",
    "NEAR(",
    "*",
    "^",
    "^word",
    "a:b",
    "title:",
    "tag:",
    "#",
    "path:../../etc",
    "; DROP TABLE notes; --",
    "' OR 1=1 --",
    "a\0b",
    "\0",
    "",
    " ",
    "-",
    "--",
    "-word",
    "(",
    ")",
    "((((",
    "a* b*",
    "{a b}: c",
    "created:..",
    "modified:abc",
    "links:",
    "日本語 検索",
    "\0\1\x1b[31m",
    "😀",
    "\\",
    "%",
    "_",
    "a+b",
    "+",
    "f(x)=y^2",
    "<script>",
    "$(id)",
    "\u202e\u200b",
    "e\u0301",
    "word " * 20000,
    "x" * 100000,
    "(" * 50000,
    '"' * 50001,
    "a OR " * 3000,
    "-a " * 3000,
    "* " * 3000,
    "日" * 10**6,
    "a/" * 10**6,
    "[[" * 10**6,
    "links:[[" * 10**5,
    'title:"' * 10**5,
    "😀" * 10**5,
    "\u0301" * 10**6,
    "created:.." * 10**5,
    " " * 10**6,
    "#a" * 10**5,
]


@pytest.mark.parametrize("text", QUERIES, ids=[f"{at}-{text[:12]!a}" for at, text in enumerate(QUERIES)])
def test_any_text_is_understood_at_once(text: str) -> None:
    """No text is an error, and none takes longer to understand than it takes to ask."""
    started = time.process_time()
    query = parse_query(text)
    assert len(ranking_terms(query)) <= MOST_WORDS
    assert len(wanted(query)) <= MOST_WORDS
    list(expressions(query))
    assert time.process_time() - started < 5
    assert query.truncated is (len(text) > LONGEST_QUERY or len(text.split()) > MOST_WORDS)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_parsing_never_raises(text: str) -> None:
    """Any text is a query, and the same text the same query."""
    assert parse_query(text) == parse_query(text)


def test_long_queries_are_cut_and_say_so() -> None:
    """Of a long text the first words count; the last of them is no beginning."""
    words = parse_query(" ".join(f"word{n}" for n in range(70)))
    assert words.truncated
    assert len(words.groups) == MOST_WORDS
    assert not words.groups[-1][0].prefix
    letters = parse_query("ab cd " * 1000)
    assert letters.truncated
    assert len(letters.text) == LONGEST_QUERY


RANKED = {
    "stop words go": ("what is the meaning of life ", ['"meaning"', '"life"']),
    "unless nothing is left": ("to be or not to be ", ['"to"', '"be"', '"or"', '"not"']),
    "contracted": ("it's raining ", ['"raining"']),
    "each once": ("foo bar foo ", ['"foo"', '"bar"']),
    "beginning wins": ("foo bar foo", ['"foo" *', '"bar"']),
    "phrases word by word": ('"meaning of life"', ['"meaning"', '"life"']),
    "pairs": ("日本語 ", ['"日本"', '"本語"']),
    "alternatives": ("foo OR bar ", ['"foo"', '"bar"']),
    "excluded do not rank": ("foo -bar", ['"foo"']),
}


@pytest.mark.parametrize(("text", "expected"), RANKED.values(), ids=RANKED.keys())
def test_words_that_rank(text: str, expected: list[str]) -> None:
    """Every word ranks once; grammar only when there is nothing else."""
    assert [match(term) for term in ranking_terms(parse_query(text))] == expected


def test_words_that_a_note_has_to_hold() -> None:
    """Grammar need not occur, unless nothing else was asked; a run stays in one piece."""
    assert [[match(t) for t in g] for g in wanted(parse_query("the 日本語 foo OR bar "))] == [
        ['"日本 本語"'],
        ['"foo"', '"bar"'],
    ]
    assert len(wanted(parse_query("to be "))) == 2
    assert wanted(parse_query('the "foo"')) == ()


def test_ranges_of_a_query_meet() -> None:
    """Two ranges for one date: both have to hold."""
    query = parse_query("created:2024.. created:..2024-05 modified:2023")
    assert query.created == DateRange("2024-01-01", "2024-06-01")
    assert query.modified == DateRange("2023-01-01", "2024-01-01")


TODAY = date(2031, 3, 5)


@pytest.mark.parametrize("text", ["created:today", 'modified:"last week" tide', "tide -created:7d"])
def test_words_are_dates_when_a_day_is_handed_in(text: str) -> None:
    """They count from it; without one they are text."""
    query = parse_query(text, TODAY)
    spans = [query.created, query.modified, *(one.created for one in query.without)]
    assert [span for span in spans if span]
    assert all(term.text == "tide" for group in query.groups for term in group)
    assert not parse_query(text).created
    assert parse_query(text).groups != query.groups or parse_query(text).excluded
