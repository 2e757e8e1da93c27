"""The answer to a search: what it says is written, what nobody asked for is left out."""

import json

from msgspec import Raw, structs

from notesd.serve import wire
from notesd.serve.results import Channels, Correction, NextPage, SearchResult

PAGE = SearchResult(
    "brea", [Raw(b'{"name":"Bread"}')], 1, True, [Correction("brea", "bread")], has_more=False, degraded=[],
    index={}, took_ms={}, spaces={"notes": "/notes"},
)  # fmt: skip


def test_what_was_not_asked_for_is_left_out() -> None:
    """A page that is whole says nothing of pages, explanations and channels; not even null."""
    said = json.loads(wire.encode_result(Raw(b"1"), PAGE))["result"]

    assert list(said) == [
        "query", "results", "total", "total_is_exact", "corrected", "has_more", "degraded", "index",
        "took_ms", "spaces",
    ]  # fmt: skip
    assert said["corrected"] == [{"from": "brea", "to": "bread"}]
    assert said["results"] == [{"name": "Bread"}]


def test_a_page_that_was_cut_says_how_it_goes_on() -> None:
    """With the parameter that asks for the next one."""
    page = structs.replace(PAGE, truncated=True, next=NextPage(7))

    said = json.loads(wire.encode_result(Raw(b"1"), page))["result"]

    assert (said["truncated"], said["next"]) == (True, {"offset": 7})


def test_a_first_answer_is_the_same_with_the_id_of_its_request() -> None:
    """The id as it was written, then all that the answer says."""
    page = structs.replace(PAGE, channels=Channels("ok", "pending", "off"))

    said = json.loads(wire.encode_notification("search.partial", page.partial(Raw(b"1.0"))))["params"]
    whole = json.loads(wire.encode_result(Raw(b"1.0"), page))["result"]

    assert said == {"id": 1.0, **whole}
    assert next(iter(said)) == "id"
