"""Parameters of each method: what passes, and what is said about what does not."""

import json

import pytest
from msgspec import Raw

from notesd.errors import InvalidParams
from notesd.serve import params

GOOD = [
    pytest.param({"query": "a"}, id="query-alone"),
    pytest.param({"query": ""}, id="empty-query"),
    pytest.param({"query": "a", "limit": 1, "offset": 100_000}, id="bounds"),
    pytest.param({"query": "a", "space": "s", "tag": "t", "type": None}, id="one-name-and-null"),
    pytest.param({"query": "a", "space": ["s", "t"], "tag": []}, id="lists"),
    pytest.param({"query": "a", "wait": True}, id="wait"),
    pytest.param({"query": "a", "wait": 0}, id="wait-milliseconds"),
    pytest.param({"query": "a", "mode": "lexical", "limbic": "shadow"}, id="words"),
    pytest.param({"query": "a", "created": "..2024"}, id="range"),
]

BAD = [
    pytest.param({}, '"query" is missing: a text to search for', id="missing"),
    pytest.param({"query": 5}, '"query" has to be a text to search for, not 5', id="number-for-text"),
    pytest.param({"query": None}, '"query" has to be a text to search for, not null', id="null-for-text"),
    pytest.param({"query": ["a"]}, '"query" has to be a text', id="list-for-text"),
    pytest.param(
        {"query": "a", "limit": "10"}, 'a whole number from 1 to 1000, not "10"', id="text-for-number"
    ),
    pytest.param({"query": "a", "limit": 0}, '"limit" has to be a whole number', id="limit-zero"),
    pytest.param({"query": "a", "limit": -1}, '"limit" has to be a whole number', id="limit-negative"),
    pytest.param({"query": "a", "limit": 1001}, '"limit" has to be a whole number', id="limit-large"),
    pytest.param({"query": "a", "limit": 10**30}, '"limit" has to be a whole number', id="limit-huge"),
    pytest.param({"query": "a", "limit": 10.0}, '"limit" has to be a whole number', id="limit-fraction"),
    pytest.param({"query": "a", "limit": True}, '"limit" has to be a whole number', id="limit-true"),
    pytest.param({"query": "a", "offset": -5}, '"offset" has to be a whole number', id="offset-negative"),
    pytest.param(
        {"query": "a", "tag": 7}, '"tag" has to be a text or a list of texts, not 7', id="tag-number"
    ),
    pytest.param(
        {"query": "a", "space": [1]}, '"space" has to be a text or a list of texts', id="space-list"
    ),
    pytest.param(
        {"query": "a", "mode": "magic"}, '"hybrid", "lexical" or "semantic", not "magic"', id="mode"
    ),
    pytest.param({"query": "a", "created": 5}, '"created" has to be a text like', id="created-number"),
    pytest.param({"query": "a", "explain": 1}, '"explain" has to be true or false, not 1', id="one-for-true"),
    pytest.param({"query": "a", "wait": "maybe"}, '"wait" has to be true, false or a number', id="wait-text"),
    pytest.param({"query": "a", "wait": -1}, '"wait" has to be true, false or a number', id="wait-negative"),
    pytest.param({"query": "a", "limt": 3}, 'unknown parameter "limt": did you mean "limit"?', id="misspelt"),
    pytest.param(
        {"query": "a", "xyz": 3}, 'unknown parameter "xyz": it takes audience, created, explain', id="unknown"
    ),
    pytest.param({"query": "x" * 99, "mode": "y" * 99}, "y" * 59 + "...", id="long-value"),
    pytest.param(["a"], "by name, in an object", id="by-position"),
    pytest.param([], "by name, in an object", id="empty-list"),
]


def _raw(value: object) -> Raw:
    return Raw(json.dumps(value).encode())


@pytest.mark.parametrize("given", GOOD)
def test_good_parameters_are_read(given: dict[str, object]) -> None:
    """What was given arrives as it was given."""
    read = params.read(_raw(given), params.SearchParams)

    assert given == {name: getattr(read, name) for name in given}


@pytest.mark.parametrize(("given", "sentence"), BAD)
def test_a_bad_parameter_is_named(given: object, sentence: str) -> None:
    """The error names the parameter and what was expected of it, with the protocol's code."""
    with pytest.raises(InvalidParams) as caught:
        params.read(_raw(given), params.SearchParams)

    assert sentence in caught.value.message
    assert caught.value.code == -32602


def test_values_nested_too_deep_are_refused() -> None:
    """A value no struct could hold is an error like any other."""
    with pytest.raises(InvalidParams):
        params.read(Raw(b'{"query":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), params.SearchParams)


def test_a_method_without_parameters_of_its_own_takes_the_audience_alone() -> None:
    """``ping`` takes nothing but what every method takes."""
    params.read(Raw(b"{}"), params.NoParams)

    with pytest.raises(InvalidParams, match=r"it takes audience$"):
        params.read(_raw({"x": 1}), params.NoParams)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        pytest.param(params.OpenParams, {}, id="open-without-notes"),
        pytest.param(params.OpenParams, {"notes": 5}, id="open-number"),
        pytest.param(params.LinksParams, {}, id="links-without-note"),
        pytest.param(params.LinksParams, {"note": "a", "depth": 0}, id="links-depth"),
        pytest.param(params.RescanParams, {"wait": "maybe"}, id="rescan-wait"),
        pytest.param(params.FeedParams, {"sort": "name"}, id="feed-sort"),
        pytest.param(params.ForgetParams, {"note": 1}, id="forget-note"),
        pytest.param(params.RelatedParams, {"note": "a", "limit": 0}, id="related-limit"),
        pytest.param(params.SpaceParams, {"space": ["a", 1]}, id="space-number"),
        pytest.param(params.SpaceParams, {"spaces": "a"}, id="status-misspelt"),
    ],
)
def test_every_method_checks_its_own(kind: type, given: dict[str, object]) -> None:
    """No method lets a parameter pass that it does not understand."""
    with pytest.raises(InvalidParams):
        params.read(_raw(given), kind)


def test_every_parameter_says_what_it_has_to_be() -> None:
    """No struct has a field without the end of the sentence about it."""
    import msgspec

    kinds = [
        value
        for value in vars(params).values()
        if isinstance(value, type) and value.__module__ == params.__name__
    ]
    silent = [
        (kind.__name__, field.name)
        for kind in kinds
        if issubclass(kind, msgspec.Struct)
        for field in msgspec.structs.fields(kind)
        if params._expected(field.type) == "another value"
    ]

    assert silent == []


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"note": None, "space": None, "before": None}, id="nulls"),
        pytest.param({"all": False}, id="not-all"),
        pytest.param({"note": ""}, id="empty-note"),
        pytest.param({"before": " "}, id="blank-date"),
        pytest.param({"space": ""}, id="empty-space"),
        pytest.param({"note": "", "space": "home"}, id="empty-note-of-a-space"),
        pytest.param({"before": "", "all": True}, id="empty-date-and-all"),
        pytest.param({"all": True, "note": "x"}, id="all-and-a-note"),
    ],
)
def test_what_names_nothing_erases_nothing(given: dict[str, object]) -> None:
    """A script's unset variable must not stand for everything."""
    asked = params.read(_raw(given), params.ForgetParams)

    with pytest.raises(InvalidParams):
        params.see_what_is_meant(asked)


@pytest.mark.parametrize("given", [{"all": True}, {"note": "x"}, {"space": "home", "before": "2024-01-01"}])
def test_what_is_named_plainly_may_be_forgotten(given: dict[str, object]) -> None:
    """Everything, when it is said; else what is named."""
    params.see_what_is_meant(params.read(_raw(given), params.ForgetParams))
