"""What reaches a terminal, a pipe and a program, whatever notes are called and say."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notesd.cli import account, render, report
from notesd.cli.render import Style
from notesd.cli.terminal import _ago
from notesd.files.paths import decode_name

PLAIN = Style(colour=False)
COLOUR = Style(colour=True)
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
ODD_TEXT = st.text(st.characters() | st.sampled_from("\x1b\x07\x7f\x9b\n\r\u202e\u2066\ud800\uef80\uefff"))

SHOWN = [
    pytest.param("plain é 日本 😀", "plain é 日本 😀", id="plain"),
    pytest.param("\x1b[31m", "\\x1b[31m", id="escape"),
    pytest.param("\x9b1m\x7f\x07", "\\x9b1m\\x7f\\x07", id="c1-delete-bell"),
    pytest.param("a\nb\rc\td", "a\\x0ab\\x0dc\\x09d", id="line-ends"),
    pytest.param("\u202etxt\u2069", "\\u202etxt\\u2069", id="direction"),
    pytest.param("\u2028", "\\u2028", id="line-separator"),
    pytest.param("\ud800", "\ufffd", id="surrogate"),
    pytest.param("caf\uefe9.md", "caf\\xe9.md", id="byte-in-a-name"),
]


def answer(**hit: object) -> dict[str, object]:
    """Return an answer with one hit."""
    whole = {
        "name": "Title",
        "path": "a/b.md",
        "space": "s",
        "line": 3,
        "snippet": "",
        "tags": [],
        "heading": [],
    }
    return {"results": [{**whole, **hit}], "spaces": {"s": "/notes"}, "index": {"pending": {"files": 0}}}


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_controls_are_shown_not_sent(text: str, shown: str) -> None:
    """Each character that could command a terminal becomes a word about it."""
    assert shown == render.clean(text)


@given(ODD_TEXT, ODD_TEXT, ODD_TEXT)
def test_no_note_can_command_a_terminal(title: str, path: str, text: str) -> None:
    """No format for people lets a control character through, wherever it came from."""
    word = {"word": title, "columns": [path], "nearest": [text]}
    told = {"lists": [{"list": title, "share": 0.5, "rank": text}], "words": [word]}
    found = answer(
        name=title, path=path, snippet=text, tags=[title], heading=[text], space=path, explain=told
    )
    space = {
        "filters": [{"filter": title, "value": text}],
        "expressions": {title: text},
        "terms": [word],
        **told,
    }
    found["explain"] = {"query": {"words": [[title]], "phrases": [text]}, "spaces": {path: space}}
    why: dict[str, object] = {
        "note": title,
        "sentence": text,
        "reason": path,
        "filters": [{"filter": title, "has": text}],
    }
    found["index"] = {"gaps": [text]}
    found["degraded"] = [{"channel": title, "reason": text}]
    entity = {
        "name": title,
        "path": path,
        "observations": [{"text": text, "heading": [title]}],
        "tags": [path],
    }
    shown = [
        render.as_text(found, PLAIN, account.of_hit),
        account.of_answer(found, PLAIN),
        account.why(why, PLAIN),
        render.as_paths(found, exact=True, terminal=True).decode(),
        render.as_paths(found, exact=False, terminal=True).decode(),
        render.as_vimgrep(found, terminal=True).decode(),
        render.as_json(found, indent=True),
        render.as_jsonl(found),
        *render.remarks(found),
        report.entities({"entities": [entity]}, PLAIN),
        report.listing({title: [{"path": path, text: title, "raw": text}, text, {text: [path]}]}, PLAIN),
        report.status(
            {"state": text, "spaces": [{"name": title, "path": path, "problems": [entity]}]}, PLAIN
        ),
        *report.missing({"missing": [{"note": title, "nearest": [path], "reason": text}]}),
    ]

    assert [text for text in shown if CONTROL.search(text)] == []


@given(ODD_TEXT)
def test_a_hit_is_one_line_where_one_line_is_promised(path: str) -> None:
    """A name with a line end makes no second line on a pipe either."""
    found = answer(path=path, snippet=path)

    assert render.as_paths(found, exact=False, terminal=False).count(b"\n") == 1
    assert render.as_vimgrep(found, terminal=False).count(b"\n") == 1
    assert render.as_jsonl(found).count("\n") == 1


@given(ODD_TEXT)
def test_json_keeps_the_data(text: str) -> None:
    """Escapes change how JSON is written, not what it says."""
    assert json.loads(render.as_json({"a": text}, indent=False)) == {"a": text}


@given(st.binary(max_size=30))
def test_names_are_the_bytes_they_are_on_disk(raw: bytes) -> None:
    """``-0`` gives back what the folder holds, also where it is not UTF-8."""
    assert render.name_bytes(decode_name(raw)) == raw


def test_exact_paths_end_in_nul() -> None:
    """``-0`` is for ``xargs -0``: absolute, raw, NUL after each."""
    assert render.as_paths(answer(path="a\n\uefe9.md"), exact=True, terminal=False) == b"/notes/a\n\xe9.md\0"


def test_paths_on_a_pipe_can_be_opened() -> None:
    """Bytes that are not UTF-8 are given back; only controls are escaped."""
    assert (
        render.as_paths(answer(path="a\x1b\uefe9.md"), exact=False, terminal=False)
        == b"/notes/a\\x1b\xe9.md\n"
    )


def test_a_word_of_the_command_line_names_a_note_that_is_not_utf8() -> None:
    """The shell's bytes become the name the daemon knows."""
    assert render.name_text("caf\udce9.md") == decode_name(b"caf\xe9.md")


def test_marks_stand_out() -> None:
    """Words found are coloured on a terminal and starred on a pipe."""
    found = answer(snippet="some <mark>bread</mark>\nhere")

    assert "  some **bread** here\n" in render.as_text(found, PLAIN)
    assert "  some \x1b[1;33mbread\x1b[0m here\n" in render.as_text(found, COLOUR)


def test_vimgrep_is_path_line_column_text() -> None:
    """Editors jump to it; marks are left out."""
    found = answer(snippet="some <mark>bread</mark>")

    assert render.as_vimgrep(found, terminal=False) == b"/notes/a/b.md:3:1:some bread\n"


def test_the_space_is_named_when_there_are_several() -> None:
    """Two spaces may hold the same path."""
    found = answer()
    found["results"] = [*render.hits(found), {**render.hits(found)[0], "space": "t"}]

    assert "  a/b.md:3  [s]\n" in render.as_text(found, PLAIN)
    assert "  a/b.md:3\n" in render.as_text(answer(), PLAIN)


@pytest.mark.parametrize(
    ("index", "degraded", "said"),
    [
        pytest.param({}, [], ["nothing found"], id="unknown"),
        pytest.param(
            {"complete": True, "gaps": [], "generation": 7},
            [],
            ["nothing found; the index is complete (generation 7)"],
            id="complete",
        ),
        pytest.param(
            {"complete": False, "gaps": ["1 note could not be read", "1 change is still to be read"]},
            [],
            ["nothing found; 1 note could not be read, 1 change is still to be read, so there may be more"],
            id="several-gaps",
        ),
        pytest.param(
            {"building": True, "pending": {"files": 7}},
            [],
            ["nothing found; the index is still being built (7 files to go), so there may be more"],
            id="building",
        ),
        pytest.param(
            {"pending": {"files": 2}},
            [],
            ["nothing found; 2 changed files are still to be read, so there may be more"],
            id="pending",
        ),
        pytest.param(
            {},
            [{"channel": "semantic", "reason": "the model is missing"}],
            ["nothing found", "without the semantic channel: the model is missing"],
            id="degraded",
        ),
        pytest.param(
            {},
            [{"channel": "semantic", "reason": "1 note is not embedded", "lasting": True}],
            ["nothing found", "in the semantic channel: 1 note is not embedded"],
            id="lasting",
        ),
        pytest.param(
            {"gaps": ["space a: /a cannot be listed", "space b: it is built"]},
            [{"channel": "index", "reason": "/a cannot be listed"}],
            ["nothing found; space a: /a cannot be listed, space b: it is built, so there may be more"],
            id="what-is-told-once",
        ),
    ],
)
def test_an_empty_answer_says_whether_it_is_complete(
    index: object, degraded: object, said: list[str]
) -> None:
    """Nothing found in half an index is not nothing there."""
    assert said == render.remarks({"results": [], "index": index, "degraded": degraded})


def test_what_keeps_an_index_back_is_said_as_it_is() -> None:
    """It is no channel that anybody has heard of."""
    told = [{"channel": "index", "reason": "/a cannot be listed"}]

    assert render.remarks({**answer(), "degraded": told}) == ["/a cannot be listed"]


def test_a_full_answer_says_nothing_more() -> None:
    """What is complete needs no remark; what is not does."""
    partial = {**answer(), "index": {"building": True}}
    named = {**answer(), "degraded": [{"channel": "filter", "reason": 'no note has the tag "nope"'}]}
    lasting = {**answer(), "degraded": [{"channel": "semantic", "reason": "one", "lasting": True}]}

    assert render.remarks(answer()) == []
    assert render.remarks(lasting) == []
    assert render.remarks(named) == ['no note has the tag "nope"']
    assert render.remarks({**lasting, "explain": {"query": {}}}) == ["in the semantic channel: one"]
    assert render.remarks(partial) == ["the index is still being built, so there may be more"]


@pytest.mark.parametrize("value", [{}, {"results": None}, {"results": [1, "a", {}]}, {"results": "abc"}])
def test_an_answer_of_another_shape_is_no_crash(value: dict[str, object]) -> None:
    """A later daemon may answer more or less than this client knows."""
    render.as_text(value, PLAIN)
    render.as_vimgrep(value, terminal=False)
    report.status(value, PLAIN)
    report.entities(value, PLAIN)
    report.listing(value, PLAIN)


def test_a_terminal_gets_links_ages_and_lines_that_fit() -> None:
    """Everything else gets none of it; a name can command nothing through a link."""
    hit = {
        "space": "s",
        "path": "a b/\x1b]8;;é.md",
        "name": "N" * 50,
        "line": 3,
        "modified": "2031-01-02T03:04:05",
    }
    found = {"results": [hit], "spaces": {"s": "/home/me"}, "total": 7}
    style = Style(colour=False, links=True, columns=20, ago=lambda date: f"({date[:4]})")
    title, place = render.as_text(found, style, first=4).splitlines()
    assert title == f"4. {'N' * 16}…"
    address = "file:///home/me/a%20b/%1B%5D8%3B%3B%C3%A9.md"
    assert place == f"  \x1b]8;;{address}\x1b\\a b/\\x1b]8;;é.md:3\x1b]8;;\x1b\\  (2031)"
    assert render.as_text(found, PLAIN) == f"1. {'N' * 50}\n  a b/\\x1b]8;;é.md:3\n"
    assert render.count(found, 4) == "4 to 4 of 7; the next: --offset 4"
    assert render.count(found, 7) == ""


def test_how_long_ago_it_was_is_said_in_one_unit() -> None:
    """Dates to come, and what is no date, stay as they are."""
    now = datetime.now(UTC)
    for seconds, said in (
        (5, "just now"), (61, "1 minute ago"), (7_300, "2 hours ago"), (86_400 * 3, "3 days ago"),
        (86_400 * 70, "2 months ago"), (86_400 * 800, "2 years ago"),
    ):  # fmt: skip
        assert _ago((now - timedelta(seconds=seconds)).isoformat()) == said
    assert _ago("9999-01-02T00:00:00+00:00") == "9999-01-02"
    assert _ago("someday") == "someday"
